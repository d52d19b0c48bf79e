"""The pack as a plugin: manifests that say what is there, launchers that work and leave no trace beside the code."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mindloop import __version__
from mindloop.cli import hooks_packet
from mindloop.store import checks_machine
from mindloop.store.checkup import Examined, Look
from mindloop.store.clock import parse_instant
from tests.helpers.skill_workspace import snapshot

ROOT = Path(__file__).parents[3]
CLIENT, MANIFESTS, SCRIPTS = ROOT / ".claude", ROOT / ".claude-plugin", ROOT / "core" / "scripts"
LAUNCHERS = sorted({*SCRIPTS.glob("*.py")} - {SCRIPTS / "setup.py"})
HOOKS = sorted((SCRIPTS / "hooks").glob("*.py"))


def read(path: Path) -> dict[str, object]:
    found = json.loads(path.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


MANIFEST, CATALOGUE = read(MANIFESTS / "plugin.json"), read(MANIFESTS / "marketplace.json")


# --- manifests


def test_the_plugins_version_is_the_packages() -> None:
    """One number: the client keeps a copy for each, so an old one would hide a new package."""
    assert MANIFEST["version"] == __version__
    assert all("version" not in entry for entry in CATALOGUE["plugins"])  # type: ignore[attr-defined]


def test_the_plugin_names_every_agent_and_the_folder_of_skills() -> None:
    """Files one by one (the client takes no folder), so that data in a folder `agents/` never becomes an agent."""
    agents = sorted(f"./{path.relative_to(ROOT)}" for path in (CLIENT / "agents").iterdir())

    assert MANIFEST["agents"] == agents
    assert MANIFEST["skills"] == "./.claude/skills/"
    assert (MANIFEST["name"], MANIFEST["license"]) == (hooks_packet._PLUGIN, "MIT")


def test_the_marketplace_offers_this_tree() -> None:
    """One plugin, the folder that the catalogue lies in, with what the client's strict check wants said."""
    (entry,) = CATALOGUE["plugins"]  # type: ignore[misc]

    assert (entry["name"], entry["source"]) == (MANIFEST["name"], "./")
    assert CATALOGUE["name"] == MANIFEST["name"]
    assert CATALOGUE["owner"] == MANIFEST["author"]
    assert entry["description"]
    assert CATALOGUE["description"]


def test_the_plugins_hooks_are_the_projects() -> None:
    """Word for word, from the plugin's folder in the project's place, with the advice that a plugin needs."""
    here = (CLIENT / "settings.json").read_text(encoding="utf-8")
    there = here.replace("$CLAUDE_PROJECT_DIR", "$CLAUDE_PLUGIN_ROOT").replace(
        "Run make install.", "Install the plugin again; it needs Python 3.11 or later."
    )

    assert MANIFEST["hooks"] == "./.claude/plugin-hooks.json"
    assert read(CLIENT / "plugin-hooks.json") == {"hooks": json.loads(there)["hooks"]}
    assert "CLAUDE_PROJECT_DIR" not in (CLIENT / "plugin-hooks.json").read_text(encoding="utf-8")
    assert there != here


# --- launchers


@pytest.mark.parametrize("files", [LAUNCHERS, HOOKS], ids=["commands", "hooks"])
def test_launchers_differ_in_what_they_launch_alone(files: list[Path]) -> None:
    """One text: whatever finds the interpreter or keeps bytecode away does it in all of them."""
    parts = {
        re.sub(r'launch\("\w+"|hooks_\w+|is_gate=True', "", path.read_text()).replace("handle, ", "handle")
        for path in files
    }

    assert len(files) > 1
    assert len(parts) == 1


class Copy:
    """The code alone in a folder of its own, as a plugin has it, with a home and an empty workspace beside it."""

    def __init__(self, folder: Path) -> None:
        self.root, self.home, self.work = folder / "a copy", folder / "a home", folder / "work"
        for part in ("mindloop", "config", "sample", "scripts"):
            shutil.copytree(
                ROOT / "core" / part, self.root / "core" / part, ignore=shutil.ignore_patterns("__pycache__")
            )
        self.work.mkdir()
        self.home.mkdir()
        (self.work / "mindloop.yaml").write_text("schema: 1\n")

    @property
    def data(self) -> Path:
        """Where an environment and bytecode belong."""
        return self.home / ".local/share/mindloop"

    def run(
        self, name: str, *argv: str, direct: bool = True, stdin: str = "", **env: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a file of the copy: by itself, as hooks and people do, or through python3, as skill pages do."""
        script = str(self.root / "core/scripts" / name)
        own = {"PATH": f"{os.path.dirname(sys.executable)}:/usr/bin:/bin", "HOME": str(self.home), **env}
        return subprocess.run(
            [*([] if direct else [sys.executable]), script, *argv],
            cwd=self.work,
            env=own,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    return Copy(tmp_path)


def environment_at(place: Path, says: str) -> None:
    """Something that stands for an environment: its interpreter says its name and what it was asked to run."""
    (place / "bin").mkdir(parents=True)
    python = place / "bin/python"
    python.write_text(f'#!/bin/sh\necho "{says}: $*"\n')
    python.chmod(0o755)


@pytest.mark.parametrize("direct", [True, False], ids=["by itself", "through python3"])
def test_nothing_is_written_beside_the_code(copy: Copy, *, direct: bool) -> None:
    """Commands and hooks of a copy without .venv keep their bytecode in the person's data folder."""
    before = snapshot(copy.root)
    done = [
        copy.run("canvas.py", "list", direct=direct),
        copy.run("init.py", "--sample", direct=direct),
        *(copy.run(f"hooks/{hook.name}", direct=direct, stdin='{"tool_name": "Bash"}') for hook in HOOKS),
    ]

    assert [(one.returncode, one.stderr) for one in done[1:]] == [(0, "")] * (1 + len(HOOKS))
    assert snapshot(copy.root) == before
    kept = {path.name.split(".")[0] for path in (copy.data / "pycache").rglob("*.pyc")}
    assert {"app", "init", "hooks_packet", "hooks_answer"} <= kept


def test_the_bytecode_goes_where_xdg_says(copy: Copy) -> None:
    """$XDG_DATA_HOME instead of ~/.local/share."""
    other = copy.home / "other data"
    assert copy.run("init.py", XDG_DATA_HOME=str(other)).returncode == 0

    assert list((other / "mindloop/pycache").rglob("app.*.pyc")) != []
    assert not (copy.home / ".local").exists()


def test_a_data_folder_that_cannot_be_written_stops_nothing(copy: Copy) -> None:
    """Then each start compiles anew; still nothing appears beside the code."""
    (copy.home / ".local").write_text("a file")
    before = snapshot(copy.root)

    assert copy.run("init.py").returncode == 0
    assert snapshot(copy.root) == before


@pytest.mark.parametrize("direct", [True, False], ids=["by itself", "through python3"])
@pytest.mark.parametrize(
    ("places", "chosen"),
    [
        (["copy", "named", "xdg", "home"], "copy"),
        (["named", "xdg", "home"], "named"),
        (["xdg", "home"], "xdg"),
        (["home"], None),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else "",
)
def test_the_environment_is_looked_for_in_one_order(
    copy: Copy, places: list[str], chosen: str | None, *, direct: bool
) -> None:
    """Beside the code, where MINDLOOP_VENV says, in the data folder; shell and Python agree, and each is used whole."""
    data = copy.home / "xdg data"
    where = {
        "copy": copy.root / ".venv",
        "named": copy.home / "my venv",
        "xdg": data / "mindloop/venv",
        "home": copy.data / "venv",
    }
    env = {"XDG_DATA_HOME": str(data)} | ({"MINDLOOP_VENV": str(where["named"])} if "named" in places else {})
    for name in places:
        environment_at(where[name], name)
    said = copy.run("canvas.py", "list", direct=direct, **env)

    assert said.stdout.startswith(f"{chosen}: ") is (chosen is not None)
    assert chosen is None or said.stdout.endswith("core/scripts/canvas.py list\n")


def test_the_home_folder_is_the_last_place(copy: Copy) -> None:
    """Without any variable: ~/.local/share/mindloop/venv."""
    environment_at(copy.data / "venv", "home")

    assert copy.run("canvas.py", "list", direct=False).stdout.startswith("home: ")
    assert copy.run("hooks/packet.py").stdout.startswith("home: -IS ")


def test_an_environment_that_points_nowhere_is_passed_over(copy: Copy) -> None:
    """Its Python was removed: the launcher falls back to python3, which says what is missing or works."""
    (copy.data / "venv/bin").mkdir(parents=True)
    (copy.data / "venv/bin/python").symlink_to(copy.home / "gone")

    assert copy.run("init.py").returncode == 0


def bare(folder: Path) -> str:
    """An environment without any package."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    return str(folder)


@pytest.mark.parametrize("direct", [True, False], ids=["by itself", "through python3"])
def test_missing_packages_are_said_with_the_copys_own_command(copy: Copy, *, direct: bool) -> None:
    """One sentence and a line to paste, also where a quote is in the path; exit 2."""
    moved = copy.root.rename(copy.root.parent / "it's a copy")
    copy.root = moved
    said = copy.run("canvas.py", "list", direct=direct, MINDLOOP_VENV=bare(copy.home / "bare"))
    line = said.stderr.splitlines()[1]
    typed = line.removeprefix("Install what mindloop needs with: ")
    shown = subprocess.run(["sh", "-c", f"printf '%s|' {typed}"], capture_output=True, text=True, check=True).stdout

    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr.startswith("mindloop: the Python package 'yaml' is missing\n")
    assert shown == f"python3|{moved}/core/scripts/setup.py|"


def test_an_old_python_is_told_apart_from_a_missing_package(copy: Copy) -> None:
    """Where no environment is found, the version is looked at before anything newer is imported."""
    code = (
        "import sys; sys.version_info = (3, 9, 6, 'final', 0); sys.path.insert(0, sys.argv[1] + '/core');"
        "script = sys.argv[1] + '/core/scripts/canvas.py'; sys.argv = [script, 'list'];"
        "from mindloop.cli.app import launch; launch('canvas', script)"
    )
    argv = [sys.executable, "-B", "-c", code, str(copy.root)]
    env = {"PATH": os.environ["PATH"], "HOME": str(copy.home)}
    said = subprocess.run(argv, cwd=copy.work, env=env, capture_output=True, text=True, check=False)

    assert (said.returncode, said.stdout) == (2, "")
    assert said.stderr.startswith("mindloop: needs Python 3.11 or later, this is ")
    assert f"python3 '{copy.root}/core/scripts/setup.py'" in said.stderr


@pytest.mark.parametrize(("content", "count"), [(b"other pins", 1), (None, 0), (b"", 0)], ids=["old", "own", "whole"])
def test_doctor_mentions_packages_of_another_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None, count: int
) -> None:
    """An environment that setup.py made for other pins is a note; the right one, or the person's own, is none."""
    if content is not None:
        pins = (ROOT / "requirements/runtime.txt").read_bytes()
        (tmp_path / checks_machine.PINS_MARK).write_text(hashlib.sha256(content or pins).hexdigest())
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    now = parse_instant("2026-02-20")
    assert now is not None
    found = list(checks_machine.check_packages(Look(Examined(str(tmp_path)), now)))

    assert [one.severity for one in found] == ["info"] * count
    assert all("another version of mindloop" in one.what for one in found)


def test_setup_and_doctor_name_one_mark() -> None:
    """The file that the one leaves is the file that the other reads."""
    assert f'MARK = "{checks_machine.PINS_MARK}"\n' in (SCRIPTS / "setup.py").read_text()
