"""drive.py think: begin, ask and take in one command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mindloop.cli.drive_judged import REHEARSED
from tests.helpers.command_line import Called, call
from tests.helpers.skill_workspace import NOW, hypothesis
from tests.helpers.thinking import ThinkWorkspace, explored

if TYPE_CHECKING:
    from pathlib import Path

RUN = "think-2026-02-20-001"


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ThinkWorkspace:
    """One user who can be asked about, and one whose canvas cannot be read."""
    made = ThinkWorkspace(tmp_path)
    made.canvas("bob", body=hypothesis())
    made.observe("eve", "the badge never showed up")
    canvas = next(tmp_path.glob("grimoires/observer/canvas/eve*.md"))
    canvas.write_bytes(b"no header\n")
    monkeypatch.setenv("MINDLOOP_ROOT", str(tmp_path))
    monkeypatch.setenv("MINDLOOP_NOW", NOW)
    return made


def drive(*argv: str) -> Called:
    return call("drive", "think", "--host", "rehearsal", *argv)


def test_who_was_left_out_is_said(bench: ThinkWorkspace) -> None:
    """What begin would say is not lost because a driver began."""
    called = drive()

    assert called.code == 0
    assert called.out.splitlines() == [
        REHEARSED,
        f"run {RUN}; 1 waiting, 1 skipped",
        "skipped:",
        "  eve: invalid_canvas",
        f"run {RUN}: 1 taken, 0 refused, 0 still open",
        "  bob: fears: 1, steering targets: 1",
    ]


def test_json_names_them_and_the_warnings_of_begin(bench: ThinkWorkspace) -> None:
    """A torn index line is a warning whoever begins."""
    with (bench.root / "grimoires/mining/provenance/index.jsonl").open("ab") as file:
        file.write(b"{torn\n")
    told = drive("--json").json

    assert told["skipped"] == [{"user": "eve", "reason": "invalid_canvas"}]
    assert [line for line in told["warnings"] if "index.jsonl" in line]
    assert (told["run"], told["state"], told["host"]) == (RUN, "complete", "rehearsal")


def test_nobody_to_ask_is_not_told_as_everybody_is_fresh(bench: ThinkWorkspace) -> None:
    """Each reason is the user's own, and no run begins."""
    call("cognition", "begin")
    call("cognition", "answer", RUN, "bob", stdin=explored("bob"))

    assert drive().out.splitlines() == [
        REHEARSED,
        "no run; 0 waiting, 2 skipped",
        "skipped:",
        "  eve: invalid_canvas",
        "  bob: fresh",
    ]


def test_a_dry_run_names_no_run(bench: ThinkWorkspace) -> None:
    """There is none: nothing of the workspace changes."""
    told = drive("--dry-run", "--json").json

    assert (told["run"], [one["outcome"] for one in told["done"]]) == (None, ["done"])
    assert bench.sidecar("bob") is None


def test_a_run_of_another_skill_is_asked_nothing(bench: ThinkWorkspace) -> None:
    """An answer costs money, so whose run it is comes first."""
    call("cognition", "begin")
    called = call("drive", "grow", "--host", "rehearsal", "--run", RUN)

    assert (called.code, called.out) == (1, "")
    assert "is a run of 'think', expected one of 'grow'" in called.err
    assert not (bench.root / f"agents/researcher/session/runs/{RUN}/answers").exists()
