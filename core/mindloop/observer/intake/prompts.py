"""Our own lines in an export that carry a reply token: what is a reply to them, and what was said next.

Discord says of a reply which message it is one to. Everywhere, what the user says after such a line and before our next
one was said where that question stood.
"""

from __future__ import annotations

from bisect import bisect_left

from mindloop.observer.exports.echoes import tokens_in
from mindloop.observer.intake.places import NEVER, place_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

    from mindloop.observer.exports.message import Message
    from mindloop.observer.exports.stamps import Stamps
    from mindloop.observer.intake.places import Place

    Key = tuple[str, ...]
    Tokens = tuple[str, ...]

MOST = 10_000
"""Lines with tokens that are looked at: an export with more was not written by people."""
_WORDS = ("message", "forwarded")
_END: Place = (NEVER, 0, "", 0)


class Line:
    """What is kept of a message that holds a token."""

    __slots__ = ("id", "number", "sender", "stamp_raw", "thread", "tokens")

    def __init__(self, message: Message, tokens: Tokens) -> None:
        self.id = message.id
        self.number = message.number
        self.sender = message.sender
        self.stamp_raw = message.stamp_raw
        self.thread = message.thread
        self.tokens = tokens


class Prompts:
    """The lines of an export that hold a token: first all are met, then those that are ours are settled on."""

    __slots__ = ("_by_id", "_lines", "_ours", "_stamps", "_windows", "too_many")

    def __init__(self) -> None:
        self.too_many = False
        self._lines: list[Line] = []
        self._ours: Container[Key] = ()
        self._stamps: Stamps | None = None
        self._by_id: dict[tuple[str | None, str], Tokens] = {}
        self._windows: dict[str | None, _Windows] = {}

    def meet(self, message: Message) -> None:
        """Take in a message of whomever."""
        tokens = tuple(tokens_in(message.text)) if "[" in message.text else ()
        if tokens and len(self._lines) < MOST:
            self._lines.append(Line(message, tokens))
        elif tokens:
            self.too_many = True

    def others_than(self, user: Container[Key]) -> bool:
        """Tell whether anybody but the user wrote a token."""
        return any(line.sender not in user for line in self._lines)

    @property
    def waits(self) -> bool:
        """Whether ``see`` has to be shown the whole export once more."""
        return bool(self._windows)

    def settle(self, ours: Container[Key], stamps: Stamps) -> None:
        """Keep the lines of ours.

        Args:
            ours: who we are.
            stamps: they have learned every stamp.
        """
        self._ours, self._stamps = ours, stamps
        lines = [] if self.too_many else [line for line in self._lines if line.sender in ours]
        self._lines = []
        placed: dict[str | None, list[tuple[Place, Tokens]]] = {}
        for line in lines:
            if line.id:
                place = line.thread, line.id
                self._by_id[place] = tuple(dict.fromkeys((*self._by_id.get(place, ()), *line.tokens)))
            stands = place_of(line, stamps)
            if stands[0] < NEVER:
                placed.setdefault(line.thread, []).append((stands, line.tokens))
        self._windows = {thread: _Windows(sorted(found)) for thread, found in placed.items()}

    def see(self, message: Message) -> None:
        """Take in where a message stands, if it is ours: what was said next ends there."""
        windows = self._windows.get(message.thread)
        if windows and self._stamps and message.sender in self._ours and message.kind in _WORDS:
            windows.end(place_of(message, self._stamps))

    def answered_by(self, message: Message) -> Tokens:
        """The tokens of our line that a message says it is a reply to."""
        return self._by_id.get((message.thread, message.reply_to), ()) if message.reply_to else ()

    def before(self, message: Message) -> Tokens:
        """The tokens of the last line of ours before a message; none where either's time is not known."""
        windows = self._windows.get(message.thread)
        return windows.around(place_of(message, self._stamps)) if windows and self._stamps else ()


class _Windows:
    """The lines of one conversation that carry a token, by their place, and where our next line stands."""

    __slots__ = ("_ends", "_starts", "_tokens")

    def __init__(self, lines: list[tuple[Place, Tokens]]) -> None:
        self._starts = [place for place, _ in lines]
        self._tokens = [tokens for _, tokens in lines]
        self._ends = [_END] * len(lines)

    def end(self, place: Place) -> None:
        at = bisect_left(self._starts, place) - 1
        if at >= 0:
            self._ends[at] = min(self._ends[at], place)

    def around(self, place: Place) -> Tokens:
        at = bisect_left(self._starts, place) - 1
        return self._tokens[at] if at >= 0 and place < self._ends[at] else ()
