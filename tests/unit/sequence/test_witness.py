"""Counterexamples of findings: what each rule's violation does to a lead, in a timeline that was run."""

from __future__ import annotations

from typing import Any

import pytest

from mindloop.sequence.check import check
from mindloop.sequence.findings import flat
from mindloop.sequence.loading import model_of
from mindloop.sequence.rules.table import BY_ID
from mindloop.sequence.scenario import scenario_of
from mindloop.sequence.simulator.engine import simulate
from mindloop.sequence.witness import AT_TIMES_NOT_SHOWN, MAKERS, NOT_SHOWN, attach_witnesses
from mindloop.sequence.words import ERROR, STRICT
from tests.helpers.sequences import base_model, changed, not_equals, without
from tests.unit.sequence.test_rules import FAILING

M0 = base_model()
TODAY = "2026-11-30"


def witnesses(document: dict[str, Any], rule: str, profile: str = "doctrine") -> list[Any]:
    model = model_of(document).model
    findings = check(model, profile=profile, today=TODAY)
    attach_witnesses(model, findings)
    return [one.witness for one in flat(findings) if one.rule == rule]


def shows(document: dict[str, Any], rule: str, profile: str = "doctrine") -> dict[str, Any]:
    found: dict[str, Any] = witnesses(document, rule, profile)[0]["shows"]
    return found


def test_every_rule_is_shown_or_says_why_it_is_not() -> None:
    """Each rule has a maker of timelines or a reason, never both."""
    assert set(MAKERS) | set(NOT_SHOWN) == set(BY_ID)
    assert not set(MAKERS) & set(NOT_SHOWN)
    assert set(AT_TIMES_NOT_SHOWN) <= set(MAKERS)


UNSHOWN = {
    ("R1 entry gate is NOT_EQUALS false", "R1"),
    ("R21 unknown stage", "R21"),
    ("R22 claimed", "R22"),
    ("R24 one order twice", "R24"),
}


@pytest.mark.parametrize(("name", "document", "rules"), FAILING, ids=[case[0] for case in FAILING])
def test_every_error_of_the_doctrine_is_shown(name: str, document: dict[str, Any], rules: set[str]) -> None:
    """Each ERROR of a broken model has a timeline that shows it again when it is run, but for those that cannot."""
    model = model_of(document).model
    findings = check(model, today=TODAY)
    attach_witnesses(model, findings)
    for one in flat(findings):
        if one.severity == ERROR and one.rule in rules and one.rule in MAKERS:
            assert (one.witness is None) == ((name, one.rule) in UNSHOWN), (one.rule, one.target)
        if one.witness is not None:
            again = simulate(model, scenario_of(one.witness["scenario"]).scenario)
            told = one.witness["shows"]
            if "class" in told:
                event = {key: told[key] for key in ("t", "lead", "class", "followUps")}
                assert event in [{key: each[key] for key in event} for each in again.events]
            if "sends" in told:
                sends = [(each["t"], each["followUp"]) for each in again.sends]
                assert {(each["t"], each["followUp"]) for each in told["sends"]} <= set(sends)
            if "silent" in told:
                assert not {each["followUp"] for each in again.sends} & set(told["followUps"])


def test_a_missing_exclusion_crosses_stages() -> None:
    """R2: the lead is in both stages at once and gets the message of the first."""
    document = without(M0, "e0_20", "age_qualified")
    assert witnesses(document, "R2") == [
        {
            "scenario": {
                "horizonMinutes": 35,
                "leads": [
                    {
                        "id": "l1",
                        "events": [
                            {"t": 0, "type": "TRUTH", "propertyId": "welcome_sent", "value": True},
                            {"t": 0, "type": "TRUTH", "propertyId": "age_qualified", "value": True},
                            {"t": 0, "type": "INBOUND"},
                        ],
                    }
                ],
            },
            "shows": {"class": "CROSS_STAGE", "t": 35, "lead": "l1", "followUps": ["e0_20"]},
        }
    ]
    assert witnesses(document, "R18")[0]["shows"]["class"] == "CROSS_STAGE"


@pytest.mark.parametrize(
    ("edits", "rule", "told"),
    [
        ({"followUps.e0_120.delayTriggerPropertyId": None}, "R4", {"class": "SAME_STAGE_BURST", "t": 145}),
        ({"followUps.e1_30.delayTriggerPropertyId": "is_minor"}, "R4", {"silent": "ANCHOR_UNSET"}),
        ({"followUps.e0_120.delayMinutesAfterPropertySet": 20}, "R5", {"class": "SAME_STAGE_BURST"}),
        ({"followUps.e0_20.minMinutesSinceLastInbound": None}, "R6", {"class": "LAG_POST_STOP", "t": 20}),
        ({"properties.lead_declined.type": "STRING"}, "R8", {"class": "POST_STOP", "t": 35}),
        ({"properties.deposit_confirmed.checkUntilMatch": False}, "R9", {"class": "POST_STOP"}),
        ({"properties.bad_fit.terminalValue": False}, "R9", {"class": "POST_STOP"}),
        ({"properties.age_qualified.includeInLlm": False}, "R10", {"cause": "PIPELINE_OFF"}),
        ({"properties.bad_fit.includeInLlm": False}, "R10", {"class": "POST_STOP"}),
        ({"followUps.e2_60.delayMinutesAfterPropertySet": 2880}, "R11", {"class": "WINDOW_FAIL", "t": 2885}),
        ({"properties.welcome_sent.setBy": "AGENT"}, "R22", {"cause": "NOT_WRITTEN"}),
        ({"properties.age_qualified.checkUntilMatch": False}, "R25", {"cause": "FROZEN"}),
        ({"followUps.e2_60.repeat": {"intervalMinutes": 60}}, "R30", {"class": "REPEAT_OVERRUN", "t": 125}),
        ({"followUps.e0_20.propertyConditions": []}, "R16", {"class": "CROSS_STAGE"}),
    ],
)
def test_what_a_violation_does(edits: dict[str, Any], rule: str, told: dict[str, Any]) -> None:
    """The class of event, or the reason of the silence, that the doctrine names."""
    found = shows(changed(M0, edits), rule)
    assert {key: found.get(key) for key in told} == told


@pytest.mark.parametrize(
    ("edits", "rule", "told"),
    [
        ({"followUps.e0_120.minMinutesSinceLastInbound": 35}, "X1", {"class": "SAME_STAGE_BURST", "t": 130}),
        ({"followUps.e0_20.minMinutesSinceLastInbound": 15}, "X2", {"class": "LAG_POST_STOP"}),
        ({"followUps.e2_60.delayMinutesAfterPropertySet": 1410}, "X3", {"class": "WINDOW_FAIL"}),
        ({}, "X4", {"class": "SAME_STAGE_BURST"}),
        ({}, "X5", {"class": "SAME_STAGE_BURST"}),
        ({"properties.welcome_sent.earlyFalse": True}, "X8", {"class": "SAME_STAGE_BURST"}),
        (
            {"followUps.e0_20.repeat": {"intervalMinutes": 50, "maxRepeats": 3}},
            "X9",
            {"class": "SAME_STAGE_BURST"},
        ),
        ({}, "X18", {"cause": "NULL"}),
    ],
)
def test_what_the_doctrine_leaves_out_does(edits: dict[str, Any], rule: str, told: dict[str, Any]) -> None:
    """X rules are shown, too: bursts after a release, overtaken stamps, late free text."""
    found = shows(changed(M0, edits), rule, STRICT)
    assert {key: found.get(key) for key in told} == told


def test_a_gate_that_the_anchor_stands_in_for_is_shown_where_set_means_first_write() -> None:
    """R1: the timeline says under which engine fact the message goes to who never entered."""
    (found,) = witnesses(without(M0, "e0_20", "welcome_sent"), "R1")
    assert found["scenario"]["runtime"] == {"setAtPolicy": "FIRST_WRITE"}
    assert found["shows"]["why"] == "the lead has not entered the stage"
    assert found["shows"]["sends"] == [{"t": 35, "followUp": "e0_20"}]


def test_overtaking_keeps_to_the_bound_of_the_agents_reply() -> None:
    """X2: what the message caused is true within agentReplyMinutes of it, and not stamped when the message goes out."""
    document = changed(M0, {"followUps.e0_20.minMinutesSinceLastInbound": 15})
    (found,) = witnesses(document, "X2", STRICT)
    events = found["scenario"]["leads"][0]["events"]
    wrote = max(one["t"] for one in events if one["type"] == "INBOUND")
    true = max(one["t"] for one in events if one["type"] == "TRUTH")
    assert 0 <= true - wrote <= 2
    assert true <= found["shows"]["t"] < -(-true // 30) * 30 + 2


def test_what_no_timeline_shows_stays_without() -> None:
    """A metric changes no message: its finding has no witness."""
    document = M0 | {"metrics": [{"id": "m", "source": "workflow_runs"}]}
    assert witnesses(document, "R31") == [None]


def test_a_check_runs_nothing_by_itself() -> None:
    """Findings have no witness until somebody asks for them."""
    document = without(M0, "e0_20", "age_qualified")
    assert all(one.witness is None for one in flat(check(model_of(document).model, today=TODAY)))


def test_a_large_set_is_shown_with_all_of_it() -> None:
    """The timeline of one follow-up among many shows the same when all of them run."""
    document = without(M0, "e0_20", "age_qualified")
    document["followUps"] += [
        {**document["followUps"][3], "id": f"more{number:02}", "delayMinutesAfterPropertySet": 100 + 40 * number}
        for number in range(30)
    ]
    assert shows(document, "R2")["class"] == "CROSS_STAGE"
    assert not_equals("age_qualified") not in document["followUps"][0]["propertyConditions"]
