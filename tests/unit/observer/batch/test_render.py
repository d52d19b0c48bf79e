"""The pieces of a user's section."""

from __future__ import annotations

import pytest

from mindloop.observer.batch import render as batch_render
from tests.helpers.batches import message, result


@pytest.mark.parametrize(("total", "expected"), [(0, (2, 2)), (2, (2, 2)), (5, (2, 5))])
def test_the_total_is_never_below_what_survived(total, expected):
    """Verified plus stripped is the total, also where the caller counted too low."""
    assert batch_render.counts(result("alice", "a", "b", total_quotes=total)) == expected


def test_valid_claims_are_those_that_are_left_on_messages():
    """Claims count on surviving messages only."""
    claim = {"claim_text": "since v2", "backing_quote_hash": "a" * 64, "chronicle_ref": "R2"}
    one = result(messages=[message(temporal_claims=[claim, claim]), message()], total_claims=3)
    assert batch_render.claim_counts(one) == (2, 3)


def test_metadata_adds_up_with_what_is_there():
    """Later messages raise the count of the section; a host is named once."""
    lines = batch_render.metadata(result(total_quotes=2), (3, 4), "rehearsal, claude")
    assert lines[3:] == [
        "**Verification**: 4/6 quotes verified (orchestrator-validated)",
        "**Host**: rehearsal, claude",
    ]


def test_several_triggers_stand_on_one_line():
    """Each trigger is folded to a line of text."""
    triggers = [
        {"kind": "gap", "hypothesis_id": None, "text": text} for text in ("gap: A\n## x", "promise of <!-- May")
    ]
    assert batch_render.metadata(result(triggers=triggers))[1] == ("**Triggers**: gap: A ## x; promise of &lt;!-- May")


def test_an_empty_heading_gets_a_plain_one():
    """The contract wants text in the brackets."""
    text = batch_render.messages(result(messages=[message(hypothesis_or_trigger=" \n# ")], scary_questions=[]), 1, 1)
    assert text.startswith("### Message 1 (follow-up)\n\n> Anchor quote: ")


def test_fewer_tokens_than_messages_mark_the_first_ones():
    """A message without a token has no token line."""
    text = batch_render.messages(result("alice", "a", "b", tokens=["75d2f0ef"]), 1, 1)
    assert text.count("> Token: [FU:75d2f0ef] — append this to the end of the DM when sending") == 1
