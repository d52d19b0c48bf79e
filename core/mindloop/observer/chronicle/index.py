"""The index of releases, derived from the entries and made anew at any moment, and questions to it (step 2g.6)."""

from __future__ import annotations

from mindloop.observer.chronicle.entries import AS_A_DATE, ID_LENGTH, load_releases, summary_line, text_at, title_line
from mindloop.observer.layout import layout_of
from mindloop.observer.lines import clean_line, one_line
from mindloop.store import records
from mindloop.store.clock import DAY_LENGTH, parse_instant, stamp
from mindloop.store.errors import Malformed, Negative, WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date
    from typing import Any

    from mindloop.observer.types import Release, ReleaseRecord
    from mindloop.store.transaction import Transaction
    from mindloop.store.workspace import Workspace

NONE_NEAR = "No releases found near this user's last feedback date."
NO_INDEX = "Chronicle not available. Run chronicle-ingest.sh to seed release data."
"""What a packet says without an index; the sentence is the source document's, whose command this pack does not have."""
INDEX_LIMIT = 4_000_000
"""Bytes above which an index is not read: it is derived, and so many releases nobody has."""
_USELESS = 1_000
"""Lines without use after which the rest of an index is not read."""
_TOLD = 5


def index_record(release: Release) -> ReleaseRecord:
    """A release as a line of the index."""
    return {
        "id": release["id"],
        "taxonomy": release["taxonomy"],
        "title": release["title"],
        "time": {"start": release["start"], "end": release["end"]},
        "confidence": release["confidence"],
        "source": release["source"],
        "url": release["url"],
        "summary": release["summary"],
    }


def _index_bytes(releases: Iterable[Release]) -> bytes:
    return b"".join(records.encode(index_record(release)) + b"\n" for release in releases)


class Rebuilt:
    """What a rebuilt index holds.

    Attributes:
        new: how many releases were not in it before.
        total: how many there are.
        warnings: one sentence for each entry that was left out.
    """

    __slots__ = ("new", "total", "warnings")

    def __init__(self, new: int, total: int, warnings: list[str]) -> None:
        self.new = new
        self.total = total
        self.warnings = warnings


def rebuild_index(tx: Transaction) -> Rebuilt:
    """Derive the index from the entries; an index that is right already is not written.

    Raises:
        StoreFailure: an entry cannot be read; the index stays as it is.
    """
    releases, warnings = load_releases(tx, complete=True)
    return Rebuilt(write_index(tx, releases), len(releases), warnings)


def write_index(tx: Transaction, releases: list[Release]) -> int:
    """Write the index of all releases, in the order that they have; return how many were not in it before."""
    rel = layout_of(tx).chronicle_index
    before = tx.read(rel)
    after = _index_bytes(releases)
    if before != after:
        tx.write(rel, after)
    readable = before if before and len(before) <= INDEX_LIMIT else b""
    known = {str(line.record.get("id")) for line in records.scan(readable) if line.record}
    return sum(release["id"] not in known for release in releases)


def index_is_current(ws: Workspace, releases: list[Release]) -> bool:
    """Whether the index is exactly what the entries give."""
    return ws.read(layout_of(ws).chronicle_index) == _index_bytes(releases)


def load_index(ws: Workspace) -> tuple[list[ReleaseRecord] | None, list[str]]:
    """The index's releases by start, and a warning for each of the first lines without use.

    None where there is no index, or one that is too large to be ours; of the latter the warning tells.
    """
    rel = layout_of(ws).chronicle_index
    try:
        data = ws.read(rel, INDEX_LIMIT)
    except Malformed as error:
        return None, [f"{error.message}; no release is told of"]
    if data is None:
        return None, []
    found: list[ReleaseRecord] = []
    useless: list[records.Line] = []
    for line in records.scan(data):
        record = _usable(line.record) if line.record else None
        if record:
            found.append(record)
        else:
            useless.append(line)
        if len(useless) > _USELESS:
            break
    found.sort(key=lambda record: (record["time"]["start"], record["id"]))
    return found, _index_warnings(rel, useless)


def _index_warnings(rel: str, useless: list[records.Line]) -> list[str]:
    bad = [line for line in useless if line.record or line.reason]
    told = [
        f"{rel}: line {line.number}: {line.reason or 'no id or no readable time.start'}; the line is left out"
        for line in bad[:_TOLD]
    ]
    if len(bad) > _TOLD:
        told.append(f"{rel}: {len(bad) - _TOLD} more lines are left out")
    if len(useless) > _USELESS:
        told.append(f"{rel}: what follows line {useless[-1].number} is not read")
    return told


def _usable(record: dict[str, Any]) -> ReleaseRecord | None:
    """A line of the index made safe to show, or None: anybody may have edited the file."""
    start = parse_instant(text_at(record.get("time"), "start"))
    name = one_line(str(record.get("id") or ""), ID_LENGTH)
    if start is None or not name:
        return None
    return {
        "id": name,
        "taxonomy": clean_line(str(record.get("taxonomy") or "")),
        "title": title_line(str(record.get("title") or "")) or name,
        "time": {"start": stamp(start), "end": text_at(record.get("time"), "end")},
        "confidence": str(record["confidence"]) if record.get("confidence") else None,
        "source": clean_line(str(record.get("source") or "")),
        "url": clean_line(str(record["url"])) if record.get("url") else None,
        "summary": summary_line(str(record.get("summary") or "")),
    }


# --- asking it --------------------------------------------------------------------------------------------------------


def feedback_day(last_enriched: str | None, today: date) -> date:
    """The day to look around: of the canvas's last enrichment where it has a readable one, else today."""
    instant = parse_instant(last_enriched)
    return instant.date() if instant else today


def near(index: Iterable[ReleaseRecord], around: date, window_days: int) -> list[ReleaseRecord]:
    """The releases at most so many days before or after a UTC day, both ends included."""
    first, last = _day(around, -window_days), _day(around, window_days)
    return [record for record in index if first <= record["time"]["start"][:DAY_LENGTH] <= last]


def _day(around: date, days: int) -> str:
    """A day so many days away as text, within what a calendar holds; starts are spelled alike, so they compare."""
    ordinal = around.toordinal() + days
    return around.fromordinal(min(max(ordinal, around.min.toordinal()), around.max.toordinal())).isoformat()


def query(ws: Workspace, around: str, window_days: int) -> list[ReleaseRecord]:
    """The releases around a day, from the index.

    Raises:
        WrongInput: ``around`` is no date, or the window is negative.
        Negative: there is no index.
    """
    instant = parse_instant(around)
    if instant is None:
        raise WrongInput(f"--around is {clean_line(around)[:80]!r}; expected a date or an ISO 8601 instant", AS_A_DATE)
    if window_days < 0:
        raise WrongInput(f"--window is {window_days}; expected 0 or more days", "Use for example --window 14.")
    index, warnings = load_index(ws)
    if index is None:
        reason = warnings[0] if warnings else "the chronicle has no index yet"
        raise Negative(reason, "Derive it from the entries: chronicle.py rebuild")
    return near(index, instant.date(), window_days)


def summary_text(index: Iterable[ReleaseRecord] | None, around: date, window_days: int) -> str:
    """What a prompt says of the releases around a day: a line each, or one of two fixed sentences (step 2g.6).

    Args:
        index: what ``load_index`` gave; None where there is no index.
        around: a UTC day.
        window_days: days to both sides.
    """
    if index is None:
        return NO_INDEX
    return "\n".join(map(release_line, near(index, around, window_days))) or NONE_NEAR


def release_line(record: ReleaseRecord) -> str:
    """A release as one line."""
    text = f"- {record['time']['start'][:10]} {record['id']}: {record['title']}"
    return f"{text}. {record['summary']}" if record["summary"] and record["summary"] != record["title"] else text
