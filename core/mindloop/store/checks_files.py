"""Checks of what lies in the workspace's folders, whoever put it there: kinds of files, leftovers, journals."""

from __future__ import annotations

import os
import stat

from mindloop.store import disk, journal, journal_files, quarantine, reach
from mindloop.store.checkup import ERROR, INFO, WARNING, Finding, guarded
from mindloop.store.digest import sha256_hex
from mindloop.store.errors import MindloopError
from mindloop.store.journal_preview import preview
from mindloop.store.repairs import FinishJournals, Staged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindloop.store.checkup import Examined, Look
    from mindloop.store.transaction import Transaction

PLACES = ("world", "agents", "grimoires", ".mindloop")
LEFTOVERS = ".mindloop/leftovers"
"""Where ``--fix`` puts temporary files that no journal names."""
_FOLDERS = (".mindloop", ".mindloop/locks", journal_files.FOLDER)
_FILE_ENDINGS = (".md", ".yaml", ".json", ".jsonl", ".txt", ".lock")
_NAME_SHOWN = 150  # bytes


class Entry:
    """One name in a folder, as it is and not as what it points at.

    Attributes:
        rel: workspace-relative path.
        kind: ``file``, ``folder``, ``other``, ``loop``, ``dangling`` or ``closed`` (the system refuses).
    """

    __slots__ = ("kind", "rel")

    def __init__(self, rel: str, kind: str) -> None:
        self.rel = rel
        self.kind = kind

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.rel.rpartition("/")[2]


def entries(ws: Examined) -> list[Entry]:
    """Return everything below the folders of a workspace, sorted; linked folders are named and not entered."""
    found = []
    for place in PLACES:
        if os.path.isdir(os.path.join(ws.root, place)):
            found += list(_below(ws.root, place))
    return found


def _below(root: str, rel: str) -> Iterator[Entry]:
    try:
        names = sorted(os.listdir(os.path.join(root, rel)))
    except OSError:
        yield Entry(rel, "closed")
        return
    for name in names:
        path = f"{rel}/{name}"
        entry = Entry(path, _kind(os.path.join(root, path)))
        yield entry
        if entry.kind == "folder" and not os.path.islink(os.path.join(root, path)):
            yield from _below(root, path)


def _kind(path: str) -> str:
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return "dangling"
    except OSError as error:
        import errno

        return "loop" if error.errno == errno.ELOOP else "closed"
    if stat.S_ISDIR(mode):
        return "folder"
    if not stat.S_ISREG(mode):
        return "other"
    return "file" if os.access(path, os.R_OK) else "closed"


def entries_of(look: Look) -> list[Entry]:
    """Return the entries, walked once an examination."""
    return look.once("entries", entries)


# --- kinds ------------------------------------------------------------------------------------------------------------

_KINDS = {
    "loop": (WARNING, "a link that points at itself"),
    "dangling": (WARNING, "a link that points at nothing"),
    "closed": (ERROR, "this user may not read it; check its owner and mode"),
    "other": (WARNING, "neither a file nor a folder; mindloop passes it over"),
}


def check_kinds(look: Look) -> Iterator[Finding]:
    """Report links that lead nowhere, folders in the place of files, and what may not be read."""
    for entry in entries_of(look):
        if entry.kind in _KINDS:
            severity, what = _KINDS[entry.kind]
            yield Finding(severity, entry.rel, None, what)
        elif entry.kind == "folder" and entry.name.endswith(_FILE_ENDINGS):
            yield Finding(ERROR, entry.rel, None, "a folder stands where a file is expected; move it away")


def check_own_folders(look: Look) -> Iterator[Finding]:
    """Report files that stand where mindloop keeps its locks and journals."""
    for rel in _FOLDERS:
        path = look.ws.path(rel)
        if os.path.lexists(path) and not os.path.isdir(path):
            yield Finding(ERROR, rel, None, "a file stands where a folder is needed; move it away")


# --- interrupted changes ----------------------------------------------------------------------------------------------


def check_journals(look: Look) -> Iterator[Finding]:
    """Report changes that are pending; whether their process lives is guessed, since a look takes no lock."""
    for name in journal_files.pending(look.ws.root):
        yield from guarded(f"{journal_files.FOLDER}/{name}", _pending(look.ws.root, name))
    for entry in entries_of(look):
        if not entry.rel.startswith(f"{journal_files.FOLDER}/"):
            continue
        if entry.name.endswith(journal.INCOMPLETE):
            what = "a change that could not be completed was kept; compare the files it names, then remove it"
            yield Finding(WARNING, entry.rel, None, what)
        elif not disk.is_regular(os.path.join(look.ws.root, entry.rel)):
            yield Finding(WARNING, entry.rel, None, "no file of ours among the journals; look at it and move it away")


def _pending(root: str, name: str) -> Iterator[Finding]:
    rel = f"{journal_files.FOLDER}/{name}"
    told = preview(root, name)
    pid = name.rpartition("~")[2].partition("-")[0]
    if _lives(pid):
        yield Finding(INFO, rel, None, f"a change is being made by process {pid}")
        return
    files = [path for path, _, _ in told[1:]]
    verb = "completed" if name.endswith(journal_files.COMMITTED) else "undone"
    if any(path.endswith(journal.INCOMPLETE) for path in files):
        verb = "kept as incomplete"
    shown = ", ".join(files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "") or "no file"
    what = f"an interrupted change ({shown}) will be {verb} by the next command"
    yield Finding(WARNING, rel, None, what, FinishJournals())


def _lives(pid: str) -> bool:
    if os.name != "posix" or not pid.isascii() or not pid.isdigit() or not 0 < int(pid) < 1 << 31:
        return False
    try:
        os.kill(int(pid), 0)  # signal 0 is never delivered; it asks whether the process is there
    except PermissionError:
        return True
    except OSError:
        return False
    return True


# --- leftovers --------------------------------------------------------------------------------------------------------


def check_leftovers(look: Look) -> Iterator[Finding]:
    """Report temporary files that no pending journal names; links are named and left to a person."""
    found = [entry for entry in entries_of(look) if entry.kind == "file" and entry.name.endswith(".tmp")]
    ours = _named_by_journals(look.ws.root)
    for entry in found:
        if entry.rel.startswith((f"{journal_files.FOLDER}/", f"{LEFTOVERS}/")) or entry.rel in ours:
            continue
        path = look.ws.path(entry.rel)
        what = "a temporary file that no change in progress names"
        if os.path.islink(path) or reach.leads_out(look.ws.root, entry.rel):
            yield Finding(WARNING, entry.rel, None, f"{what}, through a link; remove the link if nobody needs it")
        elif os.path.exists(path):  # else its transaction ended while we looked
            yield Finding(WARNING, entry.rel, None, what, _set_leftover_aside(entry.rel))


def _named_by_journals(root: str) -> set[str]:
    found: set[str] = set()
    for name in journal_files.pending(root):
        try:
            found |= {path for path, _, _ in preview(root, name)}
        except MindloopError:
            continue  # reported with the journals
    return found


def _set_leftover_aside(rel: str) -> Staged:
    def stage(tx: Transaction) -> None:
        data = tx.read(rel) if disk.is_regular(os.path.join(tx.workspace.root, rel)) else None
        if data is not None:
            tx.write(_free_name(tx, rel, data), data)
            tx.remove(rel)

    return Staged(f"move {rel} to {LEFTOVERS}/", scopes_of(rel), stage)


def _free_name(tx: Transaction, rel: str, data: bytes) -> str:
    """Where a leftover is kept; what somebody made of an earlier one of that name stays too."""
    name, number = kept_name(rel, data), 1
    while tx.exists(name) and tx.read(name) != data:
        number += 1
        name = f"{kept_name(rel, data)}-{number}"
    return name


def kept_name(rel: str, data: bytes) -> str:
    """Return where a leftover is kept: the same bytes from the same place always under the same name."""
    flat = rel.removesuffix(".tmp").replace("/", "~").encode("utf-8", "backslashreplace")
    return f"{LEFTOVERS}/{sha256_hex(data)}-{flat[-_NAME_SHOWN:].decode('utf-8', 'ignore')}"


def scopes_of(rel: str) -> tuple[str, ...]:
    """Return the locks that guard a path."""
    parts = rel.split("/")
    if parts[0] == "grimoires":
        return ("research", *_user_scope(parts))
    if parts[0] == "agents" and len(parts) > 2 and _plain(parts[1]):
        return (f"agent:{parts[1]}",)
    return ("world",)


def _user_scope(parts: list[str]) -> tuple[str, ...]:
    slug = parts[-1].removeprefix(".").removesuffix(".tmp").partition(".")[0].removesuffix("-canvas")
    return (f"user:{slug}",) if _plain(slug) else ()


def _plain(name: str) -> bool:
    return 0 < len(name) <= 64 and name.isascii() and name.replace("-", "").replace("_", "").isalnum()


def check_kept(look: Look) -> Iterator[Finding]:
    """Mention what earlier repairs moved aside."""
    kept = [entry for entry in entries_of(look) if entry.kind == "file" and entry.rel.startswith(f"{LEFTOVERS}/")]
    if kept:
        yield Finding(INFO, LEFTOVERS, None, f"{len(kept)} temporary files kept; remove them when nobody misses them")
    for entry in entries_of(look):
        if entry.kind == "file" and entry.name.endswith(quarantine.SUFFIX):
            what = "lines that were moved aside; mend and append them again, or remove the file"
            yield Finding(INFO, entry.rel, None, what)


def check_foreign_locks(look: Look) -> Iterator[Finding]:
    """Mention lock files of other tools; ours lie in ``.mindloop/locks`` and are never in the way."""
    for entry in entries_of(look):
        if entry.rel.startswith("grimoires/") and entry.kind == "file" and entry.name.endswith(".lock"):
            yield Finding(INFO, entry.rel, None, "a lock file of another tool; mindloop neither needs nor heeds it")
