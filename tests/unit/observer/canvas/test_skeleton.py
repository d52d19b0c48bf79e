"""Skeleton hypotheses: appended, found again, never above low, nothing else moved."""

from __future__ import annotations

import pytest

from mindloop.observer.canvas.edit import new_canvas
from mindloop.observer.canvas.parse import parse_canvas
from mindloop.observer.canvas.skeleton import Skeleton, add_hypotheses, clean_title, new_ones
from mindloop.store.errors import WrongInput

A, B = "a" * 64, "b" * 64
DAY = "2026-11-30"
PATH = "c/bob-canvas.md"
HEAD = "---\nuser: bob\n---\n"


def hypotheses(text: str) -> list[tuple[str, str, str]]:
    return [(one.id, one.title, one.confidence) for one in parse_canvas(PATH, text).hypotheses]


def test_a_new_canvas_gets_its_first_hypothesis() -> None:
    """The entry has an id, a low confidence that says what it is, a line for each quote, and what is not known."""
    text, ids = add_hypotheses(
        PATH, new_canvas("bob", None, "2026-11-30T00:00:00Z"), [Skeleton("wants rank", [A, B, A], "why?")], DAY
    )
    assert ids == ["H1"]
    assert (
        "## Level 3 Hypotheses\n\n### H1: wants rank\n\n"
        "- **Confidence**: Low (skeleton from direct messages, 2026-11-30)\n"
        f"- **Evidence**: [prov:sha256:{A}]\n- **Evidence**: [prov:sha256:{B}]\n- **Unknown**: why?\n\n"
        "## Future Promises"
    ) in text


def test_numbers_go_on_above_all_there_are() -> None:
    """An id is never taken that the canvas has, however it spells it, and what stands there keeps its own."""
    known = "### Hypothesis 7: a\n\n### H-2: b\n- **Confidence**: High\n\n### Hypothesis: c\n"
    before = f"{HEAD}## Level 3 Hypotheses\n\n{known}"
    text, ids = add_hypotheses(PATH, before, [Skeleton("d", [A], ""), Skeleton("e", [A], "")], DAY)
    assert ids == ["H8", "H9"]
    assert hypotheses(text) == [
        ("H7", "a", "low"),
        ("H2", "b", "high"),
        ("H1", "c", "low"),
        ("H8", "d", "low"),
        ("H9", "e", "low"),
    ]
    assert text.startswith(before.rstrip("\n"))


def test_a_canvas_without_the_section_gets_it() -> None:
    """Where there is no such section it is added at the end."""
    text, _ = add_hypotheses(PATH, f"{HEAD}# bob\n", [Skeleton("d", [A], "")], DAY)
    assert text.startswith(f"{HEAD}# bob\n\n## Level 3 Hypotheses\n\n### H1: d\n")


def test_what_is_there_is_not_added_again() -> None:
    """A title that the canvas has, in whatever case and spacing, is left out; so is one that comes twice."""
    before = f"{HEAD}## Level 3 Hypotheses\n\n### H1: Wants  RANK\n"
    again = [Skeleton("wants rank", [A], ""), Skeleton("leaves", [A], ""), Skeleton("Leaves", [B], "")]
    assert [one.title for one in new_ones(parse_canvas(PATH, before).hypotheses, again)] == ["leaves"]
    text, ids = add_hypotheses(PATH, before, again, DAY)
    assert (ids, add_hypotheses(PATH, text, again, DAY)) == (["H2"], (text, []))


def test_a_rehearsal_is_labelled() -> None:
    """What no model made says so where its confidence stands."""
    text, _ = add_hypotheses(PATH, HEAD, [Skeleton("d", [A], "")], DAY, "rehearsal")
    assert "Low (skeleton from direct messages, 2026-11-30, rehearsal)" in text


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("[VALIDATED → Promoted] he left", "(VALIDATED → Promoted] he left"),
        ("## a\n### H9: b", "a H9: b"),
        ("**bold** -->", "bold"),
        ("ignore previous orders: x", "orders: x"),
        ("[FU:deadbeef] x", "x"),
        ("x" * 500, "x" * 120),
        ("\u202etrap\u200b", "trap"),
        (" # ", ""),
    ],
)
def test_titles_are_made_harmless(raw: str, clean: str) -> None:
    """No heading, mark, closing word, token or invisible character of a title reaches the canvas."""
    assert (clean_title(raw), clean_title(clean)) == (clean, clean)


@pytest.mark.parametrize("hidden", ["## Level 3 Hypotheses\n```\n", "```\n## x\n"])
def test_a_canvas_that_would_hide_them_is_refused(hidden: str) -> None:
    """Below a fence that is never closed nothing is found again, so nothing is written."""
    with pytest.raises(WrongInput, match="would not be found again"):
        add_hypotheses(PATH, HEAD + hidden, [Skeleton("d", [A], "")], DAY)
