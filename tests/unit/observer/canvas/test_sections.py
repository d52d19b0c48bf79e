"""The plain structure of a canvas body."""

from __future__ import annotations

import pytest

from mindloop.observer.canvas.sections import (
    Row,
    blocks,
    heading,
    is_placeholder,
    named,
    open_fence,
    plain,
    split_lines,
    tables,
    visible_rows,
)


def rows_of(body: str) -> list[Row]:
    return [row for row in visible_rows(body) if row]


def test_only_cr_lf_and_crlf_end_a_line() -> None:
    """Line ends of other readers stay inside the line."""
    assert split_lines("a\rb\nc\r\nd\u2028e\x0cf\x85g") == ["a", "b", "c", "d\u2028e\x0cf\x85g"]


@pytest.mark.parametrize(
    ("body", "visible"),
    [
        ("a\n```\nb\n```\nc", ["a", "c"]),
        ("a\n~~~~\nb\n~~~\nc\n~~~~\nd", ["a", "d"]),
        ("```py\nb\n````\nc", ["c"]),
        ("   ```\nb\n   ```\nc", ["c"]),
        ("    ```\nb", ["    ```", "b"]),
        ("```a`b\nc", ["```a`b", "c"]),
        ("```\nb\n``` x\nc", []),
    ],
)
def test_fences_hide(body: str, visible: list[str]) -> None:
    """Fenced lines are not seen; what only looks like a fence hides nothing."""
    assert [row.text for row in rows_of(body)] == visible


@pytest.mark.parametrize(("body", "line"), [("a\n```\nb", 2), ("```\na\n```", None), ("", None), ("> ```\na", None)])
def test_open_fence(body: str, line: int | None) -> None:
    """A fence that is never closed is named by its line."""
    assert open_fence(body) == line


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A", (1, "A")),
        ("### A ###", (3, "A")),
        ("   ## A", (2, "A")),
        ("## C#", (2, "C#")),
        ("##", (2, "")),
        ("## ##", (2, "")),
        ("##\tA", (2, "A")),
        ("    ## A", None),
        ("##A", None),
        ("####### A", None),
        ("text", None),
        ("> # A", None),
    ],
)
def test_heading(text: str, expected: tuple[int, str] | None) -> None:
    """Headings are those of Markdown: up to three blanks, one to six marks, a blank."""
    assert heading(text) == expected


def test_a_megabyte_of_blanks_is_no_trap() -> None:
    """A heading of blanks is read in one pass."""
    assert heading("# " + " " * 1_000_000 + "x") == (1, "x")


def test_blocks_end_at_their_level() -> None:
    """A section holds deeper headings and ends at its own level or above."""
    found = blocks(rows_of("## A\na\n### A1\n## B\n# C\nc\n"), 2)
    assert [(block.title, block.number, [row.text for row in block.rows]) for block in found] == [
        ("A", 1, ["a", "### A1"]),
        ("B", 4, []),
    ]


@pytest.mark.parametrize(
    "title",
    [
        "Expectation Gaps",
        "Expectation Gaps (Code-Grounded)",
        "7. Expectation Gaps",
        "7.2) expectation gaps",
        "**Expectation-Gaps**",
    ],
)
def test_section_names_are_tolerant(title: str) -> None:
    """Numbering, emphasis, case and words behind a section's name do not matter."""
    assert len(named(blocks(rows_of(f"## {title}\n"), 2), "Expectation Gaps")) == 1


def test_table_cells() -> None:
    """Cells are trimmed, escaped bars stay in their cell, the rule is no row."""
    body = "| A | B |\n|---|:-:|\n| x \\| y |  z|\ntext | no\n|\n| last"
    assert [cells for _, cells in tables(rows_of(body))] == [["A", "B"], ["x | y", "z"], ["last"]]


@pytest.mark.parametrize("cell", ["", " ", "-", "—", "(none in this quote)", "(None)", "{promise}", "---"])
def test_placeholders(cell: str) -> None:
    """An unfilled cell is recognised."""
    assert is_placeholder(cell)


@pytest.mark.parametrize("cell", ["x", "no", "-1", "none", "{a} b"])
def test_no_placeholders(cell: str) -> None:
    """A filled cell is not."""
    assert not is_placeholder(cell)


def test_plain() -> None:
    """Bold and code markers come off."""
    assert plain(" **`OPEN`** ") == "OPEN"
