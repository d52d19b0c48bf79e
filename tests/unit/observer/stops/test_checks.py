"""What doctor says of stops: whom a damaged file stops, and which file stops nobody."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from mindloop.observer.stops.checks import check_stops, problems
from mindloop.store.checkup import Examined, Look
from tests.helpers.skill_workspace import NOW, SkillWorkspace, at

if TYPE_CHECKING:
    from pathlib import Path

STOPS = "grimoires/observer/stops"
GOOD = "schema_version: 1\nuser: ann\nstate: stopped\nreason: declined\nsince: 2026-02-01\nhistory: []\n"


@pytest.fixture
def bench(tmp_path: Path) -> SkillWorkspace:
    made = SkillWorkspace(tmp_path)
    made.canvas("ann")
    (tmp_path / STOPS).mkdir()
    return made


def found(bench: SkillWorkspace) -> list[tuple[str, str, str]]:
    look = Look(Examined(str(bench.root)), at(NOW))
    return [(one.severity, one.path.rpartition("/")[2], one.what) for one in check_stops(look)]


def test_a_good_stop_is_silent(bench: SkillWorkspace) -> None:
    """A stop of a known user under its own name: nothing to say."""
    bench.write(f"{STOPS}/ann.yaml", GOOD)

    assert found(bench) == []


def test_no_stops_at_all_is_silent(tmp_path: Path) -> None:
    """A workspace without the folder."""
    assert found(SkillWorkspace(tmp_path)) == []


@pytest.mark.parametrize(
    "text", ["", "user: [", GOOD.replace("stopped", "paused"), GOOD.replace("_version: 1", "_version: 9")]
)
def test_a_damaged_stop_is_an_error_that_says_what_it_does(bench: SkillWorkspace, text: str) -> None:
    """The user is left out because of it, and nobody else finds out why."""
    bench.write(f"{STOPS}/ann.yaml", text)
    ((severity, name, what),) = found(bench)

    assert (severity, name) == ("error", "ann.yaml")
    assert what.endswith("until it is mended or removed, nobody writes to this user")


def test_a_stop_under_another_name_stops_the_wrong_one(bench: SkillWorkspace) -> None:
    """The file's name decides whom it stops; its user goes on being written to."""
    bench.write(f"{STOPS}/ben.yaml", GOOD)
    what = "it is of 'ann', whose file is named ann.yaml: it stops 'ben' and not them"

    assert found(bench) == [("error", "ben.yaml", what)]


def test_a_folder_stops_and_a_link_to_nowhere_does_not(bench: SkillWorkspace, tmp_path: Path) -> None:
    """What is no file is told, with what it does to the user."""
    (tmp_path / STOPS / "ann.yaml").mkdir()
    os.symlink("gone", tmp_path / STOPS / "ben.yaml")

    assert found(bench) == [
        ("error", "ann.yaml", "it is no file; until it is mended or removed, nobody writes to this user"),
        ("error", "ben.yaml", "it is a link that leads to no file, so it stops nobody"),
    ]


def test_a_stop_of_nobody_known_is_worth_a_word(bench: SkillWorkspace) -> None:
    """A user may be stopped before there is a canvas; a slip of the pen looks the same."""
    bench.write(f"{STOPS}/ben.yaml", GOOD.replace("ann", "ben"))

    assert found(bench) == [("info", "ben.yaml", "'ben' has no canvas")]


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"since": "yesterday"}, "since is 'yesterday', which is no time"),
        ({"reason": None}, "it does not say why; give it a reason: growth.py stop"),
        ({"state": "running"}, "it is lifted and still has the reason 'declined'"),
        (
            {"history": [{"reason": "declined", "from": "2026-02-02", "until": "2026-02-01"}]},
            "entry 1 of its history ends before it begins",
        ),
        (
            {"history": [{"reason": "declined", "from": "2026-02-02", "until": "?"}]},
            "entry 1 of its history has no two times",
        ),
    ],
)
def test_contradictions_are_named(changed: dict[str, Any], what: str) -> None:
    """One sentence each."""
    good = {"user": "ann", "state": "stopped", "reason": "declined", "since": "2026-02-01", "history": []}

    assert list(problems({**good, **changed})) == [what]
    assert list(problems(good)) == []
