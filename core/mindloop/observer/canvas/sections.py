"""The plain structure of a canvas body: lines, fences, headings, sections, tables.

Only CR, LF and CRLF end a line here. ``str.splitlines`` would also cut at U+2028 or a form feed, which quotes hold.
"""

from __future__ import annotations

import re

from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_EOL = when_used(r"\r\n|\n|\r")
_FENCE = when_used(r" {0,3}(`{3,}(?=[^`]*\Z)|~{3,})")
_NUMBERING = when_used(r"\A\d+(?:\.\d+)*[.)]?\s+")
_CELL_BREAK = when_used(r"(?<!\\)\|")
_RULE_CELL = when_used(r":?-+:?\Z")
_PLACEHOLDER = when_used(r"(?:\(none.*|[-–—]*|\{.*\})\Z", re.IGNORECASE | re.DOTALL)


class Row:
    """One line of a canvas that no fence hides: ``number`` counts from 1 in the body, ``text`` has no line end."""

    __slots__ = ("number", "text")

    def __init__(self, number: int, text: str) -> None:
        self.number = number
        self.text = text


class Block:
    """A heading with the rows below it, down to the next heading of its level or above."""

    __slots__ = ("number", "rows", "title")

    def __init__(self, title: str, number: int) -> None:
        self.title = title
        self.number = number
        self.rows: list[Row] = []


def split_lines(text: str) -> list[str]:
    """Split at CR, LF and CRLF and nowhere else."""
    return _EOL.split(text)


def visible_rows(body: str) -> Iterator[Row | None]:
    """Yield each line outside fenced code; None stands for a line that is fenced."""
    fence = ""
    for number, text in enumerate(split_lines(body), 1):
        if fence:
            fence = "" if _closes(text, fence) else fence
            yield None
        elif opened := _FENCE.match(text):
            fence = opened[1]
            yield None
        else:
            yield Row(number, text)


def _closes(text: str, fence: str) -> bool:
    mark = text.strip(" \t")
    indent = len(text) - len(text.lstrip(" "))
    return indent <= 3 and len(mark) >= len(fence) and mark == fence[0] * len(mark)


def open_fence(body: str) -> int | None:
    """Return the line of a code fence that is never closed, which hides all below it; None where there is none."""
    fence, start = "", 0
    for number, text in enumerate(split_lines(body), 1):
        if fence:
            fence = "" if _closes(text, fence) else fence
        elif opened := _FENCE.match(text):
            fence, start = opened[1], number
    return start if fence else None


def heading(text: str) -> tuple[int, str] | None:
    """Return level and title of a ``#`` heading, or None; no regex, as a line may be megabytes of spaces."""
    mark = text.lstrip(" ")
    rest = mark.lstrip("#")
    level = len(mark) - len(rest)
    if not 1 <= level <= 6 or len(text) - len(mark) > 3 or (rest and rest[0] not in " \t"):
        return None
    title = rest.strip(" \t")
    open_title = title.rstrip("#")
    closed = not open_title or open_title[-1] in " \t"
    return level, open_title.rstrip(" \t") if closed else title


def blocks(rows: list[Row], level: int) -> list[Block]:
    """Cut rows at the headings of one level; what stands before the first or after a higher heading belongs to none."""
    result: list[Block] = []
    current: Block | None = None
    for row in rows:
        found = heading(row.text)
        if found and found[0] <= level:
            current = Block(found[1], row.number) if found[0] == level else None
            if current:
                result.append(current)
        elif current:
            current.rows.append(row)
    return result


def named(sections: list[Block], name: str) -> list[Block]:
    """Return the sections whose title starts with ``name``: numbering in front and words behind it are tolerated."""
    wanted = name.casefold()
    return [section for section in sections if _bare_title(section.title).startswith(wanted)]


def _bare_title(title: str) -> str:
    return _NUMBERING.sub("", title, count=1).replace("-", " ").replace("*", "").strip().casefold()


def tables(rows: list[Row]) -> Iterator[tuple[Row, list[str]]]:
    """Yield the cells of each table row that is not the rule under the header."""
    for row in rows:
        text = row.text.strip()
        if text.startswith("|") and text != "|":
            cells = [cell.replace("\\|", "|").strip() for cell in _CELL_BREAK.split(text[1:])]
            if cells and not cells[-1]:
                cells.pop()
            if cells and not all(_RULE_CELL.match(cell) for cell in cells):
                yield row, cells


def is_placeholder(cell: str) -> bool:
    """Tell an unfilled cell: nothing, a dash, ``(none …)``, ``{…}``."""
    return bool(_PLACEHOLDER.match(cell.strip()))


def plain(cell: str) -> str:
    """Take the bold and code markers off a cell or a value."""
    return cell.replace("*", "").replace("`", "").strip()
