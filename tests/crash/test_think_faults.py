"""/think, killed or refused at every system call: a sidecar is whole, and agrees with the run that made it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mindloop.observer.names import slug
from mindloop.protocol.run_files import all_runs, read_head
from mindloop.store.workspace import Workspace
from tests.helpers import command_faults as lab
from tests.helpers.command_faults import Line, commands, repeated
from tests.helpers.faults import exhaust, snapshot
from tests.helpers.skill_workspace import hypothesis
from tests.helpers.thinking import SIDECARS, ThinkWorkspace, explored

if TYPE_CHECKING:
    from pathlib import Path

    from tests.helpers.faults import Outcome, State

RUN = "think-2026-02-20-001"
BEGIN = Line("cognition", "begin", "--json")
RESUME = Line("cognition", "resume", RUN)
FAULTS = ("kill", "torn", "ENOSPC", "EIO")
STICKY = ("ENOSPC!", "EIO!")
USERS = ("alice", "bob")


@pytest.fixture
def skill(tmp_path: Path) -> ThinkWorkspace:
    """Two users whom nobody has thought about."""
    root = tmp_path / "prepared"
    skill = ThinkWorkspace(root)
    lab.quick_scores(root)
    for user in USERS:
        skill.canvas(user, body=hypothesis())
    return skill


def asked(skill: ThinkWorkspace) -> ThinkWorkspace:
    """A run that is answered for both."""
    begun = skill.think()
    assert begun.place is not None
    assert begun.place.run == RUN
    for user in USERS:
        skill.file_as(RUN, user, explored(user))
    return skill


def require_thoughts(root: Path) -> None:
    """A user whose item was taken has a whole sidecar, and the other way round."""
    skill = ThinkWorkspace.over(root)
    done = {
        head["waiting"][item]
        for head in (read_head(skill.ws, place) for place in all_runs(skill.ws))
        for item, outcome in head["done"].items()
        if outcome == "done"
    }
    made = {user for user in USERS if (skill.sidecar(user) or {}).get("fears")}
    assert made == done


def test_a_taken_answer_is_in_its_sidecar(skill: ThinkWorkspace, tmp_path: Path) -> None:
    """Two answers, one after the other: sidecar, answer and head are one change each, and repeating does nothing."""
    skill.think()
    lines = [Line("cognition", "answer", RUN, user, stdin=explored(user)) for user in USERS]
    judge = repeated(*lines, more=require_thoughts)

    report = exhaust(skill.root, commands(*lines), tmp_path, kinds=(*FAULTS, "short"), judge=judge)

    assert set(report.statuses) == {"killed", "refused", "done"}


def test_a_disk_that_stays_full_or_broken_changes_nothing(skill: ThinkWorkspace, tmp_path: Path) -> None:
    """Every call after the n-th fails as well: the answer is refused, and taken once the disk works again."""
    skill.think()
    line = Line("cognition", "answer", RUN, "bob", stdin=explored("bob"))
    judge = repeated(line, more=require_thoughts)

    report = exhaust(skill.root, commands(line), tmp_path, kinds=STICKY, judge=judge)

    assert set(report.statuses) == {"refused", "done"}


def test_a_resume_goes_on_where_it_ended(skill: ThinkWorkspace, tmp_path: Path) -> None:
    """Each user is a change of its own: whoever is done is not done again, the other one is done by the next."""
    asked(skill)
    stages = lab.milestones(skill.root, commands(RESUME), tmp_path)

    def judge(root: Path, _states: list[State], outcome: Outcome) -> None:
        lab.succeed(lab.STATUS, root)
        lab.require_no_leftovers(root, outcome)
        require_a_stage(root, stages, outcome)
        lab.require_readable(root)
        require_thoughts(root)
        lab.succeed(RESUME, root)
        assert snapshot(root) == stages[-1], f"{outcome}"

    report = exhaust(skill.root, commands(RESUME), tmp_path, kinds=FAULTS, judge=judge, every=lab.EVERY)

    assert set(report.statuses) == {"killed", "refused", "done"}


def require_a_stage(root: Path, stages: list[State], outcome: Outcome) -> None:
    """The files are as between two changes of the resume, or one user was left open because a file did not open."""
    found = snapshot(root)
    if found in stages:
        return
    head = read_head(Workspace(str(root)), next(iter(all_runs(Workspace(str(root))))))
    assert outcome.status == "done", f"{outcome}"
    assert len(head["done"]) == 1, f"{outcome}: {head}"


def test_a_begin_makes_a_whole_run_or_none(skill: ThinkWorkspace, tmp_path: Path) -> None:
    """Head and packets are one change, and begin again asks about whoever is left."""

    def judge(root: Path, states: list[State], outcome: Outcome) -> None:
        lab.succeed(lab.STATUS, root)
        lab.require_no_leftovers(root, outcome)
        lab.require_readable(root)
        workspace = Workspace(str(root))
        heads = [read_head(workspace, place) for place in all_runs(workspace)]
        asked_about = [sorted([*head["waiting"], *(slug(one["user"]) for one in head["skipped"])]) for head in heads]
        assert asked_about in ([], [list(USERS)]), f"{outcome}"
        if outcome.status != "done":
            assert snapshot(root) in states, f"{outcome}"
        begun = lab.succeed(BEGIN, root).json
        assert [one["user"] for one in begun["waiting"]] == list(USERS), f"{outcome}"

    report = exhaust(skill.root, commands(BEGIN), tmp_path, kinds=FAULTS, judge=judge)

    assert set(report.statuses) == {"killed", "refused", "done"}
    assert not list((skill.root / SIDECARS).glob("*.yaml"))
