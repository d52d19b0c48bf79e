"""One message of a batch, found by its token in its user's section."""

from __future__ import annotations

import pytest

from mindloop.observer.batch.sent import sent_text
from mindloop.store.errors import WrongInput

BATCH = """---
type: follow-up-batch
generated: "2026-02-14T09:30:00Z"
users: [bob, bobby]
total_messages: 2
---

# Follow-up Messages: 2026-02-14

## bob

### Message 1 (H1: trust)

> Anchor quote: "gm"
> Token: [FU:00000001] — append this

did you look?

## not a heading of a user

---

## bobby

### Message 1 (H1: trust)

> Anchor quote: "gm"
> Token: [FU:00000002] — append this

why?

---
"""


@pytest.mark.parametrize(
    ("user", "token", "text"),
    [
        ("bob", "00000001", "did you look?"),
        ("@BOB", "00000001", "did you look?"),
        ("bobby", "00000002", "why?"),
        ("bob", "00000002", None),
        ("carol", "00000001", None),
    ],
)
def test_a_message_is_found_in_its_users_section_only(user: str, token: str, text: str | None) -> None:
    """A token of somebody else's section finds nothing."""
    assert sent_text(BATCH, user, token) == text
    assert sent_text(BATCH.replace("\n", "\r\n"), user, token) == text


def test_what_is_no_batch_is_refused() -> None:
    """A synthesis lies in the same folder."""
    with pytest.raises(WrongInput):
        sent_text("---\ntype: follow-up-synthesis\n---\n", "bob", "00000001")
