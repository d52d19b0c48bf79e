"""What a reply repeats of ours is not the user's."""

from __future__ import annotations

import pytest

from mindloop.observer.exports.echoes import ours_of, own_words, tokens_in

OURS = ours_of(["hey bob — why did the score\nfeel low? [FU:deadbeef]", "what did you try?"])


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("because it dropped", "because it dropped"),
        ("what did you try?", ""),
        ("  What did  YOU try? [FU:0badcafe]\n", ""),
        ("hey bob — why did the score\nfeel low? [FU:deadbeef]", ""),
        ("hey bob — why did the score feel low?", ""),
        ("> what did you try?\nnothing yet", "nothing yet"),
        ("nothing yet\n> what did you try?\nreally", "nothing yet\nreally"),
        ("> what did you try? [FU:deadbeef]\n\n  I left", "I left"),
        ("> hey bob — why did the score\n> feel low?\nit fell", "it fell"),
        ("> hey bob — why did\n> the score feel low?\nit fell", "it fell"),
        ("> > feel low?\n>\nit fell", "it fell"),
        (">>> feel low?\nwhat did you try?\nwell", "well"),
        ("> feel low?", ""),
        ("> a line of my own\nand more", "> a line of my own\nand more"),
        ("> what did you try?\n> I said nothing\nsee", "> I said nothing\nsee"),
        ("5 > 3 and what did you try?", "5 > 3 and what did you try?"),
        (">\nquoted nothing", ">\nquoted nothing"),
        ("> what did you try?\nfeel low?", ""),
        ("", ""),
    ],
)
def test_own_words_are_what_is_left(text: str, own: str) -> None:
    """Lines behind > that are ours go, a message that is ours is nothing; every other line stays to the letter."""
    assert own_words(text, OURS) == own


def test_nothing_is_ours_where_we_sent_nothing() -> None:
    """Then every text stays as it is."""
    for text in ("> a\nb", "", "gm", " x \n> y "):
        assert own_words(text, frozenset()) == text


def test_tokens_are_found_anywhere() -> None:
    """In any case, each once, in their order; what only looks like one is none."""
    text = "[FU:DEADBEEF] x [fu:0badcafe]\n> [FU:deadbeef] [FU:123] [FU:123456789] [FU: deadbeef] [FU:deadbeeg]"
    assert tokens_in(text) == ["deadbeef", "0badcafe"]
    assert tokens_in("no token") == []
