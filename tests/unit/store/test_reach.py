"""Reach: links that stay inside, links that lead out, and folders elsewhere that are the workspace's own."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mindloop.store import journal, reach
from mindloop.store.errors import Malformed
from mindloop.store.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A workspace whose grimoires lie elsewhere, and whose notes are linked within."""
    (tmp_path / "elsewhere/mining").mkdir(parents=True)
    (tmp_path / "elsewhere/mining/a.txt").write_text("old\n")
    (tmp_path / "root/world").mkdir(parents=True)
    (tmp_path / "root/grimoires").symlink_to("../elsewhere")
    (tmp_path / "root/notes").symlink_to("world")
    return Workspace(str(tmp_path / "root"))


def _allow(workspace: Workspace, folder: Path) -> None:
    (folder / reach.LEAVE).write_text(f"mindloop keeps data here\n{workspace.root}\n")


def test_links_within_the_workspace_are_followed(workspace: Workspace) -> None:
    """A link to another folder of the workspace is as good as the folder."""
    with workspace.transaction("world") as tx:
        tx.write("notes/a.txt", "new\n")

    assert workspace.read("world/a.txt") == b"new\n"
    assert reach.may_recover(workspace.root, "notes/a.txt") is True


@pytest.mark.parametrize("twin", [False, True], ids=["disk", "dry run"])
def test_no_change_goes_through_a_link_that_leads_out(workspace: Workspace, tmp_path: Path, twin: bool) -> None:
    """It is refused with the place it leads to and the line that would allow it, before anything is staged."""
    chosen = workspace.in_memory() if twin else workspace
    for act in ("write", "append", "remove"):
        with chosen.transaction("research") as tx, pytest.raises(Malformed) as caught:
            getattr(tx, act)("grimoires/mining/a.txt", *([] if act == "remove" else [b"new\n"]))
        assert f"to {tmp_path}/elsewhere/mining/a.txt" in caught.value.message
        assert f"write a line {workspace.root} into .mindloop-data" in caught.value.hint

    assert chosen.read("grimoires/mining/a.txt") == b"old\n"


def test_a_folder_elsewhere_can_say_that_it_is_ours(workspace: Workspace, tmp_path: Path) -> None:
    """With the workspace's path in its leave, changes and recovery work there as everywhere."""
    _allow(workspace, tmp_path / "elsewhere")
    with workspace.transaction("research") as tx:
        tx.write("grimoires/mining/a.txt", "new\n")
        tx.append("grimoires/mining/b.jsonl", b"{}")
    entry = journal.append_entry(workspace.root, "grimoires/mining/b.jsonl", b"[]\n")
    text = json.dumps({"version": 1, "scopes": ["research"], "pid": 1, "entries": [entry]})
    (tmp_path / "root/.mindloop/journal/research~1-1.json").write_text(text)

    assert workspace.recover() == ["completed an interrupted change of grimoires/mining/b.jsonl"]
    assert (tmp_path / "elsewhere/mining/a.txt").read_text() == "new\n"
    assert (tmp_path / "elsewhere/mining/b.jsonl").read_text() == "{}\n[]\n"


@pytest.mark.parametrize("text", ["", "/", "{root}-2", "  {root}", "x{root}"])
def test_a_leave_names_this_very_workspace(workspace: Workspace, tmp_path: Path, text: str) -> None:
    """A leave for another workspace, or for none, allows nothing."""
    (tmp_path / "elsewhere" / reach.LEAVE).write_text(text.format(root=workspace.root))

    assert reach.leads_out(workspace.root, "grimoires/mining/a.txt") is True


def test_a_leave_inside_the_workspace_says_nothing(workspace: Workspace) -> None:
    """What came with the workspace cannot allow anything."""
    with workspace.transaction("world") as tx:
        tx.write(reach.LEAVE, workspace.root)
        tx.write(f"world/{reach.LEAVE}", workspace.root)

    assert reach.leads_out(workspace.root, "grimoires/mining/a.txt") is True
    assert reach.may_recover(workspace.root, "grimoires/mining/a.txt") is False
