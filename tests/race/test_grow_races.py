"""Matching, confirming and learning beside each other: no reply is lost, none counts twice."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mindloop.observer.growth.files import read_proposals
from mindloop.protocol.run_files import all_runs, file_answer, read_head
from mindloop.skills.grow.confirm import confirm
from mindloop.skills.grow.match import match_text
from tests.helpers import command_faults as lab
from tests.helpers.command_faults import Line
from tests.helpers.folders import fast_folder
from tests.helpers.growing import ANSWER, SAID, reply, require_one_story, sent, workspace
from tests.helpers.skill_workspace import NOW, SkillWorkspace, at
from tests.helpers.writers import Writer, together

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Report = Callable[[str], None]


@pytest.fixture
def skill(tmp_path: Path) -> Iterator[SkillWorkspace]:
    """Three users with a message each."""
    with fast_folder(tmp_path) as folder:
        yield workspace(folder, "alice", "bob", "carol")


def test_twenty_replies_at_once_are_all_proposed(skill: SkillWorkspace) -> None:
    """Each process pastes one; every one of them waits, once."""

    def work(number: int, report: Report) -> None:
        text = reply(skill, "alice", f"reply {number}")
        line = Line("growth", "match", "alice", "--json", stdin=text, patience=60)
        report(lab.succeed(line, skill.root).json["proposed"][0]["id"])

    said = [line for lines in together(work, 20) for line in lines]

    assert len(set(said)) == 20
    assert sorted(match["id"] for match in read_proposals(skill.ws, "alice")["matches"]) == sorted(said)
    lab.require_no_leftovers(skill.root, "match")


def test_everybody_matched_by_six_at_once_is_matched_once(skill: SkillWorkspace) -> None:
    """New words of three users: whoever is second finds them seen."""
    for user in ("alice", "bob", "carol"):
        for number in range(3):
            skill.observe(user, reply(skill, user, f"{user} {number}"), SAID, SAID)

    def work(_: int, report: Report) -> None:
        found = lab.succeed(Line("growth", "match", "--all", "--json", patience=60), skill.root).json
        report(json.dumps([match["id"] for one in found["users"] for match in one["proposed"]]))

    proposed = [name for (line,) in together(work, 6) for name in json.loads(line)]

    assert len(proposed) == len(set(proposed)) == 9
    require_one_story(skill.root)


def test_one_of_many_confirmations_counts(skill: SkillWorkspace) -> None:
    """Eight processes confirm the same match: one succeeds, seven are told, one question is asked."""
    match_text(skill.ws, "alice", reply(skill, "alice"), at(NOW), date=SAID)
    token = sent(skill, "alice")["token"]

    def work(_: int, report: Report) -> None:
        line = Line("growth", "confirm", "alice", token, patience=60)
        called = line.run(skill.root)
        lab.require_honest(line, called)
        report(str(called.code))

    codes = sorted(line for lines in together(work, 8) for line in lines)

    assert codes == ["0", *["1"] * 7]
    assert len([place for place in all_runs(skill.ws) if place.run.startswith("grow-")]) == 1
    require_one_story(skill.root)


def test_two_who_learn_from_a_run_teach_once(skill: SkillWorkspace) -> None:
    """Six processes take the answers of three runs; every reply moves its confidence once."""
    runs = []
    for user in ("alice", "bob", "carol"):
        match_text(skill.ws, user, reply(skill, user), at(NOW), date=SAID)
        done = confirm(skill.ws, user, [], at(NOW), preselected=True)
        assert done.run is not None
        runs.append(done.run)
        file_answer(skill.ws, done.run, done.packets[0].rpartition("/")[2], ANSWER, "claude-code")

    def work(number: int, report: Report) -> None:
        for turn in range(3):
            run = runs[(number + turn) % 3]
            report(str(len(lab.succeed(Line("growth", "learn", run, "--json", patience=60), skill.root).json["done"])))

    taken = sum(int(line) for lines in together(work, 6) for line in lines)

    assert taken == 3
    for user in ("alice", "bob", "carol"):
        state = skill.growth(user)
        assert state is not None
        assert state["hypotheses"][0]["confidence"] == "medium"
    require_one_story(skill.root)


def test_matching_beside_everything_else_loses_nothing(skill: SkillWorkspace) -> None:
    """Observers, matchers, a confirmer and new batches at once: every quote is proposed, every file reads."""

    def observe(user: str, report: Report) -> None:
        for number in range(6):
            line = Line(
                "canvas",
                *("observe", "--user", user, "--date", SAID, "--json"),
                stdin=reply(skill, user, f"{user} said {number}"),
                patience=60,
            )
            report(lab.succeed(line, skill.root).json["record"]["content_hash"])

    def match(report: Report) -> None:
        for _ in range(6):
            lab.succeed(Line("growth", "match", "--all", patience=60), skill.root)
        report("matched")

    def follow_up(report: Report) -> None:
        for turn in range(2):
            line = Line("follow_up", "begin", "--json", now=f"2026-02-20T09:0{turn}:00Z", patience=60)
            report(lab.succeed(line, skill.root).json["run"])

    writers = [Writer(lambda report, user=user: observe(user, report)) for user in ("alice", "bob")]
    others = [Writer(match), Writer(match), Writer(follow_up)]
    while not all(writer.has_ended() for writer in (*writers, *others)):
        listed = lab.succeed(Line("growth", "list", "--json"), skill.root).json
        assert all(one["pending"] for one in listed["users"])
    hashes = [line for writer in writers for line in writer.require_success()]
    for other in others:
        other.require_success()

    lab.succeed(Line("growth", "match", "--all", patience=60), skill.root)
    matched = [match["signal_id"] for user in ("alice", "bob") for match in read_proposals(skill.ws, user)["matches"]]
    assert sorted(matched) == sorted(hashes)
    lab.require_readable(skill.root)
    lab.require_no_leftovers(skill.root, "all")
    require_one_story(skill.root)
    assert all(read_head(skill.ws, place)["state"] != "beginning" for place in all_runs(skill.ws))
