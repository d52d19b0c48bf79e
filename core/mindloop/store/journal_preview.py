"""What recovery would make of a pending journal, told without changing anything."""

from __future__ import annotations

import os
import zlib

from mindloop.store import atomic, journal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.store.journal import Entry

    Told = list[tuple[str, bytes | None, bytes | None]]

FOLDER = ".mindloop/journal"


def preview(root: str, name: str) -> Told:
    """Return (path, bytes now, bytes then) for everything that recovery touches; the journal itself comes first.

    Args:
        root: the workspace.
        name: one of ``journal.pending``.
    """
    place = f"{FOLDER}/{name}"
    data = atomic.read_file(os.path.join(root, place))
    if data is None:
        return []
    parsed = journal.parse_entries(data)
    entries = parsed[1] if parsed else []
    if name.endswith(journal.INTENT):
        return [(place, data, None), *(one for entry in entries for one in _undone(root, entry))]
    told = [_completed(root, entry) for entry in journal.in_order(entries)]
    kept: Told = []
    if not entries or any(one is None for one in told):
        kept = [(place.removesuffix(journal.COMMITTED) + journal.INCOMPLETE, None, data)]
    return [(place, data, None), *kept, *(one for some in told for one in some or [])]


def _undone(root: str, entry: Entry) -> Told:
    """An unfinished change: its temporary file goes."""
    if entry["do"] != "write":
        return []
    rel = temporary_of(entry["path"])
    data = atomic.read_file(os.path.join(root, rel))
    return [] if data is None else [(rel, data, None)]


def _completed(root: str, entry: Entry) -> Told | None:
    """A part of a committed change; None where neither its result nor what is needed for it is there."""
    path = entry["path"]
    now = atomic.read_file(journal.target(root, path))
    if entry["do"] == "append":
        return None if now is None or len(now) < entry["at"] else [(path, now, _with_lines(now, entry))]
    if entry["do"] == "remove":
        return [(path, now, None)] if _fits(now, entry) else []
    rel = temporary_of(path)
    prepared = atomic.read_file(os.path.join(root, rel))
    if _fits(prepared, entry):
        return [(path, now, prepared), (rel, prepared, None)]
    return [] if _fits(now, entry) else None


def temporary_of(rel: str) -> str:
    """Return the name beside a file under which its next content is prepared."""
    folder, slash, name = rel.rpartition("/")
    return f"{folder}{slash}.{name}.tmp"


def _fits(data: bytes | None, entry: Entry) -> bool:
    return data is not None and len(data) == entry["size"] and zlib.crc32(data) == entry["crc"]


def _with_lines(now: bytes, entry: Entry) -> bytes:
    """The file with the lines of an append; lines that another program added meanwhile stay before them."""
    lines, rest = journal.appended(entry), now[entry["at"] :]
    if rest.startswith(lines):
        return now
    if lines.startswith(rest) or not rest.strip(b"\0"):
        return now[: entry["at"]] + lines
    if lines.strip(b"\n") in rest:
        return now
    return now + (lines if lines.startswith(b"\n") or rest.endswith(b"\n") else b"\n" + lines)
