"""What recovery would make of a pending journal, told without changing anything."""

from __future__ import annotations

import os

from mindloop.store import atomic, journal, journal_files, reach
from mindloop.store.journal import appended_to, fits
from mindloop.store.journal_files import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.store.journal import Entry

    Told = list[tuple[str, bytes | None, bytes | None]]


def preview(root: str, name: str) -> Told:
    """Return (path, bytes now, bytes then) for everything that recovery touches; the journal itself comes first.

    Args:
        root: the workspace.
        name: one of ``journal_files.pending``.
    """
    place = f"{FOLDER}/{name}"
    data = atomic.read_file(os.path.join(root, place))
    if data is None:
        return []
    parsed = journal.parse_entries(data)
    entries = parsed[1] if parsed else []
    ours = [entry for entry in entries if reach.may_recover(root, entry["path"])]
    if name.endswith(journal_files.INTENT):
        told: list[Told | None] = [_undone(root, entry) for entry in ours]
    else:
        told = [_completed(root, entry) for entry in journal.in_order(ours)]
    kept: Told = []
    if len(ours) < len(entries) or None in told or (not entries and name.endswith(journal_files.COMMITTED)):
        kept = [(f"{FOLDER}/{journal.kept_as(root, name)}", None, data)]
    return [(place, data, None), *kept, *(one for some in told for one in some or [])]


def _undone(root: str, entry: Entry) -> Told:
    """An unfinished change: its temporary file goes."""
    return _gone(root, entry) if entry["do"] == "write" else []


def _gone(root: str, entry: Entry) -> Told:
    """The temporary file goes; it is not shown where it lies in a folder elsewhere that is the workspace's own."""
    path = journal.temporary(root, entry)
    data = atomic.read_file(path)
    rel = os.path.relpath(path, root)
    return [] if data is None or rel.startswith("..") else [(rel, data, None)]


def _completed(root: str, entry: Entry) -> Told | None:
    """A part of a committed change; None where neither its result nor what is needed for it is there."""
    path = entry["path"]
    now = atomic.read_file(journal.target(root, path))
    if entry["do"] == "append":
        then = appended_to(now, entry)
        return None if then is None else [(path, now, then)]
    if entry["do"] == "remove":
        return [(path, now, None)] if fits(now, entry) else []
    prepared = atomic.read_file(journal.temporary(root, entry))
    if fits(prepared, entry):
        return [(path, now, prepared), *_gone(root, entry)]
    return [] if fits(now, entry) else None
