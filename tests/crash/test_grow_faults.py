"""/grow, killed or refused at every system call: proposals, growth and run tell one story, and nothing counts twice."""

from __future__ import annotations

import os
import random
import time
from typing import TYPE_CHECKING

import pytest

from mindloop.observer.growth.files import read_proposals
from mindloop.protocol.run_files import file_answer
from mindloop.skills.grow import match as match_module
from mindloop.skills.grow.confirm import confirm
from mindloop.skills.grow.match import match_text, match_user
from tests.helpers import command_faults as lab
from tests.helpers.command_faults import Line, commands, repeated
from tests.helpers.faults import exhaust, snapshot
from tests.helpers.folders import fast_folder
from tests.helpers.growing import ANSWER, RUN, SAID, reply, require_one_story, sent, workspace
from tests.helpers.skill_workspace import NOW, SkillWorkspace, at
from tests.helpers.writers import Writer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.helpers.faults import Judge, Outcome, State

FAULTS = ("kill", "torn", "ENOSPC", "EIO")
STICKY = ("ENOSPC!", "EIO!")
USERS = ("alice", "bob")
ALL = {"killed", "refused", "done"}


@pytest.fixture
def skill(tmp_path: Path) -> SkillWorkspace:
    """Two users with a message each; one has said something that the index knows."""
    skill = workspace(tmp_path / "prepared", *USERS)
    skill.observe("alice", reply(skill, "alice", "from the index"), SAID, SAID)
    return skill


def readable_at_once(root: str) -> None:
    """Before anybody recovers, readers manage."""
    lab.require_readable(lab.Path(root), torn=True)


def proposed(skill: SkillWorkspace) -> None:
    """A pasted reply for each user."""
    for user in USERS:
        match_text(skill.ws, user, reply(skill, user), at(NOW), date=SAID)


def asked(skill: SkillWorkspace) -> list[str]:
    """Both are confirmed, in a run each; the items."""
    proposed(skill)
    return [confirm(skill.ws, user, [], at(NOW), preselected=True).packets[0].rpartition("/")[2] for user in USERS]


def test_a_proposal_is_whole_and_stands_there_once(skill: SkillWorkspace, tmp_path: Path) -> None:
    """A pasted reply, the index, a rejection, a confirmation with a verdict: one change each, and repeating is safe."""
    lines = [
        Line("growth", "match", "alice", "--date", SAID, stdin=reply(skill, "alice")),
        Line("growth", "match", "alice"),
        Line("growth", "match", "bob", stdin=reply(skill, "bob", "and bob")),
        Line("growth", "reject", "bob", reply(skill, "bob")[-14:]),
        Line("growth", "confirm", "alice", "--preselected", "--direction", "supports", "--strength", "high"),
    ]
    judge = repeated(*lines, more=require_one_story)

    report = exhaust(
        skill.root, commands(*lines), tmp_path, check=readable_at_once, kinds=FAULTS, judge=judge, every=lab.EVERY
    )

    assert set(report.statuses) == ALL


def test_what_a_person_says_of_a_message_is_one_change(skill: SkillWorkspace, tmp_path: Path) -> None:
    """Thread, time and the look at all replies again together or not at all, an outcome with its counters."""
    match_user(skill.ws, "alice", at(NOW))
    assert read_proposals(skill.ws, "alice")["records_seen"] == 1
    lines = [
        Line("growth", "sent", "alice", sent(skill, "alice")["id"], "--thread", "dm-1", "--date", "2026-02-12"),
        Line("growth", "sent", "bob", sent(skill, "bob")["token"], "--never"),
    ]
    judge = repeated(*lines, more=require_one_story)

    report = exhaust(
        skill.root, commands(*lines), tmp_path, check=readable_at_once, kinds=(*FAULTS, "short"), judge=judge
    )

    assert set(report.statuses) == ALL


def test_a_confirmation_and_its_question_are_one_change(skill: SkillWorkspace, tmp_path: Path) -> None:
    """Proposal, reply and run are there together or not at all; the answer joins evidence and head likewise."""
    proposed(skill)
    item = read_proposals(skill.ws, "alice")["matches"][0]["id"]
    lines = [
        Line("growth", "confirm", "alice", "--preselected", "--signal-quality", "medium"),
        Line("growth", "answer", RUN, item, "--host", "claude", stdin=ANSWER),
    ]
    judge = repeated(*lines, more=require_one_story)

    report = exhaust(
        skill.root, commands(*lines), tmp_path, check=readable_at_once, kinds=(*FAULTS, "short"), judge=judge
    )

    assert set(report.statuses) == ALL


def test_a_disk_that_stays_full_or_broken_changes_nothing(skill: SkillWorkspace, tmp_path: Path) -> None:
    """Every call after the n-th fails as well: confirming is refused, and done once the disk works again."""
    proposed(skill)
    line = Line("growth", "confirm", "bob", "--preselected")
    judge = repeated(line, more=require_one_story)

    report = exhaust(skill.root, commands(line), tmp_path, kinds=STICKY, judge=judge)

    assert set(report.statuses) == {"refused", "done"}


def test_learning_goes_on_where_it_ended(skill: SkillWorkspace, tmp_path: Path) -> None:
    """A run with two answers, a good and a wrong one: whichever was settled is not settled again."""
    match_text(skill.ws, "alice", reply(skill, "alice"), at(NOW), date=SAID)
    match_text(skill.ws, "alice", reply(skill, "alice", "no particulars"), at(NOW), date=SAID)
    packets = confirm(skill.ws, "alice", [], at(NOW), preselected=True).packets
    assert len(packets) == 2
    for packet in packets:
        file_answer(skill.ws, RUN, packet.rpartition("/")[2], ANSWER, "claude-code")
    line = Line("growth", "learn", RUN)

    report = exhaust(
        skill.root,
        commands(line),
        tmp_path,
        check=readable_at_once,
        kinds=FAULTS,
        judge=in_stages(lab.milestones(skill.root, commands(line), tmp_path), line),
        every=lab.EVERY,
    )

    assert set(report.statuses) == ALL


def test_matching_everybody_goes_on_where_it_ended(
    skill: SkillWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hundreds of users are matched in groups; here a group is one user. Whoever is through is not looked at again."""
    monkeypatch.setattr(match_module, "GROUP", 1)
    skill.observe("bob", reply(skill, "bob", "from the index too"), SAID, SAID)
    line = Line("growth", "match", "--all")

    report = exhaust(
        skill.root,
        commands(line),
        tmp_path,
        check=readable_at_once,
        kinds=FAULTS,
        judge=in_stages(lab.milestones(skill.root, commands(line), tmp_path), line),
        every=lab.EVERY,
    )

    assert set(report.statuses) == ALL


def in_stages(stages: list[State], line: Line) -> Judge:
    """The files are as between two changes; a run that ended well may have left one user out, who is then taken."""

    def judge(root: Path, _states: list[State], outcome: Outcome) -> None:
        lab.succeed(lab.STATUS, root)
        lab.require_no_leftovers(root, outcome)
        found = snapshot(root)
        changed = {path: digest for path, digest in found.items() if stages[0].get(path) != digest}
        whole = all(any(stage.get(path) == digest for stage in stages) for path, digest in changed.items())
        assert found in stages or (outcome.status == "done" and whole), f"{outcome}"
        lab.require_readable(root)
        require_one_story(root)
        lab.require_honest(line, line.run(root))
        assert snapshot(root) == stages[-1], f"{outcome}"

    return judge


def test_a_fault_during_the_recovery_of_a_confirmation(skill: SkillWorkspace, tmp_path: Path) -> None:
    """A recovery that is killed or refused itself is completed by the next one."""
    proposed(skill)
    line = Line("growth", "confirm", "bob", "--preselected")
    report = exhaust(skill.root, commands(line), tmp_path, kinds=("kill",), compound=True, every=lab.EVERY)

    assert report.compound > 100


KILLS = max(int(os.environ.get("MINDLOOP_KILLS", "400")) * 24 // 400, 6)


def propose_on(root: Path, mark: str, report: Callable[[str], None]) -> None:
    """Paste replies for ever and reject every other one; say what was done."""
    skill = SkillWorkspace.__new__(SkillWorkspace)
    skill.root = root
    turn = 0
    while True:
        turn += 1
        text = reply(skill, "alice", f"{mark}.{turn}")
        line = Line("growth", "match", "alice", "--json", stdin=text, patience=60)
        name = lab.succeed(line, root).json["proposed"][0]["id"]
        report(f"pending {name}")
        if turn % 2:
            lab.succeed(Line("growth", "reject", "alice", name, patience=60), root)
            report(f"rejected {name}")


def test_what_was_printed_survives_kills(tmp_path: Path) -> None:
    """Three who propose and reject for one user are killed at random; what any of them said still holds."""
    dice = random.Random(20260222)
    said: dict[str, str] = {}
    with fast_folder(tmp_path) as folder:
        skill = workspace(folder, *USERS)
        for turn in range(0, KILLS, 3):
            writers = [
                Writer(lambda report, mark=f"{turn}.{n}": propose_on(folder, mark, report))  # type: ignore[misc]  # the default binds now
                for n in range(3)
            ]
            for writer in dice.sample(writers, 3):
                time.sleep(dice.uniform(0.01, 0.15))  # the moment of the kill is what is being drawn
                writer.kill()
            for line in (line for writer in writers for line in writer.reports()):
                status, name = line.split()
                said[name] = status
            lab.succeed(lab.STATUS, folder)
            lab.require_no_leftovers(folder, "kill -9")
            lab.require_readable(folder)
            require_one_story(folder)
            held = {match["id"]: match["status"] for match in read_proposals(skill.ws, "alice")["matches"]}
            assert said.keys() <= held.keys()
            assert [name for name, status in said.items() if status == "rejected" != held[name]] == []

    assert len(said) > KILLS
