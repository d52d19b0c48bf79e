"""A repair makes exactly the change that was shown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mindloop.store import journal, journal_files
from mindloop.store.errors import WrongInput
from mindloop.store.repairs import FinishJournals, MakeFolder, Staged
from mindloop.store.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from mindloop.store.transaction import Transaction


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "mindloop.yaml").write_text("schema: 1\n", encoding="utf-8")
    (tmp_path / "a.txt").write_bytes(b"one\n")
    return Workspace(str(tmp_path))


def upper(tx: Transaction) -> None:
    tx.write("a.txt", (tx.read("a.txt") or b"").upper())


def test_a_file_that_changed_meanwhile_is_left_alone(workspace: Workspace) -> None:
    """What was shown is no longer what would happen: nothing happens."""
    fix = Staged("shout", ("world",), upper)
    shown = fix.changes(workspace)
    with open(workspace.path("a.txt"), "wb") as file:
        file.write(b"two\n")
    with pytest.raises(WrongInput, match="changed meanwhile"):
        fix.apply(workspace, shown)
    assert workspace.read("a.txt") == b"two\n"


def test_showing_changes_nothing_and_applying_once_is_enough(workspace: Workspace) -> None:
    """The preview stays in memory; after the repair there is nothing left to show."""
    fix = Staged("shout", ("world",), upper)
    shown = fix.changes(workspace)
    assert [(one.path, one.before, one.after) for one in shown] == [("a.txt", b"one\n", b"ONE\n")]
    assert workspace.read("a.txt") == b"one\n"
    fix.apply(workspace, shown)
    assert workspace.read("a.txt") == b"ONE\n"
    assert fix.changes(workspace) == []


def test_a_folder_is_made_with_its_parents_and_never_over_a_file(workspace: Workspace) -> None:
    """What stands in the way is for a person to move."""
    fix = MakeFolder("x/y")
    fix.apply(workspace, fix.changes(workspace))
    assert workspace.is_dir("x/y")
    assert MakeFolder("a.txt").changes(workspace) == []


@pytest.mark.parametrize("ending", ["json", "tmp"])
@pytest.mark.parametrize("kind", ["append", "write", "remove", "lost"])
def test_recovery_does_what_was_shown(workspace: Workspace, kind: str, ending: str) -> None:
    """Of every kind of interrupted change the preview and the recovery are the same."""
    root = workspace.root
    made = {
        "append": lambda: journal.append_entry(root, "a.txt", b"two\n"),
        "write": lambda: journal.write_entry("a.txt", b"new\n"),
        "remove": lambda: journal.remove_entry(root, "a.txt"),
        "lost": lambda: journal.write_entry("a.txt", b"never prepared"),
    }[kind]()
    if kind == "write":
        with open(workspace.path(".a.txt.tmp"), "wb") as file:
            file.write(b"new\n")
    text = json.dumps({"version": 1, "scopes": ["world"], "pid": 999999999, "entries": [made]}).encode()
    with workspace.transaction("world") as tx:
        tx.write(f".mindloop/journal/world~999999999-1.{ending}", text)
    fix = FinishJournals()
    shown = fix.changes(workspace)
    fix.apply(workspace, shown)
    assert {one.path: workspace.read(one.path) for one in shown} == {one.path: one.after for one in shown}
    assert journal_files.pending(root) == []
    assert fix.changes(workspace) == []


def test_what_lies_behind_a_link_is_shown_where_it_is(workspace: Workspace, tmp_path: Path) -> None:
    """The next content of a linked file is prepared beside the real one: that is where the preview finds it."""
    (tmp_path / "real").mkdir()
    (tmp_path / "a.txt").rename(tmp_path / "real/a.txt")
    (tmp_path / "a.txt").symlink_to("real/a.txt")
    (tmp_path / "real/.a.txt.tmp").write_bytes(b"new\n")
    text = json.dumps(
        {"version": 1, "scopes": ["world"], "pid": 999999999, "entries": [journal.write_entry("a.txt", b"new\n")]}
    )
    with workspace.transaction("world") as tx:
        tx.write(".mindloop/journal/world~999999999-1.json", text)
    fix = FinishJournals()
    shown = fix.changes(workspace)
    assert [(one.path, one.after) for one in shown[1:]] == [("a.txt", b"new\n"), ("real/.a.txt.tmp", None)]
    fix.apply(workspace, shown)
    assert (tmp_path / "real/a.txt").read_bytes() == b"new\n"
    assert {one.path: workspace.read(one.path) for one in shown} == {one.path: one.after for one in shown}
