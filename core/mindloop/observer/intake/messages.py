"""From an export to what one user said: the user's messages, in their own words, in order, each once.

An export may be larger than the memory: of what others wrote only the lines stay, as numbers, so that a reply that
quotes them back is seen. It is read again where the user has another name there, and where something may be such a
reply: only what was said before can be quoted back, and when that was is asked of the few lines in question.
"""

from __future__ import annotations

from mindloop.observer.exports.duplicates import without_duplicates
from mindloop.observer.exports.echoes import tokens_in
from mindloop.observer.exports.message import MAX_SENDERS
from mindloop.observer.exports.people import choose_sender, our_side
from mindloop.observer.intake.places import LAST, order_of
from mindloop.observer.intake.prompts import MOST, Prompts
from mindloop.observer.intake.repeated import Others, OurWords, without_echoes
from mindloop.observer.lines import counted
from mindloop.observer.names import fold
from mindloop.observer.provenance.quotes import is_before
from mindloop.observer.provenance.said import Said
from mindloop.observer.sanitizer import TOKEN
from mindloop.store.clock import DAY_LENGTH, is_date_only, parse_instant
from mindloop.store.errors import WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from mindloop.observer.exports.message import Message
    from mindloop.observer.exports.people import Chosen
    from mindloop.observer.exports.reading import Export
    from mindloop.observer.exports.stamps import Stamps

    Key = tuple[str, ...]


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


class Heard:
    """What an export says of one user.

    Attributes:
        said: what the user said, oldest first; what has no known time comes last.
        platform: where it comes from.
        notes: what was left out or not understood, a sentence each.
        complete: whether the export was read to its end.
        read: entries of the export.
        own: messages of the user, before anything was left out.
        latest: when the last of them was sent, by how sure that is; those without own words count too.
    """

    __slots__ = ("complete", "latest", "notes", "own", "platform", "read", "said")

    def __init__(self, platform: Platform) -> None:
        self.platform = platform
        self.said: list[Said] = []
        self.notes: list[str] = []
        self.complete = True
        self.read = 0
        self.own = 0
        self.latest: dict[str, str] = {}

    def met(self, moment: str | None, confidence: str) -> None:
        """Take in when a message of the user was sent."""
        if moment is not None:
            self.latest[confidence] = max(moment, self.latest.get(confidence, ""))

    def ends_before(self, sent_at: str) -> bool:
        """Tell whether all that the user sent at a known time was sent before an instant or day."""
        return bool(self.latest) and all(is_before(moment, sure, sent_at) for sure, moment in self.latest.items())

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
    export: Export,
    stamps: Stamps,
    *,
    user: str,
    sender: str | None,
    operator: str | None,
    sent: OurWords,
    known: Callable[[], Collection[str]] = tuple,
) -> Heard:
    """Read an export for one user.

    Args:
        export: the export; it is iterated over up to three times.
        stamps: new; it learns every stamp of the export.
        user: whose words are wanted.
        sender: the user's name in the export, where it is another one.
        operator: our own name in the export.
        sent: what we sent to the user, as it was written down.
        known: gives the folded names of all other users.

    Raises:
        WrongInput: it is no export after all, or nobody in it is the user.
    """
    reading = _Reading(frozenset([fold(sender or user)]))
    reading.take(export, stamps)
    chosen = choose_sender(
        reading.senders, user=user, sender=sender, operator=operator, silent=reading.silent, known=known
    )
    if not reading.mine.keys() >= chosen.user:
        reading = _Reading(frozenset(fold(name) for key in chosen.user for name in key))
        reading.take(export, None)
    heard = Heard(_PLATFORMS[export.format.split("-", 1)[0]])
    heard.complete, heard.read = export.complete, reading.read
    heard.notes = [*export.notes, *chosen.notes, *reading.notes()]
    everybody = reading.others(chosen.user)
    ours = reading.others(chosen.user, chosen.operator) if chosen.operator else everybody
    messages = without_duplicates(one for key in sorted(chosen.user) for one in reading.mine[key])
    heard.own = sum(reading.senders[key] for key in chosen.user)
    if heard.own > len(messages):
        heard.notes.append(f"{counted(heard.own - len(messages), 'duplicate')} merged: each message counts once")
    reading.mine.clear()
    heard.notes += _questions(reading, chosen, stamps)
    words = without_echoes(export, messages, stamps, Others(sent, ours, everybody), chosen, reading.prompts)
    heard.notes += _say(heard, messages, stamps, words, reading.prompts)
    heard.notes += stamps.notes
    return heard


def _questions(reading: _Reading, chosen: Chosen, stamps: Stamps) -> list[str]:
    """Settle which of our lines carry a token; say why none counts, where that is so."""
    prompts = reading.prompts
    ours = our_side(reading.senders, chosen)
    asked = prompts.others_than(chosen.user)
    prompts.settle(ours, stamps)
    if prompts.too_many:
        return [f"more than {MOST} messages carry reply tokens: nothing is concluded from where they stand"]
    if asked and not ours:
        return ["others wrote reply tokens, and nobody knows which of them we are: pass --operator NAME"]
    return []


class _Reading:
    """One pass over an export: messages by sender of whom may be the user, lines of everybody else."""

    __slots__ = ("_silent", "kinds", "lines", "mine", "prompts", "read", "senders", "wanted")

    def __init__(self, wanted: frozenset[str]) -> None:
        self.wanted = wanted
        self.senders: dict[Key, int] = {}
        self.mine: dict[Key, list[Message]] = {}
        self.lines: dict[Key, OurWords] = {}
        self.kinds: dict[str, int] = {}
        self.read = 0
        self.prompts = Prompts()
        self._silent: set[Key] = set()

    def take(self, export: Export, stamps: Stamps | None) -> None:
        """Read it all."""
        for message in export:
            self.read += 1
            if message.kind != "message":
                self.kinds[message.kind] = self.kinds.get(message.kind, 0) + 1
                if len(self._silent) < MAX_SENDERS:
                    self._silent.add(message.sender)
                continue
            if stamps is not None:
                stamps.learn(message.stamp_raw)
            key = message.sender
            if key not in self.senders:
                self._meet(key)
            self.senders[key] += 1
            self.prompts.meet(message)
            if key in self.mine:
                self.mine[key].append(message)
            else:
                self.lines[key].add(message.text)

    @property
    def silent(self) -> set[Key]:
        """Who is named by entries that are no message of their own, and by no message."""
        return self._silent - self.senders.keys()

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


def _say(heard: Heard, messages: list[Message], stamps: Stamps, own: dict[int, str], prompts: Prompts) -> list[str]:
    """Fill what the user said, oldest first, and return what was left out of it.

    ``messages`` is used up: of a large export not everything fits twice. ``own`` holds the user's own words of each
    that says something else beside them, by its number.
    """
    silent, refused = 0, 0
    example = ""
    messages.sort(key=order_of, reverse=True)
    while messages:
        message = messages.pop()
        words = own.get(message.number, message.text)
        if not TOKEN.sub("", words).strip():
            heard.met(*stamps.looked_up(message.stamp_raw))
            silent += 1
            continue
        moment, confidence = stamps.resolve(message.stamp_raw)
        heard.met(moment, confidence)
        try:
            heard.said.append(_said(message, words, moment, confidence, prompts))
        except WrongInput as error:
            refused, example = refused + 1, example or error.message
    heard.said.sort(key=lambda one: one.moment or LAST)  # stable: equal moments stay in the order of ids
    parent = None
    for one in heard.said:
        one.parent, parent = parent, one.digest
    notes = [f"{counted(silent, 'message')} left out: no words of the user's own in it"] if silent else []
    return notes + ([f"{counted(refused, 'message')} left out: {example}"] if refused else [])


def _said(message: Message, words: str, moment: str | None, confidence: str, prompts: Prompts) -> Said:
    tokens = tuple(tokens_in(message.text)) if "[" in message.text else ()
    tokens = tuple(dict.fromkeys((*tokens, *prompts.answered_by(message))))
    asked = tuple(token for token in prompts.before(message) if token not in tokens)
    raw = message.stamp_raw or None
    return Said(words, moment, confidence, raw=raw, index=message.number, tokens=tokens, prompts=asked)
