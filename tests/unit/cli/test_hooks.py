"""What the hooks share: whose call it is, which packet, which workspace; and the files that start them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mindloop.cli.hooks import JUDGES, judge_called, judge_of, names_judge, read_event, reference, why, workspace_of
from mindloop.store.errors import WrongInput
from mindloop.store.locate import NoWorkspace
from tests.helpers.hook_runs import PACKET, REFERENCE, after, before, open_run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[3]
SCRIPTS = ROOT / "core" / "scripts" / "hooks"
NAMES = ["packet.py", "answer.py"]


@pytest.mark.parametrize("judge", sorted(JUDGES.values()))
@pytest.mark.parametrize(
    "spelled",
    [
        str,
        str.upper,
        lambda name: f"mindloop:{name}",
        lambda name: f" {name.replace('-', '_ ')}\n",
        lambda name: name.replace("-", ""),
        lambda name: name.replace("-", "\u2014"),
        lambda name: "".join(chr(ord(char) + 0xFEE0) if char.isalpha() else char for char in f"mindloop:{name}"),
        lambda name: f"Mind_Loop\uff1a{name}",
    ],
)
def test_every_name_that_the_client_takes_for_a_judge_is_that_judge(judge: str, spelled: Callable[[str], str]) -> None:
    """Case, separators, full-width letters and a plugin's name in front change nothing."""
    assert judge_of(spelled(judge)) == judge


@pytest.mark.parametrize(
    "name", ["Explore", "writer", "follow-up-writer2", "follow-up-writer:x", "", ":", None, 5, ["follow-up-writer"]]
)
def test_everybody_else_is_not(name: object) -> None:
    """A part of the name is not the name."""
    assert judge_of(name) is None


def test_the_judges_are_the_agents_of_the_pack() -> None:
    """Whoever has a file in `.claude/agents` gets packets alone, and nobody else is a judge."""
    files = sorted(path.stem for path in (ROOT / ".claude" / "agents").iterdir())
    assert sorted(JUDGES.values()) == files
    assert {name: judge_of(name) for name in files} == {name: name for name in files}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('agentType: "follow-up-writer"', True),
        ('"reply" +\n  "-classifier"', True),
        ("\uff52eply classifier", True),
        ("a writer of follow-ups", False),
        ("", False),
    ],
)
def test_a_judges_name_is_found_in_any_text(text: str, found: bool) -> None:
    """Also where it is put together from pieces."""
    assert names_judge(text) is found


@pytest.mark.parametrize("event", [{}, {"tool_name": "Agent"}, {"tool_name": "Agent", "tool_input": "x"}])
def test_an_event_without_arguments_is_nobodys(event: dict[str, object]) -> None:
    """A shape that we do not know is none of our business."""
    assert judge_called(event) is None


def test_other_tools_may_name_a_judge() -> None:
    """Only a call of the Agent tool, under either of its names, is a call of a judge."""
    asked = {"subagent_type": "mindloop:quote-selector"}
    found = {
        tool: judge_called({"tool_name": tool, "tool_input": asked}) for tool in ("Agent", "Task", "Bash", "Skill")
    }
    assert found == {"Agent": "quote-selector", "Task": "quote-selector", "Bash": None, "Skill": None}


def test_a_bare_reference_is_read() -> None:
    """Blanks around it do no harm."""
    assert reference(f" {REFERENCE}\n") == tuple(REFERENCE.removeprefix("packet:").split("/"))


@pytest.mark.parametrize(
    "text",
    ["", "packet:", "packet:/", "packet:a", "packet:a/", "packet:/b", "packet:a/b/c", "packet:a/b please",
     "write packet:a/b", "Packet:a/b", "packet:" + "a" * 500 + "/b", None, 7],
)  # fmt: skip
def test_whatever_is_more_or_less_is_no_reference(text: object) -> None:
    """One word, one run, one user."""
    assert reference(text) is None


@pytest.mark.parametrize("data", [b"", b"[]", b"no", b"\xff"])
def test_an_event_that_is_none_is_an_error(data: bytes) -> None:
    """Only a JSON object is an event."""
    with pytest.raises((ValueError, TypeError)):
        read_event(data)


def test_the_workspace_is_found_upwards_from_the_conversations_folder(tmp_path: Path) -> None:
    """A conversation that went into a sub-folder has the same workspace."""
    made = open_run(tmp_path)
    below = tmp_path / "agents" / "researcher"
    assert workspace_of({"cwd": str(below)}).root == made.root


def test_a_conversation_that_wandered_off_still_has_its_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Outside of every workspace the project that it was started in counts."""
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    made = open_run(inside)
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(inside))
    assert workspace_of({"cwd": str(outside)}).root == made.root
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", "")
    with pytest.raises(NoWorkspace):
        workspace_of({"cwd": str(outside)})


def test_the_model_is_told_ours_in_one_line_and_no_others() -> None:
    """An error of ours is a sentence; the text of any other could hold a packet."""
    assert why(WrongInput("no\nsuch", "do this")) == "no such do this"
    assert why(ValueError(PACKET)) == "ValueError in a hook of mindloop"


def _run(script: Path, event: object, *argv: str) -> subprocess.CompletedProcess[bytes]:
    data = event if isinstance(event, bytes) else json.dumps(event).encode()
    env = {"PATH": os.environ["PATH"], "XDG_DATA_HOME": os.devnull}  # no environment there, no room for bytecode
    return subprocess.run([*argv, str(script)], input=data, capture_output=True, check=False, env=env, cwd="/")


@pytest.mark.parametrize("name", NAMES)
def test_the_files_run_by_themselves_and_by_name(name: str) -> None:
    """Both ways, silent for other people's subagents."""
    event = {"tool_name": "Agent", "tool_input": {"subagent_type": "Explore"}, "tool_response": {"content": []}}
    for argv in ([], [sys.executable]):
        ended = _run(SCRIPTS / name, event, *argv)
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


@pytest.mark.parametrize("name", NAMES)
def test_a_fault_never_ends_with_the_code_that_blocks(name: str) -> None:
    """Noise on standard input is exit 1 and a line on stderr; 2 would block the client's tools."""
    ended = _run(SCRIPTS / name, b"\xffnoise")
    assert (ended.returncode, ended.stdout) == (1, b"")
    assert ended.stderr.startswith(b"mindloop: a hook failed: ")


@pytest.mark.parametrize("judge", [*sorted(JUDGES.values()), "mindloop:reply-classifier"])
def test_a_gate_that_fails_on_a_judges_own_call_blocks_it(judge: str) -> None:
    """An event that cannot be read but names a judge is exit 2 at the gate, and only there."""
    torn = f'{{"tool_name": "Agent", "tool_input": {{"subagent_type": "{judge}", '.encode()
    assert [_run(SCRIPTS / name, torn).returncode for name in NAMES] == [2, 1]


def test_they_work_without_any_package_from_a_folder_with_a_space(tmp_path: Path) -> None:
    """The hooks need the standard library alone, and a copy without .venv falls back to python3."""
    pack = tmp_path / "a pack" / "core"
    shutil.copytree(ROOT / "core" / "scripts", pack / "scripts")
    shutil.copytree(ROOT / "core" / "mindloop", pack / "mindloop", ignore=shutil.ignore_patterns("__pycache__"))
    home = tmp_path / "work space"
    home.mkdir()
    open_run(home)
    bare = [sys.executable, "-S", "-P"]
    swapped = _run(pack / "scripts" / "hooks" / NAMES[0], before(home, REFERENCE), *bare[:2])
    assert json.loads(swapped.stdout)["hookSpecificOutput"]["updatedInput"]["prompt"] == PACKET
    filed = _run(pack / "scripts" / "hooks" / NAMES[1], after(home, "{}"))
    assert b"answer filed" in filed.stdout
