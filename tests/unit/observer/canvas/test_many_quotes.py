"""Many quotes in one insertion, and notes on what they are worth."""

from __future__ import annotations

import pytest

from mindloop.observer.canonical import content_hash
from mindloop.observer.canvas.blockquotes import blockquotes
from mindloop.observer.canvas.edit import insert_quote, insert_quotes, new_canvas, note_values, quote_lines

HEAD = "---\nuser: bob\n---\n"


def lines(text: str) -> list[str]:
    return quote_lines(text, "Discord DM, 2026-02-11", content_hash(text))


def test_many_are_as_one_after_the_other() -> None:
    """Inserting all at once gives the file that inserting each in turn gives."""
    text = one_by_one = new_canvas("bob", None, "2026-02-11T00:00:00Z", "ingest-dm")
    words = ["gm", "a\n> b\n# c", "<!-- x -->", 'he said "no"']
    for quote in words:
        one_by_one = insert_quote(one_by_one, lines(quote))
    text = insert_quotes(text, [lines(quote) for quote in words])
    assert text == one_by_one
    assert [one.declared for one in blockquotes(text)] == [content_hash(quote) for quote in words]
    assert "enrichment_trigger: ingest-dm\n" in text


def test_no_quotes_change_nothing() -> None:
    """Without quotes not even the section is added."""
    assert insert_quotes(HEAD, []) == HEAD


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", [True, False])
def test_a_value_stands_below_the_proof(end: str, last: bool) -> None:
    """The note comes on the line after the comment, in the file's own line ends, and a new one replaces it."""
    proof = f"<!-- prov:sha256:{content_hash('gm')} -->"
    before = end.join(["---", "user: bob", "---", "> gm", proof]) + ("" if last else end)
    noted = note_values(before, {content_hash("gm"): "high"})
    assert noted == before.replace(proof, f"{proof}{end}<!-- value:high -->")
    assert note_values(noted, {content_hash("gm"): "high"}) == noted
    assert note_values(noted, {content_hash("gm"): "medium"}) == noted.replace("high", "medium")
    assert note_values(noted, {content_hash("gm"): "medium"}, replace=False) == noted


def test_only_what_is_proven_is_noted() -> None:
    """Unknown hashes, comments in a fence and comments inside a quote are left alone."""
    digest = content_hash("gm")
    text = f"{HEAD}```\n<!-- prov:sha256:{digest} -->\n```\n> gm\n> <!-- prov:sha256:{digest} -->\n"
    assert note_values(text, {digest: "high", "f" * 64: "high"}) == text
