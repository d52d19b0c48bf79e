"""The backward compatibility contract, row by row."""

from __future__ import annotations

import pytest

from mindloop.observer.batch.file import compat_problems, render_batch
from tests.helpers.batches import MORNING, result, skip

GOOD = render_batch([result("alice", "a", "b"), result("bob")], [skip("eve")], MORNING, "run-1")
OLD = GOOD.replace("architecture: rlm-isolated\n", "").replace("host: claude\nruns:", "runs:")


def test_what_we_write_holds_every_row():
    """A file of ours, and one without the later keys, have no problems."""
    rel = "grimoires/observer/follow-ups/2026-02-14.md"
    assert compat_problems(GOOD, rel) == compat_problems(OLD, rel) == []


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("type: follow-up-batch", "type: batch", "type is 'batch'; expected 'follow-up-batch'"),
        ("generated: '2026-02-14T09:00:00Z'\n", "", "the key generated is missing"),
        ("generated: '2026-02-14T09:00:00Z'", "generated: soon", "generated is 'soon'; expected an ISO 8601 instant"),
        ("users:\n- alice\n- bob\n", "", "the key users is missing"),
        ("total_messages: 3\n", "", "the key total_messages is missing"),
        ("total_messages: 3", "total_messages: 4", "total_messages is 4, the file holds 3"),
        ("## bob", "## bobby", "the section 'bobby' is of nobody in users"),
        ("## bob", "## alice", "'alice' has more than one section"),
        ("## bob", "# bob", "'bob' is in users and has no section"),
        ("**Canvas**: grimoires/observer/canvas/bob", "Canvas: ", "the section of 'bob' has no **Canvas**: line"),
        ("**Triggers**: H1", "Triggers: H1", "the section of 'alice' has no **Triggers**: line"),
        (
            "### Message 2 (H1: checks the rank daily)",
            "### Message 2",
            "'alice': '### Message 2' is not '### Message N",
        ),
        ("### Message 2", "### Message 1", "'alice' has two messages 1"),
        ("> Anchor quote:", "> Quote:", "'alice', message 1: no '> Anchor quote:' follows the heading"),
        ("  stripped: 0\ntemporal", "  stripped: 1\ntemporal", "total_quotes is not verified + stripped"),
        ("  valid: 0", "  valid: 1", "total_claims is not valid + stripped"),
        ("  reason: no_triggers\n", "", "every item needs the text fields user, reason"),
        ("type: follow", "type: [follow", "line"),
    ],
)
def test_each_broken_row_is_named(old, new, problem):
    """One change that a consumer would stumble over, one sentence about it."""
    assert old in GOOD
    problems = compat_problems(GOOD.replace(old, new, 1))
    assert [text for text in problems if problem in text] != []


@pytest.mark.parametrize("rel", ["follow-ups/2026-02-14-synthesis.md", "follow-ups/2026-02-30.md", "2026-02-14.md"])
def test_the_path_is_part_of_the_contract(rel):
    """A batch lies in follow-ups under the name of its day."""
    assert compat_problems(GOOD, rel) == [f"the path is {rel}; expected …/follow-ups/YYYY-MM-DD.md"]
