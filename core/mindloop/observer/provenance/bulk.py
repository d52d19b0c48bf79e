"""Many things that one user said, put into the index at once: the index is read once, whatever is added.

The gate knows a user's hashes and how sure the best record of each is. What the user said before is not taken again,
unless it is known now to have been said earlier, or more surely, or with a reply token that no record of it has: then a
further record tells so. Thus the best record of a hash (``quotes.best_records``), and of a hash with a token, does not
depend on which export came first. "Yes" is said often, though, and each time to another question: words that come again
after a message of ours that waits for its reply get a further record too.
"""

from __future__ import annotations

from datetime import timedelta
from itertools import count
from sys import intern

from mindloop.observer.canonical import NORMALIZATION_VERSION, norm_hash
from mindloop.observer.exports.echoes import tokens_in
from mindloop.observer.layout import layout_of
from mindloop.observer.names import fold
from mindloop.observer.provenance.index import may_be_of
from mindloop.observer.provenance.quotes import CONFIDENCES, is_before, rank
from mindloop.observer.provenance.record import INGESTERS, SOURCE_TYPES
from mindloop.store import records
from mindloop.store.clock import parse_instant, stamp
from mindloop.store.digest import sha256_hex
from mindloop.store.errors import WrongInput
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from datetime import datetime
    from typing import Any

    from mindloop.observer.provenance.said import Said
    from mindloop.observer.types import ProvenanceRecord
    from mindloop.store.transaction import Transaction

    Rank = tuple[int, float]
    Latest = tuple[str, str]

_ID = when_used(rb'"(prov-[0-9a-f]{16,64}(?:-[0-9]{1,9})?)"')
_ID_DIGITS = 16
_APPEND_LIMIT = 1_000_000
"""Bytes up to which lines are appended through the journal; more of them are written with the file, which costs no
more of the memory than the file does."""
_DAY_OF_ANY_ZONE = timedelta(hours=36)
"""How far an instant can be from midnight UTC of the day that clocks showed."""
_NO_TIME = "", ""
_BOM = b"\xef\xbb\xbf"


if TYPE_CHECKING:
    Reading = tuple[str, str, str, str] | Said


class Source:
    """What all records of one ingestion share.

    Raises:
        WrongInput: a source type or ingester that does not exist.
    """

    __slots__ = ("ingested_at", "ingested_by", "raw_source_ref", "source_type", "thread_id", "user")

    def __init__(  # noqa: PLR0917 - the fields of a record
        self, user: str, source_type: str, ingested_by: str, raw_source_ref: str, thread_id: str | None, now: datetime
    ) -> None:
        for what, value, allowed in (
            ("source type", source_type, SOURCE_TYPES),
            ("ingester", ingested_by, INGESTERS),
        ):
            if value not in allowed:
                raise WrongInput(f"the {what} is {value[:80]!r}", f"Use one of {', '.join(allowed)}.")
        self.user = user
        self.source_type = source_type
        self.ingested_by = ingested_by
        self.raw_source_ref = raw_source_ref
        self.thread_id = thread_id
        self.ingested_at = stamp(now)

    def record(self, said: Said, identity: str) -> ProvenanceRecord:
        """The index record of one thing said."""
        record: ProvenanceRecord = {
            "content_hash": said.digest,
            "normalization_version": NORMALIZATION_VERSION,
            "source_timestamp": said.moment,
            "source_timestamp_raw": said.raw,
            "source_timestamp_confidence": said.confidence,
            "text": said.text,
            "source_type": self.source_type,
            "canvas_target": self.user,
            "raw_source_ref": self.raw_source_ref,
            "ingested_by": self.ingested_by,
            "ingested_at": self.ingested_at,
            "thread_id": self.thread_id,
            "message_index": said.index,
            "parent_hash": said.parent,
        }
        if said.tokens:
            record["reply_tokens"] = list(said.tokens)
        if said.prompts:
            record["prompt_tokens"] = list(said.prompts)
        record["record_id"] = identity
        return record


class Known:
    """What a user's records say of one hash; an export may know a hundred thousand, so that it holds little.

    Attributes:
        rank: how good the best of them is.
        marks: how good the best of those is that answer a message of ours, by ``marks_of``; None where none does.
        latest: the last moment of those that are exact, and of the others whose day is known; empty for none.
    """

    __slots__ = ("_read", "latest", "marks", "rank")

    def __init__(self) -> None:
        self.rank: Rank = (len(CONFIDENCES), 0.0)
        self.marks: dict[str, Rank] | None = None
        self.latest = _NO_TIME
        self._read: tuple[Reading, ...] = ()

    def add(self, record: dict[str, Any], like: Said) -> None:
        """Take in a record; ``like`` has the same hash, and perhaps the same texts."""
        confidence, moment = record.get("source_timestamp_confidence"), record.get("source_timestamp")
        sure = intern(confidence) if isinstance(confidence, str) else ""
        found = rank(sure, moment)
        self.rank = min(self.rank, found)
        if isinstance(moment, str):
            self.latest = _later(self.latest, like.moment if moment == like.moment else moment, sure)
        for mark in marks_of(_tokens_of(record), _listed(record.get("prompt_tokens"))):
            self.marks = self.marks or {}
            self.marks[mark] = min(found, self.marks.get(mark, found))
        raw = record.get("source_timestamp_raw")
        if isinstance(raw, str) and isinstance(moment, str):
            if (raw, moment, sure) == (like.raw, like.moment, like.confidence):
                self._read += (like,)
            else:
                written = like.raw if raw == like.raw else raw
                self._read += ((written or "", moment, sure, str(record.get("record_id"))),)

    def contradicts(self, said: Said) -> tuple[str, str] | None:
        """Return moment and record of what was read from the same stamp to another time; None where nothing was."""
        if said.moment is None or not self._read:
            return None
        read = [one for one in map(_reading, self._read) if one[0] == said.raw]
        read = [one for one in read if one[2] == said.confidence] or read
        if not read or any(_agree(said.moment, said.confidence, *one[1:3]) for one in read):
            return None
        return read[0][1], read[0][3]


def _tokens_of(record: dict[str, Any]) -> list[str]:
    """The reply tokens that a record carries, beside its words or in them."""
    found, text = _listed(record.get("reply_tokens")), record.get("text")
    return found + tokens_in(text) if isinstance(text, str) and "[" in text else found


def _listed(tokens: object) -> list[str]:
    return [one.lower() for one in tokens if isinstance(one, str)] if isinstance(tokens, list) else []


def marks_of(tokens: Iterable[str], prompts: Iterable[str]) -> list[str]:
    """What a record tells of the messages that it answers: by token, and by place, which a token tells too."""
    carried = list(tokens)
    return [*carried, *(f"?{token}" for token in (*carried, *prompts))]


def _later(latest: Latest, moment: str, confidence: str) -> Latest:
    """The last exact moment and the last day, with one more moment."""
    exact, by_day = latest
    if confidence == CONFIDENCES[0]:
        return max(exact, moment), by_day
    return (exact, max(by_day, moment)) if confidence in CONFIDENCES[1:-1] else latest


def _reading(one: Reading) -> tuple[str, str, str, str]:
    """How a stamp was read: the stamp, the moment, the confidence, the record, which is not told of what agrees."""
    return one if isinstance(one, tuple) else (one.raw or "", one.moment or "", one.confidence, "")


def _agree(one: str, sure: str, other: str, other_sure: str) -> bool:
    """Tell whether two readings of one stamp can both be right."""
    first, second = parse_instant(one), parse_instant(other)
    if first is None or second is None or sure == other_sure:
        return first == second
    return abs(first - second) <= _DAY_OF_ANY_ZONE


class Disputed:
    """Known things of which the same stamp is read to another time now; nothing was taken.

    Attributes:
        digests: what they are.
        said: the first of them, as it is read now.
        moment: what is on record.
        record: the id of that record.
    """

    __slots__ = ("digests", "moment", "record", "said")

    def __init__(self, said: Said, moment: str, record: str) -> None:
        self.digests: set[str] = set()
        self.said = said
        self.moment = moment
        self.record = record


class Gate:
    """What is taken of what was said.

    Attributes:
        new: what the index does not know, each hash once.
        better: what it knows, but earlier or more surely now.
        replies: what it knows, or takes anyhow, but without the token of the message that this occurrence answers.
        again: what it knows, or takes anyhow, but not since a message of ours that waits, as this occurrence is.
        disputed: what it knows at another time than the same stamp has now, or None.
    """

    __slots__ = ("again", "better", "disputed", "new", "replies")

    def __init__(self) -> None:
        self.new: list[Said] = []
        self.better: list[Said] = []
        self.replies: list[Said] = []
        self.again: list[Said] = []
        self.disputed: Disputed | None = None

    @property
    def taken(self) -> list[Said]:
        """All that gets a record."""
        return [*self.new, *self.better, *self.replies, *self.again]


class Index:
    """The provenance index as one reading found it, for the gate and for what is added for a user."""

    __slots__ = ("_data", "_rel", "_tx", "_user")

    def __init__(self, tx: Transaction, user: str) -> None:
        self._tx = tx
        self._user = user
        self._rel = layout_of(tx).provenance_index
        self._data = tx.read(self._rel) or b""

    def gate(self, said: Sequence[Said], waiting: Callable[[], Iterable[str]] = tuple) -> Gate:
        """Sort out what is new to the index, and what a further record tells something new of.

        Of equal words within ``said`` the best occurrence counts, and of equally good ones the first; other ones count
        for the tokens that they alone come with, and where they are the first since a message of ours was sent.

        Args:
            said: what was said.
            waiting: gives the instants or days on which those messages were sent to the user that wait for a reply;
                asked only where known words were said later than any record of them tells.
        """
        known = self._known({one.digest: one for one in reversed(said)})
        gate = Gate()
        best: dict[str, Said] = {}
        for one in said:
            record = known.get(one.digest)
            if record is not None and (other := record.contradicts(one)):
                gate.disputed = gate.disputed or Disputed(one, *other)
                gate.disputed.digests.add(one.digest)
            elif one.digest not in best or one.rank < best[one.digest].rank:
                best[one.digest] = one
        gate.new = [one for one in best.values() if one.digest not in known]
        gate.better = [one for one in best.values() if one.digest in known and one.rank < known[one.digest].rank]
        gate.replies = _replies(said, known, [*gate.new, *gate.better])
        gate.again = _again(said, known, gate.taken, waiting)
        return gate

    def _known(self, wanted: dict[str, Said]) -> dict[str, Known]:
        """Return what the user's records say of each hash that is wanted and known."""
        known: dict[str, Known] = {}
        for digest, record in _records(self._data, self._user) if wanted else ():
            like = wanted.get(digest)
            if like is not None:
                if like.digest not in known:
                    known[like.digest] = Known()
                known[like.digest].add(record, like)
        return known

    def add(self, source: Source, said: Iterable[Said]) -> int:
        """Stage the records of all that is said, in its order; return how many they are.

        Raises:
            WrongInput: a record cannot be written as one line of JSON; nothing is staged.
        """
        import io

        ids = _Ids(self._data, self._user)
        lines, written = io.BytesIO(), 0
        for one in said:
            lines.write(records.encode(source.record(one, ids.free(one.digest))))
            lines.write(b"\n")
            written += 1
        if not written:
            return 0
        if lines.tell() <= _APPEND_LIMIT:
            self._tx.append(self._rel, lines.getvalue())
        else:
            heal = b"\n" if self._data and not self._data.endswith(b"\n") else b""
            whole = b"".join((self._data, heal, lines.getbuffer())) if self._data else lines.getvalue()
            self._tx.write(self._rel, whole)
        return written


def _replies(said: Sequence[Said], known: dict[str, Known], taken: list[Said]) -> list[Said]:
    """Return the occurrences that come with a token which no record of their words has, or none that is as good."""
    best: dict[tuple[str, str], Rank] = {}
    for digest, record in known.items():
        best.update(((digest, mark), found) for mark, found in (record.marks or {}).items())
    for one in taken:
        for mark in marks_of(one.tokens, one.prompts):
            place = one.digest, mark
            best[place] = min(one.rank, best.get(place, one.rank))
    carrying = [one for one in said if one.tokens or one.prompts]
    carrying.sort(key=lambda one: one.rank)
    chosen: list[Said] = []
    for one in carrying:
        there = known.get(one.digest)
        disputed = there is not None and there.contradicts(one) is not None
        places = [(one.digest, mark) for mark in marks_of(one.tokens, one.prompts)]
        if any(place not in best or (one.rank < best[place] and not disputed) for place in places):
            chosen.append(one)
            best.update((place, min(one.rank, best.get(place, one.rank))) for place in places)
    return chosen


def _again(
    said: Sequence[Said], known: dict[str, Known], taken: list[Said], waiting: Callable[[], Iterable[str]]
) -> list[Said]:
    """Return the first occurrences since a message of ours that no record of their words is as late as."""
    latest: dict[str, Latest] = {}
    for one in taken:
        if one.moment is not None:
            latest[one.digest] = _later(latest.get(one.digest, _NO_TIME), one.moment, one.confidence)

    def records_of(one: Said) -> Latest:
        there, here = known.get(one.digest), latest.get(one.digest, _NO_TIME)
        return (max(there.latest[0], here[0]), max(there.latest[1], here[1])) if there else here

    later = [one for one in said if one.moment and one.moment > records_of(one)[one.confidence != CONFIDENCES[0]]]
    sent = sorted(waiting()) if later else []
    chosen: list[Said] = []
    for one in sorted(later, key=lambda one: one.moment or "") if sent else ():
        exact, by_day = records_of(one)
        since = [at for at in sent if not is_before(one.moment or "", one.confidence, at)]
        there = known.get(one.digest)
        if there is not None and there.contradicts(one):
            continue
        if any(_all_before(exact, CONFIDENCES[0], at) and _all_before(by_day, CONFIDENCES[1], at) for at in since):
            chosen.append(one)
            latest[one.digest] = _later(latest.get(one.digest, _NO_TIME), one.moment or "", one.confidence)
    return chosen


def _all_before(latest: str, confidence: str, sent_at: str) -> bool:
    return not latest or is_before(latest, confidence, sent_at)


def _records(data: bytes, user: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield hash and content of each record of a user; lines of others are not parsed."""
    key = fold(user)
    spellings: dict[str, str] = {}
    for raw in _lines(data):
        if not may_be_of(raw, key):
            continue
        record = records.parse(raw)[0] or {}
        digest, target = norm_hash(record.get("content_hash")), record.get("canvas_target")
        if digest is None or not isinstance(target, str):
            continue
        if target not in spellings:
            spellings[target] = fold(target)
        if spellings[target] == key:
            yield digest, record


def _lines(data: bytes) -> Iterator[bytes]:
    at = len(_BOM) if data.startswith(_BOM) else 0
    while at < len(data):
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        yield data[at:end].removesuffix(b"\r")
        at = end + 1


class _Ids:
    """Ids that nothing in the index has: of user and hash, so that one is the same wherever it is made."""

    __slots__ = ("_key", "_taken")

    def __init__(self, data: bytes, user: str) -> None:
        self._key = fold(user)
        self._taken = {found[1] for found in _ID.finditer(data)}

    def free(self, digest: str) -> str:
        """Return the next id for a hash, and take it."""
        identity = next(one for one in _identities(f"{self._key}\n{digest}") if one.encode() not in self._taken)
        self._taken.add(identity.encode())
        return identity


def _identities(what: str) -> Iterator[str]:
    """Yield ids from short to long; those of one digest and user never end."""
    full = sha256_hex(what.encode())
    for length in range(_ID_DIGITS, len(full) + 1):
        yield f"prov-{full[:length]}"
    for number in count(2):
        yield f"prov-{full}-{number}"
