"""A workspace on a disk that may only be read, or whose folders are somebody else's: every writer says so, in time."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, Any

import pytest

from mindloop.store import atomic, lock
from mindloop.store.workspace import Workspace
from tests.helpers.big_growth import Rows
from tests.helpers.big_workspace import make_big_workspace
from tests.helpers.command_line import Called, call
from tests.helpers.faults import snapshot
from tests.helpers.judged_calls import calls

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CHANGING = ("open", "mkdir", "replace", "rename", "unlink", "truncate")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
WRITERS = (
    *("growth.py sent", "growth.py confirm", "growth.py confirm, with a question", "growth.py reject"),
    *("growth.py answer", "growth.py stop", "growth.py match, something new"),
    *("canvas.py observe", "canvas.py observe --ask", "canvas.py ingest, one message"),
    *("canvas.py ingest, with a question", "canvas.py answer", "canvas.py resume"),
    *("cognition.py begin, one user", "cognition.py answer", "cognition.py resume"),
)
READERS = (
    *("growth.py list", "growth.py packet", "growth.py show", "growth.py report"),
    *("canvas.py packet", "canvas.py list", "canvas.py show"),
    *("cognition.py packet", "cognition.py show"),
)


class ReadOnly:
    """Stands in for the ``os`` module where nothing may be written below some folders."""

    def __init__(self, number: int, *folders: str) -> None:
        self.number = number
        self.folders = folders

    def __getattr__(self, name: str) -> object:
        real = getattr(os, name)
        if name not in CHANGING:
            return real

        def change(path: str, *arguments: Any, **named: Any) -> object:
            if (name != "open" or arguments[0] & WRITING) and str(path).startswith(self.folders):
                raise OSError(self.number, os.strerror(self.number))
            return real(path, *arguments, **named)

        return change


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, tuple[str, list[str], bytes]]]:
    """A workspace in which each command has work, and the calls."""
    root = tmp_path_factory.mktemp("read-only")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _descriptor: None)
        workspace = make_big_workspace(str(root), 12, 240)
        made = {**Rows(workspace, root, 6, 7).calls, **calls(Workspace(str(root)), root)}
    token = made["growth.py sent"][1][2]
    more = {
        "growth.py match, something new": ("growth.py", ["match", "user00006"], f"me too [FU:{token}]".encode()),
        "growth.py stop": ("growth.py", ["stop", "user00004", "declined"], b""),
        "growth.py show": ("growth.py", ["show", "user00006"], b""),
        "growth.py report": ("growth.py", ["report"], b""),
        "canvas.py list": ("canvas.py", ["list"], b""),
        "canvas.py show": ("canvas.py", ["show", "user00002"], b""),
        "cognition.py show": ("cognition.py", ["show", "user00009"], b""),
    }
    plain = {what: (name, argv, getattr(given, "given", given)) for what, (name, argv, given) in made.items()}
    return root, {**plain, **more}


def run(place: tuple[Path, dict[str, tuple[str, list[str], bytes]]], what: str) -> Called:
    """Call a command by its name in the table."""
    root, known = place
    name, argv, given = known[what]
    return call(name.removesuffix(".py"), *argv, stdin=given, MINDLOOP_ROOT=str(root))


@pytest.fixture
def refusing(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let every change below some folders be refused with an error number."""

    def refuse(number: int, *folders: object) -> None:
        for module in (atomic, lock):
            monkeypatch.setattr(module, "system", ReadOnly(number, *map(str, folders)))

    return refuse


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES], ids=["EROFS", "EACCES"])
@pytest.mark.parametrize("folders", [("",), ("/grimoires", "/agents")], ids=["the workspace", "its data"])
@pytest.mark.parametrize("what", WRITERS)
def test_a_writer_says_what_is_refused_and_changes_nothing(
    place: Any,
    refusing: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
    what: str,
    folders: tuple[str, ...],
    number: int,
) -> None:
    """The path, the system's reason and what to do, exit code 2; no byte of the data is another one, now or later."""
    root = place[0]
    before = snapshot(root)
    refusing(number, *(f"{root}{folder}" for folder in folders))

    came = run(place, what)

    assert came.code == 2, came.out + came.err
    assert os.strerror(number) in came.err
    assert ("mount it for writing" if number == errno.EROFS else "Check who owns") in came.err
    assert f"{root}{folders[0]}" in came.err or f"{root}{folders[-1]}" in came.err
    assert "Traceback" not in came.err
    assert "a fault of mindloop's own" not in came.err
    assert snapshot(root) == before
    monkeypatch.undo()
    Workspace(str(root)).recover()
    assert snapshot(root) == before
    assert os.listdir(root / ".mindloop" / "journal") == []


@pytest.mark.parametrize("what", READERS)
def test_a_reader_needs_no_writable_disk(place: Any, refusing: Callable[..., None], what: str) -> None:
    """What only reads answers as on any disk."""
    expected = run(place, what)
    refusing(errno.EROFS, place[0])

    came = run(place, what)

    assert (came.code, came.raw, came.err) == (expected.code, expected.raw, expected.err)
