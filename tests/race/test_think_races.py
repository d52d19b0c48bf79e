"""Processes that think about users at once: every answer is in its sidecar, none is taken twice."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mindloop.protocol.run_files import find_run, read_head
from tests.helpers import command_faults as lab
from tests.helpers.command_faults import Line
from tests.helpers.folders import fast_folder
from tests.helpers.skill_workspace import hypothesis
from tests.helpers.thinking import ThinkWorkspace, explored
from tests.helpers.writers import together

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

RUN = "think-2026-02-20-001"
USERS = [f"u{number:02}" for number in range(20)]
BEGIN = Line("cognition", "begin", "--json", patience=60)
RESUME = Line("cognition", "resume", RUN, "--json", patience=60)


@pytest.fixture
def skill(tmp_path: Path) -> Iterator[ThinkWorkspace]:
    """Twenty users who wait in a run."""
    with fast_folder(tmp_path) as folder:
        skill = ThinkWorkspace(folder)
        lab.quick_scores(folder)
        for user in USERS:
            skill.canvas(user, body=hypothesis())
        skill.think()
        yield skill


def fears(skill: ThinkWorkspace) -> dict[str, str]:
    """User to the text of the one fear."""
    return {user: str((skill.sidecar(user) or {})["fears"][0]["text"]) for user in USERS}


def said_of(user: str) -> str:
    """An answer that only this user's can be."""
    answer = json.loads(explored(user))
    answer["fears"][0]["text"] = f"{user} left"
    return json.dumps(answer)


def test_answers_of_twenty_processes_are_all_taken(skill: ThinkWorkspace) -> None:
    """Each user's fear stands in the user's own sidecar, and the run is complete."""

    def work(number: int, report: Callable[[str], None]) -> None:
        line = Line("cognition", "answer", RUN, USERS[number], stdin=said_of(USERS[number]), patience=60)
        report(lab.succeed(line, skill.root).out.strip())

    together(work, len(USERS))

    assert fears(skill) == {user: f"{user} left" for user in USERS}
    assert read_head(skill.ws, find_run(skill.ws, RUN))["state"] == "complete"
    lab.require_readable(skill.root)
    lab.require_no_leftovers(skill.root, "answers")


def test_of_ten_answers_about_one_user_one_is_taken(skill: ThinkWorkspace) -> None:
    """The others are told that the user is through; the sidecar holds the winner's host."""

    def work(number: int, report: Callable[[str], None]) -> None:
        argv = ("answer", RUN, "u00", "--host", f"judge-{number}", "--json")
        called = Line("cognition", *argv, stdin=explored("u00"), patience=60).run(skill.root)
        lab.require_honest(Line("cognition", *argv), called)
        report(f"{number} {called.code}")

    codes = dict(line.split() for lines in together(work, 10) for line in lines)

    assert sorted(codes.values()) == ["0", *["1"] * 9]
    (winner,) = [number for number, code in codes.items() if code == "0"]
    assert (skill.sidecar("u00") or {})["host"] == f"judge-{winner}"


def test_resumes_at_once_take_each_answer_once(skill: ThinkWorkspace) -> None:
    """Six resumes of twenty answers: together they report each user exactly once."""
    for user in USERS:
        skill.file_as(RUN, user, said_of(user))
    said = together(lambda _, report: report(lab.succeed(RESUME, skill.root).out.strip()), 6)

    done = [entry["user"] for (line,) in said for entry in json.loads(line)["done"]]
    assert sorted(done) == USERS
    assert fears(skill) == {user: f"{user} left" for user in USERS}


def test_begins_at_once_get_runs_of_their_own(skill: ThinkWorkspace) -> None:
    """Eight begins: eight runs, each with all twenty."""
    said = together(lambda _, report: report(lab.succeed(BEGIN, skill.root).out.strip()), 8)
    begun = [json.loads(line) for (line,) in said]

    assert sorted(one["run"] for one in begun) == [f"think-2026-02-20-{number:03}" for number in range(2, 10)]
    assert [[entry["user"] for entry in one["waiting"]] for one in begun] == [USERS] * 8
    lab.require_readable(skill.root)
