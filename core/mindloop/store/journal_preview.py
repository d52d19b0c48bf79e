"""What recovery would make of a pending journal, told without changing anything."""

from __future__ import annotations

import os
import zlib

from mindloop.store import atomic, journal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Told = list[tuple[str, bytes | None, bytes | None]]


def preview(root: str, name: str) -> Told | None:
    """Return (path, bytes now, bytes then) for everything that recovery touches.

    Args:
        root: the workspace.
        name: one of ``journal.pending``.

    Returns:
        None where the journal is damaged, so that nobody can tell.
    """
    place = f".mindloop/journal/{name}"
    data = atomic.read_file(os.path.join(root, place))
    if data is None:
        return []
    content = journal.parse_entries(data)
    entries = content[1] if content else None
    committed = name.endswith(journal.COMMITTED)
    if entries is None and committed:
        return None
    told: Told = [(place, data, None)]
    for entry in entries or []:
        told += _completed(root, entry) if committed else _undone(root, entry)
    return told


def _undone(root: str, entry: dict[str, Any]) -> Told:
    """An unfinished change: its temporary file goes."""
    if entry["do"] != "write":
        return []
    rel = temporary_of(entry["path"])
    data = atomic.read_file(os.path.join(root, rel))
    return [] if data is None else [(rel, data, None)]


def _completed(root: str, entry: dict[str, Any]) -> Told:
    """A committed change: it is applied where its parts are still there."""
    path = entry["path"]
    now = atomic.read_file(journal.target(root, path))
    if entry["do"] == "append":
        return [(path, now, _with_lines(now, entry["at"], journal.appended(entry)))]
    if entry["do"] == "remove":
        return [(path, now, None)] if _fits(now, entry) else []
    rel = temporary_of(path)
    prepared = atomic.read_file(os.path.join(root, rel))
    return [(path, now, prepared), (rel, prepared, None)] if _fits(prepared, entry) else []


def temporary_of(rel: str) -> str:
    """Return the name beside a file under which its next content is prepared."""
    folder, slash, name = rel.rpartition("/")
    return f"{folder}{slash}.{name}.tmp"


def _fits(data: bytes | None, entry: dict[str, Any]) -> bool:
    return data is not None and len(data) == entry["size"] and zlib.crc32(data) == entry["crc"]


def _with_lines(now: bytes | None, at: int, lines: bytes) -> bytes | None:
    if now is None or len(now) < at or now[at:].startswith(lines):
        return now
    rest = now[at:]
    if lines.startswith(rest) or not rest.strip(b"\0"):
        return now[:at] + lines
    return now if lines.strip(b"\n") in rest else now + lines
