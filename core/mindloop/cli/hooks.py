"""What the client's hooks share: whose call it is, which packet it is about, how an answer goes back.

A hook runs for every subagent call of every conversation, so it imports next to nothing, is silent for everything that
is not one of our judges, and leaves without the interpreter's teardown.
"""

from __future__ import annotations

import os
import sys

from mindloop.store.errors import MindloopError
from mindloop.store.lazy_patterns import CompiledLater

with CompiledLater():  # those of the decoder in pure Python
    import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mindloop.store.workspace import Workspace

WRITER = "follow-up-writer"
JUDGES = {
    "followupwriter": WRITER,
    "cognitiondistiller": "cognition-distiller",
    "replyclassifier": "reply-classifier",
    "quoteselector": "quote-selector",
    "synthesiswriter": "synthesis-writer",
}
"""The subagents that get a packet and nothing else: letters of the name to the name, as in ``.claude/agents``."""
AGENT_TOOLS = ("Agent", "Task")
PREFIX = "packet:"
_SHOWN = 400


def launch_hook(handle: Callable[[dict[str, Any]], dict[str, Any] | None], *, is_gate: bool = False) -> None:
    """Read the event, print what ``handle`` makes of it, leave with 0.

    A fault of ours leaves with 1 and a line on stderr. Only a gate leaves with 2, the code that blocks a call, and only
    where the event names a judge. Nothing that can fail comes before the event is read: where this file cannot even
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
        code = 2 if is_gate and names_judge(data.decode("utf-8", "replace")) else 1
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


def judge_of(agent_type: object) -> str | None:
    """The judge that the client would take ``agent_type`` for, else None.

    It compares compatibility forms without case, blanks, dashes and underscores: ``Follow up_WRITER`` in full-width
    letters is the writer too. A plugin's agents have its name in front: ``mindloop:follow-up-writer``.
    """
    if not isinstance(agent_type, str):
        return None
    return JUDGES.get(_letters(_plain(agent_type).rpartition(":")[2]))


def names_judge(text: str) -> bool:
    """Whether a judge's name stands anywhere in a text, whatever separates its letters."""
    letters = _letters(_plain(text))
    return any(judge in letters for judge in JUDGES)


def _plain(text: str) -> str:
    if text.isascii():
        return text
    from unicodedata import normalize

    return normalize("NFKC", text)


def _letters(name: str) -> str:
    return "".join([char for char in name.lower() if char.isascii() and char.isalnum()])


def judge_called(event: dict[str, Any]) -> str | None:
    """The judge that the event calls, or None for everything else."""
    return judge_of(tool_input(event).get("subagent_type")) if event.get("tool_name") in AGENT_TOOLS else None


def judge_asked(item: dict[str, Any]) -> str:
    """The judge that an item of a run is for; the items of older runs name none and are the writer's."""
    return str(item.get("judge", WRITER))


def reference(text: object) -> tuple[str, str] | None:
    """Run and item of a text that is ``packet:<run>/<item>`` and nothing else, else None."""
    words = text.split() if isinstance(text, str) and len(text) <= _SHOWN else []
    if len(words) != 1 or not words[0].startswith(PREFIX):
        return None
    run, slash, item = words[0].removeprefix(PREFIX).partition("/")
    return (run, item) if run and slash and item and "/" not in item else None


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
