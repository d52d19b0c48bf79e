"""Laws of taking version references out."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from mindloop.observer.answer.version_references import Reading, strip_version_references

VOCABULARY = (
    "since after before until when the our and in from v v2 v2.0 v2.0.0 v1.2.3-rc1 1.2.3 2.1 3.5 ETH 10.0.0.1 "
    "2026.02.11 release update version versions 1.0 shipped launched went live uniswap pool webv3 did you look ? . , "
    "did the in on is out release #2 CHRON-20260201-001 \uff56 \u2024 &#50; 2.x r2.0.0 version: "
    '( ) [ ] ]( ** _ ` " \u2014 - \n v. 98.5 \ufdd0'
)
PLAIN = "did you look at the uniswap pool since then ? 3.5 ETH 98.5 10.0.0.1 webv3 , ( ) 2026.02.11"
WORDS = st.sampled_from(VOCABULARY.split(" "))
SCRAPS = st.lists(st.tuples(WORDS, st.sampled_from(["", " ", " ", "  "])), max_size=14).map(
    lambda pairs: "".join(word + gap for word, gap in pairs)
)
TEXTS = st.one_of(SCRAPS, st.text(max_size=60), st.text("v0129.- sincetho\n(),", max_size=40))
SAFE = st.lists(st.sampled_from(PLAIN.split()), max_size=12).map(" ".join)


@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_a_result_goes_through_unchanged(text: str) -> None:
    """Stripping twice is stripping once."""
    once = strip_version_references(text)

    assert strip_version_references(once) == once


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_no_dotted_version_is_left(text: str) -> None:
    """No v1.2 and no "version 1.2" that starts a word is in a result, as a reader takes it."""
    left = Reading(strip_version_references(text)).plain

    assert re.search(r"(?<![^\W_])(?:v\.?|versions?\s+v?)\d+\.\d+", left, re.IGNORECASE) is None


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_nothing_is_added(text: str) -> None:
    """A result is no longer than the text, and its words come from it, but for the "it" of a question."""
    left = strip_version_references(text)

    assert len(left) <= len(text)
    assert set("".join(left.split())) <= set(text) | set("it")


@settings(max_examples=200, deadline=None)
@given(SAFE)
def test_text_without_versions_is_untouched(text: str) -> None:
    """Text that names no version comes back character for character."""
    assert strip_version_references(text) == text


@settings(max_examples=200, deadline=None)
@given(SAFE, SAFE, st.sampled_from(["since v2.0.0", "after the v1.1.0 release", "before v1.2 shipped", "(v3.4.5-rc1)"]))
def test_the_words_around_stay(before: str, after: str, phrase: str) -> None:
    """Taking a phrase out keeps every word around it."""
    left = strip_version_references(f"{before} yes {phrase} you {after}")

    assert re.findall(r"[\w.]*\w", left) == re.findall(r"[\w.]*\w", f"{before} yes you {after}")
