"""Several writers, killed with -9 at random moments: nothing acknowledged is lost, nothing is half."""

from __future__ import annotations

import os
import random
import time
from typing import TYPE_CHECKING

from mindloop.store import records, strict_yaml
from mindloop.store.workspace import Workspace
from tests.helpers.faults import snapshot
from tests.helpers.writers import Writer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

KILLS = int(os.environ.get("MINDLOOP_KILLS", "400"))
WRITERS = 4
INDEX = "grimoires/mining/provenance/index.jsonl"


def _count_up(root: str, user: str, report: Callable[[str], None]) -> None:
    """Hand out numbers under the lock for ever: into a counter, an index and the user's own file, all or none."""
    workspace = Workspace(root)
    while True:
        with workspace.transaction("research", f"user:{user}", timeout=60) as tx:
            number = int((tx.read_text("counter.txt") or "0").strip()) + 1
            tx.write("counter.txt", f"{number}\n")
            tx.append(INDEX, records.encode({"id": number, "user": user, "text": "x" * (number % 900)}))
            own = strict_yaml.load(tx.read_text(f"growth/{user}.yaml") or "numbers: []\n")
            assert isinstance(own, dict)
            tx.write(f"growth/{user}.yaml", strict_yaml.dump({"numbers": [*own["numbers"][-5:], str(number)]}))
        report(str(number))


def _verify(workspace: Workspace, acknowledged: set[int]) -> None:
    workspace.recover()
    lines = list(records.scan(workspace.read(INDEX) or b""))
    assert [line.reason for line in lines if line.reason] == []
    ids = [line.record["id"] for line in lines if line.record]
    counter = int((workspace.read_text("counter.txt") or "0").strip())
    assert ids == list(range(1, counter + 1))
    assert acknowledged <= set(ids)
    for name in workspace.names("growth", ".yaml"):
        own = strict_yaml.load(workspace.read_text(f"growth/{name}") or "")
        mine = [line.record["id"] for line in lines if line.record and line.record["user"] == name[:-5]]
        assert isinstance(own, dict)
        assert [int(number) for number in own["numbers"]] == mine[-len(own["numbers"]) :]
    assert [path for path in snapshot(workspace.root) if path.endswith(".tmp")] == []
    assert os.listdir(os.path.join(workspace.root, ".mindloop", "journal")) == []


def test_random_kills_lose_nothing(tmp_path: Path) -> None:
    """After every round of kill -9 the files agree with each other and hold all that was acknowledged."""
    workspace = Workspace(str(tmp_path))
    with workspace.transaction("research") as tx:
        tx.write("counter.txt", "0\n")
    dice = random.Random(20260211)
    acknowledged: set[int] = set()
    killed = 0
    while killed < KILLS:
        writers = [Writer(lambda report, user=f"u{n}": _count_up(workspace.root, user, report)) for n in range(WRITERS)]
        for writer in dice.sample(writers, len(writers)):
            time.sleep(dice.uniform(0.001, 0.03))  # the moment of the kill is what is being drawn
            writer.kill()
            killed += 1
        for writer in writers:
            acknowledged |= {int(line) for line in writer.reports()}
            assert writer.status == 9
        _verify(workspace, acknowledged)

    assert len(acknowledged) > 0
