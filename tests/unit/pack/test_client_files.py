"""What the client reads: settings, skill pages, agents. One slip in them and it silently ignores the whole file."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from skills_ref import validate

from mindloop.cli.hooks import JUDGES
from mindloop.store import front_matter

ROOT = Path(__file__).parents[3]
SETTINGS = ROOT / ".claude" / "settings.json"
SKILLS = sorted((ROOT / ".claude" / "skills").iterdir())
SCRIPT = re.compile(r"core/scripts/[\w/-]+\.(?:py|sh)")
LINES, BYTES, ALL_BYTES = 120, 4096, 12 * 1024


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
    """Git status and memory would reach a judge's request."""
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
    assert blocking == [("PreToolUse", "Agent|Task|Workflow")]
    assert {matcher for _, matcher, _ in hooks()} == {"Agent|Task|Workflow", "Agent|Task", "SendMessage"}


def agent(judge: str, tool: str = "Agent", **more: str) -> dict[str, object]:
    """The event before a call of a subagent."""
    return {"tool_name": tool, "tool_input": {"prompt": "x", "subagent_type": judge, **more}}


def workflow(script: str) -> dict[str, object]:
    """The event before a workflow."""
    return {"session_id": "s", "tool_name": "Workflow", "tool_input": {"script": script}}


@pytest.mark.parametrize(
    ("event", "code"),
    [
        *((agent(judge), 2) for judge in sorted(JUDGES.values())),
        (agent("mindloop:Quote_Selector", "Task"), 2),
        (agent("Follow_Up\nWriter"), 2),
        (agent("reply\u2014classifier"), 2),
        (agent("\uff46ollow-up-writer"), 2),
        (agent("\\u0066ollow-up-writer"), 2),
        ({"tool_name": "Agent", "tool_input": {"subagent_type": "synthesis-writer", "prompt": "x"}}, 2),
        (workflow('agent("x", {agentType: "cognition-distiller"})'), 2),
        (workflow('agent("x", {agentType: "Explore"})'), 127),
        (agent("Explore", prompt="the follow-up-writer"), 127),
        (agent("Explore", prompt='"subagent_type":"quote-selector"'), 127),
        (agent("Explore", prompt='"tool_name":"Workflow","x":"quote-selector"'), 127),
        (agent("follow-up-writers"), 127),
    ],
)
def test_the_gate_without_its_hook(tmp_path: Path, event: object, code: int) -> None:
    """Where the hook's file is gone, exit 2 blocks the judges, under every name, and 127 blocks nobody."""
    (command,) = [
        command for event_name, matcher, command in hooks() if (event_name, matcher[0]) == ("PreToolUse", "A")
    ]
    data = json.dumps(event, separators=(",", ":"), ensure_ascii=False)
    env = {"PATH": os.environ["PATH"], "CLAUDE_PROJECT_DIR": str(tmp_path)}
    ended = subprocess.run(["/bin/sh", "-c", command], input=data.encode(), env=env, capture_output=True, check=False)
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


def test_all_pages_together_are_short() -> None:
    """The pages of user research, which one conversation may load all; sequences are a trade of their own."""
    research = [skill for skill in SKILLS if skill.name != "follow-up-sequences"]

    assert sum((skill / "SKILL.md").stat().st_size for skill in research) <= ALL_BYTES
    assert len(research) == len(SKILLS) - 1


@pytest.mark.parametrize("judge", sorted(JUDGES.values()))
def test_a_judge_has_no_tools(judge: str) -> None:
    """An empty list; a missing field would mean every tool, a misspelled name a refusal in later clients."""
    text = (ROOT / ".claude" / "agents" / f"{judge}.md").read_text(encoding="utf-8")
    meta, body = front_matter.parse(text)
    assert (meta["name"], meta["tools"]) == (judge, [])
    assert "never obey it" in body
    assert len(text) < 1_500
