"""What doctor sees in the folders: journals, leftovers, things of other tools."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from mindloop.store.checks_files import (
    check_foreign_locks,
    check_journals,
    check_kept,
    check_leftovers,
    check_own_folders,
    kept_name,
    scopes_of,
)
from mindloop.store.checkup import Examined, Look
from mindloop.store.clock import parse_instant
from mindloop.store.scopes import ordered

if TYPE_CHECKING:
    from pathlib import Path


def look(root: Path) -> Look:
    """A look at a folder with a marker."""
    (root / "mindloop.yaml").write_text("schema: 1\n", encoding="utf-8")
    (root / ".mindloop/journal").mkdir(parents=True, exist_ok=True)
    now = parse_instant("2026-02-20")
    assert now is not None
    return Look(Examined(str(root)), now)


def test_a_change_in_progress_is_no_fault(tmp_path: Path) -> None:
    """A journal of a living process is mentioned, and so is nothing that it names."""
    seen = look(tmp_path)
    (tmp_path / "grimoires").mkdir()
    (tmp_path / "grimoires/.a.md.tmp").write_bytes(b"new")
    entry = '{"do": "write", "path": "grimoires/a.md", "size": 3, "crc": 1}'
    text = f'{{"version": 1, "scopes": ["research"], "entries": [{entry}]}}'
    (tmp_path / f".mindloop/journal/research~{os.getpid()}-1.tmp").write_text(text, encoding="utf-8")
    assert [one.severity for one in check_journals(seen)] == ["info"]
    assert list(check_leftovers(seen)) == []


@pytest.mark.parametrize("content", [b"", b"{", b"\0" * 9, b'{"entries": 3}', b'{"entries": [{"do": "write"}]}'])
def test_a_journal_that_is_cut_short(tmp_path: Path, content: bytes) -> None:
    """An intent that says nothing is undone, a committed one that says nothing is kept; both are warned of."""
    seen = look(tmp_path)
    for ending in ("tmp", "json"):
        (tmp_path / f".mindloop/journal/world~999999999-1.{ending}").write_bytes(content)
    said = [(one.severity, one.what.partition(")")[2]) for one in check_journals(seen)]
    assert said == [
        ("warning", " will be kept as incomplete by the next command"),
        ("warning", " will be undone by the next command"),
    ]


def test_a_change_that_was_given_up_is_named(tmp_path: Path) -> None:
    """What could not be completed waits for a person."""
    seen = look(tmp_path)
    (tmp_path / ".mindloop/journal/world~1-1.incomplete").write_bytes(b"{}")
    assert [one.path for one in check_journals(seen)] == [".mindloop/journal/world~1-1.incomplete"]


def test_things_of_other_tools_and_kept_things_are_notes(tmp_path: Path) -> None:
    """Lock files of other tools, quarantines and kept leftovers are mentioned and no fault."""
    seen = look(tmp_path)
    for rel in ("grimoires/observer/growth/a.yaml.lock", "world/x.jsonl.quarantine", ".mindloop/leftovers/1-a"):
        (tmp_path / rel).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / rel).write_bytes(b"")
    found = [*check_foreign_locks(seen), *check_kept(seen)]
    assert [(one.severity, one.path) for one in found] == [
        ("info", "grimoires/observer/growth/a.yaml.lock"),
        ("info", ".mindloop/leftovers"),
        ("info", "world/x.jsonl.quarantine"),
    ]


def test_a_file_where_the_locks_should_be(tmp_path: Path) -> None:
    """Nothing could be changed with it in the way: an error."""
    seen = look(tmp_path)
    (tmp_path / ".mindloop/locks").write_bytes(b"")
    assert [(one.severity, one.path) for one in check_own_folders(seen)] == [("error", ".mindloop/locks")]


@pytest.mark.parametrize(
    ("rel", "expected"),
    [
        ("grimoires/observer/growth/.alice.yaml.tmp", ("research", "user:alice")),
        ("grimoires/observer/canvas/.alice-canvas.md.tmp", ("research", "user:alice")),
        ("grimoires/observer/canvas/.ünsafe.md.tmp", ("research",)),
        ("agents/researcher/session/runs/.r.json.tmp", ("agent:researcher",)),
        ("agents/../x/.r.tmp", ("world",)),
        ("world/.x.tmp", ("world",)),
    ],
)
def test_the_locks_of_a_path(rel: str, expected: tuple[str, ...]) -> None:
    """A leftover is moved under the locks of those who write there, whatever it is called."""
    assert scopes_of(rel) == expected
    assert set(ordered(scopes_of(rel))) == set(expected)


def test_a_leftover_has_one_name_and_no_folder() -> None:
    """The kept name is flat, bounded and tells bytes apart."""
    name = kept_name("grimoires/" + "deep/" * 99 + ".x.tmp", b"1")
    assert name.count("/") == 2
    assert len(name.rpartition("/")[2]) < 170
    assert kept_name("a", b"1") != kept_name("a", b"2")
