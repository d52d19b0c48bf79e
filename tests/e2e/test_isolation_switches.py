"""What the client adds to a subagent's request by itself, and that `isolation_problem` says when it does."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from mindloop.cli.isolation import isolation_problem
from tests.helpers.client_sandbox import Sandbox, client, environment, git
from tests.helpers.model_api import ModelApi, call, text

if TYPE_CHECKING:
    from pathlib import Path

    from tests.helpers.model_api import Block, Request

pytestmark = pytest.mark.e2e
MARKS = ("kanarie-of-git-status.txt", "kanarie-of-the-memory")
OFF = {"includeGitInstructions": False, "autoMemoryEnabled": False}
ON = {"includeGitInstructions": True, "autoMemoryEnabled": True}
PROJECT, LOCAL, USER = (
    "project/.claude/settings.json",
    "project/.claude/settings.local.json",
    "home/.claude/settings.json",
)
VARIABLES = ("CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS", "CLAUDE_CODE_DISABLE_AUTO_MEMORY")
CASES: dict[str, tuple[dict[str, object], dict[str, str], bool]] = {
    "nothing is said": ({}, {}, True),
    "the project says no": ({PROJECT: OFF}, {}, False),
    "the person says no": ({USER: OFF}, {}, False),
    "the project before the person": ({PROJECT: ON, USER: OFF}, {}, True),
    "the local file before the project": ({PROJECT: OFF, LOCAL: ON}, {}, True),
    "a file that is no JSON is absent": ({PROJECT: OFF, LOCAL: "{,"}, {}, False),
    "a value of another kind": ({PROJECT: dict.fromkeys(OFF, "false")}, {}, True),
    "a variable that says no before all files": ({PROJECT: ON}, dict.fromkeys(VARIABLES, "1"), False),
    "a variable that says yes before all files": ({PROJECT: OFF}, dict.fromkeys(VARIABLES, "0"), True),
    "a variable that says nothing": ({PROJECT: OFF}, dict.fromkeys(VARIABLES, ""), False),
}


def sandbox_with(folder: Path, files: dict[str, object]) -> Sandbox:
    """A project under git with an untracked file, a memory, a subagent without tools, and the given settings."""
    sandbox = Sandbox(folder)
    git("init", "-q", ".", cwd=sandbox.project, home=sandbox.home)
    memory = sandbox.home / ".claude/projects" / re.sub(r"[^A-Za-z0-9]", "-", str(sandbox.project)) / "memory"
    agents = sandbox.project / ".claude/agents"
    for place in (memory, agents):
        place.mkdir(parents=True)
    (sandbox.project / MARKS[0]).touch()
    (memory / "MEMORY.md").write_text(MARKS[1], encoding="utf-8")
    (agents / "reader.md").write_text("---\nname: reader\ndescription: reads\ntools: []\n---\nread\n", encoding="utf-8")
    for name, content in files.items():
        top, _, rest = name.partition("/")
        path = (sandbox.home if top == "home" else sandbox.project) / rest
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return sandbox


@pytest.mark.parametrize(("files", "env", "open_"), CASES.values(), ids=CASES)
def test_the_gates_view_is_what_the_client_does(
    tmp_path: Path, files: dict[str, object], env: dict[str, str], *, open_: bool
) -> None:
    """Where the function sees a problem, both marks are in the subagent's request; where it sees none, neither is."""
    client()
    sandbox = sandbox_with(tmp_path, files)
    left = [[call("Agent", subagent_type="reader", description="look", prompt="hello")]]

    def script(request: Request) -> list[Block]:
        return left.pop() if request.is_main and left else [text("done")]

    with ModelApi(script) as api:
        sandbox.ask(api.url, "go", **env).really_ran()
    (request,) = api.subagents
    problem = isolation_problem(str(sandbox.project), environment(sandbox.home, "", **env))

    assert [request.holds(mark) for mark in MARKS] == [open_, open_]
    assert (problem is not None) is open_
