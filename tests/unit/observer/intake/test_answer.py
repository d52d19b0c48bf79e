"""Reading a selection: a bad whole is refused, a bad entry is left out and counted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mindloop.observer.intake.answer import MAX_EVIDENCE, MAX_HYPOTHESES, parse_selection
from mindloop.protocol.questions import AnswerRefused

A, B, C = "a" * 64, "b" * 64, "c" * 64
SEEN = frozenset({A, B})


def answer(quotes: Any = (), hypotheses: Any = (), **more: Any) -> str:
    lists = {"quotes": quotes, "hypotheses": hypotheses}
    return json.dumps(
        {"user": "bob", **{key: list(v) if isinstance(v, tuple) else v for key, v in lists.items()}, **more}
    )


def test_values_and_hypotheses_are_read() -> None:
    """Hashes may be spelled as anywhere; what was named is chosen once."""
    read = parse_selection(
        answer(
            [{"hash": f"sha256:{A.upper()}", "value": "high"}],
            [{"title": " Wants\nrank ", "evidence": [B, f"prov:sha256:{A}", B], "unknown": "why"}],
        ),
        "Bob",
        SEEN,
    )
    assert (read.values, read.chosen, read.dropped) == ({A: "high"}, [A, B], 0)
    assert [(one.title, one.evidence, one.unknown) for one in read.skeletons] == [("Wants rank", (B, A), "why")]


@pytest.mark.parametrize(
    "item",
    [
        {"hash": C, "value": "high"},
        {"hash": A, "value": "low"},
        {"hash": A[:-1], "value": "high"},
        {"hash": A},
        {"value": "high"},
        {"hash": A, "value": ["high"]},
        None,
        "x",
    ],
)
def test_a_bad_value_is_left_out(item: Any) -> None:
    """A foreign hash, another value, another shape: the entry goes, the others stay."""
    read = parse_selection(answer([item, {"hash": B, "value": "medium"}]), "bob", SEEN)
    assert (read.values, read.dropped) == ({B: "medium"}, 1)


def test_of_two_values_the_first_counts() -> None:
    """One quote has one value."""
    read = parse_selection(answer([{"hash": A, "value": "high"}, {"hash": A, "value": "medium"}]), "bob", SEEN)
    assert (read.values, read.dropped) == ({A: "high"}, 1)


@pytest.mark.parametrize(
    "item",
    [
        {"title": "x", "evidence": [C]},
        {"title": "x", "evidence": []},
        {"title": "##", "evidence": [A]},
        {"title": 1, "evidence": [A]},
        {"title": "x", "evidence": A},
        {"title": "x", "evidence": [A, None]},
        {"title": "x", "evidence": [A], "unknown": 1},
        {"evidence": [A]},
        [],
    ],
)
def test_a_bad_hypothesis_is_left_out(item: Any) -> None:
    """No quote of the packet behind it, no title, another shape: it goes."""
    read = parse_selection(answer([], [item, {"title": "y", "evidence": [A, C]}]), "bob", SEEN)
    assert ([(one.title, one.evidence) for one in read.skeletons], read.dropped) == ([("y", (A,))], 1)


def test_more_than_the_limits_are_left_out() -> None:
    """Five hypotheses at most, twenty quotes behind each."""
    many = frozenset(f"{number:064x}" for number in range(30))
    items = [{"title": f"t{number}", "evidence": sorted(many)} for number in range(7)]
    read = parse_selection(answer([], items), "bob", many)
    assert (len(read.skeletons), read.dropped) == (MAX_HYPOTHESES, 2)
    assert {len(one.evidence) for one in read.skeletons} == {MAX_EVIDENCE}


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("no", "it is not JSON"),
        ("[]", "it is a list"),
        (answer(user="eve"), '"user" is another one'),
        (answer(quotes=None), '"quotes" is null or missing, expected a list'),
        (answer(hypotheses={}), '"hypotheses" is an object, expected a list'),
        ('{"user": "bob"}', '"quotes" is null or missing'),
    ],
)
def test_a_bad_whole_is_refused(raw: str, reason: str) -> None:
    """The message names the field, what was expected, and no word of the judge's."""
    with pytest.raises(AnswerRefused, match=reason):
        parse_selection(raw, "bob", SEEN)


def test_a_fence_is_tolerated() -> None:
    """A code fence and a byte order mark around the object are taken off."""
    assert parse_selection(f"\ufeff```json\n{answer()}\n```\n", "bob", SEEN).chosen == []
