"""Hypotheses, promises and gaps in every form that canvases have."""

from __future__ import annotations

import pytest

from mindloop.observer.canvas.hypotheses import Promise, normal_id, read_gaps, read_hypotheses, read_promises
from mindloop.observer.canvas.sections import Block, Row, blocks, visible_rows


def rows_of(body: str) -> list[Row]:
    return [row for row in visible_rows(body) if row]


def sections_of(body: str) -> list[Block]:
    return blocks(rows_of(body), 2)


def one(heading: str, confidence: str = "- **Confidence**: Low") -> tuple[str, str, str, bool]:
    found = read_hypotheses(sections_of(f"## Level 3 Hypotheses\n\n{heading}\n{confidence}\n"))
    assert len(found) == 1
    return found[0].id, found[0].title, found[0].confidence, found[0].closed


@pytest.mark.parametrize(
    ("heading", "identity", "title"),
    [
        ("### Hypothesis 1: checks daily", "H1", "checks daily"),
        ("### H-1: checks daily", "H1", "checks daily"),
        ("### H1: checks daily", "H1", "checks daily"),
        ("### H12 — checks daily", "H12", "checks daily"),
        ("### H1_2: checks daily", "H1", "checks daily"),
        ("### **H3**: checks daily", "H3", "checks daily"),
        ("### H007. checks daily", "H7", "checks daily"),
        ("#### Hypothesis #4 - checks daily", "H4", "checks daily"),
        ("### hypothesis 5", "H5", ""),
        ("### Hypothesis: checks daily", "H1", "checks daily"),
    ],
)
def test_heading_forms(heading: str, identity: str, title: str) -> None:
    """Each way to head a hypothesis gives one id spelling and the bare title."""
    assert one(heading)[:2] == (identity, title)


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("- **Confidence**: Low (single DM conversation)", "low"),
        ("- **Confidence**: Medium", "medium"),
        ("- **Confidence**: High", "high"),
        ("- **Confidence**: Medium-High (two quotes)", "medium"),
        ("- **Confidence**: Low | Medium", "low"),
        ("- **Confidence**: High | Medium | Low", "low"),
        ("Confidence: Medium", "medium"),
        ("**Confidence:** **HIGH**", "high"),
        ("* confidence : medium", "medium"),
        ("| **Confidence** | High |", "low"),
        ("- **Confidence**: Highest", "low"),
        ("nothing here", "low"),
    ],
)
def test_confidence_forms(line: str, level: str) -> None:
    """Each way to write a confidence gives its level; no line at all is low."""
    assert one("### H1: x", line)[2] == level


@pytest.mark.parametrize(
    ("heading", "confidence", "closed"),
    [
        ("### H1: x", "**Confidence**: High", True),
        ("### H1: x [VALIDATED → Promoted to Observation]", "**Confidence**: Low", True),
        ("### H1: x", "**Confidence**: Medium-High", False),
        ("### H1: x UNVALIDATED", "**Confidence**: Low", False),
    ],
)
def test_closed(heading: str, confidence: str, closed: bool) -> None:
    """High or marked as validated is closed; everything else is open."""
    assert one(heading, confidence)[3] is closed


def test_only_their_section_counts() -> None:
    """The profile's confidence row, fenced text and other sections hold no hypotheses."""
    body = (
        "## User Profile\n| **Confidence** | High |\n### H9: no\n"
        "## 3. Level-3 Hypotheses\n```\n### H8: no\n```\n### Notes\nConfidence: High\n### H1: yes\n#### Evidence\n"
        "- **Confidence**: Medium\n## Journey\n### H7: no\n"
    )
    assert [(found.id, found.confidence, found.line) for found in read_hypotheses(sections_of(body))] == [
        ("H1", "medium", 10)
    ]


def test_unnumbered_ones_take_free_numbers() -> None:
    """A hypothesis without a number never takes another one's."""
    body = "## Level 3 Hypotheses\n### Hypothesis: a\n### H1: b\n### Hypothesis: c\n### How users work\n"
    assert [(found.id, found.title) for found in read_hypotheses(sections_of(body))] == [
        ("H2", "a"),
        ("H1", "b"),
        ("H3", "c"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("H1", "H1"), ("h-01", "H1"), ("H1_2", "H1"), ("H12: title", "H12"), ("GRAPH2", None), ("H1x", None), ("", None)],
)
def test_normal_id(text: str, expected: str | None) -> None:
    """Ids are compared in one spelling."""
    assert normal_id(text) == expected


def promises(table: str) -> list[Promise]:
    return read_promises(sections_of(f"## Future Promises (Unvalidated)\n\n{table}\n"))


def test_promises_with_three_columns() -> None:
    """Without a status column a promise is open."""
    found = promises(
        '| Promise | Date | Follow-up Trigger |\n|---|---|---|\n| "will check in" | 2026-02-01 | score moves |'
    )
    assert [(p.text, p.date, p.status, p.redeemed) for p in found] == [("will check in", "2026-02-01", "", False)]


@pytest.mark.parametrize(
    ("status", "redeemed"),
    [
        ("**VALIDATED**", True),
        ("VALIDATED (2026-02-09)", True),
        ("**PENDING**", False),
        ("UNVALIDATED", False),
        ("NOT VALIDATED", False),
        ("INVALIDATED", False),
        ("", False),
    ],
)
def test_promise_status_is_compared_whole(status: str, redeemed: bool) -> None:
    """Only the exact word redeems a promise."""
    table = f"| Promise | Date | Follow-up Trigger | Status |\n|---|---|---|---|\n| x | 2026-02-01 | y | {status} |"
    assert [promise.redeemed for promise in promises(table)] == [redeemed]


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ('"i will post it"', "i will post it"),
        ("\u201ci will post it\u201d", "i will post it"),
        ('Sends the 214-row spreadsheet "this weekend"', 'Sends the 214-row spreadsheet "this weekend"'),
        ('"We\'ll see" about stopping in the spring', '"We\'ll see" about stopping in the spring'),
        ('"yes" and then "no"', '"yes" and then "no"'),
        ('"', '"'),
    ],
)
def test_a_promise_loses_only_marks_around_all_of_it(cell: str, text: str) -> None:
    """Quotation marks go where one pair holds the whole promise; others belong to its words."""
    found = promises(f"| Promise | Date | Follow-up Trigger |\n|---|---|---|\n| {cell} | 2026-02-01 | t |")
    assert [promise.text for promise in found] == [text]


def test_promise_columns_follow_their_header() -> None:
    """Columns are found by name; without a header the usual order counts."""
    named = promises("| Promise | Status | Date |\n|---|---|---|\n| a | PENDING | 2026-02-01 |")
    bare = promises("| a | 2026-02-02 | t | PENDING |")
    assert [(p.date, p.status) for p in (*named, *bare)] == [("2026-02-01", "PENDING"), ("2026-02-02", "PENDING")]


@pytest.mark.parametrize(
    "row", ["| (none in this quote) | - | - |", "| - | - | - |", "|  |  |  |", "| {promise} | {d} | |"]
)
def test_placeholder_promises(row: str) -> None:
    """Unfilled rows are no promises."""
    assert promises(f"| Promise | Date | Follow-up Trigger |\n|---|---|---|\n{row}") == []


GAPS = {
    "table": (
        "### GAP-DATA-001 : slow\n| Field | Value |\n|---|---|\n| **Status** | IDENTIFIED |\n| **Type** | Bug |",
        "IDENTIFIED",
        "Bug",
    ),
    "line": ("### GAP-DATA-001: slow\n**Status**: IDENTIFIED", "IDENTIFIED", ""),
    "bold colon": ("### GAP-DATA-001: slow\n- **Status:** `FILED`", "FILED", ""),
    "open": ("### GAP-DATA-001: slow\n| **Status** | OPEN |", "OPEN", ""),
    "resolved": ("#### GAP-DATA-001: slow\n**Status**: RESOLVED (was IDENTIFIED)", "RESOLVED", ""),
    "expected and actual": (
        "### GAP-DATA-001: slow\n| Expected | Actual | Source | Resolution |\n|---|---|---|---|\n| a | b | c | d |",
        "",
        "",
    ),
}


@pytest.mark.parametrize(("text", "status", "kind"), GAPS.values(), ids=GAPS.keys())
@pytest.mark.parametrize("section", ["Expectation Gaps", "Expectation Gaps (Code-Grounded)"])
def test_gap_forms(section: str, text: str, status: str, kind: str) -> None:
    """Each way to write a gap gives id, title, status and type."""
    found = read_gaps(rows_of(f"## {section}\n\n{text}\n"))
    assert [(gap.id, gap.title, gap.status, gap.kind) for gap in found] == [("GAP-DATA-001", "slow", status, kind)]


def test_status_lines_elsewhere() -> None:
    """A status line at the very start of a line is a gap wherever it stands; fenced or indented it is not."""
    body = (
        "## Journey\n### GAP-x-1: lost\n**Status**: IDENTIFIED\n  **Status**: IDENTIFIED\n- **Status**: IDENTIFIED\n"
        "```\n**Status**: IDENTIFIED\n```\n## Expectation Gaps\n**Status**: FILED\n"
    )
    assert [(gap.id, gap.title, gap.status) for gap in read_gaps(rows_of(body))] == [
        ("", "", "FILED"),
        ("GAP-x-1", "lost", "IDENTIFIED"),
    ]
