"""The system calls: modes, links, folders, refusals."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from mindloop.store import atomic
from mindloop.store.errors import Malformed, StoreFailure
from mindloop.store.workspace import Workspace
from tests.helpers.faults import FailingSystem

if TYPE_CHECKING:
    from pathlib import Path


def _replace(folder: Path, rel: str, data: bytes) -> None:
    """Write one file as every command does."""
    with Workspace(str(folder)).transaction("world") as tx:
        tx.write(rel, data)


def test_a_file_keeps_its_mode(tmp_path: Path) -> None:
    """Replacing a private file leaves it private."""
    path = tmp_path / "f"
    path.write_text("old")
    path.chmod(0o640)

    _replace(tmp_path, "f", b"new")

    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """Writing through a symbolic link changes the file it leads to."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real/f").write_text("old")
    (tmp_path / "f").symlink_to("real/f")

    _replace(tmp_path, "f", b"new")

    assert (tmp_path / "f").is_symlink()
    assert (tmp_path / "real/f").read_text() == "new"
    assert sorted(os.listdir(tmp_path / "real")) == ["f"]


def test_folders_are_made(tmp_path: Path) -> None:
    """Missing folders are created on the way."""
    _replace(tmp_path, "a/b/c.txt", b"x")

    assert (tmp_path / "a/b/c.txt").read_bytes() == b"x"


def test_a_file_in_the_way_of_a_folder_is_named(tmp_path: Path) -> None:
    """A file where a folder is needed is a refusal with a hint."""
    (tmp_path / "a").write_text("x")

    with pytest.raises(StoreFailure, match="a file stands where a folder is needed"):
        atomic.make_dirs(str(tmp_path / "a"))


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    """A folder and a pipe are refused at once; a missing file, or a file as a folder, is None."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "f").write_text("x")

    for name in (".", "pipe"):
        with pytest.raises(Malformed, match="expected a file"):
            atomic.read_file(str(tmp_path / name))
    assert atomic.read_file(str(tmp_path / "none")) is None
    assert atomic.read_file(str(tmp_path / "f/below")) is None


def test_a_large_file_is_refused_unread(tmp_path: Path) -> None:
    """Fifty megabytes over the limit are refused by their size alone."""
    path = tmp_path / "big"
    with path.open("wb") as file:
        file.truncate(50_000_000)

    with pytest.raises(Malformed, match="50000000 bytes, at most 4000000 are read"):
        atomic.read_file(str(path), 4_000_000)


def test_a_link_in_a_circle_is_a_store_failure(tmp_path: Path) -> None:
    """A link that points at itself is reported, not followed for ever."""
    (tmp_path / "loop").symlink_to("loop")

    with pytest.raises(StoreFailure, match="could not open it"):
        atomic.read_file(str(tmp_path / "loop"))


@pytest.mark.parametrize(("kind", "hint"), [("ENOSPC!", "The disk is full"), ("EIO!", "The disk reports an error")])
def test_a_refusal_names_path_reason_and_remedy(
    kind: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full or broken disk is told with the path and what to do; the old file is untouched."""
    path = tmp_path / "f"
    path.write_text("old")
    monkeypatch.setattr(atomic, "system", FailingSystem(kind, 1))

    with pytest.raises(StoreFailure, match=str(path.name)) as caught:
        _replace(tmp_path, "f", b"new")

    assert caught.value.hint.startswith(hint)
    assert path.read_text() == "old"


def test_a_short_write_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel may take half of the bytes; the other half follows."""
    monkeypatch.setattr(atomic, "system", FailingSystem("short", 1))

    _replace(tmp_path, "f", b"0123456789")

    assert (tmp_path / "f").read_bytes() == b"0123456789"


def test_a_failed_append_is_cut_off_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An append that cannot be synced leaves the file as long as it was."""
    path = tmp_path / "f"
    path.write_bytes(b"old\n")
    monkeypatch.setattr(atomic, "system", FailingSystem("EIO", 3))

    with pytest.raises(StoreFailure, match="append to it"):
        atomic.append_at(str(path), 4, b"new\n")

    assert path.read_bytes() == b"old\n"


@pytest.mark.parametrize("kind", ["pipe", "link"])
def test_what_has_the_temporary_name_is_not_written_into(kind: str, tmp_path: Path) -> None:
    """A pipe or a link under the temporary name gives way; nothing waits, and what the link leads to stays."""
    (tmp_path / "precious").write_text("precious")
    if kind == "pipe":
        os.mkfifo(tmp_path / ".f.tmp")
    else:
        (tmp_path / ".f.tmp").symlink_to("precious")

    _replace(tmp_path, "f", b"new")

    assert (tmp_path / "f").read_text() == "new"
    assert (tmp_path / "precious").read_text() == "precious"
    assert sorted(os.listdir(tmp_path)) == [".mindloop", "f", "precious"]


def test_a_change_of_what_is_no_file_is_refused_before_it_begins(tmp_path: Path) -> None:
    """Where a folder or a pipe stands in the place of a file, nothing of the change is made."""
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    before = sorted(os.listdir(tmp_path))
    for name in ("folder", "pipe"):
        with pytest.raises(Malformed, match="expected a file, found a folder or a device"):
            atomic.prepare(str(tmp_path / name), b"new")
        with pytest.raises(Malformed, match="expected a file, found a folder or a device"):
            atomic.end_of(str(tmp_path / name))

    assert sorted(os.listdir(tmp_path)) == before
