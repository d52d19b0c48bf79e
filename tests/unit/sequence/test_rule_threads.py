"""What people reported of other engines, as models: the check names the cause of each."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from mindloop.sequence.check import check
from mindloop.sequence.findings import Finding, flat, rule_ids
from mindloop.sequence.loading import model_of
from mindloop.sequence.words import DOCTRINE, STRICT
from tests.helpers.sequences import a_follow_up, a_property, base_model, changed, equals, find, not_equals

M0 = base_model()


def run(document: dict[str, Any], profile: str = DOCTRINE) -> list[Finding]:
    return list(flat(check(model_of(document).model, profile=profile, today="2026-11-30")))


def rewritten(follow_up: str, literal: dict[str, Any]) -> dict[str, Any]:
    made = copy.deepcopy(M0)
    one = find(made, "followUps", follow_up)
    name = literal["propertyId"]
    one["propertyConditions"] = [literal if each["propertyId"] == name else each for each in one["propertyConditions"]]
    return made


def test_a_stop_that_no_follow_up_excludes() -> None:
    """A removal that is reported done and changes nothing: the stop is in no conjunction (R3, in each follow-up)."""
    made = changed(M0, {})
    made["properties"].append(a_property("moved_elsewhere"))
    made["stops"].append({"propertyId": "moved_elsewhere"})
    told = [(one.rule, one.target) for one in run(made)]
    assert told == [("R3", name) for name in ("e0_120", "e0_20", "e1_30", "e2_60")]


def test_a_boolean_compared_with_a_text() -> None:
    """'true' is never true: the entry never holds (R33, R1); in an exclusion it lets everyone pass (R33)."""
    assert rule_ids(run(rewritten("e1_30", equals("age_qualified", "true")))) == {"R1", "R33"}
    (told,) = run(rewritten("e1_30", not_equals("is_minor", "true")))
    assert (told.rule, told.target) == ("R33", "e1_30")
    assert "lets everyone pass" in told.message


def test_equals_false_skips_who_has_no_row() -> None:
    """A stop as EQUALS false at a null rate of 0.9 reaches a tenth (R7, X11)."""
    told = {one.rule: one for one in run(rewritten("e1_30", equals("bad_fit", False)), STRICT)}
    assert "loses 90% of leads" in told["R7"].message
    assert told["X11"].detail["atMost"] == [pytest.approx(0.1), pytest.approx(0.1)]


def test_negative_literals_where_null_blocks() -> None:
    """Five negative literals and NULL everywhere find nobody under SQL_STRICT, and the check says so."""
    told = {one.rule: one for one in run(changed(M0, {"runtime.nullSemantics": "SQL_STRICT"}), STRICT)}
    assert told["X18"].severity == "WARN"
    assert "NULL blocks here" in told["R19"].message
    assert "R18" not in told


def test_a_save_that_nulls_the_anchor_or_the_conditions() -> None:
    """An unrelated save that nulls the schedule or the conditions is R4, or R16 with all it tears open."""
    assert rule_ids(run(changed(M0, {"followUps.e1_30.delayTriggerPropertyId": None}))) == {"R4"}
    assert "R16" in rule_ids(run(changed(M0, {"followUps.e1_30.propertyConditions": []})))


def test_two_branches_that_one_change_opens() -> None:
    """Two follow-ups of parallel stages with overlapping gates send twice in one tick: R18 with the lead."""
    made = changed(M0, {})
    made["stages"] = [
        {"id": "s0", "entryStampId": "welcome_sent"},
        {"id": "s1", "entryStampId": "age_qualified", "after": ["s0"]},
        {"id": "s2", "entryStampId": "registration_link_sent", "after": ["s0"]},
    ]
    find(made, "followUps", "e1_30")["propertyConditions"].pop(1)
    (told,) = run(made)
    assert (told.rule, told.involved) == ("R18", ["e1_30", "e2_60"])
    assert told.state == {"age_qualified": True, "registration_link_sent": True}
    assert "conditions that cannot hold together" in told.fix


def test_two_sets_of_one_stage_with_one_gate() -> None:
    """Two sequences that one lead matches both: the same gate twice is an overlap, whatever the stages are called."""
    made = changed(
        M0, {"stages.s1.entryStampId": "welcome_sent", "followUps.e1_30.delayTriggerPropertyId": "welcome_sent"}
    )
    gate = [
        equals("welcome_sent"),
        *(not_equals(one) for one in ("registration_link_sent", *(stop["propertyId"] for stop in M0["stops"]))),
    ]
    for name in ("e0_20", "e0_120", "e1_30"):
        find(made, "followUps", name)["propertyConditions"] = copy.deepcopy(gate)
    assert rule_ids(run(made)) == {"R18", "R24"}


def test_a_template_id_on_free_text() -> None:
    """The kind decides, not the id: a template that is chosen and not used is out of the window (R11)."""
    made = changed(M0, {"followUps.e2_60.delayMinutesAfterPropertySet": 2880})
    find(made, "followUps", "e2_60")["destination"] = {"kind": "FREE_TEXT", "templateId": "t1"}
    made["templates"] = [{"id": "t1", "status": "APPROVED"}]
    (told,) = run(made)
    assert told.rule == "R11"
    assert "its templateId is not used" in told.message


def test_a_window_judged_at_the_start_of_a_slow_tick() -> None:
    """23 h 58 min of silence is inside the window and a tick later outside: X3 at the bound, not a minute before."""
    inside = changed(M0, {"followUps.e2_60.minMinutesSinceLastInbound": 1435})
    assert "X3" not in rule_ids(run(inside, STRICT))
    late = {one.rule: one for one in run(changed(inside, {"followUps.e2_60.minMinutesSinceLastInbound": 1436}), STRICT)}
    assert late["X3"].detail["bound"] == 1440


def test_an_agent_that_is_rightly_silent() -> None:
    """Silence as an answer sets nothing; without a stop the lead is chased days later (R14)."""
    made = changed(M0, {"dropOutReasons.off_topic.stopPropertyId": None})
    (told,) = run(made)
    assert (told.rule, told.target) == ("R14", "off_topic")


def test_six_steps_with_one_delay() -> None:
    """Delays read as absolute: six follow-ups a day after the stamp are five pairs of one offset (R5)."""
    made = changed(M0, {})
    made["followUps"] += [a_follow_up(f"day{number}", 2, 1000, 35 + 40 * number) for number in range(1, 7)]
    told = [one for one in run(made) if one.rule == "R5"]
    assert [one.target for one in told] == [f"day{number}" for number in range(2, 7)]
    assert {one.severity for one in told} == {"ERROR"}


def test_clocks_on_an_ancient_property() -> None:
    """Steps anchored to what was set long ago are all due at the first run: R4, and beyond the doctrine X4, X5."""
    made = changed(M0, {f"followUps.{name}.delayTriggerPropertyId": "signed_up" for name in ("e0_20", "e0_120")})
    made["properties"].append(a_property("signed_up", setBy="SYSTEM"))
    assert rule_ids(run(made, STRICT)) == {"R4", "X4", "X5", "X18"}


def test_a_fallback_template_that_can_be_sent_is_a_way_out() -> None:
    """Free text that may be late is safe with an approved fallback on WhatsApp, and with no other."""
    late = changed(M0, {"followUps.e2_60.delayMinutesAfterPropertySet": 1410})
    late["templates"] = [{"id": "t1", "status": "APPROVED"}, {"id": "t2", "status": "PAUSED"}]
    for template, channel, rules in (
        ("t1", "WHATSAPP", set()),
        ("t2", "WHATSAPP", {"R11", "X3"}),
        ("t1", "INSTAGRAM", {"X3", "X6"}),
    ):
        find(late, "followUps", "e2_60")["destination"] = {"kind": "FREE_TEXT", "fallbackTemplateId": template}
        find(late, "followUps", "e2_60")["channel"] = channel
        assert rule_ids(run(late, STRICT)) - {"X4", "X5", "X18"} == rules
