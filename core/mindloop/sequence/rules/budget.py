"""How many messages one lead may get, and how late they may go out: exact from the offsets (X3, X12; P5, P7)."""

from __future__ import annotations

from bisect import bisect_left
from heapq import merge
from itertools import count, islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindloop.sequence.model import FollowUp, Model, Runtime, Stage

DAY = 1440
"""Minutes."""
MOST = 200
"""Messages a day beyond which nobody counts on."""


def repeats(follow_up: FollowUp) -> int | None:
    """How often it is sent after the first time at most; None is for ever."""
    repeat = follow_up.repeat
    if not repeat:
        return 0
    by_age = None if follow_up.max_age is None else follow_up.max_age // repeat.interval
    return min((one for one in (repeat.max_repeats, by_age) if one is not None), default=None)


def most_sends(follow_ups: list[FollowUp]) -> int | None:
    """Messages that one lead may get in all: each follow-up once and its repeats; None is without end."""
    total = 0
    for one in follow_ups:
        again = repeats(one)
        if again is None:
            return None
        total += 1 + again
    return total


def most_per_day(model: Model) -> int:
    """Messages that one lead may get within any 24 hours, by offsets and repeats, whatever its way through the stages.

    A lead is in one stage at a time and moves on as late as it suits the count: the day begins anywhere in one stage
    and takes the first minutes of later ones. ``minMinutesBetweenFollowUps`` bounds it too. Counted up to `MOST`.
    """
    cheapest = [0]
    for stage in _in_order(model):
        minutes = list(islice(merge(*(_series(one) for one in model.of_stage(stage.id))), 4 * MOST))
        if minutes:
            cheapest = _later(_begun(cheapest, minutes), cheapest, minutes)
    best = len(cheapest) - 1
    spacing = model.agent.min_between
    return min(best, (DAY - 1) // spacing + 1) if spacing else best


def _in_order(model: Model) -> list[Stage]:
    """Stages so that each stands before those after it."""
    return sorted(model.stages, key=lambda stage: -len(model.downstream(stage.id)))


def _series(follow_up: FollowUp) -> Iterator[int]:
    """Minutes after entry at which it is due."""
    first = max(follow_up.offset or 0, 0)
    again = repeats(follow_up)
    interval = follow_up.repeat.interval if follow_up.repeat else 0
    return (first + number * interval for number in (count() if again is None else range(again + 1)))


def _begun(cheapest: list[int], minutes: list[int]) -> list[int]:
    """Fewest minutes for each count of messages (the index) where the day may begin in this stage, too."""
    found = list(cheapest)
    for at, minute in enumerate(minutes):
        within = min(bisect_left(minutes, minute + DAY) - at, MOST)
        for number in range(1, within + 1):
            _take(found, number, minutes[at + number - 1] - minute)
    return found


def _later(found: list[int], before: list[int], minutes: list[int]) -> list[int]:
    """The same where messages of earlier stages are followed by the first ones of this stage."""
    for number, spent in enumerate(before):
        early = bisect_left(minutes, DAY - spent) if number else 0
        for more in range(1, min(early, MOST - number) + 1):
            _take(found, number + more, spent + minutes[more - 1])
    return found


def _take(found: list[int], number: int, spent: int) -> None:
    if number == len(found):
        found.append(spent)
    else:
        found[number] = min(found[number], spent)


def oldest_inbound(follow_up: FollowUp, runtime: Runtime) -> int:
    """Minutes since the lead's last message when it goes out at the latest, if nothing holds it up and releases it.

    Repeats without end count as none: R30 speaks of them.
    """
    again = repeats(follow_up) or 0
    later = again * follow_up.repeat.interval if follow_up.repeat else 0
    stamped = runtime.lag + max(follow_up.offset or 0, 0)
    first = max(stamped, follow_up.silence or 0) + runtime.runner_tick - 1
    return first + later + quiet_nights(follow_up, runtime)


def quiet_nights(follow_up: FollowUp, runtime: Runtime) -> int:
    """Minutes for which quiet hours hold it and its repeats back in all: each time that one falls into a night."""
    night = longest_quiet(runtime)
    repeat, again = follow_up.repeat, repeats(follow_up) or 0
    if not night or not repeat or not again:
        return night
    tick = runtime.runner_tick
    whole = -(-repeat.interval // tick) * tick
    if DAY % tick:
        return night + again * (night + 2 * tick)
    # Who was held back goes out when the night ends; from there the next one that falls into a night is always the
    # same, wherever in a tick the night ends.
    return night + max(_again_held(whole, again, night, within) for within in range(tick))


def _again_held(interval: int, again: int, night: int, within: int) -> int:
    """Minutes by which later nights hold repeats back, if the first tick after a night is ``within`` after its end."""
    for number in range(1, min(again, DAY) + 1):
        after = (within + number * interval) % DAY
        if after >= DAY - night:
            return again // number * (-number * interval % DAY)
    return 0


def longest_quiet(runtime: Runtime) -> int:
    """Minutes for which quiet hours hold a message back at most."""
    if not runtime.quiet_hours:
        return 0
    begin, end = (_minute(word) for word in (runtime.quiet_hours.start, runtime.quiet_hours.end))
    return (end - begin) % DAY


def _minute(clock: str) -> int:
    hours, minutes = clock.split(":")
    return int(hours) * 60 + int(minutes)


def reach(null_rates: list[float]) -> tuple[float, float]:
    """Share of leads that literals ``EQUALS false`` on properties with these rates of NULL let through (X11).

    Returns:
        At most, without assumptions; and about, if the properties are independent of each other.
    """
    product = 1.0
    for rate in null_rates:
        product *= 1 - rate
    return min((1 - rate for rate in null_rates), default=1.0), product
