"""Draws a timeline as SVG: a lane a lead, a line a follow-up. Whatever a colour says, a shape and a word say too."""

from __future__ import annotations

from mindloop.sequence.shown import html
from mindloop.sequence.timeline import CLASSES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindloop.sequence.timeline import Lane, Mark, Row, Timeline

_LEFT = 190
_RIGHT = 24
_TOP = 44
_LANE_HEAD = 26
_LINE = 20
_TRACK = 16
_FAMILIES = {
    "CROSS_STAGE": "cross",
    "LAG_CROSS": "cross",
    "SAME_STAGE_BURST": "burst",
    "POST_STOP": "stop",
    "LAG_POST_STOP": "stop",
    "WINDOW_FAIL": "fail",
    "TEMPLATE_FAIL": "fail",
}
_SHAPES = {
    "cross": "M0-10L10 0L0 10L-10 0Z",
    "burst": "M0-11L11 8L-11 8Z",
    "stop": "M-4-9L4-9L9-4L9 4L4 9L-4 9L-9 4L-9-4Z",
    "fail": "M-9-9L9-9L9 9L-9 9Z",
    "other": "M-10 0A10 10 0 1 0 10 0A10 10 0 1 0-10 0Z",
}
_SENT = '<circle class="sent" r="5"/>'
_FAILED = '<path class="failed" d="M-5-5L5 5M5-5L-5 5"/>'
_STYLE = """
svg.timeline text{font:12px system-ui,sans-serif;fill:var(--ink)}
svg.timeline .said{paint-order:stroke;stroke:var(--paper);stroke-width:5px;stroke-linejoin:round}
svg.timeline .banded .said{stroke:var(--band)}
svg.timeline .lead{font-weight:700;font-size:13px}
svg.timeline .axis,svg.timeline .quiet{fill:var(--soft);font-size:11px}
svg.timeline .grid{stroke:var(--line);stroke-width:1}
svg.timeline .base{stroke:var(--soft);stroke-width:1}
svg.timeline .silent{stroke:var(--soft);stroke-width:1.5;stroke-dasharray:5 4}
svg.timeline .band{fill:var(--band)}
.sent{fill:var(--good);stroke:none}
.failed{stroke:var(--bad);stroke-width:2.5;fill:none}
.ring{fill:none;stroke-width:2}
.lag{stroke-dasharray:3 2}
.cross{stroke:var(--cross)}.burst{stroke:var(--burst)}.stop{stroke:var(--stop)}.fail{stroke:var(--bad)}
.other{stroke:var(--ink)}
svg.timeline .wrong{font-weight:700}
"""


def style() -> str:
    """The rules that a page needs for the drawing; the page says what the colours are."""
    return _STYLE


def drawn(timeline: Timeline) -> str:
    """The picture as an ``svg`` element, with a title and a description for those who do not see it."""
    bands: list[str] = []
    body: list[str] = []
    y = _TOP
    for at, lane in enumerate(timeline.lanes):
        height = _height(lane)
        if at % 2 == 0:
            bands.append(f'<rect class="band" x="0" y="{y}" width="{_width(timeline)}" height="{height}"/>')
        body += [f'<g class="lane{"" if at % 2 else " banded"}">', *_lane(lane, y), "</g>"]
        y += height
    height = y + 12
    head = (
        f'<svg class="timeline" role="img" aria-labelledby="timeline-title timeline-desc" width="{_width(timeline)}"'
        f' height="{height}" viewBox="0 0 {_width(timeline)} {height}" xmlns="http://www.w3.org/2000/svg">'
        f'<title id="timeline-title">Simulated timeline</title>'
        f'<desc id="timeline-desc">A lane for each of {len(timeline.lanes)} leads, minutes from left to right;'
        " the table below says the same.</desc>"
    )
    return "\n".join([head, *bands, *_axis(timeline, y), *body, "</svg>"])


def legend(timeline: Timeline) -> Iterator[tuple[str, str, str]]:
    """(picture, word, meaning) of every mark that the drawing has."""
    marks = list(timeline.marks())
    if any(mark.sent > mark.failed for mark in marks):
        yield _sample(_SENT), "sent", "a message that went out; the number is its minute"
    if any(mark.failed for mark in marks):
        yield _sample(_FAILED), "FAILED", "a message that went out and did not arrive"
    if any(row.silent is not None for lane in timeline.lanes for row in lane.rows.values()):
        line = '<path class="silent" d="M-11 0L11 0"/>'
        yield _sample(line), "never sent", "a follow-up that did not go out, and what held it back"
    for name in timeline.classes():
        yield _sample(_ring(name)), html(name), html(CLASSES.get(name, "a class that this page does not know"))


def _sample(inner: str) -> str:
    return (
        '<svg class="timeline" width="26" height="26" viewBox="-13 -13 26 26" aria-hidden="true"'
        f' xmlns="http://www.w3.org/2000/svg">{inner}</svg>'
    )


def human(minutes: int) -> str:
    """Minutes as days, hours and minutes: ``2d 4h 30m``."""
    days, rest = divmod(minutes, 1440)
    hours, left = divmod(rest, 60)
    parts = [f"{count}{unit}" for count, unit in ((days, "d"), (hours, "h"), (left, "m")) if count]
    return " ".join(parts) or "0"


def _width(timeline: Timeline) -> int:
    return _LEFT + timeline.widest + _RIGHT


def _height(lane: Lane) -> int:
    return _LANE_HEAD + sum(_row_height(row) for row in lane.rows.values()) + (_LINE if lane.hidden else 0) + 6


def _row_height(row: Row) -> int:
    lines = row.tracks + (row.silent is not None and bool(row.marks))
    return _LINE + _TRACK * (lines - 1) + 6


def _axis(timeline: Timeline, bottom: int) -> Iterator[str]:
    yield f'<text class="axis" x="12" y="{_TOP - 24}">minutes</text>'
    for minute in timeline.ticks:
        x = _LEFT + timeline.x(minute)
        yield f'<line class="grid" x1="{x}" y1="{_TOP - 6}" x2="{x}" y2="{bottom}"/>'
        yield f'<text class="axis" x="{x}" y="{_TOP - 24}" text-anchor="middle">{minute}</text>'
        if minute >= 60:
            yield f'<text class="quiet" x="{x}" y="{_TOP - 11}" text-anchor="middle">{human(minute)}</text>'


def _lane(lane: Lane, top: int) -> Iterator[str]:
    yield f'<text class="lead" x="12" y="{top + 18}">{html(lane.lead, 24)}</text>'
    y = top + _LANE_HEAD
    for row in lane.rows.values():
        yield from _row(row, y + _LINE // 2)
        y += _row_height(row)
    if lane.hidden:
        yield f'<text class="quiet" x="24" y="{y + 14}">and {lane.hidden} more follow-ups</text>'


def _row(row: Row, y: int) -> Iterator[str]:
    name = html(row.follow_up or "(no follow-up)", 24)
    kind = "base" if row.silent is None else "silent"
    yield f'<text x="24" y="{y + 4}">{name}</text>'
    yield f'<line class="{kind}" x1="{_LEFT}" y1="{y}" x2="{_LEFT + 720}" y2="{y}"/>'
    if row.silent is not None:
        below = _TRACK * row.tracks if row.marks else 0
        yield f'<text class="said" x="{_LEFT + 14}" y="{y + 4 + below}">never sent: {html(row.silent, 100)}</text>'
    for mark in row.marks.values():
        yield from _mark(mark, y, row.follow_up)
    if row.hidden:
        yield f'<text class="quiet" x="{_LEFT + 720}" y="{y + 16}" text-anchor="end">and {row.hidden} more</text>'


def _mark(mark: Mark, y: int, follow_up: str) -> Iterator[str]:
    x, label_y = _LEFT + mark.x, y + 4 + _TRACK * mark.track
    sign = _FAILED if mark.failed else _SENT if mark.sent else ""
    rings = "".join(_ring(name) for name in mark.classes)
    label = html(mark.label, 200)
    yield f'<g transform="translate({x} {y})"><title>{html(follow_up, 60)} {label}</title>{rings}{sign}</g>'
    kind = "said wrong" if mark.classes or mark.failed else "said"
    anchor = ' text-anchor="end"' if mark.leftward else ""
    yield f'<text class="{kind}" x="{_LEFT + mark.label_x}" y="{label_y}"{anchor}>{label}</text>'


def _ring(name: str) -> str:
    family = _FAMILIES.get(name, "other")
    lag = " lag" if name.startswith("LAG_") else ""
    return f'<path class="ring {family}{lag}" d="{_SHAPES[family]}"/>'
