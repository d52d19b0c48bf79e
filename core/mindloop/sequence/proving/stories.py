"""For each way in which a set can go wrong, the timelines that should show it; the most telling first."""

from __future__ import annotations

from itertools import islice

from mindloop.sequence import words
from mindloop.sequence.proving.bounds import SILENCE, clocks, offset_of, overtaken, silence_of, turns, up
from mindloop.sequence.proving.execution import Attempt, of_class, sent, silent
from mindloop.sequence.proving.reach import (
    IN_BATCHES,
    NEVER,
    answers_early,
    is_latch,
    literal,
    so,
    upstream,
    written,
)
from mindloop.sequence.proving.story import Story
from mindloop.sequence.rules.budget import longest_quiet, quiet_nights, repeats
from mindloop.sequence.simulator import terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from mindloop.sequence.model import FollowUp, Model, Stage
    from mindloop.sequence.proving.bounds import Clocks
    from mindloop.sequence.proving.execution import Look
    from mindloop.sequence.proving.reach import Reach, State

CROSSED = frozenset((terms.CROSS_STAGE,))
STOPPED = frozenset((terms.POST_STOP,))
LATE = frozenset((terms.LAG_CROSS, terms.LAG_POST_STOP))
UNDELIVERED = frozenset((terms.WINDOW_FAIL, terms.TEMPLATE_FAIL))
_MOST_TRIES = 24
_DAY = 1440
_MOST_WORDS = 3000
"""Messages of a lead who writes on and on."""


def firing(
    reach: Reach, state: State, look: Look, *about: FollowUp, also: tuple[tuple[str, Any], ...] = ()
) -> Iterator[Attempt]:
    """A lead comes into a state and says nothing more: by what happens, then with rows it came with.

    Args:
        reach: the model.
        state: values of the lead.
        look: what is to be seen.
        about: the follow-ups.
        also: truths besides, as they are from the beginning: ``(property, value)``.
    """
    for rows in (False, True):
        for inbound in _inbounds(reach, about):
            story = Story(reach.model, *about)
            story.state(story.begin, state, rows=rows)
            for name, value in also:
                story.truth(story.begin, name, value)
            minute = story.begin + inbound
            story.inbound(minute)
            story.align(_first_due(reach.model, about, story.begin, minute, rows=rows), "end")
            yield Attempt(story.document(), look)


def _inbounds(reach: Reach, about: tuple[FollowUp, ...]) -> list[int]:
    """Minutes at which the lead writes: at once; where a message is soon too old, so that it is due at a tick."""
    found = [0]
    tick = reach.model.runtime.runner_tick
    for one in about:
        silence = silence_of(one)
        if one.max_age is not None and silence:
            late = offset_of(one) + reach.model.runtime.lag
            found.append(up(late + silence, tick) - silence)
    return found


def _first_due(model: Model, about: tuple[FollowUp, ...], begin: int, inbound: int, *, rows: bool) -> int:
    """The tick at which the first of them is due, about."""
    run = 0 if rows else up(begin, model.runtime.evaluator_batch) - begin + model.runtime.evaluator_run
    dues = [max(begin + run + offset_of(one) if one.anchor else 0, inbound + silence_of(one)) for one in about]
    return up(min(dues, default=0), model.runtime.runner_tick)


def both_fire(reach: Reach, one: FollowUp, other: FollowUp, state: State) -> Iterator[Attempt]:
    """Two follow-ups of different stages for one lead: as the class, where the lead is past one of them."""
    for follow_up in (one, other):
        if any(state.get(stamp) is True for stamp in reach.later_stamps(follow_up)):
            yield from firing(reach, state, of_class(CROSSED, follow_up.id), follow_up)
    yield from firing(reach, state, sent(one.id, other.id), one, other)


def past_stage(reach: Reach, follow_up: FollowUp, stamp: str) -> Iterator[Attempt]:
    """It fires for a lead who is past its stage."""
    state = reach.while_set(follow_up, stamp)
    if state is not None:
        yield from firing(reach, state, of_class(CROSSED, follow_up.id), follow_up)


def past_stop(reach: Reach, follow_up: FollowUp, stop: str) -> Iterator[Attempt]:
    """It fires for a lead who is stopped; of a stop that is no boolean the agent's silence tells."""
    about = reach.about(stop)
    look = of_class(STOPPED, follow_up.id)
    state = reach.fires(follow_up) if about is None else reach.while_set(follow_up, stop)
    if state is None:
        return
    if about is not None and about.type != words.BOOLEAN:
        yield from dropped(reach, follow_up, state)
        return
    yield from firing(reach, state, look, follow_up, also=() if about is not None else ((stop, True),))


def dropped(reach: Reach, follow_up: FollowUp, state: State | None = None) -> Iterator[Attempt]:
    """The agent leaves the lead without an answer, and nothing that is stamped stops it."""
    state = reach.fires(follow_up) if state is None else state
    for rows in (False, True):
        if state is None:
            return
        story = Story(reach.model, follow_up)
        story.state(story.begin, state, rows=rows)
        story.inbound(story.begin)
        story.event(story.begin, "NO_RESPONSE")
        story.align(_first_due(reach.model, (follow_up,), story.begin, story.begin, rows=rows), "end")
        yield Attempt(story.document(), of_class(STOPPED, follow_up.id), firm=True)


def walks(reach: Reach, follow_up: FollowUp) -> State:
    """Of a lead who entered the stage, what must be so besides: what the follow-up asks for beyond the funnel."""
    model = reach.model
    own = reach.own(follow_up)
    gates = {stage.entry_stamp_id for stage in model.stages} | set(model.stop_ids)
    more = [one for one in follow_up.conditions if one.property_id not in gates]
    found = reach.space.box(more).example() or {}
    return found | ({own: so(reach.about(own))} if own is not None else {})


def enters(
    reach: Reach,
    follow_up: FollowUp,
    look: Look,
    runtime: dict[str, Any] | None = None,
    *,
    past: bool = False,
    bare: bool = False,
) -> Iterator[Attempt]:
    """A lead enters (``past`` all stages before), fulfils what else is asked unless ``bare``, and falls silent."""
    stage = reach.model.stage(follow_up.stage_id)
    before = upstream(reach.model, stage) if stage and past else []
    given = dict.fromkeys(before, True) | walks(reach, follow_up)
    if bare:
        given = {name: value for name, value in given.items() if name == reach.own(follow_up)}
    for inbound in _inbounds(reach, (follow_up,)):
        story = Story(reach.model, follow_up, **(runtime or {}))
        for name, value in given.items():
            story.truth(story.begin, name, value)
        story.inbound(story.begin + inbound)
        due = _first_due(reach.model, (follow_up,), story.begin, story.begin + inbound, rows=False)
        story.align(due, "end")
        yield Attempt(story.document(), look)


def outlasted(reach: Reach, follow_up: FollowUp) -> Iterator[Attempt]:
    """It is too old before a tick, or the end of a night, lets it go: its clock runs out anywhere between two ticks."""
    runtime = reach.model.runtime
    own = reach.own(follow_up)
    in_batches = written(reach.about(follow_up.anchor or own)) == IN_BATCHES
    late = offset_of(follow_up) + 2 * runtime.lag if silence_of(follow_up) else 0
    phases = [(number * runtime.evaluator_batch, 0) for number in range(turns(runtime))] if in_batches else []
    phases += [] if in_batches else [(phase, 0) for phase in range(runtime.runner_tick)]
    phases += [(0, late + phase) for phase in range(runtime.runner_tick)] if late else []
    for entered, wrote in phases:
        night = longest_quiet(runtime)
        for since in (0, night // 2) if night else (0,):
            story = Story(reach.model, follow_up)
            for name, value in walks(reach, follow_up).items():
                story.truth(story.begin + entered, name, value)
            inbound = story.begin + max(entered, wrote)
            for minute in _writes_on(reach.model, (follow_up,), story.begin, inbound):
                story.inbound(minute)
            after = runtime.evaluator_run if in_batches else 0
            stamped = story.next_stamp(story.begin + entered + after, follow_up.anchor or own or "")
            due = up(max(stamped + offset_of(follow_up), inbound + silence_of(follow_up)), runtime.runner_tick)
            story.align(due - since, "start" if night else "end")
            yield Attempt(story.document(), silent(follow_up.id), firm=True)


def zoneless(reach: Reach, follow_up: FollowUp) -> Iterator[Attempt]:
    """Nobody knows the lead's zone: for this lead it is always quiet."""
    for attempt in enters(reach, follow_up, silent(follow_up.id)):
        leads = [{key: value for key, value in one.items() if key != "timezone"} for one in attempt.document["leads"]]
        yield Attempt({**attempt.document, "leads": leads}, attempt.look)


def mute(reach: Reach, follow_up: FollowUp) -> Iterator[Attempt]:
    """It never goes out to a lead who should get it."""
    for past in (False, True):
        yield from enters(reach, follow_up, silent(follow_up.id), past=past)
    for attempt in enters(reach, follow_up, silent(follow_up.id, owed=False)):
        yield Attempt(attempt.document, attempt.look, firm=True)


def uncovered(reach: Reach, stage: Stage, state: State) -> Iterator[Attempt]:
    """A lead in a state of a stage gets nothing of it."""
    ids = [one.id for one in reach.model.of_stage(stage.id)]
    given = {stage.entry_stamp_id: so(reach.about(stage.entry_stamp_id))} | state
    for owed in (True, False):
        for attempt in firing(reach, given, silent(*ids, owed=owed), *reach.model.of_stage(stage.id)):
            yield Attempt(attempt.document, attempt.look, firm=True)


def burst(reach: Reach, one: FollowUp, other: FollowUp, state: State, **runtime: Any) -> Iterator[Attempt]:
    """Two follow-ups of a stage closer together than the stagger: the clock that decides begins late."""
    look = of_class((terms.SAME_STAGE_BURST,), one.id, other.id)
    least = reach.model.runtime.min_stagger
    made = (clocks(reach, one), clocks(reach, other))
    tick = reach.model.runtime.runner_tick

    def near(begins: dict[tuple[str, str], int]) -> bool:
        dues = [up(max([0, *(begins[base] + waits for base, waits in each.items())]), tick) for each in made]
        return abs(dues[0] - dues[1]) < least

    fitting = (begins for begins in _begins(reach, Story(reach.model, one, other), *made) if near(begins))
    for begins in islice(fitting, _MOST_TRIES):
        yield Attempt(_told(reach, (one, other), state, begins, runtime), look)
    yield from firing(reach, state, look, one, other)
    if reach.model.runtime.quiet_hours:
        yield from _held_burst(reach, (one, other), state, look, runtime)


def _held_burst(
    reach: Reach, pair: tuple[FollowUp, FollowUp], state: State, look: Look, runtime: dict[str, Any]
) -> Iterator[Attempt]:
    """A night holds the first up until the second is due, or until just before (which COLLAPSE does not keep apart)."""
    yield from _held(reach, pair, state, look, runtime, (clocks(reach, pair[0]), clocks(reach, pair[1])))
    if reach.model.runtime.no_inbound_policy != words.BLOCK:  # whoever never wrote has no silence to be waited for
        unheard = [{base: waits for base, waits in clocks(reach, one).items() if base != SILENCE} for one in pair]
        for attempt in _held(reach, pair, state, look, runtime, (unheard[0], unheard[1])):
            yield Attempt(_never_wrote(attempt.document), look, firm=True)


def _never_wrote(scenario: dict[str, Any]) -> dict[str, Any]:
    """The same scenario of a lead who says nothing, and to whom nobody answers."""
    (lead,) = scenario["leads"]
    kept = [event for event in lead["events"] if event["type"] not in {"INBOUND", "AGENT_OUT"}]
    return {**scenario, "leads": [{**lead, "events": kept}]}


def _with_rows(scenario: dict[str, Any]) -> dict[str, Any]:
    """The same scenario of a lead who came with what is true from the beginning."""
    (lead,) = scenario["leads"]
    first = [event for event in lead["events"] if event["type"] == "TRUTH" and event["t"] == 0]
    rows = {event["propertyId"]: event["value"] for event in first}
    kept = [event for event in lead["events"] if event not in first]
    return {**scenario, "leads": [{**lead, "properties": {**lead.get("properties", {}), **rows}, "events": kept}]}


def _held(  # noqa: PLR0917 - what one burst is about
    reach: Reach,
    pair: tuple[FollowUp, FollowUp],
    state: State,
    look: Look,
    runtime: dict[str, Any],
    made: tuple[Clocks, Clocks],
) -> Iterator[Attempt]:
    tick = reach.model.runtime.runner_tick

    def dues(begins: dict[tuple[str, str], int]) -> list[int]:
        return sorted(up(max([0, *(begins[base] + waits for base, waits in each.items())]), tick) for each in made)

    rows = dict.fromkeys([*made[0], *made[1]], 0)
    for minute, edge in ((dues(rows)[1], "end"), (dues(rows)[0], "start")):
        told = _told(reach, pair, state, rows, runtime, night=(minute, edge))
        yield Attempt(_with_rows(told), look, firm=True)
    begun = list(islice(_begins(reach, Story(reach.model, *pair), *made), _MOST_TRIES))
    for begins in sorted(begun, key=lambda each: dues(each)[1] - dues(each)[0])[:_MOST_TRIES]:
        first, second = dues(begins)
        for minute, edge in ((second, "end"), (second - tick, "end"), (first, "start")):
            yield Attempt(_told(reach, pair, state, begins, runtime, night=(minute, edge)), look, firm=True)


def _begins(reach: Reach, story: Story, first: Clocks, second: Clocks) -> Iterator[dict[tuple[str, str], int]]:
    """When each clock could begin so that both are due at about one time."""
    bases = list(dict.fromkeys([*first, *second]))
    late = max([0, *first.values(), *second.values()]) + 2 * reach.model.runtime.lag + story.begin
    early = {base: _at(story, base, story.begin) for base in bases}
    yield early
    for base in bases:
        for shift in _shifts(reach, base):
            yield early | {base: _at(story, base, late + shift)}
    for one, waits in first.items():
        for other, longer in second.items():
            for shift in _shifts(reach, one) if one != other else ():
                begun = _at(story, one, late + shift)
                wanted = begun + waits - longer
                for minute in (wanted, wanted - reach.model.runtime.evaluator_batch + 1):
                    yield early | {one: begun, other: _at(story, other, minute)}
            for shift in _shifts(reach, other) if one != other else ():
                begun = _at(story, other, late + shift)
                yield early | {other: begun, one: _at(story, one, begun + longer - waits)}


def _shifts(reach: Reach, base: tuple[str, str]) -> Iterator[int]:
    runtime = reach.model.runtime
    if base != SILENCE and written(reach.about(base[1])) == IN_BATCHES:
        yield from (number * runtime.evaluator_batch for number in range(turns(runtime)))
    else:
        yield from range(runtime.runner_tick)


def _at(story: Story, base: tuple[str, str], minute: int) -> int:
    return max(minute, story.begin) if base == SILENCE else story.next_stamp(max(minute, story.begin), base[1])


def _told(
    reach: Reach,
    about: tuple[FollowUp, ...],
    state: State,
    begins: dict[tuple[str, str], int],
    runtime: dict[str, Any],
    *,
    night: tuple[int, str] | None = None,
) -> dict[str, Any]:
    """The scenario in which clocks begin at these minutes, and all else is so from the beginning.

    ``night`` is the minute at which quiet hours ``end`` or ``start``; without it they end when the last clock begins.
    """
    story = Story(reach.model, *about, **runtime)
    stamps = {base[1]: minute for base, minute in begins.items() if base[0] == "true"}
    for base, minute in begins.items():
        if base[0] == "set" and minute < stamps.get(base[1], 0):
            known = reach.about(base[1])
            if not answers_early(known):
                story.stamped(minute, base[1], value=False)
        elif base[0] == "set" and base[1] not in stamps:
            story.stamped(minute, base[1], state.get(base[1], True))
    for name, minute in stamps.items():
        story.stamped(minute, name, value=True)
    clocked = {base[1] for base in begins}
    story.state(story.begin, {name: value for name, value in state.items() if name not in clocked})
    last = begins.get(SILENCE, story.begin)
    for minute in _writes_on(reach.model, about, story.begin, last):
        story.inbound(minute)
    story.align(*(night or (up(max(begins.values(), default=0), reach.model.runtime.runner_tick), "end")))
    return story.document()


def _writes_on(model: Model, about: tuple[FollowUp, ...], begin: int, last: int) -> list[int]:
    """Minutes at which the lead writes so that nothing goes out before the last: once where silence needs one."""
    silences = [silence_of(one) for one in about]
    step = min((one for one in silences if one), default=0)
    if model.runtime.no_inbound_policy == words.BLOCK or not step or (last - begin) // step > _MOST_WORDS:
        return [last]
    return [*range(begin, last, step), last]


def overtakes(reach: Reach, follow_up: FollowUp) -> Iterator[Attempt]:
    """It goes out between what the lead's last message caused and its stamp."""
    found = overtaken(reach, follow_up)
    for name in [*reach.model.stop_ids, *reach.later_stamps(follow_up)] if found else ():
        state = overtakable(reach, follow_up, name)
        if state is None or found is None:
            continue
        about = Story(reach.model, follow_up)
        story, (since, true, due) = (
            _silenced(reach, about, follow_up, state, found)
            if silence_of(follow_up)
            else _unsilenced(reach, about, follow_up, state)
        )
        story.inbound(since)
        story.truth(true, name, value=True)
        story.align(due, "end")
        yield Attempt(story.document(), of_class(LATE, follow_up.id), firm=True)


def _silenced(
    reach: Reach, story: Story, follow_up: FollowUp, state: State, found: tuple[int, int, int]
) -> tuple[Story, tuple[int, int, int]]:
    """The clock of the stage has long run out when the lead writes."""
    runtime = reach.model.runtime
    turn = runtime.evaluator_batch * turns(runtime)
    shift = up(story.begin + offset_of(follow_up) + runtime.lag + runtime.runner_tick, turn)
    since, true, due = (minute + shift for minute in found)
    story.state(story.begin, state)
    for minute in _writes_on(reach.model, (follow_up,), story.begin, since)[:-1]:
        story.inbound(minute)
    return story, (since, true, due)


def _unsilenced(reach: Reach, story: Story, follow_up: FollowUp, state: State) -> tuple[Story, tuple[int, int, int]]:
    """Its own clock decides: the lead writes in the minute of the message."""
    runtime = reach.model.runtime
    anchor = follow_up.anchor or reach.own(follow_up) or ""
    due = 0
    for number in range(-1, turns(runtime) + 1):
        at = story.next_stamp(story.begin + number * runtime.evaluator_batch, anchor) if number >= 0 else 0
        due = up(at + offset_of(follow_up), runtime.runner_tick)
        young = follow_up.max_age is None or due - at - offset_of(follow_up) <= follow_up.max_age
        if at >= story.begin and young and (runtime.evaluator_run or due % runtime.evaluator_batch):
            story.state(story.begin, {name: value for name, value in state.items() if name != anchor})
            given = {anchor: state[anchor]} if anchor in state else {}
            if number < 0:
                story.state(0, given, rows=True)
            for name, value in given.items() if number >= 0 else ():
                story.stamped(at, name, value)
            break
    return story, (due, due, due)


def overtakable(reach: Reach, follow_up: FollowUp, name: str) -> State | None:
    """A state in which it fires and that stop or stamp is not true, though it is about to be stamped."""
    about = reach.about(name)
    if about is None or about.type != words.BOOLEAN or written(about) != IN_BATCHES:
        return None
    if answers_early(about) and not is_latch(about):
        return None
    others = reach.model.stop_ids if name in reach.model.stop_ids else reach.later_stamps(follow_up)
    box = reach.box(follow_up) & reach.barred(others)
    unset, no = literal(name, words.IS_NOT_SET), literal(name, words.EQUALS, value=False)
    state = reach.state(box & reach.space.box([unset])) if not answers_early(about) else None
    return state if state is not None else reach.state(box & reach.space.box([no]))


def too_late(reach: Reach, follow_up: FollowUp) -> Iterator[Attempt]:
    """It goes out when the channel's window is over: the stamp comes as late as it can, then the tick."""
    state = reach.fires(follow_up)
    look = of_class(UNDELIVERED, follow_up.id)
    if state is None:
        return
    runtime = reach.model.runtime
    anchor = follow_up.anchor or reach.own(follow_up) or ""
    rest = {name: value for name, value in state.items() if name != anchor}
    for since, true, due in _latest(reach, follow_up):
        for edge in ("start", "end") if runtime.quiet_hours else ("end",):
            story = Story(reach.model, follow_up)
            story.state(min(true, since), rest)
            if anchor in state:
                story.state(true, {anchor: state[anchor]})
            for minute in _writes_on(reach.model, (follow_up,), story.begin, since):
                story.inbound(minute)
            story.align(due, edge)
            yield Attempt(story.document(_in_all(reach, follow_up)), look, firm=True)
    for attempt in firing(reach, state, look, follow_up):
        yield attempt
        if reach.model.agent.max_per_24h or reach.model.agent.min_between:
            horizon = attempt.document["horizonMinutes"] + _in_all(reach, follow_up)
            yield Attempt({**attempt.document, "horizonMinutes": horizon}, look, firm=True)


def _in_all(reach: Reach, follow_up: FollowUp) -> int:
    """Minutes that its repeats may take, as far as the window."""
    runtime = reach.model.runtime
    agent = reach.model.agent
    caps = (2 * _DAY if agent.max_per_24h else 0) + 2 * (agent.min_between or 0)
    if not follow_up.repeat:
        return 2 * longest_quiet(runtime) + caps
    interval = up(follow_up.repeat.interval, runtime.runner_tick)
    again = repeats(follow_up)
    enough = runtime.window // interval + 2
    return min(enough, enough if again is None else again) * interval + 2 * quiet_nights(follow_up, runtime) + caps


def _latest(reach: Reach, follow_up: FollowUp) -> Iterator[tuple[int, int, int]]:
    """(inbound, truth of the anchor, tick at which it goes out): by the stamp's way, then by the silence's."""
    runtime = reach.model.runtime
    batch, tick = runtime.evaluator_batch, runtime.runner_tick
    begin = Story(reach.model, follow_up).begin
    anchor = follow_up.anchor or reach.own(follow_up) or ""
    how = written(reach.about(anchor))
    first = -(-(begin + runtime.agent_reply) // batch) + 1
    found = []
    for number in range(turns(runtime) if how == IN_BATCHES else tick if how != NEVER else 0):
        true = (first + number) * batch + 1 if how == IN_BATCHES else first * batch + number
        stamped = Story(reach.model, follow_up).next_stamp(true, anchor)
        if how == IN_BATCHES:
            stamped = (first + number + 1) * batch + runtime.evaluator_run
        due = up(max(stamped + offset_of(follow_up), true - runtime.agent_reply + silence_of(follow_up)), tick)
        found.append((true - runtime.agent_reply, true, due))
    yield from sorted(found, key=lambda one: one[0] - one[2])[:2]
    early = up(begin, batch) + batch + runtime.evaluator_run + offset_of(follow_up)
    since = early + (1 - silence_of(follow_up) - early) % tick
    yield since, begin, up(since + silence_of(follow_up), tick)


def endless(reach: Reach, follow_up: FollowUp) -> Iterator[Attempt]:
    """It goes out again and again."""
    state = reach.fires(follow_up)
    if state is None or not follow_up.repeat:
        return
    look = of_class((terms.REPEAT_OVERRUN,), follow_up.id)
    for attempt in firing(reach, state, look, follow_up):
        horizon = attempt.document["horizonMinutes"] + 2 * follow_up.repeat.interval + reach.model.runtime.runner_tick
        yield Attempt({**attempt.document, "horizonMinutes": horizon}, look)


def unstopped(reach: Reach, stop: str) -> Iterator[Attempt]:
    """A stop that is so in truth and is never, or not for good, stamped."""
    for follow_up in reach.live:
        if written(reach.about(stop)) == NEVER:
            yield from _never_stopped(reach, follow_up, stop)
        else:
            yield from past_stop(reach, follow_up, stop) if _is_text(reach, stop) else ()
            yield from _thawed(reach, follow_up, stop, of_class(STOPPED, follow_up.id), silence=True)
    for follow_up in reach.live:
        yield from _taken_back(reach, follow_up, stop)


def _taken_back(reach: Reach, follow_up: FollowUp, name: str) -> Iterator[Attempt]:
    """It goes out after something was true: nothing of the lead tells so any more, the message itself does."""
    why = f"{name} was true before, and was taken back"[:200]
    for attempt in _thawed(reach, follow_up, name, sent(follow_up.id, why=why), silence=False):
        yield Attempt(attempt.document, attempt.look, firm=True)


def _is_text(reach: Reach, name: str) -> bool:
    about = reach.about(name)
    return about is not None and about.type != words.BOOLEAN


def _never_stopped(reach: Reach, follow_up: FollowUp, stop: str) -> Iterator[Attempt]:
    state = reach.with_literal(follow_up, stop, words.IS_NOT_SET) or reach.fires(follow_up)
    if state is None:
        return
    if _is_text(reach, stop):
        yield from dropped(reach, follow_up, state)
    for rows in (False, True):
        story = Story(reach.model, follow_up)
        story.state(story.begin, state, rows=rows)
        story.truth(story.begin, stop, value=True)
        story.inbound(story.begin)
        story.align(_first_due(reach.model, (follow_up,), story.begin, story.begin, rows=rows), "end")
        yield Attempt(story.document(), of_class(STOPPED, follow_up.id))


def _thawed(reach: Reach, follow_up: FollowUp, name: str, look: Look, *, silence: bool) -> Iterator[Attempt]:
    """First false, then true: frozen before it is so. First true, then false: taken back, as nothing froze it."""
    no = reach.with_literal(follow_up, name, words.EQUALS, value=False)
    if no is None:
        return
    runtime = reach.model.runtime
    for values in ((False, True), (True, False)):
        story = Story(reach.model, follow_up)
        begin = story.begin
        story.truth(begin, name, values[0])
        if silence and values[0]:
            story.event(begin, "NO_RESPONSE")
        later = up(begin, runtime.evaluator_batch) + runtime.evaluator_run + 1
        story.truth(later, name, values[1])
        story.state(later, {each: value for each, value in no.items() if each != name})
        story.inbound(later)
        story.align(_first_due(reach.model, (follow_up,), later, later, rows=False), "end")
        yield Attempt(story.document(), look)


def unstamped(reach: Reach, stamp: str) -> Iterator[Attempt]:
    """An entry stamp that is so in truth and never, or not for good, stamped: its stage is silent, or those before."""
    model = reach.model
    stages = [stage for stage in model.stages if stage.entry_stamp_id == stamp]
    for stage in stages:
        for follow_up in model.of_stage(stage.id):
            yield from enters(reach, follow_up, silent(follow_up.id))
            yield from _frozen_entry(reach, follow_up, stamp)
    for follow_up in reach.live:
        if stamp in reach.later_stamps(follow_up):
            yield from _chased_on(reach, follow_up, stamp)
            state = reach.while_set(follow_up, stamp) if _is_text(reach, stamp) else None
            if state is not None:
                why = f"{stamp} has a value, and no literal of it is seen to be true"[:200]
                yield from firing(reach, state, sent(follow_up.id, why=why), follow_up)
    for stage in stages:
        for follow_up in model.of_stage(stage.id):
            for attempt in enters(reach, follow_up, silent(follow_up.id, owed=False)):
                yield Attempt(attempt.document, attempt.look, firm=True)


def _frozen_entry(reach: Reach, follow_up: FollowUp, stamp: str) -> Iterator[Attempt]:
    runtime = reach.model.runtime
    for values in ((False, True), (True, False)):
        story = Story(reach.model, follow_up)
        later = up(story.begin, runtime.evaluator_batch) + runtime.evaluator_run + 1
        story.truth(story.begin, stamp, values[0])
        story.truth(later, stamp, values[1])
        for name, value in walks(reach, follow_up).items():
            if name != stamp:
                story.truth(story.begin, name, value)
        story.inbound(later)
        story.align(_first_due(reach.model, (follow_up,), later, later, rows=False), "end")
        yield Attempt(story.document(), silent(follow_up.id))


def _chased_on(reach: Reach, follow_up: FollowUp, stamp: str) -> Iterator[Attempt]:
    """A message of an earlier stage to who is past it in truth, or was."""
    look = of_class((terms.CROSS_STAGE, terms.LAG_CROSS), follow_up.id)
    if written(reach.about(stamp)) == NEVER:
        state = reach.with_literal(follow_up, stamp, words.IS_NOT_SET)
        if state is not None:
            yield from firing(reach, state, look, follow_up, also=((stamp, True),))
        return
    yield from _thawed(reach, follow_up, stamp, look, silence=False)
    yield from _taken_back(reach, follow_up, stamp)


def released(reach: Reach, one: FollowUp, other: FollowUp) -> Iterator[Attempt]:
    """Both are overdue while somebody is to look at the conversation, and go out when the flag is cleared (X4)."""
    state = reach.together(one, other)
    if state is None:
        return
    look = of_class((terms.SAME_STAGE_BURST,), one.id, other.id)
    story = Story(reach.model, one, other)
    story.state(story.begin, state)
    story.inbound(story.begin)
    story.event(story.begin, "NEEDS_ATTENTION", value=True)
    free = up(story.begin + story.patience(), reach.model.runtime.runner_tick)
    story.event(free, "NEEDS_ATTENTION", value=False)
    story.align(free, "end")
    yield Attempt(story.document(), look)


def backlog(reach: Reach, follow_ups: list[FollowUp]) -> Iterator[Attempt]:
    """The set is turned on when leads have long been in the stage (X5)."""
    for at, one in enumerate(follow_ups):
        state = reach.fires(one)
        if state is None:
            continue
        rest = follow_ups[at + 1 :]
        other = next((each for each in rest if reach.together(one, each) is not None), None)
        if other is not None:
            state = reach.together(one, other) or state
            yield _turned_on(reach, (one, other), state, of_class((terms.SAME_STAGE_BURST,), one.id, other.id))
        yield _turned_on(reach, (one,), state, of_class(UNDELIVERED, one.id))
        yield _turned_on(reach, (one,), state, sent(one.id, since=1, why="the lead entered long before"))


def _turned_on(reach: Reach, about: tuple[FollowUp, ...], state: State, look: Look) -> Attempt:
    story = Story(reach.model, *about)
    story.event(0, "DEACTIVATE")
    story.state(story.begin, state)
    story.inbound(story.begin)
    on = up(story.begin + max(story.patience(), reach.model.runtime.window), reach.model.runtime.runner_tick)
    story.event(on, "ACTIVATE")
    story.align(on, "end")
    return Attempt(story.document(), look, firm=True)


def unanswered(reach: Reach, follow_up: FollowUp) -> Iterator[Attempt]:
    """The lead spoke last and somebody is to look at the conversation: nothing goes out (R12)."""
    for attempt in enters(reach, follow_up, silent(follow_up.id)):
        lead = attempt.document["leads"][0]
        flag = {"t": lead["events"][0]["t"], "type": "NEEDS_ATTENTION", "value": True}
        document = {**attempt.document, "leads": [{**lead, "events": [*lead["events"], flag]}]}
        document["leads"][0]["events"].sort(key=lambda one: one["t"])
        yield Attempt(document, attempt.look, firm=True)


def hasty(reach: Reach, follow_up: FollowUp) -> Iterator[Attempt]:
    """It goes out as soon as the stage is entered: the silence was there before, and no clock of its own holds it."""
    state = reach.fires(follow_up)
    own = reach.own(follow_up)
    if state is None or own is None or written(reach.about(own)) == NEVER:
        return
    runtime = reach.model.runtime
    story = Story(reach.model, follow_up)
    waits = max(follow_up.offset or 0, follow_up.silence or 0, 0) + 2 * runtime.lag
    story.state(story.begin, {name: value for name, value in state.items() if name != own})
    story.inbound(story.begin)
    at = story.stamped(story.begin + waits + runtime.runner_tick, own, value=True)
    offset = max(follow_up.offset or 0, 0)
    until = at + max(offset, 1) if offset else at + runtime.runner_tick
    why = "it went out before its minutes after entering the stage had passed" if offset else "at the next tick"
    story.align(up(at, runtime.runner_tick), "end")
    yield Attempt(story.document(), sent(follow_up.id, since=at, before=until, why=why), firm=True)


def interrupts(reach: Reach, follow_up: FollowUp) -> Iterator[Attempt]:
    """It goes out in the minute in which the lead writes."""
    state = reach.fires(follow_up)
    if state is None:
        return
    for attempt in firing(reach, state, sent(follow_up.id), follow_up):
        found = attempt.document
        yield Attempt(found, _while_writing(follow_up.id), firm=False)
        lead = found["leads"][0]
        for minute in range(0, found["horizonMinutes"], max(reach.model.runtime.runner_tick, 1)):
            if minute > _DAY:
                break
            events = sorted([*lead["events"], {"t": minute, "type": "INBOUND"}], key=lambda one: one["t"])
            later = {**found, "leads": [{**lead, "events": events}]}
            yield Attempt(later, _while_writing(follow_up.id))


def _while_writing(follow_up: str) -> Look:
    look = sent(follow_up, why="the lead was writing")

    def found(ran: Any) -> dict[str, Any] | None:
        shows = look(ran)
        written_at = [one["t"] for one in ran.document["leads"][0]["events"] if one["type"] == "INBOUND"]
        last = max((minute for minute in written_at if shows and minute <= shows["t"]), default=None)
        return shows if shows and last is not None and shows["t"] - last < ran.model.runtime.runner_tick else None

    return found


def undelivered(reach: Reach, follow_up: FollowUp) -> Iterator[Attempt]:
    """It goes out, and does not arrive."""
    state = reach.fires(follow_up)
    if state is not None:
        yield from firing(reach, state, of_class(UNDELIVERED, follow_up.id), follow_up)
    yield from too_late(reach, follow_up)


def series(follow_up: FollowUp) -> tuple[int, int, int | None]:
    """First minute after its anchor, interval, how often again."""
    return offset_of(follow_up), follow_up.repeat.interval if follow_up.repeat else 1, repeats(follow_up)


def meeting(reach: Reach, one: FollowUp, other: FollowUp, state: State, last: int) -> Iterator[Attempt]:
    """A repeat and another message of the stage come too close; ``last`` minutes after the stamp."""
    look = of_class((terms.SAME_STAGE_BURST,), one.id, other.id)
    for attempt in firing(reach, state, look, one, other):
        horizon = attempt.document["horizonMinutes"] + last
        yield Attempt({**attempt.document, "horizonMinutes": horizon}, look)
