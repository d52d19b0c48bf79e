"""Reading batch files."""

from __future__ import annotations

import pytest

from mindloop.observer.batch.parse import batch_meta, number, parse_batch, parse_section, sections, text_list
from mindloop.store.errors import Malformed, WrongInput

OLD = """\
---
type: follow-up-batch
generated: "2026-01-20T10:00:00Z"
users: [Xabbu, papa-flavio]
total_messages: 1
---

# Follow-up Messages: 2026-01-20

## Xabbu

**Canvas**: grimoires/observer/canvas/xabbu-canvas.md
**Triggers**: H3 unvalidated

### Message 1 (H3: Customize profile)

> Anchor quote: "i check it daily"

hey, last time you said daily. what did you look at yesterday?

---
"""


def test_a_file_from_before_the_later_keys_is_read():
    """Keys that came later are absent and count as nothing."""
    parsed = parse_batch(OLD)
    assert (parsed["users"], parsed["total_messages"], parsed["host"]) == (["Xabbu", "papa-flavio"], 1, "")
    assert parsed["verification_summary"] == {"total_quotes": 0, "verified": 0, "stripped": 0}
    assert parsed["sections"] == [
        {
            "user": "Xabbu",
            "canvas": "grimoires/observer/canvas/xabbu-canvas.md",
            "triggers": "H3 unvalidated",
            "score_line": "",
            "host": "",
            "verified": 0,
            "total_quotes": 0,
            "scary_questions": [],
            "messages": [
                {
                    "number": 1,
                    "hypothesis_or_trigger": "H3: Customize profile",
                    "anchor_quote_text": "i check it daily",
                    "anchor_quote_hash": None,
                    "token": None,
                    "message_body": "hey, last time you said daily. what did you look at yesterday?",
                }
            ],
        }
    ]


def test_windows_line_ends_and_a_byte_order_mark_change_nothing():
    """A file that went through another editor reads the same."""
    assert parse_batch("\ufeff" + OLD.replace("\n", "\r\n")) == parse_batch(OLD)


def test_a_section_ends_at_the_next_heading_of_its_level():
    """Third-level headings are part of it, the next second-level one is not."""
    text = "# t\n\n## bob\nx\n### Message 1 (a)\n##nospace\ny\n## bobby\nz"
    assert [(part.name, text[part.start : part.end]) for part in sections(text)] == [
        ("bob", "## bob\nx\n### Message 1 (a)\n"),
        ("", "##nospace\ny\n"),
        ("bobby", "## bobby\nz"),
    ]


def test_a_long_line_of_blanks_is_read_in_linear_time():
    """A hostile heading of a megabyte is only long."""
    text = "## a" + " " * 1_000_000 + "b\n"
    assert len(sections(text)[0].name) == 1_000_002


def test_the_type_decides():
    """A synthesis file, or no front matter at all, is no batch."""
    for text in ("---\ntype: follow-up-synthesis\n---\n", "# hi\n"):
        with pytest.raises(WrongInput, match="is no follow-up batch"):
            batch_meta(text)


@pytest.mark.parametrize("value", ["-1", "1.5", "many", None, "1" * 10, "²"])
def test_a_count_is_a_whole_number(value):
    """Anything else is refused with its key."""
    with pytest.raises(Malformed, match="total_messages"):
        number(value, "total_messages")


@pytest.mark.parametrize("value", ["bob", ["bob", None], {"bob": "x"}, [["bob"]]])
def test_users_are_a_list_of_texts(value):
    """A broken list is refused, not guessed at."""
    with pytest.raises(Malformed, match="users"):
        text_list({"users": value}, "users")


def test_a_number_that_does_not_fit_is_no_message():
    """A heading with an absurd number does not become a message."""
    assert parse_section("bob", "## bob\n\n### Message 12345678901234 (x)\n")["messages"] == []
