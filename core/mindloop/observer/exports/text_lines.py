"""A text that comes in pieces, line by line."""

from __future__ import annotations

from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_LINE = 4_000_000
"""Characters of the longest line that is read: what is longer is no conversation."""
_MANY = "\n" * 17
_RUN = when_used(r"\n{17,}")


class Lines:
    """The lines of a text, without their line feed; a carriage return before it stays.

    Attributes:
        is_open: whether the line that was yielded last has no line end: it may have been cut off.
        is_too_long: whether reading stopped at a line longer than ``MAX_LINE``.
    """

    __slots__ = ("_texts", "is_open", "is_too_long")

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = texts
        self.is_open = False
        self.is_too_long = False

    def __iter__(self) -> Iterator[str]:
        """Yield each line; the last one too where it has no end, unless it is empty."""
        rest = ""
        for text in self._texts:
            *whole, rest = (rest + text).split("\n")
            yield from whole
            if len(rest) > MAX_LINE:
                self.is_too_long = True
                return
        self.is_open = True
        if rest:
            yield rest

    def and_blank_runs(self) -> Iterator[str | int]:
        """Yield the same lines, but for many empty ones in a row their number: they cost no time, however many."""
        rest = ""
        for piece in self._texts:
            at, text = 0, rest + piece
            for run in _RUN.finditer(text) if _MANY in text else ():
                yield from text[at : run.start()].split("\n")
                yield run.end() - run.start() - 1  # the first ends the line before
                at = run.end()
            *whole, rest = text[at:].split("\n")
            yield from whole
            if len(rest) > MAX_LINE:
                self.is_too_long = True
                return
        self.is_open = True
        if rest:
            yield rest
