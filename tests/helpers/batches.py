"""Validated answers as the batch writer gets them, with only what a test cares about spelled out."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mindloop.observer.types import Claim, Message, SkippedUser, UserResult

HASH = "5adcc5af09049f969dbb8eb5408050ae6b71950d9d965569386658419f1a4dc0"
MORNING = datetime(2026, 2, 14, 9, 0, tzinfo=UTC)
EVENING = datetime(2026, 2, 14, 21, 30, tzinfo=UTC)


def message(body: str = "what did you do the day it broke?", **changes: object) -> Message:
    """One message on a verified quote."""
    claims: list[Claim] = []
    made: Message = {
        "hypothesis_or_trigger": "H1: checks the rank daily",
        "anchor_quote_hash": HASH,
        "anchor_quote_text": "my score feels low",
        "message_body": body,
        "temporal_claims": claims,
    }
    return {**made, **changes}  # type: ignore[typeddict-item]  # a test may spoil a field


def result(user: str = "alice", *bodies: str, **changes: object) -> UserResult:
    """One user's validated answer, one message a body."""
    messages = [message(body) for body in bodies or ("what did you do the day it broke?",)]
    made: UserResult = {
        "user": user,
        "slug": "alice",
        "canvas": f"grimoires/observer/canvas/{user}-canvas.md",
        "triggers": [{"kind": "hypothesis", "hypothesis_id": "H1", "text": "H1: checks the rank daily"}],
        "score_line": "rank 12, tier devoted, og 41, nft 20, onchain 77",
        "scary_questions": ["what would make you leave?"],
        "messages": messages,
        "tokens": [],
        "total_quotes": len(messages),
        "total_claims": 0,
        "host": "claude",
    }
    return {**made, **changes}  # type: ignore[typeddict-item]  # a test may spoil a field


def skip(user: str, reason: str = "no_triggers") -> SkippedUser:
    """One user without messages."""
    return {"user": user, "reason": reason}
