"""Quotes, packets and answers for tests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mindloop.observer.canonical import content_hash
from mindloop.observer.packet.prompt import PacketParts
from mindloop.protocol.step import Done, Skip
from mindloop.protocol.walk import walk
from mindloop.skills.follow_up.case import Answered
from mindloop.skills.follow_up.table import FOLLOW_UP

if TYPE_CHECKING:
    from mindloop.observer.answer.parse import Answer
    from mindloop.observer.types import Quote, TemporalEntry

SAID = "og score feels low"
HASH = content_hash(SAID)
OTHER_SAID = "i stopped checking the board"
OTHER_HASH = content_hash(OTHER_SAID)
UNKNOWN_HASH = "0f" * 32


def quote(text: str = SAID, *, verified: bool = True, **changed: Any) -> Quote:
    return {
        "quote_text": text,
        "hash": content_hash(text),
        "hash_verified": verified,
        "confidence": "exact",
        "source_timestamp": "2026-02-11T14:23:00Z",
        "in_index": True,
        **changed,
    }


def allowed(ref: str = "CHRON-20260210-001", name: str = "v2.0.0 profile pages") -> TemporalEntry:
    return {"version_attribution_allowed": True, "chronicle_ref": ref, "release_name": name}


def denied(reason: str = "insufficient_confidence") -> TemporalEntry:
    return {"version_attribution_allowed": False, "reason": reason}


def parts(**changed: Any) -> PacketParts:
    values: dict[str, Any] = {
        "user": "bob",
        "canvas_basename": "bob-canvas.md",
        "canvas_body": "# bob Canvas\n\n> og score feels low\n",
        "score_snapshot": '{"rank": 12}',
        "quotes": [quote()],
        "temporal": {HASH: allowed()},
        "chronicle": "v2.0.0 profile pages, 2026-02-10",
        "prior": "",
    }
    return PacketParts(**(values | changed))


def case(**changed: Any) -> dict[str, Any]:
    """What of a dossier an answer is checked against."""
    values: dict[str, Any] = {
        "user": "bob",
        "registry": [quote(), quote(OTHER_SAID)],
        "temporal": {HASH: allowed(), OTHER_HASH: denied()},
        "fears": None,
    }
    return values | changed


def claim(**changed: Any) -> dict[str, Any]:
    return {
        "claim_text": "since v2.0.0 shipped",
        "backing_quote_hash": f"sha256:{HASH}",
        "chronicle_ref": "CHRON-20260210-001",
    } | changed


def message(**changed: Any) -> dict[str, Any]:
    return {
        "hypothesis_or_trigger": "H3: Customize profile",
        "anchor_quote_hash": f"sha256:{HASH}",
        "anchor_quote_text": SAID,
        "message_body": "what did you do the last time it felt low?",
        "temporal_claims": [],
    } | changed


def answer(*messages: Any, **changed: Any) -> str:
    """A writer's answer as JSON, one good message unless told otherwise."""
    record = {
        "user": "bob",
        "scary_questions": ["did you give up on it?"],
        "messages": list(messages) if messages else [message()],
        "quotes_used": [f"sha256:{HASH}"],
        "skip_reason": None,
    }
    return json.dumps(record | changed)


def checked(raw: str, dossier: dict[str, Any]) -> Answer:
    """Take a raw answer through the very steps that a run takes it through, and return what is left of it.

    All but 4a.1 and 4a.2, which look at the user and not at the answer.
    """
    one = Answered(dossier, raw, "a test")
    steps = tuple(step for step in FOLLOW_UP.lane(start="4a") if step.id not in ("4a.1", "4a.2"))
    outcome = walk(steps, None, {}, one).outcome
    assert isinstance(outcome, Done | Skip)
    reason = outcome.reason if isinstance(outcome, Skip) else None
    assert reason == one.answer.skip_reason, outcome
    return one.answer


def anchors(made: Answer) -> list[str]:
    """The anchors of the messages, each once, in order."""
    return list(dict.fromkeys(one["anchor_quote_hash"] for one in made.messages))


def claims_left(made: Answer) -> int:
    """How many claims the messages still have."""
    return sum(len(one["temporal_claims"]) for one in made.messages)
