"""What the documents claim is true: files they name exist, commands they show run, the map is complete."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from mindloop import __version__
from mindloop.cli.commands import COMMANDS
from mindloop.skills.follow_up.table import FOLLOW_UP

ROOT = Path(__file__).resolve().parents[3]
README, ARCHITECTURE, CONTRIBUTING, CHANGELOG = (
    (ROOT / name).read_text("utf-8") for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
)
LIBRARY = ROOT / "core" / "mindloop"
QUOTE = "the badge page froze twice, so i just stopped checking it"


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def shell(script: str, folder: Path, home: Path) -> subprocess.CompletedProcess[str]:
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", "MINDLOOP_NOW": "2026-02-14T10:00:00Z"}
    return subprocess.run(["bash", "-euc", script], cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home folder in which the pack lies where the README puts it."""
    (tmp_path / "mindloop").symlink_to(ROOT)
    return tmp_path


def commands_of(block: str) -> str:
    """The typed lines of a console block, continuation lines and all."""
    lines = block.replace("\\\n", " ").splitlines()
    return "\n".join(line.removeprefix("$ ") for line in lines if line.startswith("$ "))


def own_research() -> str:
    return next(commands_of(block) for block in blocks(README, "console") if "canvas.py observe" in block)


def test_the_two_commands_are_goals_of_the_makefile() -> None:
    """`make run` and `make test` are the first thing a newcomer types."""
    goals = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    typed = re.findall(r"^\$ make (\w+)", README, re.MULTILINE)

    assert typed == ["run", "test"]
    assert set(typed) | {"bench", "lint", "install"} <= set(goals)


def test_own_research_from_the_readme_runs_as_written(home: Path) -> None:
    """The README's commands make a workspace, a canvas, a release, and a dry run that names who waits or is skipped."""
    done = shell(own_research(), ROOT, home)

    assert (done.returncode, done.stderr) == (0, "")
    assert "fern" in done.stdout
    assert QUOTE in (home / "research/grimoires/observer/canvas/fern-canvas.md").read_text("utf-8")


def test_a_host_without_python_from_the_readme_works(home: Path) -> None:
    """Packet to standard output, answer from standard input: a pipeline is a host."""
    shell(own_research(), ROOT, home)
    folder = home / "research"
    score = folder / "grimoires/observer/scores/0x00000000000000000000000000000000000f0e21.json"
    score.write_text('{"rank": 3, "og_score": 1, "nft_score": 2, "onchain_score": 3}')
    scripts = home / "mindloop" / "core" / "scripts"
    begun = json.loads(shell(f"{scripts}/follow_up.py begin --json", folder, home).stdout)
    lines = next(commands_of(block) for block in blocks(README, "console") if "packet RUN USER" in block).splitlines()
    model = home / "my-model"
    digest = subprocess.run(
        [scripts / "provenance.py", "hash"], input=QUOTE, capture_output=True, text=True, check=True
    )
    message = {
        "hypothesis_or_trigger": "first",
        "anchor_quote_hash": digest.stdout.strip(),
        "message_body": "and then?",
    }
    answer = json.dumps({"user": "fern", "scary_questions": [], "messages": [message], "skip_reason": None})
    model.write_text(f"#!/bin/sh\ncat >/dev/null\nprintf %s {shlex.quote(answer)}\n")
    model.chmod(0o755)
    script = "\n".join(line for line in lines[1:]).replace("RUN", begun["run"]).replace("USER", "fern")
    script = script.replace("core/scripts/", f"{scripts}/").replace("| my-model", f"| {model}")

    done = shell(script, folder, home)

    assert (done.returncode, done.stderr) == (0, "")
    assert "and then?" in (folder / "grimoires/observer/follow-ups/2026-02-14.md").read_text("utf-8")


def test_a_host_in_python_from_the_readme_works(home: Path) -> None:
    """The README's host, given a model that answers with nothing useful, writes a batch without messages."""
    shell(own_research(), ROOT, home)
    code = "call_my_model = lambda prompt: 'no json'\n" + blocks(README, "python")[0]
    script = f"PYTHONPATH={shlex.quote(str(ROOT / 'core'))} {shlex.quote(sys.executable)} -c {shlex.quote(code)}"

    done = shell(script, home / "research", home)

    assert (done.returncode, done.stdout) == (0, "grimoires/observer/follow-ups/2026-02-14.md\n")
    assert "reason: subagent_parse_error" in (home / "research" / done.stdout.strip()).read_text("utf-8")


def test_sequences_from_the_readme_run_as_written(home: Path) -> None:
    """The README's model fails as told, is explained as told, and after its patch is clean, proved and extended."""
    model, scenario = (block for block in blocks(README, "yaml") if "observer:" not in block)
    (home / "model.yaml").write_text(model)
    (home / "scenario.yaml").write_text(scenario)
    lines = [line for block in blocks(README, "console") if "$fu" in block for line in commands_of(block).splitlines()]
    codes, said = [], []
    for line in lines[1:]:
        done = shell(f"{lines[0]}\n{line}", home, home)
        codes.append(done.returncode)
        said.append(done.stdout)
        assert done.stderr == ""

    assert codes == [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    assert [f" {rule} " in said[0] for rule in ("R2", "R4", "R7")] == [True, True, True]
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    shown = next(block for language, block in fenced if not language and "CROSS_STAGE" in block)
    assert [line for line in shown.splitlines() if line not in said[1].splitlines()] == []
    assert "SAME_STAGE_BURST" in said[2]
    assert ("by NULL" in said[3], "R7" in said[3]) == (True, True)
    assert "nothing is wrong with what went out" in said[8]
    assert "<svg" in (home / "follow-ups.html").read_text("utf-8")
    assert shell(f"{lines[0]}\n$fu check model.yaml", home, home).returncode == 0


def test_the_readmes_model_is_the_shipped_one() -> None:
    """What a reader copies is what init --sample lays into a workspace."""
    folder = ROOT / "core/sample/grimoires/sequences"
    shown = [block for block in blocks(README, "yaml") if "observer:" not in block]

    assert shown == [(folder / f"fu-{name}-broken.yaml").read_text("utf-8") for name in ("model", "scenario")]


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_explains_itself(name: str, home: Path) -> None:
    """`--help` of every command exits 0 and shows its own name."""
    done = shell(f"~/mindloop/core/scripts/{name}.py --help", home, home)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"usage: {name}.py")


@pytest.mark.parametrize("text", [README, ARCHITECTURE, CONTRIBUTING], ids=["README", "ARCHITECTURE", "CONTRIBUTING"])
def test_every_path_that_a_document_names_exists(text: str) -> None:
    """A path in code marks that starts in this repository is a file or folder of it."""
    named = re.findall(r"`((?:core|tests|e2e|requirements|\.claude)/[\w./-]+)`", text)
    missing = [path for path in named if "<" not in path and not (ROOT / path).exists()]

    assert missing == []
    assert len(named) > 1


def test_the_map_names_every_module() -> None:
    """ARCHITECTURE.md is complete: no module of the library is missing from its tables."""
    modules = [path for path in LIBRARY.rglob("*.py") if path.name != "__init__.py"]
    words = set(re.findall(r"[\w.]+", ARCHITECTURE))
    stems = set(re.findall(r"`(\w+)`", ARCHITECTURE)) | {
        word.removesuffix(".py") for word in words if word.endswith(".py")
    }

    assert sorted({path.stem for path in modules} - stems) == []


def test_the_map_names_no_module_that_is_gone() -> None:
    """A `.py` name in ARCHITECTURE.md stands for a file."""
    named = set(re.findall(r"`(?:[\w/]+/)?(\w+\.py)`", ARCHITECTURE))
    there = {path.name for folder in ("core", "tests") for path in (ROOT / folder).rglob("*.py")}

    assert sorted(named - there) == []


def test_the_map_counts_the_steps_right() -> None:
    """The table it calls twenty-two steps long has twenty-two rows, from 0 to 5.5."""
    assert "twenty-two steps in order, from `0` to `5.5`" in " ".join(ARCHITECTURE.split())
    assert len(FOLLOW_UP.steps) == 22
    assert (FOLLOW_UP.steps[0].id, FOLLOW_UP.steps[-1].id) == ("0", "5.5")


def test_the_changelog_begins_with_this_version() -> None:
    """The newest entry is about the version in the tree."""
    assert re.findall(r"^## (\S+)", CHANGELOG, re.MULTILINE)[0] == __version__


def test_every_dependency_has_its_reason() -> None:
    """Each package that pyproject.toml or the development list asks for has a row in ARCHITECTURE.md."""
    project = re.findall(r'^    "([\w-]+)>=', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    listed = [
        re.split(r"[=<>~ ;\[]", line)[0]
        for line in (ROOT / "requirements" / "dev.in").read_text("utf-8").splitlines()
        if line and not line.startswith(("#", "-"))
    ]
    missing = [name for name in project + listed if not name.startswith("types-") and f"{name}" not in ARCHITECTURE]

    assert missing == []
    assert len(project) == 7


def test_lock_files_hold_no_download_address() -> None:
    """Pinned packages come from whatever registry the machine is set up for."""
    lock = (ROOT / "e2e" / "package-lock.json").read_text("utf-8")
    pins = "".join(path.read_text("utf-8") for path in (ROOT / "requirements").glob("*.txt"))

    assert '"resolved"' not in lock
    assert "://" not in pins
    assert "--hash=sha256:" in pins
