"""P1 to P9 on the complete model and on broken ones: verdicts, bounds, witnesses, what is said under other engines."""

from __future__ import annotations

from typing import Any

import pytest

from mindloop.sequence.loading import model_of
from mindloop.sequence.proof import Obligation, Proof, prove
from mindloop.sequence.scenario import scenario_of
from mindloop.sequence.simulator.engine import simulate
from tests.helpers.sequences import base_model, changed, equals, find, golden_model, without

M0 = base_model()
NAMES = {
    "P1": "exclusivity",
    "P2": "stop-completeness",
    "P3": "liveness",
    "P4": "spacing",
    "P5": "window",
    "P6": "lag-safety",
    "P7": "termination",
    "P8": "coverage",
    "P9": "latches",
}


def proved(document: dict[str, Any]) -> Proof:
    return prove(model_of(document).model, today="2026-11-30")


def obligation(document: dict[str, Any], id: str) -> Obligation:
    return next(one for one in proved(document).obligations if one.id == id)


def refuted(document: dict[str, Any]) -> set[str]:
    return {one.id for one in proved(document).obligations if not one.holds}


def test_all_hold_of_the_complete_model() -> None:
    """M0 fulfils P1 to P9, and every part of the conclusion is said."""
    proof = proved(M0)
    assert {one.id: one.name for one in proof.obligations} == NAMES
    assert proof.ok
    assert [part["holds"] for part in proof.conclusion] == [True] * 7
    assert all(one.witness is None and one.timeline is None and not one.reproduced for one in proof.obligations)


def test_bounds_of_the_complete_model() -> None:
    """The numbers: 85 minutes between follow-ups, 158 of age, a lag of 34, four messages."""
    bounds = {one.id: one.bound for one in proved(M0).obligations}
    assert bounds["P1"] == {"crossStagePairs": 5}
    assert bounds["P2"] == {"stops": 5, "exclusions": 20, "dropOutReasons": 5}
    assert bounds["P4"] == {"leastMinutes": 30, "guaranteedMinutes": 85, "pair": ["e0_20", "e0_120"]}
    assert bounds["P5"] == {"windowMinutes": 1440, "boundMinutes": 158, "worstMinutes": 156, "followUp": "e0_120"}
    assert bounds["P6"]["lagMinutes"] == 34
    assert bounds["P6"]["shortestSilenceMinutes"] == 35
    assert bounds["P7"] == {"messages": 4, "perDayByOffsets": 4}


BROKEN: list[tuple[str, dict[str, Any], set[str]]] = [
    ("a later stage not excluded", without(M0, "e0_20", "age_qualified"), {"P1"}),
    ("a stop not excluded", without(M0, "e1_30", "lead_declined"), {"P2"}),
    ("no conditions", changed(M0, {"followUps.e0_20.propertyConditions": []}), {"P1", "P2"}),
    ("no anchor", changed(M0, {"followUps.e0_120.delayTriggerPropertyId": None}), {"P4"}),
    ("one offset", changed(M0, {"followUps.e0_120.delayMinutesAfterPropertySet": 20}), {"P4"}),
    ("one silence", changed(M0, {"followUps.e0_120.minMinutesSinceLastInbound": 35}), {"P4"}),
    ("29 minutes, which ticks make 30", changed(M0, {"followUps.e0_120.delayMinutesAfterPropertySet": 49}), set()),
    ("28 minutes", changed(M0, {"followUps.e0_120.delayMinutesAfterPropertySet": 48}), {"P4"}),
    ("silence under the lag", changed(M0, {"followUps.e0_20.minMinutesSinceLastInbound": 15}), {"P6"}),
    ("no silence", changed(M0, {"followUps.e2_60.minMinutesSinceLastInbound": None}), {"P6"}),
    ("nearly a day", changed(M0, {"followUps.e2_60.delayMinutesAfterPropertySet": 1410}), {"P5"}),
    ("within a day", changed(M0, {"followUps.e2_60.delayMinutesAfterPropertySet": 1400}), set()),
    ("for ever", changed(M0, {"followUps.e2_60.repeat": {"intervalMinutes": 60}}), {"P5", "P7"}),
    ("a frozen stop", changed(M0, {"properties.deposit_confirmed.checkUntilMatch": False}), {"P9"}),
    ("a stop that may be taken back", changed(M0, {"properties.bad_fit.terminalValue": None}), {"P9"}),
    ("a stop from an integration", changed(M0, {"properties.bad_fit.setBy": "INTEGRATION"}), set()),
    ("a stamp that is off", changed(M0, {"properties.age_qualified.includeInLlm": False}), {"P3", "P9"}),
    ("a text for a stop", changed(M0, {"properties.lead_declined.type": "STRING"}), {"P2", "P9"}),
    ("an inactive follow-up", changed(M0, {"followUps.e1_30.active": False}), {"P8"}),
    ("NULL blocks", changed(M0, {"runtime.nullSemantics": "SQL_STRICT"}), {"P3", "P8"}),
    ("nothing covers silence", M0 | {"dropOutReasons": []}, {"P2"}),
]


@pytest.mark.parametrize(("document", "ids"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_what_is_broken_is_refuted_and_shown(document: dict[str, Any], ids: set[str]) -> None:
    """Exactly these obligations fail, each with a witness, a timeline and what it shows."""
    assert refuted(document) == ids
    for one in proved(document).obligations:
        if one.id in ids:
            assert one.reproduced
            assert one.witness is not None
            assert one.timeline is not None
            assert one.refutations >= len(one.refuted_by) > 0


def test_a_stage_that_is_blind_to_null_is_refuted() -> None:
    """EQUALS false on a later stamp: the follow-up reaches nobody of whom nothing is known."""
    document = changed(M0, {"followUps.e1_30.propertyConditions": [equals("age_qualified")]})
    find(document, "followUps", "e1_30")["propertyConditions"] = [
        equals("age_qualified"),
        equals("registration_link_sent", False),
        *M0["followUps"][2]["propertyConditions"][2:],
    ]
    assert refuted(document) == {"P3", "P8"}
    shows = obligation(document, "P3").shows
    assert shows is not None
    assert (shows["silent"], shows["cause"]) == ("CONDITION:registration_link_sent:EQUALS:NULL", "NULL")


def test_a_witness_is_a_state_and_its_follow_ups() -> None:
    """P1: the state lies in both boxes, and the timeline crosses stages."""
    one = obligation(without(M0, "e0_20", "age_qualified"), "P1")
    assert one.witness is not None
    assert one.witness["state"] == {"welcome_sent": True, "age_qualified": True}
    assert one.witness["followUps"] == ["e0_20", "e1_30"]
    assert one.shows == {"class": "CROSS_STAGE", "t": 35, "lead": "l1", "followUps": ["e0_20"]}


def test_the_conclusion_is_said_only_where_its_premises_hold() -> None:
    """A model whose silence is too short still excludes, spaces and ends; late stamping is not covered."""
    proof = proved(changed(M0, {"followUps.e0_20.minMinutesSinceLastInbound": 15}))
    assert [part["holds"] for part in proof.conclusion] == [True, True, False, True, True, True, True]
    assert proof.conclusion[2]["needs"] == ["P1", "R2", "P2", "P6", "P9"]


def test_an_indirect_exclusion_is_exclusive_and_still_no_promise() -> None:
    """Two boxes kept apart by another property are disjoint (P1), yet a lead past the stage may be written to (R2)."""
    document = without(M0, "e0_20", "age_qualified")
    document["properties"].append({**M0["properties"][0], "id": "vip"})
    find(document, "followUps", "e0_20")["propertyConditions"].append(equals("vip"))
    find(document, "followUps", "e1_30")["propertyConditions"].append({**equals("vip"), "operator": "NOT_EQUALS"})
    proof = proved(document)
    assert next(one for one in proof.obligations if one.id == "P1").holds
    assert not proof.conclusion[0]["holds"]


def test_other_engines_are_named_where_the_verdict_differs() -> None:
    """NULL that blocks (X18), 'set' as the first write (X8), needs_attention raised by every inbound (section 9)."""
    assert obligation(M0, "P3").under[0]["nullSemantics"] == "SQL_STRICT"
    assert not obligation(M0, "P3").under[0]["holds"]
    assert obligation(M0, "P4").under == []
    early = obligation(changed(M0, {"properties.welcome_sent.earlyFalse": True}), "P4")
    assert [(one["setAtPolicy"], one["holds"]) for one in early.under] == [("FIRST_WRITE", False)]
    silent = obligation(M0 | {"dropOutReasons": []}, "P2")
    assert [(one["needsAttentionPolicy"], one["holds"]) for one in silent.under] == [("LEAD_SPOKE_LAST", True)]


def test_the_set_of_the_golden_timelines_lacks_silence_alone() -> None:
    """Its silences of 15 minutes do not outlast batches of 30: P6 fails, as one golden timeline shows; and P4 holds."""
    assert refuted(golden_model()) == {"P6"}


def test_a_burst_in_spite_of_distinct_offsets() -> None:
    """Offsets 20 and 60 with equal silence: a lead who keeps writing gets both in one tick."""
    document = golden_model()
    for name, offset in (("e0_20", 20), ("e0_120", 60)):
        one = find(document, "followUps", name)
        one |= {"delayMinutesAfterPropertySet": offset, "minMinutesSinceLastInbound": 20}
    one = obligation(document, "P4")
    assert one.bound["guaranteedMinutes"] == 0
    assert one.shows is not None
    assert one.shows["class"] == "SAME_STAGE_BURST"


def test_a_waiver_of_a_rule_is_named() -> None:
    """Who lives with a violation is told on which obligation it bears; an obligation is not waived."""
    document = without(M0, "e0_20", "age_qualified")
    document["waivers"] = [
        {"rule": "R2", "target": "e0_20", "reason": "for now", "expires": "2026-12-31"},
        {"rule": "R3", "reason": "long ago", "expires": "2020-01-01"},
    ]
    one = obligation(document, "P1")
    assert not one.holds
    assert one.waived == [{"rule": "R2", "target": "e0_20", "expires": "2026-12-31"}]
    assert obligation(document, "P2").waived == []


def test_repeats_by_age_are_bounded_after_each_message_of_the_lead() -> None:
    """The age moves with the lead's last message, so it bounds messages after each of them."""
    document = changed(M0, {"followUps.e2_60.repeat": {"intervalMinutes": 60}, "followUps.e2_60.maxAgeMinutes": 130})
    bound = obligation(document, "P7").bound
    assert (bound["messages"], bound["messagesAfterEachInbound"]) == (3, 3)


NIGHT = {"start": "20:00", "end": "08:00", "tz": "AGENT"}


@pytest.mark.parametrize("release", ["FLUSH", "COLLAPSE"])
def test_quiet_hours_that_let_two_go_at_once_refute_spacing(release: str) -> None:
    """They hold messages up and let them go at once, or one just before the other is due (X4): a timeline shows it."""
    proof = proved(changed(M0, {"runtime.quietHours": NIGHT | {"release": release}}))
    one = next(one for one in proof.obligations if one.id == "P4")
    assert not one.holds
    assert one.bound["guaranteedMinutes"] == (0 if release == "FLUSH" else 5)
    assert one.shows is not None
    assert (one.shows["class"], one.shows["followUps"]) == ("SAME_STAGE_BURST", ["e0_120", "e0_20"])
    assert not proof.conclusion[3]["holds"]
    assert any("set back" in each for each in proof.assumptions)


def test_both_follow_ups_of_one_night_go_out_in_one_tick() -> None:
    """A lead who writes at 19:50 gets both when the night ends at 08:00; P4 does not hold of that model."""
    model = model_of(changed(M0, {"runtime.quietHours": NIGHT | {"release": "FLUSH"}})).model
    events = [
        {"t": 1190, "type": "INBOUND"},
        {"t": 1191, "type": "TRUTH", "propertyId": "welcome_sent", "value": True},
    ]
    ran = simulate(model, scenario_of({"horizonMinutes": 3000, "leads": [{"id": "l1", "events": events}]}).scenario)
    assert [(one["t"], one["followUp"]) for one in ran.sends] == [(1920, "e0_120"), (1920, "e0_20")]


@pytest.mark.parametrize(
    ("changes", "held"),
    [
        ({"agent.minMinutesBetweenFollowUps": 30}, True),
        ({"agent.minMinutesBetweenFollowUps": 20}, False),
        ({"runtime.quietHours": NIGHT | {"start": "07:10"}}, True),
        ({"runtime.quietHours": NIGHT | {"start": "07:00"}}, False),
        ({"runtime.quietHours": NIGHT | {"end": "20:00"}}, True),
    ],
)
def test_spacing_holds_through_a_night_where_something_keeps_them_apart(changes: dict[str, Any], held: bool) -> None:
    """A minimum between messages of the stagger or more; or a night that is shorter than the distance to spare."""
    assert obligation(changed(M0, {"runtime.quietHours": NIGHT} | changes), "P4").holds == held


def test_a_cap_that_delays_beyond_the_window_refutes_it() -> None:
    """One message a day: the second waits a day and does not arrive."""
    one = obligation(changed(M0, {"agent.maxFollowUpsPerLeadPer24h": 1}), "P5")
    assert not one.holds
    assert one.bound["worstMinutes"] == 156 + 1440
    assert one.shows is not None
    assert one.shows["class"] == "WINDOW_FAIL"
    assert obligation(changed(M0, {"agent.minMinutesBetweenFollowUps": 1400}), "P5").reproduced
    assert obligation(changed(M0, {"agent.minMinutesBetweenFollowUps": 60}), "P5").bound["worstMinutes"] == 216
    within = changed(M0, {"agent.minMinutesBetweenFollowUps": 60, "runtime.quietHours": NIGHT})
    assert obligation(within, "P5").bound["worstMinutes"] == 876 + 60


def test_a_cap_that_may_let_messages_go_is_a_premise_of_spacing() -> None:
    """Where caps may hold two up, P4 says what it needs, and the conclusion is not said."""
    proof = proved(changed(M0, {"agent.maxFollowUpsPerLeadPer24h": 3}))
    assert proof.ok
    assert [one.id for one in proof.obligations if one.premises] == ["P4"]
    assert not proof.conclusion[3]["holds"]
    assert not any(one.premises for one in proved(M0).obligations)


def test_every_night_that_holds_a_repeat_counts() -> None:
    """Each repeat falls 800 minutes after the end of a night, into the next one."""

    def worst(again: int) -> int:
        repeat = {"intervalMinutes": 800, "maxRepeats": again}
        changes = {"followUps.e2_60.repeat": repeat, "runtime.quietHours": {"start": "20:00", "end": "08:00"}}
        return int(obligation(changed(M0, changes), "P5").bound["worstMinutes"])

    assert [worst(again) for again in (1, 2, 3)] == [816 + 1440, 816 + 2 * 1440, 816 + 3 * 1440]


@pytest.mark.parametrize(
    ("age", "night", "held"), [(3, 0, False), (4, 0, True), (60, 1, False), (719, 1, False), (724, 1, True)]
)
def test_an_age_that_no_tick_or_night_can_meet_refutes_liveness(age: int, night: int, held: bool) -> None:
    """Wherever the clock runs out between ticks, or in a night, something must go out; a timeline shows where not."""
    changes: dict[str, Any] = {"followUps.e2_60.maxAgeMinutes": age}
    one = obligation(changed(M0, changes | ({"runtime.quietHours": NIGHT} if night else {})), "P3")
    assert one.holds == held
    assert one.reproduced != held


def test_leads_without_a_zone_refute_liveness() -> None:
    """Quiet hours by the lead's clock that block where nobody knows it, and an agent without one."""
    quiet = {"runtime.quietHours": {"start": "20:00", "end": "08:00", "tz": "LEAD", "onUnknownTz": "BLOCK"}}
    one = obligation(changed(M0, quiet | {"agent.timezone": None}), "P3")
    assert not one.holds
    assert one.refutations == 4
    assert "without a timezone" in one.refuted_by[0]
    assert one.timeline is not None
    assert "timezone" not in one.timeline["leads"][0]
    assert obligation(changed(M0, quiet), "P3").holds


def test_the_shape_for_programs() -> None:
    """One object: ok, obligations, assumptions, conclusion."""
    made = proved(without(M0, "e0_20", "age_qualified")).as_json()
    assert list(made) == ["ok", "obligations", "assumptions", "conclusion"]
    assert list(made["obligations"][0]) == [
        "id",
        "name",
        "statement",
        "holds",
        "bound",
        "dependsOn",
        "refutations",
        "refutedBy",
        "witness",
        "timeline",
        "shows",
        "reproduced",
        "under",
        "waived",
        "premises",
    ]
    assert not made["ok"]


def test_a_stop_that_mutes_for_good_need_not_latch() -> None:
    """Where a contact limit hangs on the stop, taking it back changes nothing: only one that may freeze is refuted."""
    limit = [{"id": "l", "propertyConditions": [equals("bad_fit")]}]
    unlatched = changed(M0, {"properties.bad_fit.terminalValue": None}) | {"contactLimits": limit}
    frozen = changed(M0, {"properties.bad_fit.terminalValue": False}) | {"contactLimits": limit}
    assert refuted(unlatched) == set()
    assert refuted(frozen) == {"P9"}


def test_a_cap_beside_what_repeats_for_ever_has_no_bound() -> None:
    """Who waits behind messages without an end may wait without one: the bound is none, and is refuted."""
    changes = {"agent.maxFollowUpsPerLeadPer24h": 1, "followUps.e0_20.repeat": {"intervalMinutes": 60}}
    one = obligation(changed(M0, changes), "P5")
    assert not one.holds
    assert one.bound["worstMinutes"] is None
