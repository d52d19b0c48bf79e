"""Laws of the proof: what it promises never happens in random timelines, what it refutes one timeline shows."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from mindloop.sequence.check import check
from mindloop.sequence.loading import model_of
from mindloop.sequence.proof import prove, refutations
from mindloop.sequence.proving.bounds import clocks, oldest, spacing
from mindloop.sequence.proving.execution import looked, shown
from mindloop.sequence.proving.reach import Reach
from mindloop.sequence.scenario import scenario_of
from mindloop.sequence.simulator.engine import simulate
from mindloop.sequence.witness import attach_witnesses
from mindloop.store.errors import Malformed
from tests.helpers.sequence_timelines import damaged, held, sound, timeline
from tests.property.test_sequence_rule_laws import documents

if TYPE_CHECKING:
    from mindloop.sequence.model import Model
    from mindloop.sequence.proof import Proof
    from mindloop.sequence.simulator.engine import Timeline

SEEDS = st.integers(0, 10**9)
MODELS = 400
TIMELINES = 25
"""So many timelines of each model: 10,000 in all."""


def violations(model: Model, proof: Proof, document: dict[str, Any], ran: Timeline) -> list[str]:
    """What happened although the proof says that it does not."""
    promised = {one["statement"]: one["holds"] for one in proof.conclusion}
    later, stopped, late, apart, arrives, _, _ = promised.values()
    holds = {one.id: one.holds for one in proof.obligations}
    classes = {one["class"] for one in ran.events}
    found = []
    for promise, never in (
        (later, {"CROSS_STAGE"}),
        (stopped and holds["P9"], {"POST_STOP"}),
        (late, {"LAG_CROSS", "LAG_POST_STOP"}),
        (apart and not has_late_gates(model), {"SAME_STAGE_BURST"}),
        (arrives and not has_templates(model), {"WINDOW_FAIL"}),
    ):
        found += sorted(never & classes) if promise else []
    if holds["P4"] and not premised(proof, "P4") and not has_late_gates(model) and first_bursts(model, ran):
        found.append("first messages of a stage are too close")
    if holds["P5"] and not has_templates(model) and "WINDOW_FAIL" in classes:
        found.append("free text after the window")
    if holds["P3"] and not premised(proof, "P3"):
        found += [f"{name} is too old" for name in outlasted(ran)]
    return found + too_many(model, proof, document, ran)


def premised(proof: Proof, id: str) -> bool:
    return any(one.premises for one in proof.obligations if one.id == id)


def first_bursts(model: Model, ran: Timeline) -> bool:
    """Whether the first messages of two follow-ups of a stage were closer together than the stagger."""
    firsts = first_sends(ran)
    of_stage = {one.id: one.stage_id for one in model.follow_ups}
    pairs = [(one, other) for one in firsts for other in firsts if one < other and of_stage[one] == of_stage[other]]
    return any(abs(firsts[one] - firsts[other]) < model.runtime.min_stagger for one, other in pairs)


def outlasted(ran: Timeline) -> list[str]:
    """Follow-ups that never went out, to a lead who should have got them, because they were too old first."""
    silent = [one for one in ran.events if one["class"] == "SILENT_NO_FIRE" and one["reason"] == "TOO_OLD"]
    return [name for one in silent for name in one["followUps"]]


def too_many(model: Model, proof: Proof, document: dict[str, Any], ran: Timeline) -> list[str]:
    """Messages beyond the bound of P7."""
    bound = next(one.bound for one in proof.obligations if one.id == "P7")
    if bound["messages"] is None or model.runtime.set_at_policy == "EVERY_WRITE":
        return []
    inbounds = sum(one["type"] == "INBOUND" for one in document["leads"][0]["events"])
    most = bound["messages"] + bound.get("messagesAfterEachInbound", 0) * (inbounds + 2)
    return [f"{len(ran.sends)} messages, bound {most}"] if len(ran.sends) > most else []


def has_late_gates(model: Model) -> bool:
    """Whether a condition beside the entry may turn true late, which is an assumption of P4."""
    stamps = {stage.id: stage.entry_stamp_id for stage in model.stages}
    for one in model.follow_ups:
        for condition in one.conditions:
            entry = condition.says(stamps.get(one.stage_id, ""), "EQUALS", value=True)
            if (
                not entry
                and condition.property_id != "vip"
                and not condition.says(condition.property_id, "NOT_EQUALS", value=True)
            ):
                return True
    return bool(model.contact_limits)


def has_templates(model: Model) -> bool:
    return any(one.destination.kind != "FREE_TEXT" for one in model.follow_ups)


def hold_against_timelines(r: random.Random, model: Model, many: int, horizon: int = 900) -> int:
    proof = prove(model, today="2026-11-30")
    for _ in range(many):
        document = timeline(r, model, horizon)
        ran = simulate(model, scenario_of(document).scenario)
        assert violations(model, proof, document, ran) == [], (model.raw, document)
    return sum(one.holds for one in proof.obligations)


@settings(deadline=None, max_examples=150)
@given(SEEDS)
def test_what_is_refuted_is_shown(seed: int) -> None:
    """Every refutation of a damaged model has a timeline that shows it when it is run."""
    model = model_of(damaged(random.Random(seed))).model
    sends = any(Reach(model).fires(one) is not None for one in Reach(model).live)
    for claim, one in refutations(model):
        if next(one.attempts(), None) is None:
            assert (claim, sends) == ("P9", False) or claim == "P9", one.text
            continue
        assert shown(model, one.attempts(), one.follow_ups) is not None, (claim, one.text, model.raw)


@settings(deadline=None, max_examples=60)
@given(SEEDS)
def test_what_a_sound_model_is_promised_never_fails(seed: int) -> None:
    """All of P1 to P9 hold for conformant models, and nothing that they exclude happens."""
    r = random.Random(seed)
    model = model_of(sound(r)).model
    assert hold_against_timelines(r, model, 5) == 9


@settings(deadline=None, max_examples=100)
@given(SEEDS)
def test_what_a_damaged_model_is_still_promised_never_fails(seed: int) -> None:
    """Whatever of the conclusion is still said of a damaged model never fails in a timeline within the assumptions."""
    r = random.Random(seed)
    model = model_of(damaged(r) if r.random() < 0.7 else sound(r, near=True)).model
    hold_against_timelines(r, model, 5)


def test_ten_thousand_timelines() -> None:
    """10,000 random timelines of sound models, of just sound ones and of damaged ones break no promise."""
    r = random.Random(20261130)
    kept = 0
    for number in range(MODELS):
        document = (sound, lambda r: sound(r, near=True), lambda r: damaged(r, most=2), damaged, held)[number % 5](r)
        kept += hold_against_timelines(r, model_of(document).model, TIMELINES)
    assert kept > 7 * MODELS


@settings(deadline=None, max_examples=100)
@given(SEEDS)
def test_what_holds_messages_up_breaks_no_promise(seed: int) -> None:
    """Quiet hours, caps, repeats, ages and zones, of the model itself and in any mixture."""
    r = random.Random(seed)
    hold_against_timelines(r, model_of(held(r)).model, 8)


@settings(deadline=None, max_examples=100)
@given(SEEDS)
def test_what_a_night_refutes_is_shown(seed: int) -> None:
    """Spacing and liveness that quiet hours, ages and zones refute have a timeline, where no cap is in the way."""
    document = held(random.Random(seed))
    document["agent"] |= {"maxFollowUpsPerLeadPer24h": None, "minMinutesBetweenFollowUps": None}
    model = model_of(document).model
    for claim, one in refutations(model):
        if claim == "P3" or (claim == "P4" and not any(each.max_age for each in model.follow_ups)):
            assert shown(model, one.attempts(), one.follow_ups) is not None, (claim, one.text, model.raw)


@settings(deadline=None, max_examples=60)
@given(SEEDS)
def test_a_timeline_of_a_proof_is_small_and_says_what_it_shows(seed: int) -> None:
    """The timeline is a scenario that shows the same when it is run again; no event of it could be left out."""
    model = model_of(damaged(random.Random(seed))).model
    for one in prove(model, today="2026-11-30").obligations:
        assert one.reproduced == (one.timeline is not None) == (one.shows is not None)
        assert one.holds == (one.witness is None)
        if one.timeline and one.shows:
            assert one.shows["t"] <= one.timeline["horizonMinutes"]
            again = simulate(model, scenario_of(one.timeline).scenario)
            classes = {(event["class"], event["t"]) for event in again.events}
            assert "class" not in one.shows or (one.shows["class"], one.shows["t"]) in classes


# Bounds: nothing is closer, older or later than they say, and something is as close, as old.


def first_sends(ran: Timeline) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in ran.sends:
        found.setdefault(one["followUp"], one["t"])
    return found


@settings(deadline=None, max_examples=80)
@given(SEEDS)
def test_spacing_is_a_bound_and_tight(seed: int) -> None:
    """No two first messages of a stage come closer than the exact bound, and one timeline comes as close."""
    r = random.Random(seed)
    document = sound(r)
    for one in document["followUps"]:
        one["delayMinutesAfterPropertySet"] = r.randint(1, 90)
        one["minMinutesSinceLastInbound"] = r.randint(1, 90)
    document["runtime"] |= {"noInboundPolicy": "BLOCK", "sendsPerTick": "ALL"}
    model = model_of(document).model
    reach = Reach(model)
    one, other = model.of_stage("s0")
    bound = spacing(reach, one, other)
    gaps = []
    for _ in range(12):
        sends = first_sends(simulate(model, scenario_of(timeline(r, model)).scenario))
        gaps += [abs(sends[one.id] - sends[other.id])] if {one.id, other.id} <= set(sends) else []
    assert all(gap >= bound for gap in gaps), (clocks(reach, one), clocks(reach, other))
    model.runtime.min_stagger = model.raw["runtime"]["minStaggerMinutes"] = int(bound) + 1
    assert shown(model, _bursts(reach, model), [one.id, other.id]) is not None
    model.runtime.min_stagger = model.raw["runtime"]["minStaggerMinutes"] = max(int(bound), 1)
    assert bound == 0 or shown(model, _bursts(reach, model), [one.id, other.id]) is None


def _bursts(reach: Reach, model: Model) -> Any:
    from mindloop.sequence.proving.stories import burst

    one, other = model.of_stage("s0")
    return burst(reach, one, other, reach.together(one, other) or {})


@settings(deadline=None, max_examples=80)
@given(SEEDS)
def test_the_age_at_sending_is_a_bound_and_tight(seed: int) -> None:
    """No message is older than the exact bound, and where the window is that long, one timeline is as old."""
    from mindloop.sequence.proving.stories import too_late
    from mindloop.sequence.rules.budget import oldest_inbound

    r = random.Random(seed)
    document = sound(r)
    model = model_of(document).model
    reach = Reach(model)
    one = r.choice(model.follow_ups)
    bound = int(oldest(reach, one))
    assert bound <= oldest_inbound(one, model.runtime)
    for window, reached in ((bound, True), (bound + 1, False)):
        model.runtime.window = model.raw["runtime"]["windowMinutes"] = window
        attempts = list(too_late(reach, one))
        seen = [looked(model, attempt.document, attempt.look) for attempt in attempts]
        assert any(seen) == reached, (bound, window, model.raw)


@settings(deadline=None, max_examples=80)
@given(SEEDS, st.integers(0, 3))
def test_silence_as_long_as_the_lag_is_never_overtaken(seed: int, less: int) -> None:
    """Silence of the lag or more is safe; the shortest safe silence is said exactly: one minute less is overtaken."""
    from mindloop.sequence.proving.bounds import overtaken
    from mindloop.sequence.proving.stories import overtakes

    r = random.Random(seed)
    document = sound(r)
    for one in document["properties"]:
        one |= {"setBy": "EVALUATOR", "earlyFalse": False}
    one = document["followUps"][0]
    runtime = document["runtime"]
    lag = sum(runtime[key] for key in ("agentReplyMinutes", "evaluatorBatchMinutes", "evaluatorRunMinutes"))
    one["minMinutesSinceLastInbound"] = max(lag - less, 1)
    model = model_of(document).model
    reach = Reach(model)
    first = model.follow_ups[0]
    found = overtaken(reach, first)
    assert less or found is None
    assert (shown(model, overtakes(reach, first), [first.id]) is not None) == (found is not None)


@settings(deadline=None, max_examples=100)
@given(documents())
def test_any_model_that_loads_is_proved_and_its_findings_are_shown(document: dict[str, Any]) -> None:
    """Nothing raises, whatever a model holds; the same model is proved in the same way twice."""
    try:
        model = model_of(document).model
    except Malformed:
        return
    first = prove(model, today="2026-11-30").as_json()
    assert first == prove(model, today="2026-11-30").as_json()
    attach_witnesses(model, check(model, profile="strict", today="2026-11-30"))
