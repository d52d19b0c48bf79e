"""P1 to P9: each is decided by boxes and exact bounds; what refutes it knows the timelines that should show it."""

from __future__ import annotations

from functools import partial
from math import inf

from mindloop.sequence import words
from mindloop.sequence.findings import listed, named
from mindloop.sequence.proving import stories
from mindloop.sequence.proving.bounds import close_pairs, oldest, overtaken, up
from mindloop.sequence.proving.execution import looked, sent, with_only
from mindloop.sequence.proving.reach import (
    IN_BATCHES,
    NEVER,
    answers_early,
    clock_moves,
    is_latch,
    literal,
    upstream,
    written,
)
from mindloop.sequence.rules.budget import longest_quiet, most_per_day, oldest_inbound, repeats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from mindloop.sequence.model import FollowUp, Model, Reason, Stage
    from mindloop.sequence.proving.execution import Attempt
    from mindloop.sequence.proving.reach import Reach, State

    Attempts = Callable[[], Iterator[Attempt]]
    Bound = dict[str, Any]


class Refutation:
    """One thing that refutes an obligation.

    Attributes:
        text: what goes wrong, a sentence.
        follow_ups: the follow-ups that it is about.
        state: values of a lead for whom it goes wrong, or None where it is not about a state.
        attempts: makes the timelines that should show it.
        detail: its numbers.
    """

    __slots__ = ("attempts", "detail", "follow_ups", "state", "text")

    def __init__(
        self, text: str, follow_ups: list[str], attempts: Attempts, state: State | None = None, **detail: Any
    ) -> None:
        self.text = text
        self.follow_ups = follow_ups
        self.attempts = attempts
        self.state = state
        self.detail = detail


class Claim:
    """One obligation as it is decided.

    Attributes:
        statement: what is claimed, with the bound's numbers named.
        depends_on: the rules whose findings refute it.
        refutations: what refutes it, lazily; none is that it holds.
        bound: numbers, and what they are.
    """

    __slots__ = ("bound", "depends_on", "id", "name", "refutations", "statement")

    def __init__(self, id: str, name: str, statement: str, depends_on: tuple[str, ...]) -> None:
        self.id = id
        self.name = name
        self.statement = statement
        self.depends_on = depends_on
        self.refutations: Callable[[Reach], Iterator[Refutation]] = lambda _reach: iter(())
        self.bound: Callable[[Reach], Bound] = lambda _reach: {}


CLAIMS: list[Claim] = []


def _claim(
    id: str, name: str, statement: str, *depends_on: str
) -> Callable[[Callable[[Reach], Iterator[Refutation]]], Callable[[Reach], Iterator[Refutation]]]:
    claim = Claim(id, name, statement, depends_on)
    CLAIMS.append(claim)

    def keep(refutations: Callable[[Reach], Iterator[Refutation]]) -> Callable[[Reach], Iterator[Refutation]]:
        claim.refutations = refutations
        return refutations

    return keep


def _bound_of(id: str) -> Callable[[Callable[[Reach], Bound]], Callable[[Reach], Bound]]:
    claim = next(one for one in CLAIMS if one.id == id)

    def keep(bound: Callable[[Reach], Bound]) -> Callable[[Reach], Bound]:
        claim.bound = bound
        return bound

    return keep


# P1


@_claim("P1", "exclusivity", "No lead can be in the firing sets of two follow-ups of different stages.", "R2", "R18")
def exclusivity(reach: Reach) -> Iterator[Refutation]:
    """Pairs of different stages whose firing sets meet (P1)."""
    for one, other in _stage_pairs(reach):
        state = reach.together(one, other)
        if state is not None:
            yield Refutation(
                f"{named(one.id)} of {named(one.stage_id)} and {named(other.id)} of {named(other.stage_id)} fire for "
                "one lead",
                [one.id, other.id],
                partial(stories.both_fire, reach, one, other, state),
                state,
            )


def _stage_pairs(reach: Reach) -> Iterator[tuple[FollowUp, FollowUp]]:
    """Follow-ups of different stages; of those of one stage with one box the first speaks for all."""
    first: dict[tuple[str, Any], FollowUp] = {}
    for one in reach.live:
        if one.stage_id in reach.stamps:
            first.setdefault((one.stage_id, reach.box(one).key), one)
    speakers = list(first.values())
    for at, one in enumerate(speakers):
        for other in speakers[at + 1 :]:
            if one.stage_id != other.stage_id:
                yield one, other


@_bound_of("P1")
def _pairs(reach: Reach) -> Bound:
    by_stage = [len(reach.model.of_stage(stage.id)) for stage in reach.model.stages]
    every = sum(by_stage)
    return {"crossStagePairs": (every * every - sum(one * one for one in by_stage)) // 2}


# P2


@_claim(
    "P2",
    "stop-completeness",
    "No follow-up fires for a lead who is stopped, and every way to drop out is a stop.",
    "R3",
    "R13",
    "R14",
    "R21",
)
def stop_completeness(reach: Reach) -> Iterator[Refutation]:
    """Follow-ups that fire for a stopped lead, and reasons that stop nobody (P2)."""
    for follow_up in reach.live:
        for stop in dict.fromkeys(reach.model.stop_ids):
            known = reach.about(stop) is not None
            state = reach.while_set(follow_up, stop) if known else reach.fires(follow_up)
            if state is not None:
                yield Refutation(
                    f"{named(follow_up.id)} fires for a lead with {named(stop)}"
                    + ("" if known else ", which is no property and so stops nobody"),
                    [follow_up.id],
                    partial(stories.past_stop, reach, follow_up, stop),
                    state,
                    stop=stop,
                )
    yield from _without_stop(reach)


def _without_stop(reach: Reach) -> Iterator[Refutation]:
    chasing = next((one for one in reach.live if reach.fires(one) is not None), None)
    if chasing is None:
        return
    answering = reach.needs_attention == words.LEAD_SPOKE_LAST
    for reason in reach.model.reasons:
        silent = reason.agent_outcome == words.NO_RESPONSE
        if not is_stop(reach.model, reason) and not (silent and answering):
            yield Refutation(
                f"the drop-out reason {named(reason.id)} ({reason.agent_outcome}) sets no boolean stop",
                [chasing.id],
                partial(dropping_out, reach, reason),
                reach.fires(chasing),
                reason=reason.id,
            )
    covered = any(reason.agent_outcome == words.NO_RESPONSE for reason in reach.model.reasons)
    if not covered and not answering:
        yield Refutation(
            "no drop-out reason covers leads whom the agent leaves without an answer",
            [chasing.id],
            partial(stories.dropped, reach, chasing),
            reach.fires(chasing),
        )


def is_stop(model: Model, reason: Reason) -> bool:
    """Whether a reason sets a boolean that is among the stops."""
    about = model.properties.get(reason.stop_property_id or "")
    return about is not None and about.type == words.BOOLEAN and about.id in model.stop_ids


def dropping_out(reach: Reach, reason: Reason) -> Iterator[Attempt]:
    """A lead drops out for a reason and is written to; the agent's silence shows it, else the message itself does."""
    name = reason.stop_property_id
    for follow_up in reach.live:
        if reason.agent_outcome == words.NO_RESPONSE:
            yield from stories.dropped(reach, follow_up)
            continue
        known = name is not None and reach.about(name) is not None
        state = reach.while_set(follow_up, name) if known and name else reach.fires(follow_up)
        if state is not None:
            why = f"after dropping out for the reason {reason.id}"[:200]
            yield from stories.firing(reach, state, sent(follow_up.id, why=why), follow_up)


@_bound_of("P2")
def _stops(reach: Reach) -> Bound:
    stops = len(set(reach.model.stop_ids))
    return {"stops": stops, "exclusions": stops * len(reach.live), "dropOutReasons": len(reach.model.reasons)}


# P3


@_claim(
    "P3",
    "liveness",
    "Who enters a stage, fulfils what a follow-up asks for beyond the funnel, and of whom nothing else is known, "
    "gets it, wherever ticks and quiet hours fall.",
    "R7",
    "R10",
    "R16",
    "R17",
    "R20",
    "R21",
    "R22",
    "R33",
)
def liveness(reach: Reach) -> Iterator[Refutation]:
    """Follow-ups that a lead who entered their stage never gets (P3)."""
    for follow_up in reach.live:
        if not is_alive(reach, follow_up):
            yield Refutation(
                f"{named(follow_up.id)} does not go out to a lead who entered {named(follow_up.stage_id)} and of whom "
                "nothing else is known",
                [follow_up.id],
                partial(stories.mute, reach, follow_up),
                stories.walks(reach, follow_up),
            )
            continue
        if _needs_a_zone(reach):
            yield Refutation(
                f"{named(follow_up.id)} does not go out to a lead without a timezone: quiet hours follow the lead's, "
                "the agent has none, and an unknown one blocks",
                [follow_up.id],
                partial(stories.zoneless, reach, follow_up),
                stories.walks(reach, follow_up),
            )
            continue
        if _is_outlasted(reach, follow_up):
            yield Refutation(
                f"{named(follow_up.id)} may be too old ({follow_up.max_age} minutes) before a tick or the end of quiet "
                "hours lets it go",
                [follow_up.id],
                partial(stories.outlasted, reach, follow_up),
                stories.walks(reach, follow_up),
                maxAge=follow_up.max_age,
            )


def _needs_a_zone(reach: Reach) -> bool:
    """Whether a lead of whom no zone is known gets nothing at all."""
    quiet = reach.model.runtime.quiet_hours
    if quiet is None or not longest_quiet(reach.model.runtime) or quiet.on_unknown_tz != words.BLOCK:
        return False
    return quiet.tz == "LEAD" and not reach.model.agent.timezone


def _is_outlasted(reach: Reach, follow_up: FollowUp) -> bool:
    """Whether for some place of ticks and nights its age is over before it may go out: a timeline says so."""
    runtime = reach.model.runtime
    longest = runtime.runner_tick - 1 + up(longest_quiet(runtime), runtime.runner_tick)
    if follow_up.max_age is None or follow_up.max_age >= longest:
        return False
    few = with_only(reach.model, [follow_up.id])
    attempts = stories.outlasted(reach, follow_up)
    return any(looked(few, attempt.document, attempt.look) is not None for attempt in attempts)


def is_alive(reach: Reach, follow_up: FollowUp) -> bool:
    """Whether there is such a timeline: the boxes say where not to look, running one is the proof."""
    if reach.box(follow_up).is_empty:
        return False
    runtime = reach.model.runtime
    told = {"nullSemantics": reach.null_semantics, "setAtPolicy": reach.policy}
    same = reach.null_semantics == runtime.null_semantics and reach.policy == runtime.set_at_policy
    attempts = stories.enters(reach, follow_up, sent(follow_up.id), {} if same else told)
    few = with_only(reach.model, [follow_up.id])
    return any(looked(few, attempt.document, attempt.look) is not None for attempt in attempts)


@_bound_of("P3")
def _alive(reach: Reach) -> Bound:
    return {"followUps": len(reach.live)}


# P4


@_claim(
    "P4",
    "spacing",
    "The first messages of two follow-ups of a stage are minStaggerMinutes or more apart, after rounding to ticks "
    "and with quiet hours that hold them up.",
    "R4",
    "R5",
    "R6",
    "X1",
    "X10",
)
def distance(reach: Reach) -> Iterator[Refutation]:
    """Pairs of a stage that may go out too close together (P4)."""
    least = reach.model.runtime.min_stagger
    for stage in reach.model.stages:
        firing = [one for one in reach.model.of_stage(stage.id) if reach.fires(one) is not None]
        for one, other, found in close_pairs(reach, firing, least):
            state = reach.together(one, other)
            if state is not None:
                yield Refutation(
                    f"{named(one.id)} and {named(other.id)} of {named(stage.id)} may go out {int(found)} minutes "
                    f"apart, {least} are the least",
                    [one.id, other.id],
                    partial(stories.burst, reach, one, other, state, **_policy(reach)),
                    state,
                    minutes=int(found),
                )


def _policy(reach: Reach) -> dict[str, Any]:
    return {} if reach.policy == reach.model.runtime.set_at_policy else {"setAtPolicy": reach.policy}


@_bound_of("P4")
def _closest(reach: Reach) -> Bound:
    found = []
    for stage in reach.model.stages:
        for one, other, minutes in close_pairs(reach, reach.model.of_stage(stage.id), 1 << 40):
            found.append((minutes, one.id, other.id))
    told: Bound = {"leastMinutes": reach.model.runtime.min_stagger}
    if found:
        closest = min(found)
        told |= {"guaranteedMinutes": int(closest[0]), "pair": [closest[1], closest[2]]}
    return told


# P5


@_claim(
    "P5",
    "window",
    "Free text goes out within the channel's window even if stamping, ticks, quiet hours and the agent's own caps are "
    "at their slowest.",
    "R11",
    "X3",
    "X6",
)
def window(reach: Reach) -> Iterator[Refutation]:
    """Free text that may go out when the window is over (P5)."""
    for follow_up in reach.live:
        minutes = oldest(reach, follow_up)
        late = minutes >= reach.model.runtime.window and in_window(reach.model, follow_up)
        state = reach.fires(follow_up) if late else None
        if state is not None:
            yield Refutation(
                f"{named(follow_up.id)} may go out {_minutes(minutes)} after the lead's last message and then does not "
                "arrive",
                [follow_up.id],
                partial(stories.too_late, reach, follow_up),
                state,
                minutes=None if minutes == inf else int(minutes),
            )


def in_window(model: Model, follow_up: FollowUp) -> bool:
    """Whether it arrives within the window alone: no template that may be sent, on a channel with a window."""
    channel = follow_up.channel or next(iter(model.agent.channels), words.WHATSAPP)
    to = follow_up.destination
    if channel not in words.WINDOWED:
        return False
    if channel != words.WHATSAPP:
        return True
    if to.kind == words.WHATSAPP_TEMPLATE:
        return False
    fallback = model.templates.get(to.fallback_template_id or "")
    return fallback is None or fallback.status != words.APPROVED


def _minutes(minutes: float) -> str:
    return "any number of minutes" if minutes == inf else f"{int(minutes)} minutes"


@_bound_of("P5")
def _latest(reach: Reach) -> Bound:
    free = [one for one in reach.live if in_window(reach.model, one)]
    told: Bound = {"windowMinutes": reach.model.runtime.window}
    if free:
        worst = max(free, key=lambda one: (oldest(reach, one), one.id))
        exact = oldest(reach, worst)
        told |= {
            "boundMinutes": _bound(reach, worst, exact),
            "worstMinutes": None if exact == inf else int(exact),
            "followUp": worst.id,
        }
    return told


def _bound(reach: Reach, follow_up: FollowUp, exact: float) -> int | None:
    """The bound that does not look at where batches and ticks fall; with caps the exact one where that is greater."""
    if exact == inf:
        return None
    return max(oldest_inbound(follow_up, reach.model.runtime), int(exact))


# P6


@_claim(
    "P6",
    "lag-safety",
    "Whatever the lead's last message caused is stamped before a follow-up can go out after it.",
    "R6",
    "X2",
)
def lag_safety(reach: Reach) -> Iterator[Refutation]:
    """Follow-ups that may overtake what the last message caused (P6)."""
    for follow_up in reach.live:
        if overtaken(reach, follow_up) is None:
            continue
        names = [*reach.model.stop_ids, *reach.later_stamps(follow_up)]
        found = ((name, stories.overtakable(reach, follow_up, name)) for name in names)
        name, state = next(((name, state) for name, state in found if state is not None), ("", None))
        if state is not None:
            yield Refutation(
                f"{named(follow_up.id)} may go out before {named(name)}, which the last message caused, is stamped: "
                f"silence {follow_up.silence or 0}, lag {reach.model.runtime.lag}",
                [follow_up.id],
                partial(stories.overtakes, reach, follow_up),
                state,
                silence=follow_up.silence or 0,
            )


@_bound_of("P6")
def _lag(reach: Reach) -> Bound:
    runtime = reach.model.runtime
    shortest = min((max(one.silence or 0, 0) for one in reach.live), default=None)
    return {
        "lagMinutes": runtime.lag,
        "agentReplyMinutes": runtime.agent_reply,
        "evaluatorBatchMinutes": runtime.evaluator_batch,
        "evaluatorRunMinutes": runtime.evaluator_run,
        "shortestSilenceMinutes": shortest,
    }


# P7


@_claim("P7", "termination", "A lead gets a finite number of messages, though no stop ever turns true.", "R30")
def termination(reach: Reach) -> Iterator[Refutation]:
    """Follow-ups that repeat without an end (P7)."""
    for follow_up in reach.live:
        if repeats(follow_up) is None:
            state = reach.fires(follow_up)
            if state is not None:
                yield Refutation(
                    f"{named(follow_up.id)} repeats without an end",
                    [follow_up.id],
                    partial(stories.endless, reach, follow_up),
                    state,
                )


@_bound_of("P7")
def _sends(reach: Reach) -> Bound:
    """Messages in all; of what an age alone bounds, after each message of the lead's."""
    total, again = 0, 0
    for one in reach.live:
        times = repeats(one)
        if times is None:
            return {"messages": None, "perDayByOffsets": most_per_day(reach.model)}
        by_age = one.repeat is not None and (one.repeat.max_repeats is None)
        if one.repeat and one.repeat.max_repeats is not None:
            times = one.repeat.max_repeats  # An age moves with the lead's last message, and lets more of them go.
        total += 0 if by_age else 1 + times
        again += 1 + times if by_age else 0
    told: Bound = {"messages": total, "perDayByOffsets": most_per_day(reach.model)}
    return told | {"messagesAfterEachInbound": again} if again else told


# P8


@_claim(
    "P8",
    "coverage",
    "Whoever is in a stage that is not terminal, and in no later one, and not stopped, is in the firing set of one of "
    "its follow-ups.",
    "R7",
    "R19",
    "R35",
)
def coverage(reach: Reach) -> Iterator[Refutation]:
    """States of a stage in which a lead gets nothing (P8)."""
    for stage in reach.model.stages:
        if stage.terminal or stage.entry_stamp_id in reach.model.stop_ids:
            continue
        of_stage = reach.model.of_stage(stage.id)
        state = _uncovered(reach, stage, of_stage)
        if state is not None:
            yield Refutation(
                f"a lead in {named(stage.id)} gets none of its {len(of_stage)} follow-ups"
                + (f" ({listed(one.id for one in of_stage)})" if of_stage else ""),
                [one.id for one in of_stage],
                partial(stories.uncovered, reach, stage, state),
                state,
                stage=stage.id,
            )


def _uncovered(reach: Reach, stage: Stage, of_stage: list[FollowUp]) -> State | None:
    """A state of the funnel in none of the boxes; what is no property nobody ever enters by."""
    if reach.about(stage.entry_stamp_id) is None:
        return {}
    before = {*upstream(reach.model, stage), stage.entry_stamp_id}
    barred = [one.entry_stamp_id for one in reach.model.stages if one.entry_stamp_id not in before]
    barred += [name for name in reach.model.stop_ids if name not in before]
    box = reach.in_stage(stage) & reach.barred(barred)
    box &= _nothing_else(reach, {*before, *barred}, of_stage)
    return reach.state(box, [reach.conditions(one) for one in of_stage])


def _nothing_else(reach: Reach, funnel: set[str], of_stage: list[FollowUp]) -> Any:
    """Of what is no stamp and no stop nothing is known, or the early false."""
    names = {one.property_id for follow_up in of_stage for one in reach.conditions(follow_up)} - funnel
    early = {name for name in names if answers_early(reach.about(name))}
    unknown = [literal(name, words.IS_NOT_SET) for name in sorted(names - early)]
    return reach.space.box(unknown) & reach.barred(early)


@_bound_of("P8")
def _covered(reach: Reach) -> Bound:
    open_ones = [stage.id for stage in reach.model.stages if not stage.terminal]
    return {"stages": len(open_ones)}


# P9


@_claim(
    "P9",
    "latches",
    "Every stamp and stop is a boolean that turns true when it is so, and stays true.",
    "R8",
    "R9",
    "R10",
    "R21",
    "R22",
    "R25",
)
def latches(reach: Reach) -> Iterator[Refutation]:
    """Stamps and stops that are not one-way (P9)."""
    stops = dict.fromkeys(reach.model.stop_ids)
    stamps = dict.fromkeys(stage.entry_stamp_id for stage in reach.model.stages)
    for name in [*stamps, *(one for one in stops if one not in stamps)]:
        about = reach.about(name)
        if is_latch(about) or (name not in stamps and _mutes_for_good(reach, name)):
            continue
        yield Refutation(
            f"{named(name)} {_no_latch(reach, name)}",
            [],
            partial(_showing, reach, name, is_stop=name in stops, is_stamp=name in stamps),
            None,
            property=name,
        )


def _showing(reach: Reach, name: str, *, is_stop: bool, is_stamp: bool) -> Iterator[Attempt]:
    if is_stop:
        yield from stories.unstopped(reach, name)
    if is_stamp:
        yield from stories.unstamped(reach, name)


def _mutes_for_good(reach: Reach, stop: str) -> bool:
    """Whether a stop that turns true when it is so mutes the contact, so that taking it back changes nothing."""
    about = reach.about(stop)
    if about is None or about.type != words.BOOLEAN or written(about) != IN_BATCHES:
        return False
    turns_true = about.check_until_match and about.terminal_value is not False
    return turns_true and any(len(one) == 1 and one[0].says(stop, words.EQUALS, value=True) for one in reach.limits)


def _no_latch(reach: Reach, name: str) -> str:
    about = reach.about(name)
    if about is None:
        return "is no property: it is never true"
    if about.type != words.BOOLEAN:
        return f"is a {about.type}: it is never true"
    if written(about) == NEVER:
        why = "the agent writes nothing" if about.set_by == words.AGENT else "includeInLlm is off"
        return f"is never written: {why}"
    return "is not checked until it is true: an early false may freeze, or the true be taken back"


@_bound_of("P9")
def _properties(reach: Reach) -> Bound:
    names = {*reach.model.stop_ids, *(stage.entry_stamp_id for stage in reach.model.stages)}
    return {"properties": len(names), "byEvaluator": sum(written(reach.about(name)) == IN_BATCHES for name in names)}


def sensitive(reach: Reach) -> bool:
    """Whether any follow-up's clock depends on what the engine takes for 'set'."""
    return any(
        clock_moves(reach.about(one.anchor)) or not one.has(one.anchor, words.EQUALS, value=True)
        for one in reach.live
        if one.anchor
    )
