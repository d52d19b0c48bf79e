"""Finding the workspace: environment, upwards, worktrees; never by creating one."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from mindloop.store.errors import NewerSchema
from mindloop.store.locate import NoWorkspace
from mindloop.store.workspace import Workspace
from tests.helpers.faults import snapshot

if TYPE_CHECKING:
    from pathlib import Path


def _workspace(path: Path, text: str = "schema: 1\n") -> Path:
    path.mkdir(parents=True, exist_ok=True)
    (path / "mindloop.yaml").write_text(text)
    return path


def _find(start: Path, **environment: str) -> str:
    return Workspace.find(str(start), environment).root


@pytest.mark.parametrize("name", ["plain", "with space", "emoji 👍 é", "a'b\"c$d"])
def test_upwards_from_any_folder(name: str, tmp_path: Path) -> None:
    """The nearest mindloop.yaml above wins, whatever the folder is called."""
    root = _workspace(tmp_path / name)
    (root / "x/y").mkdir(parents=True)

    assert _find(root) == str(root)
    assert _find(root / "x/y") == str(root)


def test_the_nearest_wins(tmp_path: Path) -> None:
    """A workspace inside another is its own."""
    _workspace(tmp_path)
    inner = _workspace(tmp_path / "inner")

    assert _find(inner) == str(inner)


def test_through_a_link(tmp_path: Path) -> None:
    """A linked folder leads to the real one, so that all see the same locks."""
    root = _workspace(tmp_path / "real")
    (root / "sub").mkdir()
    (tmp_path / "link").symlink_to(root)
    (tmp_path / "sublink").symlink_to(root / "sub")

    assert _find(tmp_path / "link") == str(root)
    assert _find(tmp_path / "sublink") == str(root)


def test_the_environment_goes_first(tmp_path: Path) -> None:
    """MINDLOOP_ROOT wins over the folder; empty means unset."""
    here, there = _workspace(tmp_path / "here"), _workspace(tmp_path / "there")

    assert _find(here, MINDLOOP_ROOT=str(there)) == str(there)
    assert _find(here, MINDLOOP_ROOT="") == str(here)


def test_a_wrong_environment_is_not_passed_over(tmp_path: Path) -> None:
    """MINDLOOP_ROOT without a workspace is an error, though one lies above."""
    here = _workspace(tmp_path)
    (tmp_path / "empty").mkdir()

    with pytest.raises(NoWorkspace, match="MINDLOOP_ROOT is"):
        _find(here, MINDLOOP_ROOT=str(tmp_path / "empty"))


def test_nowhere_is_an_error_and_nothing_is_created(tmp_path: Path) -> None:
    """Without a workspace the answer says what to do, and the folder stays empty."""
    (tmp_path / "mindloop.yaml").mkdir()  # a folder of that name is none
    (tmp_path / "sub").mkdir()

    with pytest.raises(NoWorkspace, match=r"no mindloop\.yaml in .*\n.*init\.py") as caught:
        _find(tmp_path / "sub")

    assert caught.value.exit_code == 2
    assert snapshot(tmp_path, own=True) == {}
    assert sorted(os.listdir(tmp_path)) == ["mindloop.yaml", "sub"]


def _git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def test_a_git_worktree_leads_to_the_main_checkout(tmp_path: Path) -> None:
    """In a worktree of its repository, the untracked workspace of the main checkout is found, also in a sub-folder."""
    main = tmp_path / "main checkout"
    (main / "research/sub").mkdir(parents=True)
    (main / "research/sub/f").write_text("x")
    _git(main, "init", "-q")
    _git(main, "add", ".")
    _git(main, "commit", "-q", "-m", "one")
    _git(main, "worktree", "add", "-q", str(tmp_path / "tree"))
    with pytest.raises(NoWorkspace):
        _find(tmp_path / "tree/research/sub")
    _workspace(main)
    assert _find(tmp_path / "tree") == str(main)
    assert _find(tmp_path / "tree/research/sub") == str(main)

    inner = _workspace(main / "research")
    assert _find(tmp_path / "tree/research/sub") == str(inner)
    assert _find(tmp_path / "tree") == str(main)


@pytest.mark.parametrize("text", ["", "gitdir: \n", "nonsense\n", "gitdir: ../nowhere\n", "\xff\xfe"])
def test_an_odd_git_file_is_no_worktree(text: str, tmp_path: Path) -> None:
    """A damaged .git file ends the search like none at all."""
    (tmp_path / ".git").write_text(text)

    with pytest.raises(NoWorkspace):
        _find(tmp_path)


@pytest.mark.parametrize("text", ["schema: 2\n", "a: 1\nschema:   '17' # later\n"])
def test_a_later_schema_is_left_alone(text: str, tmp_path: Path) -> None:
    """A workspace of a later version is refused with both numbers."""
    with pytest.raises(NewerSchema, match="is of a later version of mindloop; this one reads 1"):
        _find(_workspace(tmp_path, text))


def test_the_current_folder_is_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a start the search begins where the command was called."""
    monkeypatch.chdir(_workspace(tmp_path))

    assert Workspace.find(env={}).root == str(tmp_path)
