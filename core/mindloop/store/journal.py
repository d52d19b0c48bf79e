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

from mindloop.store import atomic, scopes
from mindloop.store.digest import sha256_hex
from mindloop.store.errors import WrongInput
from mindloop.store.journal_files import COMMITTED, INTENT, folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Entry = dict[str, Any]

INCOMPLETE = ".incomplete"


def kept_as(root: str, name: str) -> str:
    """Return the name under which a journal that cannot be dealt with is kept; no other one is replaced."""
    stem = name.removesuffix(INTENT).removesuffix(COMMITTED)
    kept, number = stem + INCOMPLETE, 1
    while os.path.lexists(os.path.join(folder(root), kept)):
        number += 1
        kept = f"{stem}-{number}{INCOMPLETE}"
    return kept


def target(root: str, rel: str) -> str:
    """Return the real path of a workspace-relative file; links are followed."""
    return os.path.realpath(os.path.join(root, rel))


def temporary(root: str, entry: Entry) -> str:
    """Return where the next content of a write entry's file is prepared: beside the file, links followed."""
    return atomic.temporary(target(root, entry["path"]))


# --- the parts of a change ------------------------------------------------------------------------------------------


def write_entry(rel: str, data: bytes) -> Entry:
    """Describe "the file becomes ``data``"."""
    return {"do": "write", "path": rel, "size": len(data), "sha256": sha256_hex(data)}


def remove_entry(root: str, rel: str) -> Entry | None:
    """Describe "the file goes", or None when there is none."""
    data = atomic.read_file(target(root, rel))
    return None if data is None else {"do": "remove", "path": rel, "size": len(data), "sha256": sha256_hex(data)}


def append_entry(root: str, rel: str, data: bytes) -> Entry:
    """Describe "these lines are added"; a torn last line of the file stays a line of its own."""
    import binascii  # built in; only writers need it

    size, last = atomic.end_of(target(root, rel))
    whole = b"\n" + data if last not in (b"", b"\n") else data
    return {"do": "append", "path": rel, "at": size, "data": binascii.b2a_base64(whole, newline=False).decode("ascii")}


def appended(entry: Entry) -> bytes:
    """Return the bytes an append entry adds."""
    import binascii  # built in; only writers need it

    return binascii.a2b_base64(entry["data"])


def fits(data: bytes | None, entry: Entry) -> bool:
    """Tell whether these are the bytes that a write or remove entry speaks of."""
    if data is None or len(data) != entry["size"]:
        return False
    if "sha256" in entry:
        return bool(sha256_hex(data) == entry["sha256"])
    import zlib  # a journal of an earlier version

    return bool(zlib.crc32(data) == entry["crc"])


def appended_to(now: bytes | None, entry: Entry) -> bytes | None:
    """Return a file with the lines of an append entry, whatever part of them it holds already.

    Lines that another program added meanwhile stay, ours follow once. A tail of zero bytes is what a lost write leaves
    and goes. None where the lines have no place: the file is gone, or shorter than it was before them.
    """
    if now is None or len(now) < entry["at"]:
        return None
    lines, rest = appended(entry), now[entry["at"] :]
    if rest.startswith(lines):
        return now
    if lines.startswith(rest) or not rest.strip(b"\0"):
        return now[: entry["at"]] + lines
    if lines.strip(b"\n") in rest:
        return now
    return now + (lines if lines.startswith(b"\n") or rest.endswith(b"\n") else b"\n" + lines)


# --- applying -------------------------------------------------------------------------------------------------------


def in_order(entries: Iterable[Entry]) -> list[Entry]:
    """Return the parts as they are applied: appends, which can still be taken back, come first."""
    order = ("append", "write", "remove")
    return sorted(entries, key=lambda entry: order.index(entry["do"]))


def sync_folders(root: str, entries: Iterable[Entry]) -> None:
    """Make the names that a change created, replaced or removed durable."""
    for path in sorted({os.path.dirname(target(root, e["path"])) for e in entries if e["do"] != "append"}):
        atomic.fsync_dir(path)


def forget(root: str, name: str) -> None:
    """Remove a committed journal whose change is done."""
    atomic.remove(os.path.join(folder(root), name + COMMITTED))
    atomic.fsync_dir(folder(root))


# --- reading a journal ------------------------------------------------------------------------------------------------


def read(root: str, name: str) -> tuple[tuple[str, ...], list[Entry]] | None:
    """Return the scopes and the parts of a journal; None when it is gone.

    A journal that was cut short while it was being written, or holds what mindloop does not write, comes back as the
    first scope of its name and no parts.
    """
    data = atomic.read_file(os.path.join(folder(root), name))
    if data is None:
        return None
    entries = parse_entries(data)
    return (_first_scope(name), []) if entries is None else entries


def _first_scope(name: str) -> tuple[str, ...]:
    try:
        return scopes.ordered([name.partition("~")[0].replace(".", ":", 1)])
    except WrongInput:
        return ("world",)  # mindloop names no journal like that; any lock does


def parse_entries(data: bytes) -> tuple[tuple[str, ...], list[Entry]] | None:
    """Read and check the bytes of a journal; None when they are not one.

    The file may have come with a copied folder. Where its paths lead is judged by ``reach.may_recover``.
    """
    import json

    try:
        content = json.loads(data)
        held, entries = scopes.ordered(content["scopes"]), content["entries"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, WrongInput):
        return None
    good = held and isinstance(entries, list) and all(isinstance(entry, dict) and _is_entry(entry) for entry in entries)
    return (held, entries) if good else None


def _is_entry(entry: Entry) -> bool:
    path, kind = entry.get("path"), entry.get("do")
    if not isinstance(path, str) or not path or "\0" in path or ".." in path.split("/") or os.path.isabs(path):
        return False
    if kind == "append":
        return _is_size(entry.get("at")) and _is_base64(entry.get("data"))
    identity = isinstance(entry["sha256"], str) if "sha256" in entry else _is_size(entry.get("crc"))
    return kind in ("write", "remove") and _is_size(entry.get("size")) and identity


def _is_size(value: object) -> bool:
    return type(value) is int and value >= 0


def _is_base64(value: object) -> bool:
    import binascii

    try:
        return isinstance(value, str) and binascii.a2b_base64(value, strict_mode=True) is not None
    except ValueError:
        return False
