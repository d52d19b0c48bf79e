"""The batch file of one run."""

from __future__ import annotations

import pytest

from mindloop.observer.batch.file import compat_problems, parse_batch, render_batch
from mindloop.observer.canonical import content_hash
from mindloop.observer.provenance.quotes import blockquotes, proven_text
from mindloop.store.errors import WrongInput
from mindloop.store.front_matter import parse
from tests.helpers.batches import HASH, MORNING, message, result, skip

WHOLE = """\
---
type: follow-up-batch
generated: '2026-02-14T09:00:00Z'
architecture: rlm-isolated
users:
- alice
total_messages: 1
skipped_users:
- user: 'no'
  reason: no_triggers
verification_summary:
  total_quotes: 3
  verified: 1
  stripped: 2
temporal_summary:
  total_claims: 2
  valid: 0
  stripped: 2
host: claude
runs:
- run: run-1
  at: '2026-02-14T09:00:00Z'
  users:
  - alice
  host: claude
---

# Follow-up Messages: 2026-02-14

## alice

**Canvas**: grimoires/observer/canvas/alice-canvas.md
**Triggers**: H1: checks the rank daily
**Score context**: rank 12, tier devoted, og 41, nft 20, onchain 77
**Verification**: 1/3 quotes verified (orchestrator-validated)
**Host**: claude

### Scary Questions

1. what would make you leave?

### Message 1 (H1: checks the rank daily)

> Anchor quote: "my score feels low"
> <!-- prov:sha256:5adcc5af09049f969dbb8eb5408050ae6b71950d9d965569386658419f1a4dc0 — orchestrator-verified -->
> Token: [FU:75d2f0ef] — append this to the end of the DM when sending

what did you do the day it broke?

---
"""


def test_the_whole_file_to_the_byte():
    """Every key and line of the source document's template, in its order, and the additive ones."""
    one = result(tokens=["75d2f0ef"], total_quotes=3, total_claims=2)
    assert render_batch([one], [skip("no")], MORNING, "run-1") == WHOLE


def test_without_growth_there_is_no_token_line():
    """Where growth is off nothing in the file speaks of tokens."""
    assert "Token" not in render_batch([result()], [], MORNING, "run-1")


def test_when_everyone_is_skipped_the_file_says_so():
    """The batch is written, empty, with the reasons."""
    text = render_batch([], [skip("bob"), skip("eve", "score_api_error")], MORNING, "run-1")
    meta, body = parse(text)
    assert (meta["users"], meta["total_messages"]) == ([], "0")
    assert meta["skipped_users"] == [skip("bob"), skip("eve", "score_api_error")]
    assert body.strip().split("\n")[-1].startswith("No messages today")
    assert compat_problems(text) == []


def test_a_user_whose_messages_were_all_stripped_counts_in_the_sums_only():
    """Stripped anchors of a user without messages are part of the summary; there is no section."""
    gone = result("bob", messages=[], total_quotes=2)
    meta, body = parse(render_batch([gone], [skip("bob", "all_content_stripped")], MORNING, "run-1"))
    assert meta["verification_summary"] == {"total_quotes": "2", "verified": "0", "stripped": "2"}
    assert meta["skipped_users"] == [skip("bob", "all_content_stripped")]
    assert "## bob" not in body


def test_a_rehearsal_says_so_loudly():
    """Under the title and at the user: nobody sends what no model wrote."""
    text = render_batch([result(host="rehearsal")], [], MORNING, "run-1")
    assert "# Follow-up Messages: 2026-02-14\n\n> **REHEARSAL, do not send.**" in text
    assert "\n**Host**: rehearsal\n" in text
    assert "\nhost: rehearsal\n" in text


def test_the_anchor_is_proved_by_the_quote_parser():
    """The anchor of a batch file verifies like a quote of a canvas, whatever it holds."""
    quote = 'she said "no --> <!-- never" &lt; 3\nand left'
    anchored = message(anchor_quote_text=quote, anchor_quote_hash=content_hash(quote))
    text = render_batch([result(messages=[anchored], tokens=["75d2f0ef"])], [], MORNING, "run-1")
    block = blockquotes(parse(text)[1])[0]
    assert block.declared == content_hash(quote)
    assert proven_text(block) == 'she said "no --> <!-- never" &lt; 3 and left'


def test_a_comment_in_a_body_marks_nothing():
    """A message cannot bring a provenance comment that a reader would count."""
    text = render_batch([result("alice", f"<!-- prov:sha256:{HASH} -->", tokens=["75d2f0ef"])], [], MORNING, "run-1")
    assert [block.declared for block in blockquotes(parse(text)[1])] == [HASH, None]


def test_a_hostile_answer_changes_no_structure():
    """Headings, rules, quotes, tokens and comments in every field leave one section with one message."""
    evil = 'x\n---\n\n## bob\n\n**Canvas**: b\n### Message 7 (y)\n\n> Anchor quote: "z"\n> Token: [FU:deadbeef]'
    bad = result(
        "alice",
        triggers=[{"kind": "gap", "hypothesis_id": None, "text": evil}],
        score_line=evil,
        scary_questions=[evil],
        messages=[message(evil, hypothesis_or_trigger=evil, anchor_quote_text=evil)],
        canvas="grimoires/observer/canvas/a\n## bob.md",
    )
    text = render_batch([bad], [], MORNING, "run-1")
    parsed = parse_batch(text)
    assert compat_problems(text) == []
    assert [(part["user"], len(part["messages"])) for part in parsed["sections"]] == [("alice", 1)]
    assert parsed["sections"][0]["messages"][0]["message_body"] == evil
    assert parsed["sections"][0]["messages"][0]["token"] is None


def test_one_user_given_twice_counts_once():
    """The first answer of a user is the one that is written."""
    parsed = parse_batch(render_batch([result("alice", "a"), result("Alice", "b")], [], MORNING, "run-1"))
    assert [part["user"] for part in parsed["sections"]] == ["alice"]
    assert (parsed["users"], parsed["total_messages"]) == (["alice"], 1)


@pytest.mark.parametrize("changes", [{"tokens": ["xyz"]}, {"tokens": ["DEADBEEF"]}, {"tokens": ["deadbeef\n"]}])
def test_a_token_of_another_shape_is_refused(changes):
    """A token is eight hex digits or the file is not written."""
    with pytest.raises(WrongInput, match="8 lowercase hexadecimal digits"):
        render_batch([result(**changes)], [], MORNING, "run-1")


def test_an_anchor_without_a_hash_is_refused():
    """Nothing unverifiable reaches the file."""
    with pytest.raises(WrongInput, match="64 hexadecimal digits"):
        render_batch([result(messages=[message(anchor_quote_hash="PLACEHOLDER")])], [], MORNING, "run-1")


def test_two_thousand_users_are_one_file():
    """A large batch keeps every user and every message."""
    text = render_batch([result(f"user{number}", "a", "b") for number in range(2000)], [], MORNING, "run-1")
    parsed = parse_batch(text)
    assert (len(parsed["sections"]), parsed["total_messages"]) == (2000, 4000)
