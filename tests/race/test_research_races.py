"""Twenty processes at once on one growth state, one index and one batch: every update counts, none counts twice."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from mindloop.observer.batch.file import compat_problems, parse_batch, render_batch
from mindloop.observer.growth.outcome import apply_outcome
from mindloop.observer.growth.record import record_batch
from mindloop.observer.growth.state import new_growth
from mindloop.observer.provenance.index import Duplicate, ingest, load_index
from mindloop.observer.provenance.record import make_record
from mindloop.store.documents import read_yaml, write_yaml
from tests.helpers.batches import result
from tests.helpers.folders import fast_folder
from tests.helpers.research import research_workspace
from tests.helpers.writers import together

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from mindloop.store.workspace import Workspace

PROCESSES, UPDATES = 20, 200
PATIENCE = 300.0
NOW = datetime(2026, 2, 14, 9, 30, tzinfo=UTC)
DAY = "2026-02-14"
GROWTH = "grimoires/observer/growth/xabbu.yaml"


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with fast_folder(tmp_path) as folder:
        yield research_workspace(folder)


def test_a_growth_state_counts_every_batch_and_every_reply(workspace: Workspace) -> None:
    """Batches get consecutive numbers and unique ids; the lifetime counters are the sums of what was recorded.

    Two batches are kept, so that the file stays as small as a user's real one while 2,000 batches go through it.
    """
    with workspace.transaction("user:xabbu") as tx:
        write_yaml(tx, GROWTH, new_growth("xabbu", None, NOW), "growth")

    def work(number: int, report: Callable[[str], None]) -> None:
        for turn in range(UPDATES):
            with workspace.transaction("user:xabbu", timeout=PATIENCE) as tx:
                state: Any = read_yaml(tx, GROWTH, "growth")
                said, state = (_record if (number + turn) % 2 else _reply)(state)
                write_yaml(tx, GROWTH, state, "growth")
            report(said)

    said = [line for lines in together(work, PROCESSES) for line in lines]

    state: Any = read_yaml(workspace, GROWTH, "growth")
    recorded = [line.removeprefix("batch ") for line in said if line.startswith("batch ")]
    replied = [line.removeprefix("reply ") for line in said if line.startswith("reply ")]
    assert len(said) == PROCESSES * UPDATES
    assert len(recorded) == len(set(recorded)) == PROCESSES * UPDATES // 2
    assert sorted(int(identifier.split("-")[-2]) for identifier in recorded) == list(range(1, len(recorded) + 1))
    assert state["next_batch_seq"] == len(recorded) + 1
    assert len(replied) == len(set(replied)) > 0
    assert set(replied) <= set(recorded)
    totals = {name: sum(one[name] for one in state["question_patterns"].values()) for name in COUNTERS}
    assert totals == {"times_used": len(recorded), "responded_count": len(replied)}


COUNTERS = ("times_used", "responded_count")


def _record(state: Any) -> tuple[str, Any]:
    """Record a batch of one message."""
    recorded, _ = record_batch(state, result("xabbu", slug="xabbu"), DAY, NOW, max_batches=2)
    return f"batch {recorded['follow_ups'][-1]['message_ids'][0]['id']}", recorded


def _reply(state: Any) -> tuple[str, Any]:
    """Let the user reply to the oldest message that waits for it."""
    sent = [message for batch in state["follow_ups"] for message in batch["message_ids"]]
    pending = [message["id"] for message in sent if message["outcome"] == "pending"]
    if not pending:
        return "nothing waits", state
    moved, warning = apply_outcome(state, pending[0], "responded", None, NOW)
    assert warning is None
    return f"reply {pending[0]}", moved


def test_an_index_has_every_text_once(workspace: Workspace) -> None:
    """Of twenty processes that ingest a user's same text one wins, the others are told; ids are unique."""
    shared = 40

    def work(number: int, report: Callable[[str], None]) -> None:
        mine = [(f"u{number % 3}", f"{number} says {turn}") for turn in range(UPDATES - shared)]
        for turn, (user, text) in enumerate([*mine, *(("all", f"said by all {one}") for one in range(shared))]):
            record = make_record(user, text, source_type="discord_dm", ingested_by="ingest-dm", now=NOW)
            try:
                with workspace.transaction("research", timeout=PATIENCE) as tx:
                    report(f"new {ingest(tx, record)['record_id']} {turn}")
            except Duplicate as error:
                report(f"known {error.record['record_id']} {turn}")

    said = [line.split() for lines in together(work, PROCESSES) for line in lines]

    index = load_index(workspace)
    own = PROCESSES * (UPDATES - shared)
    assert index.problems == []
    assert index.size == own + shared
    found = [
        (user, record["content_hash"], record["record_id"]) for user in index.users() for record in index.for_user(user)
    ]
    assert len({one[:2] for one in found}) == len({one[2] for one in found}) == index.size
    assert Counter(word for word, _, _ in said) == {"new": own + shared, "known": shared * (PROCESSES - 1)}
    assert sorted(identity for word, identity, _ in said if word == "new") == sorted(one[2] for one in found)


def test_a_batch_keeps_every_message_of_every_run(workspace: Workspace) -> None:
    """Twenty processes bring a run each to one day's file, and go on to the next day's, two hundred times.

    Every one of the 4,000 updates adds a message. The day changes so that files stay as long as real ones: a merge
    costs as much as its file.
    """
    users = 7

    def work(number: int, report: Callable[[str], None]) -> None:
        for turn in range(UPDATES):
            now, path = _day_of(turn)
            token = f"{turn * PROCESSES + number:08x}"
            one = result(f"u{number % users}", f"{number}.{turn}?", tokens=[token], slug=f"u{number % users}")
            with workspace.transaction("research", timeout=PATIENCE) as tx:
                tx.write(path, render_batch([one], [], now, f"run-{number}-{turn}", existing=tx.read_text(path)))
            report(token)

    said = [line for lines in together(work, PROCESSES) for line in lines]

    kept = [token for turn in range(UPDATES) for token in _tokens_of_a_whole_batch(workspace, turn)]
    assert sorted(kept) == sorted(said) == [f"{number:08x}" for number in range(PROCESSES * UPDATES)]


def _day_of(turn: int) -> tuple[datetime, str]:
    now = NOW + timedelta(days=turn)
    return now, f"grimoires/observer/follow-ups/{now.date()}.md"


def _tokens_of_a_whole_batch(workspace: Workspace, turn: int) -> list[str]:
    """The tokens of a day's file, which has a message of each process, counts on in each section and sums itself up."""
    path = _day_of(turn)[1]
    text = workspace.read_text(path) or ""
    batch = parse_batch(text)
    assert compat_problems(text, path) == []
    for section in batch["sections"]:
        numbers = [message["number"] for message in section["messages"]]
        assert numbers == list(range(1, len(numbers) + 1))
    assert batch["total_messages"] == PROCESSES
    assert batch["verification_summary"] == {"total_quotes": PROCESSES, "verified": PROCESSES, "stripped": 0}
    assert sorted(str(run["run"]) for run in batch["runs"]) == sorted(f"run-{one}-{turn}" for one in range(PROCESSES))
    return [str(message["token"]) for section in batch["sections"] for message in section["messages"]]
