"""Processes that run commands in a loop, killed with -9 at random moments: what they printed is true afterwards."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from mindloop.protocol.run_files import all_runs, find_run, read_answer, read_head
from tests.helpers import command_faults as lab
from tests.helpers.command_faults import Line
from tests.helpers.command_line import SCRIPTS
from tests.helpers.folders import fast_folder
from tests.helpers.skill_workspace import INDEX, NOW, SkillWorkspace, hypothesis
from tests.helpers.writers import Writer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Report = Callable[[str], None]

KILLS = max(int(os.environ.get("MINDLOOP_KILLS", "400")) * 60 // 400, 8)
ONE_WORKSPACE = 200  # kills; then a new one, so that its files stay small
WAIT = 60
GROWTH = "    decay: {cycles_to_stale: 1000}\n    retention: {max_batches_per_user: 1000}\n"
"""So that both users can be written to for as long as the test runs, and every token stays on record."""


def workspace(folder: Path) -> SkillWorkspace:
    """Two users who can be written to."""
    skill = SkillWorkspace(folder)
    marker = folder / "mindloop.yaml"
    kept = [line for line in marker.read_text().splitlines() if not line.lstrip().startswith("silence_gate_days:")]
    assert kept[-1] == "    enabled: true"
    marker.write_text("\n".join(kept) + "\n" + GROWTH)
    lab.quick_scores(folder)
    for user in ("alice", "bob"):
        skill.canvas(user, body=hypothesis())
    return skill


def ingest_on(root: Path, mark: str, report: Report) -> None:
    """Ingest new texts for ever."""
    turn = 0
    while True:
        turn += 1
        argv = ("ingest", "--user", "alice", "--source-type", "discord_dm", "--json")
        said = lab.succeed(Line("provenance", *argv, stdin=f"{mark}.{turn}", patience=WAIT), root).json
        report(f"record {said['record']['record_id']}")


def observe_on(root: Path, mark: str, report: Report) -> None:
    """Observe new quotes for ever."""
    turn = 0
    while True:
        turn += 1
        argv = ("observe", "--user", f"w{turn % 3}", "--date", "2026-02-10", "--json")
        said = lab.succeed(Line("canvas", *argv, stdin=f"{mark}.{turn}", patience=WAIT), root).json
        report(f"record {said['record']['record_id']}")


def follow_up_on(root: Path, _mark: str, report: Report) -> None:
    """Begin, answer and resume for ever."""
    skill = SkillWorkspace(root)
    while True:
        run = lab.succeed(Line("follow_up", "begin", "--json", "--canvas", "alice", patience=WAIT), root).json["run"]
        report(f"run {run}")
        raw = str(skill.item(run, "alice")["default"])
        lab.succeed(Line("follow_up", "answer", run, "alice", stdin=raw, patience=WAIT), root)
        report(f"answer {run}")
        done = lab.succeed(Line("follow_up", "resume", run, "--json", patience=WAIT), root).json["done"]
        assert [(one["user"], one["messages"]) for one in done] == [("alice", 1)]
        report(f"done {run}")


JOBS = (ingest_on, observe_on, follow_up_on, follow_up_on)


def require_what_was_said(skill: SkillWorkspace, said: set[str]) -> None:
    """The next command recovers; all files read and agree, and everything that was printed is there."""
    lab.succeed(lab.STATUS, skill.root)
    lab.require_no_leftovers(skill.root, "kill -9")
    lab.require_readable(skill.root)
    lab.require_agreement(skill.root)
    workspace = skill.ws
    index = (workspace.read(INDEX) or b"").decode()
    for word, name in (line.split() for line in said):
        if word == "record":
            assert index.count(f'"{name}"') == 1, f"{name} was ingested"
            continue
        place = find_run(workspace, name)
        head: Any = read_head(workspace, place)
        assert head["waiting"] == {"alice": "alice"}, f"{name} was begun"
        assert word == "run" or read_answer(workspace, place, "alice") is not None, f"{name} was answered"
        assert word != "done" or head["done"] == {"alice": "messages"}, f"{name} was resumed"


def resume_the_rest(skill: SkillWorkspace) -> None:
    """Runs that were answered and not resumed can be resumed; each message is written once."""
    for place in all_runs(skill.ws):
        head = read_head(skill.ws, place)
        if head["waiting"] and not head["done"] and read_answer(skill.ws, place, "alice"):
            lab.succeed(Line("follow_up", "resume", place.run), skill.root)


def test_what_commands_printed_survives_kills(tmp_path: Path) -> None:
    """Observers, ingesters and two who begin, answer and resume are killed; what any of them printed still holds."""
    dice = random.Random(20260220)
    words: set[str] = set()
    for start in range(0, KILLS, ONE_WORKSPACE):
        with fast_folder(tmp_path) as folder:
            skill = workspace(folder)
            said: set[str] = set()
            for turn in range(start, min(start + ONE_WORKSPACE, KILLS), len(JOBS)):
                said |= kill_a_round(folder, turn, dice)
                require_what_was_said(skill, said)
            resume_the_rest(skill)
            require_what_was_said(skill, said)
            words |= {line.split()[0] for line in said}

    assert words == {"record", "run", "answer", "done"}


def kill_a_round(folder: Path, turn: int, dice: random.Random) -> set[str]:
    """Start one process a job and kill each; return what they printed."""
    writers = [
        Writer(lambda report, job=job, n=n: job(folder, f"{turn}.{n}", report))  # type: ignore[misc]  # the defaults bind now
        for n, job in enumerate(JOBS)
    ]
    for writer in dice.sample(writers, len(writers)):
        time.sleep(dice.uniform(0.002, 0.12))  # the moment of the kill is what is being drawn
        writer.kill()
    said: set[str] = set()
    for writer in writers:
        lines = writer.reports()
        assert writer.status == signal.SIGKILL, "\n".join(lines[-40:])
        said |= set(lines)
    return said


def test_the_scripts_themselves_survive_kills(tmp_path: Path) -> None:
    """The files of core/scripts, killed between their first instruction and their last."""
    dice = random.Random(20260221)
    environment = {**os.environ, "MINDLOOP_NOW": NOW, "MINDLOOP_LOCK_TIMEOUT": str(WAIT)}
    with fast_folder(tmp_path) as folder:
        skill = workspace(folder)
        for turn in range(max(KILLS // 6, 4)):
            run = skill.begin().place.run
            skill.default_answers(run, "alice", "bob")
            lines = [
                Line("follow_up", "resume", run),
                Line("canvas", "observe", "--user", "w", stdin=f"it is {turn}"),
                Line("follow_up", "begin"),
            ]
            line = lines[turn % len(lines)]
            process = subprocess.Popen(
                [sys.executable, str(SCRIPTS / f"{line.name}.py"), *line.argv],
                cwd=folder,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            assert process.stdin is not None
            process.stdin.write(line.stdin.encode())
            process.stdin.close()
            time.sleep(dice.uniform(0.02, 0.3))  # likewise
            process.kill()
            assert process.stdout is not None
            printed = process.stdout.read()
            process.stdout.close()
            if process.wait() == 0:
                assert printed
            lab.succeed(lab.STATUS, folder)
            lab.require_no_leftovers(folder, line)
            lab.require_readable(folder)
            lab.require_agreement(folder)
            lab.succeed(Line("follow_up", "resume", run), folder)
            lab.require_agreement(folder)
            assert read_head(skill.ws, find_run(skill.ws, run))["done"] == {"alice": "messages", "bob": "messages"}
