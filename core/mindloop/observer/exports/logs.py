"""Plain logs: a line with a time and a name begins a message, what follows belongs to it.

A log does not mark where words end: a message in which somebody typed such a line reads as two. Exports as JSON do not
have this weakness.
"""

from __future__ import annotations

from mindloop.observer.exports.fallbacks import is_notification
from mindloop.observer.exports.log_lines import (
    block_head_of,
    head_of,
    is_begun,
    is_begun_behind,
    is_forward,
)
from mindloop.observer.exports.message import CUT, MAX_TEXT, REACTION_ROW, Message, clean_stamp
from mindloop.observer.exports.text_lines import Lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mindloop.observer.exports.log_lines import Head
    from mindloop.observer.exports.message import Tally

RULE = "=" * 62
"""The line that frames the head and the foot of DiscordChatExporter's text."""
FORWARDED = "{Forwarded Message}"
SECTIONS = frozenset(("{Attachments}", "{Embed}", "{Stickers}", "{Reactions}", "{Poll}", FORWARDED))
"""Lines after which the words of a message are over, in DiscordChatExporter's text."""
_SENDERS_BEHIND = 50


def format_of(head: str) -> str | None:
    """Return the format of a text that begins like this; None where no line of it begins a message."""
    is_block = _is_block(head)
    head_at = block_head_of if is_block else head_of
    found = any(head_at(line) for line in "".join(_unix([head])).split("\n") if line)
    return ("discord-text" if is_block else "log") if found else None


def _is_block(head: str) -> bool:
    return head.lstrip("\ufeff\r\n ").startswith(RULE)


def read(texts: Iterable[str], tally: Tally) -> Iterator[Message]:
    """Yield the messages of a log; what stands before the first is counted as no message."""
    pieces = _unix(texts)
    first = next(pieces, "")
    lines = Lines(_again(first, pieces))
    log = _BlockLog(tally) if _is_block(first) else _Log(tally)
    for line in lines.and_blank_runs():
        if isinstance(line, int):
            log.take_blank(line)
        elif lines.is_open and log.may_be_torn(line):
            tally.broken = CUT
        else:
            yield from log.take(line)
    yield from log.end()
    if lines.is_too_long:
        tally.broken = "a line is too long"


def _unix(texts: Iterable[str]) -> Iterator[str]:
    """The same text with line feeds for every line end: carriage returns too, alone or before a line feed."""
    held = ""
    for text in texts:
        piece = held + text
        held = "\r" if piece.endswith("\r") else ""
        if "\r" in piece:
            piece = piece[: len(piece) - len(held)].replace("\r\n", "\n").replace("\r", "\n")
        if piece:
            yield piece
    if held:
        yield "\n"


def _again(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest


class _Log:
    """The message that is being read, and the lines it has so far."""

    __slots__ = ("_behind", "_head", "_kind", "_lines", "_named", "_room", "_tally")

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._named = False
        self._behind: set[str] = set()
        self._head: Head | None = None
        self._kind = "message"
        self._lines: list[str] = []
        self._room = 0

    def take(self, line: str) -> Iterator[Message]:
        """Read a line; yield the message that it ends, if it does."""
        head = head_of(line) if line else None
        if head is not None:
            yield from self._close()
            self._open(head)
            self._look(line, head)
        elif self._head is None:
            self._tally.strangers += bool(line.strip())
        elif self._kind == "message" and is_forward(line):
            yield from self._close()
            self._open(self._head, line)
        else:
            self._add(line)

    def take_blank(self, lines: int) -> None:
        """Read many empty lines at once: of what is too long for a message the rest is not kept."""
        if self._head is not None and self._room >= 0:
            kept = min(lines, self._room + 1)
            self._lines += [""] * kept
            self._room -= kept

    def may_be_torn(self, line: str) -> bool:
        """Tell whether a last line without a line end may be the beginning of another kind of line."""
        return is_begun(line, named=self._named) or is_begun_behind(line, self._behind)

    def end(self) -> Iterator[Message]:
        """Yield the last message."""
        yield from self._close()

    def _look(self, line: str, head: Head) -> None:
        """Remember how heads look in this log, for the one that may be torn."""
        if line[:1].isdigit() or line[:1] == "[":
            return
        if not head.sender or not line.startswith(head.sender):
            self._named = True
        elif len(self._behind) < _SENDERS_BEHIND:
            self._behind.add(head.sender)

    def _open(self, head: Head, line: str | None = None) -> None:
        """Begin a message whose first line holds the words of its head, or is another one."""
        if head.sender == "" and self._head is not None:
            head.sender = self._head.sender
        words = head.text if line is None else line
        self._head = head
        self._kind = "forwarded" if is_forward(words) or is_forward(head.sender or "") else "message"
        self._lines = []
        self._room = MAX_TEXT
        self._add(words)

    def _add(self, line: str) -> None:
        """Take a line of the message; of what is too long for one, the rest is not kept."""
        if self._room >= 0:
            self._lines.append(line)
            self._room -= len(line) + 1

    def _close(self) -> Iterator[Message]:
        """Yield the message that is complete now, if there is one."""
        if self._head is None or not self._lines:
            return
        number = self._tally.count()
        text = "\n".join(self._lines).strip()
        self._lines = []
        if self._tally.admits(text if self._room >= 0 else " " * (MAX_TEXT + 1)):
            sender = self._tally.sender(self._head.sender)
            yield Message(number, sender, text, clean_stamp(self._head.stamp), self._kind_of(text))

    def _kind_of(self, text: str) -> str:
        if text.startswith(REACTION_ROW):
            return "reaction"
        nobody = self._head is None or not self._head.sender
        return "system" if nobody or is_notification(text) else self._kind


class _BlockLog(_Log):
    """DiscordChatExporter's text: the name stands on a line of its own, sections follow the words, a foot ends all."""

    __slots__ = ("_foot", "_is_over", "_was_blank")

    def __init__(self, tally: Tally) -> None:
        super().__init__(tally)
        self._foot: int | None = None
        self._is_over = False
        self._was_blank = True

    def take(self, line: str) -> Iterator[Message]:
        """Read a line; yield the message that it ends, if it does."""
        head = block_head_of(line) if self._was_blank else None
        if self._was_blank and line == RULE:
            self._foot = len(self._lines)  # unless another message follows
        self._was_blank = not line.strip()
        if head is not None:
            yield from self._close()
            self._open(head)
            self._is_over, self._foot = False, None
        elif line in SECTIONS:
            self._is_over = True
            self._kind = "forwarded" if line == FORWARDED else self._kind
            self._tally.attachments += line == "{Attachments}"
        elif self._head is not None and not self._is_over:
            self._add(line)

    def take_blank(self, lines: int) -> None:
        """Read many empty lines at once."""
        self._was_blank = True
        if not self._is_over:
            super().take_blank(lines)

    def may_be_torn(self, line: str) -> bool:
        """Tell whether a last line without a line end may be the beginning of a head, a section or the foot."""
        return line.startswith(("[", "{", "="))

    def end(self) -> Iterator[Message]:
        """Yield the last message, without the foot; what has none was cut off."""
        if self._foot is None:
            self._tally.broken = CUT
        else:
            del self._lines[self._foot :]
        yield from self._close()
