"""One change of the workspace: what it reads, what it stages, and its commit."""

from __future__ import annotations

import os
import sys
import time

from mindloop.store import journal_files, overlay, reach
from mindloop.store.scopes import Locks, default_timeout, ordered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import TracebackType
    from typing import Protocol, Self

    from mindloop.store.files import Files
    from mindloop.store.settings import Settings

    class Base(Files, Protocol):
        """The workspace below a transaction."""

        root: str
        is_in_memory: bool
        overlay: dict[str, bytes | None]

        def key(self, rel: str) -> str:
            """Return a relative path in its one spelling."""


class Transaction:
    """Staged changes under the locks of some scopes; ``with ws.transaction("research") as tx``.

    A clean exit commits everything; an exception leaves every file as it was. Reads see what was staged.
    Made by ``Workspace.transaction``.

    Attributes:
        workspace: the workspace being changed.
        scopes: the locked scopes, in order.
    """

    __slots__ = ("_appended", "_locks", "_open", "_pid", "_timeout", "_written", "scopes", "workspace")

    def __init__(self, workspace: Base, scopes: tuple[str, ...], timeout: float | None = None) -> None:
        self.workspace = workspace
        self.scopes = ordered(scopes)
        self._timeout = timeout
        self._locks: Locks | None = None
        self._written: dict[str, bytes | None] = {}  # None: removed
        self._appended: dict[str, list[bytes]] = {}
        self._open = False
        self._pid = 0

    def __enter__(self) -> Self:
        if not self.scopes:
            raise RuntimeError("a transaction needs at least one scope")
        if not self.workspace.is_in_memory:
            self._lock(default_timeout() if self._timeout is None else self._timeout)
        self._open = True
        self._pid = os.getpid()
        return self

    def _lock(self, timeout: float) -> None:
        """Take the locks, and first complete or undo what killed holders of them left."""
        root = self.workspace.root
        end = time.monotonic() + timeout
        locks = Locks(root, self.scopes, _command())
        while True:
            locks.take(max(end - time.monotonic(), 0.0))
            try:
                wider = self._recover_under_own_locks()
            except BaseException:
                locks.free()
                raise
            if not wider:
                self._locks = locks
                return
            # A dead journal spans scopes that are not ours. Our locks are freed first: the order of locks is fixed.
            locks.free()
            from mindloop.store import recovery

            _tell(recovery.recover_named(root, wider, max(end - time.monotonic(), 0.001)))

    def _recover_under_own_locks(self) -> list[str]:
        """Deal with journals inside our scopes; return those that overlap ours and reach beyond."""
        root = self.workspace.root
        wider: list[str] = []
        names = journal_files.pending(root)
        if not names:
            return wider
        from mindloop.store import recovery

        for name in names:
            needed = recovery.needed_scopes(root, name)
            if needed is None or not set(needed) & set(self.scopes):
                continue
            if set(needed) <= set(self.scopes):
                _tell([recovery.finish(root, name, self.scopes)])
            else:
                wider.append(name)
        return wider

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open = False
        try:
            if kind is None:
                self._commit()
        finally:
            if self._locks is not None:
                self._locks.free()

    def _commit(self) -> None:
        if self._pid != os.getpid():
            raise RuntimeError("a forked child may not commit its parent's transaction")
        if self.workspace.is_in_memory:
            self._commit_in_memory()
            return
        if not self._written and not self._appended:
            return
        from mindloop.store import commit, journal  # a change that turns out to be none needs neither

        root = self.workspace.root
        contents = {rel: data for rel, data in self._written.items() if data is not None}
        entries = [journal.write_entry(rel, data) for rel, data in contents.items()]
        removed = [journal.remove_entry(root, rel) for rel, data in self._written.items() if data is None]
        entries += [entry for entry in removed if entry is not None]
        entries += [journal.append_entry(root, rel, b"".join(lines)) for rel, lines in self._appended.items()]
        if entries:
            commit.commit(root, self.scopes, entries, contents)

    def _commit_in_memory(self) -> None:
        for rel in self._appended:
            self.workspace.overlay[rel] = self.read(rel)
        self.workspace.overlay.update(self._written)

    # --- changing ---------------------------------------------------------------------------------------------------

    def write(self, rel: str, data: str | bytes) -> None:
        """Stage the whole next content of a file; text is written as UTF-8.

        Raises:
            Malformed: the text holds half of a surrogate pair, or a link leads out of the workspace (``append`` and
                ``remove`` refuse that too).
        """
        key = self._key(rel)
        self._written[key] = overlay.encoded(rel, data)
        self._appended.pop(key, None)

    def append(self, rel: str, data: bytes) -> None:
        """Stage whole lines at the end of a file; the last newline may be left out."""
        key = self._key(rel)
        lines = data if data.endswith(b"\n") or not data else data + b"\n"
        if key in self._written or not self.workspace.exists(key):
            present = self._staged(key) or b""
            self._written[key] = (present if not present or present.endswith(b"\n") else present + b"\n") + lines
        elif lines:
            self._appended.setdefault(key, []).append(lines)

    def remove(self, rel: str) -> None:
        """Stage the removal of a file; none there is none removed."""
        key = self._key(rel)
        self._written[key] = None
        self._appended.pop(key, None)

    def _key(self, rel: str) -> str:
        if not self._open:
            raise RuntimeError("the transaction is closed")
        key = self.workspace.key(rel)
        reach.require(self.workspace.root, key)
        return key

    # --- reading, staged changes included ---------------------------------------------------------------------------

    @property
    def settings(self) -> Settings:
        """The settings of the workspace, as they were before this change."""
        return self.workspace.settings

    def read(self, rel: str, limit: int | None = None) -> bytes | None:
        """Return the bytes of a file as they will be after the commit, or None."""
        key = self.workspace.key(rel)
        if key in self._written:
            return overlay.limited(rel, self._written[key], limit)
        data = self.workspace.read(key, limit)
        if data is None or key not in self._appended:
            return data
        heal = b"\n" if data and not data.endswith(b"\n") else b""
        return overlay.limited(rel, data + heal + b"".join(self._appended[key]), limit)

    def _staged(self, key: str) -> bytes | None:
        return self._written[key] if key in self._written else self.workspace.read(key)

    def read_text(self, rel: str, limit: int | None = None) -> str | None:
        """Return the text of a file as it will be after the commit, or None (see ``Workspace.read_text``)."""
        return overlay.decoded(rel, self.read(rel, limit))

    def exists(self, rel: str) -> bool:
        """Tell whether the file, or folder, will be there."""
        key = self.workspace.key(rel)
        if key in self._written:
            return self._written[key] is not None
        return self.workspace.exists(key) or overlay.any_under(self._written, key)

    def is_dir(self, rel: str) -> bool:
        """Tell whether the folder will be there."""
        key = self.workspace.key(rel)
        return self.workspace.is_dir(key) or overlay.any_under(self._written, key)

    def size(self, rel: str) -> int | None:
        """Return the bytes a file will have, or None."""
        key = self.workspace.key(rel)
        if key in self._written or key in self._appended:
            data = self.read(key)
            return None if data is None else len(data)
        return self.workspace.size(key)

    def names(self, rel_dir: str, suffix: str = "") -> list[str]:
        """Return the sorted names of the files of a folder, staged ones included."""
        key = self.workspace.key(rel_dir)
        return overlay.names(self.workspace.names(key, suffix), self._written, key, suffix)

    def folders(self, rel_dir: str) -> list[str]:
        """Return the sorted names of the folders in a folder, staged ones included."""
        key = self.workspace.key(rel_dir)
        return overlay.folders(set(self.workspace.folders(key)), self._written, key)

    def tree(self, rel_dir: str, suffix: str = "") -> list[str]:
        """Return the sorted relative paths of the files under a folder, staged ones included."""
        key = self.workspace.key(rel_dir)
        return overlay.tree(self.workspace.tree(key, suffix), self._written, key, suffix)


def _command() -> str:
    return " ".join(["mindloop" if not sys.argv or not sys.argv[0] else os.path.basename(sys.argv[0]), *sys.argv[1:4]])


def _tell(notes: Iterable[str | None]) -> None:
    for note in notes:
        if note:
            sys.stderr.write(f"note: {note}\n")
