"""What a user may repeat without having said it: what we sent, and what others wrote before.

Of what others wrote only the lines stay, as numbers: an export may be larger than the memory. Where something may be
such a repetition the export is read again, and when the few lines in question were said first is what decides.
"""

from __future__ import annotations

from datetime import timedelta

from mindloop.observer.exports.echoes import ours_of, own_words
from mindloop.observer.intake.places import LAST, NEVER, place_of
from mindloop.store.clock import day, parse_instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from mindloop.observer.exports.message import Message
    from mindloop.observer.exports.people import Chosen
    from mindloop.observer.exports.reading import Export
    from mindloop.observer.exports.stamps import Stamps
    from mindloop.observer.intake.places import Place
    from mindloop.observer.intake.prompts import Prompts

_FEW_WORDS = 3


class OurWords:
    """Messages that are not the user's, by the canonical form of each line: a container for ``own_words``.

    Args:
        texts: the messages.
        dated: messages with the moment or day before which nobody was sent them.
    """

    __slots__ = ("_seen", "_since")

    def __init__(self, texts: Iterable[str] = (), dated: Iterable[tuple[str, str]] = ()) -> None:
        self._seen: set[int] = set()  # numbers instead of texts: an export has as many lines of ours as of the user's
        self._since: dict[int, str] = {}
        for text in texts:
            self.add(text)
        for moment, text in dated:
            for form in forms_of(text):
                self._since[form] = min(moment, self._since.get(form, LAST))

    def add(self, text: str) -> None:
        """Take in a message that may have been sent at any time."""
        self._seen.update(forms_of(text))

    def __or__(self, other: OurWords) -> OurWords:
        both = OurWords()
        both._seen = self._seen | other._seen | self._since.keys() | other._since.keys()
        return both

    def __contains__(self, form: object) -> bool:
        return hash(form) in self._seen or hash(form) in self._since

    def was_sent(self, form: object, moment: str) -> bool:
        """Tell whether a line can have been sent before a moment, or by the end of a day."""
        since = self._since.get(hash(form))
        return hash(form) in self._seen or (since is not None and since[: len(moment)] <= moment)


def forms_of(text: str) -> list[int]:
    """A message and its lines, as numbers."""
    return list(map(hash, ours_of([text])))


class Others:
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

    def of(self, text: str) -> OurWords:
        """What a text may repeat."""
        if ">" in text:
            return self.quoted
        return self.sent if len(text.split(None, _FEW_WORDS)) <= _FEW_WORDS else self.pasted


class _Asked:
    """Answers for other words, or always no where there are none, and remembers what it was asked for."""

    __slots__ = ("_words", "forms")

    def __init__(self, words: OurWords | None) -> None:
        self._words = words
        self.forms: set[int] = set()

    def __contains__(self, form: object) -> bool:
        self.forms.add(hash(form))
        return self._words is not None and form in self._words


class _Earliest:
    """Where each of some lines stands first: by time, and by place where no time is known.

    Args:
        wanted: the lines, as numbers; no other one is kept.
    """

    __slots__ = ("_anyhow", "_timed", "_untimed", "_wanted")

    def __init__(self, wanted: set[int]) -> None:
        self._wanted = wanted
        self._timed: dict[int, Place] = {}
        self._untimed: dict[int, int] = {}
        self._anyhow: dict[int, int] = {}

    def see(self, text: str, place: Place) -> None:
        """Take in a message that stands there."""
        number = place[-1]
        for form in self._wanted.intersection(forms_of(text)):
            self._anyhow[form] = min(number, self._anyhow.get(form, number))
            if place[0] < NEVER:
                self._timed[form] = min(place, self._timed.get(form, place))
            else:
                self._untimed[form] = min(number, self._untimed.get(form, number))

    def stands(self, form: object, place: Place) -> bool:
        """Tell whether a line stands before a place."""
        key, number = hash(form), place[-1]
        if place[0] == NEVER:
            return self._anyhow.get(key, number) < number
        return self._timed.get(key, place) < place or self._untimed.get(key, number) < number


class _Before:
    """What the user may repeat at one place of the conversation: what others wrote or we sent before it."""

    __slots__ = ("_earliest", "_moment", "_place", "_sent")

    def __init__(self, sent: OurWords, moment: str, earliest: _Earliest | None, place: Place) -> None:
        self._sent = sent
        self._moment = moment
        self._earliest = earliest
        self._place = place

    def __contains__(self, form: object) -> bool:
        if self._sent.was_sent(form, self._moment):
            return True
        return self._earliest is not None and self._earliest.stands(form, self._place)


def without_echoes(  # noqa: PLR0917 - all that is known by then
    export: Export, messages: list[Message], stamps: Stamps, others: Others, chosen: Chosen, prompts: Prompts
) -> dict[int, str]:
    """Return the own words of each message that repeats others, by its number; show ``prompts`` what they wait for.

    Only what was said before can be repeated, by the time of the export: what the user said first and we quote later
    stays the user's.
    """
    suspects = [one for one in messages if own_words(one.text, others.of(one.text)) != one.text]
    wanted: set[int] = set()
    for one in suspects:
        for asked in (_Asked(others.of(one.text)), _Asked(None)):
            own_words(one.text, asked)
            wanted |= asked.forms
    everybody, ours = _Earliest(wanted), _Earliest(wanted)
    for message in export if suspects or prompts.waits else ():
        prompts.see(message)
        if suspects and message.kind == "message" and message.sender not in chosen.user:
            place = place_of(message, stamps)
            everybody.see(message.text, place)
            if message.sender in chosen.operator or not chosen.operator:
                ours.see(message.text, place)
    found = {}
    for one in suspects:
        words = others.of(one.text)
        earliest = everybody if words is others.quoted else ours if words is others.pasted else None
        before = _Before(others.sent, _sent_by(one, stamps), earliest, place_of(one, stamps))
        found[one.number] = own_words(one.text, before)
    return found


def _sent_by(message: Message, stamps: Stamps) -> str:
    """By when what a message repeats was sent: its moment, the day after its day (somewhere it was that), or ever."""
    moment, confidence = stamps.looked_up(message.stamp_raw)
    instant = parse_instant(moment)
    if moment is None or instant is None:
        return LAST
    if confidence == "exact":
        return moment
    try:
        return day(instant + timedelta(days=1))
    except OverflowError:
        return LAST
