"""Text that somebody else wrote, fit for a line of a report, a cell of a Markdown table or a page."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_CUT = 120
_MARKDOWN = str.maketrans({char: f"\\{char}" for char in "\\`*_[]|~<>&"})
_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}


def plain(text: object, limit: int = _CUT) -> str:
    """One line of visible characters; white space becomes a space, everything that does not print its escape."""
    raw = " ".join(str(text)[: limit * 8].split())
    seen = raw if raw.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in raw)
    return seen if len(seen) <= limit else f"{seen[: limit - 1]}…"


def cell(text: object, limit: int = _CUT) -> str:
    """The same for a cell of a Markdown table: no character of it is markup."""
    return plain(text, limit).translate(_MARKDOWN)


def html(text: object, limit: int = _CUT) -> str:
    """The same for the text or a quoted attribute of a page."""
    return "".join(_HTML.get(char, char) for char in plain(text, limit))


def aligned(rows: Sequence[Sequence[str]], right: Iterable[int] = ()) -> list[str]:
    """Rows as columns two spaces apart, no blanks at the ends; the columns in ``right`` end at one edge."""
    if not rows:
        return []
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    flush = frozenset(right)
    return [
        "  ".join(
            text.rjust(width) if at in flush else text.ljust(width)
            for at, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
