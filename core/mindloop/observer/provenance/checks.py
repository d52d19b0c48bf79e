"""Checks of the provenance index, all lines in one pass."""

from __future__ import annotations

from mindloop.observer.canonical import content_hash, norm_hash
from mindloop.observer.canvas.checks import known_users
from mindloop.observer.layout import layout_of
from mindloop.observer.lines import excerpt
from mindloop.observer.names import display_name, fold
from mindloop.observer.provenance.index import index_from
from mindloop.store import quarantine, records, schemas
from mindloop.store.checkup import ERROR, INFO, WARNING, Finding
from mindloop.store.clock import parse_instant
from mindloop.store.errors import WrongInput
from mindloop.store.repairs import Staged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from mindloop.observer.provenance.index import ProvenanceIndex
    from mindloop.store.checkup import Look
    from mindloop.store.records import Line
    from mindloop.store.transaction import Transaction

    Verdict = tuple[str, str] | None

SCHEMA = "provenance-record"
_SHOWN = 5


class Seen:
    """What earlier lines of the index held.

    Attributes:
        first: (folded user, hash) to the line that has it first.
        ids: record id to the line that has it first.
        names: users as they are written.
    """

    __slots__ = ("first", "ids", "names")

    def __init__(self) -> None:
        self.first: dict[tuple[str, str], int] = {}
        self.ids: dict[str, int] = {}
        self.names: set[str] = set()


def check_index(look: Look) -> Iterator[Finding]:
    """Report lines that do not parse or cannot be used, and records that contradict each other or themselves."""
    rel = layout_of(look.ws).provenance_index
    seen = Seen()
    for line in records.scan(_data(look)):
        reason = unusable(line)
        if reason:
            yield Finding(ERROR, rel, line.number, excerpt(reason, 200), move_aside(rel))
        elif line.record is not None:
            for rule in RECORD_RULES:
                verdict = rule(line.record, line.number, seen)
                if verdict:
                    yield Finding(verdict[0], rel, line.number, excerpt(verdict[1], 200))
            _remember(line.record, line.number, seen)


def unusable(line: Line) -> str | None:
    """Say why nobody can use a line of the index, or None; a blank line is nothing."""
    if line.reason or line.record is None:
        return line.reason
    digest, user = line.record.get("content_hash"), line.record.get("canvas_target")
    if norm_hash(digest) is None:
        return f"content_hash is {digest!r:.80}, expected 64 hex digits"
    return None if isinstance(user, str) and user else f"canvas_target is {user!r:.80}, expected a user name"


def move_aside(rel: str) -> Staged:
    """Return the repair that moves every unusable line of the index to its quarantine, byte for byte."""

    def stage(tx: Transaction) -> None:
        bad = []
        for line in records.scan(tx.read(rel) or b""):
            line.reason = unusable(line)
            if line.reason:
                bad.append(line)
        quarantine.set_aside(tx, rel, bad)

    return Staged(f"move lines that cannot be used to {rel}{quarantine.SUFFIX}", ("research",), stage)


# --- one record -------------------------------------------------------------------------------------------------------


def _key(record: dict[str, Any]) -> tuple[str, str]:
    return fold(record["canvas_target"]), norm_hash(record["content_hash"]) or ""


def _remember(record: dict[str, Any], number: int, seen: Seen) -> None:
    seen.first.setdefault(_key(record), number)
    identity = record.get("record_id")
    if isinstance(identity, str):
        seen.ids.setdefault(identity, number)


def _fits_schema(record: dict[str, Any], _number: int, _seen: Seen) -> Verdict:
    schema = schemas.load_schema(SCHEMA)
    if schemas.valid(record, schema, schema):
        return None
    return WARNING, "; ".join(schemas.problems(record, SCHEMA)[:3])


def _fits_text(record: dict[str, Any], _number: int, _seen: Seen) -> Verdict:
    text = record.get("text")
    if not isinstance(text, str) or content_hash(text) == norm_hash(record["content_hash"]):
        return None
    return ERROR, f"content_hash does not fit the text of record {record.get('record_id')!r:.80}"


def _is_new(record: dict[str, Any], _number: int, seen: Seen) -> Verdict:
    first = seen.first.get(_key(record))
    return (WARNING, f"this user has the same words in line {first}") if first else None


def _has_own_id(record: dict[str, Any], _number: int, seen: Seen) -> Verdict:
    identity = record.get("record_id")
    first = seen.ids.get(identity) if isinstance(identity, str) else None
    return (WARNING, f"the record id {identity!r:.80} is that of line {first} too") if first else None


def _has_safe_user(record: dict[str, Any], _number: int, seen: Seen) -> Verdict:
    name = record["canvas_target"]
    if name in seen.names:
        return None  # one line a name is enough
    seen.names.add(name)
    objection = _objection(name)
    return (INFO, f"canvas_target: {objection}; no follow-up uses such records") if objection else None


def _objection(name: str) -> str | None:
    try:
        display_name(name)
    except WrongInput as error:
        return error.message
    return None


def _has_readable_time(record: dict[str, Any], _number: int, _seen: Seen) -> Verdict:
    moment = record.get("source_timestamp")
    if moment is None or not isinstance(moment, str) or parse_instant(moment) is not None:
        return None
    return WARNING, f"source_timestamp is {moment!r:.60}, expected an ISO 8601 instant; no release is claimed for it"


RECORD_RULES: tuple[Callable[[dict[str, Any], int, Seen], Verdict], ...] = (
    _fits_schema,
    _fits_text,
    _is_new,
    _has_own_id,
    _has_safe_user,
    _has_readable_time,
)
"""What every usable record is held against: a verdict is a severity and a sentence."""


def index_of(look: Look) -> ProvenanceIndex:
    """Return the index with its texts, made once an examination."""
    rel = layout_of(look.ws).provenance_index
    return look.once("provenance", lambda _ws: index_from(_data(look), rel, keep_text=True))


def _data(look: Look) -> bytes:
    return look.once("provenance-data", lambda ws: ws.read(layout_of(ws).provenance_index) or b"")


# --- the users --------------------------------------------------------------------------------------------------------


def check_users(look: Look) -> Iterator[Finding]:
    """Mention users of the index who have no canvas."""
    known = known_users(look)
    index = index_of(look)
    strangers = sorted(user for user in index.users() if user not in known)
    if strangers:
        total = sum(len(index.for_user(user)) for user in strangers)
        names = ", ".join(strangers[:_SHOWN]) + (", …" if len(strangers) > _SHOWN else "")
        what = f"{total} records are of {len(strangers)} users without a canvas: {excerpt(names, 200)}"
        yield Finding(INFO, layout_of(look.ws).provenance_index, None, what)
