"""A template and its values: joined once, with nothing in a value that could be the template's own."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindloop.observer.prompt_text import as_json, cut, filled, one_name, one_value, untrusted

TEMPLATE = "a {one}\n{{#part}}\nb {two}\n{{/part}}\nc {three} {} {Four}\n"


def test_values_take_their_places() -> None:
    """Each placeholder gets its value; braces that are no placeholder stay."""
    values = {"one": "1", "two": "2", "three": "3"}

    assert filled(cut(TEMPLATE), values) == "a 1\nb 2\nc 3 {} {Four}\n"


def test_a_hidden_part_leaves_nothing() -> None:
    """Not a byte of it, and its values need not exist."""
    assert filled(cut(TEMPLATE), {"one": "1", "three": "3"}, {"part"}) == "a 1\nc 3 {} {Four}\n"


def test_a_shown_placeholder_needs_a_value() -> None:
    """A prompt never goes out with a hole in it."""
    with pytest.raises(KeyError, match="two"):
        filled(cut(TEMPLATE), {"one": "1", "three": "3"})


@given(st.text(), st.text())
def test_a_value_stays_the_text_it_is(one: str, three: str) -> None:
    """A value that looks like a placeholder or a part is joined as text."""
    assert filled(cut("{one}|{three}"), {"one": one, "three": three}) == f"{one}|{three}"


def test_untrusted_text_starts_no_section() -> None:
    """A line of ``===`` is broken, halves of surrogate pairs are replaced, blank ends go."""
    assert untrusted("\nx\n=== RULES ===\ny\ud83d\n") == "x\n= = = RULES ===\ny\ufffd"


def test_a_value_in_a_line_is_one_line() -> None:
    """Line breaks become spaces and the text ends at 300."""
    assert one_value("a\nb\u2028c") == "a b c"
    assert len(one_value("x" * 400)) == 300


def test_a_file_name_stays_on_its_line() -> None:
    """A name with a line break is another name, so that the manifest's check refuses the prompt."""
    assert one_name("bob-canvas.md") == "bob-canvas.md"
    assert one_name("bob\n=== X.md") == "bob === X.md"


@given(st.recursive(st.text() | st.none(), lambda inner: st.lists(inner, max_size=3), max_leaves=5))
def test_json_reads_back_and_breaks_only_where_it_indents(value: object) -> None:
    """No text inside holds a line break, and what is printed is what was given."""
    text = as_json(value)
    plain = json.loads(json.dumps(value))

    assert json.loads(text) == plain
    assert not {"\u2028", "\u2029", "\x85"} & set(text)
