"""What every export is read into: messages, and a tally of what was no message."""

from __future__ import annotations

from mindloop.observer.lines import CONTROL, SURROGATE, clean_line, counted, excerpt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.observer.exports.json_stream import Broken, JsonStream

ASSIGNMENT = "window.YTD.direct_message"
"""How the files of a Twitter archive begin: they are scripts."""
REACTION_ROW = '{"1":{"type":"STRUCT"'
"""How the raw row of a reaction begins that some exports put where a text belongs."""
CUT = "the file is cut off"
"""Why reading ended where the export itself does."""
MAX_NAME = 200
"""Characters of a sender's name that are kept: enough to compare, not enough to flood a line."""
MAX_STAMP = 80
"""Characters of a stamp that are kept."""
MAX_TEXT = 200_000
"""Characters of the longest message that is taken: what is longer was not typed."""
MAX_SENDERS = 10_000
"""Senders whose spellings are remembered while an export is read."""


class Message:
    """One entry of a conversation, as its export holds it. Every field is hostile.

    Attributes:
        number: its place among the export's entries, from 0; entries that were left out count.
        id: the platform's id, or None.
        sender: the spellings of who sent it: account name, nickname, id, without those that are not there. Where there
            are two or more the last is the id, empty where the export has none; all is empty where nobody is named.
        text: the words, continuation lines and all; no control character, no half of a surrogate pair.
        stamp_raw: when, as written; empty where nothing is written.
        edited_raw: when it was last edited, as written, or None.
        kind: ``message``, ``forwarded``, ``system`` or ``reaction``.
        thread: the id of the channel or conversation, or None.
        reply_to: the id of the message that it says it is a reply to, or None.
    """

    __slots__ = ("edited_raw", "id", "kind", "number", "reply_to", "sender", "stamp_raw", "text", "thread")

    def __init__(
        self,
        number: int,
        sender: tuple[str, ...],
        text: str,
        stamp_raw: str,
        kind: str = "message",
        *,
        id: str | None = None,
        edited_raw: str | None = None,
        thread: str | None = None,
        reply_to: str | None = None,
    ) -> None:
        self.number = number
        self.sender = sender
        self.text = text
        self.stamp_raw = stamp_raw
        self.kind = kind
        self.id = id
        self.edited_raw = edited_raw
        self.thread = thread
        self.reply_to = reply_to

    def __repr__(self) -> str:
        return f"Message({self.number}, {self.sender!r}, {self.text!r}, {self.stamp_raw!r}, {self.kind!r})"


class Tally:
    """What a reader met beside messages; it becomes the notes of an export.

    Attributes:
        entries: entries met so far, the left out ones too.
        attachments: messages with files; nobody reads them.
        strangers: entries, or lines of a log, that are no message.
        spoiled: messages left out because they hold control characters or half of a surrogate pair.
        huge: messages left out because they are longer than ``MAX_TEXT``.
        broken: why reading ended early, or None.
    """

    __slots__ = ("_senders", "attachments", "broken", "entries", "huge", "spoiled", "strangers")

    def __init__(self) -> None:
        self.entries = 0
        self.attachments = 0
        self.strangers = 0
        self.spoiled = 0
        self.huge = 0
        self.broken: str | None = None
        self._senders: dict[tuple[object, ...], tuple[str, ...]] = {}

    def count(self) -> int:
        """Return the number of the entry that comes now."""
        self.entries += 1
        return self.entries - 1

    def stranger(self) -> None:
        """Count an entry that is no message."""
        self.entries += 1
        self.strangers += 1

    def stop(self, error: Broken) -> None:
        """Say that JSON does not go on."""
        self.broken = CUT if error.is_cut else f"the JSON is broken ({shown(str(error))})"

    def end(self, stream: JsonStream) -> None:
        """Say that something follows the end of JSON, where it does."""
        if stream.peek():
            self.broken = "the JSON ends, and something follows,"

    def admits(self, text: str) -> bool:
        """Tell whether a message with this text may be taken; one that may not is counted."""
        if len(text) > MAX_TEXT:
            self.huge += 1
            return False
        if text.isascii() and text.isprintable():
            return True
        if CONTROL.search(text) or SURROGATE.search(text):
            self.spoiled += 1
            return False
        return True

    def sender(self, name: object, nickname: object = None, id: object = None) -> tuple[str, ...]:
        """Return the spellings of a sender: the same tuple for the same names, so that an export holds few."""
        names = name, nickname, id
        try:
            return self._senders[names]
        except KeyError:
            if len(self._senders) >= MAX_SENDERS:
                self._senders.clear()
        except TypeError:  # a list where a name belongs
            return spellings(*names)
        return self._senders.setdefault(names, spellings(*names))

    def notes(self) -> list[str]:
        """Say what was left out of an export; nothing where all was read."""
        said = []
        if self.broken:
            read = counted(self.entries, "complete entry", "complete entries")
            said.append(f"{self.broken} after {read}: what comes then is left out")
        for count, what, why in (
            (self.strangers, ("entry", "entries"), "no message"),
            (self.spoiled, ("message",), "spoiled by control characters or half a character"),
            (self.huge, ("message",), f"longer than {MAX_TEXT} characters"),
        ):
            if count:
                said.append(f"{counted(count, *what)} left out: {why}")
        if self.attachments:
            said.append(f"{counted(self.attachments, 'message')} with attachments, which are not read")
        return said


def spellings(name: object, nickname: object, id: object) -> tuple[str, ...]:
    """The spellings of a sender as ``Message.sender`` has them; what is no text or says nothing goes.

    Where there is no name the id is one; a nickname is one where it is all that there is.
    """
    account, called, number = (clean_name(part) if isinstance(part, str) else "" for part in (name, nickname, id))
    first = account or number or called
    second = (called,) if called and called != first else ()
    if number:
        return first, *second, number
    return (first, *second, "") if second else (first,) * bool(first)


def clean_name(name: str) -> str:
    """A sender's name as one line of visible length."""
    plain = name.isascii() and name.isprintable() and "  " not in name
    return (name.strip() if plain else clean_line(name))[:MAX_NAME]


def clean_stamp(stamp: object) -> str:
    """A stamp as one line; empty where there is none."""
    if not isinstance(stamp, str):
        return ""
    return (
        stamp if len(stamp) <= MAX_STAMP and stamp.isascii() and stamp.isprintable() else clean_line(stamp)[:MAX_STAMP]
    )


def shown(text: str) -> str:
    """A piece of an export that may stand in an error or a note."""
    return excerpt(text, 40)
