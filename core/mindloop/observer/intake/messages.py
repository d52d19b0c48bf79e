"""From an export to what one user said: the user's messages, in their own words, in order, each once.

An export is read once and may be larger than the memory: of what others wrote only the lines stay, as numbers, so that
a reply that quotes them back is seen. It is read a second time only where the user has another name there.
"""

from __future__ import annotations

from mindloop.observer.exports.duplicates import without_duplicates
from mindloop.observer.exports.echoes import ours_of, own_words, tokens_in
from mindloop.observer.exports.people import choose_sender
from mindloop.observer.lines import counted
from mindloop.observer.names import fold
from mindloop.observer.provenance.bulk import Said
from mindloop.observer.sanitizer import TOKEN
from mindloop.store.clock import DAY_LENGTH, is_date_only, parse_instant
from mindloop.store.errors import WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from mindloop.observer.exports.message import Message
    from mindloop.observer.exports.reading import Export
    from mindloop.observer.exports.stamps import Stamps

    Key = tuple[str, ...]


_FEW_WORDS = 3
_LAST = "~"
"""Stands behind every moment: what nobody knows the time of comes last."""


class Platform:
    """Where an export comes from: its source type in the index, what people call it, its part of a thread id."""

    __slots__ = ("label", "source_type", "thread")

    def __init__(self, source_type: str, label: str, thread: str) -> None:
        self.source_type = source_type
        self.label = label
        self.thread = thread


_PLATFORMS = {
    "discord": Platform("discord_dm", "Discord DM", "discord"),
    "twitter": Platform("twitter_dm", "Twitter DM", "twitter"),
    "log": Platform("dm_log", "DM", "dm"),
}


class OurWords:
    """Messages that are not the user's, by the canonical form of each line: a container for ``own_words``."""

    __slots__ = ("_seen",)

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._seen: set[int] = set()  # numbers instead of texts: an export has as many lines of ours as of the user's
        for text in texts:
            self.add(text)

    def add(self, text: str) -> None:
        """Take in a message."""
        self._seen.update(map(hash, ours_of([text])))

    def __or__(self, other: OurWords) -> OurWords:
        both = OurWords()
        both._seen = self._seen | other._seen
        return both

    def __contains__(self, form: object) -> bool:
        return hash(form) in self._seen


class _Others:
    """What the user may repeat without having said it.

    Attributes:
        quoted: lines that are nobody's but somebody else's, where they stand behind ``>``.
        pasted: messages of ours, where a message is nothing else, word for word. Of a few words only those count that
            we wrote down as sent: "ok" is said by both sides of every conversation.
    """

    __slots__ = ("pasted", "quoted", "sent")

    def __init__(self, sent: OurWords, ours: OurWords, everybody: OurWords) -> None:
        self.sent = sent
        self.pasted = sent | ours
        self.quoted = sent | everybody

    def taken_off(self, text: str) -> str:
        """The user's own words in a message."""
        if ">" in text:
            return own_words(text, self.quoted)
        return own_words(text, self.sent if len(text.split(None, _FEW_WORDS)) <= _FEW_WORDS else self.pasted)


class Heard:
    """What an export says of one user.

    Attributes:
        said: what the user said, oldest first; what has no known time comes last.
        platform: where it comes from.
        notes: what was left out or not understood, a sentence each.
        complete: whether the export was read to its end.
        read: entries of the export.
        own: messages of the user, before anything was left out.
    """

    __slots__ = ("complete", "notes", "own", "platform", "read", "said")

    def __init__(self, platform: Platform) -> None:
        self.platform = platform
        self.said: list[Said] = []
        self.notes: list[str] = []
        self.complete = True
        self.read = 0
        self.own = 0

    @property
    def day(self) -> str:
        """The day of the first message whose time is known, else ``undated``."""
        first = self.said[0].moment if self.said else None
        return first[:DAY_LENGTH] if first else "undated"

    def reply_after(self, sent_at: str | None) -> str | None:
        """The moment of the first message after an instant, None where none is known: a day counts from the next on."""
        sent, exact = parse_instant(sent_at), not is_date_only(sent_at or "")
        if sent is None:
            return None
        for one in self.said:
            moment = parse_instant(one.moment)
            if moment and (moment > sent if exact and one.confidence == "exact" else moment.date() > sent.date()):
                return one.moment
        return None


def hear(
    export: Export, stamps: Stamps, *, user: str, sender: str | None, operator: str | None, sent: OurWords
) -> Heard:
    """Read an export for one user.

    Args:
        export: the export; it is iterated over once, or twice where the user has another name there.
        stamps: new; it learns every stamp of the export.
        user: whose words are wanted.
        sender: the user's name in the export, where it is another one.
        operator: our own name in the export.
        sent: what we sent to the user, as it was written down.

    Raises:
        WrongInput: it is no export after all, or nobody in it is the user.
    """
    reading = _Reading(frozenset([fold(sender or user)]))
    reading.take(export, stamps)
    chosen = choose_sender(reading.senders, user=user, sender=sender, operator=operator)
    if not reading.mine.keys() >= chosen.user:
        reading = _Reading(frozenset(fold(name) for key in chosen.user for name in key))
        reading.take(export, None)
    heard = Heard(_PLATFORMS[export.format.split("-", 1)[0]])
    heard.complete, heard.read = export.complete, reading.read
    heard.notes = [*export.notes, *([chosen.note] if chosen.note else []), *reading.notes()]
    everybody = reading.others(chosen.user)
    ours = reading.others(chosen.user, chosen.operator) if chosen.operator else everybody
    messages = without_duplicates(one for key in sorted(chosen.user) for one in reading.mine[key])
    heard.own = sum(reading.senders[key] for key in chosen.user)
    reading.mine.clear()
    heard.notes += _say(heard, messages, stamps, _Others(sent, ours, everybody))
    heard.notes += stamps.notes
    return heard


class _Reading:
    """One pass over an export: messages by sender of whom may be the user, lines of everybody else."""

    __slots__ = ("kinds", "lines", "mine", "read", "senders", "wanted")

    def __init__(self, wanted: frozenset[str]) -> None:
        self.wanted = wanted
        self.senders: dict[Key, int] = {}
        self.mine: dict[Key, list[Message]] = {}
        self.lines: dict[Key, OurWords] = {}
        self.kinds: dict[str, int] = {}
        self.read = 0

    def take(self, export: Export, stamps: Stamps | None) -> None:
        """Read it all."""
        for message in export:
            self.read += 1
            if message.kind != "message":
                self.kinds[message.kind] = self.kinds.get(message.kind, 0) + 1
                continue
            if stamps is not None:
                stamps.learn(message.stamp_raw)
            key = message.sender
            if key not in self.senders:
                self._meet(key)
            self.senders[key] += 1
            if key in self.mine:
                self.mine[key].append(message)
            else:
                self.lines[key].add(message.text)

    def _meet(self, key: Key) -> None:
        self.senders[key] = 0
        if any(fold(name) in self.wanted for name in key):
            self.mine[key] = []
        else:
            self.lines[key] = OurWords()

    def others(self, user: frozenset[Key], only: frozenset[Key] | None = None) -> OurWords:
        """What everybody but the user wrote, or ``only`` some of them."""
        found = OurWords()
        for key in self.senders:
            if key not in user and (only is None or key in only):
                found |= self.lines[key] if key in self.lines else OurWords(one.text for one in self.mine[key])
        return found

    def notes(self) -> list[str]:
        """What was no message of anybody's own, by kind."""
        words = {"forwarded": "forwarded message", "system": "system message", "reaction": "reaction"}
        return [
            f"{counted(count, words.get(kind, kind))} left out: nobody's own words"
            for kind, count in sorted(self.kinds.items())
        ]


def _say(heard: Heard, messages: list[Message], stamps: Stamps, others: _Others) -> list[str]:
    """Fill what the user said, oldest first, and return what was left out of it.

    ``messages`` is used up: of a large export not everything fits twice.
    """
    silent, refused = 0, 0
    example = ""
    messages.sort(key=_place, reverse=True)
    while messages:
        message = messages.pop()
        words = others.taken_off(message.text)
        if not TOKEN.sub("", words).strip():
            silent += 1
            continue
        moment, confidence = stamps.resolve(message.stamp_raw)
        try:
            heard.said.append(_said(message, words, moment, confidence))
        except WrongInput as error:
            refused, example = refused + 1, example or error.message
    heard.said.sort(key=lambda one: one.moment or _LAST)  # stable: equal moments stay in the order of ids
    parent = None
    for one in heard.said:
        one.parent, parent = parent, one.digest
    notes = [f"{counted(silent, 'message')} left out: no words of the user's own in it"] if silent else []
    return notes + ([f"{counted(refused, 'message')} left out: {example}"] if refused else [])


def _said(message: Message, words: str, moment: str | None, confidence: str) -> Said:
    tokens = tuple(tokens_in(message.text)) if "[" in message.text else ()
    return Said(words, moment, confidence, raw=message.stamp_raw or None, index=message.number, tokens=tokens)


def _place(message: Message) -> tuple[int, str, int]:
    """Where a message stands among those of one moment: ids are numbers that grow, as text."""
    name = message.id or ""
    return len(name), name, message.number
