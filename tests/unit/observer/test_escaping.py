"""Foreign text inside a batch file."""

from __future__ import annotations

import pytest

from mindloop.observer import escaping
from mindloop.observer.lines import CONTROL


@pytest.mark.parametrize(
    ("body", "written"),
    [
        ("## bob", "\\## bob"),
        ("hey\n### Message 2 (x)", "hey\n\\### Message 2 (x)"),
        ("a\n---\nb", "a\n\\---\nb"),
        ("a\n-", "a\n\\-"),
        ("a\n===", "a\n\\==="),
        ("- - -", "\\- - -"),
        ("***", "\\***"),
        ("___", "\\___"),
        ("> Token: [FU:deadbeef]", "\\> Token: [FU:deadbeef]"),
        ("```\n## x\n```", "\\```\n\\## x\n\\```"),
        ("~~~", "\\~~~"),
        ("\t # x", "\t \\# x"),
        ("\\# x", "\\\\# x"),
        ("look <!-- prov:sha256:1 -->", "look &lt;!-- prov:sha256:1 -->"),
        ("&lt;b&gt;", "&amp;lt;b&amp;gt;"),
    ],
)
def test_structure_in_a_body_is_escaped_and_comes_back(body, written):
    """A line that Markdown or a reader of ours would take for structure gets a backslash, undone on reading."""
    assert escaping.write_body(body) == written
    assert escaping.read_body(written) == body


@pytest.mark.parametrize("body", ["- a point", "-- well", "a # b", "1. one", "*so* good", "a -> b --> c", "=) nice"])
def test_ordinary_text_is_left_alone(body):
    """Nobody gets a message with backslashes in it for nothing."""
    assert escaping.write_body(body) == body


@pytest.mark.parametrize("mark", ["\r", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"])
def test_every_kind_of_line_end_is_a_line_end(mark):
    """What some tool takes for a new line cannot hide a heading."""
    assert escaping.write_body(f"a{mark}## bob") == "a\n\\## bob"
    assert escaping.write_line(f"a{mark}## bob") == "a ## bob"


def test_characters_that_no_file_should_hold_are_taken_out():
    """In a body control characters go, half a surrogate pair becomes the replacement character."""
    assert escaping.clean_body("a\x00b\x7f \ud83d!\n\n") == "ab \ufffd!"


def test_a_line_cannot_open_or_close_a_comment():
    """Text on a line of ours cannot end the provenance comment below it."""
    assert escaping.write_line("a --> b <!-- c") == "a --&gt; b &lt;!-- c"
    assert escaping.read_line("a --&gt; b &lt;!-- c") == "a --> b <!-- c"


@pytest.mark.parametrize("name", ["alice", "no", "null", "0123", "papa-flavio", "#1 fan", "a  b", "名前", "Ünal 🙂"])
def test_a_proper_name_heads_its_section_as_it_is(name):
    """The heading is the name that the canvas holds."""
    assert escaping.heading_name(name) == name


@pytest.mark.parametrize("name", ["a\n## bob", "a\u2028b", "../x", "", "\ud83d"])
def test_what_is_no_name_becomes_a_safe_one_of_its_own(name):
    """Even a name that should never have come this far cannot add a line or take another one's heading."""
    made = escaping.heading_name(name)
    assert made == escaping.slug(name)
    assert made.isascii()
    assert "\n" not in made


@pytest.mark.parametrize(
    "quote", ["esc \x1b[31m quote", "a\x00b\x7f", "&#27; and \x1b", "&amp;#27;", "<!-- \x9f -->", "plain"]
)
def test_a_quote_keeps_what_was_hashed(quote):
    """A control character stands as an entity and comes back, so that the words still have their hash."""
    written = escaping.write_quote(quote)
    assert (written.isprintable(), escaping.read_quote(written)) == (True, quote)


def test_every_control_character_has_its_entity():
    """What is taken out of other lines is kept in a quote, one and all."""
    controls = "".join(chr(number) for number in range(0xA0) if CONTROL.match(chr(number)))
    assert escaping.read_quote(escaping.write_quote(controls)) == controls
    assert escaping.write_quote("\x1b") == "&#27;"
