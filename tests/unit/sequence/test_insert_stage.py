"""Inserting a stage: order, property, follow-ups, and the retrofit of everything before it."""

from __future__ import annotations

from typing import Any

import pytest

from mindloop.sequence.check import check
from mindloop.sequence.insert_stage import insert_stage
from mindloop.sequence.loading import model_of
from mindloop.sequence.pointers import apply
from mindloop.store.errors import WrongInput
from tests.helpers.damage import a_funnel
from tests.helpers.sequences import STOPS, a_property, base_model, changed, equals, find, not_equals, without

TODAY = "2026-11-30"
DOCS = {"id": "s1b", "entryStampId": "docs_uploaded"}


def inserted(document: dict[str, Any], stage: dict[str, Any], after: str | None) -> Any:
    return insert_stage(model_of(document).model, stage, after)


def errors(document: dict[str, Any]) -> list[str]:
    return [one.rule for one in check(model_of(document).model, today=TODAY) if one.severity == "ERROR"]


def test_a_stage_comes_with_its_retrofit() -> None:
    """One patch: the property, the stage, the orders that collide, every earlier follow-up, the new ones."""
    made = inserted(base_model(), DOCS | {"label": "Documents", "offsets": [120, 30]}, "s1")
    path = "/followUps/{}/propertyConditions/-"
    assert made.operations[:6] == [
        {"op": "add", "path": "/properties/-", "value": {
            "id": "docs_uploaded", "type": "BOOLEAN", "setBy": "EVALUATOR", "checkUntilMatch": True,
            "terminalValue": True, "includeInLlm": True, "includeInAgentContext": False,
        }},
        {"op": "replace", "path": "/stages/2/order", "value": 3},
        {"op": "add", "path": "/stages/2", "value": {
            "id": "s1b", "label": "Documents", "order": 2, "entryStampId": "docs_uploaded",
        }},
        *({"op": "add", "path": path.format(at), "value": not_equals("docs_uploaded")} for at in (0, 1, 2)),
    ]  # fmt: skip
    assert [(one["op"], one["path"]) for one in made.operations[6:]] == [("add", "/followUps/-")] * 2
    assert made.operations[6]["value"] == {
        "id": "s1b_30",
        "type": "FOLLOW_UP",
        "stageId": "s1b",
        "active": True,
        "purpose": "NUDGE",
        "propertyConditions": [
            equals("docs_uploaded"),
            not_equals("registration_link_sent"),
            *(not_equals(one) for one in STOPS),
        ],
        "delayTriggerPropertyId": "docs_uploaded",
        "delayMinutesAfterPropertySet": 30,
        "minMinutesSinceLastInbound": 35,
        "channel": "WHATSAPP",
        "destination": {"kind": "FREE_TEXT"},
        "repeat": None,
    }
    assert made.operations[7]["value"]["minMinutesSinceLastInbound"] == 125
    assert made.retrofitted == ["e0_20", "e0_120", "e1_30"]
    assert (made.exists, made.notes) == (False, [])
    assert [(one.tool, one.target) for one in made.payloads] == [
        ("upsert_custom_property", "docs_uploaded"),
        *(("upsert_workflow", one) for one in ("e0_20", "e0_120", "e1_30", "s1b_30", "s1b_120")),
    ]
    assert errors(made.document) == []
    assert apply(base_model(), made.operations) == made.document


def test_the_second_time_it_is_there() -> None:
    """The same call on its own result changes nothing and says so."""
    first = inserted(base_model(), DOCS | {"offsets": [30]}, "s1")
    again = insert_stage(first.model, DOCS | {"offsets": [30]}, "s1")
    assert (again.exists, again.operations, again.payloads) == (True, [], [])
    assert again.notes == ["The stage s1b is there already; nothing was changed."]
    assert again.document == first.document


@pytest.mark.parametrize("after", [None, "s0", "s1", "s2"])
@pytest.mark.parametrize("orders", [(0, 1, 2), (0, 10, 20), (5, 6, 9), (-1, 0, 7)])
def test_orders_are_renumbered_only_where_they_collide(after: str | None, orders: tuple[int, ...]) -> None:
    """The stage stands behind the one named, and a stage whose number is not needed keeps it."""
    document = changed(base_model(), {f"stages.s{at}.order": order for at, order in enumerate(orders)})
    made = inserted(document, DOCS | {"offsets": [45]}, after)
    now = {stage.id: stage.order for stage in made.model.stages}
    names = ["s0", "s1", "s2"]
    names.insert(names.index(after) + 1 if after else 0, "s1b")
    assert sorted(now, key=lambda name: now[name]) == names
    moved = [name for at, name in enumerate(("s0", "s1", "s2")) if now[name] != orders[at]]
    assert all(now[name] == orders[int(name[1])] + 1 for name in moved)
    assert len(moved) == {(0, 1, 2): {"s0": 2, "s1": 1}, (5, 6, 9): {"s0": 1}, (-1, 0, 7): {"s0": 1}}.get(
        orders, {}
    ).get(after or "", 0)
    assert errors(made.document) == []


def test_edges_are_rewired() -> None:
    """What came directly behind the other stage comes behind the new one; parallel branches stay."""
    document = base_model()
    for stage, after in zip(document["stages"], ([], ["s0"], ["s1"]), strict=True):
        del stage["order"]
        stage["after"] = after
    made = inserted(document, DOCS | {"offsets": [45]}, "s0")
    assert {one.id: one.after for one in made.model.stages} == {"s0": [], "s1b": ["s0"], "s1": ["s1b"], "s2": ["s1"]}
    assert [one["path"] for one in made.operations if one["path"].startswith("/stages")] == [
        "/stages/1/after",
        "/stages/1",
    ]
    assert made.retrofitted == ["e0_20", "e0_120"]
    assert errors(made.document) == []
    first = inserted(document, DOCS, None)
    assert {one.id: one.after for one in first.model.stages} == {"s1b": [], "s0": ["s1b"], "s1": ["s0"], "s2": ["s1"]}


def test_a_known_property_is_used_and_a_later_exclusion_of_it_taken_out() -> None:
    """A boolean that was an ordinary condition becomes a stamp: no later stage may exclude it."""
    document = base_model()
    document["properties"].append(a_property("docs_uploaded", label="Docs uploaded"))
    find(document, "followUps", "e2_60")["propertyConditions"].append(not_equals("docs_uploaded"))
    find(document, "followUps", "e0_20")["propertyConditions"].append(equals("docs_uploaded", False))
    made = inserted(document, {"id": "s1b", "entryStampId": "Docs uploaded", "terminal": True}, "s1")
    assert [(one["op"], one["path"]) for one in made.operations if "/propertyConditions" in one["path"]] == [
        ("replace", "/followUps/0/propertyConditions/8"),
        ("add", "/followUps/1/propertyConditions/-"),
        ("add", "/followUps/2/propertyConditions/-"),
        ("remove", "/followUps/3/propertyConditions/6"),
    ]
    assert made.retrofitted == ["e0_20", "e0_120", "e1_30"]
    assert errors(made.document) == []


def test_inactive_follow_ups_are_retrofitted_too() -> None:
    """Whoever turns one on later finds it right."""
    document = changed(base_model(), {"followUps.e0_120.active": False})
    assert inserted(document, DOCS, "s2").retrofitted == ["e0_20", "e0_120", "e1_30", "e2_60"]


def test_a_stage_without_follow_ups_says_so() -> None:
    """It is inserted, and the note names what is missing."""
    made = inserted(base_model(), DOCS, "s1")
    assert made.notes == ["The stage s1b has no follow-up yet: give offsets, or mark it terminal."]
    assert inserted(base_model(), DOCS | {"terminal": True}, "s1").notes == []


def test_day_scale_follow_ups_need_their_template() -> None:
    """Free text beyond the window is refused; an approved template is taken as given."""
    template = {"kind": "WHATSAPP_TEMPLATE", "templateId": "t1"}
    document = base_model() | {"templates": [{"id": "t1", "status": "APPROVED"}]}
    late = {"id": "late", "delayMinutesAfterPropertySet": 2880, "destination": template}
    made = inserted(document, DOCS | {"offsets": [60], "followUps": [late]}, "s2")
    one = made.model.follow_up("late")
    assert (one.offset, one.silence, one.destination.template_id) == (2880, 35 + 2820, "t1")
    assert errors(made.document) == []
    with pytest.raises(
        WrongInput, match="s1b_2880 is free text 2880 minutes after the lead wrote, beyond the window of 1440"
    ):
        inserted(document, DOCS | {"offsets": [2880]}, "s2")


REFUSED = [
    (DOCS, "s9", "there is no stage 's9'"),
    (
        {"id": "s1", "entryStampId": "docs"},
        "s1",
        "the stage 's1' is there with the entry stamp 'age_qualified', not 'docs'",
    ),
    ({"id": "n", "entryStampId": "age_qualified"}, "s1", "'age_qualified' is the entry stamp of 's1'"),
    ({"id": "n", "entryStampId": "bad_fit"}, "s1", "'bad_fit' is a stop"),
    ({"id": "n"}, "s1", "the stage's entryStampId is None, expected a name"),
    ({"id": 7, "entryStampId": "docs"}, "s1", "the stage's id is 7, expected a name"),
    (DOCS | {"ofsets": [1]}, "s1", "'ofsets' is no key of a stage"),
    (DOCS | {"offsets": [30, 0]}, "s1", "the offset of a new follow-up is 0, expected minutes, 1 or more"),
    (DOCS | {"offsets": [True]}, "s1", "the offset of a new follow-up is True, expected minutes, 1 or more"),
    (DOCS | {"offsets": [30, 30]}, "s1", "there is a follow-up 's1b_30' already"),
    (DOCS | {"offsets": "soon"}, "s1", "offsets is a str, expected a list"),
    (DOCS | {"followUps": [7]}, "s1", "a follow-up is a int, expected an object"),
    (
        DOCS | {"followUps": [{"offset": 30, "silence": 0}]},
        "s1",
        "the stage would bring an ERROR, R6: s1b_30 has a silence",
    ),
    (DOCS | {"followUps": [{"offset": 30}, {"id": "x", "offset": 30}]}, "s1", "the stage would bring an ERROR, R5: "),
    (
        DOCS | {"property": {"includeInLlm": False}},
        "s1",
        "the stage would bring an ERROR, R10: docs_uploaded is set by",
    ),
    ("s1b", "s1", "the stage is a str, expected an object"),
]


@pytest.mark.parametrize(("stage", "after", "said"), REFUSED)
def test_what_cannot_be_inserted_is_refused(stage: Any, after: str, said: str) -> None:
    """The error says what came and what was expected."""
    with pytest.raises(WrongInput) as caught:
        inserted(base_model(), stage, after)
    assert caught.value.message.startswith(said)


def test_a_stamp_of_another_type_is_refused() -> None:
    """Stamps are booleans."""
    document = base_model()
    document["properties"].append(a_property("docs_uploaded", type="STRING"))
    with pytest.raises(WrongInput, match="'docs_uploaded' is a STRING, expected a BOOLEAN"):
        inserted(document, DOCS, "s1")


def test_an_earlier_follow_up_that_demands_the_stamp_is_refused() -> None:
    """It is the new stage's own, and moving it is a decision."""
    document = base_model()
    document["properties"].append(a_property("docs_uploaded"))
    find(document, "followUps", "e0_20")["propertyConditions"].append(equals("docs_uploaded"))
    with pytest.raises(WrongInput, match="the follow-up 'e0_20' of 's0' has docs_uploaded EQUALS true"):
        inserted(document, DOCS, "s1")


@pytest.mark.parametrize("after", [None, "s0", "s2", "s4"])
def test_a_larger_funnel_stays_without_error(after: str | None) -> None:
    """Wherever the stage is put, every earlier follow-up excludes it and none of the later ones."""
    made = inserted(a_funnel(5, 3), {"id": "n", "entryStampId": "new", "offsets": [30, 90, 150]}, after)
    at = 0 if after is None else int(after[1]) + 1
    assert made.retrofitted == [f"f{stage}_{number}" for stage in range(at) for number in range(3)]
    assert errors(made.document) == []
    assert check(made.model, today=TODAY) == []


def test_a_stage_that_is_there_gets_the_retrofit_that_it_lacks() -> None:
    """An earlier follow-up that lost the exclusion gets it back, and that is said."""
    whole = inserted(base_model(), DOCS | {"offsets": [30]}, "s1").document
    again = insert_stage(model_of(without(whole, "e0_20", "docs_uploaded")).model, DOCS | {"offsets": [30]}, "s1")
    assert (again.exists, again.retrofitted, len(again.operations), again.differs) == (True, ["e0_20"], 1, "")
    assert "completed" in again.notes[0]
    assert errors(again.document) == []


def test_other_offsets_than_the_stage_has_are_said() -> None:
    """Nothing is added or moved."""
    whole = inserted(base_model(), DOCS | {"offsets": [30]}, "s1").model
    again = insert_stage(whole, DOCS | {"offsets": [30, 90]}, "s1")
    assert again.operations == []
    assert "asked for 30, 90, the stage s1b has 30" in again.differs


def test_errors_of_the_model_that_were_there_are_said() -> None:
    """They are not this change's, and not silent either."""
    made = inserted(without(base_model(), "e0_20", "lead_declined"), DOCS | {"offsets": [30]}, "s1")
    assert any("R3 e0_20" in note for note in made.notes)
