"""`--synthesize`: one question about all once they are through; nothing of it touches what they got (step 6)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mindloop.hosts.rehearsal import RehearsalHost
from mindloop.protocol.run_files import file_answer, find_run, read_item
from mindloop.skills.follow_up.drive import drive
from tests.helpers.skill_workspace import FOLLOW_UPS, SkillWorkspace, at

if TYPE_CHECKING:
    from pathlib import Path

SYNTHESIS = f"{FOLLOW_UPS}/2026-02-20-synthesis.md"
USERS = ["ann", "bob", "cyd"]


@pytest.fixture
def bench(tmp_path: Path) -> SkillWorkspace:
    made = SkillWorkspace(tmp_path)
    for user in USERS:
        made.observe(user, f"{user} said a word like kumquat{user}")
    return made


def through(bench: SkillWorkspace) -> str:
    """A run with --synthesize whose users are all through; returns its name."""
    begun = bench.begin(synthesize=True)
    bench.default_answers(begun.place.run, *USERS)
    return begun.place.run


def test_the_question_comes_when_the_last_user_is_through(bench: SkillWorkspace) -> None:
    """Not before; its packet holds vectors and no word of a canvas."""
    run = bench.begin(synthesize=True).place.run
    bench.default_answers(run, "ann", "bob")
    early = bench.resume(run)
    bench.default_answers(run, "cyd")
    done = bench.resume(run)
    assert done.synthesis_packet is not None
    linked = done.synthesis_packet.removeprefix("packet:").partition("/")[0]
    prompt = str(read_item(bench.ws, find_run(bench.ws, linked), "all")["prompt"])

    assert early.synthesis_packet is None
    assert done.state == "complete"
    assert "kumquat" not in prompt
    assert '"quote_count"' in prompt


def test_the_answer_becomes_a_file_of_its_own_type(bench: SkillWorkspace) -> None:
    """Resume takes it; the day's batch is what it was before, byte for byte."""
    run = through(bench)
    packet = str(bench.resume(run).synthesis_packet)
    before = bench.batch_text()
    linked = packet.removeprefix("packet:").partition("/")[0]
    default = str(read_item(bench.ws, find_run(bench.ws, linked), "all")["default"])
    file_answer(bench.ws, linked, "all", default, "claude-code")
    taken = bench.resume(run)

    assert str(taken.synthesis).startswith(SYNTHESIS)
    assert taken.synthesis_packet is None
    assert "type: follow-up-synthesis" in (bench.root / SYNTHESIS).read_text("utf-8")
    assert bench.batch_text() == before
    assert bench.resume(run).synthesis is None


@pytest.mark.parametrize("raw", ["no json", json.dumps({"shared_hypotheses": "x"}), "{}"])
def test_a_wrong_answer_costs_the_synthesis_and_nothing_else(bench: SkillWorkspace, raw: str) -> None:
    """No file is written, the run stays complete, the batch stays."""
    run = through(bench)
    packet = str(bench.resume(run).synthesis_packet)
    before = bench.batch_text()
    file_answer(bench.ws, packet.removeprefix("packet:").partition("/")[0], "all", raw, "claude-code")
    taken = bench.resume(run)

    assert not (bench.root / SYNTHESIS).exists()
    assert (taken.state, bench.batch_text()) == ("complete", before)
    assert "refused" in str(taken.synthesis)


def test_too_few_users_share_nothing(bench: SkillWorkspace) -> None:
    """With --canvas there is one user: no question, a warning, the same messages."""
    begun = bench.begin(synthesize=True, canvas="ann")
    bench.default_answers(begun.place.run, "ann")
    resumed = bench.resume(begun.place.run)

    assert resumed.synthesis_packet is None
    assert any("at least 3" in warning for warning in resumed.warnings)
    assert resumed.done[0]["outcome"] == "messages"


def test_damage_to_the_linked_run_is_a_warning(bench: SkillWorkspace) -> None:
    """The run of the synthesis is destroyed: a resume says so and shows what the users got."""
    run = through(bench)
    packet = str(bench.resume(run).synthesis_packet)
    linked = packet.removeprefix("packet:").partition("/")[0]
    (bench.root / find_run(bench.ws, linked).head).write_text("{", "utf-8")
    resumed = bench.resume(run)

    assert resumed.state == "complete"
    assert any("synthesis" in warning for warning in resumed.warnings)


def test_a_drive_does_all_of_it(bench: SkillWorkspace) -> None:
    """The rehearsal answers the question too, labelled; a dry run of the same writes nothing."""
    dry = drive(bench.ws.in_memory(), RehearsalHost(), at(bench.now), {"synthesize": True})
    assert not (bench.root / SYNTHESIS).exists()
    driven = drive(bench.ws, RehearsalHost(), at(bench.now), {"synthesize": True})
    assert dry.resumed is not None
    assert driven.resumed is not None

    assert str(driven.resumed.synthesis).startswith(SYNTHESIS)
    assert "host: rehearsal" in (bench.root / SYNTHESIS).read_text("utf-8")


def test_a_run_without_the_flag_asks_nothing(bench: SkillWorkspace) -> None:
    """Synthesis is asked for, or it is not there."""
    run = bench.begin().place.run
    bench.default_answers(run, *USERS)
    assert bench.resume(run).synthesis_packet is None
