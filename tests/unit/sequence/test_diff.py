"""The model against an export: what differs, and the patch that brings the platform back."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings

from mindloop.sequence.check import check
from mindloop.sequence.diff import Diff, diff
from mindloop.sequence.live import live_model
from mindloop.sequence.loading import model_of
from mindloop.sequence.pointers import apply
from mindloop.store.errors import WrongInput
from tests.helpers.damage import a_funnel, damaged
from tests.helpers.sequences import base_model, changed, equals, not_equals, without

FUNNEL = a_funnel(3, 2)


def compared(live: Any, model: dict[str, Any] | None = None) -> Diff:
    return diff(model_of(model or base_model()).model, live)


def rows(document: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """The follow-ups as an export of the tables has them."""
    return [
        {
            "id": one["id"],
            "type": one["type"],
            "is_active": one["active"],
            "workflow_property_conditions": [
                {"custom_property_id": each["propertyId"], "operator": each["operator"], "value": each["value"]}
                for each in reversed(one["propertyConditions"])
            ],
            "delay_trigger_property_id": one["delayTriggerPropertyId"],
            "delay_minutes_after_property_set": one["delayMinutesAfterPropertySet"],
            "min_minutes_since_last_inbound": one["minMinutesSinceLastInbound"],
        }
        for one in (document or base_model())["followUps"]
    ]


@pytest.mark.parametrize("live", [base_model(), rows(), {"workflows": rows()}, rows()[::-1]])
def test_an_export_that_agrees_has_no_difference(live: Any) -> None:
    """Neither the order of rows nor of conditions, nor columns that the export has not."""
    made = compared(live)
    assert (made.findings, made.operations, made.payloads) == ([], [], [])
    assert made.document == live


def test_both_sides_of_every_difference_are_told() -> None:
    """A lost condition, another offset, an anchor torn off, silence, a flag: one finding each."""
    live = without(base_model(), "e0_20", "age_qualified")
    live = changed(live, {
        "followUps.e0_120.delayMinutesAfterPropertySet": 60,
        "followUps.e1_30.delayTriggerPropertyId": None,
        "followUps.e2_60.minMinutesSinceLastInbound": 5,
        "properties.bad_fit.checkUntilMatch": False,
    })  # fmt: skip
    made = compared(live)
    lost = "age_qualified NOT_EQUALS true"
    assert [(one.target, one.kind, one.key, one.model, one.live, one.pointer) for one in made.differences] == [
        ("e0_20", "condition", "propertyConditions", lost, None, "/followUps/0/propertyConditions/1"),
        ("e0_120", "value", "delayMinutesAfterPropertySet", 120, 60, "/followUps/1/delayMinutesAfterPropertySet"),
        ("e1_30", "value", "delayTriggerPropertyId", "age_qualified", None, "/followUps/2/delayTriggerPropertyId"),
        ("e2_60", "value", "minMinutesSinceLastInbound", 35, 5, "/followUps/3/minMinutesSinceLastInbound"),
        ("bad_fit", "flag", "checkUntilMatch", True, False, "/properties/3/checkUntilMatch"),
    ]  # fmt: skip
    assert [one.message for one in made.findings] == [
        "e0_20 lacks age_qualified NOT_EQUALS true on the platform; expected it, as the model has it",
        "e0_120 has delayMinutesAfterPropertySet 60 on the platform; expected 120, as in the model",
        "e1_30 has delayTriggerPropertyId null on the platform; expected age_qualified, as in the model",
        "e2_60 has minMinutesSinceLastInbound 5 on the platform; expected 35, as in the model",
        "bad_fit has checkUntilMatch false on the platform; expected true, as in the model",
    ]
    assert {(one.rule, one.severity) for one in made.findings} == {("R28", "ERROR")}
    assert made.operations == [
        {"op": "add", "path": "/followUps/0/propertyConditions/-", "value": not_equals("age_qualified")},
        {"op": "replace", "path": "/followUps/1/delayMinutesAfterPropertySet", "value": 120},
        {"op": "replace", "path": "/followUps/2/delayTriggerPropertyId", "value": "age_qualified"},
        {"op": "replace", "path": "/followUps/3/minMinutesSinceLastInbound", "value": 35},
        {"op": "replace", "path": "/properties/3/checkUntilMatch", "value": True},
    ]
    assert [one.target for one in made.payloads] == ["bad_fit", "e0_20", "e0_120", "e1_30", "e2_60"]


def test_rows_of_tables_are_patched_in_their_own_spelling() -> None:
    """Pointers into the list, columns as they are called there, payloads with every condition."""
    live = rows(without(base_model(), "e0_20", "age_qualified"))
    live[1]["workflow_property_conditions"][0]["value"] = False
    made = compared(live)
    assert made.operations == [
        {"op": "add", "path": "/0/workflow_property_conditions/-",
         "value": {"custom_property_id": "age_qualified", "operator": "NOT_EQUALS", "value": True}},
        {"op": "replace", "path": "/1/workflow_property_conditions/0/value", "value": True},
    ]  # fmt: skip
    assert [(one.target, one.model, one.live) for one in made.differences] == [
        ("e0_20", "age_qualified NOT_EQUALS true", None),
        ("e0_120", "is_minor NOT_EQUALS true", None),
        ("e0_120", None, "is_minor NOT_EQUALS false"),
    ]
    assert [len(one.arguments["propertyConditions"]) for one in made.payloads] == [8, 8]
    assert made.payloads[0].operations == [
        {"op": "test", "path": "/0", "value": live[0]},
        {"op": "replace", "path": "/0", "value": made.document[0]},
    ]
    assert compared(made.document).differences == []


def test_missing_and_extra_follow_ups() -> None:
    """What the platform lacks is written whole; what only it has is switched off; other workflows are none of ours."""
    live = rows()[1:]
    live += [
        {"id": "old", "name": "Old nudge", "workflow_property_conditions": [], "type": "FOLLOW_UP", "is_active": True}
    ]
    live += [{"id": "bell", "type": "CUSTOM_NOTIFICATION"}]
    made = compared(live)
    assert [(one.target, one.kind, one.pointer) for one in made.differences] == [
        ("e0_20", "missing", "/followUps/0"),
        ("old", "extra", "/3"),
    ]
    assert [one.message for one in made.findings] == [
        "e0_20 is in the model and not on the platform; expected both to agree",
        "old runs on the platform and is not in the model; expected both to agree",
    ]
    assert [(one["op"], one["path"]) for one in made.operations] == [("remove", "/3"), ("add", "/-")]
    assert [(one.target, one.arguments["active"], len(one.operations)) for one in made.payloads] == [
        ("e0_20", True, 0),
        ("old", False, 2),
    ]
    assert compared(made.document).differences == []


def test_names_of_the_platform_are_its_own() -> None:
    """Ids that the platform gave, codenames and workflow names lead to the same objects, and writes use them."""
    model = base_model()
    model["followUps"][0]["name"] = "Etapa 0 20 min"
    live_rows = rows(model)
    live_rows[0] |= {"id": "9f1", "name": "etapa 0 - 20 MIN"}
    for row in live_rows:
        for each in row["workflow_property_conditions"]:
            each["custom_property_id"] = {"bad_fit": "p-77"}.get(each["custom_property_id"], each["custom_property_id"])
    properties = [{"id": "p-77", "codename": "bad_fit", "check_until_match": True}]
    properties += [{"id": one["id"]} for one in model["properties"] if one["id"] != "bad_fit"]
    live = {"workflows": live_rows, "custom_properties": properties}
    assert compared(live, model).differences == []
    broken = copy.deepcopy(live)
    del broken["workflows"][0]["workflow_property_conditions"][4]
    made = compared(broken, model)
    assert [(one.target, one.model) for one in made.differences] == [("e0_20", "bad_fit NOT_EQUALS true")]
    assert made.operations[0]["value"] == {"custom_property_id": "p-77", "operator": "NOT_EQUALS", "value": True}
    arguments = made.payloads[0].arguments
    assert arguments["id"] == "9f1"
    assert not_equals("p-77") in arguments["propertyConditions"]


def test_a_flag_that_a_partial_update_nulled_is_a_difference() -> None:
    """Null is what the column holds, not absence of the column."""
    live = {"workflows": rows(), "properties": [{"id": one["id"]} for one in base_model()["properties"]]}
    live["properties"][3]["check_until_match"] = None
    assert [(one.target, one.key, one.model, one.live) for one in compared(live).differences] == [
        ("bad_fit", "checkUntilMatch", True, None)
    ]
    del live["properties"][3]
    assert [(one.target, one.kind) for one in compared(live).differences] == [("bad_fit", "missing")]


@pytest.mark.parametrize(
    ("live", "said"),
    [
        (7, "the export is a int, expected a model or a list of workflows"),
        ({"x": []}, "the export has neither followUps nor workflows"),
        ({"workflows": {}}, "/workflows: found a dict, expected a list"),
        ([1], "/0: found a int, expected an object"),
        ([{"id": "a", "propertyConditions": [{"operator": "EQUALS"}]}], "/0/propertyConditions: expected a list of"),
        ([{"id": "a", "workflow_property_conditions": "x"}], "/0/workflow_property_conditions: expected a list of"),
    ],
)
def test_what_is_no_export_is_refused(live: Any, said: str) -> None:
    """The error names the place."""
    with pytest.raises(WrongInput) as caught:
        compared(live)
    assert caught.value.message.startswith(said)


def test_rows_can_be_checked_as_a_model() -> None:
    """With the model's stages and stops around them, rules find on the live side what they find in a model."""
    live = rows(without(base_model(), "e0_20", "age_qualified"))
    model = model_of(base_model()).model
    found = live_model(model, live)
    assert [(one.rule, one.target) for one in check(found, today="2026-11-30")] == [("R2", "e0_20")]
    assert check(live_model(model, rows()), today="2026-11-30") == []
    assert [(one.rule, one.target) for one in check(model, today="2026-11-30", live=found)] == [("R28", "e0_20")]
    assert check(model, today="2026-11-30", live=live_model(model, rows())) == []
    extra = [*rows(), {"id": "z", "workflow_property_conditions": [equals_row("age_qualified")]}]
    assert live_model(model, extra).follow_up("z").stage_id == "s1"


def equals_row(name: str) -> dict[str, Any]:
    return {"custom_property_id": name, **{key: value for key, value in equals(name).items() if key != "propertyId"}}


@settings(max_examples=60, deadline=None)
@given(live=damaged(FUNNEL))
def test_the_patch_of_a_difference_brings_the_platform_back(live: dict[str, Any]) -> None:
    """After it nothing differs, each operation is needed, and the export that came is as it was."""
    came = copy.deepcopy(live)
    made = compared(live, FUNNEL)
    assert live == came
    assert apply(live, made.operations) == made.document
    assert compared(made.document, FUNNEL).differences == []
    assert bool(made.operations) == bool(made.differences) == bool(made.payloads)
    for left_out in range(len(made.operations)):
        rest = [one for at, one in enumerate(made.operations) if at != left_out]
        assert compared(apply(live, rest), FUNNEL).differences, made.operations[left_out]
