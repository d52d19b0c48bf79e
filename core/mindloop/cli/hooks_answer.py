"""After a judge has answered: the raw answer goes into the run, a receipt into the conversation."""

from __future__ import annotations

from mindloop.cli.hooks import PREFIX, judge_asked, judge_called, reference, tool_input, why, workspace_of
from mindloop.store.errors import Negative

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

HOST = "claude-code"
_API_ERROR = "API Error"


def handle(event: dict[str, Any]) -> dict[str, Any] | None:
    """What the client shows the model in the answer's place, or nothing (None) for everybody else's subagents."""
    judge = judge_called(event)
    if judge is None:
        return None
    response = event.get("tool_response")
    if not isinstance(response, dict) or not isinstance(response.get("content"), list):
        response = {"content": []}  # a shape that we do not know is shown to nobody
    label = str(tool_input(event).get("description"))
    try:
        receipt = _file(event, response, judge)
    except Negative as error:  # nothing waits for this answer any more: another call would be paid for nothing
        receipt = f"not filed, nothing to do: {why(error)}"
    except Exception as error:  # noqa: BLE001 - the answer is not shown either way
        receipt = f"not filed, still open: {why(error)}"
    return _in_place_of(response, label if reference(label) else f"{PREFIX}?", receipt)


def _file(event: dict[str, Any], response: dict[str, Any], judge: str) -> str:
    """File the answer where it is one; say what happened."""
    asked = tool_input(event)
    found = reference(asked.get("description"))
    if found is None:
        return "not filed: the call carried no packet reference"
    if response.get("status") != "completed":
        return f"not filed, still open: the {judge} ended with status {str(response.get('status'))[:40]!r}"
    raw = _text(response)
    if _is_api_error(raw, response):
        return f"not filed, still open; call it again later: {' '.join(raw.split())[:200]}"
    from mindloop.protocol.run_files import file_answer, find_run, read_item

    workspace = workspace_of(event)
    item = read_item(workspace, find_run(workspace, found[0]), found[1])
    if judge_asked(item) != judge or item["prompt"] != asked.get("prompt"):
        return f"not filed, still open: the {judge} was not given this packet"
    return file_answer(workspace, *found, raw, HOST)


def _text(response: dict[str, Any]) -> str:
    """The judge's last words, unchanged."""
    blocks = [block for block in response["content"] if isinstance(block, dict) and block.get("type") == "text"]
    return "".join(str(block.get("text", "")) for block in blocks)


def _is_api_error(raw: str, response: dict[str, Any]) -> bool:
    """The client reports a failed model call as an answer; no token of it came from a model."""
    usage = response.get("usage")
    tokens = usage.get("output_tokens") if isinstance(usage, dict) else None
    return raw.startswith(_API_ERROR) and not tokens


def _in_place_of(response: dict[str, Any], label: str, receipt: str) -> dict[str, Any]:
    """The response with a receipt for its text.

    The client takes a replacement only in the response's own shape. The packet and the subagent's id go too: with the
    id the conversation could send the writer free text.
    """
    shown = {**response, "content": [{"type": "text", "text": f"{label}: {receipt}"}], "prompt": label, "agentId": ""}
    return {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": shown}}
