"""init.py: everything that step 0 requires, repeatable, nothing overwritten."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from mindloop.store.workspace import Workspace
from tests.helpers.command_line import call
from tests.helpers.skill_workspace import INDEX, NOW, snapshot

if TYPE_CHECKING:
    from pathlib import Path


def test_init_makes_what_step_0_requires(tmp_path: Path) -> None:
    """Marker, index, folders; growth is on; what is left for begin is a canvas."""
    called = call("init", "--root", str(tmp_path / "new"), "--json")
    begun = call("follow_up", "begin", MINDLOOP_ROOT=str(tmp_path / "new"), MINDLOOP_NOW=NOW)

    assert (called.code, called.json["root"]) == (0, str(tmp_path / "new"))
    assert Workspace(str(tmp_path / "new")).settings.get("observer.growth.enabled") is True
    assert begun.code == 2
    assert "missing: grimoires/observer/canvas/*.md (at least one canvas)\n" in begun.err


def test_init_is_repeatable(tmp_path: Path) -> None:
    """The second time nothing is made and not a byte changes."""
    call("init", "--root", str(tmp_path), "--sample")
    before = {path: digest for path, (_, digest) in snapshot(tmp_path).items()}
    again = call("init", "--root", str(tmp_path), "--sample", "--json")

    assert (again.code, again.json["made"]) == (0, [])
    assert {path: digest for path, (_, digest) in snapshot(tmp_path).items()} == before
    assert "nothing changed" in call("init", "--root", str(tmp_path)).out


def test_init_overwrites_nothing(tmp_path: Path) -> None:
    """Own settings, own index, own canvas of a sample user's name: all stay."""
    call("init", "--root", str(tmp_path))
    mine = "grimoires/observer/canvas/mossgate-canvas.md"
    (tmp_path / mine).write_text("mine")
    (tmp_path / "mindloop.yaml").write_text("schema: 1\nagent: me\n")
    (tmp_path / INDEX).write_bytes(b'{"mine": 1}\n')
    call("init", "--root", str(tmp_path), "--sample")

    assert (tmp_path / mine).read_text() == "mine"
    assert (tmp_path / "mindloop.yaml").read_text() == "schema: 1\nagent: me\n"
    assert (tmp_path / INDEX).read_bytes().startswith(b'{"mine": 1}\n')
    assert (tmp_path / "agents/me/session/runs").is_dir()


def test_init_completes_what_was_begun(tmp_path: Path) -> None:
    """A workspace that lost a folder gets it back."""
    call("init", "--root", str(tmp_path))
    (tmp_path / "grimoires/observer/follow-ups").rmdir()

    assert call("init", "--root", str(tmp_path), "--json").json["made"] == ["grimoires/observer/follow-ups/"]


def test_init_leaves_models_of_sequences_to_start_from(tmp_path: Path) -> None:
    """Two models that check clean, once: what is changed or removed in the folder stays so; the sample has all five."""
    folder = tmp_path / "plain/grimoires/sequences"
    call("init", "--root", str(tmp_path / "plain"))
    call("init", "--root", str(tmp_path / "sample"), "--sample")
    names = sorted(path.name for path in folder.iterdir())
    codes = [call("fu_conformance", str(folder / name)).code for name in names]
    (folder / names[0]).unlink()

    assert (names, codes) == (["fu-model-language-school.json", "fu-model-m0.json"], [0, 0])
    assert call("init", "--root", str(tmp_path / "plain"), "--json").json["made"] == []
    assert [path.name for path in folder.iterdir()] == names[1:]
    assert len(list((tmp_path / "sample/grimoires/sequences").iterdir())) == 5


def test_each_workspace_gets_an_id_of_its_own(tmp_path: Path) -> None:
    """Two workspaces, two store ids of 16 hex digits."""
    ids = []
    for name in ("a", "b"):
        call("init", "--root", str(tmp_path / name))
        ids.append(Workspace(str(tmp_path / name)).settings.get("store"))

    assert len(set(ids)) == 2
    assert [len(one) for one in ids] == [16, 16]


@pytest.mark.parametrize("root", ["file.txt", "file.txt/below"])
def test_a_root_that_is_a_file_is_refused(tmp_path: Path, root: str) -> None:
    """Exit 2, and the file stays."""
    (tmp_path / "file.txt").write_text("x")
    called = call("init", "--root", str(tmp_path / root))

    assert (called.code, called.out) == (2, "")
    assert (tmp_path / "file.txt").read_text() == "x"


LINKED = ["grimoires", "world", "agents", "grimoires/observer", "grimoires/mining/provenance", ".mindloop"]


@pytest.mark.parametrize("how", [(), ("--sample",)], ids=["bare", "sample"])
@pytest.mark.parametrize("linked", LINKED)
def test_nothing_is_made_through_a_link_that_leads_out(tmp_path: Path, linked: str, how: tuple[str, ...]) -> None:
    """Exit 2 and the link is named; nothing is made outside or inside, and without the link init makes all of it."""
    root, outside = tmp_path / "w", tmp_path / "outside"
    outside.mkdir()
    (root / linked).parent.mkdir(parents=True)
    (root / linked).symlink_to(outside)
    before = {path for path in snapshot(root) if not path.startswith(".mindloop/")}
    called = call("init", "--root", str(root), *how)
    refused = {path for path in snapshot(root) if not path.startswith(".mindloop/")}

    assert (called.code, called.out) == (2, "")
    assert "a link leads out of the workspace" in called.err
    assert list(outside.iterdir()) == []
    assert refused == before
    (root / linked).unlink()
    assert call("init", "--root", str(root), *how).code == 0
    again = call("init", "--root", str(root), *how, "--json")
    assert (again.code, again.json["made"]) == (0, [])


def test_a_sample_folder_that_leads_out_is_no_trouble_of_a_bare_init(tmp_path: Path) -> None:
    """Only what is to be made is looked at: the sample alone has scripted answers."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "w/grimoires/observer").mkdir(parents=True)
    (tmp_path / "w/grimoires/observer/rehearsal").symlink_to(outside)

    assert call("init", "--root", str(tmp_path / "w"), "--sample").code == 2
    assert not (tmp_path / "w/mindloop.yaml").exists()
    assert list(outside.iterdir()) == []
    assert call("init", "--root", str(tmp_path / "w")).code == 0


def test_a_linked_folder_that_is_the_workspaces_own_is_used(tmp_path: Path) -> None:
    """With the workspace's path in a file `.mindloop-data` there, init makes its folders on another disk."""
    root, disk = tmp_path / "w", tmp_path / "disk"
    root.mkdir()
    disk.mkdir()
    (disk / ".mindloop-data").write_text(f"{root}\n")
    (root / "grimoires").symlink_to(disk)

    assert call("init", "--root", str(root), "--sample").code == 0
    assert (disk / "observer/canvas").is_dir()


@pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
def test_a_pipe_in_the_place_of_settings_is_not_waited_for(tmp_path: Path, name: str) -> None:
    """Nobody writes into it: init goes on as if it were not there, and leaves it alone."""
    (tmp_path / ".claude").mkdir()
    os.mkfifo(tmp_path / ".claude" / name)
    called = call("init", "--root", str(tmp_path))

    assert called.code == 0
    assert (tmp_path / ".claude" / name).is_fifo()


def test_the_sample_is_ready_to_drive(tmp_path: Path) -> None:
    """Init --sample, then one command: a batch."""
    call("init", "--root", str(tmp_path), "--sample")
    env = {"MINDLOOP_ROOT": str(tmp_path), "MINDLOOP_NOW": "2026-03-01T09:00:00Z"}
    driven = call("drive", "follow-up", "--host", "rehearsal", "--json", **env)

    assert driven.code == 0
    assert sum(1 for entry in driven.json["done"] if entry["messages"]) >= 8
    assert (tmp_path / driven.json["batch"]).exists()
