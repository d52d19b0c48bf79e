"""Writing into a canvas: a new one from the template, or one quote more where a canvas stands.

A quote is written so that exactly its hash is found again and so that nothing in it can leave the block or pass for a
provenance comment: every line carries ``>``, characters that other readers take for line ends become spaces (the hash
does not see the difference), and no ``<!--`` is left open in it.
"""

from __future__ import annotations

import re

from mindloop.observer.canvas.sections import blocks, heading, named, split_lines, visible_rows
from mindloop.observer.escaping import escape
from mindloop.observer.lines import excerpt
from mindloop.store import front_matter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.observer.canvas.sections import Row

LIBRARY = "Quotes Library"
_OTHER_LINE_ENDS = re.compile("[\x0b\x0c\x1c-\x1f\x85\u2028\u2029]")
_LINE_END = re.compile(r"\r\n|\n|\r")
_MAX_ATTRIBUTION = 120

_BODY = """\
# {user} Canvas

## User Profile

| Field | Value |
|-------|-------|
| **User** | {cell} |
| **Wallet** | {wallet} |
| **Confidence** | Low (first quote) |

## Score Context

| Field | Value |
|-------|-------|

## Level 3 Hypotheses

## Future Promises (Unvalidated)

| Promise | Date | Follow-up Trigger | Status |
|---------|------|-------------------|--------|

## Journey Fragments

## Expectation Gaps

## Conversation Frameworks

## Quotes Library

## Linked Artifacts

## Feedback Entries (from UI)

| Date | Type | Note | Source | Signal | Weight | Model |
|------|------|------|--------|--------|--------|-------|
"""


def new_canvas(user: str, wallet: str | None, instant: str) -> str:
    """Return an empty canvas of a user in the template's form; ``instant`` is when it is created."""
    meta: dict[str, Any] = {
        "type": "user_canvas",
        "user": user,
        "wallet": wallet,
        "lifecycle_state": "new_user",
        "schema_version": 2,
        "created": instant,
        "updated": instant,
        "last_enriched": None,
        "enrichment_trigger": "observe",
        "score_snapshot": None,
    }
    shown = escape(user)
    values = {"user": shown, "cell": shown.replace("|", "\\|"), "wallet": wallet or "-"}
    return front_matter.render(meta, re.sub(r"\{(user|cell|wallet)\}", lambda found: values[found[1]], _BODY))


def quote_lines(text: str, attribution: str, digest: str) -> list[str]:
    """Return the lines of a quote, its attribution and the comment that proves it."""
    words = escape(_OTHER_LINE_ENDS.sub(" ", text).strip())
    quoted = split_lines(f'"{words}"')
    source = escape(excerpt(attribution, _MAX_ATTRIBUTION))
    return [
        *(f"> {line}" if line else ">" for line in quoted),
        f"> — {source}",
        f"<!-- prov:sha256:{digest} -->",
    ]


def insert_quote(text: str, lines: list[str]) -> str:
    """Return a canvas with a quote at the end of its quotes library; every other byte stays where it was.

    Without such a section one is added at the end. Line ends are those of the file.
    """
    found = _LINE_END.search(text)
    line_end = found[0] if found else "\n"
    place, has_library = _place(text)
    if not has_library:
        lines = [f"## {LIBRARY}", "", *lines]
    rest = text[place:]
    addition = line_end * 2 + line_end.join(lines)
    return text[:place] + addition + (rest or line_end)


def _place(text: str) -> tuple[int, bool]:
    """Return where the library's last line ends, or the file's last line, and whether there is a library."""
    head, header, tail = front_matter.split(text)
    rows = [row for row in visible_rows(tail) if row]
    libraries = named(blocks(rows, 2), LIBRARY)
    start = libraries[0].number if libraries else 1
    stop = _next_heading(rows, start) if libraries else None
    last = _last_line(split_lines(tail), start, stop)
    return len(head) + len(header or "") + _end_of_line(tail, last), bool(libraries)


def _next_heading(rows: list[Row], start: int) -> int | None:
    """Return the line of the heading that ends the section which starts at a line."""
    for row in rows:
        found = heading(row.text) if row.number > start else None
        if found and found[0] <= 2:
            return row.number
    return None


def _last_line(lines: list[str], start: int, stop: int | None) -> int:
    """Return the number of the last line with text in ``start`` to ``stop``, at least ``start``."""
    last = len(lines) if stop is None else stop - 1
    while last > start and not lines[last - 1].strip():
        last -= 1
    return last


def _end_of_line(tail: str, number: int) -> int:
    """Return the offset just before the line end of a line, counted from 1."""
    ends = [found.start() for found in _LINE_END.finditer(tail)]
    return ends[number - 1] if number <= len(ends) else len(tail)
