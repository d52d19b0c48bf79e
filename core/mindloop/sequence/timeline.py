"""A simulated timeline as it is drawn: checked, ordered, laid out in lanes; no mark-up yet.

The input is the object that a simulation prints as JSON, from wherever it came.
"""

from __future__ import annotations

from mindloop.sequence.shown import plain
from mindloop.store.errors import Malformed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

CLASSES = {
    "CROSS_STAGE": "a message of a stage that the lead has left: a later stamp was true",
    "LAG_CROSS": "the lead had moved on, the later stamp was not written yet",
    "SAME_STAGE_BURST": "two follow-ups of one stage too close together",
    "POST_STOP": "sent although a stop holds, and no batch would have helped",
    "LAG_POST_STOP": "sent after a stop that was not written yet",
    "SILENT_NO_FIRE": "owed to the lead and never sent",
    "WINDOW_FAIL": "free text outside the channel's window, never delivered",
    "TEMPLATE_FAIL": "the template was refused",
    "REPEAT_OVERRUN": "repeated more often than allowed",
    "CAP_BREACH": "more messages than the caps allow",
    "DUPLICATE": "the same message twice",
}
"""Every class of event, and what it means."""
MOST_LEADS = 60
"""Lanes that are drawn; the others are counted."""
_MOST_ROWS = 40
_MOST_MARKS = 80
_LAST_MINUTE = 525_600_000
_HINT = "Give the object that simulate --format json prints."
_PLOT = 720
"""Pixels from the first minute to the last."""
_LETTER = 7
_GAP = 14
_RADIUS = 12
_STEPS = (1, 5, 10, 15, 30, 60, 120, 180, 240, 360, 720, 1440, 2880, 5760, 10080)


class Mark:
    """What happened to one follow-up of one lead in one minute.

    Attributes:
        sent: how many messages went out; ``failed``: how many of them never arrived, ``reasons`` says why.
        classes: the events.
        x: pixels from the left of the plot.
        label_x: where its label starts, or ends where ``leftward``; ``track``: in which line, the mark's own is 0.
    """

    __slots__ = ("classes", "failed", "label_x", "leftward", "minute", "reasons", "sent", "track", "x")

    def __init__(self, minute: int) -> None:
        self.minute = minute
        self.sent = self.failed = self.x = self.label_x = self.track = 0
        self.leftward = False
        self.reasons: list[str] = []
        self.classes: list[str] = []

    def place(self, last: int) -> None:
        """Put the mark at its minute, the label to the side where there is room."""
        self.x = self.minute * _PLOT // last
        self.leftward = self.x > _PLOT // 2 and self.x > _GAP + self._width
        self.label_x = self.x - _GAP if self.leftward else self.x + _GAP

    @property
    def span(self) -> tuple[int, int]:
        """Pixels from where to where the label goes."""
        if self.leftward:
            return self.label_x - self._width, self.label_x
        return self.label_x, self.label_x + self._width

    @property
    def _width(self) -> int:
        return len(self.label) * _LETTER

    @property
    def label(self) -> str:
        """The minute, and whatever is wrong, in words."""
        failed = [f"FAILED {reason}".strip() for reason in self.reasons] if self.failed else []
        times = [f"x{self.sent}"] if self.sent > 1 else []
        return " ".join([str(self.minute), *times, *failed, *self.classes])


class Row:
    """One follow-up of one lead; ``silent`` is why it never went out, or None."""

    __slots__ = ("follow_up", "hidden", "marks", "silent", "tracks")

    def __init__(self, follow_up: str) -> None:
        self.follow_up = follow_up
        self.marks: dict[int, Mark] = {}
        self.silent: str | None = None
        self.hidden = 0
        self.tracks = 1

    def at(self, minute: int) -> Mark:
        """The mark of a minute."""
        return self.marks.setdefault(minute, Mark(minute))

    def lay_out(self, last: int) -> None:
        """Place the marks, and each label in the first line in which it touches no other."""
        kept = sorted(self.marks)[:_MOST_MARKS]
        self.hidden = len(self.marks) - len(kept)
        self.marks = {minute: self.marks[minute] for minute in kept}
        for mark in self.marks.values():
            mark.place(last)
        taken = [[(mark.x - _RADIUS, mark.x + _RADIUS) for mark in self.marks.values()]]
        for mark in self.marks.values():
            start, end = mark.span
            mark.track = next((at for at, spans in enumerate(taken) if _is_free(spans, start, end)), len(taken))
            if mark.track == len(taken):
                taken.append([])
            taken[mark.track].append((start, end))
        self.tracks = len(taken)


class Lane:
    """One lead."""

    __slots__ = ("hidden", "lead", "rows")

    def __init__(self, lead: str) -> None:
        self.lead = lead
        self.rows: dict[str, Row] = {}
        self.hidden = 0

    def row(self, follow_up: str) -> Row:
        """The row of a follow-up."""
        return self.rows.setdefault(follow_up, Row(follow_up))

    def first(self, follow_up: str) -> tuple[int, str]:
        """Orders the rows: who comes first in time, then by id."""
        return min(self.rows[follow_up].marks, default=_LAST_MINUTE + 1), follow_up


class Timeline:
    """Lanes by lead, and how the minutes lie.

    Attributes:
        last: the last minute that is drawn, 1 or more.
        ticks: the minutes that the axis names.
        widest: pixels from the plot's left to the end of its last label.
        hidden: leads that are not drawn.
        counts: runs, attempts, messages, reached, as far as they were given.
    """

    __slots__ = ("counts", "hidden", "lanes", "last", "ticks", "widest")

    def __init__(self, lanes: dict[str, Lane], last: int, counts: dict[str, int]) -> None:
        self.last = max(last, 1)
        self.counts = counts
        self.lanes = [lanes[lead] for lead in sorted(lanes)[:MOST_LEADS]]
        self.hidden = len(lanes) - len(self.lanes)
        self.ticks = list(range(0, self.last + 1, _step(self.last)))
        self.widest = _PLOT
        for lane in self.lanes:
            kept = sorted(lane.rows, key=lane.first)[:_MOST_ROWS]
            lane.hidden = len(lane.rows) - len(kept)
            lane.rows = {follow_up: lane.rows[follow_up] for follow_up in kept}
            for row in lane.rows.values():
                row.lay_out(self.last)
                ends = [mark.span[1] for mark in row.marks.values()]
                self.widest = max([self.widest, *ends])

    def x(self, minute: int) -> int:
        """Pixels from the plot's left."""
        return minute * _PLOT // self.last

    def marks(self) -> Iterator[Mark]:
        """Every mark that is drawn."""
        for lane in self.lanes:
            for row in lane.rows.values():
                yield from row.marks.values()

    def classes(self) -> list[str]:
        """The classes that occur in what is drawn: those known first, in their order."""
        there = {name for mark in self.marks() for name in mark.classes}
        return [*(one for one in CLASSES if one in there), *sorted(there - CLASSES.keys())]


def read_timeline(document: object) -> Timeline:
    """Check and lay out the object of a simulation.

    Raises:
        Malformed: it is no such object; the message holds the JSON pointer.
    """
    if not isinstance(document, dict):
        raise Malformed("/: expected an object with sends and events", _HINT)
    lanes: dict[str, Lane] = {}
    last = 0
    for where, one in _entries(document, "sends"):
        minute = _minute(one, where)
        mark = _row(lanes, one, where).at(minute)
        mark.sent += 1
        last = max(last, minute)
        if one.get("status", "OK") != "OK":
            mark.failed += 1
            _once(mark.reasons, plain(one.get("reason") or "", 40))
    for where, one in _entries(document, "events"):
        minute = _minute(one, where)
        last = max(last, minute)
        _event(lanes, one, where, minute)
    for where, one in _entries(document, "silent"):
        cause = f" ({one['cause']})" if one.get("cause") else ""
        _row(lanes, one, where).silent = plain(f"{one.get('reason') or 'no reason given'}{cause}", 100)
    return Timeline(lanes, last, _counts(document))


def _event(lanes: dict[str, Lane], one: Mapping[str, Any], where: str, minute: int) -> None:
    lane = _lane(lanes, one, where)
    name = _text(one, "class", where)
    follow_ups = one.get("followUps", [])
    if not isinstance(follow_ups, list) or not all(isinstance(each, str) for each in follow_ups):
        raise Malformed(f"{where}/followUps: expected an array of ids", _HINT)
    for follow_up in follow_ups or [""]:
        _once(lane.row(plain(follow_up, 60)).at(minute).classes, name)


def _entries(document: Mapping[str, Any], section: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    entries = document.get(section, [])
    if not isinstance(entries, list):
        raise Malformed(f"/{section}: expected an array", _HINT)
    for at, one in enumerate(entries):
        if not isinstance(one, dict):
            raise Malformed(f"/{section}/{at}: expected an object", _HINT)
        yield f"/{section}/{at}", one


def _lane(lanes: dict[str, Lane], one: Mapping[str, Any], where: str) -> Lane:
    lead = _text(one, "lead", where)
    return lanes.setdefault(lead, Lane(lead))


def _row(lanes: dict[str, Lane], one: Mapping[str, Any], where: str) -> Row:
    return _lane(lanes, one, where).row(_text(one, "followUp", where))


def _minute(one: Mapping[str, Any], where: str) -> int:
    minute = one.get("t")
    if not isinstance(minute, int) or isinstance(minute, bool) or not 0 <= minute <= _LAST_MINUTE:
        raise Malformed(f"{where}/t: found {plain(minute, 40)}, expected whole minutes from 0", _HINT)
    return minute


def _text(one: Mapping[str, Any], key: str, where: str) -> str:
    text = one.get(key)
    if not isinstance(text, str):
        raise Malformed(f"{where}/{key}: found {plain(text, 40)}, expected text", _HINT)
    return plain(text, 60)


def _counts(document: Mapping[str, Any]) -> dict[str, int]:
    given = document.get("counts", {})
    if not isinstance(given, dict):
        raise Malformed("/counts: expected an object", _HINT)
    return {
        name: given[name] for name in ("runs", "attempts", "messages", "reached") if isinstance(given.get(name), int)
    }


def _is_free(spans: list[tuple[int, int]], start: int, end: int) -> bool:
    return all(end <= one[0] or start >= one[1] for one in spans)


def _once(names: list[str], name: str) -> None:
    if name not in names:
        names.append(name)


def _step(last: int) -> int:
    fitting = next((step for step in _STEPS if last <= 8 * step), None)
    return fitting or -(-last // 8 // _STEPS[-1]) * _STEPS[-1]
