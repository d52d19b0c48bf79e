"""Before a judge is called: the reference becomes the packet, and nothing else gets through."""

from __future__ import annotations

import os

from mindloop.cli.hooks import (
    PREFIX,
    judge_asked,
    judge_called,
    judge_of,
    names_judge,
    reference,
    tool_input,
    why,
    workspace_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EVENT = "PreToolUse"
_PLUGIN = "mindloop"  # the name in plugin.json
_SUFFIX = ".jsonl"
_SCRIPT_LIMIT = 1_000_000


def handle(event: dict[str, Any]) -> dict[str, Any] | None:
    """What the client is told before a tool runs: other input, a refusal, or nothing (None)."""
    tool = event.get("tool_name")
    if tool == "SendMessage":
        return _message_gate(event)
    if tool == "Workflow":
        return _workflow_gate(event)
    judge = judge_called(event)
    if judge is None:
        return None
    asked = tool_input(event)
    found = reference(asked.get("prompt"))
    if found is None:
        return _deny(
            f"The {judge} takes one packet reference as its whole prompt, {PREFIX}<run>/<item>, as the commands "
            "and `follow_up.py status` print it. Nothing was sent."
        )
    try:
        return _swap(event, asked, judge, *found)
    except Exception as error:  # noqa: BLE001 - a gate that fails is a gate that stays shut
        return _deny(f"No packet, nothing was sent: {why(error)}")


def _swap(event: dict[str, Any], asked: dict[str, Any], judge: str, run: str, name: str) -> dict[str, Any]:
    """The judge's real input.

    The description carries the reference, because the hook behind the call sees the packet in the prompt's place. The
    call stays in the foreground: a background answer would come back through the conversation. A plugin's subagent gets
    its full name: the client knows it by no other, and the bare one may be an agent of the project, with tools.
    """
    from mindloop.protocol.run_files import find_run, read_head, read_item
    from mindloop.store.errors import Negative, WrongInput

    _check_isolation(event)
    workspace = workspace_of(event)
    place = find_run(workspace, run)
    item = read_item(workspace, place, name)
    if judge_asked(item) != judge:
        raise WrongInput(f"{PREFIX}{run}/{name} is for the {judge_asked(item)[:40]!r}", "Call that subagent with it.")
    if name in read_head(workspace, place)["done"]:
        raise Negative(f"{name!r} of {run!r} is done already", "Go on with those who still wait.")
    wanted = {
        "subagent_type": f"{_PLUGIN}:{judge}" if _is_plugin() else asked["subagent_type"],
        "description": f"{PREFIX}{run}/{name}",
        "prompt": item["prompt"],
        "run_in_background": False,
    }
    if isinstance(asked.get("model"), str):
        wanted["model"] = asked["model"]
    return {"hookSpecificOutput": {"hookEventName": EVENT, "updatedInput": wanted}}


def _check_isolation(event: dict[str, Any]) -> None:
    """Raise WrongInput where a plugin's project lets the client add to a judge's request.

    A clone brings the settings that switch this off; a plugin has none, so the project's are looked at.
    """
    if not _is_plugin():
        return
    from mindloop.cli.isolation import isolation_problem

    problem = isolation_problem(os.environ.get("CLAUDE_PROJECT_DIR") or str(event.get("cwd")))
    if problem:
        from mindloop.store.errors import WrongInput

        raise WrongInput(problem, "")


def _is_plugin() -> bool:
    return bool(os.environ.get("CLAUDE_PLUGIN_ROOT"))


def _deny(reason: str) -> dict[str, Any]:
    said = {"hookEventName": EVENT, "permissionDecision": "deny", "permissionDecisionReason": reason}
    return {"hookSpecificOutput": said}


def _message_gate(event: dict[str, Any]) -> dict[str, Any] | None:
    """A finished judge could be sent free text by its id; the client keeps each id's kind beside the transcript."""
    transcript, to = event.get("transcript_path"), tool_input(event).get("to")
    if not isinstance(transcript, str) or not isinstance(to, str) or "/" in to or "\0" in to or not to:
        return None
    notes = f"{transcript.removesuffix(_SUFFIX)}/subagents/agent-{to}.meta.json"
    if not os.path.isfile(notes):
        return None
    with open(notes, encoding="utf-8") as file:
        kept = file.read()
    from json import loads

    judge = judge_of(loads(kept).get("agentType"))
    if judge is None:
        return None
    return _deny(f"The {judge} answers its packet and nothing else. Call it again with the packet's reference.")


def _workflow_gate(event: dict[str, Any]) -> dict[str, Any] | None:
    """A workflow's script calls agents without any hook being asked, so no script may name both an agent and a judge.

    Letters alone are looked at, so that a name put together from pieces is still the name.
    """
    from json import dumps

    asked = tool_input(event)
    given = [value if isinstance(value, str) else dumps(value, ensure_ascii=False) for value in asked.values()]
    written = "\n".join([*given, _file_text(asked.get("scriptPath"))])
    if "agentType" not in written or not names_judge(written):
        return None
    return _deny(
        "A workflow may not call a judge: its packet would go in and its answer come out through the conversation. "
        f"Call the Agent tool with the packet's reference, {PREFIX}<run>/<item>."
    )


def _file_text(path: object) -> str:
    if not isinstance(path, str) or not os.path.isfile(path):
        return ""
    with open(path, "rb") as file:
        return file.read(_SCRIPT_LIMIT).decode("utf-8", "replace")
