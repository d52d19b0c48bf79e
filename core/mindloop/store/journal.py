"""The redo journal: a change of several files, or an append, happens whole or not at all.

Life of a transaction's journal, all of it under the locks of its scopes:

1. *Intent.* ``<id>.tmp`` lists every file that will change. It is written in one go before anything else and is not
   synced: it serves to find the temporary files of a killed process.
2. *Preparation.* The next content of each file is written beside it under a temporary name and synced.
3. *Commit point.* The intent is synced, renamed to ``<id>.json``, and the folder is synced.
4. *Application.* Appends first (only they can still find the disk full, and they can be taken back), then renames, then
   removals; each folder is synced.
5. The journal is removed, and its folder synced, before the locks are freed.

A change of one file by rename needs no commit point of its own: the rename is it.

Whoever finds a journal whose locks are free knows that its process is gone: an intent is undone, a committed journal is
applied again. Both may be repeated any number of times with the same result. A live transaction holds its locks from
before step 1 until after step 5, so nobody else touches its journal.
"""

from __future__ import annotations

import os
import zlib

from mindloop.store import atomic, scopes
from mindloop.store.errors import Busy, StoreFailure, WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Entry = dict[str, Any]

INTENT = ".tmp"
COMMITTED = ".json"
INCOMPLETE = ".incomplete"
_counter = 0


def folder(root: str) -> str:
    """Return the folder of the journals."""
    return os.path.join(root, ".mindloop", "journal")


def pending(root: str) -> list[str]:
    """Return the names of all journals, of live and of dead transactions."""
    try:
        names = os.listdir(folder(root))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise atomic.failure(folder(root), "list it", error) from error
    return sorted(name for name in names if name.endswith((INTENT, COMMITTED)) and "~" in name)


def target(root: str, rel: str) -> str:
    """Return the real path of a workspace-relative file; links are followed."""
    return os.path.realpath(os.path.join(root, rel))


# --- the parts of a change ------------------------------------------------------------------------------------------


def write_entry(rel: str, data: bytes) -> Entry:
    """Describe "the file becomes ``data``"."""
    return {"do": "write", "path": rel, "size": len(data), "crc": zlib.crc32(data)}


def remove_entry(root: str, rel: str) -> Entry | None:
    """Describe "the file goes", or None when there is none."""
    data = atomic.read_file(target(root, rel))
    return None if data is None else {"do": "remove", "path": rel, "size": len(data), "crc": zlib.crc32(data)}


def append_entry(root: str, rel: str, data: bytes) -> Entry:
    """Describe "these lines are added"; a torn last line of the file stays a line of its own."""
    import binascii  # noqa: PLC0415 - built in; only writers need it

    path = target(root, rel)
    size, torn = _end(path)
    whole = b"\n" + data if torn else data
    return {"do": "append", "path": rel, "at": size, "data": binascii.b2a_base64(whole, newline=False).decode("ascii")}


def _end(path: str) -> tuple[int, bool]:
    """Return the size of a file and whether its last line lacks its newline."""
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            if not size:
                return 0, False
            file.seek(size - 1)
            return size, file.read(1) != b"\n"
    except OSError as error:
        raise atomic.failure(path, "read its end", error) from error


# --- commit ---------------------------------------------------------------------------------------------------------


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
            _sync_folders(root, entries)
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
    import json  # noqa: PLC0415 - only writers need it

    global _counter  # noqa: PLW0603 - one number for each journal of this process
    text = json.dumps({"version": 1, "scopes": list(held), "pid": os.getpid(), "entries": entries})
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
    names = [atomic.temporary(target(root, entry["path"])) for entry in entries if entry["do"] == "write"]
    return all([atomic.discard(name) for name in names])


def _apply_committed(root: str, name: str, entries: list[Entry]) -> None:
    done: list[Entry] = []
    try:
        for entry in _in_order(entries):
            _apply(root, entry)
            done.append(entry)
    except StoreFailure as error:
        if any(entry["do"] != "append" for entry in done) or not _take_back(root, name, entries):
            hint = "The change is recorded; the next command completes it."
            raise StoreFailure(error.message, f"{error.hint} {hint}".strip()) from error
        raise
    _sync_folders(root, entries)
    _forget(root, name)


def _in_order(entries: Iterable[Entry]) -> list[Entry]:
    order = ("append", "write", "remove")
    return sorted(entries, key=lambda entry: order.index(entry["do"]))


def _take_back(root: str, name: str, entries: list[Entry]) -> bool:
    """Cut finished appends off again; False when that fails too and the journal has to stay."""
    try:
        if not all([_cut_back(root, entry) for entry in entries if entry["do"] == "append"]):
            return False
    except StoreFailure:
        return False
    _abandon(root, name, entries)
    return not os.path.exists(os.path.join(folder(root), name + COMMITTED))


def _cut_back(root: str, entry: Entry) -> bool:
    path = target(root, entry["path"])
    rest = (atomic.read_file(path) or b"")[entry["at"] :]
    if not _data(entry).startswith(rest):
        return False  # another program wrote behind it: nothing of theirs is cut off
    if rest:
        atomic.truncate(path, entry["at"])
    return True


def _apply(root: str, entry: Entry) -> None:
    path = target(root, entry["path"])
    if entry["do"] == "append":
        atomic.append_at(path, entry["at"], _data(entry))
    elif entry["do"] == "write":
        _publish(root, entry)
    else:
        atomic.remove(path)


def _publish(root: str, entry: Entry) -> None:
    path = target(root, entry["path"])
    if not atomic.publish(path):
        raise StoreFailure(f"{path}: its temporary file is gone", "Run nothing that deletes dot files meanwhile.")


def _data(entry: Entry) -> bytes:
    import binascii  # noqa: PLC0415 - built in; only writers need it

    return binascii.a2b_base64(entry["data"])


def _sync_folders(root: str, entries: Iterable[Entry]) -> None:
    for path in sorted({os.path.dirname(target(root, e["path"])) for e in entries if e["do"] != "append"}):
        atomic.fsync_dir(path)


def _forget(root: str, name: str) -> None:
    atomic.remove(os.path.join(folder(root), name + COMMITTED))
    atomic.fsync_dir(folder(root))


# --- recovery -------------------------------------------------------------------------------------------------------


def recover(root: str, timeout: float = 0.0) -> list[str]:
    """Complete or undo what killed processes left, wherever their locks are free.

    Args:
        root: the workspace.
        timeout: seconds to wait for the locks of each journal; with 0, journals of live transactions are passed over.

    Returns:
        One sentence for each journal dealt with.

    Raises:
        StoreFailure: a committed change cannot be completed (read-only, full).
        Busy: only when ``timeout`` is above 0.
    """
    return recover_named(root, pending(root), timeout)


def recover_named(root: str, names: Iterable[str], timeout: float) -> list[str]:
    """Do the same for some journals only."""
    notes = [_recover_one(root, name, timeout) for name in names]
    return [note for note in notes if note]


def _recover_one(root: str, name: str, timeout: float) -> str | None:
    needed = needed_scopes(root, name)
    if needed is None:
        return None
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
    content = _read(root, name)
    if content is None:
        return None
    return scopes.ordered(content["scopes"]) if content else (_first_scope(name),)


def _first_scope(name: str) -> str:
    return name.partition("~")[0].replace(".", ":", 1)


def _read(root: str, name: str) -> dict[str, Any] | None:
    """Return a journal; {} when it was cut short while being written (then it had not done anything yet)."""
    import json  # noqa: PLC0415 - only after a crash, or beside a live writer

    data = atomic.read_file(os.path.join(folder(root), name))
    if data is None:
        return None
    try:
        content = json.loads(data)
        scopes.ordered(content["scopes"])
        content["entries"]
    except (ValueError, KeyError, TypeError, AttributeError, WrongInput):
        return {}
    return content if isinstance(content, dict) else {}


def finish(root: str, name: str, held: tuple[str, ...]) -> str | None:
    """Complete or undo one journal of a dead process, whose scopes the caller holds. May be repeated.

    Returns:
        What was done, or None when the journal is gone or needs more scopes than ``held``.
    """
    content = _read(root, name)
    if content is None or not set(content.get("scopes", ())) <= set(held):
        return None
    path = os.path.join(folder(root), name)
    entries: list[Entry] = content.get("entries", [])
    if name.endswith(INTENT):
        for entry in entries:
            if entry["do"] == "write":
                atomic.remove(atomic.temporary(target(root, entry["path"])))
        atomic.remove(path)
        return f"undid an unfinished change of {_files(entries)}"
    lost = [entry["path"] for entry in _in_order(entries) if not _redo(root, entry)] if content else ["(unreadable)"]
    _sync_folders(root, [entry for entry in entries if os.path.isdir(os.path.dirname(target(root, entry["path"])))])
    if lost:
        atomic.rename(path, path.removesuffix(COMMITTED) + INCOMPLETE)
        return f"could not complete a change of {', '.join(lost)}: kept as {name.removesuffix(COMMITTED)}{INCOMPLETE}"
    _forget(root, name.removesuffix(COMMITTED))
    return f"completed an interrupted change of {_files(entries)}"


def _files(entries: list[Entry]) -> str:
    names = [entry["path"] for entry in entries]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "") or "nothing"


def _redo(root: str, entry: Entry) -> bool:
    """Apply one part again; False when neither its temporary file nor its result is there."""
    path = target(root, entry["path"])
    if entry["do"] == "append":
        return _redo_append(path, entry["at"], _data(entry))
    if entry["do"] == "remove":
        if _is(path, entry):
            atomic.remove(path)
        return True
    if _is(atomic.temporary(path), entry):
        return atomic.publish(path)
    return _is(path, entry)


def _is(path: str, entry: Entry) -> bool:
    """Tell whether a file holds the bytes an entry speaks of."""
    data = atomic.read_file(path)
    return data is not None and len(data) == entry["size"] and zlib.crc32(data) == entry["crc"]


def _redo_append(path: str, at: int, data: bytes) -> bool:
    present = atomic.read_file(path)
    if present is None or len(present) < at:
        return False
    rest = present[at:]
    if rest.startswith(data):
        return True
    if data.startswith(rest) or not rest.strip(b"\0"):
        atomic.append_at(path, at, data)
        return True
    # Another program added lines of its own meanwhile: theirs stay, ours follow once.
    if data.strip(b"\n") not in rest:
        atomic.append_at(path, len(present), data if data.startswith(b"\n") or rest.endswith(b"\n") else b"\n" + data)
    return True
