"""The golden timelines: exact minutes and classes of what a set of follow-ups does to one lead."""

from __future__ import annotations

from typing import Any

import pytest

from mindloop.sequence.loading import model_of
from mindloop.sequence.scenario import scenario_of
from mindloop.sequence.simulator.engine import simulate
from tests.helpers.sequences import (
    a_property,
    a_scenario,
    changed,
    event,
    golden_model,
    inbound,
    not_equals,
    only,
    truth,
    without,
)

WELCOME = truth(1, "welcome_sent")
START = [*inbound(0), WELCOME]


def play(document: dict[str, Any], events: list[dict[str, Any]], horizon: int = 600, **more: Any) -> dict[str, Any]:
    """The timeline of one lead."""
    return simulate(model_of(document).model, scenario_of(a_scenario(events, horizon, **more)).scenario).as_document()


def sends(timeline: dict[str, Any]) -> list[tuple[int, str]]:
    """Minute and follow-up of each send."""
    return [(one["t"], one["followUp"]) for one in timeline["sends"]]


def classes(timeline: dict[str, Any]) -> list[tuple[int, str, list[str]]]:
    """Minute, class and follow-ups of each event."""
    return [(one["t"], one["class"], one["followUps"]) for one in timeline["events"]]


def silent(timeline: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Follow-up, reason and cause of each silence."""
    return [(one["followUp"], one["reason"], one["cause"]) for one in timeline["silent"]]


def no_anchors(silence: tuple[int, int], batch: int) -> dict[str, Any]:
    """The stage-0 pair without anchors."""
    return changed(
        only(golden_model(), "e0_20", "e0_120"),
        {
            "followUps.e0_20.delayTriggerPropertyId": None,
            "followUps.e0_120.delayTriggerPropertyId": None,
            "followUps.e0_20.minMinutesSinceLastInbound": silence[0],
            "followUps.e0_120.minMinutesSinceLastInbound": silence[1],
            "runtime.evaluatorBatchMinutes": batch,
        },
    )


def anchored(silence: tuple[int, int], batch: int) -> dict[str, Any]:
    """The stage-0 pair anchored at 20 and 60 minutes."""
    return changed(
        no_anchors(silence, batch),
        {
            "followUps.e0_20.delayTriggerPropertyId": "welcome_sent",
            "followUps.e0_120.delayTriggerPropertyId": "welcome_sent",
            "followUps.e0_120.delayMinutesAfterPropertySet": 60,
        },
    )


def missing_age() -> dict[str, Any]:
    """The set whose stage-0 follow-ups were not retrofitted when stage 1 came."""
    return without(without(golden_model(), "e0_20", "age_qualified"), "e0_120", "age_qualified")


def test_g0_a_conformant_set_sends_each_follow_up_once_at_its_offset() -> None:
    """Stamped at 30: 20 and 120 minutes later, and nothing to report."""
    timeline = play(golden_model(), START)
    assert sends(timeline) == [(50, "e0_20"), (150, "e0_120")]
    assert timeline["events"] == []
    assert timeline["silent"] == []
    assert timeline["counts"] == {"runs": 121 * 4, "attempts": 2, "messages": 2, "reached": 2}
    assert timeline["sends"][0] == {"t": 50, "lead": "l1", "followUp": "e0_20", "status": "OK", "reason": None}


G1 = [*START, *inbound(40), truth(41, "age_qualified")]


def test_g1_a_stage_that_was_not_retrofitted_chases_who_advanced() -> None:
    """The lead who is in stage 1 since 41 gets stage 0 at 55, before the stamp, and at 150, after it."""
    timeline = play(missing_age(), G1)
    assert sends(timeline) == [(55, "e0_20"), (90, "e1_30"), (150, "e0_120")]
    assert classes(timeline) == [(55, "LAG_CROSS", ["e0_20"]), (150, "CROSS_STAGE", ["e0_120"])]


def test_g1_prime_the_exclusion_leaves_only_the_lag() -> None:
    """With the exclusion only the send before the late stamp is left."""
    timeline = play(golden_model(), G1)
    assert sends(timeline) == [(55, "e0_20"), (90, "e1_30")]
    assert classes(timeline) == [(55, "LAG_CROSS", ["e0_20"])]


def test_g1_prime_a_silence_gate_over_the_lag_removes_it() -> None:
    """Silence of A + E + D at least: the stamp is there before the first follow-up can be due."""
    quiet = changed(golden_model(), {"followUps.e0_20.minMinutesSinceLastInbound": 30})
    assert sends(play(quiet, G1)) == [(90, "e1_30")]
    assert play(quiet, G1)["events"] == []


def test_g2_excluding_the_next_stage_alone_is_not_enough() -> None:
    """A lead who skips a stage gets stage 0 twice beside stage 2; with all exclusions stage 2 alone."""
    skipping = [*START, truth(2, "registration_link_sent")]
    link = "registration_link_sent"
    timeline = play(without(without(golden_model(), "e0_20", link), "e0_120", link), skipping)
    assert sends(timeline) == [(50, "e0_20"), (90, "e2_60"), (150, "e0_120")]
    assert classes(timeline) == [(50, "CROSS_STAGE", ["e0_20"]), (150, "CROSS_STAGE", ["e0_120"])]
    assert sends(play(golden_model(), skipping)) == [(90, "e2_60")]


@pytest.mark.parametrize(("how", "second"), [("ALL", 90), ("ONE_PER_LEAD", 95)])
def test_g3_without_anchors_a_late_stamp_makes_both_due(how: str, second: int) -> None:
    """Both at once, or a tick apart: the burst of one stage."""
    timeline = play(changed(no_anchors((20, 60), 90), {"runtime.sendsPerTick": how}), START)
    assert [minute for minute, _ in sends(timeline)] == [90, second]
    assert classes(timeline) == [(second, "SAME_STAGE_BURST", ["e0_120", "e0_20"])]


def test_g4_anchors_with_offsets_space_them() -> None:
    """Stamped at 90: 110 and 150."""
    timeline = play(anchored((20, 20), 90), START)
    assert sends(timeline) == [(110, "e0_20"), (150, "e0_120")]
    assert timeline["events"] == []


CHATTING = [*START, *inbound(*range(35, 96, 10))]


def test_g5_equal_silence_gates_bring_the_burst_back() -> None:
    """A lead who keeps writing makes both wait for the same silence, whatever the offsets."""
    timeline = play(anchored((20, 20), 30), CHATTING)
    assert [minute for minute, _ in sends(timeline)] == [115, 115]
    assert classes(timeline) == [(115, "SAME_STAGE_BURST", ["e0_120", "e0_20"])]


def test_g6_silence_gates_as_far_apart_as_the_offsets_keep_them_spaced() -> None:
    """115 and 155."""
    timeline = play(anchored((20, 60), 30), CHATTING)
    assert sends(timeline) == [(115, "e0_20"), (155, "e0_120")]
    assert timeline["events"] == []


def false_gate(**changes: Any) -> dict[str, Any]:
    """The first follow-up alone, with an exclusion written as EQUALS false."""
    document = without(only(golden_model(), "e0_20"), "e0_20", "age_qualified")
    document["followUps"][0]["propertyConditions"].append(
        {"propertyId": "age_qualified", "operator": "EQUALS", "value": False}
    )
    return changed(document, {f"properties.age_qualified.{key}": value for key, value in changes.items()})


def test_g7_equals_false_blocks_where_there_is_no_value() -> None:
    """NULL is not false: nobody gets it; where the evaluator answers false, at 50."""
    timeline = play(false_gate(), START)
    assert sends(timeline) == []
    assert classes(timeline) == [(50, "SILENT_NO_FIRE", ["e0_20"])]
    assert silent(timeline) == [("e0_20", "CONDITION:age_qualified:EQUALS:NULL", "NULL")]
    assert sends(play(false_gate(earlyFalse=True), START)) == [(50, "e0_20")]


def test_g8_under_strict_nulls_a_conformant_set_fires_for_nobody() -> None:
    """Every exclusion is unknown, and unknown does not fire."""
    timeline = play(changed(golden_model(), {"runtime.nullSemantics": "SQL_STRICT"}), START)
    assert sends(timeline) == []
    assert silent(timeline) == [
        ("e0_120", "CONDITION:age_qualified:NOT_EQUALS:NULL", "NULL"),
        ("e0_20", "CONDITION:age_qualified:NOT_EQUALS:NULL", "NULL"),
    ]


def test_g9_needs_attention_blocks_all_and_its_end_releases_all_at_once() -> None:
    """Never while it is on; cleared at 300, both in the same tick."""
    on = event(2, "NEEDS_ATTENTION", value=True)
    timeline = play(golden_model(), [*START, on])
    assert sends(timeline) == []
    assert silent(timeline) == [
        ("e0_120", "NEEDS_ATTENTION", "NEEDS_ATTENTION"),
        ("e0_20", "NEEDS_ATTENTION", "NEEDS_ATTENTION"),
    ]
    released = play(golden_model(), [*START, on, event(300, "NEEDS_ATTENTION", value=False)])
    assert sends(released) == [(300, "e0_120"), (300, "e0_20")]
    assert classes(released) == [(300, "SAME_STAGE_BURST", ["e0_120", "e0_20"])]


DECLINES = [*START, *inbound(45), truth(46, "lead_declined")]


@pytest.mark.parametrize("flags", [{"checkUntilMatch": False}, {"checkUntilMatch": True, "terminalValue": False}])
def test_g10_g11_a_stop_frozen_at_an_early_false_never_stops(flags: dict[str, Any]) -> None:
    """The lead who declined at 46 is chased at 60 and 150."""
    stop = a_property("lead_declined", earlyFalse=True, **flags)
    document = golden_model()
    document["properties"] = [stop if one["id"] == "lead_declined" else one for one in document["properties"]]
    timeline = play(document, DECLINES)
    assert sends(timeline) == [(60, "e0_20"), (150, "e0_120")]
    assert classes(timeline) == [(60, "POST_STOP", ["e0_20"]), (150, "POST_STOP", ["e0_120"])]


def test_g10_a_stop_that_is_checked_until_it_matches_stops() -> None:
    """Nothing goes out, and nobody was owed anything."""
    timeline = play(changed(golden_model(), {"properties.lead_declined.earlyFalse": True}), DECLINES)
    assert sends(timeline) == []
    assert timeline["events"] == []


def test_g12_an_entry_stamp_frozen_at_an_early_false_silences_the_stage() -> None:
    """The stage never starts, and the silence says that the value is frozen."""
    flags = {"checkUntilMatch": False, "earlyFalse": True}
    document = changed(golden_model(), {f"properties.welcome_sent.{key}": value for key, value in flags.items()})
    timeline = play(document, [*inbound(0), truth(40, "welcome_sent")])
    assert sends(timeline) == []
    assert silent(timeline) == [
        ("e0_120", "CONDITION:welcome_sent:EQUALS:false", "FROZEN"),
        ("e0_20", "CONDITION:welcome_sent:EQUALS:false", "FROZEN"),
    ]
    assert [(one["t"], one["cause"]) for one in timeline["events"]] == [(80, "FROZEN"), (180, "FROZEN")]


@pytest.mark.parametrize(
    ("policy", "expected"),
    [("TRUE_TRANSITION", [220, 320]), ("FIRST_WRITE", [200, 200]), ("EVERY_WRITE", [220, 320])],
)
def test_g13_when_set_means_the_first_write_a_conformant_stage_bursts(policy: str, expected: list[int]) -> None:
    """An early false starts the clock at 0; the flip at 200 finds both follow-ups overdue."""
    document = changed(
        golden_model(),
        {
            "runtime.setAtPolicy": policy,
            "runtime.evaluatorBatchMinutes": 50,
            "properties.welcome_sent.earlyFalse": True,
        },
    )
    assert [minute for minute, _ in sends(play(document, [*inbound(0), truth(199, "welcome_sent")]))] == expected


def test_g14_no_response_is_not_a_stop() -> None:
    """The agent rightly kept silent, no property flipped, and the lead is chased all the same."""
    timeline = play(golden_model(), [WELCOME, *inbound(25), event(26, "NO_RESPONSE")])
    assert sends(timeline) == [(50, "e0_20"), (150, "e0_120")]
    assert classes(timeline) == [(50, "POST_STOP", ["e0_20"]), (150, "POST_STOP", ["e0_120"])]


def test_g14_an_answer_of_the_agent_takes_the_lead_up_again() -> None:
    """After AGENT_OUT nothing is wrong with following up."""
    events = [WELCOME, *inbound(25), event(26, "NO_RESPONSE"), *inbound(30), event(32, "AGENT_OUT")]
    assert play(golden_model(), events)["events"] == []


def test_g16_looks_are_not_sends() -> None:
    """560 runs, one message."""
    timeline = play(only(golden_model(), "e0_20"), START, horizon=2795)
    assert sends(timeline) == [(50, "e0_20")]
    assert timeline["counts"] == {"runs": 560, "attempts": 1, "messages": 1, "reached": 1}


def quiet_model(release: str, zone: str = "AGENT") -> dict[str, Any]:
    """Quiet from half past midnight to eight."""
    hours = {"start": "00:30", "end": "08:00", "tz": zone, "release": release}
    return changed(golden_model(), {"runtime.quietHours": hours})


def test_g17_the_end_of_quiet_hours_releases_what_they_held() -> None:
    """FLUSH sends both at 480; COLLAPSE only the later one, and says that the other was held."""
    flushed = play(quiet_model("FLUSH"), START)
    assert sends(flushed) == [(480, "e0_120"), (480, "e0_20")]
    assert classes(flushed) == [(480, "SAME_STAGE_BURST", ["e0_120", "e0_20"])]
    collapsed = play(quiet_model("COLLAPSE"), START)
    assert sends(collapsed) == [(480, "e0_120")]
    assert silent(collapsed) == [("e0_20", "QUIET_HOURS", "QUIET_HOURS")]


def activated_late() -> dict[str, Any]:
    """The stage-0 pair, switched off."""
    return changed(
        only(golden_model(), "e0_20", "e0_120"), {"followUps.e0_20.active": False, "followUps.e0_120.active": False}
    )


@pytest.mark.parametrize("named", [True, False])
def test_g18_switching_follow_ups_on_sends_the_backlog(named: bool) -> None:
    """Both go out in the first tick, two days after the lead's last word, and neither arrives."""
    events = [event(3000, "ACTIVATE", followUpId=one) for one in ("e0_20", "e0_120")]
    timeline = play(activated_late(), [*START, *(events if named else [event(3000, "ACTIVATE")])], horizon=4000)
    assert [(one["t"], one["status"], one["reason"]) for one in timeline["sends"]] == [
        (3000, "FAILED", "MESSAGE_WINDOW_EXPIRED")
    ] * 2
    assert [one for one in classes(timeline) if one[1] == "WINDOW_FAIL"] == [
        (3000, "WINDOW_FAIL", ["e0_120"]),
        (3000, "WINDOW_FAIL", ["e0_20"]),
    ]
    assert timeline["counts"] == {"runs": 2 * 201, "attempts": 2, "messages": 2, "reached": 0}


def test_g18_active_from_keeps_the_backlog_out() -> None:
    """Stamps from before it do not count; later ones do."""
    document = changed(activated_late(), {"followUps.e0_20.activeFrom": 3000, "followUps.e0_120.activeFrom": 3000})
    events = [event(3000, "ACTIVATE")]
    assert sends(play(document, [*START, *events], horizon=4000)) == []
    later = [*inbound(3001), truth(3001, "welcome_sent"), *events]
    assert sends(play(document, later, horizon=4000)) == [(3050, "e0_20"), (3150, "e0_120")]


def test_g19_repeats_of_two_follow_ups_collide() -> None:
    """Offsets 15 and 35 repeating every 60 and 50 minutes come to lie five minutes apart at 165 and 170."""
    document = changed(
        only(golden_model(), "e0_20", "e0_120"),
        {
            "followUps.e0_20.delayMinutesAfterPropertySet": 15,
            "followUps.e0_120.delayMinutesAfterPropertySet": 40,
            "followUps.e0_120.minMinutesSinceLastInbound": 15,
            "followUps.e0_20.repeat": {"intervalMinutes": 60, "maxRepeats": 2},
            "followUps.e0_120.repeat": {"intervalMinutes": 50, "maxRepeats": 2},
        },
    )
    timeline = play(document, START)
    assert sends(timeline) == [
        (45, "e0_20"),
        (70, "e0_120"),
        (105, "e0_20"),
        (120, "e0_120"),
        (165, "e0_20"),
        (170, "e0_120"),
    ]
    assert classes(timeline) == [(170, "SAME_STAGE_BURST", ["e0_120", "e0_20"])]


def days_later(destination: dict[str, Any], **more: Any) -> dict[str, Any]:
    """One follow-up two days after the stamp."""
    document = only(golden_model(), "e0_20") | {"templates": [{"id": "t1", "status": "APPROVED"}]}
    edits = {"followUps.e0_20.delayMinutesAfterPropertySet": 2880, "followUps.e0_20.destination": destination}
    return changed(document, edits | more)


def test_g20_beyond_a_day_free_text_fails_and_a_template_arrives() -> None:
    """2910 either way; the status differs."""
    free = play(days_later({"kind": "FREE_TEXT"}), START, horizon=4000)
    assert [(one["t"], one["status"]) for one in free["sends"]] == [(2910, "FAILED")]
    assert classes(free) == [(2910, "WINDOW_FAIL", ["e0_20"])]
    template = play(days_later({"kind": "WHATSAPP_TEMPLATE", "templateId": "t1"}), START, horizon=4000)
    assert [(one["t"], one["status"]) for one in template["sends"]] == [(2910, "OK")]
    assert template["events"] == []


def test_a_dangling_stop_fails_open() -> None:
    """A stop that no property has reads as no value: it never stops anybody."""
    document = golden_model()
    document["properties"] = [one for one in document["properties"] if one["id"] != "bad_fit"]
    timeline = play(document, [*START, truth(2, "bad_fit")])
    assert classes(timeline) == [(50, "POST_STOP", ["e0_20"]), (150, "POST_STOP", ["e0_120"])]


def test_a_stop_that_waits_for_its_stamp_is_lag() -> None:
    """Declined at 46 without a word in the chat: the send at 50 is before the batch at 60."""
    timeline = play(golden_model(), [*START, truth(46, "lead_declined")])
    assert sends(timeline) == [(50, "e0_20")]
    assert classes(timeline) == [(50, "LAG_POST_STOP", ["e0_20"])]


def test_an_exclusion_that_no_condition_holds_is_not_hidden_by_another() -> None:
    """A follow-up that needs what is never so says which condition kept it back."""
    document = only(golden_model(), "e0_20")
    document["followUps"][0]["propertyConditions"].append(not_equals("welcome_sent"))
    assert silent(play(document, START)) == [("e0_20", "CONDITION:welcome_sent:NOT_EQUALS:true", "CONDITION")]
