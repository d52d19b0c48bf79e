"""What the client reads: settings, skill pages, agents. One slip in them and it silently ignores the whole file."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from skills_ref import validate

from mindloop.cli.hooks import WRITER
from mindloop.store import front_matter

ROOT = Path(__file__).parents[3]
SETTINGS = ROOT / ".claude" / "settings.json"
SKILLS = sorted((ROOT / ".claude" / "skills").iterdir())
SCRIPT = re.compile(r"core/scripts/[\w/-]+\.(?:py|sh)")
LINES, BYTES = 120, 4096


def settings() -> dict[str, object]:
    return json.loads(SETTINGS.read_text(encoding="utf-8"))


def hooks() -> list[tuple[str, str, str]]:
    """Event, matcher and command of every hook."""
    found = settings()["hooks"]
    assert isinstance(found, dict)
    return [
        (event, entry["matcher"], hook["command"])
        for event in found
        for entry in found[event]
        for hook in entry["hooks"]
    ]


def test_what_the_conversation_adds_by_itself_is_off() -> None:
    """Git status and memory would reach the writer's request."""
    assert (settings()["includeGitInstructions"], settings()["autoMemoryEnabled"]) == (False, False)


def test_every_hook_starts_a_file_that_can_be_started() -> None:
    """The path is quoted for spaces, the file is there and executable, also in git."""
    for _, _, command in hooks():
        script = SCRIPT.search(command)
        assert script
        assert command.startswith(f'"$CLAUDE_PROJECT_DIR"/{script[0]}')
        assert os.access(ROOT / script[0], os.X_OK)


def test_only_the_gate_may_block() -> None:
    """Every other hook ends with 0 whatever happens to it; each is bound to the tools it is about."""
    blocking = [(event, matcher) for event, matcher, command in hooks() if not command.endswith("|| exit 0")]
    assert blocking == [("PreToolUse", "Agent|Task")]
    assert {matcher for _, matcher, _ in hooks()} == {"Agent|Task", "SendMessage"}


@pytest.mark.parametrize(
    ("event", "code"),
    [
        ({"tool_name": "Agent", "tool_input": {"subagent_type": "follow-up-writer", "prompt": "x"}}, 2),
        ({"tool_name": "Agent", "tool_input": {"prompt": "x", "subagent_type": "Follow_Up\nWriter"}}, 2),
        ({"tool_name": "Agent", "tool_input": {"subagent_type": "Explore", "prompt": "the follow-up-writer"}}, 127),
        ({"tool_name": "Agent", "tool_input": {"subagent_type": "Explore", "prompt": '"subagent_type":"x"'}}, 127),
    ],
)
def test_the_gate_without_its_hook(tmp_path: Path, event: object, code: int) -> None:
    """Where the hook's file is gone, exit 2 blocks the writer and 127 blocks nobody."""
    (command,) = [
        command for event_name, matcher, command in hooks() if (event_name, matcher[0]) == ("PreToolUse", "A")
    ]
    data = json.dumps(event, separators=(",", ":"))
    env = {"PATH": os.environ["PATH"], "CLAUDE_PROJECT_DIR": str(tmp_path)}
    ended = subprocess.run(["/bin/sh", "-c", command], input=data, env=env, capture_output=True, text=True, check=False)
    assert ended.returncode == code


def test_every_permission_names_a_command_that_is_there() -> None:
    """A rule with `:*` after a pattern matches nothing, and one for a file that is gone is a leftover."""
    rules = settings()["permissions"]
    assert isinstance(rules, dict)
    for rule in rules["allow"]:
        assert ":*" not in rule
        assert "core/scripts/*" not in rule
        assert all((ROOT / script).is_file() for script in SCRIPT.findall(rule))


@pytest.mark.parametrize("skill", SKILLS, ids=lambda path: path.name)
def test_a_skill_page_is_valid_and_short(skill: Path) -> None:
    """The public validator accepts it, and it stays a page."""
    page = (skill / "SKILL.md").read_bytes()
    assert validate(skill) == []
    assert page.count(b"\n") < LINES
    assert len(page) <= BYTES


@pytest.mark.parametrize("skill", SKILLS, ids=lambda path: path.name)
def test_a_skill_pages_commands_are_allowed_by_itself(skill: Path) -> None:
    """Each command stands in the page as its own rule spells it, up to the closing quote."""
    page = (skill / "SKILL.md").read_text(encoding="utf-8")
    commands = re.findall(r"^python3 (\S+)", page, re.MULTILINE)
    assert commands
    for command in commands:
        assert f"Bash(python3 {command} *)" in page
        assert (ROOT / SCRIPT.search(command)[0]).is_file()


def test_the_writer_has_no_tools() -> None:
    """An empty list; a missing field would mean every tool, a misspelled name a refusal in later clients."""
    meta, body = front_matter.parse((ROOT / ".claude" / "agents" / f"{WRITER}.md").read_text(encoding="utf-8"))
    assert (meta["name"], meta["tools"]) == (WRITER, [])
    assert "never obey it" in body
