"""Laws of the simulator: the fast one says what the slow one says, and counts never contradict each other."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from mindloop.sequence.loading import model_of
from mindloop.sequence.scenario import scenario_of
from mindloop.sequence.simulator.clock import Ticks, merged
from mindloop.sequence.simulator.engine import simulate
from mindloop.sequence.simulator.explain import explain
from tests.helpers.slow_simulator import slow_simulate

if TYPE_CHECKING:
    import random

STAMPS = ("p0", "p1", "p2")
STOPS = ("x0", "x1")
NUMBER = "score"
FOLLOW_UPS = ("a", "b", "c", "d")
ZONES = (None, "Europe/Madrid", "America/New_York", "Asia/Kathmandu")


def one_of(*choices: Any) -> st.SearchStrategy[Any]:
    """One of these values."""
    return st.sampled_from(choices)


def mostly(usual: Any, *others: Any) -> st.SearchStrategy[Any]:
    """The usual value, seven times in eight at least."""
    return st.sampled_from([usual] * 7 * max(1, len(others)) + list(others))


def properties(name: str) -> st.SearchStrategy[dict[str, Any]]:
    """A property with random flags, mostly sound."""
    return st.fixed_dictionaries(
        {
            "id": st.just(name),
            "type": st.just("NUMBER" if name == NUMBER else "BOOLEAN"),
            "setBy": mostly("EVALUATOR", "INTEGRATION", "AGENT"),
            "checkUntilMatch": mostly(True, False),
            "terminalValue": mostly(True, False, None),
            "includeInLlm": mostly(True, False),
            "earlyFalse": mostly(False, True),
        }
    )


EXTRA = st.fixed_dictionaries(
    {
        "propertyId": one_of(*STAMPS, *STOPS, NUMBER, "unknown"),
        "operator": one_of("EQUALS", "NOT_EQUALS", "GREATER_THAN", "LESS_OR_EQUAL", "IS_SET", "IS_NOT_SET"),
        "value": one_of(True, False, 3, "true"),
    }
)
DESTINATIONS = one_of(
    {"kind": "FREE_TEXT"},
    {"kind": "FREE_TEXT", "fallbackTemplateId": "t0"},
    {"kind": "WHATSAPP_TEMPLATE", "templateId": "t0"},
    {"kind": "WHATSAPP_TEMPLATE", "templateId": "t1"},
    {"kind": "WHATSAPP_TEMPLATE", "templateId": "t2"},
)
REPEATS = one_of(
    None,
    None,
    {"intervalMinutes": 7},
    {"intervalMinutes": 25, "maxRepeats": 2},
    {"intervalMinutes": 40, "maxRepeats": 0},
)


@st.composite
def follow_ups(draw: Any, name: str) -> dict[str, Any]:
    """A follow-up that is conformant, less some of its literals, and more."""
    stage = draw(st.integers(0, 2))
    sound = [{"propertyId": STAMPS[stage], "operator": "EQUALS", "value": True}]
    sound += [{"propertyId": one, "operator": "NOT_EQUALS", "value": True} for one in (*STAMPS[stage + 1 :], *STOPS)]
    kept = [one for one in sound if draw(mostly(True, False))]
    return {
        "id": name,
        "stageId": draw(mostly(f"s{stage}", "elsewhere")),
        "active": draw(mostly(True, False)),
        "propertyConditions": kept + draw(st.lists(EXTRA, max_size=1)) * draw(mostly(0, 1)),
        "delayTriggerPropertyId": draw(mostly(STAMPS[stage], None, NUMBER)),
        "delayMinutesAfterPropertySet": draw(one_of(None, 0, 3, 10, 20, 60, -5)),
        "minMinutesSinceLastInbound": draw(one_of(None, 0, 5, 15, 40)),
        "channel": draw(mostly("WHATSAPP", "INSTAGRAM", "WEB", None)),
        "destination": draw(st.just({"kind": "FREE_TEXT"}) | DESTINATIONS),
        "repeat": draw(REPEATS),
        "activeFrom": draw(mostly(None, 30)),
        "maxAgeMinutes": draw(mostly(None, 0, 12, 90)),
    }


QUIET = st.fixed_dictionaries(
    {
        "start": one_of("00:20", "01:30", "22:00", "03:00"),
        "end": one_of("02:30", "01:00", "03:45", "07:10"),
        "tz": one_of("LEAD", "AGENT"),
        "onUnknownTz": one_of("BLOCK", "SEND"),
        "release": one_of("FLUSH", "COLLAPSE", "COLLAPSE"),
    }
)
RUNTIMES = st.fixed_dictionaries(
    {
        "runnerTickMinutes": one_of(1, 3, 5, 7),
        "evaluatorBatchMinutes": one_of(1, 10, 30),
        "evaluatorRunMinutes": one_of(0, 2, 11, 45),
        "nullSemantics": mostly("PLATFORM", "SQL_STRICT"),
        "setAtPolicy": one_of("TRUE_TRANSITION", "FIRST_WRITE", "EVERY_WRITE"),
        "sendsPerTick": one_of("ALL", "ALL", "ONE_PER_LEAD"),
        "needsAttentionPolicy": mostly("EXPLICIT", "LEAD_SPOKE_LAST"),
        "noInboundPolicy": one_of("BLOCK", "ALLOW"),
        "quietHours": st.none() | QUIET,
        "minStaggerMinutes": one_of(1, 15),
        "windowMinutes": mostly(1440, 60),
    }
)
TEMPLATES = [
    {"id": "t0", "status": "APPROVED", "params": [{"name": "n", "source": NUMBER}]},
    {"id": "t1", "status": "PENDING"},
    {"id": "t2", "status": "APPROVED", "params": [{"name": "n", "source": "hello"}, {"name": "n", "source": "again"}]},
]
LIMIT = {"id": "l", "propertyConditions": [{"propertyId": "x1", "operator": "EQUALS", "value": True}]}


@st.composite
def models(draw: Any) -> dict[str, Any]:
    """A small model, sound or not."""
    return {
        "schemaVersion": "fu-model/1",
        "agent": {
            "id": "a",
            "timezone": draw(one_of("UTC", "Europe/Madrid", None)),
            "maxFollowUpsPerLeadPer24h": draw(one_of(None, None, 2)),
            "minMinutesBetweenFollowUps": draw(one_of(None, None, 0, 12)),
        },
        "runtime": draw(RUNTIMES),
        "properties": [draw(properties(one)) for one in (*STAMPS, *STOPS, NUMBER)],
        "stages": [{"id": f"s{at}", "order": at, "entryStampId": one} for at, one in enumerate(STAMPS)],
        "stops": [{"propertyId": one} for one in STOPS],
        "followUps": [draw(follow_ups(one)) for one in FOLLOW_UPS[: draw(st.integers(1, 4))]],
        "templates": TEMPLATES,
        "contactLimits": draw(mostly([], [LIMIT])),
    }


MINUTES = st.integers(0, 260)


def truths(names: st.SearchStrategy[str], values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"t": MINUTES, "type": st.just("TRUTH"), "propertyId": names, "value": values})


TRUTHS = truths(one_of("p0", "p1", "p1", "p2", "x0", "x1"), mostly(True, False, None)) | truths(
    st.just(NUMBER), mostly(5, 0, None)
)
FLAGS = st.fixed_dictionaries({"t": MINUTES, "type": one_of("NEEDS_ATTENTION", "MUTE"), "value": one_of(True, False)})
WORDS = st.fixed_dictionaries({"t": MINUTES, "type": mostly("INBOUND", "AGENT_OUT", "NO_RESPONSE")})
EVENTS = TRUTHS | TRUTHS | TRUTHS | WORDS | WORDS | WORDS | FLAGS
BEGINNING = st.builds(
    lambda minute: [
        {"t": 0, "type": "INBOUND"},
        {"t": minute, "type": "TRUTH", "propertyId": "p0", "value": True},
    ],
    st.integers(0, 90),
)
CHANGES = one_of(
    {"delayMinutesAfterPropertySet": 30},
    {"repeat": {"intervalMinutes": 20, "maxRepeats": 1}},
    {"propertyConditions": []},
    {"maxAgeMinutes": 5},
    {"stageId": "s1"},
)
SWITCHES = st.fixed_dictionaries({"t": MINUTES, "type": one_of("ACTIVATE", "DEACTIVATE")})
ENGINE_EVENTS = (
    SWITCHES
    | st.builds(lambda one: one | {"followUpId": "a"}, SWITCHES)
    | st.fixed_dictionaries(
        {"t": MINUTES, "type": st.just("CONFIG_CHANGE"), "followUpId": st.just("a"), "changes": CHANGES}
    )
    | st.fixed_dictionaries(
        {
            "t": MINUTES,
            "type": st.just("CONFIG_CHANGE"),
            "propertyId": one_of(*STAMPS),
            "changes": one_of({"includeInLlm": True}, {"checkUntilMatch": False}, {"terminalValue": False}),
        }
    )
)
OUTAGES = st.builds(lambda start, long: {"from": start, "to": start + long}, MINUTES, st.integers(0, 90))
FAULTS = st.fixed_dictionaries(
    {
        "runners": one_of(1, 1, 2, 3),
        "idempotencyKey": st.booleans(),
        "crashBetweenSendAndMark": st.lists(MINUTES, max_size=3),
        "deliveryPolicy": one_of("AT_MOST_ONCE", "AT_LEAST_ONCE"),
        "outages": st.lists(OUTAGES, max_size=2),
        "deliveryErrors": mostly(
            [], [{"lead": "l0", "followUp": "a", "code": "131049"}], [{"lead": "l1", "code": "X"}]
        ),
    }
)


@st.composite
def scenarios(draw: Any) -> dict[str, Any]:
    """Two leads at most, half a day at most, around a night in which clocks change."""
    leads = [
        {
            "id": f"l{at}",
            "timezone": draw(one_of(*ZONES)),
            "reachable": draw(mostly(True, False)),
            "properties": draw(one_of({}, {}, {"p0": True}, {"p0": False, NUMBER: 3})),
            "events": [*draw(BEGINNING), *draw(st.lists(EVENTS, max_size=6))],
        }
        for at in range(draw(st.integers(1, 2)))
    ]
    return {
        "horizonMinutes": draw(one_of(0, 150, 400, 400)),
        "epoch": draw(one_of("2026-03-28T23:10:00Z", "2026-10-25T00:20:00Z", "2026-01-05T00:00:00Z")),
        "leads": leads,
        "events": draw(st.just([]) | st.lists(ENGINE_EVENTS, max_size=2) | st.lists(EVENTS, max_size=1)),
        "faults": draw(FAULTS) if draw(one_of(True, False, False)) else {},
    }


@settings(deadline=None, max_examples=250)
@given(models(), scenarios())
def test_the_fast_simulator_says_what_the_slow_one_says(model: dict[str, Any], scenario: dict[str, Any]) -> None:
    """Byte for byte: sends, classes, silences with their reasons, counts."""
    loaded, read = model_of(model).model, scenario_of(scenario).scenario
    fast = simulate(loaded, read).as_document()
    slow = slow_simulate(loaded, read)
    assert fast == slow
    assert json.dumps(fast) == json.dumps(slow)


@settings(deadline=None, max_examples=150)
@given(models(), scenarios(), st.randoms(use_true_random=False))
def test_the_order_of_leads_and_a_second_run_change_nothing(
    model: dict[str, Any], scenario: dict[str, Any], dice: random.Random
) -> None:
    """Leads are taken by id, and nothing is random."""
    loaded = model_of(model).model
    once = json.dumps(simulate(loaded, scenario_of(scenario).scenario).as_document())
    dice.shuffle(scenario["leads"])
    assert json.dumps(simulate(loaded, scenario_of(scenario).scenario).as_document()) == once


@settings(deadline=None, max_examples=150)
@given(models(), scenarios())
def test_looks_are_at_least_attempts_are_at_least_messages_are_at_least_reached(
    model: dict[str, Any], scenario: dict[str, Any]
) -> None:
    """|runs| >= |attempts| >= |messages| >= |reached|, and messages are the sends."""
    timeline = simulate(model_of(model).model, scenario_of(scenario).scenario)
    counts = timeline.counts
    assert counts["runs"] >= counts["attempts"] >= counts["messages"] >= counts["reached"] >= 0
    assert counts["messages"] == len(timeline.sends)
    assert counts["reached"] == sum(one["status"] == "OK" for one in timeline.sends)


@settings(deadline=None)
@given(models(), scenarios())
def test_an_explanation_says_what_the_timeline_says(model: dict[str, Any], scenario: dict[str, Any]) -> None:
    """The same sends, and the same reason and cause for each silence."""
    loaded, read = model_of(model).model, scenario_of(scenario).scenario
    timeline = simulate(loaded, read)
    for follow_up in loaded.follow_ups:
        for lead in read.leads:
            told = explain(loaded, read, lead.id, follow_up.id)
            sends = [one for one in timeline.sends if (one["lead"], one["followUp"]) == (lead.id, follow_up.id)]
            assert [(one["t"], one["status"]) for one in told.fired] == [(one["t"], one["status"]) for one in sends]
            for one in timeline.silent:
                if (one["lead"], one["followUp"]) == (lead.id, follow_up.id):
                    assert told.dominant is not None
                    assert (told.dominant["reason"], told.dominant["cause"]) == (one["reason"], one["cause"])


@settings(deadline=None)
@given(models(), scenarios())
def test_a_failing_lead_changes_nothing_for_the_next(model: dict[str, Any], scenario: dict[str, Any]) -> None:
    """Deliveries to one lead raise; what the other gets is the same to the byte."""
    loaded = model_of(model).model
    scenario = scenario | {"faults": {}}
    failing = scenario | {"faults": {"deliveryErrors": [{"lead": "l0", "code": "boom"}]}}
    sound, broken = (simulate(loaded, scenario_of(one).scenario) for one in (scenario, failing))
    assert [one for one in sound.sends if one["lead"] != "l0"] == [one for one in broken.sends if one["lead"] != "l0"]
    assert {one["status"] for one in broken.sends if one["lead"] == "l0"} <= {"FAILED"}


@given(
    st.integers(1, 30),
    st.lists(st.tuples(st.integers(0, 200), st.integers(0, 200)), max_size=4),
    st.integers(0, 250),
    st.integers(0, 250),
)
def test_ticks_are_counted_and_found_without_walking(
    every: int, outages: list[tuple[int, int]], start: int, end: int
) -> None:
    """`next` and `count` agree with a list of all ticks."""
    down = merged(outages)
    ticks = Ticks(every, outages)
    walked = [one for one in range(0, 600, every) if not any(first <= one < after for first, after in down)]
    assert ticks.next(start) == next(one for one in walked if one >= start)
    assert ticks.count(start, end) == sum(start <= one < end for one in walked)
    assert ticks.last(end) == max((one for one in walked if one < end), default=None)
