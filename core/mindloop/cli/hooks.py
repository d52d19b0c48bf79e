"""What the client's hooks share: whose call it is, which packet it is about, how an answer goes back.

A hook runs for every subagent call of every conversation, so it imports next to nothing, is silent for everything that
is not the follow-up writer, and leaves without the interpreter's teardown.
"""

from __future__ import annotations

import json
import os
import sys

from mindloop.store.errors import MindloopError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mindloop.store.workspace import Workspace

WRITER = "follow-up-writer"
AGENT_TOOLS = ("Agent", "Task")
PREFIX = "packet:"
_SHOWN = 400


def launch_hook(handle: Callable[[dict[str, Any]], dict[str, Any] | None], *, is_gate: bool = False) -> None:
    """Read the event, print what ``handle`` makes of it, leave with 0.

    A fault of ours leaves with 1 and a line on stderr. Only a gate leaves with 2, the code that blocks a call, and only
    where the event names the writer. Nothing that can fail comes before the event is read: where this file cannot even
    start, the event is still there for the shell line in ``settings.json`` to look at.
    """
    code, data = 0, b""
    try:
        data = sys.stdin.buffer.read()
        said = handle(read_event(data))
        if said is not None:
            sys.stdout.buffer.write(json.dumps(said).encode("ascii"))
            sys.stdout.flush()
    except Exception as error:  # noqa: BLE001 - the last line; the client shows it in its debug log
        code = 2 if is_gate and _letters(WRITER) in _letters(data.decode("utf-8", "replace")) else 1
        sys.stderr.write(f"mindloop: a hook failed: {type(error).__name__}: {error}\n")
        sys.stderr.flush()
    os._exit(code)


def read_event(data: bytes) -> dict[str, Any]:
    """The event as the client wrote it; raises ValueError or TypeError where it is no JSON object."""
    event = json.loads(data)
    if not isinstance(event, dict):
        raise TypeError(f"a hook reads a JSON object, not {type(event).__name__}")
    return event


def tool_input(event: dict[str, Any]) -> dict[str, Any]:
    """The tool's arguments; empty where there are none."""
    found = event.get("tool_input")
    return found if isinstance(found, dict) else {}


def is_writer(agent_type: object) -> bool:
    """Whether the client would take ``agent_type`` for the writer.

    It compares letters and digits alone, whatever their case: ``Follow up_WRITER`` is the writer too.
    """
    if not isinstance(agent_type, str):
        return False
    return _letters(agent_type) == _letters(WRITER)


def _letters(name: str) -> str:
    return "".join(char for char in name.lower() if char.isascii() and char.isalnum())


def calls_writer(event: dict[str, Any]) -> bool:
    """Whether the event is a call of the writer subagent."""
    return event.get("tool_name") in AGENT_TOOLS and is_writer(tool_input(event).get("subagent_type"))


def reference(text: object) -> tuple[str, str] | None:
    """Run and user of a text that is ``packet:<run>/<user>`` and nothing else, else None."""
    words = text.split() if isinstance(text, str) and len(text) <= _SHOWN else []
    if len(words) != 1 or not words[0].startswith(PREFIX):
        return None
    run, slash, user = words[0].removeprefix(PREFIX).partition("/")
    return (run, user) if run and slash and user and "/" not in user else None


def workspace_of(event: dict[str, Any]) -> Workspace:
    """The workspace of the conversation's folder, else of the project it was started in.

    Raises:
        MindloopError: there is none.
    """
    from mindloop.store.locate import NoWorkspace
    from mindloop.store.workspace import Workspace

    cwd = event.get("cwd")
    try:
        return Workspace.find(cwd if isinstance(cwd, str) and os.path.isdir(cwd) else None)
    except NoWorkspace:
        project = os.environ.get("CLAUDE_PROJECT_DIR", "")
        if not os.path.isdir(project):
            raise
        return Workspace.find(project)


def why(error: BaseException) -> str:
    """One short line for the model: what went wrong, without any text of a packet."""
    text = str(error) if isinstance(error, MindloopError) else f"{type(error).__name__} in a hook of mindloop"
    return " ".join(text.split())[:_SHOWN]
