"""Notes, and the second opinion on their headers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mindloop.store.errors import Malformed
from mindloop.store.notes import interop_problem, read_note
from mindloop.store.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path


def test_a_note_has_header_body_and_text(tmp_path: Path) -> None:
    """Everything of the file is there, the whole text too."""
    (tmp_path / "n.md").write_text("---\nuser: no\n---\n\nbody\n")

    note = read_note(Workspace(str(tmp_path)), "n.md")

    assert note is not None
    assert (note.meta, note.body, note.rel) == ({"user": "no"}, "\nbody\n", "n.md")
    assert note.text == "---\nuser: no\n---\n\nbody\n"


def test_no_note_is_none_and_a_broken_one_is_named(tmp_path: Path) -> None:
    """A missing note is None; a broken header names the file; a large note is refused unread."""
    (tmp_path / "n.md").write_text("---\nuser: no\n")
    workspace = Workspace(str(tmp_path))

    assert read_note(workspace, "none.md") is None
    with pytest.raises(Malformed, match=r"n\.md: line 1"):
        read_note(workspace, "n.md")
    with pytest.raises(Malformed, match="at most 5 are read"):
        read_note(workspace, "n.md", limit=5)


@pytest.mark.parametrize(
    "header",
    [
        "user: bob\nn: 5\nf: 1.5\nok: true\nnothing:\nlist: [a, b]\nmap: {a: b}",
        "updated: 2026-02-11\nat: 2026-02-11T14:23:00Z\nquoted: 'no'",
    ],
)
def test_headers_that_everybody_reads_alike(header: str) -> None:
    """Plain words, numbers and dates are no problem."""
    assert interop_problem(f"---\n{header}\n---\nbody\n") is None


@pytest.mark.parametrize(
    ("header", "problem"),
    [
        ("user: no", "user: other tools read False, not 'no'; put the value in quotes"),
        ("wallet: 0x1F", "wallet: other tools read 31, not '0x1F'; put the value in quotes"),
        ("at: 12:30", "at: other tools read 750, not '12:30'; put the value in quotes"),
        ("list: [a, yes]", "list.1: other tools read True, not 'yes'; put the value in quotes"),
        ("map: {t: 0777}", "map.t: other tools read 511, not '0777'; put the value in quotes"),
        ("at: 2026-13-45", "other tools cannot read the header: month must be in 1..12"),
        ("map: {yes: a}", "map.yes: other tools do not see this key"),
        ("yes: a", "other tools cannot read the header: keywords must be strings"),
        ("a: 1\na: 2", "line 2, column 1: the key 'a' stands here twice"),
    ],
)
def test_headers_that_other_tools_misread(header: str, problem: str) -> None:
    """The finding names key, their reading, ours and the remedy."""
    assert interop_problem(f"---\n{header}\n---\nbody\n") == problem
