"""Writing into a canvas: a new one from the template, or quotes and notes more where a canvas stands.

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
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.observer.canvas.sections import Row

LIBRARY = "Quotes Library"
VALUES = ("high", "medium")
"""What a quote on a canvas may be worth to whoever reads it next; a quote without a note is worth what it says."""
_OTHER_LINE_ENDS = dict.fromkeys(map(ord, "\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029"), " ")
_LINE_END = when_used(r"\r\n|\n|\r")
_MAX_ATTRIBUTION = 120
_PROVEN = when_used(r"[ \t]*<!--[ \t]*prov:sha256:([0-9A-Fa-f]{64})(?![0-9A-Za-z])[^\r\n]*-->\s*\Z")
_VALUE = when_used(r"([ \t]*<!-- value:)[a-z]{1,9}( -->\s*)\Z")

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


def new_canvas(
    user: str, wallet: str | None, instant: str, trigger: str = "observe", enriched: str | None = None
) -> str:
    """Return an empty canvas of a user in the template's form.

    Args:
        user: whose it is, as shown.
        wallet: the user's wallet, or None.
        instant: when it is created.
        trigger: what it is created by: ``observe`` or ``ingest-dm``.
        enriched: when it was enriched last, or None.
    """
    meta: dict[str, Any] = {
        "type": "user_canvas",
        "user": user,
        "wallet": wallet,
        "lifecycle_state": "new_user",
        "schema_version": 2,
        "created": instant,
        "updated": instant,
        "last_enriched": enriched,
        "enrichment_trigger": trigger,
        "score_snapshot": None,
    }
    shown = escape(user)
    values = {"user": shown, "cell": shown.replace("|", "\\|"), "wallet": wallet or "-"}
    return front_matter.render(meta, re.sub(r"\{(user|cell|wallet)\}", lambda found: values[found[1]], _BODY))


def quote_lines(text: str, attribution: str, digest: str) -> list[str]:
    """Return the lines of a quote, its attribution and the comment that proves it."""
    words = escape(text.translate(_OTHER_LINE_ENDS).strip())
    quoted = split_lines(f'"{words}"')
    source = escape(excerpt(attribution, _MAX_ATTRIBUTION))
    return [
        *(f"> {line}" if line else ">" for line in quoted),
        f"> — {source}",
        f"<!-- prov:sha256:{digest} -->",
    ]


def insert_quote(text: str, lines: list[str]) -> str:
    """Return a canvas with a quote at the end of its quotes library; every other byte stays where it was."""
    return insert_lines(text, LIBRARY, lines)


def insert_quotes(text: str, quotes: list[list[str]]) -> str:
    """Return a canvas with many quotes, each as ``quote_lines`` gives it, at the end of its library, in one insertion.

    An empty line stands between two of them; no quotes change nothing.
    """
    lines = [line for quote in quotes for line in ("", *quote)]
    return insert_lines(text, LIBRARY, lines[1:]) if lines else text


def insert_lines(text: str, section: str, lines: list[str]) -> str:
    """Return a canvas with lines at the end of a section, after an empty one; every other byte stays where it was.

    Without such a section one is added at the end. Line ends are those of the file.
    """
    found = _LINE_END.search(text)
    line_end = found[0] if found else "\n"
    place, is_there = _place(text, section)
    if not is_there:
        lines = [f"## {section}", "", *lines]
    rest = text[place:]
    addition = line_end * 2 + line_end.join(lines)
    return text[:place] + addition + (rest or line_end)


def note_values(text: str, values: dict[str, str], *, replace: bool = True) -> str:
    """Return a canvas on which quotes are noted as worth something, on a line after the comment that proves each.

    Args:
        text: the whole canvas.
        values: bare hash to one of ``VALUES``; a hash that the canvas does not prove by a comment on a line of its own
            is passed over.
        replace: whether a note that is there already is replaced.

    The note is a comment that no reader of quotes, hypotheses or promises sees.
    """
    head, header, tail = front_matter.split(text)
    found = _LINE_END.search(text)
    line_end = found[0] if found else "\n"
    lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", tail)
    visible = {row.number for row in visible_rows(tail) if row}
    out: list[str] = []
    for number, line in enumerate(lines, 1):
        value = values.get(_proven_by(line)) if number in visible else None
        noted = number < len(lines) and bool(_VALUE.match(lines[number]))
        out.append(line)
        if value is not None and not noted:
            bare = line.rstrip("\r\n")
            out[-1] = bare + (line[len(bare) :] or line_end)
            out.append(f"<!-- value:{value} -->{line[len(bare) :]}")
        elif value is not None and replace:
            lines[number] = _VALUE.sub(lambda old, new=value: f"{old[1]}{new}{old[2]}", lines[number])
    return head + (header or "") + "".join(out)


def _proven_by(line: str) -> str:
    found = _PROVEN.match(line)
    return found[1].lower() if found else ""


def _place(text: str, section: str) -> tuple[int, bool]:
    """Return where the section's last line ends, or the file's last line, and whether there is such a section."""
    head, header, tail = front_matter.split(text)
    rows = [row for row in visible_rows(tail) if row]
    sections = named(blocks(rows, 2), section)
    start = sections[0].number if sections else 1
    stop = _next_heading(rows, start) if sections else None
    last = _last_line(split_lines(tail), start, stop)
    return len(head) + len(header or "") + _end_of_line(tail, last), bool(sections)


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
