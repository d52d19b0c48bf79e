"""What a canvas claims and promises: hypotheses, future promises, expectation gaps."""

from __future__ import annotations

import re

from mindloop.observer.canvas.sections import Block, blocks, heading, is_placeholder, named, plain, tables
from mindloop.observer.lines import excerpt
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mindloop.observer.canvas.sections import Row

_HYPOTHESIS = when_used(
    r"\*{0,2}(?:(hypothesis)|H)\*{0,2}(?:[ \t]{0,3}[-_#]?[ \t]{0,3}([0-9]{1,9})(?:_[0-9]+)?)?\b\*{0,2}(.*)",
    re.IGNORECASE | re.DOTALL,
)
_CONFIDENCE = when_used(
    r"\*{0,2}Confidence\*{0,2}\s{0,9}:[\s*]{0,12}(High|Medium|Low)\b(-High)?",
    re.IGNORECASE,
)
_UNFILLED = when_used(r"\s{0,9}\|\s{0,9}(?:High|Medium|Low)\b", re.IGNORECASE)
_STATUS_LINE = when_used(r"(?:[-*+][ \t]+)?\*\*Status(?:\*\*:|:\*\*)[ \t]*(.*)", re.IGNORECASE | re.DOTALL)
_GAP_TITLE = when_used(r"\**(GAP-[\w-]+)\**[ \t]*:?[ \t]*(.*)", re.IGNORECASE | re.DOTALL)
_MARKS = frozenset('"“”')
_ID = when_used(r"(?<![^\W_])H[-_]?([0-9]{1,9})(?![^\W_])", re.IGNORECASE)


class Hypothesis:
    """One Level 3 hypothesis.

    Attributes:
        id: ``H`` and the number without leading zeros; the canvas may spell it ``H-1`` or ``Hypothesis 1``.
        title: one line.
        confidence: low, medium or high; Medium-High is medium, no confidence line is low.
        closed: nothing is left to validate: high, or marked ``[VALIDATED …]``.
        line: where it starts, counted from 1 in the body.
    """

    __slots__ = ("closed", "confidence", "id", "line", "title")

    def __init__(self, id: str, title: str, confidence: str, closed: bool, line: int) -> None:  # noqa: FBT001 - a record's field
        self.id = id
        self.title = title
        self.confidence = confidence
        self.closed = closed
        self.line = line


class Promise:
    """One row of the Future Promises table; ``date`` and ``status`` as written, without bold markers."""

    __slots__ = ("date", "line", "status", "text")

    def __init__(self, text: str, date: str, status: str, line: int) -> None:
        self.text = text
        self.date = date
        self.status = status
        self.line = line

    @property
    def redeemed(self) -> bool:
        """True when the first word of the status is exactly VALIDATED; UNVALIDATED and NOT VALIDATED are not."""
        return self.status.split(maxsplit=1)[:1] == ["VALIDATED"]


class ExpectationGap:
    """One expectation gap. ``status`` and ``kind`` are the first word as written, or empty."""

    __slots__ = ("id", "kind", "line", "status", "title")

    def __init__(self, id: str, title: str, line: int, status: str = "", kind: str = "") -> None:
        self.id = id
        self.title = title
        self.line = line
        self.status = status
        self.kind = kind


def normal_id(text: str) -> str | None:
    """Return a hypothesis id in the one spelling ``H<number>``; None for what is no id."""
    found = _ID.match(text.strip()) if isinstance(text, str) else None
    return f"H{int(found[1])}" if found else None


def read_hypotheses(sections: list[Block]) -> list[Hypothesis]:
    """Return the hypotheses below ``## Level 3 Hypotheses``; headings of level 3 or 4 start one."""
    found: list[tuple[str | None, str, Block]] = []
    for section in named(sections, "Level 3 Hypotheses"):
        for block in _sub_blocks(section, _hypothesis_heading):
            parts = _hypothesis_heading(block.title)
            if parts:
                found.append((parts[0], parts[1], block))
    taken = {number for number, _, _ in found if number}
    return [_hypothesis(number or _free(taken), title, block) for number, title, block in found]


def _sub_blocks(section: Block, starts: Callable[[str], object]) -> list[Block]:
    """Cut a section at each heading of level 3, and at a deeper one whose title starts an entry of its own."""
    result: list[Block] = []
    for row in section.rows:
        title = heading(row.text)
        if title and (title[0] <= 3 or starts(title[1])):
            result.append(Block(title[1], row.number))
        elif result:
            result[-1].rows.append(row)
    return result


def _hypothesis_heading(title: str) -> tuple[str | None, str] | None:
    """Return number and title of a hypothesis heading; the number is None where only the word stands."""
    parts = _HYPOTHESIS.match(title)
    if not parts or not (parts[1] or parts[2]):
        return None
    rest = parts[3].lstrip(":.-–—) \t").replace("**", "")
    return (f"H{int(parts[2])}" if parts[2] else None), excerpt(rest)


def _free(taken: set[str]) -> str:
    """Number a hypothesis that has no number: the lowest that no other one has."""
    number = 1
    while f"H{number}" in taken:
        number += 1
    taken.add(f"H{number}")
    return f"H{number}"


def _hypothesis(identity: str, title: str, block: Block) -> Hypothesis:
    confidence = _confidence(block.rows)
    closed = confidence == "high" or "[VALIDATED" in title.upper()
    return Hypothesis(identity, title, confidence, closed, block.number)


def _confidence(rows: list[Row]) -> str:
    """Read the first confidence line; the unfilled ``Low | Medium`` counts as low."""
    for row in rows:
        found = _CONFIDENCE.search(row.text)
        if found:
            if _UNFILLED.match(row.text, found.end()):
                return "low"
            return "medium" if found[2] else found[1].lower()
    return "low"


def read_promises(sections: list[Block]) -> list[Promise]:
    """Return the filled rows of the Future Promises table, with or without a status column."""
    result: list[Promise] = []
    for section in named(sections, "Future Promises"):
        columns = ["promise", "date", "follow up trigger", "status"]
        for row, cells in tables(section.rows):
            names = [plain(cell).casefold().replace("-", " ") for cell in cells]
            if names[0] == "promise":
                columns = names
            elif not is_placeholder(plain(cells[0])):
                result.append(_promise(dict(zip(columns, cells, strict=False)), row.number))
    return result


def _promise(cells: dict[str, str], line: int) -> Promise:
    values = {name: plain(cell) for name, cell in cells.items()}
    text = _unquoted(excerpt(values.get("promise", "")))
    return Promise(text, values.get("date", ""), values.get("status", ""), line)


def _unquoted(text: str) -> str:
    """Take off the quotation marks around a whole text; one of two quotes at its ends keeps its own."""
    inner = text[1:-1]
    paired = len(text) > 1 and text[0] in _MARKS and text[-1] in _MARKS
    return inner if paired and not _MARKS.intersection(inner) else text


def read_gaps(rows: list[Row]) -> list[ExpectationGap]:
    """Return the gaps of a canvas: ``### GAP-…`` blocks, and any ``**Status**:`` line at the start of a line.

    A status stands in a Field/Value table or in such a line; a gap with an Expected/Actual table has none.
    """
    sections = named(blocks(rows, 2), "Expectation Gaps")
    inside = {row.number for section in sections for row in section.rows}
    gaps = [gap for section in sections for gap in _section_gaps(section)]
    return [*gaps, *_loose_gaps((row for row in rows if row.number not in inside), "")]


def _section_gaps(section: Block) -> Iterator[ExpectationGap]:
    inner = _sub_blocks(section, _GAP_TITLE.match)
    first = inner[0].number if inner else section.number + len(section.rows) + 1
    yield from _loose_gaps((row for row in section.rows if row.number < first), "")
    for block in inner:
        yield _gap(block)


def _gap(block: Block) -> ExpectationGap:
    gap = _titled(block.title, block.number)
    for _, cells in tables(block.rows):
        _take(gap, plain(cells[0]).casefold(), plain(cells[1]) if len(cells) > 1 else "")
    for row in block.rows:
        line = _STATUS_LINE.match(row.text)
        if line:
            _take(gap, "status", plain(line[1]))
    return gap


def _titled(title: str, line: int) -> ExpectationGap:
    name = _GAP_TITLE.match(title)
    return ExpectationGap(name[1] if name else "", excerpt(name[2] if name else title), line)


def _take(gap: ExpectationGap, field: str, value: str) -> None:
    """Fill status or type from the first place that has it."""
    word = (value.split(maxsplit=1) or [""])[0]
    if field == "status" and not gap.status:
        gap.status = word
    elif field == "type" and not gap.kind:
        gap.kind = word


def _loose_gaps(rows: Iterable[Row], title: str) -> Iterator[ExpectationGap]:
    """Yield a gap for each status line at the very start of a line, named by the heading above it."""
    for row in rows:
        head = heading(row.text)
        title = head[1] if head else title
        line = _STATUS_LINE.match(row.text) if row.text.startswith("**") else None
        if line:
            gap = _titled(title, row.number)
            _take(gap, "status", plain(line[1]))
            yield gap
