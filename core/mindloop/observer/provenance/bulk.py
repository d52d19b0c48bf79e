"""Many things that one user said, put into the index at once: the index is read once, whatever is added.

The gate knows a user's hashes and how sure the best record of each is. What the user said before is not taken again,
unless it is known now to have been said earlier, or more surely: then a further record tells so. Thus the best record
of a hash (``quotes.best_records``) does not depend on which export came first.
"""

from __future__ import annotations

import re
from itertools import count

from mindloop.observer.canonical import NORMALIZATION_VERSION, norm_hash
from mindloop.observer.layout import layout_of
from mindloop.observer.names import fold
from mindloop.observer.provenance.index import may_be_of
from mindloop.observer.provenance.quotes import rank
from mindloop.observer.provenance.record import INGESTERS, SOURCE_TYPES, checked_hash
from mindloop.store import records
from mindloop.store.clock import stamp
from mindloop.store.digest import sha256_hex
from mindloop.store.errors import WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from mindloop.observer.types import ProvenanceRecord
    from mindloop.store.transaction import Transaction

    Rank = tuple[int, float]

_ID = re.compile(rb'"(prov-[0-9a-f]{16,64}(?:-[0-9]{1,9})?)"')
_ID_DIGITS = 16
_APPEND_LIMIT = 1_000_000
"""Bytes up to which lines are appended through the journal; more of them are written with the file, which costs no
more of the memory than the file does."""
_BOM = b"\xef\xbb\xbf"


class Said:
    """One thing that a user said, ready for the index.

    Raises:
        WrongInput: the words cannot enter the index (``record.checked_hash``).

    Attributes:
        digest: hash of ``text``.
        text: the words, exactly.
        moment: when it was said, RFC 3339 in UTC, or None.
        confidence: how sure that is, one of ``quotes.CONFIDENCES``.
        raw: the time as the source has it, or None.
        index: its place in the source, from 0.
        parent: hash of what the user said before it, or None.
        tokens: reply tokens that stood in the message, in lower case.
    """

    __slots__ = ("confidence", "digest", "index", "moment", "parent", "raw", "text", "tokens")

    def __init__(
        self,
        text: str,
        moment: str | None,
        confidence: str,
        *,
        raw: str | None = None,
        index: int = 0,
        tokens: tuple[str, ...] = (),
    ) -> None:
        self.digest = checked_hash(text)
        self.text = text
        self.moment = moment
        self.confidence = confidence
        self.raw = raw
        self.index = index
        self.tokens = tokens
        self.parent: str | None = None

    @property
    def rank(self) -> Rank:
        """How good a record of it is; less is better."""
        return rank(self.confidence, self.moment)


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
        record["record_id"] = identity
        return record


class Index:
    """The provenance index as one reading found it, for the gate and for what is added for a user."""

    __slots__ = ("_data", "_rel", "_tx", "_user")

    def __init__(self, tx: Transaction, user: str) -> None:
        self._tx = tx
        self._user = user
        self._rel = layout_of(tx).provenance_index
        self._data = tx.read(self._rel) or b""

    def gate(self, said: Iterable[Said]) -> tuple[list[Said], list[Said]]:
        """Return what is new to the index and what is known, but earlier or more surely now; each hash once.

        Of equal words within ``said`` the best occurrence counts, and of equally good ones the first.
        """
        best: dict[str, Said] = {}
        for one in said:
            if one.digest not in best or one.rank < best[one.digest].rank:
                best[one.digest] = one
        known = self._known(best)
        new = [one for one in best.values() if one.digest not in known]
        better = [one for one in best.values() if one.digest in known and one.rank < known[one.digest]]
        return new, better

    def _known(self, wanted: dict[str, Said]) -> dict[str, Rank]:
        """Return the rank of the user's best record of each hash that is wanted and known."""
        known: dict[str, Rank] = {}
        for digest, found in _ranks(self._data, self._user) if wanted else ():
            if digest in wanted and (digest not in known or found < known[digest]):
                known[wanted[digest].digest] = found
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


def _ranks(data: bytes, user: str) -> Iterator[tuple[str, Rank]]:
    """Yield hash and rank of each record of a user; lines of others are not parsed."""
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
            confidence, moment = record.get("source_timestamp_confidence"), record.get("source_timestamp")
            yield digest, rank(confidence if isinstance(confidence, str) else "", moment)


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
