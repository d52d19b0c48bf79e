"""Exact worst cases in minutes: how close two first messages come, how old an inbound gets, how long stamping lags.

Rounding to ticks and the grid of the evaluator's batches are counted, so a bound that is broken can be shown broken.
"""

from __future__ import annotations

from itertools import combinations, pairwise
from math import gcd, inf

from mindloop.sequence import words
from mindloop.sequence.proving.reach import AT_ONCE, IN_BATCHES, NEVER, clock_moves, written
from mindloop.sequence.rules.budget import DAY, longest_quiet, quiet_nights, repeats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mindloop.sequence.model import FollowUp, Runtime
    from mindloop.sequence.proving.reach import Reach

    Base = tuple[str, str]
    Clocks = dict[Base, int]

_MOST_AGE = 1 << 40
SILENCE = ("silence", "")
"""The clock that starts with the lead's last message. Others: ("true", stamp), ("set", anchor)."""


def up(minute: int, step: int) -> int:
    """The first multiple of a step at or after a minute."""
    return -(-minute // step) * step


def offset_of(follow_up: FollowUp) -> int:
    """Minutes after its anchor; none where it has none."""
    return max(follow_up.offset or 0, 0) if follow_up.anchor else 0


def silence_of(follow_up: FollowUp) -> int:
    """Minutes of its silence gate; 0 is none."""
    return max(follow_up.silence or 0, 0)


def clocks(reach: Reach, follow_up: FollowUp) -> Clocks:
    """From what it counts, and how many minutes; it is due when the last of them has run out.

    Its stage's entry stamp counts, too, with 0 minutes, where the conditions ask for it: they do not hold before.
    """
    found: Clocks = {}
    own = reach.own(follow_up)
    if own is not None and follow_up.has(own, words.EQUALS, value=True):
        found["true", own] = 0
    anchor = follow_up.anchor
    if anchor is not None:
        base = ("set" if _is_apart(reach, follow_up, anchor) else "true", anchor)
        found[base] = max(found.get(base, 0), offset_of(follow_up))
    if silence_of(follow_up):
        found[SILENCE] = silence_of(follow_up)
    return found


def _is_apart(reach: Reach, follow_up: FollowUp, anchor: str) -> bool:
    """Whether the anchor may be set before it is true, or without being true."""
    about = reach.about(anchor)
    if about is None or about.type != words.BOOLEAN:
        return True
    if reach.policy == words.TRUE_TRANSITION:
        return False
    if not reach.may_be_true(follow_up, anchor):
        return True
    freezes = written(about) == IN_BATCHES and (not about.check_until_match or about.terminal_value is False)
    return reach.policy == words.FIRST_WRITE and clock_moves(about) and not freezes


def gap(reach: Reach, first: Clocks, second: Clocks) -> float:
    """Minutes by which the first always goes out before the second, rounded to ticks; not positive where it need not.

    Every clock of the first must be one of the second that runs longer.
    """
    if not first:
        return -inf
    return min(_rounded(reach, base, waits, second[base]) if base in second else -inf for base, waits in first.items())


def spacing(reach: Reach, one: FollowUp, other: FollowUp) -> float:
    """Minutes between the first messages of two follow-ups at least, if nothing holds one up and releases it."""
    first, second = clocks(reach, one), clocks(reach, other)
    with_rows = _standing(reach, first, second)
    if all(_stands(reach, base) for base in (*first, *second)):
        return with_rows
    least = reach.model.runtime.runner_tick if reach.model.runtime.sends_per_tick == words.ONE_PER_LEAD else 0
    return max(min(max(gap(reach, first, second), gap(reach, second, first)), with_rows), least)


def released(reach: Reach, one: FollowUp, other: FollowUp) -> float:
    """The same where quiet hours hold the one up and let it go, all of a night at once or (COLLAPSE) one of it."""
    apart = spacing(reach, one, other)
    runtime = reach.model.runtime
    tick, hours = runtime.runner_tick, runtime.quiet_hours
    if not longest_quiet(runtime) or hours is None or (hours.tz == "AGENT" and not reach.model.agent.timezone):
        return apart  # Nobody knows when it is quiet: all or none go out as if it never were.
    night = up(longest_quiet(runtime), tick)
    # Whoever is too old when the night ends is not let go; the next one may be.
    ages = [each.max_age for each in (one, other)]
    waits = night if None in ages else min(night, max(age or 0 for age in ages))
    least = tick if hours.release == words.COLLAPSE or runtime.sends_per_tick == words.ONE_PER_LEAD else 0
    between = up(reach.model.agent.min_between or 0, tick)
    if reach.model.agent.max_per_24h == 1:
        between = max(between, DAY)
    return max(min(apart, max(apart - waits, least)), between)


def _stands(reach: Reach, base: Base) -> bool:
    """Whether a clock can have begun at minute 0 alone, with a row that the lead came with, or is the silence."""
    return base == SILENCE or written(reach.about(base[1])) == NEVER


def _standing(reach: Reach, first: Clocks, second: Clocks) -> float:
    """The same for a lead who comes with its stamps at minute 0: tried at every last message at which that matters."""
    tick = reach.model.runtime.runner_tick
    silences = [0, first.get(SILENCE, 0), second.get(SILENCE, 0)]
    waits = [made[base] for made in (first, second) for base in made if base != SILENCE]
    crossings = {wait - silence for wait in (0, *waits) for silence in silences}
    around = {crossing + step for crossing in crossings for step in range(-2 * tick, 2 * tick + 1)}
    minutes = {max(minute, 0) for minute in around}
    if reach.model.runtime.no_inbound_policy != words.BLOCK:
        minutes.add(-max(silences))
    return min(abs(_due(first, minute, tick) - _due(second, minute, tick)) for minute in minutes)


def _due(made: Clocks, inbound: int, tick: int) -> int:
    return up(max([0, *(waits + (inbound if base == SILENCE else 0) for base, waits in made.items())]), tick)


def _rounded(reach: Reach, base: Base, one: int, other: int) -> int:
    tick = reach.model.runtime.runner_tick
    if other <= one:
        return other - one
    if base == SILENCE:
        return (other - one) // tick * tick
    in_batches = written(reach.about(base[1])) == IN_BATCHES
    begun = batches(reach.model.runtime) if in_batches else starts(reach, base[1])
    return min(up(start + other, tick) - up(start + one, tick) for start in begun)


def starts(reach: Reach, property_id: str) -> Iterable[int]:
    """Minutes at which a property can have been stamped, one for each place within the runner's ticks."""
    runtime = reach.model.runtime
    how = written(reach.about(property_id))
    if how == AT_ONCE:
        return range(runtime.runner_tick)
    return (0,) if how == NEVER else sorted({0, *batches(runtime)})


def turns(runtime: Runtime) -> int:
    """Batches after which batches and ticks meet as before."""
    return runtime.runner_tick // gcd(runtime.evaluator_batch, runtime.runner_tick)


def batches(runtime: Runtime) -> list[int]:
    """Minutes at which batches land, one for each place within the runner's ticks."""
    return [number * runtime.evaluator_batch + runtime.evaluator_run for number in range(turns(runtime))]


def close_pairs(reach: Reach, follow_ups: list[FollowUp], least: int) -> Iterator[tuple[FollowUp, FollowUp, float]]:
    """Pairs that may go out closer together than that, with the minutes between them.

    Who keeps the distance from its neighbour keeps it from all where all count from the same; only neighbours are
    compared there.
    """
    ordered = sorted(follow_ups, key=lambda one: (offset_of(one), silence_of(one), one.id))
    alike = len({frozenset(clocks(reach, one)) for one in ordered}) <= 1
    for one, other in pairwise(ordered) if alike else combinations(ordered, 2):
        found = released(reach, one, other)
        if found < least:
            yield one, other, found


def stamping(reach: Reach, property_id: str | None) -> int | None:
    """Minutes from an inbound to the stamp of what it caused at most; None where it is never stamped."""
    runtime = reach.model.runtime
    how = written(reach.about(property_id))
    if how == NEVER:
        return None
    return runtime.agent_reply + (runtime.evaluator_batch - 1 + runtime.evaluator_run if how == IN_BATCHES else 0)


def oldest(reach: Reach, follow_up: FollowUp) -> float:
    """Minutes since the lead's last message when it goes out at the latest, if nothing holds it up and releases it.

    `rules.budget.oldest_inbound` is the bound that does not look at where batches and ticks fall.
    """
    runtime = reach.model.runtime
    again = repeats(follow_up)
    if again is None and follow_up.max_age is None:
        return inf
    more: float = up(quiet_nights(follow_up, runtime), runtime.runner_tick)
    if follow_up.repeat:
        more += (again or 0) * up(follow_up.repeat.interval, runtime.runner_tick)
    capped, before = held_by_caps(reach, follow_up)
    if capped:
        more += capped + (again or 0) * up(longest_quiet(runtime), runtime.runner_tick)
    if before and again:
        before += int(min(more, _MOST_AGE))  # The first message was let go as late as that; its repeats come after it.
    age = inf if follow_up.max_age is None else follow_up.max_age
    ways = [(due, late) for due, late in _ways(reach, follow_up) if late <= age]
    return max((due + min(max(late + more, before - due), age) for due, late in ways), default=0)


def held_by_caps(reach: Reach, follow_up: FollowUp) -> tuple[float, int]:
    """How long the agent's own caps hold it back.

    Returns:
        Minutes that messages after the lead's last one take from it (infinite where these have no end); and the age at
        which one that was sent before the lead's last message lets it go at the latest, 0 where none does.
    """
    runtime, agent = reach.model.runtime, reach.model.agent
    if not agent.max_per_24h and not agent.min_between:
        return 0, 0
    rivals, others = _rivals(reach, follow_up)
    tick = runtime.runner_tick
    quiet = longest_quiet(runtime)
    night = up(quiet, tick)
    held: float = 0
    before = 0
    if agent.max_per_24h:
        if rivals >= agent.max_per_24h:
            # A day after a message it is as little quiet as it was then, but for the tick.
            days = rivals if rivals == inf else -(-rivals // agent.max_per_24h)
            held += days * (up(DAY, tick) + (night if DAY % tick else 0))
        elif others >= agent.max_per_24h:
            before = DAY - 1 + (tick - 1 + night if DAY % tick else 0)
    if agent.min_between and others:
        chain = rivals * up(agent.min_between, tick)
        held += chain + (chain // max(DAY - quiet, 1) * night if night and chain != inf else 0)
        before = max(before, up(agent.min_between, tick) + tick - 1 + night)
    return held, before


def _rivals(reach: Reach, follow_up: FollowUp) -> tuple[float, float]:
    """Messages that may go out before it: since the lead's last message, and ever.

    Between two messages of the lead nobody moves on, unless stamping is overtaken: these are what fires in one state.
    """
    lagging = any(overtaken(reach, one) is not None for one in reach.live)
    since, ever = 0.0, 0.0
    for one in reach.live:
        again = repeats(one)
        messages = inf if again is None else again + (one is not follow_up)
        ever += messages
        if lagging or one is follow_up or reach.together(one, follow_up) is not None:
            since += messages
    return since, ever


def _ways(reach: Reach, follow_up: FollowUp) -> Iterator[tuple[int, int]]:
    """(minutes from the last inbound to when it is due, from there to the tick), for each way to be the latest."""
    runtime = reach.model.runtime
    tick = runtime.runner_tick
    silence, offset = silence_of(follow_up), offset_of(follow_up)
    yield from ((silence, late) for late in range(tick))
    anchor = follow_up.anchor or reach.own(follow_up)
    lag = stamping(reach, anchor)
    if lag is None:
        yield offset, -offset % tick
        return
    in_batches = written(reach.about(anchor)) == IN_BATCHES
    for start in batches(runtime) if in_batches else range(tick):
        if lag + offset >= silence:
            yield lag + offset, -(start + offset) % tick


def overtaken(reach: Reach, follow_up: FollowUp) -> tuple[int, int, int] | None:
    """A batch that stamps what an inbound caused after a tick at which the follow-up may go out already.

    Returns:
        (minute of the inbound, minute at which its effect is true, minute of the message), counted from a batch at 0
        and to be shifted by whole turns of batches and ticks; None where silence covers the lag.
    """
    runtime = reach.model.runtime
    batch, tick, run = runtime.evaluator_batch, runtime.runner_tick, runtime.evaluator_run
    if not silence_of(follow_up):
        return _overtaken_at_once(reach, follow_up)
    silence = silence_of(follow_up)
    for number in range(1, turns(runtime) + 1):
        true = (number - 1) * batch + 1
        sent = up(max(true, true - runtime.agent_reply + silence), tick)
        since = min(true, sent - silence)
        if sent < number * batch + run and _is_young(follow_up, sent - since - silence):
            return since, true, sent
    return None


def _is_young(follow_up: FollowUp, minutes: int) -> bool:
    """Whether it still goes out so many minutes after it was due."""
    return follow_up.max_age is None or minutes <= follow_up.max_age


def _overtaken_at_once(reach: Reach, follow_up: FollowUp) -> tuple[int, int, int] | None:
    """The same without a silence gate: its own clock decides when it goes out."""
    runtime = reach.model.runtime
    anchor = follow_up.anchor or reach.own(follow_up)
    for start in starts(reach, anchor or ""):
        due = start + offset_of(follow_up)
        sent = up(due, runtime.runner_tick)
        if (runtime.evaluator_run or sent % runtime.evaluator_batch) and _is_young(follow_up, sent - due):
            return start, sent, sent
    return None
