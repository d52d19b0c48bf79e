"""The runner's ticks without its outages, and quiet hours in a zone; both answer without walking minute by minute."""

from __future__ import annotations

from bisect import bisect_right
from datetime import timedelta

from mindloop.sequence.simulator.terms import NEVER
from mindloop.sequence.zones import zone_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from zoneinfo import ZoneInfo

    from mindloop.sequence.model import QuietHours

    Span = tuple[int, int]

_DAY = 1440
_SAMPLE = 360
"""Minutes between two looks for a change of offset; zones change theirs days apart."""


class Ticks:
    """The minutes at which the runner looks: multiples of its tick outside outages."""

    __slots__ = ("_before", "_ends", "_outages", "every")

    def __init__(self, every: int, outages: list[Span]) -> None:
        self.every = every
        self._outages = merged(outages)
        self._ends = [end for _, end in self._outages]
        self._before = [0]
        for start, end in self._outages:
            self._before.append(self._before[-1] + self._multiples(end) - self._multiples(start))

    def next(self, minute: int) -> int:
        """The first tick at or after a minute."""
        if minute >= NEVER:
            return NEVER
        tick = -(-minute // self.every) * self.every
        if not self._outages:
            return tick
        at = bisect_right(self._ends, tick)
        while at < len(self._outages) and self._outages[at][0] <= tick:
            tick = -(-self._outages[at][1] // self.every) * self.every
            at = bisect_right(self._ends, tick)
        return tick

    def last(self, end: int) -> int | None:
        """The last tick before a minute, None where there is none."""
        tick = (end - 1) // self.every * self.every
        while tick >= 0 and self.next(tick) != tick:
            at = bisect_right(self._ends, tick)
            tick = (self._outages[at][0] - 1) // self.every * self.every
        return tick if tick >= 0 else None

    def count(self, start: int, end: int) -> int:
        """How many ticks there are from ``start`` to before ``end``."""
        return max(0, self._upto(end) - self._upto(start))

    def _multiples(self, end: int) -> int:
        return max(0, -(-end // self.every))

    def _upto(self, end: int) -> int:
        over = bisect_right(self._ends, end)
        missing = self._before[over]
        if over < len(self._outages) and self._outages[over][0] < end:
            missing += self._multiples(end) - self._multiples(self._outages[over][0])
        return self._multiples(end) - missing


def merged(spans: list[Span]) -> list[Span]:
    """Spans sorted, empty ones left out, those that touch made one."""
    made: list[Span] = []
    for start, end in sorted(spans):
        if start >= end:
            continue
        if made and start <= made[-1][1]:
            made[-1] = (made[-1][0], max(end, made[-1][1]))
        else:
            made.append((start, end))
    return made


class Quiet:
    """When it is quiet for a lead; zones are worked out once each."""

    __slots__ = ("_end", "_epoch", "_horizon", "_hours", "_known", "_start")

    def __init__(self, hours: QuietHours, epoch: datetime, horizon: int) -> None:
        self._hours = hours
        self._epoch = epoch
        self._horizon = horizon
        self._start, self._end = _minute_of_day(hours.start), _minute_of_day(hours.end)
        self._known: dict[str | None, list[Span]] = {}

    def spans(self, lead_zone: str | None, agent_zone: str | None) -> list[Span]:
        """The quiet spans of a lead from minute 0 to the horizon, in order; who has no zone has the agent's (X15)."""
        name = (lead_zone or agent_zone) if self._hours.tz == "LEAD" else agent_zone
        if name not in self._known:
            self._known[name] = self._worked_out(name)
        return self._known[name]

    def _worked_out(self, name: str | None) -> list[Span]:
        zone = zone_named(name)
        if zone is None:
            return [(0, NEVER)] if self._hours.on_unknown_tz == "BLOCK" else []
        return merged([span for piece in self._pieces(zone) for span in self._in_piece(*piece)])

    def _pieces(self, zone: ZoneInfo) -> Iterator[tuple[int, int, int]]:
        """(first minute, first minute after, local minute less minute) for each stretch of one offset."""
        start, shift = 0, self._shift(zone, 0)
        for sample in [*range(_SAMPLE, self._horizon + 1, _SAMPLE), self._horizon + 1]:
            if self._shift(zone, sample) != shift:
                change = self._change(zone, max(start, sample - _SAMPLE), sample)
                yield start, change, shift
                start, shift = change, self._shift(zone, sample)
        yield start, self._horizon + 1, shift

    def _change(self, zone: ZoneInfo, before: int, after: int) -> int:
        old = self._shift(zone, before)
        while after - before > 1:
            middle = (before + after) // 2
            before, after = (middle, after) if self._shift(zone, middle) == old else (before, middle)
        return after

    def _shift(self, zone: ZoneInfo, minute: int) -> int:
        local = (self._epoch + timedelta(minutes=minute)).astimezone(zone)
        offset = local.utcoffset() or timedelta()
        start_of_day = self._epoch.hour * 60 + self._epoch.minute
        return start_of_day + int(offset.total_seconds() // 60)

    def _in_piece(self, first: int, after: int, shift: int) -> Iterator[Span]:
        length = (self._end - self._start) % _DAY
        day = (first + shift - self._start) // _DAY
        start = day * _DAY + self._start - shift
        while start < after:
            if start + length > first:
                yield max(start, first), min(start + length, after)
            start += _DAY


def quiet_until(spans: list[Span], minute: int) -> int:
    """The first minute that is not quiet, or 0 where this one is not."""
    at = bisect_right(spans, (minute, NEVER + 1)) - 1
    return spans[at][1] if at >= 0 and minute < spans[at][1] else 0


def _minute_of_day(text: str) -> int:
    hours, minutes = text.split(":")
    return int(hours) * 60 + int(minutes)
