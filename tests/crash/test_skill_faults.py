"""/follow-up, killed or refused at every system call: batch, growth and run agree, no message is lost or twice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mindloop.observer.growth.outcome import apply_outcome
from mindloop.protocol.run_files import RunPlace, all_runs, read_head
from mindloop.skills.follow_up import resume as resume_module
from mindloop.store.documents import read_yaml, write_yaml
from mindloop.store.workspace import Workspace
from tests.helpers import command_faults as lab
from tests.helpers.command_faults import Line, commands, repeated
from tests.helpers.faults import exhaust, snapshot
from tests.helpers.skill_workspace import FOLLOW_UPS, GROWTH, SkillWorkspace, answer, at, hypothesis, message

if TYPE_CHECKING:
    from pathlib import Path

    from tests.helpers.faults import Judge, Outcome, State

RUN = "follow-up-2026-02-20-001"
HEAD = RunPlace("researcher", RUN)
BEGIN = Line("follow_up", "begin", "--json")
RESUME = Line("follow_up", "resume", RUN)
FAULTS = ("kill", "torn", "ENOSPC", "EIO")
STICKY = ("ENOSPC!", "EIO!")
BEGINNING = "beginning"  # the state of a run whose begin has not come to its end


@pytest.fixture
def skill(tmp_path: Path) -> SkillWorkspace:
    """Two users whom a run nine days ago wrote to; one of them replied since, and both can be written to again."""
    root = tmp_path / "prepared"
    skill = SkillWorkspace(root)
    lab.quick_scores(root)
    for user in ("alice", "bob"):
        skill.canvas(user, quotes=[f"{user} reads the ranks", f"{user} lost a badge"], body=hypothesis())
    skill.full_run(now="2026-02-11T09:00:00Z")
    with skill.ws.transaction("user:alice") as tx:
        state: Any = read_yaml(tx, f"{GROWTH}/alice.yaml", "growth")
        sent = state["follow_ups"][0]["message_ids"][0]["id"]
        replied, _ = apply_outcome(state, sent, "responded", "high", at("2026-02-12T09:00:00Z"))
        write_yaml(tx, f"{GROWTH}/alice.yaml", replied, "growth")
    return skill


def two_messages(skill: SkillWorkspace, run: str, user: str) -> str:
    """A writer's answer on both quotes of a user."""
    anchors = [quote["hash"] for quote in skill.item(run, user)["registry"]]
    return answer(user, *(message(anchor, f"what did you do {n} days ago?") for n, anchor in enumerate(anchors)))


def answered(skill: SkillWorkspace) -> SkillWorkspace:
    """A begun run, answered for both: two messages each."""
    assert skill.begin().place.run == RUN
    for user in ("alice", "bob"):
        skill.file(RUN, user, two_messages(skill, RUN, user))
    return skill


def readable_at_once(root: str) -> None:
    """Before anybody recovers, readers manage."""
    lab.require_readable(lab.Path(root), torn=True)


# --- resume -----------------------------------------------------------------------------------------------------------


def test_a_resume_writes_batch_growth_and_head_together(skill: SkillWorkspace, tmp_path: Path) -> None:
    """A day's first batch: whatever call fails, the three files tell one story, and resuming again completes it."""
    answered(skill)
    judge = repeated(RESUME, more=lab.require_agreement)

    report = exhaust(skill.root, commands(RESUME), tmp_path, check=readable_at_once, kinds=FAULTS, judge=judge)

    assert report.statuses["killed"] > 50
    assert report.statuses["refused"] > 100


def test_a_resume_that_joins_a_batch_loses_nothing_of_it(skill: SkillWorkspace, tmp_path: Path) -> None:
    """The second run of a day: the messages of the first stay, the new ones are numbered behind them, each once."""
    skill.full_run(now="2026-02-20T07:00:00Z")
    begun = skill.begin(now="2026-02-20T08:00:00Z")
    run = begun.place.run
    for user in ("alice", "bob"):
        skill.file(run, user, two_messages(skill, run, user))
    resume = Line("follow_up", "resume", run)
    judge = repeated(resume, more=lab.require_agreement)

    report = exhaust(skill.root, commands(resume), tmp_path, kinds=FAULTS, judge=judge, every=lab.EVERY)

    assert set(report.statuses) == {"killed", "refused", "done"}


def test_a_disk_that_stays_full_or_broken_changes_nothing(skill: SkillWorkspace, tmp_path: Path) -> None:
    """Every call after the n-th fails as well: resume is refused, and completes once the disk works again."""
    answered(skill)
    judge = repeated(RESUME, more=lab.require_agreement)

    report = exhaust(skill.root, commands(RESUME), tmp_path, kinds=STICKY, judge=judge, every=lab.EVERY)

    assert set(report.statuses) == {"refused", "done"}


def test_a_fault_during_the_recovery_of_a_resume(skill: SkillWorkspace, tmp_path: Path) -> None:
    """A recovery that is killed or refused itself is completed by the next one."""
    answered(skill)
    report = exhaust(skill.root, commands(RESUME), tmp_path, kinds=("kill",), compound=True, every=lab.EVERY)

    assert report.compound > 100


def test_a_resume_in_several_transactions_goes_on_where_it_ended(
    skill: SkillWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hundreds of users are finished in groups; here a group is one user. Whoever is done is not done again."""
    monkeypatch.setattr(resume_module, "GROUP", 1)
    stages = lab.milestones(answered(skill).root, commands(RESUME), tmp_path)

    def judge(root: Path, _states: list[State], outcome: Outcome) -> None:
        lab.succeed(lab.STATUS, root)
        lab.require_no_leftovers(root, outcome)
        assert snapshot(root) in (stages[-1:] if outcome.status == "done" else stages), f"{outcome}"
        lab.require_readable(root)
        lab.require_agreement(root)
        lab.succeed(RESUME, root)
        assert snapshot(root) == stages[-1], f"{outcome}"

    report = exhaust(
        skill.root, commands(RESUME), tmp_path, kinds=("kill", "ENOSPC", "EIO"), judge=judge, every=lab.EVERY
    )

    assert set(report.statuses) == {"killed", "refused", "done"}


# --- begin ------------------------------------------------------------------------------------------------------------


def stages_of_begin(stages: list[State]) -> Judge:
    """One of the states between begin's transactions; the next begin, answers and resume work and count once."""

    def judge(root: Path, _states: list[State], outcome: Outcome) -> None:
        lab.succeed(lab.STATUS, root)
        lab.require_no_leftovers(root, outcome)
        require_stage(root, stages, outcome)
        lab.require_readable(root)
        lab.require_agreement(root)
        require_interrupted_runs_to_be_refused(root, outcome)
        growth = {path: digest for path, digest in stages[-1].items() if path.startswith(GROWTH)}
        begun = lab.succeed(BEGIN, root).json
        assert [entry["user"] for entry in begun["waiting"]] == ["alice", "bob"], f"{outcome}"
        assert {path: snapshot(root)[path] for path in growth} == growth, f"{outcome}: a cycle was counted twice"
        if outcome.kind in ("kill", "ENOSPC"):
            see_through(root, begun["run"])

    return judge


def require_stage(root: Path, stages: list[State], outcome: Outcome) -> None:
    """The files are as they are between two transactions of a begin, after the last one where it succeeded.

    One exception: a file that could not be read costs a begin one user, or the memory of one batch, and it says so.
    """
    found = snapshot(root)
    if outcome.status != "done" or found == stages[-1]:
        assert found in stages, f"{outcome}"
        return
    head = read_head(Workspace(str(root)), HEAD)
    told = [*(entry["detail"] for entry in head["skipped"]), *head["warnings"]]
    assert len([line for line in told if "could not open it" in line]) == 1, f"{outcome}: {told}"
    assert len(head["waiting"]) + len(head["skipped"]) == 2, f"{outcome}: {head}"


def require_interrupted_runs_to_be_refused(root: Path, outcome: Outcome) -> None:
    """A run whose begin never came to its end takes no answer and is not resumed with success."""
    workspace = Workspace(str(root))
    for place in all_runs(workspace):
        if read_head(workspace, place)["state"] == BEGINNING:
            resumed = Line("follow_up", "resume", place.run).run(root)
            assert resumed.code == 1, f"{outcome}: {place.run} resumed: {resumed.out}"
            filed = Line("follow_up", "answer", place.run, "alice", stdin="{}").run(root)
            assert filed.code == 1, f"{outcome}: {place.run} takes an answer: {filed.out}"


def see_through(root: Path, run: str) -> None:
    """Answer a run with its defaults and resume it."""
    skill = SkillWorkspace(root)
    skill.default_answers(run, "alice", "bob")
    lab.succeed(Line("follow_up", "resume", run), root)
    lab.require_agreement(root)
    assert {user: skill.growth(user)["next_batch_seq"] for user in ("alice", "bob")} == {"alice": "3", "bob": "3"}


def test_a_begin_can_be_repeated_wherever_it_ended(skill: SkillWorkspace, tmp_path: Path) -> None:
    """Growth is advanced at most once a cycle, packets are whole, and no half-begun run passes for an open one."""
    judge = stages_of_begin(lab.milestones(skill.root, commands(BEGIN), tmp_path))

    report = exhaust(skill.root, commands(BEGIN), tmp_path, check=readable_at_once, kinds=FAULTS, judge=judge)

    assert set(report.statuses) == {"killed", "refused", "done"}


def test_a_begin_in_which_nobody_waits_goes_to_its_end(skill: SkillWorkspace, tmp_path: Path) -> None:
    """Both users are left out: begin itself writes the batch, together with the head that says the run is complete."""
    for user in ("alice", "bob"):
        skill.canvas(user, quotes=[], body=hypothesis())
    stages = lab.milestones(skill.root, commands(BEGIN), tmp_path)

    def judge(root: Path, _states: list[State], outcome: Outcome) -> None:
        lab.succeed(lab.STATUS, root)
        lab.require_no_leftovers(root, outcome)
        require_stage(root, stages, outcome)
        begun = lab.succeed(BEGIN, root).json
        assert begun["batch"] == f"{FOLLOW_UPS}/2026-02-20.md"
        assert begun["waiting"] == []
        lab.require_readable(root)
        lab.require_agreement(root)

    report = exhaust(
        skill.root, commands(BEGIN), tmp_path, check=readable_at_once, kinds=FAULTS, judge=judge, every=lab.EVERY
    )

    assert set(report.statuses) == {"killed", "refused", "done"}


# --- drive ------------------------------------------------------------------------------------------------------------


def test_a_driven_run_can_be_driven_on(skill: SkillWorkspace, tmp_path: Path) -> None:
    """Begin, answers and resume in one command: an open run is driven on, and no user is written to twice."""
    drive = Line("drive", "follow-up", "--host", "rehearsal", "--json")

    def judge(root: Path, states: list[State], outcome: Outcome) -> None:
        runs = lab.succeed(lab.STATUS, root).json["runs"]
        lab.require_no_leftovers(root, outcome)
        lab.require_readable(root)
        lab.require_agreement(root)
        state = next((one["state"] for one in runs if one["run"] == RUN), BEGINNING)
        if state == "open":
            lab.succeed(Line("drive", "follow-up", "--host", "rehearsal", "--run", RUN), root)
        elif state == BEGINNING:
            lab.succeed(drive, root)
        lab.require_agreement(root)
        skipped = read_head(Workspace(str(root)), HEAD)["skipped"]
        unread = [entry["user"] for entry in skipped if "could not open it" in entry["detail"]]
        wanted = [(user, 1) for user in ("alice", "bob") if outcome.status != "done" or user not in unread]
        sections = SkillWorkspace(root).batch()["sections"]
        assert [(one["user"], len(one["messages"])) for one in sections] == wanted, f"{outcome}"

    report = exhaust(
        skill.root, commands(drive), tmp_path, kinds=("kill", "ENOSPC", "EIO"), judge=judge, every=lab.EVERY
    )

    assert set(report.statuses) == {"killed", "refused", "done"}


# --- answers ----------------------------------------------------------------------------------------------------------


def test_answers_are_filed_whole(skill: SkillWorkspace, tmp_path: Path) -> None:
    """The first answer, the same again, another in its place, another user's: each is kept once it is said to be."""
    skill.begin()
    first, second = two_messages(skill, RUN, "alice"), "no json at all \u202e🙂"
    said = [("alice", first), ("alice", first), ("alice", second), ("bob", two_messages(skill, RUN, "bob"))]
    lines = [Line("follow_up", "answer", RUN, user, stdin=raw) for user, raw in said]

    report = exhaust(
        skill.root, commands(*lines), tmp_path, check=readable_at_once, kinds=FAULTS, judge=repeated(*lines)
    )

    assert set(report.statuses) == {"killed", "refused", "done"}
