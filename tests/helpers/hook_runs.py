"""A workspace with one open run, and the events that the client would send about it."""

from __future__ import annotations

from mindloop.protocol.run_files import RunPlace, prompt_hash, write_object
from tests.helpers.research import research_workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from mindloop.store.workspace import Workspace

RUN = "follow-up-2026-02-11-001"
PACKET = "Pâquet of alice 🦊\r\n\n  data \n\n"
REFERENCE = f"packet:{RUN}/alice"


def open_run(root: Path, done: dict[str, Any] | None = None, *, judge: str | None = None) -> Workspace:
    """A workspace whose run has one packet, alice's; ``done`` are the users that were resumed.

    The packet is for ``judge``; without one it is an item of an older run, which names nobody.
    """
    workspace = research_workspace(root)
    place = RunPlace("researcher", RUN)
    with workspace.transaction(place.scope) as tx:
        head = {"schema": 1, "state": "open", "started_at": "2026-02-14T10:00:00Z", "skipped": []}
        write_object(tx, place.head, {**head, "waiting": {"alice": "alice"}, "done": done or {}})
        item = {"schema": 1, "user": "alice", "slug": "alice", "prompt": PACKET, "sha256": prompt_hash(PACKET)}
        item |= {"judge": judge} if judge else {}
        write_object(tx, place.item("alice"), item)
    return workspace


def before(root: Path, prompt: object, **more: object) -> dict[str, Any]:
    """The event before a call of a judge, the writer where ``more`` names no other."""
    asked = {"subagent_type": "follow-up-writer", "description": "packet", "prompt": prompt, **more}
    return {"hook_event_name": "PreToolUse", "tool_name": "Agent", "cwd": str(root), "tool_input": asked}


def after(
    root: Path,
    answer: str,
    prompt: str = PACKET,
    description: str = REFERENCE,
    judge: str = "follow-up-writer",
    **more: Any,
) -> dict[str, Any]:
    """The event after a judge has answered; ``more`` goes into the response."""
    asked = {"subagent_type": judge, "description": description, "prompt": prompt}
    response = {
        "status": "completed",
        "prompt": prompt,
        "agentId": "a1b2c3",
        "agentType": judge,
        "content": [{"type": "text", "text": answer}],
        "usage": {"output_tokens": 5},
        **more,
    }
    event = {"hook_event_name": "PostToolUse", "tool_name": "Agent", "cwd": str(root), "tool_input": asked}
    return {**event, "tool_response": response}
