"""What doctor sees in the folders: journals, leftovers, things of other tools."""

from __future__ import annotations

import os
import zlib
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
from mindloop.store.repairs import Fix
from mindloop.store.scopes import ordered
from mindloop.store.workspace import Workspace

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
    assert len(name.rpartition("/")[2]) == 64 + 1 + 150
    assert len(kept_name("grimoires/" + "🌊" * 60 + ".tmp", b"1").rpartition("/")[2].encode()) <= 64 + 1 + 150
    assert kept_name("a", b"1") != kept_name("a", b"2")


def _mend_leftovers(root: Path) -> list[str]:
    """Make every repair that is proposed; return what was found."""
    found = list(check_leftovers(look(root)))
    for one in found:
        if isinstance(one.fix, Fix):
            workspace = Workspace(str(root))
            one.fix.apply(workspace, one.fix.changes(workspace))
    return [f"{one.path} {'mended' if one.fix else 'left'}" for one in found]


@pytest.mark.parametrize("place", ["outside.tmp", "root/world/inside.md"])
def test_a_link_among_the_leftovers_is_left_to_a_person(tmp_path: Path, place: str) -> None:
    """What a link leads to is never moved, inside or outside, and neither is the link."""
    root, precious = tmp_path / "root", tmp_path / place
    (root / "world").mkdir(parents=True)
    precious.write_bytes(b"precious")
    (root / "world/link.tmp").symlink_to(precious)

    assert _mend_leftovers(root) == ["world/link.tmp left"]
    assert precious.read_bytes() == b"precious"
    assert (root / "world/link.tmp").is_symlink()


def test_a_file_that_became_a_link_meanwhile_is_not_moved(tmp_path: Path) -> None:
    """The repair looks again: a leftover that is a link by then is nothing to mend."""
    (tmp_path / "world").mkdir()
    (tmp_path / "world/x.tmp").write_bytes(b"left")
    (finding,) = check_leftovers(look(tmp_path))
    assert finding.fix is not None
    (tmp_path / "world/x.tmp").rename(tmp_path / "world/y")
    (tmp_path / "world/x.tmp").symlink_to("y")

    assert finding.fix.changes(Workspace(str(tmp_path))) == []


def _of_equal_crc(data: bytes, start: bytes) -> bytes:
    """Return other bytes with the CRC32 of ``data``: four bytes after ``start``, found by linear algebra."""
    zero = zlib.crc32(start + bytes(4))
    basis: dict[int, tuple[int, int]] = {}
    for bit in range(32):
        value, mask = zlib.crc32(start + (1 << bit).to_bytes(4, "little")) ^ zero, 1 << bit
        while value and value.bit_length() in basis:
            other, used = basis[value.bit_length()]
            value, mask = value ^ other, mask ^ used
        basis[value.bit_length()] = value, mask
    wanted, chosen = zlib.crc32(data) ^ zero, 0
    while wanted:
        value, mask = basis[wanted.bit_length()]
        wanted, chosen = wanted ^ value, chosen ^ mask
    return start + chosen.to_bytes(4, "little")


def test_no_leftover_replaces_another(tmp_path: Path) -> None:
    """Forged bytes with an equal checksum, and a kept file that somebody edited, lie beside each other."""
    (tmp_path / "world").mkdir()
    first = b"the first leftover"
    second = _of_equal_crc(first, b"another one: ")
    assert zlib.crc32(first) == zlib.crc32(second)
    for data in (first, second, first):
        (tmp_path / "world/x.tmp").write_bytes(data)
        _mend_leftovers(tmp_path)
    kept = tmp_path / ".mindloop/leftovers"
    assert sorted(one.read_bytes() for one in kept.iterdir()) == sorted([first, second])

    (tmp_path / kept_name("world/x.tmp", first)).write_bytes(b"edited")
    (tmp_path / "world/x.tmp").write_bytes(first)
    _mend_leftovers(tmp_path)
    assert sorted(one.read_bytes() for one in kept.iterdir()) == sorted([first, second, b"edited"])
