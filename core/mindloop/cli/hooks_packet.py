"""Before the writer is called: the reference becomes the packet, and nothing else gets through."""

from __future__ import annotations

import os

from mindloop.cli.hooks import PREFIX, WRITER, calls_writer, is_writer, reference, tool_input, why, workspace_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EVENT = "PreToolUse"
_SUFFIX = ".jsonl"


def handle(event: dict[str, Any]) -> dict[str, Any] | None:
    """What the client is told before a tool runs: other input, a refusal, or nothing (None)."""
    if event.get("tool_name") == "SendMessage":
        return _message_gate(event)
    if not calls_writer(event):
        return None
    asked = tool_input(event)
    found = reference(asked.get("prompt"))
    if found is None:
        return _deny(
            f"The {WRITER} takes one packet reference as its whole prompt, {PREFIX}<run>/<user>, as "
            "`follow_up.py begin` and `follow_up.py status` print it. Nothing was sent."
        )
    try:
        return _swap(event, asked, *found)
    except Exception as error:  # noqa: BLE001 - a gate that fails is a gate that stays shut
        return _deny(f"No packet, nothing was sent: {why(error)}")


def _swap(event: dict[str, Any], asked: dict[str, Any], run: str, user: str) -> dict[str, Any]:
    """The writer's real input.

    The description carries the reference, because the hook behind the call sees the packet in the prompt's place. The
    call stays in the foreground: a background answer would come back through the conversation.
    """
    from mindloop.protocol.run_files import find_run, read_head, read_item
    from mindloop.store.errors import Negative

    workspace = workspace_of(event)
    place = find_run(workspace, run)
    packet = read_item(workspace, place, user)["prompt"]
    if user in read_head(workspace, place)["done"]:
        raise Negative(f"{user!r} of {run!r} is done already", "Go on with those who still wait.")
    wanted = {
        "subagent_type": asked["subagent_type"],
        "description": f"{PREFIX}{run}/{user}",
        "prompt": packet,
        "run_in_background": False,
    }
    if isinstance(asked.get("model"), str):
        wanted["model"] = asked["model"]
    return {"hookSpecificOutput": {"hookEventName": EVENT, "updatedInput": wanted}}


def _deny(reason: str) -> dict[str, Any]:
    said = {"hookEventName": EVENT, "permissionDecision": "deny", "permissionDecisionReason": reason}
    return {"hookSpecificOutput": said}


def _message_gate(event: dict[str, Any]) -> dict[str, Any] | None:
    """A finished writer could be sent free text by its id; the client keeps each id's kind beside the transcript."""
    transcript, to = event.get("transcript_path"), tool_input(event).get("to")
    if not isinstance(transcript, str) or not isinstance(to, str) or "/" in to or "\0" in to or not to:
        return None
    notes = f"{transcript.removesuffix(_SUFFIX)}/subagents/agent-{to}.meta.json"
    if not os.path.isfile(notes):
        return None
    with open(notes, encoding="utf-8") as file:
        kept = file.read()
    from json import loads

    if not is_writer(loads(kept).get("agentType")):
        return None
    return _deny(f"The {WRITER} answers its packet and nothing else. Call it again with the packet's reference.")
