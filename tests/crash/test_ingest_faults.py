"""Ingesting an export, killed or refused at every system call: all of it is there or nothing; again completes it."""

from __future__ import annotations

import json
import os
import random
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mindloop.observer.canonical import content_hash
from mindloop.observer.growth.record import record_batch
from mindloop.observer.growth.state import new_growth
from mindloop.observer.provenance.index import load_index
from mindloop.protocol.run_files import all_runs, file_answer, find_run, read_head
from mindloop.store import strict_yaml
from mindloop.store.documents import write_yaml
from mindloop.store.errors import StoreFailure
from mindloop.store.workspace import Workspace
from tests.helpers import command_faults as lab
from tests.helpers.command_faults import GROWTH, Line, commands, repeated
from tests.helpers.direct_messages import said
from tests.helpers.faults import exhaust
from tests.helpers.folders import fast_folder
from tests.helpers.growth_states import message, result
from tests.helpers.skill_workspace import SkillWorkspace, at
from tests.helpers.writers import Writer

if TYPE_CHECKING:
    from collections.abc import Callable

FAULTS = ("kill", "torn", "ENOSPC", "EIO")
SENT = at("2026-02-10T10:00:00Z")
KILLS = max(int(os.environ.get("MINDLOOP_KILLS", "400")) * 40 // 400, 8)
RUN = "ingest-dm-2026-02-20-001"
ALICE = ("1", "alice", "Alice")
WORDS = ("it broke\ntwice", "gm", "i left")
OBSERVED = "the ranks moved"


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    """A workspace in which a message was sent to alice; two exports of hers lie beside it."""
    root = tmp_path / "prepared"
    skill = SkillWorkspace(root)
    skill.observe("alice", OBSERVED)
    state, _ = record_batch(
        new_growth("alice", None, SENT), result(message(), slug="alice"), "2026-02-10", SENT, max_batches=10
    )
    with skill.ws.transaction("user:alice") as tx:
        write_yaml(tx, f"{GROWTH}/alice.yaml", state, "growth")
    (tmp_path / "first.json").write_bytes(said(*WORDS[:2], author=ALICE))
    (tmp_path / "second.json").write_bytes(said(*WORDS, author=ALICE))
    return root


def readable_at_once(root: str) -> None:
    """Before anybody recovers, readers manage."""
    lab.require_readable(Path(root), torn=True)


def agreed(root: Path) -> None:
    """Index, canvas, growth and runs tell the same story: what is in one is in all."""
    workspace = Workspace(str(root))
    index = load_index(workspace)
    assert index.problems == []
    found = [record["content_hash"] for record in index.for_user("alice")]
    taken = len(set(found)) - 1
    assert (len(found), len(all_runs(workspace))) in {(1, 0), (3, 1), (4, 2)}
    counts = lab.succeed(Line("provenance", "verify", "--json"), root).json["counts"]
    assert (counts["verified"], counts["mismatch"], counts["unmarked"]) == (1 + taken, 0, 0)
    state: Any = strict_yaml.load((root / GROWTH / "alice.yaml").read_text("utf-8"))
    outcome = state["follow_ups"][0]["message_ids"][0]["outcome"]
    assert outcome == ("responded" if taken else "pending")


def test_an_export_is_ingested_whole_or_not_at_all(prepared: Path, tmp_path: Path) -> None:
    """Two exports, the first with a reply: records, canvas, outcome and question come together or not at all."""
    reply = ("--responds-to", "fu-2026-02-10-alice-1-1", "--signal-quality", "high")
    lines = [
        Line("canvas", "ingest", str(tmp_path / "first.json"), "--user", "alice", *reply),
        Line("canvas", "ingest", str(tmp_path / "second.json"), "--user", "alice"),
    ]
    report = exhaust(
        prepared,
        commands(*lines),
        tmp_path,
        check=readable_at_once,
        kinds=FAULTS,
        judge=repeated(*lines, more=agreed),
        every=lab.EVERY,
    )

    assert set(report.statuses) == {"killed", "refused", "done"}


def test_a_first_export_makes_everything_or_nothing(tmp_path: Path) -> None:
    """In an empty workspace the index, the canvas and the run are made together."""
    root = tmp_path / "prepared"
    SkillWorkspace(root)
    (tmp_path / "first.json").write_bytes(said(*WORDS, author=ALICE))
    line = Line("canvas", "ingest", str(tmp_path / "first.json"), "--user", "alice")
    report = exhaust(root, commands(line), tmp_path, check=readable_at_once, kinds=FAULTS, judge=repeated(line))

    assert set(report.statuses) == {"killed", "refused", "done"}


def test_a_disk_that_stays_full_or_broken_changes_nothing(prepared: Path, tmp_path: Path) -> None:
    """Every call after the n-th fails as well: nothing is taken in, and all of it once the disk works again."""
    line = Line("canvas", "ingest", str(tmp_path / "second.json"), "--user", "alice")
    report = exhaust(prepared, commands(line), tmp_path, kinds=("ENOSPC!", "EIO!"), judge=repeated(line))

    assert set(report.statuses) == {"refused", "done"}


def answered(prepared: Path, exports: Path) -> str:
    """Ingest, and return what a judge says of it."""
    lab.succeed(Line("canvas", "ingest", str(exports / "first.json"), "--user", "alice"), prepared)
    digest = content_hash(WORDS[0])
    supposed = [{"title": "leaves what breaks", "evidence": [digest]}]
    return json.dumps({"user": "alice", "quotes": [{"hash": digest, "value": "high"}], "hypotheses": supposed})


def once(root: Path) -> None:
    """Value, hypothesis and progress come together."""
    text = (root / "grimoires/observer/canvas/alice-canvas.md").read_text("utf-8")
    done = read_head(Workspace(str(root)), find_run(Workspace(str(root)), RUN))["done"]
    counts = (text.count("<!-- value:high -->"), text.count("### H1: leaves what breaks"), len(done))
    assert counts in {(0, 0, 0), (1, 1, 1)}


def test_an_answer_is_taken_whole_or_not_at_all(prepared: Path, tmp_path: Path) -> None:
    """What an answer changes on the canvas and the run's progress are one change; answering again adds nothing."""
    line = Line("canvas", "answer", RUN, "alice", stdin=answered(prepared, tmp_path))
    judge = repeated(line, more=once)
    report = exhaust(prepared, commands(line), tmp_path, check=readable_at_once, kinds=FAULTS, judge=judge)

    assert set(report.statuses) == {"killed", "refused", "done"}


def test_a_filed_answer_is_taken_by_whoever_comes_next(prepared: Path, tmp_path: Path) -> None:
    """A resume that meets a fault leaves the item open, and says so, or is through; the next one completes it, once."""
    raw = answered(prepared, tmp_path)
    file_answer(Workspace(str(prepared)), RUN, "alice", raw, "claude-code")
    line = Line("canvas", "resume", RUN)

    def act(root: str, acknowledge: Callable[[], None]) -> None:
        called = line.run(root)
        assert (called.code == 0) == (called.err == ""), called.err
        if called.code:
            raise StoreFailure(called.err, "See above.")
        acknowledge()

    judge = repeated(line, more=once)
    report = exhaust(prepared, act, tmp_path, check=readable_at_once, kinds=FAULTS, judge=judge)

    assert set(report.statuses) == {"killed", "refused", "done"}


def ingest_on(root: Path, exports: Path, mark: str, report: Callable[[str], None]) -> None:
    """Ingest new exports for ever; each of three users in turn."""
    turn = 0
    while True:
        turn += 1
        user = f"u{turn % 3}"
        path = exports / f"{mark}.{turn}.json"
        path.write_bytes(said(f"{mark}.{turn} a", f"{mark}.{turn} b", "gm", author=("1", user, user)))
        argv = ("ingest", str(path), "--user", user, "--json")
        came = lab.succeed(Line("canvas", *argv, patience=60), root).json
        assert came["new"] in {2, 3}
        report(f"{user} {came['run']} {content_hash(f'{mark}.{turn} a')} {content_hash(f'{mark}.{turn} b')}")


def test_what_was_said_is_there_after_random_kills(tmp_path: Path) -> None:
    """Processes that ingest are killed with -9 at any moment: what they acknowledged is in index, canvas and run."""
    with fast_folder(tmp_path) as folder:
        root = folder / "ws"
        SkillWorkspace(root)
        said_so: list[str] = []
        for number in range(KILLS):
            writer = Writer(lambda report, n=number: ingest_on(root, folder, f"k{n}", report))  # type: ignore[misc]  # the default binds now
            time.sleep(random.uniform(0.01, 0.25))
            writer.kill()
            said_so += writer.reports()
        lab.succeed(lab.STATUS, root)
        lab.require_no_leftovers(root, "kill -9")
        lab.require_readable(root)
        workspace = Workspace(str(root))
        index = load_index(workspace)
        assert said_so, "nothing was ingested at all"
        for line in said_so:
            user, run, *digests = line.split()
            known = [record["content_hash"] for record in index.for_user(user)]
            assert all(known.count(digest) == 1 for digest in digests)
            assert read_head(workspace, find_run(workspace, run))["waiting"] == {user: user}
        counts = lab.succeed(Line("provenance", "verify", "--json"), root).json["counts"]
        assert (counts["verified"], counts["mismatch"]) == (index.size, 0)
