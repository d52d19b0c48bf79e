"""The provenance index: what each user said, by hash, append-only (follow-up, steps 1 and 2d).

Reading the index keeps four strings a record. Looking for one hash or appending one record parses only the lines that
may hold that hash, so that ingesting stays quick whatever was ingested before.
"""

from __future__ import annotations

import sys

from mindloop.observer.canonical import norm_hash
from mindloop.observer.layout import layout_of
from mindloop.observer.lines import excerpt
from mindloop.observer.names import fold
from mindloop.store import records
from mindloop.store.digest import sha256_hex
from mindloop.store.errors import Negative
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from mindloop.observer.types import ProvenanceRecord
    from mindloop.store.files import Files
    from mindloop.store.transaction import Transaction
    from mindloop.store.workspace import Workspace

    Slim = tuple[str, str, str | None, str | None, str | None]

_MAX_PROBLEMS = 100
_WINDOW = 1 << 22
_ID_DIGITS = 16
# ASCII letters and digits may also be written as JSON escapes; a line that does so is always parsed.
_ESCAPED = when_used(rb"\\u00(?:3[0-9]|[46][1-6])")


class Duplicate(Negative):
    """The user said this already; nothing was written. ``record`` is what the index has."""

    def __init__(self, record: ProvenanceRecord) -> None:
        self.record = record
        user, identity = excerpt(str(record.get("canvas_target"))), excerpt(str(record.get("record_id")))
        super().__init__(f"already in the index for {user}, as record {identity}", "Nothing to do: it was kept then.")


class ProvenanceIndex:
    """All records of the index, by user.

    Attributes:
        problems: the lines that were passed over, with number and reason; at most 100, then a count.
        size: how many records there are.
    """

    __slots__ = ("_by_user", "problems", "size")

    def __init__(self) -> None:
        self._by_user: dict[str, list[Slim]] = {}
        self.problems: list[str] = []
        self.size = 0

    def add(self, user: str, slim: Slim) -> None:
        """Take in one record of a user, named by the folded key."""
        self._by_user.setdefault(user, []).append(slim)
        self.size += 1

    def users(self) -> list[str]:
        """Return the folded names that have records."""
        return list(self._by_user)

    def for_user(self, name: str) -> list[ProvenanceRecord]:
        """Return a user's records in file order, however the name is spelled; hashes are bare and lower case.

        The records hold the hash, timestamp, confidence, id and user; the text too when the index was loaded with it.
        """
        return [_record(name, slim) for slim in self._by_user.get(fold(name), ())]

    def others_with(self, digest: str, name: str) -> list[str]:
        """Return the folded names of other users whose records have this hash."""
        mine = fold(name)
        return [
            user for user, known in self._by_user.items() if user != mine and any(digest == one[0] for one in known)
        ]


def _record(name: str, slim: Slim) -> ProvenanceRecord:
    digest, confidence, timestamp, identity, text = slim
    record: ProvenanceRecord = {
        "content_hash": digest,
        "source_timestamp": timestamp,
        "source_timestamp_confidence": confidence,
        "canvas_target": name,
    }
    if identity is not None:
        record["record_id"] = identity
    if text is not None:
        record["text"] = text
    return record


def load_index(workspace: Workspace, *, keep_text: bool = False) -> ProvenanceIndex:
    """Read the whole index once (follow-up, step 1.4). A line that cannot be used is reported, the others count.

    Args:
        workspace: where the index is; no index is an empty one.
        keep_text: keep each record's text as well, for drift hints.
    """
    rel = layout_of(workspace).provenance_index
    return index_from(workspace.read(rel) or b"", rel, keep_text=keep_text)


def index_from(data: bytes, rel: str, *, keep_text: bool = False) -> ProvenanceIndex:
    """Make the index from the bytes of its file; ``rel`` is the name that problems show."""
    index = ProvenanceIndex()
    left_out = 0
    folded: dict[str, str] = {}
    for line in records.scan(data):
        reason = line.reason
        if line.record is not None:
            reason = _take(index, line.record, folded, keep_text=keep_text)
        if reason and len(index.problems) < _MAX_PROBLEMS:
            index.problems.append(f"{rel}:{line.number}: {excerpt(reason, 200)}")
        elif reason:
            left_out += 1
    if left_out:
        index.problems.append(f"{rel}: {left_out} more lines cannot be used")
    return index


def load_user(files: Files, name: str) -> ProvenanceIndex:
    """Read one user's records with their texts; lines that cannot be that user's are not parsed, none is reported."""
    index, key = ProvenanceIndex(), fold(name)
    folded: dict[str, str] = {}
    for raw in (files.read(layout_of(files).provenance_index) or b"").split(b"\n"):
        if may_be_of(raw, key):
            record, _ = records.parse(raw.removeprefix(b"\xef\xbb\xbf").removesuffix(b"\r"))
            if record is not None and fold(str(record.get("canvas_target"))) == key:
                _take(index, record, folded, keep_text=True)
    return index


def may_be_of(raw: bytes, key: str) -> bool:
    """Whether a line may name a user: in plain ASCII the folded name stands in it, other spellings are parsed."""
    return not raw.isascii() or b"\\u" in raw or not key.isascii() or key.encode("ascii") in raw.lower()


def _take(index: ProvenanceIndex, record: dict[str, Any], folded: dict[str, str], *, keep_text: bool) -> str | None:
    """Put one parsed record into the index; return what makes it unusable, if anything does."""
    digest, user = norm_hash(record.get("content_hash")), record.get("canvas_target")
    if digest is None:
        return f"content_hash is {_shown(record.get('content_hash'))}, expected 64 hex digits"
    if not isinstance(user, str) or not user:
        return f"canvas_target is {_shown(user)}, expected a user name"
    key = folded.get(user)
    if key is None:
        key = folded.setdefault(user, fold(user))
    sure = record.get("source_timestamp_confidence")
    confidence = sys.intern(sure) if isinstance(sure, str) else "unknown"  # few: all records share one object each
    timestamp, identity, text = record.get("source_timestamp"), record.get("record_id"), record.get("text")
    index.add(
        key,
        (
            digest,
            confidence,
            timestamp if isinstance(timestamp, str) else None,
            identity if isinstance(identity, str) else None,
            text if keep_text and isinstance(text, str) else None,
        ),
    )
    return None


def _shown(value: object) -> str:
    return "missing" if value is None else repr(value)[:80]


def find(files: Files, user: str, digest: str) -> ProvenanceRecord | None:
    """Return the first record of a user with a hash, whole, or None; only lines that may hold the hash are parsed."""
    wanted = norm_hash(digest)
    data = files.read(layout_of(files).provenance_index) or b""
    return _find(data, user, wanted) if wanted else None


def _find(data: bytes, user: str, digest: str) -> ProvenanceRecord | None:
    key = fold(user)
    for raw in _lines_with(data, digest):
        record, _ = records.parse(raw.removesuffix(b"\r"))
        if record is None or norm_hash(record.get("content_hash")) != digest:
            continue
        target = record.get("canvas_target")
        if isinstance(target, str) and fold(target) == key:
            return record  # type: ignore[return-value]  # what a line holds beside the two fields is its writer's
    return None


def _lines_with(data: bytes, digest: str) -> Iterator[bytes]:
    """Yield the raw lines that may hold a hash: in any case, with any prefix and spacing, even in JSON escapes."""
    starts = {data.rfind(b"\n", 0, place) + 1 for place in _places(data, digest.encode("ascii"))}
    for start in sorted(starts):
        end = data.find(b"\n", start)
        yield data[start : len(data) if end < 0 else end].removeprefix(b"\xef\xbb\xbf")


def _places(data: bytes, needle: bytes) -> Iterator[int]:
    for base in range(0, len(data), _WINDOW):  # a window at a time: a lower-case copy of everything costs its size
        window = data[base : base + _WINDOW + len(needle) - 1].lower()
        place = window.find(needle)
        while place >= 0:
            yield base + place
            place = window.find(needle, place + 1)
    if b"\\u00" in data:
        yield from (found.start() for found in _ESCAPED.finditer(data))


def ingest(tx: Transaction, record: ProvenanceRecord) -> ProvenanceRecord:
    """Append a record to the index and return it with its id; the transaction must hold the ``research`` scope.

    Raises:
        Duplicate: this user has a record with this hash already; nothing is staged.
        WrongInput: the record cannot be written as one line of JSON.
    """
    rel = layout_of(tx).provenance_index
    data = tx.read(rel) or b""
    user, digest = record["canvas_target"], record["content_hash"]
    known = _find(data, user, digest)
    if known is not None:
        raise Duplicate(known)
    written: ProvenanceRecord = {**record, "record_id": _free_id(data, user, digest)}
    tx.append(rel, records.encode(written) + b"\n")
    return written


def _free_id(data: bytes, user: str, digest: str) -> str:
    """Return an id that nothing in the index has: of user and hash, so that it is the same wherever it is made."""
    full = sha256_hex(f"{fold(user)}\n{digest}".encode())
    for length in range(_ID_DIGITS, len(full) + 1):
        identity = f"prov-{full[:length]}"
        if f'"{identity}"'.encode() not in data:
            return identity
    return f"prov-{full}-{len(data)}"
