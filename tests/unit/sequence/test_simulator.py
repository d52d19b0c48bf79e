"""What rules, faults and policies make of a timeline; reported defects of other engines as neutral cases."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mindloop.sequence.loading import model_of
from mindloop.sequence.model import Condition
from mindloop.sequence.scenario import scenario_of
from mindloop.sequence.simulator import engine
from mindloop.sequence.simulator.conditions import holds
from mindloop.sequence.simulator.engine import simulate
from mindloop.sequence.simulator.explain import explain
from mindloop.store.errors import Malformed, WrongInput
from tests.helpers.sequences import (
    a_follow_up,
    a_property,
    a_scenario,
    base_model,
    changed,
    equals,
    event,
    golden_model,
    inbound,
    only,
    truth,
    without,
)

START = [*inbound(0), truth(1, "welcome_sent")]


def play(document: dict[str, Any], events: list[dict[str, Any]], horizon: int = 600, **more: Any) -> dict[str, Any]:
    """The timeline of one lead."""
    return simulate(model_of(document).model, scenario_of(a_scenario(events, horizon, **more)).scenario).as_document()


def sends(timeline: dict[str, Any]) -> list[tuple[int, str]]:
    """Minute and follow-up of each send."""
    return [(one["t"], one["followUp"]) for one in timeline["sends"]]


def classes(timeline: dict[str, Any]) -> list[tuple[int, str]]:
    """Minute and class of each event."""
    return [(one["t"], one["class"]) for one in timeline["events"]]


def reasons(timeline: dict[str, Any]) -> list[str]:
    """The reason of each silence."""
    return [one["reason"] for one in timeline["silent"]]


def single(**changes: Any) -> dict[str, Any]:
    """The first follow-up of stage 0 alone, with fields changed."""
    return changed(only(golden_model(), "e0_20"), {f"followUps.e0_20.{key}": value for key, value in changes.items()})


# conditions


@pytest.mark.parametrize(
    ("operator", "value", "expected"),
    [
        ("EQUALS", True, [None, False, True]),
        ("EQUALS", False, [None, True, False]),
        ("NOT_EQUALS", True, [True, True, False]),
        ("NOT_EQUALS", False, [True, False, True]),
        ("IS_SET", None, [False, True, True]),
        ("IS_NOT_SET", None, [True, False, False]),
        ("GREATER_THAN", 3, [None, False, False]),
    ],
)
def test_a_literal_holds_as_the_truth_table_says(operator: str, value: Any, expected: list[bool | None]) -> None:
    """NULL, false, true, under the platform's reading of NULL."""
    literal = Condition("p", operator, value, "")
    assert [holds(literal, each, "PLATFORM") for each in (None, False, True)] == expected


def test_under_strict_nulls_every_comparison_with_nothing_is_unknown() -> None:
    """NOT_EQUALS too; whether it is set can still be told."""
    for operator in ("EQUALS", "NOT_EQUALS", "LESS_THAN"):
        assert holds(Condition("p", operator, True, ""), None, "SQL_STRICT") is None
    assert holds(Condition("p", "IS_NOT_SET", None, ""), None, "SQL_STRICT") is True


def test_identity_is_strict_and_order_is_for_numbers() -> None:
    """``"true"`` and 1 are not true; 2 and 2.0 are one number; a boolean has no order."""
    assert holds(Condition("p", "EQUALS", "true", ""), True, "PLATFORM") is False
    assert holds(Condition("p", "NOT_EQUALS", "true", ""), True, "PLATFORM") is True
    assert holds(Condition("p", "EQUALS", 1, ""), True, "PLATFORM") is False
    assert holds(Condition("p", "EQUALS", 2, ""), 2.0, "PLATFORM") is True
    assert [holds(Condition("p", "GREATER_OR_EQUAL", 5, ""), one, "PLATFORM") for one in (4, 5, True, "9")] == [
        False,
        True,
        False,
        False,
    ]


# gates


def test_the_first_gate_that_blocks_is_the_reason() -> None:
    """Attention before mute before conditions before the clock before silence."""
    model = model_of(single()).model
    events = [*START, event(0, "NEEDS_ATTENTION"), event(0, "MUTE"), event(20, "NEEDS_ATTENTION", value=False)]
    events += [event(25, "MUTE", value=False), *inbound(40)]
    told = explain(model, scenario_of(a_scenario(events)).scenario, "l1", "e0_20", at=27)
    assert [(one["from"], one["to"], one["reason"]) for one in told.blocks] == [
        (0, 15, "NEEDS_ATTENTION"),
        (20, 20, "MUTED"),
        (25, 25, "CONDITION:welcome_sent:EQUALS:NULL"),
        (30, 45, "ANCHOR_WAIT"),
        (50, 50, "SILENCE_WAIT"),
        (60, 600, "ALREADY_SENT"),
    ]
    assert told.fired == [{"t": 55, "status": "OK", "reason": None}]
    assert told.asked == {"t": 25, "fired": False, "reason": "CONDITION:welcome_sent:EQUALS:NULL", "byNull": True}
    assert told.dominant is None


def test_a_lead_who_never_wrote_is_not_followed_up() -> None:
    """NO_INBOUND, and nobody owes it; where the policy allows, it goes out and free text does not arrive."""
    blocked = play(single(), [truth(1, "welcome_sent")])
    assert (sends(blocked), blocked["silent"]) == ([], [])
    allowed = play(changed(single(), {"runtime.noInboundPolicy": "ALLOW"}), [truth(1, "welcome_sent")])
    assert [(one["t"], one["reason"]) for one in allowed["sends"]] == [(50, "MESSAGE_WINDOW_EXPIRED")]


def test_lead_spoke_last_blocks_until_the_agent_answers() -> None:
    """Without an answer nothing goes out; with one it does."""
    policy = {"runtime.needsAttentionPolicy": "LEAD_SPOKE_LAST"}
    assert reasons(play(changed(single(), policy), START)) == ["NEEDS_ATTENTION"]
    assert sends(play(changed(single(), policy), [*START, event(2, "AGENT_OUT")])) == [(50, "e0_20")]


def test_a_repeat_ends_after_its_bound_and_one_without_is_an_overrun() -> None:
    """50, 110, 170 with two repeats; without a bound each repeat is reported."""
    bounded = play(single(repeat={"intervalMinutes": 60, "maxRepeats": 2}), START)
    assert sends(bounded) == [(50, "e0_20"), (110, "e0_20"), (170, "e0_20")]
    assert bounded["events"] == []
    endless = play(single(repeat={"intervalMinutes": 60}), START, horizon=200)
    assert classes(endless) == [(110, "REPEAT_OVERRUN"), (170, "REPEAT_OVERRUN")]


def test_what_is_too_old_is_not_sent_any_more() -> None:
    """Released at 300 with a maximal age of an hour after its due time: never."""
    on, off = event(2, "NEEDS_ATTENTION"), event(300, "NEEDS_ATTENTION", value=False)
    timeline = play(single(maxAgeMinutes=60), [*START, on, off])
    assert sends(timeline) == []
    assert reasons(timeline) == ["TOO_OLD"]


def test_caps_hold_back_what_a_release_would_send_at_once() -> None:
    """A distance of an hour spreads both; one a day leaves the second to the next day."""
    on, off = event(2, "NEEDS_ATTENTION"), event(300, "NEEDS_ATTENTION", value=False)
    spread = changed(golden_model(), {"agent.minMinutesBetweenFollowUps": 60})
    assert sends(play(spread, [*START, on, off])) == [(300, "e0_120"), (360, "e0_20")]
    daily = changed(golden_model(), {"agent.maxFollowUpsPerLeadPer24h": 1})
    assert sends(play(daily, [*START, on, off], horizon=2000)) == [(300, "e0_120"), (1740, "e0_20")]


def test_a_contact_limit_mutes_for_good() -> None:
    """Once declined nothing goes out, though no follow-up excludes it and the stop is taken back."""
    document = without(single(), "e0_20", "lead_declined")
    document["contactLimits"] = [{"id": "c", "propertyConditions": [equals("lead_declined")]}]
    document = changed(document, {"properties.lead_declined.setBy": "INTEGRATION"})
    timeline = play(document, [*START, truth(10, "lead_declined"), truth(20, "lead_declined", False)])
    assert (sends(timeline), timeline["silent"]) == ([], [])


def test_a_number_as_anchor_moves_its_clock_with_every_change() -> None:
    """Scored at 10 and otherwise at 25: twenty minutes after the second; the same score again moves nothing."""
    document = single(delayTriggerPropertyId="score")
    document["properties"].append(a_property("score", type="NUMBER", setBy="INTEGRATION"))
    events = [*START, truth(10, "score", 1), truth(25, "score", 2)]
    assert sends(play(document, events)) == [(45, "e0_20")]
    assert sends(play(document, [*START, truth(10, "score", 1), truth(25, "score", 1)])) == [(30, "e0_20")]


# evaluator


def test_a_batch_reads_truth_at_its_start_and_writes_when_it_ends() -> None:
    """Welcomed at 30 exactly, batch of 30 lands at 37: due 57, sent 60. A minute later: the next batch."""
    document = changed(single(), {"runtime.evaluatorRunMinutes": 7})
    assert sends(play(document, [*inbound(0), truth(30, "welcome_sent")])) == [(60, "e0_20")]
    assert sends(play(document, [*inbound(0), truth(31, "welcome_sent")])) == [(90, "e0_20")]


def test_what_the_agent_sets_is_never_written_and_what_an_integration_sets_at_once() -> None:
    """The silence says so; the integration's stamp starts the clock in its minute."""
    by_agent = play(changed(single(), {"properties.welcome_sent.setBy": "AGENT"}), START)
    assert [(one["reason"], one["cause"]) for one in by_agent["silent"]] == [
        ("CONDITION:welcome_sent:EQUALS:NULL", "NOT_WRITTEN")
    ]
    assert sends(play(changed(single(), {"properties.welcome_sent.setBy": "INTEGRATION"}), START)) == [(25, "e0_20")]


def test_a_pipeline_that_is_off_silences_and_one_that_comes_back_releases() -> None:
    """PIPELINE_OFF; switched on at 100 the next batch stamps at 120."""
    document = changed(single(), {"properties.welcome_sent.includeInLlm": False})
    assert [one["cause"] for one in play(document, START)["silent"]] == ["PIPELINE_OFF"]
    on = event(100, "CONFIG_CHANGE", propertyId="welcome_sent", changes={"include_in_llm": True})
    assert sends(play(document, [*START, on])) == [(140, "e0_20")]


# quiet hours


@pytest.mark.parametrize(
    ("epoch", "zone", "expected"),
    [
        ("2026-01-05T00:00:00Z", "UTC", 480),
        ("2026-01-05T00:00:00Z", "Asia/Kolkata", 150),
        ("2026-03-29T00:00:00Z", "Europe/Madrid", 360),
        ("2026-10-25T00:00:00Z", "Europe/Madrid", 420),
    ],
)
def test_quiet_hours_end_by_the_leads_own_clock(epoch: str, zone: str, expected: int) -> None:
    """Until eight in the lead's zone, in the nights in which clocks change too."""
    quiet = {"start": "00:30", "end": "08:00", "tz": "LEAD"}
    document = changed(single(), {"runtime.quietHours": quiet})
    scenario = {"horizonMinutes": 600, "epoch": epoch, "leads": [{"id": "l1", "timezone": zone, "events": START}]}
    assert sends(simulate(model_of(document).model, scenario_of(scenario).scenario).as_document()) == [
        (expected, "e0_20")
    ]


@pytest.mark.parametrize(("policy", "sent"), [("BLOCK", []), ("SEND", [(50, "e0_20")])])
def test_where_nobody_has_a_zone_quiet_hours_block_or_send_as_the_policy_says(policy: str, sent: list[Any]) -> None:
    """Neither the lead nor the agent has one."""
    quiet = {"start": "03:00", "end": "04:00", "tz": "LEAD", "onUnknownTz": policy}
    document = changed(single(), {"runtime.quietHours": quiet, "agent.timezone": None})
    timeline = play(document, START)
    assert sends(timeline) == sent
    assert reasons(timeline) == ([] if sent else ["QUIET_HOURS"])


BAD_ZONES = ["Nowhere/Land", "../../etc/passwd", "/etc/passwd", "America", "a\x00b", "UTC\n", "", "Europe/Madird"]


@pytest.mark.parametrize("zone", BAD_ZONES)
def test_a_zone_that_nobody_knows_is_refused(zone: str) -> None:
    """Of the agent and of a lead, with its pointer; whatever stands there is a name, and never opens anything else."""
    with pytest.raises(Malformed, match=r"/agent/timezone: .* is no timezone, expected an IANA name like [A-Z]"):
        model_of(changed(single(), {"agent.timezone": zone}))
    with pytest.raises(Malformed, match=r"/leads/0/timezone: .* is no timezone, expected an IANA name like [A-Z]"):
        scenario_of({"horizonMinutes": 600, "leads": [{"id": "l1", "timezone": zone, "events": START}]})


@pytest.mark.parametrize("zone", ["Europe/Madird", "europe madrid", "Madrid"])
def test_a_misspelt_zone_is_told_its_name(zone: str) -> None:
    """The name that was meant is in the message."""
    with pytest.raises(Malformed, match="Europe/Madrid"):
        model_of(changed(single(), {"agent.timezone": zone}))


def test_a_lead_without_a_zone_has_the_agents() -> None:
    """India, by the agent's zone."""
    quiet = {"start": "00:30", "end": "08:00", "tz": "LEAD"}
    document = changed(single(), {"runtime.quietHours": quiet, "agent.timezone": "Asia/Kolkata"})
    assert sends(play(document, START)) == [(150, "e0_20")]


# faults


def test_two_runners_without_a_once_key_send_twice() -> None:
    """T01: the same minute, twice; with the key one message, though both attempted it."""
    twice = play(single(), START, faults={"runners": 2})
    assert sends(twice) == [(50, "e0_20"), (50, "e0_20")]
    assert classes(twice) == [(50, "DUPLICATE")]
    once = play(single(), START, faults={"runners": 2, "idempotencyKey": True})
    assert (sends(once), once["events"]) == ([(50, "e0_20")], [])
    assert once["counts"] == {"runs": 242, "attempts": 2, "messages": 1, "reached": 1}


@pytest.mark.parametrize(
    ("faults", "expected"),
    [
        ({"deliveryPolicy": "AT_MOST_ONCE"}, [50]),
        ({"deliveryPolicy": "AT_LEAST_ONCE"}, [50, 55]),
        ({"deliveryPolicy": "AT_LEAST_ONCE", "idempotencyKey": True}, [50]),
    ],
)
def test_a_crash_between_message_and_mark(faults: dict[str, Any], expected: list[int]) -> None:
    """T25: at most once sends once; at least once sends again a tick later, which is reported; a key refuses that."""
    timeline = play(single(), START, faults={"crashBetweenSendAndMark": [50], **faults})
    assert [minute for minute, _ in sends(timeline)] == expected
    assert classes(timeline) == [(one, "DUPLICATE") for one in expected[1:]]


def test_an_outage_delays_and_releases_together() -> None:
    """Down from 40 to 300: both at 300, and the ticks in between were no looks."""
    timeline = play(golden_model(), START, faults={"outages": [{"from": 40, "to": 300}]})
    assert sends(timeline) == [(300, "e0_120"), (300, "e0_20")]
    assert classes(timeline) == [(300, "SAME_STAGE_BURST")]
    assert timeline["counts"]["runs"] == (121 - 52) * 4


def test_a_delivery_that_fails_for_one_lead_does_not_stop_the_next() -> None:
    """T05: the first lead's fails with the code given; the second's arrives."""
    scenario = {
        "horizonMinutes": 100,
        "leads": [{"id": "l2", "events": START}, {"id": "l1", "events": START}],
        "faults": {"deliveryErrors": [{"lead": "l1", "followUp": "e0_20", "code": "131049"}]},
    }
    timeline = simulate(model_of(single()).model, scenario_of(scenario).scenario).as_document()
    assert [(one["lead"], one["status"], one["reason"]) for one in timeline["sends"]] == [
        ("l1", "FAILED", "131049"),
        ("l2", "OK", None),
    ]
    assert timeline["counts"] == {"runs": 42, "attempts": 2, "messages": 2, "reached": 1}


# delivery

APPROVED = [{"id": "t", "status": "APPROVED", "params": [{"name": "n", "source": "first_name"}]}]


@pytest.mark.parametrize(
    ("templates", "channel", "expected"),
    [
        ([{"id": "t", "status": "APPROVED"}], "WHATSAPP", None),
        ([{"id": "t", "status": "PENDING"}], "WHATSAPP", "132001"),
        ([], "WHATSAPP", "132001"),
        (APPROVED, "WHATSAPP", "131008"),
        ([{**APPROVED[0], "params": [{"name": "n", "source": "first_name", "fallback": "there"}]}], "WHATSAPP", None),
        ([{**APPROVED[0], "params": [{"name": "n", "source": "hello"}]}], "WHATSAPP", None),
        ([{**APPROVED[0], "params": [{"name": "n"}]}], "WHATSAPP", "131008"),
        ([{**APPROVED[0], "params": [{"name": "n", "source": "a"}] * 2}], "WHATSAPP", "132000"),
        ([{"id": "t", "status": "APPROVED"}], "INSTAGRAM", "MESSAGE_WINDOW_EXPIRED"),
        ([], "WEB", None),
    ],
)
def test_a_template_needs_approval_and_its_parameters_and_whatsapp(
    templates: list[Any], channel: str, expected: str | None
) -> None:
    """Each failure has the channel's own code and its class; elsewhere than on WhatsApp there is no template."""
    document = single(
        delayMinutesAfterPropertySet=2880,
        channel=channel,
        destination={"kind": "WHATSAPP_TEMPLATE", "templateId": "t"},
    )
    document["templates"] = templates
    document["properties"].append(a_property("first_name", type="STRING"))
    timeline = play(document, START, horizon=3000)
    assert [(one["t"], one["reason"]) for one in timeline["sends"]] == [(2910, expected)]
    kind = "WINDOW_FAIL" if expected == "MESSAGE_WINDOW_EXPIRED" else "TEMPLATE_FAIL"
    assert classes(timeline) == ([(2910, kind)] if expected else [])


def test_a_template_id_does_not_make_free_text_a_template() -> None:
    """T29: the kind decides; a fallback template does go out beyond the window."""
    free = {"kind": "FREE_TEXT", "templateId": "t"}
    late = {"delayMinutesAfterPropertySet": 2880, "destination": free}
    document = single(**late) | {"templates": [{"id": "t", "status": "APPROVED"}]}
    assert [one["reason"] for one in play(document, START, horizon=3000)["sends"]] == ["MESSAGE_WINDOW_EXPIRED"]
    document = changed(document, {"followUps.e0_20.destination": free | {"fallbackTemplateId": "t"}})
    assert [one["status"] for one in play(document, START, horizon=3000)["sends"]] == ["OK"]


@pytest.mark.parametrize(("last_word", "status"), [(1471, "OK"), (1470, "FAILED")])
def test_the_window_is_judged_at_the_send(last_word: int, status: str) -> None:
    """T27: 1439 minutes after the lead's last word it arrives, 1440 after it does not."""
    document = single(delayMinutesAfterPropertySet=2880)
    assert [one["status"] for one in play(document, [*START, *inbound(last_word)], horizon=3000)["sends"]] == [status]


def test_nobody_is_reached_at_a_number_that_is_none() -> None:
    """131026, whatever else would have been said."""
    scenario = {"horizonMinutes": 60, "leads": [{"id": "l1", "reachable": False, "events": START}]}
    timeline = simulate(model_of(single()).model, scenario_of(scenario).scenario).as_document()
    assert [one["reason"] for one in timeline["sends"]] == ["131026"]


# reported defects of other engines


def test_t03_what_a_cap_always_blocks_is_looked_at_for_nothing() -> None:
    """One repeats every hour under a distance of an hour; the other never comes through: looks, no message."""
    document = changed(
        only(golden_model(), "e0_20", "e0_120"),
        {
            "followUps.e0_120.repeat": {"intervalMinutes": 60, "maxRepeats": 9},
            "followUps.e0_120.delayMinutesAfterPropertySet": 20,
            "followUps.e0_120.minMinutesSinceLastInbound": 15,
            "agent.minMinutesBetweenFollowUps": 61,
        },
    )
    document = changed(document, {"followUps.e0_20.delayMinutesAfterPropertySet": 55})
    timeline = play(document, START, horizon=110)
    assert sends(timeline) == [(50, "e0_120")]
    assert reasons(timeline) == ["CAP"]


def test_t07_a_gate_that_holds_for_a_day_does_not_wait_for_two() -> None:
    """Set by an integration for one day, offset two days: the lead entered the stage and never gets it."""
    document = changed(single(delayMinutesAfterPropertySet=2880), {"properties.welcome_sent.setBy": "INTEGRATION"})
    timeline = play(document, [*START, truth(1441, "welcome_sent", False)], horizon=4000)
    assert (sends(timeline), reasons(timeline)) == ([], ["CONDITION:welcome_sent:EQUALS:false"])


def test_t09_a_stop_that_no_follow_up_excludes_does_not_stop() -> None:
    """Stamped at 30 and chased at 50."""
    document = without(single(), "e0_20", "bad_fit")
    assert classes(play(document, [*START, truth(2, "bad_fit")])) == [(50, "POST_STOP")]


def test_t11_a_text_is_no_boolean() -> None:
    """The gate compares with "true": never."""
    document = single()
    document["followUps"][0]["propertyConditions"][0]["value"] = "true"
    assert reasons(play(document, START)) == ["CONDITION:welcome_sent:EQUALS:true"]


def test_t15_five_exclusions_of_nothing_pass_on_the_platform_alone() -> None:
    """All NULL: fires under PLATFORM, for nobody under SQL_STRICT; the scenario may say which."""
    document = single()
    assert sends(play(document, START)) == [(50, "e0_20")]
    assert sends(play(document, START, runtime={"nullSemantics": "SQL_STRICT"})) == []


def test_t17_quiet_all_day_is_silence() -> None:
    """A quiet span in which every tick of the lead's day lies."""
    quiet = {"start": "08:56", "end": "08:55", "tz": "LEAD"}
    timeline = play(changed(single(), {"runtime.quietHours": quiet, "runtime.runnerTickMinutes": 10}), START, 3000)
    assert (sends(timeline), reasons(timeline)) == ([], ["QUIET_HOURS"])


def test_t21_an_exclusion_of_a_text_fails_open() -> None:
    """NOT_EQUALS "true" of a stop that is true holds."""
    document = without(single(), "e0_20", "bad_fit")
    condition = {"propertyId": "bad_fit", "operator": "NOT_EQUALS", "value": "true"}
    document["followUps"][0]["propertyConditions"].append(condition)
    assert classes(play(document, [*START, truth(2, "bad_fit")])) == [(50, "POST_STOP")]


def test_t23_two_follow_ups_of_different_stages_answer_one_change() -> None:
    """Overlapping boxes: one batch, one tick, two sends."""
    document = golden_model()
    document["followUps"] = [a_follow_up("x", 0, 20, 15), a_follow_up("y", 1, 20, 15)]
    document = without(document, "x", "age_qualified")
    timeline = play(document, [*START, truth(1, "age_qualified")])
    assert sends(timeline) == [(50, "x"), (50, "y")]
    assert classes(timeline) == [(50, "CROSS_STAGE")]


def test_t33_a_gate_on_nothing_where_there_is_always_something_is_silence() -> None:
    """IS_NOT_SET of a property that every lead has."""
    document = single()
    document["properties"].append(a_property("owner", setBy="SYSTEM"))
    document["followUps"][0]["propertyConditions"].append({"propertyId": "owner", "operator": "IS_NOT_SET"})
    scenario = {"horizonMinutes": 300, "leads": [{"id": "l1", "properties": {"owner": True}, "events": START}]}
    timeline = simulate(model_of(document).model, scenario_of(scenario).scenario).as_document()
    assert (sends(timeline), reasons(timeline)) == ([], ["CONDITION:owner:IS_NOT_SET:true"])


@pytest.mark.parametrize("named", [{"followUpId": "e0_20"}, {}])
def test_t35_a_switch_that_is_off_is_respected_by_what_is_due_later(named: dict[str, str]) -> None:
    """Off at 40: nothing at 50, and on again at 70 it goes out at 70."""
    off = event(40, "DEACTIVATE", **named)
    assert sends(play(single(), [*START, off])) == []
    assert sends(play(single(), [*START, off, event(70, "ACTIVATE", **named)])) == [(70, "e0_20")]


def test_switching_all_on_again_leaves_off_what_was_off_before() -> None:
    """The agent's switch is not each follow-up's."""
    document = changed(golden_model(), {"followUps.e0_120.active": False})
    events = [*START, event(10, "DEACTIVATE"), event(20, "ACTIVATE")]
    assert sends(play(document, events)) == [(50, "e0_20")]


def test_t37_equal_offsets_all_come_at_once() -> None:
    """Six follow-ups, all after a day: one burst of six."""
    document = golden_model()
    document["followUps"] = [a_follow_up(f"f{at}", 0, 1400, 15) for at in range(6)]
    timeline = play(document, START, horizon=2000)
    assert [minute for minute, _ in sends(timeline)] == [1430] * 6
    assert [(one["class"], one["followUps"]) for one in timeline["events"]] == [
        ("SAME_STAGE_BURST", [f"f{at}" for at in range(6)])
    ]


def test_t39_an_anchor_of_old_makes_everything_due_at_once() -> None:
    """The lead comes with a stamp from before minute 0: both go out as soon as the silence is over."""
    document = changed(golden_model(), {"followUps.e0_120.minMinutesSinceLastInbound": 15})
    scenario = {
        "horizonMinutes": 300,
        "leads": [{"id": "l1", "properties": {"welcome_sent": True}, "events": inbound(130)}],
    }
    timeline = simulate(model_of(document).model, scenario_of(scenario).scenario).as_document()
    assert [minute for minute, _ in sends(timeline)] == [145, 145]
    assert classes(timeline) == [(145, "SAME_STAGE_BURST")]


def test_t43_a_word_just_before_it_is_due_makes_it_wait() -> None:
    """Written at 47, due at 50: at 65, when the silence is over."""
    model = model_of(single()).model
    scenario = scenario_of(a_scenario([*START, *inbound(47)])).scenario
    assert sends(simulate(model, scenario).as_document()) == [(65, "e0_20")]
    assert explain(model, scenario, "l1", "e0_20", at=50).asked == {
        "t": 50,
        "fired": False,
        "reason": "SILENCE_WAIT",
        "byNull": False,
    }


# changes of the set, and what is refused


def test_a_change_of_a_follow_up_holds_from_its_minute() -> None:
    """Conditions lost at 40: it goes to somebody who declined; either spelling of a field."""
    declined = [*START, truth(2, "lead_declined")]
    lost = event(40, "CONFIG_CHANGE", followUpId="e0_20", changes={"workflow_property_conditions": []})
    assert sends(play(single(), declined)) == []
    assert classes(play(single(), [*declined, lost])) == [(50, "POST_STOP")]
    unanchored = event(35, "CONFIG_CHANGE", followUpId="e0_20", changes={"delayTriggerPropertyId": None})
    assert sends(play(single(), [*START, unanchored])) == [(35, "e0_20")]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (event(1, "ACTIVATE", followUpId="nobody"), ["/leads/0/events/0", "no 'nobody' in followUps", "e0_20"]),
        (event(1, "CONFIG_CHANGE", followUpId="e0_20", changes={"id": "x"}), ["changes/id", "does not change"]),
        (
            event(1, "CONFIG_CHANGE", followUpId="e0_20", changes={"repeat": 5}),
            ["/leads/0/events/0", "/followUps/0/repeat"],
        ),
        (event(1, "CONFIG_CHANGE", propertyId="nothing", changes={"type": "STRING"}), ["no 'nothing' in properties"]),
        (event(1, "CONFIG_CHANGE", followUpId="e0_20", changes={"activeFrom": "soon"}), ["activeFrom", "'soon'"]),
    ],
)
def test_a_change_that_is_none_is_refused_with_its_place(wrong: dict[str, Any], words: list[str]) -> None:
    """Which event, what came, what there is."""
    with pytest.raises(Malformed) as refused:
        play(single(), [wrong])
    assert [one for one in words if one not in str(refused.value)] == []


def test_who_asks_about_nobody_is_told_who_there_is() -> None:
    """Lead, follow-up and minute are checked."""
    model, scenario = model_of(single()).model, scenario_of(a_scenario(START)).scenario
    with pytest.raises(WrongInput, match=r"no lead 'l2'\n.*l1"):
        explain(model, scenario, "l2", "e0_20")
    with pytest.raises(WrongInput, match=r"no follow-up 'e0_2'\n.*e0_20"):
        explain(model, scenario, "l1", "e0_2")
    with pytest.raises(WrongInput, match="minute 601: the scenario has minutes 0 to 600"):
        explain(model, scenario, "l1", "e0_20", at=601)


def test_more_than_anybody_can_read_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A repeat of every minute ends in an error and not in an endless run."""
    monkeypatch.setattr(engine, "MOST_MESSAGES", 100)
    with pytest.raises(WrongInput, match="more than 100 messages"):
        play(single(repeat={"intervalMinutes": 1}), START, horizon=50_000)


def test_an_empty_scenario_and_an_empty_set_are_timelines_too() -> None:
    """Nobody, nothing, minute 0."""
    empty = {"sends": [], "events": [], "silent": [], "counts": dict.fromkeys(("runs", "attempts", "messages"), 0)}
    empty["counts"]["reached"] = 0
    nobody = scenario_of({"horizonMinutes": 0, "leads": []}).scenario
    assert simulate(model_of(golden_model()).model, nobody).as_document() == empty
    nothing = only(golden_model())
    assert play(nothing, START) == empty


def test_the_same_scenario_gives_the_same_bytes_in_the_fixed_shape() -> None:
    """Keys in their order, minutes as integers."""
    once, again = (json.dumps(play(golden_model(), START)) for _ in range(2))
    assert once == again
    assert once.startswith('{"sends": [{"t": 50, "lead": "l1", "followUp": "e0_20", "status": "OK", "reason": null}')


@pytest.mark.parametrize(
    ("kind", "value", "words"),
    [
        ("BOOLEAN", "true", 'found "true", expected true or false'),
        ("BOOLEAN", 1, "found 1, expected true or false"),
        ("NUMBER", "3", 'found "3", expected a number'),
        ("NUMBER", True, "found true, expected a number"),
        ("STRING", 3, "found 3, expected text"),
    ],
)
def test_a_truth_of_a_wrong_type_is_an_error(kind: str, value: object, words: str) -> None:
    """It names the pointer, what came and what was expected."""
    document = base_model()
    document["properties"].append({"id": "extra", "type": kind, "setBy": "HUMAN"})
    event = {"t": 1, "type": "TRUTH", "propertyId": "extra", "value": value}
    scenario = scenario_of({"horizonMinutes": 10, "leads": [{"id": "l1", "events": [event]}]}).scenario
    with pytest.raises(WrongInput, match="/leads/0/events/0/value") as refused:
        engine.simulate(model_of(document).model, scenario)
    assert words in refused.value.message


def test_an_endless_repeat_over_the_longest_horizon_is_refused_before_it_is_run() -> None:
    """The bound is arithmetic; the message names the follow-up and what to do."""
    document = base_model()
    document["followUps"][0]["repeat"] = {"intervalMinutes": 1}
    model = model_of(document).model
    scenario = scenario_of({"horizonMinutes": 52_560_000, "leads": [{"id": "l1"}]}).scenario
    with pytest.raises(WrongInput, match="e0_20 repeats: up to 10512001 messages") as refused:
        engine.simulate(model, scenario)
    assert "maxRepeats" in str(refused.value.hint)
