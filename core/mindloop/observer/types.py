"""Shapes of the records that travel between the observer's modules.

Only type checkers import this module: at run time the records are plain dicts, so that a command does not pay for
``typing`` (a third of the start-up of Python).
"""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class ProvenanceRecord(TypedDict, total=False):
    """One line of the provenance index. Unknown fields survive a round trip."""

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
    reply_tokens: list[str]  # tokens that stood in the message, beside its text: our own addition
    prompt_tokens: list[str]  # tokens of our last line before the message, in its export: ours too


class Quote(TypedDict):
    """One entry of a user's quote registry (source document, step 2d)."""

    quote_text: str
    hash: str | None  # bare 64 hex digits
    hash_verified: bool
    confidence: str
    source_timestamp: str | None
    in_index: bool


TriggerKind = Literal["hypothesis", "promise", "feedback", "gap"]


class Trigger(TypedDict):
    """Why a user qualifies for a follow-up (step 2b)."""

    kind: TriggerKind
    hypothesis_id: str | None  # "H3"
    text: str  # one line, shown in the batch's **Triggers** line


class Release(TypedDict):
    """One released version from the chronicle."""

    id: str
    taxonomy: str
    title: str
    start: str  # RFC 3339, UTC
    end: str | None
    confidence: str | None
    source: str  # workspace-relative path of the entry
    url: str | None
    summary: str  # one line, may be empty


class ReleaseTime(TypedDict):
    """When a release was current, RFC 3339."""

    start: str
    end: str | None


class ReleaseRecord(TypedDict):
    """One line of the derived chronicle index."""

    id: str
    taxonomy: str
    title: str
    time: ReleaseTime
    confidence: str | None
    source: str
    url: str | None
    summary: str


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
    """A user without messages and the reason."""

    user: str
    reason: str


class GrowthMessage(TypedDict):
    """One follow-up that was sent, and what became of it."""

    id: str  # fu-2026-02-14-xabbu-1-1
    token: str  # 8 hex digits; a string even where all are digits
    hypothesis_ids: list[str]
    topic_tags: list[str]
    thread_id: str | None
    hypothesis: str | None  # the writer's hypothesis_or_trigger
    anchor_hash: str | None
    question_pattern: str
    outcome: str
    outcome_at: str | None
    response_date: str | None
    signal_quality: str | None
    match_evidence: dict[str, object] | None
    late_response: bool
    sent_at: str | None


class GrowthBatch(TypedDict):
    """The messages recorded together by one run."""

    batch_date: str
    batch_seq: int
    messages_sent: int
    message_ids: list[GrowthMessage]
    host: NotRequired[str]  # "rehearsal" where no model wrote them and nobody sends them: our own addition


class GrowthHypothesis(TypedDict):
    """A hypothesis of the canvas and how long no evidence came for it."""

    id: str
    title: str
    confidence: str  # low, medium, high
    decay_state: str  # active, decaying, stale
    cycles_without_evidence: int
    last_evidence_date: str | None
    confidence_updated_cycle: str | None


class PatternCounters(TypedDict):
    """Lifetime totals of one question pattern; pruning batches never changes them."""

    times_used: int
    unknown_count: int
    silence_count: int
    responded_count: int
    signal_quality_sum: float
    signal_quality_count: int
    response_rate: float
    avg_signal_quality: float
    effectiveness_score: int


class ScoreBaseline(TypedDict):
    """The scores that the next ones are compared with, in points."""

    og: float | None
    nft: float | None
    onchain: float | None
    captured_at: str


ScoreChange = TypedDict("ScoreChange", {"dim": str, "from": float, "to": float, "diff": float})


class ScoreDelta(TypedDict):
    """The score changes that one cycle found."""

    captured_at: str
    batch_seq: int  # the batch that was next when it was found: our own addition
    changes: list[ScoreChange]
    behavioral_signal: bool


class GrowthState(TypedDict):
    """What mindloop learned from one user's replies (growth/<slug>.yaml). Unknown fields survive."""

    schema_version: int
    user: str
    wallet: str | None
    created_at: str
    last_updated: str
    last_cycle_at: str | None
    next_batch_seq: int
    decay_seq: int | None  # next_batch_seq at the last decay: decay runs once a recorded batch
    rehearsed_batches: int  # of those recorded; nobody was sent them, so they are no cycles: our own addition
    last_scores: ScoreBaseline | None
    score_deltas: list[ScoreDelta]
    hypotheses: list[GrowthHypothesis]
    follow_ups: list[GrowthBatch]
    question_patterns: dict[str, PatternCounters]


class ProposedMatch(TypedDict):
    """A reply that may belong to a message that was sent; a person confirms or rejects it."""

    id: str  # 16 hex digits of signal and message: our own addition
    match_type: str  # token, thread, keyword, temporal, ambiguous
    match_confidence: str  # high, medium, low
    signal_id: str  # the reply's content hash, bare
    signal_timestamp: str | None
    evidence_snippet: str
    follow_up_id: str
    follow_up_token: str
    proposed_at: str
    status: str  # pending, confirmed, rejected
    confirmed_at: str | None
    signal_text: NotRequired[str]  # where the reply is in no index: our own addition


class Proposals(TypedDict):
    """A user's proposed matches (growth/<slug>.proposed_matches.yaml). Unknown fields survive."""

    schema_version: int
    user: str
    records_seen: int  # of this user's lines in the provenance index: our own addition
    last_record_seen: str | None  # hash of the last of them, so that a rewritten index is read again
    matches: list[ProposedMatch]


class Evidence(TypedDict):
    """What a reply says about the hypothesis it was asked for."""

    signal_id: str
    hypothesis_id: str | None
    direction: str  # supports, refutes, neutral
    strength: str  # high, medium, low
    quote_span: str  # the reply's own words, at most 200
    quote_hash: str  # of their NFC form: not the canonical hash
    rationale: str  # at most 300
    classified_by: str  # agent, person, rehearsal
    classified_at: str


class BatchMessage(TypedDict):
    """One message as a batch file holds it (step 5), escapes undone."""

    number: int
    hypothesis_or_trigger: str
    anchor_quote_text: str
    anchor_quote_hash: str | None  # bare 64 hex digits
    token: str | None  # 8 hex digits
    message_body: str


class BatchUser(TypedDict):
    """One user's section of a batch file (step 5)."""

    user: str
    canvas: str
    triggers: str
    score_line: str
    host: str
    verified: int
    total_quotes: int
    scary_questions: list[str]
    messages: list[BatchMessage]


class Batch(TypedDict):
    """A whole batch file (step 5)."""

    generated: str
    host: str
    users: list[str]
    total_messages: int
    skipped_users: list[dict[str, object]]
    runs: list[dict[str, object]]
    verification_summary: dict[str, int]
    temporal_summary: dict[str, int]
    sections: list[BatchUser]
