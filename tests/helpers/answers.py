"""Quotes, packets and answers for tests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mindloop.observer.canonical import content_hash
from mindloop.observer.packet.prompt import PacketParts

if TYPE_CHECKING:
    from mindloop.observer.types import AnswerCase, Quote, TemporalEntry

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


def case(**changed: Any) -> AnswerCase:
    values: dict[str, Any] = {
        "user": "bob",
        "registry": [quote(), quote(OTHER_SAID)],
        "temporal": {HASH: allowed(), OTHER_HASH: denied()},
        "fears": None,
    }
    return values | changed  # type: ignore[return-value]


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
