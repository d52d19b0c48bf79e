"""Hints for hashes that do not match."""

from __future__ import annotations

import pytest

from mindloop.observer.canonical import content_hash
from mindloop.observer.provenance.drift import drift_hint


@pytest.mark.parametrize(
    ("shown", "said", "kind"),
    [
        ("don’t", "don't", "apostrophes"),
        ("he said “no”", 'he said "no"', "quote marks"),
        ("wait—what", "wait--what", "dashes"),
        ("wait…", "wait...", "an ellipsis"),
        ("a\u200bb", "ab", "invisible characters"),
        ("“don’t”", '"don\'t"', "quote marks and apostrophes"),
        ("\ufb01ne", "\uff46ine", "compatibility forms of letters"),
    ],
)
def test_typography_is_named(shown: str, said: str, kind: str) -> None:
    """The hint names the record and what differs."""
    records = [{"record_id": "r0", "content_hash": "a" * 64, "text": "other"}, {"record_id": "r1", "text": said}]
    assert drift_hint(shown, records) == (
        f"typographic drift: differs from record r1 only in {kind}; write the quote as the record has it"
    )


@pytest.mark.parametrize(
    ("shown", "said", "kind"),
    [("don’t", "don't", "apostrophes"), ("“don’t…”", '"don\'t..."', "its special characters")],
)
def test_records_without_text_are_tried_by_hash(shown: str, said: str, kind: str) -> None:
    """Plain typography whose hash the index knows is a hint too."""
    hint = drift_hint(shown, [{"record_id": "r1", "content_hash": f"sha256:{content_hash(said)}"}])
    assert hint == (
        f"typographic drift: is record r1 once {kind} are written plainly; write the quote as the record has it"
    )


@pytest.mark.parametrize("said", ["something else", "gm", "GM"])
def test_no_hint(said: str) -> None:
    """Other words, or the same words, give no hint."""
    assert drift_hint("gm", [{"record_id": "r1", "content_hash": content_hash(said), "text": said}]) is None
