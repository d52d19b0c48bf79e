"""The commit of a change: intent, preparation, commit point, application (see ``journal``)."""

from __future__ import annotations

import os

from mindloop.store import atomic, reach, scopes
from mindloop.store.errors import StoreFailure
from mindloop.store.journal import appended, forget, in_order, sync_folders, target, temporary
from mindloop.store.journal_files import COMMITTED, FOLDER, INTENT, folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from mindloop.store.journal import Entry

_counter = 0


def commit(root: str, held: tuple[str, ...], entries: list[Entry], contents: dict[str, bytes]) -> None:
    """Make a change: all of it or none of it.

    Args:
        root: the workspace.
        held: the scopes whose locks the caller holds.
        entries: the parts of the change.
        contents: the next bytes of each file of a write entry, by path.

    Raises:
        StoreFailure: the disk refused. Nothing was changed, or the message says that the rest follows.
    """
    if len(entries) == 1 and entries[0]["do"] == "remove":
        _remove(target(root, entries[0]["path"]))
        return
    name = _write_intent(root, held, entries)
    try:
        _prepare(root, contents)
        if len(entries) == 1 and entries[0]["do"] == "write":
            _publish(root, entries[0])
            sync_folders(root, entries)
            atomic.remove(os.path.join(folder(root), name + INTENT))
            return
        _make_durable(root, name)
    except BaseException:
        _abandon(root, name, entries)
        raise
    _apply_committed(root, name, entries)


def _remove(path: str) -> None:
    if atomic.remove(path):
        atomic.fsync_dir(os.path.dirname(path))


def _write_intent(root: str, held: tuple[str, ...], entries: list[Entry]) -> str:
    import json  # only writers need it

    global _counter  # noqa: PLW0603 - one number for each journal of this process
    text = json.dumps({"version": 1, "scopes": list(held), "pid": os.getpid(), "entries": entries})
    reach.require(root, FOLDER)
    atomic.make_dirs(folder(root))
    while True:
        _counter += 1
        name = f"{scopes.file_name(held[0])}~{os.getpid()}-{_counter}"
        path = os.path.join(folder(root), name)
        if os.path.exists(path + COMMITTED):
            continue
        try:
            atomic.write_new(path + INTENT, text.encode(), sync=False, exclusive=True)
        except FileExistsError:
            continue  # left by a process that had our number before a restart of the machine
        except StoreFailure:
            atomic.discard(path + INTENT)
            raise
        return name


def _prepare(root: str, contents: dict[str, bytes]) -> None:
    for rel, data in contents.items():
        path = target(root, rel)
        atomic.make_dirs(os.path.dirname(path))
        atomic.prepare(path, data)


def _make_durable(root: str, name: str) -> None:
    path = os.path.join(folder(root), name)
    atomic.sync_file(path + INTENT)
    atomic.rename(path + INTENT, path + COMMITTED)
    atomic.fsync_dir(folder(root))


def _abandon(root: str, name: str, entries: Iterable[Entry]) -> None:
    """Take back a change that was not committed; what cannot be removed now is found by the next transaction."""
    path = os.path.join(folder(root), name)
    if os.path.exists(path + COMMITTED):
        try:
            atomic.rename(path + COMMITTED, path + INTENT)
        except StoreFailure:
            return  # still committed: the next transaction completes it
    if _discard_temporaries(root, entries):
        atomic.discard(path + INTENT)


def _discard_temporaries(root: str, entries: Iterable[Entry]) -> bool:
    """Remove the temporary files of a change; False when one stays, and with it the intent that names it."""
    names = [temporary(root, entry) for entry in entries if entry["do"] == "write"]
    return all([atomic.discard(name) for name in names])  # noqa: C419 - every one is tried


def _apply_committed(root: str, name: str, entries: list[Entry]) -> None:
    done: list[Entry] = []
    try:
        for entry in in_order(entries):
            _apply(root, entry)
            done.append(entry)
    except StoreFailure as error:
        if any(entry["do"] != "append" for entry in done) or not _take_back(root, name, entries):
            hint = "The change is recorded; the next command completes it."
            raise StoreFailure(error.message, f"{error.hint} {hint}") from error
        raise
    sync_folders(root, entries)
    forget(root, name)


def _take_back(root: str, name: str, entries: list[Entry]) -> bool:
    """Cut finished appends off again; False when that fails too and the journal has to stay."""
    try:
        if not all([_cut_back(root, entry) for entry in entries if entry["do"] == "append"]):  # noqa: C419 - each
            return False
    except StoreFailure:
        return False
    _abandon(root, name, entries)
    return not os.path.exists(os.path.join(folder(root), name + COMMITTED))


def _cut_back(root: str, entry: Entry) -> bool:
    path = target(root, entry["path"])
    rest = (atomic.read_file(path) or b"")[entry["at"] :]
    if not appended(entry).startswith(rest):
        return False  # another program wrote behind it: nothing of theirs is cut off
    if rest:
        atomic.truncate(path, entry["at"])
    return True


def _apply(root: str, entry: Entry) -> None:
    path = target(root, entry["path"])
    if entry["do"] == "append":
        atomic.append_at(path, entry["at"], appended(entry))
    elif entry["do"] == "write":
        _publish(root, entry)
    else:
        atomic.remove(path)


def _publish(root: str, entry: Entry) -> None:
    path = target(root, entry["path"])
    if not atomic.publish(path):
        raise StoreFailure(f"{path}: its temporary file is gone", "Run nothing that deletes dot files meanwhile.")
