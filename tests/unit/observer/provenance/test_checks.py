"""The rules for records of the provenance index."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from mindloop.observer.canonical import content_hash
from mindloop.observer.provenance.checks import check_index, check_users, move_aside
from mindloop.store.checkup import Examined, Look
from mindloop.store.clock import parse_instant
from mindloop.store.workspace import Workspace
from tests.helpers.doctoring import INDEX

if TYPE_CHECKING:
    from pathlib import Path


def record(text: str = "gm", user: str = "alice", **more: Any) -> bytes:
    """A line of the index."""
    value = {
        "record_id": f"prov-{text}-{user}",
        "content_hash": content_hash(text),
        "canvas_target": user,
        "text": text,
    }
    return json.dumps({**value, **more}).encode() + b"\n"


def found(root: Path, *lines: bytes) -> list[tuple[str, int | None, str]]:
    """Severity, line and sentence of what is said of an index of these lines."""
    (root / "mindloop.yaml").write_text("schema: 1\n", encoding="utf-8")
    path = root / INDEX
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(lines))
    now = parse_instant("2026-02-20")
    assert now is not None
    look = Look(Examined(str(root)), now)
    return [(one.severity, one.line, one.what) for one in (*check_index(look), *check_users(look))]


def test_good_records_of_strangers_are_a_note(tmp_path: Path) -> None:
    """Whoever has no canvas yet may well be in the index."""
    told = found(tmp_path, record(), b"\n", record(user="bob"))
    assert told == [("info", None, "2 records are of 2 users without a canvas: alice, bob")]


@pytest.mark.parametrize(
    ("line", "severity", "what"),
    [
        (b"[1]\n", "error", "a record must be an object, found list"),
        (b'{"a": 1, "a": 2}\n', "error", "the key 'a' stands there twice"),
        (record(content_hash="12"), "error", "content_hash is '12', expected 64 hex digits"),
        (record(canvas_target=None), "error", "canvas_target is None, expected a user name"),
        (record()[:-5], "error", "torn last line: "),
        (record(text="other words", content_hash=content_hash("gm")), "error", "content_hash does not fit the text of"),
        (record(source_timestamp="yesterday"), "warning", "source_timestamp is 'yesterday', expected an ISO 8601"),
        (record(message_index="7"), "warning", 'message_index: found "7", expected integer or null'),
        (record(user="../x"), "info", "canvas_target: unsafe user name '../x'"),
    ],
)
def test_what_is_said_of_one_line(tmp_path: Path, line: bytes, severity: str, what: str) -> None:
    """Each kind of bad record is named with its line and its reason."""
    told = found(tmp_path, record(text="first", user="bob"), line)
    assert [(one[0], one[1]) for one in told if one[1]] == [(severity, 2)]
    assert told[0][2].startswith(what)


def test_the_same_words_of_one_user_twice(tmp_path: Path) -> None:
    """Two users may say gm; one user's second gm is a duplicate, whatever the case or prefix of its hash."""
    again = record(user="ALICE", content_hash="sha256:" + content_hash("gm").upper(), record_id="b")
    told = found(tmp_path, record(), record(user="bob"), again)
    assert [one for one in told if one[1]] == [("warning", 3, "this user has the same words in line 1")]


def test_one_id_for_two_records(tmp_path: Path) -> None:
    """An id names one record."""
    told = found(tmp_path, record(record_id="r"), record(text="gn", record_id="r"))
    assert [one for one in told if one[1]] == [("warning", 2, "the record id 'r' is that of line 1 too")]


def test_moving_aside_conserves_every_byte(tmp_path: Path) -> None:
    """Index and quarantine together hold what the index held; a second repair finds nothing."""
    good, bad = [record(), record(user="bob")], [b"\xff\0", record(content_hash="x").rstrip(), b"torn"]
    found(tmp_path, bad[0] + b"\n", good[0], bad[1] + b"\n", good[1], bad[2])
    fix = move_aside(INDEX)
    workspace = Workspace(str(tmp_path))
    fix.apply(workspace, fix.changes(workspace))
    assert workspace.read(INDEX) == b"".join(good)
    kept = [json.loads(line) for line in (workspace.read(f"{INDEX}.quarantine") or b"").splitlines()]
    assert [len(bad)] == [len(kept)]
    assert fix.changes(workspace) == []
