"""Advice on style."""

from __future__ import annotations

import pytest

from mindloop.observer.answer.mom_test import lint

GOOD = "what did you do the last time the board was wrong?"
WORDS = "the board forgot my july swaps, i had to ask twice"


@pytest.mark.parametrize(
    ("body", "anchor", "advice"),
    [
        (GOOD, WORDS, []),
        ("i saw that. " + GOOD, WORDS, []),
        ("I saw that. " + GOOD, WORDS, []),
        ("would you use it?", WORDS, ["asks about the future"]),
        ("do you like the board?", WORDS, ["asks for an opinion"]),
        ("Do you think it is fair?", WORDS, ["asks for an opinion", "starts with a capital"]),
        ("don\u2019t you think it is better?", WORDS, ["leads to its answer"]),
        ("wouldn't it be better?", WORDS, ["leads to its answer"]),
        ("we just shipped badges, what did you do?", WORDS, ["announces a feature"]),
        ("did your score update?", WORDS, ["asks what the snapshot shows"]),
        ("what? when? why? how?", WORDS, ["asks more than 3 questions"]),
        ("what？ when？ why？", WORDS, []),
        (GOOD, "looks slick", ["takes a compliment for evidence"]),
        (GOOD, "i will check it tomorrow", ["takes a promise for evidence"]),
        ("", "", []),
    ],
)
def test_lint(body: str, anchor: str, advice: list[str]) -> None:
    """Each thing that the Mom Test warns of is named; a question about the past is not."""
    assert lint(body, anchor) == advice
