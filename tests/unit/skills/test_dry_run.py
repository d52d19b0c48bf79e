"""`--dry-run` shows everything and changes nothing: bytes, times, folders (follow-up, dry-run mode)."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from mindloop.hosts.rehearsal import RehearsalHost
from mindloop.protocol.run_files import read_packet
from mindloop.skills.follow_up.begin import begin
from mindloop.skills.follow_up.drive import drive
from mindloop.skills.follow_up.resume import resume
from tests.helpers.skill_workspace import SkillWorkspace, at, hypothesis, reasons, snapshot, waiting

if TYPE_CHECKING:
    from pathlib import Path

FLAGS = {"canvas": None, "dry_run": True, "allow_stale": False}
LATER = "2026-03-20T09:00:00Z"


@pytest.fixture
def bench(tmp_path: Path) -> SkillWorkspace:
    """Two users who were asked a month ago, so that growth would expire, decay and compare; one without growth."""
    made = SkillWorkspace(tmp_path)
    for user in ("ann", "bob"):
        made.canvas(user, body=hypothesis())
    made.full_run()
    made.canvas("new", body=hypothesis())
    made.canvas("eve", quotes=[])
    return made


@pytest.mark.parametrize("growth", [True, False])
@pytest.mark.parametrize("with_store", [True, False], ids=["", "no .mindloop"])
def test_begin_leaves_every_byte(bench: SkillWorkspace, growth: bool, with_store: bool) -> None:
    """No run file, no lock file, no growth step, no folder: the tree is as it was, times included."""
    if not growth:
        marker = bench.root / "mindloop.yaml"
        marker.write_text(marker.read_text().replace("enabled: true", "enabled: false"))
    if not with_store:
        shutil.rmtree(bench.root / ".mindloop")
    before = snapshot(bench.root)
    begun = bench.begin(now=LATER, dry_run=True)

    assert snapshot(bench.root) == before
    assert waiting(begun) == ["ann", "bob", "new"]
    assert reasons(begun) == {"eve": "no_triggers"}


def test_a_whole_dry_drive_leaves_every_byte(bench: SkillWorkspace) -> None:
    """Begin, answers, resume, batch and growth stay in memory; the batch's text is there to be shown."""
    before = snapshot(bench.root)
    memory = bench.ws.in_memory()
    driven = drive(memory, RehearsalHost(), at(LATER), dict(FLAGS))

    assert snapshot(bench.root) == before
    assert driven.resumed is not None
    assert [entry["outcome"] for entry in driven.resumed.done] == ["messages"] * 3
    assert "### Message 1 (" in (memory.read_text("grimoires/observer/follow-ups/2026-03-20.md") or "")


def test_a_dry_drive_where_everybody_is_skipped_leaves_every_byte(tmp_path: Path) -> None:
    """The empty batch of a run without anybody to ask is not written either."""
    bench = SkillWorkspace(tmp_path)
    bench.canvas("eve", quotes=[])
    before = snapshot(bench.root)
    driven = drive(bench.ws.in_memory(), RehearsalHost(), at(LATER), dict(FLAGS))

    assert snapshot(bench.root) == before
    assert driven.begun is not None
    assert reasons(driven.begun) == {"eve": "no_triggers"}


def test_the_dry_batch_is_the_batch_of_the_real_run(bench: SkillWorkspace) -> None:
    """What the dry run shows is, byte for byte, what the real run then writes: tokens are previewed, not used up."""
    memory = bench.ws.in_memory()
    drive(memory, RehearsalHost(), at(LATER), dict(FLAGS))
    shown = memory.read_text("grimoires/observer/follow-ups/2026-03-20.md")
    drive(bench.ws, RehearsalHost(), at(LATER), {**FLAGS, "dry_run": False})

    assert bench.batch_text("2026-03-20") == shown


def test_a_dry_packet_is_the_packet_of_the_real_run(bench: SkillWorkspace) -> None:
    """The growth section of a dry run comes from the same steps, on a copy."""
    memory = bench.ws.in_memory()
    dry = begin(memory, at(LATER), dict(FLAGS))
    shown = read_packet(memory, dry.place.run, "ann").decode()
    real = bench.begin(now=LATER)

    assert "=== GROWTH STATE" in shown
    assert shown == bench.packet(real.place.run, "ann")


def test_resume_can_be_looked_at_without_writing(bench: SkillWorkspace) -> None:
    """The in-memory view serves resume as well."""
    run = bench.begin(now=LATER).place.run
    bench.default_answers(run, "ann", "bob", "new")
    before = snapshot(bench.root)
    memory = bench.ws.in_memory()
    resumed = resume(memory, run, at(LATER))

    assert resumed.state == "complete"
    assert snapshot(bench.root) == before


def test_a_preview_shows_this_run_alone(bench: SkillWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch of the same day is on disk: the preview of one user holds that user, in however many stretches."""
    monkeypatch.setattr("mindloop.skills.follow_up.resume.GROUP", 1)
    ws = bench.ws.in_memory()
    driven = drive(ws, RehearsalHost(), at("2026-02-20T10:00:00Z"), {**FLAGS, "canvas": "new"})
    both = drive(bench.ws.in_memory(), RehearsalHost(), at(LATER), FLAGS)
    assert driven.resumed is not None
    assert both.resumed is not None
    text = ws.read_text(str(driven.resumed.batch)) or ""

    assert "## new" in text
    assert "## ann" not in text
    assert "## ann" in bench.batch_text("2026-02-20")
    assert sorted(entry["user"] for entry in both.resumed.done) == ["ann", "bob", "new"]
