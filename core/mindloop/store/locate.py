"""Where the workspace is: the environment, the folders above, the main checkout of a git worktree."""

from __future__ import annotations

import os

from mindloop.store import atomic
from mindloop.store.errors import NewerSchema, WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MARKER = "mindloop.yaml"
SCHEMA = 1
MARKER_LIMIT = 1_000_000


class NoWorkspace(WrongInput):
    """There is no workspace where one was looked for; none was created."""


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
            f"MINDLOOP_ROOT is {named!r}, but there is no {MARKER} in it",
            "Correct it, or make a workspace there: init.py",
        )
    return root


def _search(start: str) -> str:
    for folder in _upwards(start):
        if _is_root(folder):
            return folder
    main = _main_checkout(start)
    if main is None:
        from mindloop.store.resources import command  # only for the way out

        raise NoWorkspace(
            f"no {MARKER} in {start} or above it",
            f"Go to a workspace, set MINDLOOP_ROOT, or make one here: {command('init')}",
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


def check_schema(root: str) -> None:
    """Refuse a workspace of a later version, without a YAML parser: the line begins with ``schema:``."""
    path = os.path.join(root, MARKER)
    for line in (atomic.read_file(path, MARKER_LIMIT) or b"").splitlines():
        if line.startswith(b"schema:"):
            number = line.removeprefix(b"schema:").split(b"#")[0].strip(b" \t'\"")
            if number.isdigit() and int(number) > SCHEMA:
                raise NewerSchema(
                    f"{path}: schema {int(number)} is of a later version of mindloop; this one reads {SCHEMA}",
                    "Update mindloop. Nothing was changed.",
                )
