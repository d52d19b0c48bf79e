"""Finding quotes on a canvas: blockquotes, their provenance comments, and what may have been hashed.

A canvas decorates what was hashed (quote marks, an attribution, entity escapes), so each block offers its readings:
what the original may have been. Which of them it was, if any, only the hash can tell.
"""

from __future__ import annotations

# ruff: noqa: RUF001 - quote marks and dashes that look alike are the subject here
from mindloop.observer.canvas.sections import visible_rows
from mindloop.observer.escaping import unescape
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_MARKER = when_used(r" {0,3}> ?")
_NESTED = when_used(r"\A[ \t]*(?:>[ \t]?)+")
_COMMENT = when_used(r"<!--[ \t]*prov:sha256:([0-9A-Fa-f]{64})(?![0-9A-Za-z])")
_ATTRIBUTION = when_used(r"\s*(?:[—–―]|--)\s*\S")
_PAIRS = {'"': '"', "“": "”", "‘": "’", "'": "'", "«": "»", "„": "“", "「": "」"}
_MAX_ATTRIBUTIONS = 4
_MAX_CLOSERS = 12
_LONG = 100_000  # beyond this a quote gets no search for marks inside: a hostile one must not cost minutes


class Blockquote:
    """One quote of a canvas: its lines without the marker, and the hash declared for it.

    Attributes:
        lines: the quote's lines, one level of ``>`` taken off.
        declared: the hash of its provenance comment, bare and lower case; None where there is no valid comment.
        line: where it starts, counted from 1 in the body.
    """

    __slots__ = ("declared", "line", "lines")

    def __init__(self, lines: tuple[str, ...], declared: str | None, line: int) -> None:
        self.lines = lines
        self.declared = declared
        self.line = line

    @property
    def candidates(self) -> tuple[str, ...]:
        """What may have been hashed, most literal first, without repetitions."""
        return tuple(dict.fromkeys(self.readings()))

    def readings(self) -> Iterator[str]:
        """Yield the candidates one by one, so that a proven quote costs no more than its own reading."""
        unnested = tuple(_NESTED.sub("", text) for text in self.lines)
        shapes = (self.lines,) if unnested == self.lines else (self.lines, unnested)
        for lines in shapes:
            yield from _variants(lines)
        if any("&" in text for text in self.lines):
            for lines in shapes:
                yield from (unescape(text) for text in _variants(lines))

    @property
    def display(self) -> str:
        """The quote without its decoration, as it is shown while nothing proves it."""
        text = "\n".join(_attribution_cuts(self.lines)[-1]).strip()
        inner = _attributed(text) if text[:1] in _PAIRS else []
        return unescape(_unwrap(text) or next(iter(inner), text))


def blockquotes(body: str) -> list[Blockquote]:
    """Return the quotes of a canvas body in their order; fenced code holds none.

    A provenance comment belongs to the text before it: in the block (then it ends the quote, and the next line starts
    another one), on the line after it, or after one blank line. It serves one quote and never one below it.
    """
    reader = _Reader()
    for row in visible_rows(body):
        if row is None:
            reader.interrupt()
        elif marker := _MARKER.match(row.text):
            reader.quoted(row.text[marker.end() :], row.number)
        elif row.text.strip():
            reader.other(row.text.strip())
        else:
            reader.blank()
    reader.interrupt()
    return reader.found


class _Reader:
    """Collects quotes by line: ``lines`` is the open segment, ``waiting`` a closed one whose comment may still come."""

    __slots__ = ("blanks", "found", "lines", "start", "waiting")

    def __init__(self) -> None:
        self.found: list[Blockquote] = []
        self.lines: list[str] = []
        self.start = 0
        self.waiting: Blockquote | None = None
        self.blanks = 0

    def quoted(self, text: str, number: int) -> None:
        """Take a quote line; a comment in it closes the segment before it."""
        self.waiting = None
        end = 0
        for before, declared, after in _comments(text):
            self._add(before, number)
            self._close(declared)
            end = after
        if not end or text[end:].strip():
            self._add(text[end:], number)

    def blank(self) -> None:
        """Take an empty line: one may still stand before a comment."""
        self._wait()
        self.blanks += 1
        if self.blanks > 1:
            self.waiting = None

    def other(self, text: str) -> None:
        """Take any other line: a comment by itself proves the quote that waits."""
        self._wait()
        comment = next(_comments(text), None)
        if self.waiting and comment and not comment[0]:
            self.waiting.declared = comment[1]
        self.waiting = None

    def interrupt(self) -> None:
        self._wait()
        self.waiting = None

    def _add(self, text: str, number: int) -> None:
        if not self.lines:
            self.start = number
        self.lines.append(text)

    def _wait(self) -> None:
        if self.lines:
            self.waiting = self._close(None)
            self.blanks = 0

    def _close(self, declared: str | None) -> Blockquote | None:
        lines, self.lines = tuple(self.lines), []
        if not any(text.strip() for text in lines):
            return None
        quote = Blockquote(lines, declared, self.start)
        self.found.append(quote)
        return quote


def _comments(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield, for each provenance comment of a line, the text since the last one, its hash, and where it ends."""
    position = 0
    while opened := _COMMENT.search(text, position):
        end = text.find("-->", opened.end())
        if end < 0:
            return
        yield text[position : opened.start()], opened[1].lower(), end + 3
        position = end + 3


def _variants(lines: tuple[str, ...]) -> Iterator[str]:
    """Yield the readings of one block: whole, without attribution, without quote marks, what the marks enclose."""
    cuts = ["\n".join(cut).strip() for cut in _attribution_cuts(lines)]
    for text in cuts:
        yield text
        yield from filter(None, (_unwrap(text),))
    if len(cuts[0]) <= _LONG:
        for text in cuts:
            yield from _attributed(text)
            yield from _enclosed(text)


def _attribution_cuts(lines: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the lines, then the lines without one trailing attribution, without two, and so on."""
    cuts = [lines]
    for _ in range(_MAX_ATTRIBUTIONS):
        rest = _without_blank_end(cuts[-1])
        shorter = _without_blank_end(rest[:-1])
        if not shorter or not _ATTRIBUTION.match(rest[-1]):
            break
        cuts.append(shorter)
    return cuts


def _without_blank_end(lines: tuple[str, ...]) -> tuple[str, ...]:
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return lines[:end]


def _unwrap(text: str) -> str | None:
    """Take one pair of quote marks off the ends; None where there is none."""
    closer = _PAIRS.get(text[:1])
    return text[1:-1] if closer and len(text) >= 2 and text[-1] == closer else None


def _enclosed(text: str) -> list[str]:
    """Return what stands between the first quote mark and the last one of its kind."""
    start = _first_mark(text)
    end = text.rfind(_PAIRS[text[start]], start + 1) if start >= 0 else -1
    return [text[start + 1 : end]] if end >= 0 else []


def _attributed(text: str) -> list[str]:
    """Return what stands between the first quote mark and each closing mark that an inline attribution follows."""
    start = _first_mark(text)
    if start < 0:
        return []
    closer, found = _PAIRS[text[start]], []
    end = text.rfind(closer, start + 1)
    for _ in range(_MAX_CLOSERS):
        if end < 0:
            break
        if _ATTRIBUTION.match(text, end + 1):
            found.append(text[start + 1 : end])
        end = text.rfind(closer, start + 1, end)
    return found


def _first_mark(text: str) -> int:
    return next((index for index, char in enumerate(text) if char in _PAIRS), -1)
