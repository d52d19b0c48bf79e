"""Twenty processes at once on the same files: nothing lost, nothing twice, nobody stuck, no reader disturbed."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from mindloop.store import records, strict_yaml
from mindloop.store.errors import Busy
from mindloop.store.scopes import lock_path
from mindloop.store.workspace import Workspace
from tests.helpers.folders import fast_folder
from tests.helpers.writers import Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PROCESSES = 20
UPDATES = 200
PATIENCE = 120.0


def _all(work: Callable[[int, Callable[[str], None]], None], processes: int = PROCESSES) -> list[list[str]]:
    writers = [Writer(lambda report, n=n: work(n, report)) for n in range(processes)]
    return [writer.require_success() for writer in writers]


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with fast_folder(tmp_path) as folder:
        (folder / "mindloop.yaml").write_text("schema: 1\n")
        yield Workspace(str(folder))


def test_no_update_of_a_yaml_document_is_lost(workspace: Workspace) -> None:
    """Four thousand increments by twenty processes add up to four thousand."""

    def work(number: int, _report: Callable[[str], None]) -> None:
        for _ in range(UPDATES):
            with workspace.transaction("user:alice", timeout=PATIENCE) as tx:
                found = strict_yaml.load(tx.read_text("growth.yaml") or "{}")
                assert isinstance(found, dict)
                key = f"p{number}"
                tx.write("growth.yaml", strict_yaml.dump({**found, key: int(found.get(key, "0")) + 1}))

    _all(work)

    expected = {f"p{number}": str(UPDATES) for number in range(PROCESSES)}
    assert strict_yaml.load(workspace.read_text("growth.yaml") or "") == expected


def _last_id(data: bytes) -> int:
    lines = data.rstrip(b"\n").rsplit(b"\n", 1)
    record, _ = records.parse(lines[-1])
    return record["id"] if record else 0


def test_ids_in_a_jsonl_index_are_unique_and_without_gaps(workspace: Workspace) -> None:
    """Ids handed out under the lock are the numbers from one to four thousand, in file order."""

    def work(number: int, report: Callable[[str], None]) -> None:
        for _ in range(UPDATES):
            with workspace.transaction("research", timeout=PATIENCE) as tx:
                following = _last_id(tx.read("index.jsonl") or b"") + 1
                tx.append("index.jsonl", records.encode({"id": following, "by": number}))
            report(str(following))

    said = _all(work)

    ids = [line.record["id"] for line in records.scan(workspace.read("index.jsonl") or b"") if line.record]
    assert ids == list(range(1, PROCESSES * UPDATES + 1))
    assert sorted(int(line) for lines in said for line in lines) == ids


def test_no_section_of_a_batch_file_is_lost(workspace: Workspace) -> None:
    """Twenty processes that add their sections to one Markdown file find all of them there at the end."""
    rounds = UPDATES // 10  # the file is rewritten whole: its size, not the number of updates, is what costs

    def work(number: int, _report: Callable[[str], None]) -> None:
        for turn in range(rounds):
            with workspace.transaction("research", timeout=PATIENCE) as tx:
                text = tx.read_text("batch.md") or "---\ntype: follow-up-batch\n---\n"
                tx.write("batch.md", f"{text}## user {number}.{turn}\n\nbody\n---\n")

    _all(work)

    text = workspace.read_text("batch.md") or ""
    found = sorted(line for line in text.splitlines() if line.startswith("## "))
    assert found == sorted(f"## user {n}.{turn}" for n in range(PROCESSES) for turn in range(rounds))


def test_several_scopes_in_any_order_never_lock_up(workspace: Workspace) -> None:
    """Transactions that name their scopes in random order end, and each document holds its sum."""
    scopes = ["world", "research", "agent:researcher", "user:alice", "user:bob"]

    def work(number: int, report: Callable[[str], None]) -> None:
        dice = random.Random(number)
        for _ in range(30):
            chosen = dice.sample(scopes, dice.randint(1, len(scopes)))
            with workspace.transaction(*chosen, timeout=PATIENCE) as tx:
                for scope in chosen:
                    name = scope.replace(":", "-") + ".txt"
                    tx.write(name, f"{int(tx.read_text(name) or '0') + 1}")
            report(" ".join(chosen))

    said = _all(work)

    used = [scope for lines in said for line in lines for scope in line.split()]
    found = {scope: int(workspace.read_text(scope.replace(":", "-") + ".txt") or "0") for scope in scopes}
    assert found == {scope: used.count(scope) for scope in scopes}


def test_readers_never_see_half_a_file(workspace: Workspace) -> None:
    """A reader beside four writers always gets a whole document: its two ends agree."""

    def write(number: int, _report: Callable[[str], None]) -> None:
        for turn in range(100):
            with workspace.transaction("world", timeout=PATIENCE) as tx:
                mark = f"{number}.{turn}"
                tx.write("doc.yaml", strict_yaml.dump({"first": mark, "fill": "x" * 200_000, "last": mark}))
                tx.append("log.jsonl", records.encode({"mark": mark, "fill": "y" * 5000}))

    with workspace.transaction("world") as tx:
        tx.write("doc.yaml", strict_yaml.dump({"first": "", "fill": "", "last": ""}))
        tx.write("log.jsonl", b'{"mark": ""}\n')
    writers = [Writer(lambda report, n=n: write(n, report)) for n in range(4)]
    while not all(_ended(writer) for writer in writers):
        found = strict_yaml.load(workspace.read_text("doc.yaml") or "")
        assert isinstance(found, dict)
        assert found["first"] == found["last"]
        whole, _, _being_written = (workspace.read("log.jsonl") or b"").rpartition(b"\n")
        assert [line.reason for line in records.scan(whole + b"\n") if line.reason] == []
    for writer in writers:
        writer.require_success()

    assert len(list(records.scan(workspace.read("log.jsonl") or b""))) == 401


def _ended(writer: Writer) -> bool:
    if writer.status is None:
        return os.waitid(os.P_PID, writer.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    return True


HOLDER = """
import sys
from mindloop.store.workspace import Workspace
with Workspace(sys.argv[1]).transaction("research", "user:alice") as tx:
    print("held", flush=True)
    sys.stdin.readline()
    tx.write("held.txt", "by the holder")
"""
WAITER = """
import sys
from mindloop.store.errors import MindloopError
from mindloop.store.workspace import Workspace
try:
    with Workspace(sys.argv[1]).transaction("research") as tx:
        tx.write("held.txt", "by the waiter")
except MindloopError as error:
    sys.stderr.write(str(error))
    raise SystemExit(error.exit_code)
"""


def _python(code: str, workspace: Workspace, **more: object) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "MINDLOOP_LOCK_TIMEOUT": "1.2"}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-c", code, workspace.root], env=environment, text=True, stdin=pipe, stdout=pipe, stderr=pipe
    )


def test_a_waiter_gives_up_with_75_and_names_the_holder(workspace: Workspace) -> None:
    """The waiter says after a second for whom it waits, ends with 75, and the holder's lock stays the holder's."""
    with _python(HOLDER, workspace) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with _python(WAITER, workspace) as waiter:
            _, said = waiter.communicate()
        assert waiter.returncode == 75
        assert said.startswith(f"waiting for pid {holder.pid} (")
        assert f"research is not free after 1.2 s: pid {holder.pid} (" in said
        assert workspace.read("held.txt") is None
        with pytest.raises(Busy):
            workspace.transaction("user:alice", timeout=0).__enter__()
        holder.communicate("go\n")

    assert holder.returncode == 0
    assert workspace.read_text("held.txt") == "by the holder"
    assert os.path.exists(lock_path(workspace.root, "research"))
