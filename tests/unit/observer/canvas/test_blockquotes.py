"""Finding quotes on a canvas, and the readings of each."""

from __future__ import annotations

import pytest

from mindloop.observer.canonical import content_hash
from mindloop.observer.canvas.blockquotes import blockquotes
from mindloop.observer.escaping import escape, unescape

SAID = "the og score feels low"
HASH = content_hash(SAID)
MARK = f"<!-- prov:sha256:{HASH} -->"


def test_one_comment_serves_one_quote() -> None:
    """The second quote above a comment gets it, the first does not, and no later one."""
    body = f"> {SAID}\n\n> {SAID}\n{MARK}\n\n> {SAID}\n"
    assert [quote.declared for quote in blockquotes(body)] == [None, HASH, None]


def test_a_comment_without_words_serves_nobody() -> None:
    """A second comment in a row proves nothing."""
    assert [quote.declared for quote in blockquotes(f"> {MARK}\n> x\n")] == [None]


@pytest.mark.parametrize(
    "text", ["<!-- a -->", "&lt;!--", "&amp;lt;", "a & b &amp; c &quot;", "<!<!--", "&", "&lt", "&&gt;", "plain"]
)
def test_escape_and_back(text: str) -> None:
    """Escaping opens no comment and loses nothing."""
    assert (unescape(escape(text)), "<!--" in escape(text)) == (text, False)


def test_line_numbers() -> None:
    """A quote knows the line where it starts."""
    assert [quote.line for quote in blockquotes("# x\r\n\r\n> a\r\n> b\r\n\r\ntext\n> c\n")] == [3, 7]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("> gm", ("gm",)),
        ('> "gm"', ('"gm"', "gm")),
        ('> "gm" — dm', ('"gm" — dm', "gm")),
        ("> gm\n> — dm", ("gm\n— dm", "gm")),
        ("> — dm", ("— dm",)),
        ("> > gm > x", ("> gm > x", "gm > x")),
        ("> a &lt;!-- b", ("a &lt;!-- b", "a <!-- b")),
        ('> he "says" no', ('he "says" no', "says")),
    ],
)
def test_readings(body: str, expected: tuple[str, ...]) -> None:
    """A block offers what may have been hashed, the most literal first, each once."""
    assert [block.candidates for block in blockquotes(body)] == [expected]


@pytest.mark.parametrize(
    ("body", "display"),
    [
        ('> "gm"\n> — dm', "gm"),
        ('> "gm" — dm', "gm"),
        ('> he "says" no', 'he "says" no'),
        ("> a\n>\n> b", "a\n\nb"),
        ("> a &lt;!-- b", "a <!-- b"),
    ],
)
def test_display(body: str, display: str) -> None:
    """A quote is shown without its decoration, never cut to what its inner marks enclose."""
    assert [block.display for block in blockquotes(body)] == [display]
