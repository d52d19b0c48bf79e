"""Many who stop, resume, report and begin at once: every stop is in the history once, and nobody reads half of one."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from mindloop.observer.stops.reading import read_stop
from tests.helpers import command_faults as lab
from tests.helpers.command_faults import Line
from tests.helpers.folders import fast_folder
from tests.helpers.skill_workspace import SkillWorkspace
from tests.helpers.writers import together

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

REASONS = ("declined", "opted_out", "escalated", "converted")
USERS = ("alice", "bob")


@pytest.fixture
def skill(tmp_path: Path) -> Iterator[SkillWorkspace]:
    with fast_folder(tmp_path) as folder:
        skill = SkillWorkspace(folder)
        lab.quick_scores(folder)
        for user in USERS:
            skill.canvas(user)
        yield skill


def path_of(user: str) -> str:
    return f"grimoires/observer/stops/{user}.yaml"


def test_twenty_who_stop_two_users_lose_no_reason(skill: SkillWorkspace) -> None:
    """Each stop that changed something is in the history or stands; each that changed nothing says so."""

    def work(number: int, report: Callable[[str], None]) -> None:
        user = USERS[number % 2]
        for turn in range(4):
            reason = REASONS[(number + turn) % 4]
            line = Line("growth", "stop", user, reason, "--json", patience=60)
            if lab.succeed(line, skill.root).json["changed"]:
                report(f"{user} {reason}")

    said = Counter(line for lines in together(work, 20) for line in lines)
    found: Counter[str] = Counter()
    for user in USERS:
        stop = read_stop(skill.ws, path_of(user), user)
        assert stop is not None
        assert stop["state"] == "stopped"
        reasons = [one["reason"] for one in stop["history"]] + [stop["reason"]]
        assert all(one != two for one, two in itertools.pairwise(reasons))
        found.update(f"{user} {reason}" for reason in reasons)

    assert found == said
    lab.require_no_leftovers(skill.root, "stops")


def test_stops_resumes_reports_and_begins_do_not_disturb_each_other(skill: SkillWorkspace) -> None:
    """Whoever reads meanwhile sees a whole stop; stops and resumes that succeeded alternate, begun runs are whole."""

    def work(number: int, report: Callable[[str], None]) -> None:
        for _ in range(6):
            if number < 4:
                called = Line("growth", "stop", "alice", "declined", "--json", patience=60).run(skill.root)
                assert called.code == 0, called.err
                if called.json["changed"]:
                    report("stop")
            elif number < 8:
                called = Line("growth", "resume", "alice", patience=60).run(skill.root)
                assert called.code in (0, 1), called.err
                if called.code == 0:
                    report("resume")
            elif number == 8:
                found = lab.succeed(Line("growth", "report", "--json", patience=60), skill.root).json["stopped"]
                assert [one["problem"] for one in found] in ([], [""])
            else:
                begun = lab.succeed(Line("follow_up", "begin", "--json", patience=60), skill.root).json
                assert {one["user"] for one in begun["waiting"]} in ({"alice", "bob"}, {"bob"})

    acts = Counter(line for lines in together(work, 10) for line in lines)
    stop = read_stop(skill.ws, path_of("alice"), "alice")

    assert stop is not None
    assert acts["stop"] >= 1
    assert acts["stop"] - acts["resume"] == (stop["state"] == "stopped")
    assert len(stop["history"]) == acts["resume"]
    lab.require_readable(skill.root)
    lab.require_no_leftovers(skill.root, "stops")
