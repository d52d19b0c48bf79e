"""Stopping and resuming a user, killed or refused at every system call: who was stopped in the end, is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mindloop.observer.stops.reading import read_stop, standing
from mindloop.store.workspace import Workspace
from tests.helpers import command_faults as lab
from tests.helpers.command_faults import Line, commands, repeated
from tests.helpers.faults import exhaust
from tests.helpers.skill_workspace import SkillWorkspace

if TYPE_CHECKING:
    from pathlib import Path

FAULTS = ("kill", "torn", "ENOSPC", "EIO", "short")
STOP = "grimoires/observer/stops/alice.yaml"
LATER = "2026-02-27T09:00:00Z"


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    """A workspace with one canvas."""
    skill = SkillWorkspace(tmp_path / "prepared")
    skill.observe("alice", "the ranks moved")
    return skill.root


def whole(root: Path) -> None:
    """The file reads, and a history that is told has both its ends."""
    workspace = Workspace(str(root))
    stop = read_stop(workspace, STOP, "alice")
    found = standing(workspace, "alice", "alice")
    assert found is None or not found.problem
    if stop is not None:
        assert (stop["state"] == "stopped") == (found is not None)
        assert all(one["from"] and one["until"] for one in stop["history"])


def readable_at_once(root: str) -> None:
    """Before anybody recovers, the gate reads an old stop or a new one, never half of one."""
    found = standing(Workspace(root), "alice", "alice")
    assert found is None or not found.problem


def test_a_stop_is_whole_or_not_there(prepared: Path, tmp_path: Path) -> None:
    """A stop and a stop for another reason: acknowledged is stopped, and who repeats them comes to the same end."""
    lines = [
        Line("growth", "stop", "alice", "declined"),
        Line("growth", "stop", "alice", "opted_out", now=LATER),
    ]
    report = exhaust(
        prepared,
        commands(*lines),
        tmp_path,
        check=readable_at_once,
        kinds=FAULTS,
        judge=repeated(*lines, more=whole),
    )

    assert set(report.statuses) == {"killed", "refused", "done"}


def test_a_lifted_stop_is_lifted_or_stands(prepared: Path, tmp_path: Path) -> None:
    """Resuming ends the stop as a whole; resuming what is lifted already changes nothing more."""
    lab.succeed(Line("growth", "stop", "alice", "escalated"), prepared)
    line = Line("growth", "resume", "alice", now=LATER)
    report = exhaust(
        prepared,
        commands(line),
        tmp_path,
        check=readable_at_once,
        kinds=FAULTS,
        judge=repeated(line, more=whole),
    )

    assert set(report.statuses) == {"killed", "refused", "done"}
