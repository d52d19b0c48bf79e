"""What becomes of a message that was sent: one transition table for replies, silence and messages never sent."""

from __future__ import annotations

from mindloop.observer.growth.metrics import QUALITY, counters_of, recompute
from mindloop.observer.growth.state import clone, find_hypothesis, messages
from mindloop.store.clock import stamp
from mindloop.store.errors import Negative, WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Literal

    from mindloop.observer.types import GrowthMessage, GrowthState, PatternCounters

    Count = Literal["responded_count", "silence_count", "unknown_count"]

COUNTS: dict[str, Count] = {
    "responded": "responded_count",
    "silence": "silence_count",
    "unknown": "unknown_count",
}
"""Outcomes that a message can be given, and the counter that each is counted in."""

TRANSITIONS = {
    "pending": ("responded", "silence", "unknown"),
    "silence": ("responded", "unknown"),
    "unknown": ("responded", "silence"),
    "responded": (),
}
"""From an outcome to those that may follow. A reply is final: nothing that comes later makes it unsaid."""


def apply_outcome(
    state: GrowthState,
    message_id: str,
    outcome: str,
    quality: str | None,
    now: datetime,
    *,
    response_date: str | None = None,
) -> tuple[GrowthState, str | None]:
    """Record what became of a message.

    Args:
        state: the user's growth.
        message_id: the message's id, ``fu-…``.
        outcome: ``responded``, ``silence``, or ``unknown`` where the message never reached the user.
        quality: ``high``, ``medium``, ``low`` or None; only a reply has one.
        now: when the outcome is recorded.
        response_date: when the user replied; ``now`` where it is not known.

    Returns:
        The new state and None; or the state as it was and a warning, where the message has an outcome that stays.

    Raises:
        WrongInput: an outcome or quality that does not exist.
        Negative: growth knows no such message, or no longer keeps it.
    """
    _check(outcome, quality)
    changed = clone(state)
    message = next((found for _batch, found in messages(changed) if found["id"] == message_id), None)
    if message is None:
        raise Negative(
            f"growth of {state['user']!r} has no message {message_id!r}",
            "Take the id from the batch file; the oldest batches are no longer kept.",
        )
    if outcome not in TRANSITIONS.get(message["outcome"], ()):
        return state, f"{message_id} stays {message['outcome']!r}: {outcome!r} changes nothing"
    settle(changed, message, outcome, now)
    if outcome == "responded":
        _reply(changed, message, quality, now, response_date)
    changed["last_updated"] = stamp(now)
    return changed, None


def settle(state: GrowthState, message: GrowthMessage, outcome: str, now: datetime) -> None:
    """Move a message of ``state`` to an outcome and its count from the old counter to the new one, in place."""
    counters = counters_of(state, message["question_pattern"])
    before = message["outcome"]
    if before in COUNTS:
        counters[COUNTS[before]] = max(0, counters[COUNTS[before]] - 1)
    counters[COUNTS[outcome]] += 1
    message["outcome"] = outcome
    message["outcome_at"] = stamp(now)
    if before == "silence" and outcome == "responded":
        message["late_response"] = True
    recompute(counters)


def _reply(
    state: GrowthState, message: GrowthMessage, quality: str | None, now: datetime, response_date: str | None
) -> None:
    message["response_date"] = response_date or stamp(now)
    message["signal_quality"] = quality
    if quality is not None:
        _rate(counters_of(state, message["question_pattern"]), quality)
    for hypothesis_id in message["hypothesis_ids"]:
        known = find_hypothesis(state, hypothesis_id)
        if known is not None:
            known["cycles_without_evidence"] = 0
            known["decay_state"] = "active"
            known["last_evidence_date"] = stamp(now)


def rate_reply(state: GrowthState, message: GrowthMessage, quality: str) -> None:
    """Rate a reply of ``state`` that nobody rated yet, in place; a rating that is there stays."""
    if message["signal_quality"] is None:
        message["signal_quality"] = quality
        _rate(counters_of(state, message["question_pattern"]), quality)


def _rate(counters: PatternCounters, quality: str) -> None:
    counters["signal_quality_sum"] += QUALITY[quality]
    counters["signal_quality_count"] += 1
    recompute(counters)


def _check(outcome: str, quality: str | None) -> None:
    if outcome not in COUNTS:
        raise WrongInput(f"outcome {outcome!r} does not exist", f"Use one of: {', '.join(COUNTS)}.")
    if quality is not None and quality not in QUALITY:
        raise WrongInput(f"signal quality {quality!r} does not exist", f"Use one of: {', '.join(QUALITY)}.")
    if quality is not None and outcome != "responded":
        raise WrongInput(f"{outcome!r} has no signal quality, {quality!r} was given", "Rate a reply only.")
