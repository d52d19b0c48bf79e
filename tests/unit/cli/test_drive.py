"""drive.py follow-up: the whole skill in one command."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

import pytest

from mindloop.store.workspace import Workspace
from tests.helpers.command_line import call
from tests.helpers.skill_workspace import FOLLOW_UPS, NOW, SkillWorkspace, held_lock, snapshot

if TYPE_CHECKING:
    from pathlib import Path

REHEARSE = ["drive", "follow-up", "--host", "rehearsal"]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SkillWorkspace:
    monkeypatch.setenv("MINDLOOP_ROOT", str(tmp_path))
    monkeypatch.setenv("MINDLOOP_NOW", NOW)
    made = SkillWorkspace(tmp_path)
    made.observe("ann", "ann said this")
    made.observe("bob", "bob said this")
    made.canvas("eve", quotes=[])
    return made


def test_a_rehearsal_says_that_it_is_one(bench: SkillWorkspace) -> None:
    """On the screen, above the batch, beside each user and in every message."""
    called = call(*REHEARSE)
    text = bench.batch_text()

    assert called.code == 0
    assert called.out.startswith("rehearsal: no model was asked")
    assert "REHEARSAL, do not send" in text
    assert text.count("\n**Host**: rehearsal\n") == 2
    assert [one["message_body"][:11] for section in bench.batch()["sections"] for one in section["messages"]] == [
        "[rehearsal]"
    ] * 2


def test_json_tells_all_of_it(bench: SkillWorkspace) -> None:
    """Run, who was done, who was skipped, the batch."""
    found = call(*REHEARSE, "--json").json

    assert (found["state"], found["host"], found["batch"]) == ("complete", "rehearsal", f"{FOLLOW_UPS}/2026-02-20.md")
    assert [entry["user"] for entry in found["done"]] == ["ann", "bob"]
    assert found["skipped"] == [{"user": "eve", "reason": "no_triggers"}]
    assert found["open"] == []


def test_a_run_can_be_continued(bench: SkillWorkspace) -> None:
    """--run asks for those who are still open, and only for them."""
    run = call("follow_up", "begin", "--json").json["run"]
    bench.default_answers(run, "ann")
    call("follow_up", "resume", run)
    first = bench.batch_text().partition("## ann")[2].partition("\n---")[0]
    continued = call(*REHEARSE, "--run", run, "--json").json

    assert continued["done"] == [{"user": "bob", "outcome": "messages", "messages": 1}]
    assert first in bench.batch_text()


def test_an_unknown_run_is_not_found(bench: SkillWorkspace) -> None:
    """Exit 1, no batch."""
    assert call(*REHEARSE, "--run", "follow-up-2026-01-01-001").code == 1
    assert not (bench.root / FOLLOW_UPS / "2026-02-20.md").exists()


@pytest.mark.parametrize("form", [[], ["--json"]], ids=["text", "json"])
def test_a_dry_run_shows_the_batch_and_changes_nothing(bench: SkillWorkspace, form: list[str]) -> None:
    """The whole batch on stdout, not a byte in the workspace."""
    before = snapshot(bench.root)
    called = call(*REHEARSE, "--dry-run", *form)

    assert called.code == 0
    assert snapshot(bench.root) == before
    shown = called.json["batch_text"] if form else called.out
    assert "type: follow-up-batch" in shown
    assert '> Anchor quote: "ann said this"' in shown
    if form:
        assert (called.json["run"], called.json["batch"]) == (None, None)


def test_one_user(bench: SkillWorkspace) -> None:
    """--canvas works as in begin; an unknown user is a wrong call."""
    assert call(*REHEARSE, "--canvas", "BOB").code == 0
    assert bench.batch()["users"] == ["bob"]
    assert call(*REHEARSE, "--canvas", "bo").code == 2


def test_a_scripted_answer_is_checked_like_any_other(bench: SkillWorkspace) -> None:
    """A text in the rehearsal folder stands for the writer; what is wrong with it counts."""
    bench.write("grimoires/observer/rehearsal/ann.txt", b"\xff not json")
    found = call(*REHEARSE, "--json").json

    assert {entry["user"]: entry["outcome"] for entry in found["done"]} == {
        "ann": "subagent_parse_error",
        "bob": "messages",
    }


def test_everybody_skipped_is_a_batch_too(bench: SkillWorkspace) -> None:
    """Nobody to ask: exit 0 and an empty batch that says why."""
    called = call(*REHEARSE, "--canvas", "eve", "--json")

    assert called.code == 0
    assert bench.batch()["skipped_users"] == [{"user": "eve", "reason": "no_triggers"}]


def test_one_driver_a_workspace(bench: SkillWorkspace) -> None:
    """A second driver is told to wait: exit 75, nothing begun."""
    with Workspace(str(bench.root)).hold("driver", "another driver"):
        called = call(*REHEARSE)

    assert (called.code, called.out) == (75, "")
    assert list((bench.root / "agents/researcher/session/runs").iterdir()) == []


def test_a_busy_user_is_left_open_with_75(bench: SkillWorkspace) -> None:
    """The others are done."""
    with held_lock(bench.root, "user:ann"):
        called = call(*REHEARSE, "--json", MINDLOOP_LOCK_TIMEOUT="0.05")

    assert (called.code, called.json["open"]) == (75, ["ann"])
    assert bench.batch()["users"] == ["bob"]


@pytest.mark.parametrize("argv", [["follow-up"], ["follow-up", "--host", "gpt"], ["sing", "--host", "rehearsal"]])
def test_a_wrong_call(bench: SkillWorkspace, argv: list[str]) -> None:
    """No host, an unknown host, an unknown skill: exit 2, nothing begun."""
    called = call("drive", *argv)

    assert (called.code, called.out) == (2, "")
    assert list((bench.root / "agents/researcher/session/runs").iterdir()) == []


CLAUDE = ["drive", "follow-up", "--host", "claude"]


def client(folder: Path, said: dict[str, object], code: int) -> str:
    """A stand-in for the client: reads its packet, prints one result."""
    path = folder / "client"
    path.write_text(f"#!/bin/sh\ncat >/dev/null\nprintf '%s' {shlex.quote(json.dumps(said))}\nexit {code}\n")
    path.chmod(0o755)
    return str(path)


def test_a_client_that_is_not_there_is_missed_before_anything_begins(
    bench: SkillWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--host claude without the client: a clear error, and no run is left behind."""
    monkeypatch.setenv("PATH", "/nowhere")

    called = call(*CLAUDE)

    assert called.code == 2
    assert "claude" in called.err
    assert call("follow_up", "status", "--json").json["runs"] == []


@pytest.mark.parametrize("name", ["MINDLOOP_CLAUDE_TIMEOUT", "MINDLOOP_CLAUDE_WORKERS"])
def test_a_limit_that_is_no_number_costs_nobody_their_turn(
    bench: SkillWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A wrong setting is a wrong call: nobody is closed for it."""
    monkeypatch.setenv("MINDLOOP_CLAUDE", client(tmp_path, {}, 0))
    monkeypatch.setenv(name, "5min")

    called = call(*CLAUDE)

    assert (called.code, name in called.err) == (2, True)
    assert call("follow_up", "status", "--json").json["runs"] == []


def test_a_client_that_is_not_logged_in_leaves_a_run_that_can_be_continued(
    bench: SkillWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error says how to log in and which command goes on; that command asks for everybody."""
    said = {"type": "result", "is_error": True, "result": "Not logged in \u00b7 Please run /login", "num_turns": 0}
    monkeypatch.setenv("MINDLOOP_CLAUDE", client(tmp_path, said, 1))

    called = call(*CLAUDE)
    run = call("follow_up", "status", "--json").json["runs"][0]

    assert called.code == 2
    assert f"drive.py follow-up --host claude --run {run['run']}" in called.err
    assert (run["state"], run["waiting"]) == ("open", 2)
    assert call(*REHEARSE, "--run", run["run"], "--json").json["state"] == "complete"


def test_why_a_call_failed_is_told_in_text_too(
    bench: SkillWorkspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An overloaded API is named once a user; it is not hidden behind the parse error that it becomes."""
    said = {"type": "result", "is_error": True, "result": "Overloaded", "api_error_status": 529, "num_turns": 1}
    monkeypatch.setenv("MINDLOOP_CLAUDE", client(tmp_path, said, 1))

    called = call(*CLAUDE)

    assert called.code == 0
    assert sorted(line.partition(":")[2].split(":")[0].strip() for line in called.err.splitlines()) == ["ann", "bob"]
    assert called.err.count("529") == 2
    assert called.out.count("skipped, subagent_parse_error") == 2


def test_a_dry_run_shows_the_synthesis_too(bench: SkillWorkspace) -> None:
    """Batch and synthesis are printed, and no byte is written."""
    bench.observe("cyd", "cyd said this")
    before = snapshot(bench.root)
    called = call(*REHEARSE, "--dry-run", "--synthesize")
    as_json = call(*REHEARSE, "--dry-run", "--synthesize", "--json").json

    assert called.out.index("# Follow-up Messages: 2026-02-20") < called.out.index("# Synthesis: 2026-02-20")
    assert "# Synthesis: 2026-02-20" in as_json["synthesis_text"]
    assert as_json["synthesis"] is None
    assert snapshot(bench.root) == before


def test_thinking_is_driven_to_what_users_share(bench: SkillWorkspace) -> None:
    """One command thinks about everybody, then asks about all of them; the file is of the cognition's own type."""
    bench.observe("cyd", "cyd said this")
    called = call("drive", "think", "--host", "rehearsal", "--synthesize", "--json").json
    text = (bench.root / "grimoires/observer/cognition/synthesis-2026-02-20.md").read_text("utf-8")

    assert [entry["outcome"] for entry in called["done"]] == ["done"] * 5
    assert [entry["item"] for entry in called["done"]] == ["ann", "bob", "cyd", "eve", "all"]
    assert "type: cognition-synthesis" in text
