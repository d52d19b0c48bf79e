"""The question about all users, killed or refused at every system call: run and file agree, nothing is half there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mindloop.observer.synthesis.answer import LISTS
from mindloop.protocol.run_files import all_runs, file_answer, read_head, read_item
from mindloop.skills.judged import answer_now, resume
from mindloop.skills.synthesis.judging import JUDGING
from mindloop.skills.synthesis.pass_over import stage_synthesis
from mindloop.store import front_matter
from mindloop.store.errors import StoreFailure
from mindloop.store.workspace import Workspace
from tests.helpers.command_faults import require_no_leftovers
from tests.helpers.faults import exhaust, snapshot, verify
from tests.helpers.skill_workspace import NOW, SkillWorkspace, at, hypothesis

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.helpers.faults import Outcome, State

USERS = ("ann", "bob", "cem")
RUN = "synthesis-2026-02-20-001"
FILE = "grimoires/observer/follow-ups/2026-02-20-synthesis.md"
KINDS = ("kill", "torn", "short", "ENOSPC", "EIO")
STICKY = ("ENOSPC!", "EIO!")


def answer(text: str) -> str:
    entry = {"text": text, "users": list(USERS)}
    return json.dumps({**{name: [] for name in LISTS}, "shared_hypotheses": [entry]})


def stage(root: str) -> str:
    workspace = Workspace(root)
    with workspace.transaction("agent:researcher") as tx:
        place = stage_synthesis(tx, workspace, at(NOW))
    if place is None:
        raise StoreFailure("too few canvases could be read", "See above.")
    return place.run


def act_stage(root: str, acknowledge: Callable[[], None]) -> None:
    stage(root)
    acknowledge()


def act_resume(root: str, acknowledge: Callable[[], None]) -> None:
    judged = resume(Workspace(root), JUDGING, RUN, at(NOW))
    if judged.open:
        raise StoreFailure(f"left open: {judged.warnings}", "See above.")
    acknowledge()


def act_answer(root: str, acknowledge: Callable[[], None]) -> None:
    answer_now(Workspace(root), JUDGING, RUN, "all", answer("second"), host="claude-code", now=at(NOW))
    acknowledge()


@pytest.fixture
def bench(tmp_path: Path) -> SkillWorkspace:
    """Three users to compare."""
    made = SkillWorkspace(tmp_path / "prepared")
    for user in USERS:
        made.canvas(user, body=hypothesis())
    return made


@pytest.fixture
def filed(bench: SkillWorkspace) -> SkillWorkspace:
    """A staged question with a filed answer, and the file of an earlier one of the day."""
    assert stage(str(bench.root)) == RUN
    bench.write(FILE, "---\ntype: follow-up-synthesis\nhost: rehearsal\n---\n# Synthesis\n")
    file_answer(bench.ws, RUN, "all", answer("first"), "claude-code")
    return bench


def whole_file(root: str) -> None:
    """Before anybody recovers, the file is the old one or the new one."""
    header, body = front_matter.parse(Workspace(root).read_text(FILE) or "")
    assert header["type"] == "follow-up-synthesis"
    assert body == "# Synthesis\n" or body.endswith("\n## Lifecycle Transitions\n\nNothing that enough users share.\n")


def test_a_resume_writes_file_and_head_together(filed: SkillWorkspace, tmp_path: Path) -> None:
    """Whatever call fails: the old file and an open question, or the new one and a complete run."""

    def judge(root: Path, states: list[State], outcome: Outcome) -> None:
        verify(root, states, outcome)
        require_no_leftovers(root, outcome)
        act_resume(str(root), lambda: None)
        assert snapshot(root) == states[-1], f"{outcome}: resuming again does not complete it"

    report = exhaust(filed.root, act_resume, tmp_path, check=whole_file, kinds=KINDS, compound=True, judge=judge)

    assert set(report.statuses) == {"killed", "refused", "done"}
    assert report.compound > 20


def test_a_disk_that_stays_full_or_broken_changes_nothing(filed: SkillWorkspace, tmp_path: Path) -> None:
    """Every call after the n-th fails as well; it completes once the disk works again."""

    def judge(root: Path, states: list[State], outcome: Outcome) -> None:
        verify(root, states, outcome)
        act_resume(str(root), lambda: None)
        assert snapshot(root) == states[-1], f"{outcome}"

    report = exhaust(filed.root, act_resume, tmp_path, check=whole_file, kinds=STICKY, judge=judge)

    assert set(report.statuses) == {"refused", "done"}


def test_an_answer_that_is_given_at_once_is_taken_whole_or_not(filed: SkillWorkspace, tmp_path: Path) -> None:
    """Answer, file and head change together, or none of them."""
    report = exhaust(filed.root, act_answer, tmp_path, check=whole_file, kinds=KINDS)

    assert set(report.statuses) == {"killed", "refused", "done"}


def test_a_question_is_staged_whole_or_not_at_all(bench: SkillWorkspace, tmp_path: Path) -> None:
    """Head and packet are there together; a canvas that could not be read costs its user, or the question."""

    def judge(root: Path, states: list[State], outcome: Outcome) -> None:
        Workspace(str(root)).recover()
        require_no_leftovers(root, outcome)
        workspace, before = Workspace(str(root)), set(states[0])
        runs = all_runs(workspace)
        assert len(runs) == (1 if set(snapshot(root)) - before else 0), f"{outcome}"
        for place in runs:
            assert read_head(workspace, place)["waiting"] == {"all": "3 users"}
            assert read_item(workspace, place, "all")["users"] == {user: user for user in USERS}
        run = stage(str(root))
        taken = answer_now(Workspace(str(root)), JUDGING, run, "all", answer("x"), host="claude-code", now=at(NOW))
        assert taken["outcome"] == "done", f"{outcome}"

    report = exhaust(bench.root, act_stage, tmp_path, kinds=(*KINDS, *STICKY), judge=judge)

    assert set(report.statuses) == {"killed", "refused", "done"}
