"""JSON of any size, read value by value: the caller walks into what is long and takes the rest whole.

A value that is taken whole goes through the interpreter's own decoder, which is bounded in depth, keeps half of a
surrogate pair as it is, and is told not to make numbers of digits.
"""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_VALUE = 4_000_000
"""Characters of a value that is taken whole: what is longer is no message."""


_OF_NUMBERS = "+-.0123456789Ee"
_LONGEST_PART = 12
"""Characters of the longest thing but a string that may stand unfinished at the end of a text: a pair of escapes."""


class Broken(Exception):
    """The JSON does not go on.

    Attributes:
        is_cut: whether the text simply ended.
    """

    def __init__(self, reason: str, *, is_cut: bool) -> None:
        super().__init__(reason)
        self.is_cut = is_cut


class _NoJson(Exception):
    """Something that more text does not mend."""


def _may_go_on(error: json.JSONDecodeError) -> bool:
    """Tell whether more text could mend what the decoder met: it met the end."""
    return error.msg.startswith("Unterminated") or error.pos >= len(error.doc) - _LONGEST_PART


def _refuse(constant: str) -> object:
    raise _NoJson(constant)


class JsonStream:
    """A place in a JSON text that is read from front to back.

    Args:
        texts: the text in pieces of any length.
    """

    __slots__ = ("_at", "_buffer", "_decode", "_skip", "_texts")

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = iter(texts)
        self._buffer = ""
        self._at = 0
        self._decode = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=_refuse).raw_decode
        self._skip = re.compile(r"[ \t\n\r]*").match

    def peek(self) -> str:
        """Return the next character that is no white space, or nothing at the end of the text."""
        while True:
            self._at = self._skip(self._buffer, self._at).end()  # type: ignore[union-attr]  # it matches everywhere
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._grow():
                return ""

    def value(self) -> object:
        """Take the next value whole; numbers come as their digits.

        Raises:
            Broken: there is none, or it is too long or too deep.
        """
        first = self.peek()
        while True:
            try:
                value, end = self._decode(self._buffer, self._at)
            except RecursionError:
                raise Broken("it is nested too deeply", is_cut=False) from None
            except _NoJson as error:
                raise Broken(f"{error} is no JSON", is_cut=False) from None
            except json.JSONDecodeError as error:
                if not _may_go_on(error):
                    raise Broken(error.msg, is_cut=False) from None
                self._more(error.msg)
                continue
            if first in _OF_NUMBERS and self._buffer[end : end + 1] in _OF_NUMBERS:  # nothing at all is among them
                self._more("a number does not end")
                continue
            self._at = end
            return value

    def members(self) -> Iterator[str]:
        """Walk an object: yield each key; the caller takes its value before the next.

        Raises:
            Broken: this is no object, or it does not go on.
        """
        self._expect("{")
        if self._takes("}"):
            return
        while True:
            if self.peek() not in ('"', ""):
                raise Broken("a key is no text", is_cut=False)
            key = self.value()
            self._expect(":")
            yield str(key)
            if self._takes("}"):
                return
            self._expect(",")

    def elements(self) -> Iterator[None]:
        """Walk an array: yield before each element; the caller takes it before the next.

        Raises:
            Broken: this is no array, or it does not go on.
        """
        self._expect("[")
        if self._takes("]"):
            return
        while True:
            yield
            if self._takes("]"):
                return
            self._expect(",")

    def _takes(self, char: str) -> bool:
        if self.peek() != char:
            return False
        self._at += 1
        return True

    def _expect(self, char: str) -> None:
        if not self._takes(char):
            found = self.peek()
            raise Broken(f"expected {char}, found {found or 'the end'}", is_cut=not found)

    def _more(self, reason: str) -> None:
        """Read on because the value is not complete yet."""
        if len(self._buffer) - self._at > MAX_VALUE:
            raise Broken(f"a value has more than {MAX_VALUE} characters", is_cut=False)
        if not self._grow():
            raise Broken(reason, is_cut=True)

    def _grow(self) -> bool:
        """Read at least as much as is unread, so that long values cost linear time; tell whether anything came."""
        pieces = [self._buffer[self._at :]]
        unread = size = len(pieces[0])
        for text in self._texts:
            pieces.append(text)
            size += len(text)
            if size > 2 * unread:
                break
        self._buffer = "".join(pieces)
        self._at = 0
        return size > unread
