"""Text fit for one line."""

from __future__ import annotations

import pytest

from mindloop.observer.lines import clean_line, counted, excerpt, one_line, truncate

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
WAVE = "\U0001f44b\U0001f3fd"


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [
        ("abcdef", 3, "abc"),
        ("abc", 3, "abc"),
        (f"ab{WAVE}", 3, "ab"),
        (f"ab{WAVE}", 4, f"ab{WAVE}"),
        (f"a{FAMILY}", 3, "a"),
        (f"a{FAMILY}", 2, "a"),
        ("ae\u0301\u0302", 2, "a"),
        ("a b c", 2, "a"),
        ("abc", 0, ""),
        ("a" + "\u0301" * 50, 20, "a" + "\u0301" * 19),
    ],
)
def test_truncating_keeps_characters_whole(text, limit, cut):
    """A skin tone, joiner or accent is not parted from what it belongs to, unless that would never end."""
    assert truncate(text, limit) == cut


def test_one_line_keeps_what_people_wrote():
    """Only line breaks, invisible and bidi characters go; emoji families and markup stay."""
    text = f"\u202eH1:\r\n  {FAMILY} <b> system: \u200fok\x07"
    assert one_line(text, 100) == f"H1: {FAMILY} <b> system: ok"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n b\u2028c", "a b c"),
        ("a\x1b[31mb\u202ec\ud800", "a [31mbc"),
        ("👩\u200d🚀", "👩\u200d🚀"),
        ("x" * 200, "x" * 159 + "…"),
        ("x" * 160, "x" * 160),
        ("x" + "\u200b" * 9_000 + "y", "x…"),
    ],
)
def test_an_excerpt_says_that_it_is_one(text: str, expected: str) -> None:
    """Text for a report is one line of visible characters with a limit, and shows where it was cut."""
    assert excerpt(text) == expected


def test_a_clean_line_keeps_every_word() -> None:
    """What is stored loses control characters and line ends only; half a surrogate pair becomes U+FFFD."""
    assert clean_line(" a \x00 b\ud83d ") == "a b\ufffd"
    assert clean_line("x" * 10_000) == "x" * 10_000


def test_nouns_follow_their_numbers() -> None:
    """One message, two messages; thousands are set apart."""
    assert [counted(number, "message") for number in (0, 1, 2)] == ["0 messages", "1 message", "2 messages"]
    assert [counted(number, "entry", "entries") for number in (1, 12_345)] == ["1 entry", "12,345 entries"]
