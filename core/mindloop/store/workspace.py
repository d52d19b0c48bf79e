"""The workspace: where it is, what may be read, and the door to changing it.

This module is imported by every command; the slow libraries come in only where they are used.
"""

from __future__ import annotations

import os

from mindloop.store import atomic, journal
from mindloop.store.errors import Malformed, NewerSchema, WrongInput
from mindloop.store.transaction import Transaction, decoded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Self

    from mindloop.store.settings import Settings

MARKER = "mindloop.yaml"
SCHEMA = 1
_MARKER_LIMIT = 1_000_000


class NoWorkspace(WrongInput):
    """There is no workspace where one was looked for; none was created."""


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
        _check_schema(root)
        return cls(root)

    @property
    def settings(self) -> Settings:
        """The settings of ``mindloop.yaml`` over the shipped defaults, read once."""
        if self._settings is None:
            from mindloop.store.settings import load_settings  # noqa: PLC0415 - imports yaml

            self._settings = load_settings(self)
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
        return Transaction(self, scopes, timeout)

    def recover(self) -> list[str]:
        """Complete or undo what killed processes left; called by commands that read. Returns what was done."""
        return [] if self.is_in_memory else journal.recover(self.root)

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
        data = self.overlay[key]
        if data is not None and limit is not None and len(data) > limit:
            raise Malformed(f"{rel}: {len(data)} bytes, at most {limit} are read", "Shorten the file or split it.")
        return data

    def read_text(self, rel: str, limit: int | None = None) -> str | None:
        """Return the text of a file, or None where there is none; a byte order mark and line ends are kept.

        Raises:
            Malformed: the bytes are not UTF-8, or see ``read``.
        """
        return decoded(rel, self.read(rel, limit))

    def exists(self, rel: str) -> bool:
        """Tell whether a file or folder is there."""
        key = self.key(rel)
        if key in self.overlay:
            return self.overlay[key] is not None
        return os.path.exists(self.path(key)) or self._overlaid_under(key)

    def _overlaid_under(self, key: str) -> bool:
        return any(path.startswith(key + "/") for path, data in self.overlay.items() if data is not None)

    def is_dir(self, rel: str) -> bool:
        """Tell whether a folder is there."""
        return os.path.isdir(self.path(rel)) or self._overlaid_under(self.key(rel))

    def is_executable(self, rel: str) -> bool:
        """Tell whether a file is there that this user may run."""
        path = self.path(rel)
        return os.path.isfile(path) and os.access(path, os.X_OK)

    def size(self, rel: str) -> int | None:
        """Return the bytes of a file, or None where there is none."""
        key = self.key(rel)
        if key in self.overlay:
            data = self.overlay[key]
            return None if data is None else len(data)
        try:
            return os.path.getsize(self.path(key))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise atomic.failure(self.path(key), "look at it", error) from error

    def names(self, rel_dir: str, suffix: str = "") -> list[str]:
        """Return the sorted names of the files of a folder, without dot files; empty where there is no folder."""
        key = self.key(rel_dir)
        found = [entry.name for entry in _entries(self.path(key)) if entry.name.endswith(suffix) and _is_file(entry)]
        return overlaid_names(found, self.overlay, key, suffix)

    def tree(self, rel_dir: str, suffix: str = "") -> list[str]:
        """Return the sorted workspace paths of all files under a folder; linked folders are left out."""
        key = self.key(rel_dir)
        return overlaid_tree(list(_walk(self.path(key), key, suffix)), self.overlay, key, suffix)

    def folders(self, rel_dir: str) -> list[str]:
        """Return the sorted names of the folders in a folder, without dot folders; empty where there is none."""
        key = self.key(rel_dir)
        found = {entry.name for entry in _entries(self.path(key)) if _is_folder(entry)}
        return overlaid_folders(found, self.overlay, key)


def _entries(path: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(path) as entries:
            return [entry for entry in entries if not entry.name.startswith(".")]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise atomic.failure(path, "list the folder", error) from error


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


def overlaid_names(found: list[str], overlay: Mapping[str, bytes | None], key: str, suffix: str) -> list[str]:
    """Return file names of a folder after staged writes and removals."""
    paths = overlaid_tree([f"{key}/{name}" for name in found], overlay, key, suffix)
    names = (path[len(key) + 1 :] for path in paths)
    return [name for name in names if "/" not in name]


def overlaid_folders(found: set[str], overlay: Mapping[str, bytes | None], key: str) -> list[str]:
    """Return folder names of a folder after staged writes; a folder whose files are all removed stays."""
    inside = (path[len(key) + 1 :] for path, data in overlay.items() if data is not None and path.startswith(key + "/"))
    staged = {rest.partition("/")[0] for rest in inside if "/" in rest and not rest.startswith(".")}
    return sorted(found | staged)


def overlaid_tree(found: list[str], overlay: Mapping[str, bytes | None], key: str, suffix: str) -> list[str]:
    """Return relative paths under a folder after staged writes and removals."""
    paths = set(found)
    for path, data in overlay.items():
        inside = path.startswith(key + "/") and path.endswith(suffix) and "/." not in path[len(key) :]
        if inside and data is not None:
            paths.add(path)
        elif inside:
            paths.discard(path)
    return sorted(paths)


# --- where it is ------------------------------------------------------------------------------------------------------


def find_root(start: str | None = None, env: Mapping[str, str] = os.environ) -> str:
    """Return the folder of the workspace, whatever is in its ``mindloop.yaml`` (see ``Workspace.find``).

    Raises:
        NoWorkspace: there is none; nothing was created.
    """
    named = env.get("MINDLOOP_ROOT")
    return _from_env(named) if named else _search(os.path.realpath(start or os.getcwd()))


def _is_root(path: str) -> bool:
    return os.path.isfile(os.path.join(path, MARKER))


def _from_env(named: str) -> str:
    root = os.path.realpath(named)
    if not _is_root(root):
        raise NoWorkspace(
            f"MINDLOOP_ROOT is {named!r}, but there is no {MARKER} in it", "Correct it, or run `mindloop init` there."
        )
    return root


def _search(start: str) -> str:
    for folder in _upwards(start):
        if _is_root(folder):
            return folder
    main = _main_checkout(start)
    if main is None:
        raise NoWorkspace(
            f"no {MARKER} in {start} or above it",
            "Go to a workspace, set MINDLOOP_ROOT, or create one with `mindloop init`.",
        )
    return main


def _upwards(start: str) -> Iterator[str]:
    while True:
        yield start
        parent = os.path.dirname(start)
        if parent == start:
            return
        start = parent


def _main_checkout(start: str) -> str | None:
    """Return the workspace in the main checkout, when ``start`` lies in a git worktree of it.

    The same sub-folder is tried first, then the folders above it up to the top of the checkout.
    """
    top = next((folder for folder in _upwards(start) if os.path.isfile(os.path.join(folder, ".git"))), None)
    if top is None:
        return None
    main = _main_of(top)
    if main is None:
        return None
    for folder in _upwards(start):
        candidate = os.path.normpath(os.path.join(main, os.path.relpath(folder, top)))
        if _is_root(candidate):
            return candidate
        if folder == top:
            return None
    return None


def _main_of(top: str) -> str | None:
    """Follow a worktree's ``.git`` file to the main checkout: gitdir, then commondir, then its parent."""
    pointer = _first_line(os.path.join(top, ".git"))
    if pointer is None or not pointer.startswith("gitdir:"):
        return None
    gitdir = os.path.join(top, pointer.removeprefix("gitdir:").strip())
    common = _first_line(os.path.join(gitdir, "commondir"))
    if common is None:
        return None
    shared = os.path.realpath(os.path.join(gitdir, common))
    return os.path.dirname(shared) if os.path.basename(shared) == ".git" else None


def _first_line(path: str) -> str | None:
    data = atomic.read_file(path, 10_000)
    return None if not data else os.fsdecode(data.split(b"\n", 1)[0]).strip()


def _check_schema(root: str) -> None:
    """Refuse a workspace of a later version, without a YAML parser: the line begins with ``schema:``."""
    path = os.path.join(root, MARKER)
    for line in (atomic.read_file(path, _MARKER_LIMIT) or b"").splitlines():
        if line.startswith(b"schema:"):
            number = line.removeprefix(b"schema:").split(b"#")[0].strip(b" \t'\"")
            if number.isdigit() and int(number) > SCHEMA:
                raise NewerSchema(
                    f"{path}: schema {int(number)} is of a later version of mindloop; this one reads {SCHEMA}",
                    "Update mindloop. Nothing was changed.",
                )
