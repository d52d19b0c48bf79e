"""The client's own additions to a subagent's request: what settings keep them out, as the client itself reads them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mindloop.cli import isolation
from mindloop.cli.isolation import isolation_problem
from mindloop.skills.setup import make, make_client_settings
from mindloop.store.checkup import Examined, Look
from mindloop.store.clock import parse_instant
from mindloop.store.workspace import Workspace
from tests.helpers.command_line import REPOSITORY, call

if TYPE_CHECKING:
    from pathlib import Path

OFF = {"includeGitInstructions": False, "autoMemoryEnabled": False}
ON = {"includeGitInstructions": True, "autoMemoryEnabled": True}
PROJECT, LOCAL, USER = ".claude/settings.json", ".claude/settings.local.json", "home/settings.json"
GIT, MEMORY = "CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS", "CLAUDE_CODE_DISABLE_AUTO_MEMORY"


def put(folder: Path, name: str, content: object) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


def problem(folder: Path, **env: str) -> str | None:
    return isolation_problem(str(folder), {"CLAUDE_CONFIG_DIR": str(folder / "home"), **env})


@pytest.mark.parametrize(
    ("files", "env"),
    [
        ({PROJECT: OFF}, {}),
        ({USER: OFF}, {}),
        ({LOCAL: OFF}, {}),
        ({LOCAL: OFF, PROJECT: ON}, {}),
        ({PROJECT: OFF, USER: ON}, {}),
        ({LOCAL: {"includeGitInstructions": False}, USER: OFF}, {}),
        ({}, {GIT: "1", MEMORY: "true"}),
        ({PROJECT: ON}, {GIT: "1", MEMORY: "1"}),
        ({PROJECT: OFF}, {GIT: "", MEMORY: ""}),
        ({PROJECT: OFF, LOCAL: "{,"}, {}),
        ({PROJECT: "\ufeff" + json.dumps(OFF)}, {}),
    ],
)
def test_what_keeps_both_out(tmp_path: Path, files: dict[str, object], env: dict[str, str]) -> None:
    """The first file that has a setting decides, a variable before all of them; each case was seen on the wire."""
    for name, content in files.items():
        put(tmp_path, name, content)

    assert problem(tmp_path, **env) is None


@pytest.mark.parametrize(
    ("files", "env", "words"),
    [
        ({}, {}, "PLACE/.claude/settings.json does not switch it off. Have it say"),
        ({PROJECT: {}}, {}, "PLACE/.claude/settings.json does not switch it off. Have it say"),
        ({PROJECT: ON}, {}, "PLACE/.claude/settings.json switches it on. Have it say"),
        ({PROJECT: OFF, LOCAL: ON}, {}, "PLACE/.claude/settings.local.json switches it on. Take that out there"),
        ({PROJECT: ON, USER: OFF}, {}, "PLACE/.claude/settings.json switches it on"),
        ({USER: ON}, {}, "PLACE/home/settings.json switches it on"),
        ({PROJECT: {"includeGitInstructions": False}}, {}, "its memory"),
        ({PROJECT: {"autoMemoryEnabled": False}}, {}, "git status"),
        ({PROJECT: OFF}, {GIT: "0"}, f"{GIT}=0"),
        ({PROJECT: OFF}, {MEMORY: "false"}, f"{MEMORY}=false"),
        ({PROJECT: json.dumps(OFF).replace("}", ",}")}, {}, "does not switch it off"),
        ({PROJECT: {"includeGitInstructions": "false", "autoMemoryEnabled": False}}, {}, "does not switch it off"),
        ({PROJECT: "[]"}, {}, "does not switch it off"),
        ({PROJECT: json.dumps({**OFF, "x": float("nan")})}, {}, "does not switch it off"),
        ({PROJECT: "[" * 100_000}, {}, "does not switch it off"),
    ],
)
def test_what_lets_one_in_is_named(tmp_path: Path, files: dict[str, object], env: dict[str, str], words: str) -> None:
    """One line: what would be added, which file or variable says so, what to do about it."""
    for name, content in files.items():
        put(tmp_path, name, content)
    said = problem(tmp_path, **env)

    assert said is not None
    assert words.replace("PLACE", str(tmp_path)) in said
    assert "\n" not in said


def test_what_the_machine_prescribes_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A managed file that switches one on is named, whatever the project says."""
    put(tmp_path, PROJECT, OFF)
    put(tmp_path, "managed.json", {"autoMemoryEnabled": True})
    monkeypatch.setattr(isolation, "_MANAGED", str(tmp_path / "managed.json"))

    assert "managed.json switches it on" in str(problem(tmp_path))


def test_the_packs_own_folder_is_isolated(tmp_path: Path) -> None:
    """A clone needs nothing from the person."""
    assert isolation_problem(str(REPOSITORY), {"CLAUDE_CONFIG_DIR": str(tmp_path)}) is None


# --- init in somebody's project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of somebody, with a client's home of its own."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "home"))
    for name in (GIT, MEMORY):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def test_init_makes_the_settings_of_a_project(project: Path) -> None:
    """The switches, and the pack's own list of what nobody may read; then the project is isolated."""
    called = call("init", "--root", str(project), "--json")
    own = json.loads((REPOSITORY / PROJECT).read_text("utf-8"))

    assert called.json["made"][-1] == PROJECT
    assert called.json["isolation"] is None
    assert json.loads((project / PROJECT).read_text("utf-8")) == {
        **OFF,
        "permissions": {"deny": own["permissions"]["deny"]},
    }
    assert isolation_problem(str(project)) is None


@pytest.mark.parametrize("content", ['{"model": "x"}', "{not json", ""])
def test_init_leaves_a_projects_settings_alone(project: Path, content: str) -> None:
    """Not a byte of them changes; exit 0, and stderr says what to add."""
    put(project, PROJECT, content)
    called = call("init", "--root", str(project))

    assert called.code == 0
    assert (project / PROJECT).read_text("utf-8") == content
    assert f"{project}/.claude/settings.json does not switch it off" in called.err
    assert '"includeGitInstructions": false, "autoMemoryEnabled": false' in called.err
    assert call("init", "--root", str(project), "--json").json["isolation"] in called.err


def test_init_says_nothing_of_settings_that_hold(project: Path) -> None:
    """Somebody who has the switches and the rules has nothing to add."""
    put(project, PROJECT, (REPOSITORY / PROJECT).read_text("utf-8"))
    called = call("init", "--root", str(project))

    assert (called.code, called.err) == (0, "")


def test_init_says_what_keeps_packets_and_research_private(project: Path) -> None:
    """In a git repository with settings of its own: the rules to add, the lines to ignore; each until it is there."""
    put(project, PROJECT, {**OFF, "permissions": {"deny": ["Read(x)"]}})
    (project / ".git").mkdir()
    (project / ".gitignore").write_text("node_modules/\n")
    first = call("init", "--root", str(project))
    own = json.loads((REPOSITORY / PROJECT).read_text("utf-8"))["permissions"]["deny"]
    put(project, PROJECT, {**OFF, "permissions": {"deny": ["Read(x)", *own]}})
    (project / ".gitignore").write_text("node_modules/\n/grimoires/\n")

    assert first.code == 0
    assert [rule for rule in own if json.dumps(rule) not in first.err] == []
    assert "add to .gitignore: /.mindloop/ /agents/ /grimoires/ /world/ /mindloop.yaml" in first.err
    assert call("init", "--root", str(project)).err == ""
    assert call("init", "--root", str(project), "--json").json["advice"] == []


@pytest.mark.parametrize("denied", [None, 5, "Read(x)", {}, [None, 5]])
def test_init_reads_strange_settings_without_a_fault(project: Path, denied: object) -> None:
    """Whatever stands where the rules belong, all of ours are still to be added."""
    put(project, PROJECT, {**OFF, "permissions": {"deny": denied}})
    called = call("init", "--root", str(project))

    assert called.code == 0
    assert 'add to permissions.deny of .claude/settings.json: "Bash(' in called.err


@pytest.mark.parametrize("kind", ["link", "file", "dangling"])
def test_init_follows_no_link_to_other_settings(project: Path, kind: str) -> None:
    """`.claude` that leads elsewhere, is a file, or leads nowhere stays as it is, and nothing is written there."""
    elsewhere = project.parent / "dotfiles"
    elsewhere.mkdir()
    if kind == "file":
        (project / ".claude").write_text("x")
    else:
        (project / ".claude").symlink_to(elsewhere if kind == "link" else project.parent / "nowhere")
    called = call("init", "--root", str(project))

    assert called.code == 0
    assert "does not switch it off" in called.err
    assert list(elsewhere.iterdir()) == []
    assert not (project.parent / "nowhere").exists()


def test_doctor_mentions_settings_that_open_the_isolation(project: Path) -> None:
    """A note, which does not count as wrong; nothing is said where no client has ever been at home."""
    workspace = Workspace(str(project))
    make(workspace)
    now = parse_instant("2026-02-20")
    assert now is not None
    look = Look(Examined(str(project)), now)
    from mindloop.cli.isolation_checks import check_isolation

    before = list(check_isolation(look))
    put(project, LOCAL, ON)
    (found,) = check_isolation(look)
    (project / LOCAL).unlink()
    make_client_settings(workspace)

    assert before == []
    assert (found.severity, found.path) == ("info", PROJECT)
    assert "settings.local.json switches it on" in found.what
    assert list(check_isolation(look)) == []
