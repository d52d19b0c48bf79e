"""Bad lines move aside; nothing is lost."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING

import pytest

from mindloop.store import quarantine, records
from mindloop.store.errors import WrongInput
from mindloop.store.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

BAD = [b"<<<<<<< HEAD", b'{"a":\xff}', b'{"torn']
DATA = b"\n".join([b'{"id":1}', BAD[0], b"", b'{"id":2}\r', BAD[1], b'{"id":3}', BAD[2]])


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "i.jsonl").write_bytes(DATA)
    return Workspace(str(tmp_path))


def _bad_lines(workspace: Workspace) -> list[records.Line]:
    return [line for line in records.scan(workspace.read("i.jsonl") or b"") if line.reason]


def test_bad_lines_move_with_offset_reason_and_hash(workspace: Workspace) -> None:
    """The good bytes stay as they are; each bad line is kept whole beside the file."""
    with workspace.transaction("research") as tx:
        assert quarantine.set_aside(tx, "i.jsonl", _bad_lines(workspace)) == 3

    assert workspace.read("i.jsonl") == b'{"id":1}\n\n{"id":2}\r\n{"id":3}\n'
    kept = [line.record or {} for line in records.scan(workspace.read("i.jsonl.quarantine") or b"")]
    raw = [str(entry["raw"]).encode() if "raw" in entry else base64.b64decode(entry["raw_base64"]) for entry in kept]
    assert raw == BAD
    assert [entry["sha256"] for entry in kept] == [hashlib.sha256(line).hexdigest() for line in BAD]
    assert [(entry["line"], entry["offset"]) for entry in kept] == [(2, 9), (5, 33), (7, 50)]
    assert all(entry["reason"] for entry in kept)


def test_nothing_bad_changes_nothing(workspace: Workspace) -> None:
    """Without bad lines there is no quarantine file."""
    with workspace.transaction("research") as tx:
        assert quarantine.set_aside(tx, "i.jsonl", []) == 0

    assert workspace.read("i.jsonl") == DATA
    assert workspace.exists("i.jsonl.quarantine") is False


def test_a_second_repair_adds_to_the_first(workspace: Workspace) -> None:
    """Quarantined lines are never overwritten."""
    for text in (b"bad one\n", b"bad two\n"):
        with workspace.transaction("research") as tx:
            tx.append("i.jsonl", text)
        with workspace.transaction("research") as tx:
            quarantine.set_aside(tx, "i.jsonl", _bad_lines(workspace), "told by the test")

    kept = [line.record or {} for line in records.scan(workspace.read("i.jsonl.quarantine") or b"")]
    assert [entry.get("raw") for entry in kept if entry.get("raw", "").startswith("bad")] == ["bad one", "bad two"]
    assert {entry["reason"] for entry in kept} == {"told by the test"}


def test_a_line_that_moved_meanwhile_is_refused(workspace: Workspace) -> None:
    """Lines of an older reading are not cut out of a newer file."""
    lines = _bad_lines(workspace)
    with workspace.transaction("research") as tx:
        tx.write("i.jsonl", b"{}\n" + DATA)

    with workspace.transaction("research") as tx, pytest.raises(WrongInput, match="changed since it was read"):
        quarantine.set_aside(tx, "i.jsonl", lines)


def test_a_line_of_many_megabytes_is_kept_in_pieces(tmp_path: Path) -> None:
    """What is too long for one record is kept in numbered pieces that join to the line."""
    long = b'{"a":"' + b"x" * (2 * records.MAX_LINE) + b'"}'
    (tmp_path / "i.jsonl").write_bytes(long + b"\n")
    workspace = Workspace(str(tmp_path))
    with workspace.transaction("research") as tx:
        quarantine.set_aside(tx, "i.jsonl", _bad_lines(workspace))

    pieces = [line.record or {} for line in records.scan(workspace.read("i.jsonl.quarantine") or b"")]
    assert base64.b64decode("".join(piece["raw_base64"] for piece in pieces)) == long
    assert [piece["piece"] for piece in pieces] == list(range(1, len(pieces) + 1))
    assert workspace.read("i.jsonl") == b""
