"""`growth.py stop` and `resume`: what they write, what they say, and what a person's slip comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mindloop.store import strict_yaml
from tests.helpers.command_line import Called, call
from tests.helpers.skill_workspace import NOW, SkillWorkspace, reasons, snapshot, waiting

if TYPE_CHECKING:
    from pathlib import Path

STOPS = "grimoires/observer/stops"
LATER = "2026-02-27T09:00:00Z"


@pytest.fixture
def bench(tmp_path: Path) -> SkillWorkspace:
    made = SkillWorkspace(tmp_path)
    made.observe("ann", "ann said this")
    made.observe("bob", "bob said this")
    return made


def growth(bench: SkillWorkspace, *argv: str, now: str = NOW) -> Called:
    return call("growth", *argv, MINDLOOP_ROOT=str(bench.root), MINDLOOP_NOW=now)


def research(bench: SkillWorkspace) -> dict[str, tuple[int, str]]:
    """Everything but the locks, which name their last holder."""
    return {path: entry for path, entry in snapshot(bench.root).items() if path.startswith("grimoires")}


def stop_of(bench: SkillWorkspace, name: str = "ann") -> Any:
    path = bench.root / STOPS / f"{name}.yaml"
    return strict_yaml.load(path.read_text("utf-8"), path.name)


@pytest.mark.parametrize("spelling", ["ann", "@Ann", "ANN"])
def test_a_stopped_user_is_left_out_until_resumed(bench: SkillWorkspace, spelling: str) -> None:
    """Stop and resume in any spelling of the name; the other user is asked all the time."""
    assert growth(bench, "stop", spelling, "opted_out").code == 0
    assert reasons(bench.begin()) == {"ann": "stopped"}
    assert waiting(bench.begin()) == ["bob"]
    assert growth(bench, "resume", spelling, now=LATER).code == 0
    assert waiting(bench.begin(now=LATER)) == ["ann", "bob"]
    assert stop_of(bench)["history"] == [{"reason": "opted_out", "from": NOW, "until": LATER}]


def test_what_stop_says(bench: SkillWorkspace) -> None:
    """One line: who, why, since when; what it replaced; that it changed nothing; that the user is written to again."""
    said = [
        growth(bench, "stop", "ann", "opted-out").out,
        growth(bench, "stop", "ann", "opted_out", now=LATER).out,
        growth(bench, "stop", "ann", "converted", now=LATER).out,
        growth(bench, "resume", "ann", now=LATER).out,
    ]

    assert said == [
        f"ann: stopped, opted_out since {NOW}\n",
        f"ann: is stopped already, opted_out since {NOW}; nothing was changed\n",
        f"ann: stopped, converted since {LATER}, no longer opted_out\n",
        f"ann: written to again since {LATER} (was stopped: converted)\n",
    ]


def test_the_same_stop_again_changes_no_byte(bench: SkillWorkspace) -> None:
    """Exit 0, and neither file nor time of change is another."""
    growth(bench, "stop", "ann", "declined")
    before = research(bench)
    again = growth(bench, "stop", "ann", "declined", "--json", now=LATER)

    assert (again.code, again.json["changed"], again.json["since"]) == (0, False, NOW)
    assert research(bench) == before


def test_json_is_the_whole_stop(bench: SkillWorkspace) -> None:
    """One object with its version, the document's fields, its path, and whether anything was changed."""
    assert growth(bench, "stop", "ann", "escalated", "--json").json == {
        "version": 1,
        "schema_version": 1,
        "user": "ann",
        "state": "stopped",
        "reason": "escalated",
        "since": NOW,
        "history": [],
        "path": f"{STOPS}/ann.yaml",
        "changed": True,
    }


@pytest.mark.parametrize("prepared", [False, True], ids=["never stopped", "lifted already"])
def test_resuming_who_is_not_stopped_is_a_no(bench: SkillWorkspace, prepared: bool) -> None:
    """Exit 1 with a sentence, and nothing is written."""
    if prepared:
        growth(bench, "stop", "ann", "declined")
        growth(bench, "resume", "ann")
    before = research(bench)
    called = growth(bench, "resume", "ann", now=LATER)

    assert (called.code, called.out) == (1, "")
    assert "ann is not stopped; nothing was changed" in called.err
    assert research(bench) == before


@pytest.mark.parametrize(
    ("argv", "word"),
    [
        (("stop", "ann", "because"), "because"),
        (("stop", "ann"), "REASON"),
        (("stop", "../ann", "declined"), "unsafe user name"),
        (("resume", ""), "is empty"),
    ],
)
def test_a_wrong_call_changes_nothing(bench: SkillWorkspace, argv: tuple[str, ...], word: str) -> None:
    """Exit 2, with what came and what was expected."""
    before = research(bench)
    called = growth(bench, *argv)

    assert called.code == 2
    assert word in called.err
    assert research(bench) == before


@pytest.mark.parametrize("verb", [("stop", "ann", "declined"), ("resume", "ann")])
def test_a_file_that_cannot_be_read_is_left_alone(bench: SkillWorkspace, verb: tuple[str, ...]) -> None:
    """Nothing that a person wrote is written over: exit 2, and the user stays left out."""
    path = bench.write(f"{STOPS}/ann.yaml", "schema_version: 1\nuser: ann\nstate: resting\nsince: x\n")
    before = path.read_bytes()
    called = growth(bench, *verb)

    assert called.code == 2
    assert f"{STOPS}/ann.yaml" in called.err
    assert path.read_bytes() == before
    assert reasons(bench.begin()) == {"ann": "stopped"}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("anm", "note: anm has no canvas yet; did you mean ann?\n"),
        ("somebody", "note: somebody has no canvas yet\n"),
        ("Bob", ""),
    ],
)
def test_a_slip_of_the_pen_is_noticed(bench: SkillWorkspace, name: str, said: str) -> None:
    """A user without a canvas can be stopped before anybody writes to them, and similar names are shown."""
    called = growth(bench, "stop", name, "declined")

    assert (called.code, called.err) == (0, said)


def test_who_is_stopped_between_question_and_answer_gets_no_messages(bench: SkillWorkspace) -> None:
    """The step after the answer is parsed looks at the stop again."""
    from mindloop.protocol.step import Done, Skip
    from mindloop.skills.follow_up.case import Answered, FollowUp
    from mindloop.skills.follow_up.gate_steps import check_stop_again
    from tests.helpers.skill_workspace import at

    run = bench.begin().place.run
    answered = Answered(bench.item(run, "ann"), "{}", "claude-code")
    context = FollowUp(bench.ws, at(NOW), {})
    before = check_stop_again(context, answered)
    growth(bench, "stop", "ann", "opted_out")
    after = check_stop_again(context, answered)

    assert isinstance(before, Done)
    assert isinstance(after, Skip)
    assert (after.reason, after.detail) == ("stopped", f"opted_out since {NOW}")
