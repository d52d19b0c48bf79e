"""Recording a batch: message ids, tokens, pattern counters, retention (follow-up, step 5.5)."""

from __future__ import annotations

from mindloop.observer.growth.metrics import counters_of
from mindloop.observer.growth.patterns import classify_question_pattern, hypothesis_ids, topic_tags
from mindloop.observer.growth.state import is_rehearsal, sync_hypotheses
from mindloop.observer.rehearsed import REHEARSAL
from mindloop.store.clock import stamp
from mindloop.store.digest import sha256_hex
from mindloop.store.errors import WrongInput
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from typing import Any

    from mindloop.observer.types import GrowthBatch, GrowthMessage, GrowthState, Message, UserResult

MESSAGE_ID = when_used(r"fu-[0-9]{4}-[0-9]{2}-[0-9]{2}-[a-z0-9_-]+-[0-9]+-[0-9]+")
TOKEN_DIGITS = 8


def message_id(day: str, slug: str, batch_seq: int, number: int) -> str:
    """The id of a user's ``number``-th message (from 1) in batch ``batch_seq``.

    Raises:
        WrongInput: a day or slug that would make an id which no reply could be attributed to.
    """
    made = f"fu-{day}-{slug}-{batch_seq}-{number}"
    if not MESSAGE_ID.fullmatch(made):
        raise WrongInput(f"no message id can be made of day {day!r} and slug {slug!r}", "Use a slug of [a-z0-9_-]+.")
    return made


def token_of(identifier: str) -> str:
    """The eight hex digits that the operator adds to the DM; always a string, though all may be digits."""
    return sha256_hex(identifier.encode())[:TOKEN_DIGITS]


def reserve(state: GrowthState, slug: str, count: int, day: str) -> list[tuple[str, str]]:
    """Ids and tokens that the next batch of ``count`` messages will get; nothing is consumed."""
    seq = state["next_batch_seq"]
    ids = [message_id(day, slug, seq, number) for number in range(1, count + 1)]
    return [(identifier, token_of(identifier)) for identifier in ids]


def record_batch(
    state: GrowthState,
    result: UserResult,
    day: str,
    now: datetime,
    *,
    max_batches: int,
    cycle_started_at: str | None = None,
    hypotheses: Iterable[Any] = (),
) -> tuple[GrowthState, list[str]]:
    """Let growth know what is about to be sent.

    What was only rehearsed takes a number, so that no id is given out twice, and is no cycle: nothing that was sent
    comes nearer to silence, decay or the end of its retention by it.

    Args:
        state: the user's growth.
        result: the validated answer; only users with messages are recorded.
        day: today, ``YYYY-MM-DD``.
        now: the command's instant.
        cycle_started_at: when the cycle began, where growth was read then; the boundary for the next decay.
        max_batches: batches to keep, at least one (``observer.growth.retention.max_batches_per_user``).
            Pattern counters are lifetime totals and lose nothing.
        hypotheses: the canvas's, so that a new file knows them from its first cycle.

    Returns:
        The new state and one token a message, in order.
    """
    recorded = sync_hypotheses(state, hypotheses)
    boundary = cycle_started_at or stamp(now)
    reserved = reserve(recorded, result["slug"], len(result["messages"]), day)
    sent = [_sent(ids, message, boundary) for ids, message in zip(reserved, result["messages"], strict=True)]
    for message in sent:
        counters_of(recorded, message["question_pattern"])["times_used"] += 1
    batch: GrowthBatch = {
        "batch_date": day,
        "batch_seq": recorded["next_batch_seq"],
        "messages_sent": len(sent),
        "message_ids": sent,
    }
    recorded["follow_ups"].append(batch)
    if result["host"] == REHEARSAL:
        batch["host"] = REHEARSAL
        _pass_over(recorded)
    else:
        recorded["last_cycle_at"] = boundary
    _prune(recorded, max(1, max_batches))
    recorded["next_batch_seq"] += 1
    recorded["last_updated"] = stamp(now)
    return recorded, [token for _identifier, token in reserved]


def _pass_over(state: GrowthState) -> None:
    """Move to the next number what belongs to this one: a cycle that was counted, a score that moved."""
    seq = state["next_batch_seq"]
    state["rehearsed_batches"] += 1
    if state["decay_seq"] == seq:
        state["decay_seq"] = seq + 1
    for delta in state["score_deltas"]:
        if delta.get("batch_seq") == seq:
            delta["batch_seq"] = seq + 1


def _prune(state: GrowthState, kept: int) -> None:
    """Drop the oldest batches until so many are left, rehearsed ones first; what nobody was sent is used no more."""
    batches = state["follow_ups"]
    while len(batches) > kept:
        place = next((place for place, batch in enumerate(batches) if is_rehearsal(batch)), 0)
        gone = batches.pop(place)
        for message in gone["message_ids"] if is_rehearsal(gone) else ():
            if message["outcome"] == "pending":
                counters = counters_of(state, message["question_pattern"])
                counters["times_used"] = max(0, counters["times_used"] - 1)


def _sent(ids: tuple[str, str], message: Message, sent_at: str) -> GrowthMessage:
    reason = message["hypothesis_or_trigger"]
    return {
        "id": ids[0],
        "token": ids[1],
        "hypothesis_ids": hypothesis_ids(reason),
        "topic_tags": topic_tags(reason),
        "thread_id": None,
        "hypothesis": reason,
        "anchor_hash": message["anchor_quote_hash"],
        "question_pattern": classify_question_pattern(message["message_body"], reason),
        "outcome": "pending",
        "outcome_at": None,
        "response_date": None,
        "signal_quality": None,
        "match_evidence": None,
        "late_response": False,
        "sent_at": sent_at,
    }
