"""From a timeline to what is wrong in the model: the two kinds of duplicates, late stamps, stops, silences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mindloop.sequence.diagnosis import CAUSES, KINDS, SILENT_BY, diagnose
from mindloop.sequence.loading import model_of
from mindloop.sequence.rules.table import BY_ID
from mindloop.sequence.scenario import scenario_of
from mindloop.sequence.simulator.engine import simulate
from mindloop.sequence.timeline import CLASSES
from tests.helpers.sequences import (
    a_scenario,
    base_model,
    changed,
    event,
    golden_model,
    inbound,
    not_equals,
    only,
    truth,
    without,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

OVERLAP, BURST = {"R1", "R2", "R3", "R16", "R34"}, {"R4", "R5", "R6", "X1", "X4"}


def diagnosed(
    document: dict[str, Any], events: Sequence[dict[str, Any]], **more: Any
) -> dict[tuple[str, str], list[str]]:
    """Class and cause to the rules that explain it."""
    model, scenario = model_of(document).model, scenario_of(a_scenario(events, **more)).scenario
    found = diagnose(model, simulate(model, scenario).events, scenario.runtime)
    return {(one.kind, one.cause): [each.rule for each in one.findings] for one in found}


def test_every_class_and_rule_is_one_that_there_is() -> None:
    """No class of event without a meaning, no rule that is gone."""
    named = {rule for kind in KINDS.values() for rule in kind.rules} | {
        rule for rules in SILENT_BY.values() for rule in rules
    }

    assert KINDS.keys() == CLASSES.keys()
    assert named <= BY_ID.keys()
    assert SILENT_BY.keys() <= CAUSES.keys()


def test_the_fork_has_no_rule_in_common() -> None:
    """What cures stages that overlap is never said of a burst, and the other way round."""
    assert not set(KINDS["CROSS_STAGE"].rules) & BURST
    assert not set(KINDS["SAME_STAGE_BURST"].rules) & OVERLAP
    assert "stagger" in KINDS["CROSS_STAGE"].not_by
    assert "exclusion" in KINDS["SAME_STAGE_BURST"].not_by


def test_a_missing_exclusion() -> None:
    """G1: a message of a stage that was left; R2 and nothing else, whatever else could be said of the set."""
    document = golden_model()
    for name in ("e0_20", "e0_120"):
        document = without(document, name, "age_qualified")
    found = diagnosed(document, [*inbound(0), truth(1, "welcome_sent"), *inbound(40), truth(41, "age_qualified")])

    assert found["CROSS_STAGE", ""] == ["R2"]
    assert set(found["LAG_CROSS", ""]) == {"X2"}


def test_a_burst_without_anchors() -> None:
    """G3: R4 for both; with anchors and a lead who goes on writing, G5: X1."""
    anchors = dict.fromkeys(("followUps.e0_20.delayTriggerPropertyId", "followUps.e0_120.delayTriggerPropertyId"))
    silences = {"followUps.e0_20.minMinutesSinceLastInbound": 20, "followUps.e0_120.minMinutesSinceLastInbound": 60}
    late = {"runtime.evaluatorBatchMinutes": 90}
    g3 = changed(golden_model(), {**anchors, **silences, **late})
    g5 = changed(
        golden_model(),
        {
            "followUps.e0_20.minMinutesSinceLastInbound": 20,
            "followUps.e0_120.minMinutesSinceLastInbound": 20,
            "followUps.e0_120.delayMinutesAfterPropertySet": 60,
        },
    )
    writing = inbound(*range(35, 96, 10))

    assert diagnosed(g3, [*inbound(0), truth(1, "welcome_sent")])["SAME_STAGE_BURST", ""] == ["R4", "R4"]
    assert diagnosed(g5, [*inbound(0), truth(1, "welcome_sent"), *writing])["SAME_STAGE_BURST", ""] == ["X1"]


def test_a_release_explains_a_burst_where_nothing_else_does() -> None:
    """G9: needs_attention is cleared, both go at once: X4."""
    events = [
        *inbound(0),
        truth(1, "welcome_sent"),
        event(2, "NEEDS_ATTENTION", value=True),
        event(300, "NEEDS_ATTENTION", value=False),
    ]

    assert diagnosed(base_model(), events)["SAME_STAGE_BURST", ""] == ["X4"]


def test_messages_after_a_stop() -> None:
    """G10: a stop that froze is R9; a stop that is not excluded R3; NO_RESPONSE without a stop for it R14."""
    events = [*inbound(0), truth(1, "welcome_sent"), *inbound(45), truth(46, "lead_declined")]
    frozen = {"properties.lead_declined.checkUntilMatch": False, "properties.lead_declined.earlyFalse": True}
    left = [*inbound(0), truth(1, "welcome_sent"), *inbound(25), event(26, "NO_RESPONSE")]
    reasons = {"dropOutReasons.declined.stopPropertyId": None}

    assert diagnosed(changed(golden_model(), frozen), events)["POST_STOP", ""] == ["R9"]
    assert diagnosed(without(golden_model(), "e0_120", "lead_declined"), events)["POST_STOP", ""] == ["R3"]
    assert set(diagnosed(changed(golden_model(), reasons), left)["POST_STOP", ""]) == {"R14"}


@pytest.mark.parametrize(
    ("edits", "cause", "rules"),
    [
        (
            {
                "followUps.e0_20.propertyConditions.1": not_equals("age_qualified")
                | {"operator": "EQUALS", "value": False}
            },
            "NULL",
            ["R7"],
        ),
        (
            {"properties.welcome_sent.checkUntilMatch": False, "properties.welcome_sent.earlyFalse": True},
            "FROZEN",
            ["R25"],
        ),
        ({"properties.welcome_sent.includeInLlm": False}, "PIPELINE_OFF", ["R10"]),
        ({"properties.welcome_sent.setBy": "AGENT"}, "NOT_WRITTEN", ["R22"]),
    ],
    ids=["null", "frozen", "off", "agent"],
)
def test_silences(edits: dict[str, Any], cause: str, rules: list[str]) -> None:
    """Each cause has its own rules."""
    document = changed(only(golden_model(), "e0_20"), edits)

    assert diagnosed(document, [*inbound(0), truth(40, "welcome_sent")]) == {("SILENT_NO_FIRE", cause): rules}


def test_silence_under_another_meaning_of_null_is_no_rule_of_the_doctrine() -> None:
    """G8: the scenario's SQL_STRICT blocks NOT_EQUALS on NULL; the cause says so."""
    found = diagnosed(golden_model(), [*inbound(0), truth(1, "welcome_sent")], runtime={"nullSemantics": "SQL_STRICT"})

    assert {cause for _, cause in found} == {"NULL"}


def test_nothing_wrong_costs_no_check() -> None:
    """No events, no diagnosis."""
    assert diagnosed(base_model(), [*inbound(0), truth(1, "welcome_sent")]) == {}
