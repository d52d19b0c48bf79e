"""Laws of quotes: nothing changed verifies, nothing written by us is lost, nothing breaks out."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mindloop.observer.canonical import EMPTY_HASH, canonical, content_hash
from mindloop.observer.canvas.edit import insert_quote, new_canvas, quote_lines
from mindloop.observer.canvas.parse import parse_canvas
from mindloop.observer.escaping import escape, unescape
from mindloop.observer.provenance.quotes import blockquotes, registry

PIECES = [
    "<!--", "-->", "<!-- prov:sha256:" + "a" * 64 + " -->", "<", "!--", "&lt;", "&amp;", "&", ";", "`", "```",
    "~~~", "#", "## Quotes Library", ">", "> >", '"', "“", "”", "'", "—", "--", "— me", "\n", "\r", "\r\n",
    "\n\n", "\u2028", "\x0b", "\x0c", "\x1c", "\x85", "\t", " ", "    ", "[FU:deadbeef]", "|", "---", "===",
    "- ", "$", "\\", "{user}", "ß", "ŉ", "ﬁ", "ǰ", "İ", "\u0301", "\u0338", "\u200b", "\u200d", "\ufeff",
    "\u202e", "\u200f", "مرحبا", "👩\u200d👩\u200d👧", "gm", "word",
]  # fmt: skip
CONTROLS = "".join(map(chr, (*range(9), *range(0x0E, 0x1C), 0x7F, *range(0x80, 0x85), *range(0x86, 0xA0))))
LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters=CONTROLS)
SAID = st.lists(st.sampled_from(PIECES) | st.text(LETTERS, max_size=6), max_size=14).map("".join)
SPOKEN = SAID.filter(lambda text: content_hash(text) != EMPTY_HASH)
LAW = settings(deadline=None, max_examples=300)


def canvas_with(*quotes: str, attribution: str = "dm, 2026-02-11") -> str:
    text = new_canvas("bob", None, "2026-02-11T00:00:00Z")
    for quote in quotes:
        text = insert_quote(text, quote_lines(quote, attribution, content_hash(quote)))
    return parse_canvas("c/bob-canvas.md", text).body


@LAW
@given(st.lists(SPOKEN, min_size=1, max_size=4, unique_by=canonical), SAID)
def test_every_quote_we_write_is_found_again(quotes: list[str], attribution: str) -> None:
    """Whatever was said, wherever: exactly these hashes verify, in this order, and no other quote exists."""
    entries = registry(canvas_with(*quotes, attribution=attribution), [])
    assert [(entry["hash"], entry["hash_verified"]) for entry in entries] == [
        (content_hash(quote), True) for quote in quotes
    ]
    assert [canonical(entry["quote_text"]) for entry in entries] == [canonical(quote) for quote in quotes]


@LAW
@given(SPOKEN, SAID)
def test_a_quote_cannot_leave_its_block(quote: str, attribution: str) -> None:
    """For every idea of a line end, each line that a quote adds is marked; only our comment stands outside."""
    added = quote_lines(quote, attribution, content_hash(quote))
    for line in "\n".join(added[:-1]).splitlines():
        assert line == ">" or line.startswith("> ")
        assert "<!--" not in line
    assert added[-1] == f"<!-- prov:sha256:{content_hash(quote)} -->"


@LAW
@given(SPOKEN, st.data())
def test_a_changed_quote_never_verifies(quote: str, data: st.DataObject) -> None:
    """Change any character of the block: either the words are still those that were hashed, or nothing verifies."""
    body = canvas_with(quote)
    start, end = body.index('> "'), body.index("<!-- prov:")
    place = data.draw(st.integers(start, end - 1))
    changed = body[:place] + data.draw(st.sampled_from(["", "x", ">", "\n", "<", '"', "\u0301"])) + body[place + 1 :]
    for entry in registry(changed, []):
        assert not entry["hash_verified"] or entry["hash"] == content_hash(entry["quote_text"])
        assert not entry["hash_verified"] or canonical(entry["quote_text"]) == canonical(quote)


@LAW
@given(SPOKEN, st.integers(0, 63), st.sampled_from("0123456789abcdef"))
def test_a_changed_hash_never_verifies(quote: str, place: int, digit: str) -> None:
    """One digit of the hash decides."""
    digest = content_hash(quote)
    assume(digest[place] != digit)
    body = canvas_with(quote).replace(digest, digest[:place] + digit + digest[place + 1 :])
    assert [entry["hash_verified"] for entry in registry(body, [])] == [False]


@LAW
@given(st.lists(SAID, max_size=6).map("\n".join), st.sampled_from(["```", "~~~", "`````"]))
def test_a_fence_hides_everything(text: str, fence: str) -> None:
    """Nothing in a fence is a quote, whatever it holds, if it does not close the fence."""
    assume(not any(line.strip().startswith(("```", "~~~")) for line in text.replace("\r", "\n").split("\n")))
    assert blockquotes(f"{fence}\n{text}\n> x\n{fence}\n") == []


@LAW
@given(SAID)
def test_any_text_parses(text: str) -> None:
    """No text crashes the parser; every quote has words, and a verified one has a hash that fits."""
    for block in blockquotes(text):
        assert any(line.strip() for line in block.lines)
        assert block.display is not None
    for entry in registry(text, []):
        assert not entry["hash_verified"] or entry["hash"] == content_hash(entry["quote_text"])


@LAW
@given(SAID)
def test_line_ends_do_not_matter(text: str) -> None:
    """CRLF, CR and LF files have the same quotes."""
    lf = text.replace("\r\n", "\n").replace("\r", "\n")
    shapes = [
        [(block.lines, block.declared, block.line) for block in blockquotes(lf.replace("\n", end))]
        for end in ("\n", "\r\n", "\r")
    ]
    assert shapes[0] == shapes[1] == shapes[2]


@LAW
@given(SAID)
def test_escape_is_undone_exactly(text: str) -> None:
    """Escaping loses nothing and leaves no comment open."""
    assert unescape(escape(text)) == text
    assert "<!--" not in escape(text)
