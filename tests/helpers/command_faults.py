"""Commands in the crash laboratory: what a command may leave behind when a system call of it fails.

``commands`` makes a scenario of command lines. A command that exits 0 has acknowledged its work; every other end must
be a message, never a trace. ``repeated`` judges what a fault left with the eyes of the person who comes next: a
``status`` recovers, everything reads, the same commands again bring the workspace to where they would have brought it.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from mindloop.observer.batch.file import compat_problems, parse_batch
from mindloop.observer.canvas.reading import load_canvases
from mindloop.observer.names import slug
from mindloop.protocol.run_files import all_runs, read_answer, read_head, read_item
from mindloop.store import records, strict_yaml
from mindloop.store.documents import read_yaml
from mindloop.store.errors import StoreFailure
from mindloop.store.transaction import Transaction
from mindloop.store.workspace import Workspace
from tests.helpers.command_line import Called, call
from tests.helpers.faults import Outcome, State, snapshot, verify

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.helpers.faults import Act, Judge

NOW = "2026-02-20T09:00:00Z"
FOLLOW_UPS = "grimoires/observer/follow-ups"
GROWTH = "grimoires/observer/growth"
PROPOSALS = ".proposed_matches.yaml"
EVERY = int(os.environ.get("MINDLOOP_FAULTS", "1"))  # every call; a larger number is a quick look
"""Of the long scenarios each third call fails; with MINDLOOP_FAULTS=all, each."""
SCORE_COMMAND = "core/scripts/observer/score-api-query.sh"


class Line:
    """A command line: the command, its arguments, standard input, its time, and how long it waits for a lock in s."""

    def __init__(self, name: str, *argv: str, stdin: str = "", now: str = NOW, patience: float = 5) -> None:
        self.name = name
        self.argv = argv
        self.stdin = stdin
        self.now = now
        self.patience = patience

    def run(self, root: Path | str) -> Called:
        """Run it in this process on a workspace."""
        env = {"MINDLOOP_ROOT": str(root), "MINDLOOP_NOW": self.now, "MINDLOOP_LOCK_TIMEOUT": str(self.patience)}
        return call(self.name, *self.argv, stdin=self.stdin, **env)

    def __str__(self) -> str:
        return " ".join([self.name, *self.argv])


STATUS = Line("follow_up", "status", "--json")


def commands(*lines: Line) -> Act:
    """A scenario of command lines, each acknowledged by its exit code."""

    def act(root: str, acknowledge: Callable[[], None]) -> None:
        for line in lines:
            called = line.run(root)
            require_honest(line, called)
            if called.code:
                raise StoreFailure(called.err, "See above.")
            acknowledge()

    return act


def require_honest(line: Line, called: Called) -> None:
    """A command ends with 0, or with a message and a code that says so; never with a trace or a fault of its own."""
    assert called.code in (0, 1, 2, 75), f"{line}: exit {called.code}\n{called.err}"
    assert "Traceback" not in called.err, f"{line}\n{called.err}"
    if called.code:
        assert called.err.startswith(("mindloop: ", "note: ")), f"{line}: exit {called.code} without a word"
        assert called.out == "", f"{line}: a result was printed and the exit code is {called.code}\n{called.out}"


def succeed(line: Line, root: Path | str) -> Called:
    """Run a line that has to work."""
    called = line.run(root)
    assert called.code == 0, f"{line}: exit {called.code}\n{called.err}"
    return called


def findings(root: Path | str) -> list[dict[str, Any]]:
    """What doctor finds."""
    called = Line("doctor", "--json").run(root)
    assert called.code in (0, 1), called.err
    found: list[dict[str, Any]] = called.json["findings"]
    return found


def repeated(*lines: Line, more: Callable[[Path], None] | None = None) -> Judge:
    """Judge lines of one transaction each: old state or new one, and who goes on from there gets to the end.

    Args:
        lines: the scenario's; those that were not acknowledged are run again, the last one in any case.
        more: looks at the workspace after the recovery and again at the end.
    """

    def judge(root: Path, states: list[State], outcome: Outcome) -> None:
        succeed(STATUS, root)
        require_no_leftovers(root, outcome)
        verify(root, states, outcome)
        require_readable(root)
        if more:
            more(root)
        for line in lines[min(outcome.acknowledged, len(lines) - 1) :]:
            require_honest(line, line.run(root))
        assert snapshot(root) == states[-1], f"{outcome}: the next commands do not complete it"
        if more:
            more(root)

    return judge


def milestones(prepared: Path, act: Act, folder: Path) -> list[State]:
    """The states of the files between the transactions of a scenario, the first and the last included."""
    root = folder / "milestones"
    shutil.copytree(prepared, root, symlinks=True)
    states = [snapshot(root)]
    leave = Transaction.__exit__

    def leave_and_look(self: Transaction, *error: Any) -> None:
        leave(self, *error)
        states.append(snapshot(root))

    with patch.object(Transaction, "__exit__", leave_and_look):
        act(str(root), lambda: None)
    states.append(snapshot(root))
    shutil.rmtree(root)
    return states


# --- what has to hold whatever happened -------------------------------------------------------------------------------


def require_no_leftovers(root: Path, outcome: object) -> None:
    """No journal of a dead process and no temporary file."""
    folder = root / ".mindloop" / "journal"
    left = [name for name in os.listdir(folder) if "~" in name] if folder.is_dir() else []
    assert left == [], f"{outcome}: the next command left {left}"
    half = [path for path in snapshot(root) if path.endswith(".tmp")]
    assert half == [], f"{outcome}: temporary files {half}"


def require_readable(root: Path, *, torn: bool = False) -> None:
    """Every file of the workspace reads: YAML, JSON, JSONL, canvases, batches, growth states, runs.

    Args:
        root: the workspace.
        torn: nobody has recovered yet, so that the last line of a JSONL file may be cut short.
    """
    for folder, _, names in os.walk(root):
        for name in names:
            if not name.startswith(".") and not folder.startswith(str(root / ".mindloop")):
                _require_file(Path(folder) / name, torn=torn)
    workspace = Workspace(str(root))
    assert [one.error for one in load_canvases(workspace) if one.error] == []
    for name in workspace.names(GROWTH, ".yaml"):
        schema = "proposed-matches" if name.endswith(PROPOSALS) else "growth"
        assert read_yaml(workspace, f"{GROWTH}/{name}", schema) is not None
    for name in workspace.names(FOLLOW_UPS, ".md"):
        path = f"{FOLLOW_UPS}/{name}"
        assert compat_problems(workspace.read_text(path) or "", path) == []
    for place in all_runs(workspace):
        read_head(workspace, place)
        for item in workspace.names(place.folder, ".json"):
            read_item(workspace, place, item.removesuffix(".json"))
        for item in workspace.names(place.answers, ".json"):
            assert read_answer(workspace, place, item.removesuffix(".json")) is not None


def _require_file(path: Path, *, torn: bool) -> None:
    data = path.read_bytes()
    if path.suffix == ".yaml":
        strict_yaml.load(data.decode(), str(path))
    elif path.suffix == ".json":
        json.loads(data)
    elif path.suffix == ".jsonl":
        lines = list(records.scan(data))
        bad = [line.reason for line in (lines[:-1] if torn else lines) if line.reason]
        assert bad == [], f"{path}: {bad}"


def require_agreement(root: Path) -> None:
    """Batches, growth states and heads tell the same story: who is done, with which messages, each exactly once."""
    workspace = Workspace(str(root))
    batches = [
        parse_batch(workspace.read_text(f"{FOLLOW_UPS}/{name}") or "") for name in workspace.names(FOLLOW_UPS, ".md")
    ]
    printed: dict[str, list[str]] = {}
    for batch in batches:
        for section in batch["sections"]:
            numbers = [message["number"] for message in section["messages"]]
            assert numbers == list(range(1, len(numbers) + 1)), f"{section['user']}: {numbers}"
            printed.setdefault(slug(section["user"]), []).extend(str(m["token"]) for m in section["messages"])
        assert batch["total_messages"] == sum(len(section["messages"]) for section in batch["sections"])
    recorded = {}
    for name in workspace.names(GROWTH, ".yaml"):
        if name.endswith(PROPOSALS):
            continue
        state: Any = read_yaml(workspace, f"{GROWTH}/{name}", "growth")
        tokens = [message["token"] for one in state["follow_ups"] for message in one["message_ids"]]
        assert state["next_batch_seq"] == 1 + len(state["follow_ups"])
        if tokens:
            recorded[name.removesuffix(".yaml")] = tokens
    assert {user: sorted(tokens) for user, tokens in printed.items()} == {
        user: sorted(tokens) for user, tokens in recorded.items()
    }
    assert all(count == 1 for tokens in printed.values() for count in Counter(tokens).values())
    _require_runs(workspace, [run for batch in batches for run in batch["runs"]])


def _require_runs(workspace: Workspace, listed: list[dict[str, object]]) -> None:
    """The runs that the batches name, with their users, are those of the heads that finished somebody."""
    done = {}
    for place in all_runs(workspace):
        head = read_head(workspace, place)
        if head["done"]:
            done[place.run] = sorted(slug(head["waiting"][item]) for item in head["done"])
    named: dict[str, list[str]] = {}
    for run in listed:
        users = run["users"]
        assert isinstance(users, list)
        named.setdefault(str(run["run"]), []).extend(slug(str(user)) for user in users)
    assert {run: sorted(users) for run, users in named.items() if users} == done


# --- a workspace to fail in -------------------------------------------------------------------------------------------


def quick_scores(root: Path) -> None:
    """A score command of the workspace's own that answers at once: crash suites begin thousands of runs."""
    path = root / SCORE_COMMAND
    path.parent.mkdir(parents=True)
    path.write_text('#!/bin/sh\necho \'{"rank": 12, "crowd_tier": "devoted", "og_score": 41}\'\n')
    path.chmod(0o755)


def try_lock(path: str) -> None:
    """Take a lock and free it; BlockingIOError where somebody has it."""
    with open(path, "a+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
