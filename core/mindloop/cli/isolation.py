"""Whether the client keeps what it adds by itself out of a subagent's request: git status and its memory.

Both hold what this conversation or an earlier one learned, other users' names among it. A project's settings switch
them off; a plugin cannot, so where mindloop runs as a plugin the gate looks here before it lets a packet through.
"""

from __future__ import annotations

import os

from mindloop.store.atomic import read_file
from mindloop.store.errors import MindloopError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

SETTINGS = ".claude/settings.json"
LOCAL = ".claude/settings.local.json"
_MANAGED = "/etc/claude-code/managed-settings.json"
# A setting, the variable of the environment that overrides it, what the client adds where both are silent.
_SWITCHES = (
    ("includeGitInstructions", "CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS", "git status"),
    ("autoMemoryEnabled", "CLAUDE_CODE_DISABLE_AUTO_MEMORY", "its memory"),
)
_YES, _NO = frozenset(("1", "true", "yes", "on")), frozenset(("0", "false", "no", "off"))
_LIMIT = 1_000_000
ADVICE = '"includeGitInstructions": false, "autoMemoryEnabled": false'


def isolation_problem(project: str, env: Mapping[str, str] = os.environ) -> str | None:
    """Why a subagent's request could hold more than its packet, in one line for a person, or None.

    As client 2.1.197 does: a variable wins over every file; of the files the first that has the setting decides, in the
    order managed, local, project, user; a file that is no JSON or has another kind of value there counts as absent.

    Args:
        project: the folder that the client was started in; settings of folders above or below it are not read.
        env: the client's environment, as its hooks have it.
    """
    files = [(path, _settings(path)) for path in _files(project, env)]
    for name, variable, what in _SWITCHES:
        said = env.get(variable, "").strip().lower()
        if said in _YES:
            continue
        if said in _NO:
            return f"{variable}={said} lets Claude Code add {what} to a subagent's request. Unset it and start again."
        path, is_on = next(((path, found[name]) for path, found in files if name in found), (None, True))
        if is_on:
            return _problem(what, path, project)
    return None


def _problem(what: str, path: str | None, project: str) -> str:
    place = os.path.join(project, SETTINGS)
    why = f"{path} switches it on" if path else f"{place} does not switch it off"
    do = f"Have it say {ADVICE}" if path in (None, place) else "Take that out there"
    return f"Claude Code would add {what} to a subagent's request: {why}. {do}, then start Claude Code again."


def _files(project: str, env: Mapping[str, str]) -> list[str]:
    own = env.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude")
    return [
        _MANAGED,
        os.path.join(project, LOCAL),
        os.path.join(project, SETTINGS),
        os.path.join(own, "settings.json"),
    ]


def _settings(path: str) -> dict[str, Any]:
    """The settings of a file as far as they are ours to read; empty where the client ignores it, or it is no file."""
    from json import loads

    try:
        data = read_file(path, _LIMIT) or b""  # a pipe under that name is not waited for
        found = loads(data.decode("utf-8-sig"), parse_constant=_no_json)
    except (MindloopError, ValueError, RecursionError):
        return {}
    if not isinstance(found, dict) or not all(isinstance(found.get(name, True), bool) for name, _, _ in _SWITCHES):
        return {}
    return found


def _no_json(word: str) -> None:
    raise ValueError(f"{word} is no JSON, though Python reads it")
