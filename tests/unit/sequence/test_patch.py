"""What a patch does for each fault, and what it leaves to people."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mindloop.sequence.document import document_text, read_document
from mindloop.sequence.loading import model_of
from mindloop.sequence.patch import Patch, guarded, patch
from mindloop.sequence.pointers import PatchRefused, apply
from tests.helpers.sequences import (
    STOPS,
    a_follow_up,
    a_property,
    base_model,
    changed,
    equals,
    find,
    not_equals,
    without,
)

TODAY = "2026-11-30"
E0 = "/followUps/0/propertyConditions"


def mended(document: dict[str, Any], profile: str = "doctrine") -> Patch:
    return patch(model_of(document).model, today=TODAY, profile=profile)


def condition(follow_up: str, at: int, value: dict[str, Any]) -> dict[str, Any]:
    made = base_model()
    find(made, "followUps", follow_up)["propertyConditions"][at] = value
    return made


def more(follow_up: str, *values: dict[str, Any]) -> dict[str, Any]:
    made = base_model()
    find(made, "followUps", follow_up)["propertyConditions"] += values
    return made


def reason(**keys: Any) -> dict[str, Any]:
    made = base_model()
    made["dropOutReasons"].append(keys)
    return made


def test_a_model_without_errors_needs_nothing() -> None:
    """M0 is left as it is."""
    made = mended(base_model())
    assert (made.operations, made.payloads, made.unresolved) == ([], [], [])
    assert made.document == base_model()


REPAIRED = [
    ("R1 lost", without(base_model(), "e0_20", "welcome_sent"), [("add", f"{E0}/0", equals("welcome_sent"))]),
    (
        "R1 lets NULL in",
        condition("e0_20", 0, not_equals("welcome_sent", False)),
        [("replace", f"{E0}/0", equals("welcome_sent"))],
    ),
    ("R2", without(base_model(), "e0_20", "age_qualified"), [("add", f"{E0}/-", not_equals("age_qualified"))]),
    (
        "R3",
        without(base_model(), "e1_30", "lead_declined"),
        [("add", "/followUps/2/propertyConditions/-", not_equals("lead_declined"))],
    ),
    (
        "R4 lost",
        changed(base_model(), {"followUps.e0_120.delayTriggerPropertyId": None}),
        [("replace", "/followUps/1/delayTriggerPropertyId", "welcome_sent")],
    ),
    (
        "R4 another's",
        changed(base_model(), {"followUps.e1_30.delayTriggerPropertyId": "welcome_sent"}),
        [("replace", "/followUps/2/delayTriggerPropertyId", "age_qualified")],
    ),
    (
        "R5 equal",
        changed(base_model(), {"followUps.e0_120.delayMinutesAfterPropertySet": 20}),
        [("replace", "/followUps/1/delayMinutesAfterPropertySet", 50)],
    ),
    (
        "R5 none",
        changed(base_model(), {"followUps.e0_120.delayMinutesAfterPropertySet": None}),
        [("replace", "/followUps/1/delayMinutesAfterPropertySet", 50)],
    ),
    (
        "R5 none, first",
        changed(base_model(), {"followUps.e0_20.delayMinutesAfterPropertySet": 0}),
        [("replace", "/followUps/0/delayMinutesAfterPropertySet", 30)],
    ),
    (
        "R6",
        changed(base_model(), {"followUps.e0_20.minMinutesSinceLastInbound": None}),
        [("replace", "/followUps/0/minMinutesSinceLastInbound", 35)],
    ),
    (
        "R6 staggered",
        changed(base_model(), {"followUps.e0_120.minMinutesSinceLastInbound": 0}),
        [("replace", "/followUps/1/minMinutesSinceLastInbound", 135)],
    ),
    (
        "R7",
        condition("e0_20", 1, equals("age_qualified", False)),
        [("replace", f"{E0}/1", not_equals("age_qualified"))],
    ),
    (
        "R9",
        changed(base_model(), {"properties.deposit_confirmed.checkUntilMatch": False}),
        [("replace", "/properties/6/checkUntilMatch", True)],
    ),
    (
        "R9 target",
        changed(base_model(), {"properties.deposit_confirmed.terminalValue": False}),
        [("replace", "/properties/6/terminalValue", True)],
    ),
    (
        "R10",
        changed(base_model(), {"properties.age_qualified.includeInLlm": False}),
        [("replace", "/properties/1/includeInLlm", True)],
    ),
    ("R13 wired", reason(id="price", agentOutcome="REPLY", stopPropertyId="price_no"), None),
    ("R17 R20", more("e0_20", not_equals("welcome_sent")), [("remove", f"{E0}/8", None)]),
    ("R20", more("e1_30", not_equals("welcome_sent")), [("remove", "/followUps/2/propertyConditions/7", None)]),
    (
        "R30",
        changed(base_model(), {"followUps.e2_60.repeat": {"intervalMinutes": 60}}),
        [("add", "/followUps/3/repeat/maxRepeats", 2)],
    ),
    ("R33 R1", condition("e0_20", 0, equals("welcome_sent", "true")), [("replace", f"{E0}/0/value", True)]),
    ("R33 stop", condition("e0_20", 3, not_equals("bad_fit", "true")), [("replace", f"{E0}/3/value", True)]),
    ("R34", condition("e0_20", 4, equals("lead_declined")), [("replace", f"{E0}/4/operator", "NOT_EQUALS")]),
    ("R34 false", condition("e0_20", 4, not_equals("lead_declined", False)), [("replace", f"{E0}/4/value", True)]),
    ("R34 R35", more("e0_20", equals("age_qualified")), [("remove", f"{E0}/8", None)]),
]


@pytest.mark.parametrize(("name", "document", "wanted"), REPAIRED, ids=[one[0] for one in REPAIRED])
def test_each_mechanical_fault_has_its_one_operation(name: str, document: dict[str, Any], wanted: Any) -> None:
    """The repair of each rule, with its value; nothing else is touched and nothing is left."""
    if name == "R13 wired":
        document["properties"].append(a_property("price_no"))
        wanted = [("add", "/stops/-", {"propertyId": "price_no"})]
        wanted += [("add", f"/followUps/{at}/propertyConditions/-", not_equals("price_no")) for at in range(4)]
    made = mended(document)
    assert [(one["op"], one["path"], one.get("value")) for one in made.operations] == wanted
    assert made.unresolved == []
    assert apply(document, made.operations) == made.document


def test_an_empty_array_is_restored_as_a_whole() -> None:
    """One replacement, the entry first, what lies downstream, then the stops."""
    for document, op in (
        (changed(base_model(), {"followUps.e0_20.propertyConditions": []}), "replace"),
        (base_model(), "add"),
    ):
        if op == "add":
            del document["followUps"][0]["propertyConditions"]
        made = mended(document)
        gate = [equals("welcome_sent"), not_equals("age_qualified"), not_equals("registration_link_sent")]
        assert made.operations == [{"op": op, "path": E0, "value": gate + [not_equals(one) for one in STOPS]}]


def test_conditions_written_by_label_or_column_name_are_mended_where_they_stand() -> None:
    """The document's own names and spelling stay; what is added is spelled as its neighbours."""
    document = base_model()
    find(document, "properties", "deposit_confirmed")["label"] = "Deposit confirmed"
    one = document["followUps"][3]
    one["workflow_property_conditions"] = [
        {"property_id": "registration_link_sent", "operator": "EQUALS", "value": True},
        {"property_id": "Deposit confirmed", "operator": "EQUALS", "value": False, "note": "kept"},
        *({"property_id": each, "operator": "NOT_EQUALS", "value": True} for each in STOPS[:2]),
        {"property_id": "is_minor", "operator": "NOT_EQUALS", "value": True},
    ]
    del one["propertyConditions"]
    made = mended(document)
    base = "/followUps/3/workflow_property_conditions"
    rewritten = {"property_id": "Deposit confirmed", "operator": "NOT_EQUALS", "value": True, "note": "kept"}
    assert made.operations == [
        {"op": "replace", "path": f"{base}/1", "value": rewritten},
        {
            "op": "add",
            "path": f"{base}/-",
            "value": {"property_id": "escalation_needed", "operator": "NOT_EQUALS", "value": True},
        },
    ]
    assert made.document["followUps"][3]["workflow_property_conditions"][1] == rewritten


LEFT = [
    (reason(id="price", agentOutcome="REPLY", stopPropertyId=None), [("R13", "price", "/dropOutReasons/5")]),
    (reason(id="hostile", agentOutcome="NO_RESPONSE"), [("R14", "hostile", "/dropOutReasons/5")]),
    (
        reason(id="back", agentOutcome="REPLY", stopPropertyId="welcome_sent"),
        [("R13", "back", "/dropOutReasons/5/stopPropertyId")],
    ),
    (
        changed(base_model(), {"properties.lead_declined.type": "STRING"}),
        [("R8", "lead_declined", "/properties/4/type"), ("R14", "declined", "/dropOutReasons/0/stopPropertyId")],
    ),
    (changed(base_model(), {"followUps.e2_60.delayMinutesAfterPropertySet": 2880}), [("R11", "e2_60", "/followUps/3")]),
    (changed(base_model(), {"followUps.e2_60.type": "CUSTOM_NOTIFICATION"}), [("R15", "e2_60", "/followUps/3/type")]),
    (changed(base_model(), {"stages.s1.order": 0}), [("R24", "s1", "/stages/1/order")]),
    (
        changed(base_model(), {"properties.welcome_sent.setBy": "AGENT"}),
        [("R22", "welcome_sent", "/properties/0/setBy")],
    ),
    (
        base_model() | {"properties": [one for one in base_model()["properties"] if one["id"] != "bad_fit"]},
        [("R21", "bad_fit", "/stops/0/propertyId")],
    ),
]


@pytest.mark.parametrize(("document", "wanted"), LEFT, ids=[each[1][0][0] + each[1][0][1] for each in LEFT])
def test_what_needs_a_decision_is_listed_and_not_guessed(document: dict[str, Any], wanted: Any) -> None:
    """No operation, and for each ERROR the place and what has to be decided."""
    made = mended(document)
    assert made.operations == []
    assert [(one.rule, one.target, one.pointer) for one in made.unresolved] == wanted
    assert all(one.decide.startswith("Decide ") for one in made.unresolved)
    assert made.document == document


def test_a_stamp_that_is_a_stop_is_left_alone() -> None:
    """The entry gate and the stop's exclusion contradict each other: nobody but a person can say which is meant."""
    document = base_model()
    document["stages"].append({"id": "s3", "order": 3, "entryStampId": "deposit_confirmed"})
    follow_up = a_follow_up("e3_30", 2, 30, 35, stageId="s3", delayTriggerPropertyId="deposit_confirmed")
    follow_up["propertyConditions"] = [equals("deposit_confirmed"), *(not_equals(one) for one in STOPS)]
    document["followUps"].append(follow_up)
    made = mended(document)
    assert made.operations == []
    assert "R23" in {one.rule for one in made.unresolved}


def test_gate_and_anchor_of_another_stage_leave_the_stage_to_be_decided() -> None:
    """A follow-up whose every sign but stageId is another stage's is not rewritten into its namesake."""
    made = mended(changed(base_model(), {"followUps.e1_30.stageId": "s0"}))
    assert made.operations == []
    assert ("R35", "e1_30") in {(one.rule, one.target) for one in made.unresolved}


def test_a_stop_that_only_a_reason_names_is_wired_everywhere() -> None:
    """It goes among the stops and, in the same patch, into every follow-up that lacks it."""
    document = without(base_model(), "e1_30", "bad_fit")
    document["stops"] = document["stops"][1:]
    assert [(one["op"], one["path"], one["value"]) for one in mended(document).operations] == [
        ("add", "/stops/-", {"propertyId": "bad_fit"}),
        ("add", "/followUps/2/propertyConditions/-", not_equals("bad_fit")),
    ]


def test_an_edit_older_than_a_stage_is_retrofitted() -> None:
    """Once for both rules that say so, and also where other conditions keep the stages apart today."""
    document = without(base_model(), "e0_20", "age_qualified")
    document["stages"][1]["createdAt"] = "2026-03-01T00:00:00Z"
    document["followUps"][0]["updatedAt"] = "2026-02-01T00:00:00Z"
    wanted = [{"op": "add", "path": f"{E0}/-", "value": not_equals("age_qualified")}]
    assert mended(document).operations == wanted
    for one in document["followUps"]:
        if one["stageId"] == "s1":
            one["propertyConditions"].append(equals("vip"))
    document["properties"].append(a_property("vip"))
    document["followUps"][0]["propertyConditions"].append(not_equals("vip"))
    assert mended(document).operations == wanted


def test_texts_of_ordinary_conditions_and_limits_become_values() -> None:
    """Where the text is a spelling of a value of that type; what is no such spelling is left to people."""
    document = more("e2_60", equals("vip", " TRUE "), {"propertyId": "score", "operator": "LESS_THAN", "value": "50"})
    document["properties"] += [a_property("vip"), a_property("score", type="NUMBER")]
    document["contactLimits"] = [{"id": "mute", "propertyConditions": [equals("is_minor", "true")]}]
    path = "/followUps/3/propertyConditions"
    assert [(one["op"], one["path"], one["value"]) for one in mended(document).operations] == [
        ("replace", f"{path}/6/value", True),
        ("replace", f"{path}/7/value", 50),
        ("replace", "/contactLimits/0/propertyConditions/0/value", True),
    ]
    document = more("e2_60", equals("vip", "gold"))
    document["properties"] += [a_property("vip")]
    made = mended(document)
    assert made.operations == []
    assert [(one.rule, one.pointer) for one in made.unresolved] == [("R33", f"{path}/6")]


def test_a_contradiction_of_ordinary_conditions_is_left() -> None:
    """Which of the two is meant nobody can tell."""
    document = more("e2_60", equals("vip"), not_equals("vip"))
    document["properties"] += [a_property("vip")]
    made = mended(document)
    assert made.operations == []
    assert [(one.rule, one.decide) for one in made.unresolved] == [
        ("R17", "Decide which of the conditions that contradict each other is meant.")
    ]


def test_what_is_left_is_named_where_it_stands_after_the_patch() -> None:
    """In the document's own spelling, and at the position that it has then."""
    document = more("e2_60", equals("vip", "gold"))
    document["properties"] += [a_property("vip")]
    one = document["followUps"][3]
    one["workflow_property_conditions"] = [not_equals("welcome_sent"), *one.pop("propertyConditions")]
    made = mended(document)
    assert [one["path"] for one in made.operations] == ["/followUps/3/workflow_property_conditions/0"]
    assert [one.pointer for one in made.unresolved] == ["/followUps/3/workflow_property_conditions/6"]


def test_a_waived_error_is_not_mended() -> None:
    """What somebody has decided to live with stays."""
    document = without(base_model(), "e1_30", "lead_declined")
    document["waivers"] = [{"rule": "R3", "target": "e1_30", "reason": "they asked for it", "expires": "2026-12-31"}]
    assert mended(document).operations == []


def test_the_strict_profile_staggers_silence() -> None:
    """The later follow-up's gate is raised to the earlier one's and the stagger; a gate below the lag to the lag."""
    document = changed(base_model(), {"followUps.e0_120.minMinutesSinceLastInbound": 35})
    assert mended(document).operations == []
    assert mended(document, "strict").operations == [
        {"op": "replace", "path": "/followUps/1/minMinutesSinceLastInbound", "value": 65}
    ]
    document = changed(base_model(), {"followUps.e1_30.minMinutesSinceLastInbound": 15})
    assert mended(document, "strict").operations == [
        {"op": "replace", "path": "/followUps/2/minMinutesSinceLastInbound", "value": 35}
    ]


@pytest.mark.parametrize(
    ("changes", "moved"),
    [
        ({}, 1409),
        ({"channel": "WEB"}, 1469),
        ({"destination": {"kind": "WHATSAPP_TEMPLATE", "templateId": "t1"}}, 1469),
    ],
)
def test_an_offset_stays_within_the_window(changes: dict[str, Any], moved: int) -> None:
    """Free text is put before its neighbours where there is no place behind them; without a window there is one."""
    document = changed(base_model(), {f"followUps.e0_120.{key}": value for key, value in changes.items()})
    document["templates"] = [{"id": "t1", "status": "APPROVED"}]
    document["followUps"][0]["delayMinutesAfterPropertySet"] = 1439
    document["followUps"][0]["minMinutesSinceLastInbound"] = 30
    document["followUps"][1]["delayMinutesAfterPropertySet"] = 1439
    made = mended(document)
    assert [(one["path"], one["value"]) for one in made.operations] == [
        ("/followUps/1/delayMinutesAfterPropertySet", moved)
    ]
    assert made.unresolved == []


def test_a_stage_that_is_full_is_left_to_people() -> None:
    """Where no offset is free within the window nothing is moved out of it."""
    document = base_model()
    document["runtime"]["minStaggerMinutes"] = 600
    document["followUps"] = [
        a_follow_up(f"f{at}", 0, offset, 35 + at) for at, offset in enumerate((500, 1100, 500))
    ] + document["followUps"][2:]
    made = mended(document)
    assert made.operations == []
    assert [(one.rule, one.target) for one in made.unresolved] == [("R5", "f2")]
    assert made.unresolved[0].decide.startswith("Decide the offset of this follow-up: none that is free")


def test_a_payload_is_the_whole_workflow() -> None:
    """Every condition and knob, unknown keys too, guarded by a test of what was there."""
    document = without(base_model(), "e0_120", "is_minor")
    document["followUps"][1]["team"] = "growth"
    made = mended(document)
    (payload,) = made.payloads
    assert payload.as_json() == {
        "tool": "upsert_workflow",
        "target": "e0_120",
        "arguments": {
            "id": "e0_120",
            "name": None,
            "type": "FOLLOW_UP",
            "stageId": "s0",
            "active": True,
            "purpose": "NUDGE",
            "propertyConditions": [
                equals("welcome_sent"),
                not_equals("age_qualified"),
                not_equals("registration_link_sent"),
                *(not_equals(one) for one in STOPS),
            ],
            "delayTriggerPropertyId": "welcome_sent",
            "delayMinutesAfterPropertySet": 120,
            "minMinutesSinceLastInbound": 120,
            "channel": "WHATSAPP",
            "destination": {"kind": "FREE_TEXT", "templateId": None, "fallbackTemplateId": None},
            "repeat": None,
            "activeFrom": None,
            "maxAgeMinutes": None,
            "team": "growth",
        },
        "operations": [
            {"op": "test", "path": "/followUps/1", "value": document["followUps"][1]},
            {"op": "replace", "path": "/followUps/1", "value": made.document["followUps"][1]},
        ],
    }


def test_a_payload_is_the_whole_property() -> None:
    """All flags are stated on every write."""
    made = mended(changed(base_model(), {"properties.is_minor.checkUntilMatch": False}))
    (payload,) = made.payloads
    assert (payload.tool, payload.target) == ("upsert_custom_property", "is_minor")
    assert payload.arguments == {
        "id": "is_minor",
        "codename": None,
        "label": None,
        "type": "BOOLEAN",
        "setBy": "EVALUATOR",
        "checkUntilMatch": True,
        "terminalValue": True,
        "includeInLlm": True,
        "includeInAgentContext": False,
        "defaultValue": None,
    }


def test_guarded_operations_refuse_another_document() -> None:
    """A test stands before each replacement and removal, so a document that moved on is not changed."""
    document = more("e1_30", not_equals("welcome_sent"))
    made = mended(document)
    operations = guarded(document, made.operations)
    assert [one["op"] for one in operations] == ["test", "remove"]
    assert apply(document, operations) == base_model()
    moved = more("e1_30", not_equals("bad_fit"))
    with pytest.raises(PatchRefused, match="operation 0 "):
        apply(moved, operations)


def test_a_document_is_written_back_as_it_came() -> None:
    """JSON with two spaces and its keys in order, YAML as YAML; unknown keys stay."""
    document = {"zeta": [1, 2.5, None, "true"], "schemaVersion": "fu-model/1", "é": {"b": True, "a": "12:30"}}
    as_json = json.dumps(document).encode()
    text = document_text(document, as_json, "fu-model.json")
    assert text == json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    as_yaml = document_text(document, b"zeta: 1\n", "fu-model.yaml")
    assert read_document(as_yaml.encode(), "fu-model.yaml") == document
    assert as_yaml.startswith("zeta:\n- 1\n- 2.5\n- null\n- 'true'\n")
    half = {"a": "\ud800"}
    assert read_document(document_text(half, b"{}", "m.json").encode(), "m.json") == half


def test_an_entry_gate_does_not_stand_beside_its_contradiction() -> None:
    """IS_NOT_SET on the own stamp is replaced by the gate, not joined by it."""
    document = base_model()
    document["followUps"][0]["propertyConditions"][0] = {"propertyId": "welcome_sent", "operator": "IS_NOT_SET"}
    made = patch(model_of(document).model, today="2026-11-30")
    about = [one for one in made.document["followUps"][0]["propertyConditions"] if one["propertyId"] == "welcome_sent"]
    assert about == [{"propertyId": "welcome_sent", "operator": "EQUALS", "value": True}]
    assert made.unresolved == []
