"""Real commands beside each other on one workspace: runs, answers, batches and canvases all come out right."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from mindloop.store.scopes import lock_path
from tests.helpers import command_faults as lab
from tests.helpers.command_faults import Line
from tests.helpers.command_line import SCRIPTS, script
from tests.helpers.faults import snapshot
from tests.helpers.folders import fast_folder
from tests.helpers.skill_workspace import NOW, SkillWorkspace, answer, hypothesis, message
from tests.helpers.writers import Writer, holding, together

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

BEGIN = Line("follow_up", "begin", "--json", patience=60)


@pytest.fixture
def skill(tmp_path: Path) -> Iterator[SkillWorkspace]:
    """Two users with a growth state each, who can be written to."""
    with fast_folder(tmp_path) as folder:
        skill = SkillWorkspace(folder)
        lab.quick_scores(folder)
        for user in ("alice", "bob"):
            skill.canvas(user, body=hypothesis())
        skill.full_run(now="2026-02-11T09:00:00Z")
        yield skill


def ingest(text: str, user: str = "alice") -> Line:
    return Line("provenance", "ingest", "--user", user, "--source-type", "discord_dm", stdin=text, patience=60)


def filed(run: str, user: str, raw: str) -> Line:
    return Line("follow_up", "answer", run, user, stdin=raw, patience=60)


def resume(run: str) -> Line:
    return Line("follow_up", "resume", run, "--json", patience=60)


# --- runs -------------------------------------------------------------------------------------------------------------


def test_begins_at_once_get_runs_of_their_own(skill: SkillWorkspace) -> None:
    """Eight begins make eight runs with whole packets, and growth counts the one cycle once."""
    alone = skill.root.parent / f"{skill.root.name}-alone"
    try:
        shutil.copytree(skill.root, alone)
        lab.succeed(BEGIN, alone)
        growth = {
            path: digest for path, digest in snapshot(alone).items() if path.startswith("grimoires/observer/growth")
        }
    finally:
        shutil.rmtree(alone, ignore_errors=True)

    said = together(lambda _, report: report(lab.succeed(BEGIN, skill.root).out.strip()), 8)

    begun = [json.loads(line) for (line,) in said]
    assert sorted(one["run"] for one in begun) == [f"follow-up-2026-02-20-{number:03d}" for number in range(1, 9)]
    assert [[entry["user"] for entry in one["waiting"]] for one in begun] == [["alice", "bob"]] * 8
    assert {path: snapshot(skill.root)[path] for path in growth} == growth
    lab.require_readable(skill.root)
    lab.require_no_leftovers(skill.root, "begin")


def test_two_resumes_of_a_run_write_each_message_once(skill: SkillWorkspace) -> None:
    """Whoever comes second finds nothing left to do, and changes nothing; four runs, six resumes each."""
    for turn in range(4):
        run = skill.begin(now=f"2026-02-20T09:{turn:02}:00Z").place.run
        skill.default_answers(run, "alice", "bob")
        said = together(lambda _, report, run=run: report(lab.succeed(resume(run), skill.root).out.strip()), 6)
        done = [entry["user"] for (line,) in said for entry in json.loads(line)["done"]]
        assert sorted(done) == ["alice", "bob"]
        assert [json.loads(line)["open"] for (line,) in said] == [[]] * 6

    assert skill.batch()["total_messages"] == 8
    lab.require_agreement(skill.root)


def test_of_many_open_runs_one_writes_to_each_user(tmp_path: Path) -> None:
    """Six runs that all ask about two users are resumed at once: each user gets one message, five runs say why not."""
    with fast_folder(tmp_path) as folder:
        skill = SkillWorkspace(folder, gate=True)
        lab.quick_scores(folder)
        for user in ("alice", "bob"):
            skill.canvas(user, body=hypothesis())
        runs = [skill.begin().place.run for _ in range(6)]
        for run in runs:
            skill.default_answers(run, "alice", "bob")
        said = together(lambda number, report: report(lab.succeed(resume(runs[number]), folder).out.strip()), 6)
        outcomes = sorted((one["user"], one["outcome"]) for (line,) in said for one in json.loads(line)["done"])

        each = ["messages", *["silence_gate"] * 5]
        assert outcomes == [(user, outcome) for user in ("alice", "bob") for outcome in each]
        assert skill.batch()["total_messages"] == 2
        lab.require_agreement(folder)


def test_answers_of_twenty_processes_are_all_there(skill: SkillWorkspace) -> None:
    """Twenty writers file at once, some of them twice; every raw answer is kept and ends in the batch."""
    users = [f"u{number:02}" for number in range(20)]
    for user in users:
        skill.canvas(user)
    run = skill.begin().place.run

    def work(number: int, report: Callable[[str], None]) -> None:
        user = users[number]
        (anchor,) = [quote["hash"] for quote in skill.item(run, user)["registry"]]
        raw = answer(user, message(anchor, f"what did {user} do?"))
        for _ in range(1 + number % 2):
            report(lab.succeed(filed(run, user, raw), skill.root).out.strip())

    said = [line for lines in together(work, 20) for line in lines]

    assert sum(line.endswith(": answer filed") for line in said) == 20
    assert sum(line.endswith(": this answer is filed already") for line in said) == 10
    resumed = lab.succeed(resume(run), skill.root).json
    assert sorted(entry["user"] for entry in resumed["done"]) == users
    assert resumed["open"] == ["alice", "bob"]
    bodies = [one["message_body"] for section in skill.batch()["sections"] for one in section["messages"]]
    assert sorted(bodies) == [f"what did {user} do?" for user in users]
    lab.require_agreement(skill.root)


# --- everything at once -----------------------------------------------------------------------------------------------


def test_observers_beginners_and_resumers_do_not_disturb_each_other(skill: SkillWorkspace) -> None:
    """Quotes are added, runs begun, answered and resumed, while readers read: nothing is lost, no reader fails."""
    quotes, rounds = 8, 2

    def observe(number: int, report: Callable[[str], None]) -> None:
        for turn in range(quotes):
            argv = ("observe", "--user", f"w{number}", "--date", "2026-02-10", "--json")
            line = Line("canvas", *argv, stdin=f"w{number} said {turn}", patience=60)
            report(lab.succeed(line, skill.root).json["record"]["content_hash"])

    def follow_up(number: int, report: Callable[[str], None]) -> None:
        for turn in range(rounds):
            now = f"2026-02-2{turn}T09:00:0{number}Z"
            run = lab.succeed(Line("follow_up", "begin", "--json", now=now, patience=60), skill.root).json["run"]
            for user in ("alice", "bob"):
                lab.succeed(filed(run, user, str(skill.item(run, user)["default"])), skill.root)
            line = Line("follow_up", "resume", run, "--json", now=now, patience=60)
            done = lab.succeed(line, skill.root).json["done"]
            report(f"{run} {len(done)}")

    writers = [Writer(lambda report, n=n: observe(n, report)) for n in range(3)]
    walkers = [Writer(lambda report, n=n: follow_up(n, report)) for n in range(2)]
    reads = 0
    while not all(writer.has_ended() for writer in (*writers, *walkers)):
        for line in (lab.STATUS, Line("growth", "show", "alice", "--json"), Line("canvas", "list", "--json")):
            read = lab.succeed(line, skill.root).json
            assert [one for one in read.get("users", []) if "problem" in one] == []
            assert [one for one in read.get("runs", []) if one["state"] == "unreadable"] == []
            reads += 1
    hashes = [line for writer in writers for line in writer.require_success()]
    runs = [line for walker in walkers for line in walker.require_success()]

    assert reads > 0
    assert len(set(hashes)) == 3 * quotes
    assert len({line.split()[0] for line in runs}) == 2 * rounds
    assert [line.split()[1] for line in runs] == ["2"] * (2 * rounds)
    counts = lab.succeed(Line("provenance", "verify", "--json"), skill.root).json["counts"]
    assert counts == {"verified": 3 * quotes + 2, "mismatch": 0, "unmarked": 0, "unreadable": 0}
    lab.require_readable(skill.root)
    lab.require_agreement(skill.root)
    lab.require_no_leftovers(skill.root, "all")


# --- as processes of their own ----------------------------------------------------------------------------------------


def test_of_several_who_ingest_the_same_text_one_wins(skill: SkillWorkspace) -> None:
    """The command exits 0 once and 1 for all others, who name the record that is there."""
    line = ingest("we all heard it")
    argv = [sys.executable, str(SCRIPTS / "provenance.py"), *line.argv]
    environment = {**os.environ, "MINDLOOP_ROOT": str(skill.root), "MINDLOOP_NOW": NOW, "MINDLOOP_LOCK_TIMEOUT": "60"}
    pipe = subprocess.PIPE
    started = [
        subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, text=True) for _ in range(6)
    ]
    ended = [(process, *process.communicate(line.stdin)) for process in started]

    assert sorted(process.returncode for process, _, _ in ended) == [0, 1, 1, 1, 1, 1]
    (record,) = [out.split()[0] for process, out, _ in ended if process.returncode == 0]
    assert all(record in err and not out for process, out, err in ended if process.returncode == 1)


@pytest.mark.parametrize(
    ("scope", "name", "argv", "stdin"),
    [
        ("research", "provenance", ("ingest", "--user", "alice", "--source-type", "discord_dm"), "hm"),
        ("user:alice", "canvas", ("observe", "--user", "alice"), "hm"),
        ("user:alice", "growth", ("stop", "alice", "declined"), ""),
        ("research", "chronicle", ("add", "--title", "Second", "--start", "2026-02-01"), ""),
        ("research", "chronicle", ("rebuild",), ""),
        ("agent:researcher", "follow_up", ("begin",), ""),
        ("agent:researcher", "follow_up", ("answer", "RUN", "alice"), "{}"),
        ("research", "follow_up", ("resume", "RUN"), ""),
        ("user:bob", "follow_up", ("resume", "RUN"), ""),
        ("world", "init", (), ""),
    ],
    ids=lambda value: value if isinstance(value, str) and value else None,
)
def test_who_waits_too_long_gives_up_with_75(
    skill: SkillWorkspace, scope: str, name: str, argv: tuple[str, ...], stdin: str
) -> None:
    """The command names the holder, changes nothing it could not lock, and works once the lock is free."""
    run = skill.begin().place.run
    skill.default_answers(run, *(("bob",) if scope.startswith("user") else ("alice", "bob")))
    words = [run if word == "RUN" else word for word in argv]
    before = snapshot(skill.root)
    env = {"MINDLOOP_ROOT": str(skill.root), "MINDLOOP_NOW": NOW, "MINDLOOP_LOCK_TIMEOUT": "0.3"}
    held = lock_path(str(skill.root), scope)
    holder, release = holding(held)
    try:
        called = script(f"{name}.py", *words, cwd=skill.root, stdin=stdin.encode(), **env)
        assert called.code == 75, called.err
        assert f"pid {holder.pid} (the holder)" in called.err + called.out
        assert snapshot(skill.root) == before
        assert not holder.has_ended()
        with pytest.raises(BlockingIOError):
            lab.try_lock(held)
    finally:
        os.close(release)
    holder.require_success()
    called = script(f"{name}.py", *words, cwd=skill.root, stdin=stdin.encode(), **env)
    assert called.code == 0, called.err


def test_a_begin_beside_a_busy_user_leaves_only_growth_out(skill: SkillWorkspace) -> None:
    """A user whose lock is held gets a packet without a growth section and a warning; the other gets both."""
    holder, release = holding(lock_path(str(skill.root), "user:alice"))
    try:
        begun = lab.succeed(Line("follow_up", "begin", "--json", patience=0.3), skill.root).json
    finally:
        os.close(release)
    holder.require_success()

    assert [entry["user"] for entry in begun["waiting"]] == ["alice", "bob"]
    (warning,) = begun["warnings"]
    assert warning.startswith("alice: growth left out of this packet: user.alice is not free after 0.3 s: pid ")
    present = [skill.item(begun["run"], user)["manifest"]["growth_summary_present"] for user in ("alice", "bob")]
    assert present == [False, True]
