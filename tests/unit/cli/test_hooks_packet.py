"""Before a judge is called."""

from __future__ import annotations

import json

import pytest

from mindloop.cli.hooks import WRITER
from mindloop.cli.hooks_packet import handle
from tests.helpers.hook_runs import PACKET, REFERENCE, RUN, before, open_run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any


def said(event: dict[str, Any]) -> dict[str, Any]:
    answer = handle(event)
    assert answer is not None
    assert answer["hookSpecificOutput"].pop("hookEventName") == "PreToolUse"
    return answer["hookSpecificOutput"]


def test_a_reference_becomes_the_packet(tmp_path: Path) -> None:
    """The prompt is the packet to the last byte; the description carries the reference to the hook behind the call."""
    open_run(tmp_path)
    assert said(before(tmp_path, REFERENCE)) == {
        "updatedInput": {
            "subagent_type": "follow-up-writer",
            "description": REFERENCE,
            "prompt": PACKET,
            "run_in_background": False,
        }
    }


def test_a_call_cannot_leave_the_foreground_or_the_folder(tmp_path: Path) -> None:
    """Of what the conversation may ask for beside the prompt, only the model's name stays."""
    open_run(tmp_path)
    asked = before(tmp_path, REFERENCE, run_in_background=True, isolation="remote", model="haiku")
    updated = said(asked)["updatedInput"]
    assert (updated["run_in_background"], updated["model"], "isolation" in updated) == (False, "haiku", False)


@pytest.mark.parametrize(
    "prompt", ["write to alice", "", None, f"{REFERENCE} be quick", PACKET, f"{REFERENCE}/../bob", [REFERENCE]]
)
def test_every_other_prompt_is_refused(tmp_path: Path, prompt: object) -> None:
    """The refusal says what is wanted and repeats nothing of what came."""
    open_run(tmp_path)
    answer = said(before(tmp_path, prompt))
    assert answer["permissionDecision"] == "deny"
    assert "packet:<run>/<item>" in answer["permissionDecisionReason"]


@pytest.mark.parametrize("user", ["bob", "..", "Alice", "alice.json", "%61lice"])
def test_a_packet_that_is_not_there_is_refused(tmp_path: Path, user: str) -> None:
    """Unknown users and names that no path may be made of are refused alike."""
    open_run(tmp_path)
    assert said(before(tmp_path, f"packet:{RUN}/{user}"))["permissionDecision"] == "deny"


def test_a_packet_that_was_changed_is_refused(tmp_path: Path) -> None:
    """The bytes that go out are those that were assembled, or none."""
    open_run(tmp_path)
    path = tmp_path / "agents/researcher/session/runs" / RUN / "alice.json"
    item = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**item, "prompt": PACKET + "and bob"}), encoding="utf-8")
    answer = said(before(tmp_path, REFERENCE))
    assert answer["permissionDecision"] == "deny"
    assert "hash differs" in answer["permissionDecisionReason"]


@pytest.mark.parametrize(
    ("judge", "called"),
    [("cognition-distiller", "cognition-distiller"), ("synthesis-writer", "mindloop:Synthesis_Writer"), (None, WRITER)],
)
def test_a_packet_goes_to_its_own_judge(tmp_path: Path, judge: str | None, called: str) -> None:
    """The name is handed on as it was written, a plugin's prefix included."""
    open_run(tmp_path, judge=judge)
    updated = said(before(tmp_path, REFERENCE, subagent_type=called))["updatedInput"]
    assert (updated["subagent_type"], updated["prompt"]) == (called, PACKET)


@pytest.mark.parametrize(
    ("judge", "called"), [("cognition-distiller", WRITER), (None, "reply-classifier"), (7, WRITER)]
)
def test_a_packet_goes_to_nobody_else(tmp_path: Path, judge: Any, called: str) -> None:
    """The refusal names the subagent that the packet is for."""
    open_run(tmp_path, judge=judge)
    answer = said(before(tmp_path, REFERENCE, subagent_type=called))
    assert answer["permissionDecision"] == "deny"
    assert f"is for the '{judge or WRITER}'" in answer["permissionDecisionReason"]


def test_a_plugin_sends_nothing_where_the_client_adds_to_a_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the two switches in the project the gate stays shut and says what to write where."""
    open_run(tmp_path)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "nobody"))
    monkeypatch.setenv("CLAUDE_PLUGIN_ROOT", "/a/plugin")
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path))
    answer = said(before(tmp_path, REFERENCE))
    assert answer["permissionDecision"] == "deny"
    assert '"includeGitInstructions": false, "autoMemoryEnabled": false' in answer["permissionDecisionReason"]
    (tmp_path / ".claude").mkdir()
    switches = {"includeGitInstructions": False, "autoMemoryEnabled": False}
    (tmp_path / ".claude" / "settings.json").write_text(json.dumps(switches), encoding="utf-8")
    assert said(before(tmp_path, REFERENCE))["updatedInput"]["prompt"] == PACKET


@pytest.mark.parametrize(
    "name", ["follow-up-writer", "Follow_Up Writer", "mindloop:follow-up-writer", "x:followupwriter"]
)
def test_a_plugins_packet_goes_to_the_plugins_own_subagent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """By its full name, whatever it was called: the bare one may be an agent of the project, with tools."""
    open_run(tmp_path)
    for variable in ("CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS", "CLAUDE_CODE_DISABLE_AUTO_MEMORY"):
        monkeypatch.setenv(variable, "1")
    monkeypatch.setenv("CLAUDE_PLUGIN_ROOT", "/a/plugin")
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path))
    changed = said(before(tmp_path, REFERENCE, subagent_type=name))["updatedInput"]
    assert (changed["subagent_type"], changed["prompt"]) == ("mindloop:follow-up-writer", PACKET)


def test_nobody_pays_for_a_user_who_is_done(tmp_path: Path) -> None:
    """A packet that was answered and resumed is not sent again."""
    open_run(tmp_path, done={"alice": "messages"})
    answer = said(before(tmp_path, REFERENCE))
    assert answer["permissionDecision"] == "deny"
    assert "is done already" in answer["permissionDecisionReason"]


def test_a_fault_of_ours_keeps_the_gate_shut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever goes wrong on the way to the packet, nothing is sent, and nothing of it is told."""

    def fail(*_: object) -> bytes:
        raise RuntimeError(PACKET)

    monkeypatch.setattr("mindloop.protocol.run_files.read_item", fail)
    open_run(tmp_path)
    answer = said(before(tmp_path, REFERENCE))
    assert answer["permissionDecision"] == "deny"
    assert answer["permissionDecisionReason"] == "No packet, nothing was sent: RuntimeError in a hook of mindloop"


@pytest.mark.parametrize("tool", ["Bash", "Skill", "Agent", "Task", "SendMessage", "Workflow", None])
def test_it_is_silent_for_everybody_else(tmp_path: Path, tool: object) -> None:
    """Other tools and other subagents get no answer at all, even where they speak of packets."""
    asked = {"subagent_type": "Explore", "prompt": REFERENCE, "to": "a1", "command": "follow-up-writer"}
    assert handle({"tool_name": tool, "tool_input": asked, "cwd": str(tmp_path)}) is None


@pytest.mark.parametrize(
    ("kind", "refused"), [("follow-up-writer", True), ("mindloop:reply-classifier", True), ("Explore", False)]
)
def test_a_finished_judge_takes_no_message(tmp_path: Path, kind: str, refused: bool) -> None:
    """The client's own note beside the transcript tells whose id it is."""
    notes = tmp_path / "session" / "subagents"
    notes.mkdir(parents=True)
    (notes / "agent-a1b2.meta.json").write_text(json.dumps({"agentType": kind}), encoding="utf-8")
    transcript = str(tmp_path / "session.jsonl")
    for to, expected in (("a1b2", refused), ("a1b3", False), ("../a1b2", False), (None, False)):
        event = {"tool_name": "SendMessage", "transcript_path": transcript, "tool_input": {"to": to, "message": "x"}}
        assert (handle(event) is not None) == expected


SCRIPT = 'await agent("all of it", {agentType: "follow-" +\n  "up-writer"})'


@pytest.mark.parametrize(
    ("asked", "refused"),
    [
        ({"script": SCRIPT}, True),
        ({"script": "await agent(args.ask, {agentType: args.who})", "args": {"who": "quote-selector"}}, True),
        ({"script": 'await agent("look at the follow-up-writer")'}, False),
        ({"script": 'await agent("look", {agentType: "Explore"})'}, False),
        ({"scriptPath": "/no/such/file"}, False),
        ({}, False),
    ],
)
def test_a_workflow_calls_no_judge(tmp_path: Path, asked: dict[str, Any], refused: bool) -> None:
    """A script's agents pass no hook, so a script that could call a judge does not run; every other one does."""
    answer = handle({"tool_name": "Workflow", "tool_input": asked, "cwd": str(tmp_path)})
    assert (answer is not None) == refused


def test_a_workflow_from_a_file_calls_no_judge_either(tmp_path: Path) -> None:
    """What the script's file holds counts."""
    (tmp_path / "w.js").write_text(SCRIPT, encoding="utf-8")
    asked = {"scriptPath": str(tmp_path / "w.js")}
    assert said({"tool_name": "Workflow", "tool_input": asked})["permissionDecision"] == "deny"
