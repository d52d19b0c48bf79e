"""Recovery: what killed processes left is completed or undone, under their locks (see ``journal``)."""

from __future__ import annotations

import os

from mindloop.store import atomic, lock, reach, scopes
from mindloop.store.errors import Busy, StoreFailure
from mindloop.store.journal import appended_to, fits, forget, in_order, kept_as, read, sync_folders, target, temporary
from mindloop.store.journal_files import COMMITTED, INTENT, folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from mindloop.store.journal import Entry


def recover_named(root: str, names: Iterable[str], timeout: float) -> list[str]:
    """Complete or undo what killed processes left, wherever their locks are free.

    Args:
        root: the workspace.
        names: of journals (``journal_files.pending``).
        timeout: seconds to wait for the locks of each journal; with 0, journals of live transactions are passed over.

    Returns:
        One sentence for each journal dealt with.

    Raises:
        StoreFailure: a committed change cannot be completed (read-only, full).
        Busy: only when ``timeout`` is above 0.
    """
    notes = [_recover_one(root, name, timeout) for name in names]
    return [note for note in notes if note]


def _recover_one(root: str, name: str, timeout: float) -> str | None:
    needed = needed_scopes(root, name)
    if needed is None:
        return None
    if any(lock.is_held_here(scopes.lock_path(root, scope)) for scope in needed):
        return None  # the live transaction is our own
    locks = scopes.Locks(root, needed, "recovery")
    try:
        locks.take(timeout)
    except Busy:
        if timeout > 0:
            raise
        return None
    except StoreFailure:
        if name.endswith(INTENT):
            return None  # the old state stands; a reader of a read-only folder has no part in tidying up
        raise
    try:
        return finish(root, name, needed)
    finally:
        locks.free()


def needed_scopes(root: str, name: str) -> tuple[str, ...] | None:
    """Return the scopes whose locks say whether a journal's process lives; None when the journal is gone."""
    content = read(root, name)
    return None if content is None else content[0]


def finish(root: str, name: str, held: tuple[str, ...]) -> str | None:
    """Complete or undo one journal of a dead process, whose scopes the caller holds. May be repeated.

    What names other things than files of the workspace is left alone; the journal is kept and reported.

    Returns:
        What was done, or None when the journal is gone or needs more scopes than ``held``.
    """
    content = read(root, name)
    if content is None or not set(content[0]) <= set(held):
        return None
    entries = content[1]
    ours: list[Entry] = []
    lost: list[Entry] = []
    for entry in entries:
        (ours if reach.may_recover(root, entry["path"]) else lost).append(entry)
    if name.endswith(INTENT):
        return _undo(root, name, ours, lost)
    lost += [entry for entry in in_order(ours) if not _redo(root, entry)]
    sync_folders(root, [entry for entry in ours if os.path.isdir(os.path.dirname(target(root, entry["path"])))])
    if lost or not entries:
        return f"could not complete a change of {_files(lost) if lost else '(unreadable)'}: {_keep(root, name)}"
    forget(root, name.removesuffix(COMMITTED))
    return f"completed an interrupted change of {_files(entries)}"


def _undo(root: str, name: str, ours: list[Entry], lost: list[Entry]) -> str:
    for entry in ours:
        if entry["do"] == "write":
            atomic.remove(temporary(root, entry))
    if lost:
        return f"could not undo a change of {_files(lost)}: {_keep(root, name)}"
    atomic.remove(os.path.join(folder(root), name))
    return f"undid an unfinished change of {_files(ours)}"


def _keep(root: str, name: str) -> str:
    kept = kept_as(root, name)
    atomic.rename(os.path.join(folder(root), name), os.path.join(folder(root), kept))
    return f"kept as {kept}"


def _files(entries: list[Entry]) -> str:
    paths = [entry["path"] for entry in entries]
    names = [path if path.isprintable() else ascii(path) for path in paths]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "") or "nothing"


def _redo(root: str, entry: Entry) -> bool:
    """Apply one part again; False when neither its temporary file nor its result is there."""
    path = target(root, entry["path"])
    if entry["do"] == "append":
        return _redo_append(path, entry)
    if entry["do"] == "remove":
        if fits(atomic.read_file(path), entry):
            atomic.remove(path)
        return True
    if fits(atomic.read_file(temporary(root, entry)), entry):
        return atomic.publish(path)
    return fits(atomic.read_file(path), entry)


def _redo_append(path: str, entry: Entry) -> bool:
    now = atomic.read_file(path)
    then = appended_to(now, entry)
    if now is None or then is None:
        return False
    kept = len(now) if then.startswith(now) else entry["at"]
    if kept < len(now):
        atomic.truncate(path, kept)
    if kept < len(then):
        atomic.append_at(path, kept, then[kept:])
    return True
