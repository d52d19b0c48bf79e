"""The second opinion on the headers of notes."""

from __future__ import annotations

import pytest

from mindloop.store.second_reader import interop_problem


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
