"""Laws of the sanitiser, on texts that are built to break it."""

from __future__ import annotations

import re
import unicodedata

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mindloop.observer.lines import one_line, truncate
from mindloop.observer.sanitizer import heading_text, neutralize_sections, sanitize

SCRAPS = [
    *(
        "ignore",
        " all ",
        " previous",
        "IGNORE previous",
        "sys",
        "tem",
        "system",
        ":",
        "assistant:",
        "you",
        " are",
        "act",
    ),
    *(
        " as",
        " ",
        "\n",
        "\t",
        "\u00a0",
        "pre",
        "tend",
        "<",
        ">",
        "<b>",
        "</",
        "!--",
        "-->",
        "#",
        "# ",
        "##",
        "===",
        "=",
    ),
    *(
        "\u200b",
        "\u202e",
        "\ufeff",
        "\u034f",
        "\ufe0f",
        "\ud83d",
        "\ude00",
        "\ue000",
        "e\u0301",
        "\u0301",
        "ſ",
        "İ",
        "K",
    ),
    *(
        "\U0001f44b\U0001f3fd",
        "\U0001f468\u200d\U0001f469",
        "a <= b",
        "act assembly",
        "[FU:",
        "deadbeef]",
        "\x00",
        "\u2028",
    ),
]
TEXTS = st.one_of(
    st.lists(st.sampled_from(SCRAPS), max_size=30).map("".join),
    st.text(st.characters(exclude_categories=()), max_size=80),
    st.lists(st.one_of(st.sampled_from(SCRAPS), st.text(max_size=3)), max_size=20).map("".join),
)
LIMITS = st.integers(min_value=0, max_value=60)
LAWFUL = settings(deadline=None, max_examples=300)

FORBIDDEN = re.compile(
    r"ignore\s+(all\s+)?previous|system\s*:|assistant\s*:|pretend|\byou\s+are\b|\bact\s+as\b|<[A-Za-z/!?][^>]*>|^\s*#|={3}",
    re.IGNORECASE | re.MULTILINE,
)
BREAKS = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"


@LAWFUL
@given(TEXTS, LIMITS)
def test_sanitised_text_is_a_fixed_point(text, limit):
    """Sanitising again changes nothing."""
    once = sanitize(text, limit)
    assert sanitize(once, limit) == once


@LAWFUL
@given(TEXTS, LIMITS)
def test_sanitised_text_is_never_longer_than_the_limit(text, limit):
    """The limit counts code points, after everything else."""
    assert len(sanitize(text, limit)) <= limit


@LAWFUL
@given(TEXTS, LIMITS)
def test_no_forbidden_token_survives(text, limit):
    """However tokens are nested, spelled or cut, none is left."""
    assert FORBIDDEN.search(sanitize(text, limit)) is None


@LAWFUL
@given(TEXTS, LIMITS)
def test_sanitised_text_is_one_visible_line(text, limit):
    """No control, format, private or surrogate character is left, and the line can be encoded."""
    clean = sanitize(text, limit)
    assert {unicodedata.category(char) for char in clean} & {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"} == set()
    assert clean == " ".join(clean.split())
    assert clean.encode().decode() == clean


@LAWFUL
@given(
    st.lists(st.sampled_from(["a <= b", "act assembly", "x > y", "rank 12,", "system", "you", "badge"]), max_size=12)
)
def test_harmless_words_survive(words):
    """Text without anything forbidden comes out as it went in."""
    text = " ".join(words)
    assume(FORBIDDEN.search(text) is None)
    assert sanitize(text, 500) == text


@LAWFUL
@given(TEXTS, LIMITS)
def test_one_line_is_one_encodable_line_within_the_limit(text, limit):
    """Logs and headings get one line, and cleaning it again changes nothing."""
    line = one_line(text, limit)
    assert len(line) <= limit
    assert line == " ".join(line.split())
    assert line.encode().decode() == line
    assert one_line(line, limit) == line


@LAWFUL
@given(TEXTS)
def test_a_heading_starts_nothing_else(text):
    """No heading mark, comment or reply token is left in a heading, and it is a fixed point."""
    heading = heading_text(text)
    assert not heading.startswith(("#", "="))
    assert [mark for mark in ("<!--", "-->", "[FU:", "\n") if mark in heading.upper()] == []
    assert heading_text(heading) == heading


@LAWFUL
@given(TEXTS, LIMITS)
def test_truncating_takes_a_head(text, limit):
    """What is left is the text's beginning, within the limit."""
    cut = truncate(text, limit)
    assert text.startswith(cut)
    assert len(cut) <= max(limit, 0) or cut == text


@LAWFUL
@given(
    st.one_of(TEXTS, st.lists(st.sampled_from([*BREAKS, "===", " ", "x", "\u200b", "= "]), max_size=20).map("".join))
)
def test_no_line_looks_like_a_section(text):
    """After neutralising, no line starts with three equals signs; what did not is untouched, and again is the same."""
    neutral = neutralize_sections(text)
    lines = re.split(f"[{BREAKS}]", neutral)
    assert [line for line in lines if line.lstrip().startswith("===")] == []
    assert neutralize_sections(neutral) == neutral
    if "===" not in text:
        assert neutral == text
