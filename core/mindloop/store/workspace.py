"""The workspace: where it is, what may be read, and the door to changing it.

This module is imported by every command; the slow libraries come in only where they are used.
"""

from __future__ import annotations

import os
import stat

from mindloop.store import atomic, disk, overlay, reach
from mindloop.store.errors import WrongInput
from mindloop.store.journal_files import pending
from mindloop.store.locate import check_schema, find_root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Self

    from mindloop.store.long_lock import LongLock
    from mindloop.store.settings import Settings
    from mindloop.store.transaction import Transaction


class Workspace:
    """A folder with a ``mindloop.yaml``.

    Args:
        root: the folder; it is not checked and not created here.

    Attributes:
        root: its real path.
        is_in_memory: whether changes stay in memory (``--dry-run``).
        overlay: what an in-memory workspace changed so far; None for a removed file.
    """

    __slots__ = ("_settings", "is_in_memory", "overlay", "root")

    def __init__(self, root: str) -> None:
        self.root = os.path.realpath(root)
        self.is_in_memory = False
        self.overlay: dict[str, bytes | None] = {}
        self._settings: Settings | None = None

    @classmethod
    def find(cls, start: str | None = None, env: Mapping[str, str] = os.environ) -> Self:
        """Find the workspace: ``MINDLOOP_ROOT``, else upwards, else the main checkout of a git worktree.

        Raises:
            NoWorkspace: there is none; nothing was created.
            NewerSchema: it was made by a later version.
        """
        root = find_root(start, env)
        check_schema(root)
        return cls(root)

    @property
    def settings(self) -> Settings:
        """The settings of ``mindloop.yaml`` over the shipped defaults, read once."""
        if self._settings is None:
            from mindloop.store.settings import load_settings  # imports yaml

            self._settings = load_settings(self.read_text)
        return self._settings

    def in_memory(self) -> Workspace:
        """Return a twin whose changes stay in memory: no lock is taken, no byte on the disk changes."""
        twin = Workspace(self.root)
        twin.is_in_memory = True
        twin.overlay = dict(self.overlay)
        return twin

    def transaction(self, *scopes: str, timeout: float | None = None) -> Transaction:
        """Return a transaction over some scopes, to be used in a ``with`` statement.

        Args:
            scopes: ``world``, ``research``, ``agent:<name>``, ``user:<slug>``; named in any order.
            timeout: seconds to wait for the locks; default 10 or ``MINDLOOP_LOCK_TIMEOUT``.
        """
        from mindloop.store.transaction import Transaction  # most commands only read

        return Transaction(self, scopes, timeout)

    def hold(self, name: str, what: str) -> LongLock:
        """Return a lock for minutes, to be used in a ``with`` statement; no transaction ever waits for it.

        Args:
            name: what there is one of in a workspace: ``driver``.
            what: what this process does, named to those who are refused (``Busy``).
        """
        from mindloop.store.long_lock import LongLock
        from mindloop.store.scopes import LOCKS, long_lock_path

        reach.require(self.root, LOCKS)
        return LongLock(long_lock_path(self.root, name), what)

    def recover(self) -> list[str]:
        """Complete or undo what killed processes left; called by commands that read. Returns what was done."""
        names = [] if self.is_in_memory else pending(self.root)
        if not names:
            return []
        from mindloop.store.recovery import recover_named

        return recover_named(self.root, names, timeout=0.0)

    # --- paths ------------------------------------------------------------------------------------------------------

    def key(self, rel: str) -> str:
        """Return a relative path in its one spelling.

        Raises:
            WrongInput: the path is absolute, empty, climbs with ``..`` or holds a NUL.
        """
        parts = [part for part in rel.split("/") if part not in ("", ".")]
        if rel.startswith("/") or "\0" in rel or ".." in parts or not parts or os.path.isabs(rel):
            raise WrongInput(f"{rel!r} is no path inside the workspace", "Use a relative path without `..`.")
        return "/".join(parts)

    def path(self, rel: str) -> str:
        """Return the absolute path of a file of the workspace (``key`` says what is refused)."""
        return os.path.join(self.root, *self.key(rel).split("/"))

    # --- reading; takes no lock -------------------------------------------------------------------------------------

    def read(self, rel: str, limit: int | None = None) -> bytes | None:
        """Return the bytes of a file, or None where there is none.

        Raises:
            Malformed: it is no file, or has more than ``limit`` bytes (then it is not read).
            StoreFailure: the system refuses.
        """
        key = self.key(rel)
        if key not in self.overlay:
            return atomic.read_file(self.path(key), limit)
        return overlay.limited(rel, self.overlay[key], limit)

    def read_start(self, rel: str, size: int) -> bytes | None:
        """Return the first bytes of a file, at most ``size``, or None; however large it is, no more is read.

        Raises:
            StoreFailure: the system refuses.
        """
        key = self.key(rel)
        if key not in self.overlay:
            return atomic.read_start(self.path(key), size)
        data = self.overlay[key]
        return None if data is None else data[:size]

    def read_text(self, rel: str, limit: int | None = None) -> str | None:
        """Return the text of a file, or None where there is none; a byte order mark and line ends are kept.

        Raises:
            Malformed: the bytes are not UTF-8, or see ``read``.
        """
        return overlay.decoded(rel, self.read(rel, limit))

    def exists(self, rel: str) -> bool:
        """Tell whether a file or folder is there.

        Raises:
            Unreadable: the system does not let us look, so nobody knows.
        """
        key = self.key(rel)
        if key in self.overlay:
            return self.overlay[key] is not None
        return disk.status(self.path(key)) is not None or overlay.any_under(self.overlay, key)

    def is_dir(self, rel: str) -> bool:
        """Tell whether a folder is there; raises as ``exists`` does."""
        found = disk.status(self.path(rel))
        return (found is not None and stat.S_ISDIR(found.st_mode)) or overlay.any_under(self.overlay, self.key(rel))

    def size(self, rel: str) -> int | None:
        """Return the bytes of a file, or None where there is none."""
        key = self.key(rel)
        if key in self.overlay:
            data = self.overlay[key]
            return None if data is None else len(data)
        found = disk.status(self.path(key))
        return None if found is None else found.st_size

    def names(self, rel_dir: str, suffix: str = "") -> list[str]:
        """Return the sorted names of the files of a folder, without dot files; empty where there is no folder."""
        key = self.key(rel_dir)
        found = [entry.name for entry in _entries(self.path(key)) if entry.name.endswith(suffix) and _is_file(entry)]
        return overlay.names(found, self.overlay, key, suffix)

    def entries(self, rel_dir: str, suffix: str = "") -> list[str]:
        """Return the sorted names of all that a folder holds, folders and links to nowhere too, without dot names."""
        key = self.key(rel_dir)
        found = [entry.name for entry in _entries(self.path(key)) if entry.name.endswith(suffix)]
        return overlay.names(found, self.overlay, key, suffix)

    def tree(self, rel_dir: str, suffix: str = "") -> list[str]:
        """Return the sorted workspace paths of all files under a folder; linked folders are left out."""
        key = self.key(rel_dir)
        return overlay.tree(list(_walk(self.path(key), key, suffix)), self.overlay, key, suffix)

    def folders(self, rel_dir: str) -> list[str]:
        """Return the sorted names of the folders in a folder, without dot folders; empty where there is none."""
        key = self.key(rel_dir)
        found = {entry.name for entry in _entries(self.path(key)) if _is_folder(entry)}
        return overlay.folders(found, self.overlay, key)


def _entries(path: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(path) as entries:
            return [entry for entry in entries if not entry.name.startswith(".")]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise disk.failure(path, "list the folder", error) from error


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:  # a link that points at itself leads to no file
        return False


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _walk(path: str, key: str, suffix: str) -> Iterator[str]:
    for entry in _entries(path):
        rel = f"{key}/{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(entry.path, rel, suffix)
        elif entry.name.endswith(suffix) and _is_file(entry):
            yield rel
