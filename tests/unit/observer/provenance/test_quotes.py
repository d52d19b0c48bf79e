"""Quotes: which text a provenance comment proves, in every form that canvases have."""

from __future__ import annotations

import pytest

from mindloop.observer.canonical import EMPTY_HASH, content_hash
from mindloop.observer.provenance.quotes import registry

SAID = "the og score feels low"
HASH = content_hash(SAID)
MARK = f"<!-- prov:sha256:{HASH} -->"


def proven(body: str) -> list[str]:
    return [quote["quote_text"] for quote in registry(body, []) if quote["hash_verified"]]


FORMS = {
    "template": f'> "{SAID}"\n> — discord, 2026-02-11\n{MARK}\n',
    "bare": f"> {SAID}\n{MARK}\n",
    "no space after the marker": f">{SAID}\n{MARK}\n",
    "indented marker": f"   > {SAID}\n{MARK}\n",
    "one blank line before the comment": f"> {SAID}\n\n{MARK}\n",
    "inline attribution": f'> "{SAID}" — dm, 2026-02-11\n{MARK}\n',
    "inline attribution with quote marks": f'> "{SAID}" — in "general", today\n{MARK}\n',
    "inside the block": f'> "{SAID}"\n> {MARK}\n',
    "same line": f'> "{SAID}" {MARK}\n',
    "inside, after a paragraph break": f"> {SAID}\n>\n> {MARK}\n",
    "batch file": f'> Anchor quote: "{SAID}"\n> <!-- prov:sha256:{HASH} — orchestrator-verified -->\n',
    "upper-case hash": f"> {SAID}\n<!-- prov:sha256:{HASH.upper()} -->\n",
    "no blanks in the comment": f"> {SAID}\n<!--prov:sha256:{HASH}-->\n",
    "smart marks": f"> “{SAID}”\n> – dm\n{MARK}\n",
    "single smart marks": f"> ‘{SAID}’\n> ― dm\n{MARK}\n",
    "single marks": f"> '{SAID}'\n> -- dm\n{MARK}\n",
    "guillemets": f"> «{SAID}»\n{MARK}\n",
    "low marks": f"> „{SAID}“\n{MARK}\n",
    "corner brackets": f"> 「{SAID}」\n{MARK}\n",
    "several lines": f"> the og score\n> feels low\n{MARK}\n",
    "several paragraphs": f'> "the og score\n>\n> feels low"\n> — dm\n{MARK}\n',
    "nested reply": f"> > {SAID}\n{MARK}\n",
    "case and spacing": f"> The  OG\u00a0score feels LOW\n{MARK}\n",
    "crlf": f'> "{SAID}"\r\n> — dm\r\n{MARK}\r\n',
    "lone cr": f'> "{SAID}"\r> — dm\r{MARK}\r',
    "no final newline": f"> {SAID}\n{MARK}",
    "two attributions": f'> "{SAID}"\n> — bob\n> — dm, 2026-02-11\n{MARK}\n',
    "entities": f'> "{SAID}"\n> — a &lt;!-- b\n{MARK}\n',
    "below an open bracket": f"text\n\n> {SAID}\n{MARK}\n",
}


@pytest.mark.parametrize("body", FORMS.values(), ids=FORMS.keys())
def test_forms_that_prove(body: str) -> None:
    """Each way to write a quote leads to exactly one verified entry with the words that were hashed."""
    entries = registry(body, [])
    assert [(entry["hash"], entry["hash_verified"]) for entry in entries] == [(HASH, True)]
    assert content_hash(entries[0]["quote_text"]) == HASH


UNPROVEN = {
    "before the quote": f"{MARK}\n> {SAID}\n",
    "two blank lines": f"> {SAID}\n\n\n{MARK}\n",
    "text between": f"> {SAID}\ntext\n{MARK}\n",
    "text before it on its line": f"> {SAID}\nsee {MARK}\n",
    "placeholder": f"> {SAID}\n<!-- prov:sha256:PLACEHOLDER -->\n",
    "placeholder and then a hash": f"> {SAID}\n<!-- prov:PLACEHOLDER -->\n{MARK}\n",
    "short": f"> {SAID}\n<!-- prov:sha256:{HASH[:63]} -->\n",
    "long": f"> {SAID}\n<!-- prov:sha256:{HASH}0 -->\n",
    "not hex": f"> {SAID}\n<!-- prov:sha256:{'g' * 64} -->\n",
    "not closed": f"> {SAID}\n<!-- prov:sha256:{HASH}\n",
    "escaped": f"> {SAID}\n&lt;!-- prov:sha256:{HASH} -->\n",
    "fenced": f"```\n> {SAID}\n{MARK}\n```\n",
    "fenced with tildes": f"~~~ md\n> {SAID}\n{MARK}\n~~~\n",
    "fence between": f"> {SAID}\n```\n```\n{MARK}\n",
    "indented code": f"    > {SAID}\n{MARK}\n",
    "lazy continuation": f"> the og score\nfeels low\n{MARK}\n",
    "observe marker": f"> {SAID} `[prov:prov-12]`\n",
    "tampered": f"> the og score feels high\n{MARK}\n",
    "empty": f"> \n<!-- prov:sha256:{EMPTY_HASH} -->\n",
    "empty marks": f'> ""\n<!-- prov:sha256:{EMPTY_HASH} -->\n',
}


@pytest.mark.parametrize("body", UNPROVEN.values(), ids=UNPROVEN.keys())
def test_forms_that_do_not_prove(body: str) -> None:
    """Nothing is verified where no comment belongs to the quote or the words were changed."""
    assert proven(body) == []


def test_two_quotes_without_a_blank_line() -> None:
    """A comment in the block ends the quote; the next line starts another one."""
    other = content_hash("gm")
    body = f'> "{SAID}"\n> {MARK}\n> "gm" <!-- prov:sha256:{other} -->\n> tail\n'
    entries = registry(body, [])
    assert [(entry["quote_text"], entry["hash_verified"]) for entry in entries] == [
        (SAID, True),
        ("gm", True),
        ("tail", False),
    ]


def test_same_quote_twice_is_one_entry() -> None:
    """A verified hash occurs once, with the text that came first."""
    shouted = SAID.upper()
    body = f"> {shouted}\n{MARK}\n\n> {SAID}\n{MARK}\n"
    assert [entry["quote_text"] for entry in registry(body, [])] == [shouted]


def test_a_tampered_copy_stays_visible() -> None:
    """A changed quote under a good hash is an unverified entry beside the verified one."""
    body = f"> {SAID}\n{MARK}\n\n> {SAID}!\n{MARK}\n"
    assert [entry["hash_verified"] for entry in registry(body, [])] == [True, False]


def test_unmarked_quote() -> None:
    """A quote without a comment has no hash, no confidence and no claim."""
    assert registry('> "gm" — dm\n', []) == [
        {
            "quote_text": "gm",
            "hash": None,
            "hash_verified": False,
            "confidence": "unknown",
            "source_timestamp": None,
            "in_index": False,
        }
    ]


@pytest.mark.parametrize("note", ["> **Enrichment insight**: x", "> Note: Score API was down", "> Skeleton hypotheses"])
def test_notes_are_quotes_without_a_hash(note: str) -> None:
    """Insight blocks of other skills fall out by having no comment."""
    assert [entry["hash"] for entry in registry(note, [])] == [None]


def test_unproven_display_is_undecorated() -> None:
    """A mismatch shows the words without marks and attribution; inner marks stay."""
    body = f'> "he said "no" today"\n> — dm\n{MARK}\n\n> he said "no" loudly\n'
    assert [entry["quote_text"] for entry in registry(body, [])] == ['he said "no" today', 'he said "no" loudly']


def test_index_gives_confidence_and_time() -> None:
    """The registry takes confidence and timestamp from the user's record."""
    record = {
        "content_hash": f"sha256:{HASH.upper()}",
        "source_timestamp": "2026-02-11T14:23:00Z",
        "source_timestamp_confidence": "exact",
    }
    entry = registry(FORMS["template"], [record])[0]
    assert (entry["confidence"], entry["source_timestamp"], entry["in_index"]) == (
        "exact",
        "2026-02-11T14:23:00Z",
        True,
    )


def test_of_several_records_the_surest_then_the_earliest_counts() -> None:
    """Confidence decides first, the earlier instant second, whatever the offset it is written in."""
    rows = [
        ("unknown", None),
        ("day_level", "2026-02-01"),
        ("exact", "2026-02-11T02:00:00+03:00"),
        ("exact", "2026-02-11T00:00:00Z"),
    ]
    records = [
        {"content_hash": HASH, "source_timestamp": stamp, "source_timestamp_confidence": sure} for sure, stamp in rows
    ]
    entry = registry(FORMS["template"], records)[0]
    assert (entry["confidence"], entry["source_timestamp"]) == ("exact", "2026-02-11T02:00:00+03:00")


def test_foreign_confidence_is_unknown() -> None:
    """A confidence that is none of ours counts as unknown."""
    record = {"content_hash": HASH, "source_timestamp": None, "source_timestamp_confidence": "certain"}
    assert registry(FORMS["template"], [record])[0]["confidence"] == "unknown"


def test_without_a_record_the_quote_is_verified_unless_strict() -> None:
    """The literal rule verifies by hash alone; the strict switch asks for the index too."""
    known = [{"content_hash": HASH}]
    found = [
        [entry["hash_verified"] for entry in registry(FORMS["template"], records, strict=strict)]
        for records in ([], known)
        for strict in (False, True)
    ]
    assert found == [[True], [False], [True], [True]]


def test_hostile_lines_stay_cheap() -> None:
    """A megabyte of comment openings, of comments or of marks in one line is read in one pass."""
    openings = "> " + f"<!-- prov:sha256:{'a' * 64} " * 12_000
    comments = "> " + f"x<!-- prov:sha256:{'a' * 64} -->" * 12_000
    marks = f"> {'“' * 500_000}\n{MARK}\n"
    assert [len(registry(body, [])) for body in (openings, comments, marks)] == [1, 12_000, 1]
