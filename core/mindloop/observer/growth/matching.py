"""Which messages a reply may answer: by token, by thread, by words, by time. A proposal only; a person decides.

The rules are tried in that order and the first that finds something ends the search. Nothing is ever looked up
beyond the one user's own messages: a token of somebody else's message is a token of nobody here.
"""

from __future__ import annotations

from datetime import timedelta

from mindloop.observer.canonical import norm_hash
from mindloop.observer.exports.echoes import tokens_in
from mindloop.observer.growth.patterns import normal_words
from mindloop.observer.growth.proposals import match_id
from mindloop.observer.growth.state import is_rehearsal, messages
from mindloop.observer.lines import one_line
from mindloop.observer.provenance.record import checked_hash, timestamp_fields
from mindloop.store.clock import is_date_only, parse_instant, stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Any

    from mindloop.observer.types import GrowthBatch, GrowthMessage, GrowthState, ProposedMatch

OPEN_OUTCOMES = ("pending", "unknown", "silence")
"""Outcomes that a reply can still change."""
SNIPPET = 200
WORDS_SHARED = 2
WINDOW = timedelta(hours=48)
WINDOW_DAYS = 2
_DAY_ONLY = ("day_level", "inferred")

FOREIGN_TOKEN = "it carries a reply token of none of this user's messages; matched without it"  # noqa: S105 - a sentence
EARLY_TOKEN = "it carries the token of a message that was written after it; matched without it"  # noqa: S105 - a sentence
ANSWERED_TOKEN = "it carries the token of a message that has its reply already; nothing is proposed"  # noqa: S105 - a sentence


class Signal:
    """Something a user said that may be a reply.

    Attributes:
        id: the content hash of the words, bare.
        text: the words, exactly.
        stamp: when it was said, as files hold it, or None.
        said_at: the same as an instant, or None where nobody knows.
        by_day: whether only the day of ``said_at`` is known.
        known_since: when it was taken in; what was known before a message was written is no reply to it.
        thread: the conversation it was said in, or None.
        tokens: reply tokens that came with it, lower case.
        prompts: those of our last line before it in the conversation.
        in_index: whether the provenance index has the words.
    """

    __slots__ = ("by_day", "id", "in_index", "known_since", "prompts", "said_at", "stamp", "text", "thread", "tokens")

    def __init__(
        self,
        identity: str,
        text: str,
        when: tuple[str | None, str],
        *,
        known_since: datetime | None = None,
        thread: str | None = None,
        tokens: frozenset[str] = frozenset(),
        prompts: frozenset[str] = frozenset(),
        in_index: bool = False,
    ) -> None:
        self.id = identity
        self.text = text
        self.stamp, confidence = when
        known = parse_instant(self.stamp) if confidence == "exact" or confidence in _DAY_ONLY else None
        self.said_at = known
        self.by_day = confidence in _DAY_ONLY
        self.known_since = known_since
        self.thread = thread
        self.tokens = tokens | frozenset(tokens_in(text))
        self.prompts = prompts
        self.in_index = in_index


def signal_of_text(text: str, when: str | None = None, thread: str | None = None) -> Signal:
    """A reply that somebody pasted.

    Args:
        text: the words, exactly.
        when: ISO 8601 date or time of the reply, None where nobody knows.
        thread: the conversation it came from.

    Raises:
        WrongInput: no text, too much of it, control characters, a time that is none.
    """
    return Signal(checked_hash(text), text, timestamp_fields(when), thread=thread or None)


def signal_of_record(record: Mapping[str, Any]) -> Signal | None:
    """A record of the provenance index as a reply; None where it holds no hash or no words."""
    identity, text = norm_hash(record.get("content_hash")), record.get("text")
    if identity is None or not isinstance(text, str) or not text:
        return None
    said, thread = record.get("source_timestamp"), record.get("thread_id")
    return Signal(
        identity,
        text,
        (said if isinstance(said, str) else None, str(record.get("source_timestamp_confidence"))),
        known_since=parse_instant(record.get("ingested_at")),
        thread=thread if isinstance(thread, str) and thread else None,
        tokens=_listed(record.get("reply_tokens")),
        prompts=_listed(record.get("prompt_tokens")),
        in_index=True,
    )


def _listed(tokens: object) -> frozenset[str]:
    return frozenset(one.lower() for one in tokens if isinstance(one, str)) if isinstance(tokens, list) else frozenset()


class Candidate:
    """A message that a reply may still answer.

    Attributes:
        message: the message.
        sent: when it was written, or None where no field says so.
        by_day: whether only the day is known.
    """

    __slots__ = ("by_day", "message", "sent", "tags")

    def __init__(self, batch: GrowthBatch, message: GrowthMessage) -> None:
        self.message = message
        exact = parse_instant(message["sent_at"])
        self.sent = exact or parse_instant(batch["batch_date"])
        self.by_day = exact is None or is_date_only(message["sent_at"] or "")
        self.tags = frozenset(message["topic_tags"])

    def follows(self, signal: Signal) -> bool:
        """Whether the message was written after the signal was said: then it is no reply to it."""
        if self.sent is None:
            return False
        if signal.said_at is None:
            return signal.known_since is not None and signal.known_since < self.sent
        if signal.by_day or self.by_day:
            return signal.said_at.date() < self.sent.date()
        return signal.said_at < self.sent

    def shared_words(self, words: frozenset[str]) -> int:
        """How many topic tags the words hit; 0 where that is too few to mean something."""
        shared = len(self.tags & words)
        return shared if shared >= min(WORDS_SHARED, max(1, len(self.tags))) else 0

    def is_recent(self, signal: Signal) -> bool:
        """Whether the signal was said within two days after the message was written."""
        if self.sent is None or signal.said_at is None:
            return False
        if signal.by_day or self.by_day:
            return 0 <= (signal.said_at.date() - self.sent.date()).days <= WINDOW_DAYS
        return timedelta() <= signal.said_at - self.sent <= WINDOW


class Matcher:
    """One user's messages, prepared once for many replies.

    Args:
        state: the user's growth, complete as ``state.clone`` makes it; it is not changed.
    """

    __slots__ = ("_answered", "_candidates", "_tokens")

    def __init__(self, state: GrowthState) -> None:
        sent = [(batch, message) for batch, message in messages(state) if not is_rehearsal(batch)]
        self._candidates = [Candidate(*pair) for pair in sent if pair[1]["outcome"] in OPEN_OUTCOMES]
        self._tokens = {one.message["token"].lower(): one for one in self._candidates}
        self._answered = {message["token"].lower() for _, message in sent} - set(self._tokens)

    def propose(self, signal: Signal, now: datetime) -> tuple[list[ProposedMatch], list[str]]:
        """The messages that a signal may answer, and what a person should know; nothing is named in that.

        Args:
            signal: what was said.
            now: the instant of the command.
        """
        notes: list[str] = []
        possible = [one for one in self._candidates if not one.follows(signal)]
        named = [self._tokens[token] for token in sorted(signal.tokens) if token in self._tokens]
        timely = [one for one in named if one in possible]
        if timely:
            return [_match("token", "high", one, signal, now) for one in timely], notes
        if signal.tokens & self._answered:
            return [], [ANSWERED_TOKEN]
        if signal.tokens:
            notes.append(EARLY_TOKEN if named else FOREIGN_TOKEN)
        kind, confidence, found = _without_token(signal, possible)
        if len(found) > 1:
            kind, confidence = "ambiguous", "low"
        return [_match(kind, confidence, one, signal, now) for one in found], notes


def _without_token(signal: Signal, possible: list[Candidate]) -> tuple[str, str, list[Candidate]]:
    asked = [one for one in possible if one.message["token"].lower() in signal.prompts]
    if asked:
        return "thread", "high", asked
    if signal.thread:
        same = [one for one in possible if one.message["thread_id"] == signal.thread]
        if same:
            return "thread", "high", same
    words = frozenset(normal_words(signal.text))
    shared = [one.shared_words(words) for one in possible]
    best = max(shared, default=0)
    if best:
        return "keyword", "medium", [one for one, count in zip(possible, shared, strict=True) if count == best]
    recent = [one for one in possible if one.is_recent(signal)]
    return "temporal", "low", recent if len(recent) == 1 else []


def _match(kind: str, confidence: str, candidate: Candidate, signal: Signal, now: datetime) -> ProposedMatch:
    message = candidate.message
    made: ProposedMatch = {
        "id": match_id(signal.id, message["id"]),
        "match_type": kind,
        "match_confidence": confidence,
        "signal_id": signal.id,
        "signal_timestamp": signal.stamp if signal.said_at else None,
        "evidence_snippet": one_line(signal.text, SNIPPET),
        "follow_up_id": message["id"],
        "follow_up_token": message["token"],
        "proposed_at": stamp(now),
        "status": "pending",
        "confirmed_at": None,
    }
    if not signal.in_index:
        made["signal_text"] = signal.text
    return made
