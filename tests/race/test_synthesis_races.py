"""Many processes at the question about all users: each run is its own, one answer counts, the file is always whole."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mindloop.observer.batch.file import parse_batch, render_batch
from mindloop.observer.synthesis.answer import LISTS
from mindloop.protocol.run_files import all_runs, file_answer, read_head
from mindloop.skills.judged import answer_now, resume
from mindloop.skills.synthesis.judging import JUDGING
from mindloop.skills.synthesis.pass_over import stage_synthesis
from mindloop.store import front_matter
from mindloop.store.errors import Negative
from tests.helpers.batches import result
from tests.helpers.command_faults import require_no_leftovers
from tests.helpers.folders import fast_folder
from tests.helpers.skill_workspace import NOW, SkillWorkspace, at, hypothesis
from tests.helpers.writers import Writer, together

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

USERS = ("ann", "bob", "cem")
FILE = "grimoires/observer/follow-ups/2026-02-20-synthesis.md"
BATCH = "grimoires/observer/follow-ups/2026-02-20.md"
PROCESSES = 20


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SkillWorkspace]:
    """Three users to compare, on a quick disk."""
    monkeypatch.setenv("MINDLOOP_LOCK_TIMEOUT", "60")
    with fast_folder(tmp_path) as folder:
        made = SkillWorkspace(folder)
        for user in USERS:
            made.canvas(user, body=hypothesis())
        yield made


def answer(text: str) -> str:
    entry = {"text": text, "users": list(USERS)}
    return json.dumps({**{name: [] for name in LISTS}, "shared_hypotheses": [entry]})


def stage(bench: SkillWorkspace) -> str:
    workspace = bench.ws
    with workspace.transaction("agent:researcher") as tx:
        place = stage_synthesis(tx, workspace, at(NOW))
    assert place is not None
    return place.run


def texts_of(bench: SkillWorkspace) -> list[str]:
    """The one entry of the day's file, which is whole."""
    _, body = front_matter.parse(bench.ws.read_text(FILE) or "")
    assert body.endswith("\n## Lifecycle Transitions\n\nNothing that enough users share.\n")
    return [line[2:] for line in body.splitlines() if line.startswith("- ")]


def test_everybody_s_run_is_their_own_and_the_file_is_one_of_theirs(bench: SkillWorkspace) -> None:
    """Twenty processes ask and answer while batches of the day are written and the file is read: nothing is lost."""

    def work(number: int, report: Callable[[str], None]) -> None:
        run = stage(bench)
        text = f"of process {number}"
        answer_now(bench.ws, JUDGING, run, "all", answer(text), host="claude-code", now=at(NOW))
        report(run)

    def write_batch(number: int, report: Callable[[str], None]) -> None:
        for turn in range(5):
            one = result(f"u{number}", f"{turn}?", tokens=[f"{turn * 9 + number:08x}"], slug=f"u{number}")
            with bench.ws.transaction("research") as tx:
                tx.write(BATCH, render_batch([one], [], at(NOW), f"r-{number}-{turn}", existing=tx.read_text(BATCH)))
        report("written")

    writers = [Writer(lambda report, n=n: work(n, report)) for n in range(PROCESSES)]
    others = [Writer(lambda report, n=n: write_batch(n, report)) for n in range(3)]
    while not all(writer.has_ended() for writer in (*writers, *others)):
        if bench.ws.exists(FILE):
            assert len(texts_of(bench)) == 1
    runs = [line for writer in writers for line in writer.require_success()]
    assert [line for writer in others for line in writer.require_success()] == ["written"] * 3

    assert sorted(runs) == [f"synthesis-2026-02-20-{number:03d}" for number in range(1, PROCESSES + 1)]
    assert [read_head(bench.ws, place)["state"] for place in all_runs(bench.ws)] == ["complete"] * PROCESSES
    assert texts_of(bench)[0] in [f"of process {number}" for number in range(PROCESSES)]
    assert parse_batch(bench.batch_text())["total_messages"] == 15
    require_no_leftovers(bench.root, "synthesis")


def test_of_many_answers_to_one_question_one_counts(bench: SkillWorkspace) -> None:
    """The others are told that nothing waits any more, and the file is the winner's."""
    run = stage(bench)

    def work(number: int, report: Callable[[str], None]) -> None:
        text = f"of process {number}"
        try:
            answer_now(bench.ws, JUDGING, run, "all", answer(text), host="claude-code", now=at(NOW))
            report(text)
        except Negative:
            report("late")

    said = sorted(line for lines in together(work, PROCESSES) for line in lines)

    assert said.count("late") == PROCESSES - 1
    assert texts_of(bench) == [line for line in said if line != "late"]


def test_many_resumes_of_a_run_take_its_answer_once(bench: SkillWorkspace) -> None:
    """Whoever comes second finds nothing left to do."""
    run = stage(bench)
    file_answer(bench.ws, run, "all", answer("filed"), "claude-code")

    said = together(lambda _, report: report(str(len(resume(bench.ws, JUDGING, run, at(NOW)).done))), PROCESSES)

    assert sorted(line for lines in said for line in lines) == ["0"] * (PROCESSES - 1) + ["1"]
    assert texts_of(bench) == ["filed"]
