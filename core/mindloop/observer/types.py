"""Shapes of the records that travel between the observer's modules.

Only type checkers import this module: at run time the records are plain dicts, so that a command does not pay for
``typing`` (a third of the start-up of Python).
"""

from __future__ import annotations

from typing import Literal, TypedDict

Confidence = Literal["exact", "day_level", "inferred", "unknown"]


class ProvenanceRecord(TypedDict, total=False):
    """One line of the provenance index (spec 1.3). Unknown fields survive a round trip."""

    record_id: str
    content_hash: str  # 64 lowercase hex digits
    normalization_version: int
    source_type: str
    source_timestamp: str | None  # RFC 3339, UTC
    source_timestamp_raw: str | None
    source_timestamp_confidence: str
    canvas_target: str
    raw_source_ref: str
    ingested_by: str
    ingested_at: str
    thread_id: str | None
    message_index: int | None
    parent_hash: str | None
    text: str


class Quote(TypedDict):
    """One entry of a user's quote registry (source document, step 2d)."""

    quote_text: str
    hash: str | None  # bare 64 hex digits
    hash_verified: bool
    confidence: str
    source_timestamp: str | None
    in_index: bool


class Trigger(TypedDict):
    """Why a user qualifies for a follow-up (step 2b)."""

    kind: Literal["hypothesis", "promise", "feedback", "gap"]
    hypothesis_id: str | None  # "H3"
    text: str  # one line, shown in the batch's **Triggers** line


class Release(TypedDict):
    """One released version from the chronicle (spec 1.4)."""

    id: str
    taxonomy: str
    title: str
    start: str  # RFC 3339, UTC
    end: str | None
    confidence: str | None
    source: str  # workspace-relative path of the entry


class TemporalEntry(TypedDict, total=False):
    """What a provenance hash may claim about versions (step 2e)."""

    version_attribution_allowed: bool
    chronicle_ref: str
    release_name: str
    reason: str


class GrowthSummary(TypedDict):
    """What the writer is told of a user's growth (step 2g.5)."""

    decay_warnings: list[str]
    excluded_hypotheses: list[str]
    effective_patterns: list[str]
    ineffective_patterns: list[str]
    pending_followups: list[dict[str, str]]  # {id, hypothesis, sent_at}
    score_delta: list[dict[str, object]] | None  # [{dim, from, to, diff}]


class Claim(TypedDict):
    """A version attribution proposed by the writer (step 3, output format)."""

    claim_text: str
    backing_quote_hash: str
    chronicle_ref: str


class Message(TypedDict):
    """One follow-up message; hashes are bare 64 hex digits after validation."""

    hypothesis_or_trigger: str
    anchor_quote_hash: str
    anchor_quote_text: str
    message_body: str
    temporal_claims: list[Claim]


class UserResult(TypedDict):
    """A user's validated answer, ready for the batch (steps 4 and 5)."""

    user: str  # display name, the canvas's own spelling
    slug: str
    canvas: str  # workspace-relative path of the canvas
    triggers: list[Trigger]
    score_line: str  # "rank 12, tier devoted, og 41, nft 20, onchain 77"
    scary_questions: list[str]
    messages: list[Message]
    tokens: list[str]  # one a message, or empty where growth is off
    total_quotes: int  # anchors the writer referenced
    total_claims: int  # claims on surviving messages
    host: str  # "claude-code", "claude", "rehearsal"


class SkippedUser(TypedDict):
    """A user without messages and the reason (spec 2.2)."""

    user: str
    reason: str
