"""Every write path of the store, killed or refused at every single system call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mindloop.store import records, strict_yaml
from mindloop.store.workspace import Workspace
from tests.helpers import faults

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

INDEX = "grimoires/mining/provenance/index.jsonl"
CANVAS = "grimoires/observer/canvas/alice-canvas.md"
GROWTH = "grimoires/observer/growth/alice.yaml"


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    root = tmp_path / "prepared"
    workspace = Workspace(str(root))
    (root / "grimoires/observer/canvas").mkdir(parents=True)
    (root / "mindloop.yaml").write_text("schema: 1\n")
    with workspace.transaction("research", "user:alice") as tx:
        tx.write(INDEX, b"".join(records.encode({"id": number}) + b"\n" for number in range(3)))
        tx.write(CANVAS, "---\nuser: alice\n---\n# alice\n")
        tx.write(GROWTH, strict_yaml.dump({"user": "alice", "n": 0}))
        tx.write("old.txt", "old\n")
    return root


def replace_one(root: str, acknowledge: Callable[[], None]) -> None:
    with Workspace(root).transaction("user:alice") as tx:
        tx.write(GROWTH, strict_yaml.dump({"user": "alice", "n": 1}))
    acknowledge()


def create_one_in_new_folders(root: str, acknowledge: Callable[[], None]) -> None:
    with Workspace(root).transaction("user:alice") as tx:
        tx.write("a/b/c/new.txt", "new\n")
    acknowledge()


def remove_one(root: str, acknowledge: Callable[[], None]) -> None:
    with Workspace(root).transaction("world") as tx:
        tx.remove("old.txt")
    acknowledge()


def append_one(root: str, acknowledge: Callable[[], None]) -> None:
    with Workspace(root).transaction("research") as tx:
        tx.append(INDEX, records.encode({"id": 3, "text": "x" * 300}))
    acknowledge()


def append_behind_a_torn_line(root: str, acknowledge: Callable[[], None]) -> None:
    with Workspace(root).transaction("research") as tx:
        tx.append("torn.jsonl", records.encode({"id": 3}))
    acknowledge()


def canvas_and_index(root: str, acknowledge: Callable[[], None]) -> None:
    with Workspace(root).transaction("research", "user:alice") as tx:
        tx.write(CANVAS, (tx.read_text(CANVAS) or "") + '\n> "quote"\n')
        tx.append(INDEX, records.encode({"id": 3}))
    acknowledge()


def everything_at_once(root: str, acknowledge: Callable[[], None]) -> None:
    with Workspace(root).transaction("research", "user:alice", "world") as tx:
        tx.append(INDEX, records.encode({"id": 3}))
        tx.append("torn.jsonl", records.encode({"id": 3}))
        tx.write(GROWTH, strict_yaml.dump({"user": "alice", "n": 1}))
        tx.write("new/one.txt", "1\n")
        tx.remove("old.txt")
    acknowledge()


def three_in_a_row(root: str, acknowledge: Callable[[], None]) -> None:
    workspace = Workspace(root)
    for number in range(3, 6):
        with workspace.transaction("research") as tx:
            tx.append(INDEX, records.encode({"id": number}))
            tx.write("counter.txt", f"{number}\n")
        acknowledge()


SCENARIOS = [
    replace_one,
    create_one_in_new_folders,
    remove_one,
    append_one,
    append_behind_a_torn_line,
    canvas_and_index,
    everything_at_once,
    three_in_a_row,
]


def every_file_parses(root: str) -> None:
    """What a reader without any lock meets right after the fault."""
    workspace = Workspace(root)
    assert strict_yaml.load(workspace.read_text(GROWTH) or "") in (
        {"user": "alice", "n": "0"},
        {"user": "alice", "n": "1"},
    )
    assert (workspace.read_text(CANVAS) or "").startswith("---\nuser: alice\n---\n# alice\n")
    lines = list(records.scan(workspace.read(INDEX) or b""))
    assert [line.number for line in lines[:-1] if line.reason] == []
    assert [line.record for line in lines[:3]] == [{"id": 0}, {"id": 1}, {"id": 2}]


@pytest.mark.parametrize("act", SCENARIOS, ids=lambda act: act.__name__)
def test_every_fault_leaves_the_old_state_or_the_new_one(act: faults.Act, prepared: Path, tmp_path: Path) -> None:
    """Whatever call fails, recovery finds the last acknowledged state or the one under way, whole."""
    (prepared / "torn.jsonl").write_bytes(b'{"id": 1}\n{"id"')
    runs = tmp_path / "runs"
    runs.mkdir()

    report = faults.exhaust(prepared, act, runs, check=every_file_parses)

    assert report.statuses["killed"] > 3
    assert report.statuses["refused"] > 3


@pytest.mark.parametrize("act", [canvas_and_index, everything_at_once], ids=lambda act: act.__name__)
def test_a_fault_during_recovery_changes_nothing_about_the_result(
    act: faults.Act, prepared: Path, tmp_path: Path
) -> None:
    """Recovery that is itself killed or refused at any call is completed by the next one."""
    (prepared / "torn.jsonl").write_bytes(b'{"id": 1}\n{"id"')
    runs = tmp_path / "runs"
    runs.mkdir()

    report = faults.exhaust(prepared, act, runs, kinds=("kill",), compound=True)

    assert report.compound > 50
