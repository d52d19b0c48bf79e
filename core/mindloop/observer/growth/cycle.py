"""One cycle of growth: silence after the response window, decay of hypotheses, moves of the scores (step 2g.5)."""

from __future__ import annotations

from datetime import timedelta

from mindloop.observer.growth.outcome import settle
from mindloop.observer.growth.state import GrowthPolicy, clone, is_rehearsal, messages, sync_hypotheses
from mindloop.observer.score import dimension_scores
from mindloop.store.clock import parse_instant, stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime
    from typing import Any

    from mindloop.observer.growth.state import SettingsLike
    from mindloop.observer.types import (
        GrowthBatch,
        GrowthHypothesis,
        GrowthMessage,
        GrowthState,
        ScoreChange,
        ScoreDelta,
    )

DIMENSIONS = ("og", "nft", "onchain")
DELTAS_KEPT = 10
_DIGITS = 6


def advance_cycle(
    state: GrowthState,
    settings: SettingsLike,
    now: datetime,
    snapshot: Mapping[str, Any],
    hypotheses: Iterable[Any] = (),
) -> GrowthState:
    """Expire, decay and compare scores, so that a cycle is counted once a recorded batch.

    A user who is skipped after this step has no batch recorded: the next run meets the same ``next_batch_seq`` and must
    not count another cycle. Expiry is safe to repeat, since a message falls silent once. A score that moved since then
    is still reported.

    Args:
        state: the user's growth.
        settings: the workspace's, for windows and thresholds.
        now: the cycle's start.
        snapshot: the parsed score snapshot; what it does not know is not compared.
        hypotheses: the canvas's; unknown ones are added first.

    Returns:
        The new state, equal to ``state`` where there was nothing to do.
    """
    policy = GrowthPolicy(settings)
    scores = dimension_scores(snapshot)
    synced = sync_hypotheses(state, hypotheses)
    expired = expire_pending(synced, policy.max_cycles, policy.max_days, now)
    if state.get("decay_seq") == state["next_batch_seq"]:
        advanced = _later_move(expired, scores, policy.threshold, now)
    else:
        decayed = run_decay(expired, policy.to_decaying, policy.to_stale, now)
        advanced = detect_delta(decayed, scores, policy.threshold, now)
        advanced["decay_seq"] = state["next_batch_seq"]
    if advanced != state:
        advanced["last_updated"] = stamp(now)
    return advanced


def expire_pending(state: GrowthState, max_cycles: int, max_days: int, now: datetime) -> GrowthState:
    """Count messages without a reply as silence once their window has passed; rehearsed ones were never sent.

    Args:
        state: the user's growth.
        max_cycles: batches recorded to be sent since the message's own, inclusive.
        max_days: days since it was sent, inclusive.
        now: the cycle's start.
    """
    expired = clone(state)
    window = timedelta(days=max_days)
    for batch, message in messages(expired):
        if message["outcome"] != "pending" or is_rehearsal(batch):
            continue
        if _sent_since(expired, batch) >= max_cycles or _age(batch, message, now) >= window:
            settle(expired, message, "silence", now)
    return expired


def _sent_since(state: GrowthState, batch: GrowthBatch) -> int:
    """How many batches were recorded to be sent after this one; a number that is missing was a pruned rehearsal's."""
    since = state["next_batch_seq"] - 1 - batch["batch_seq"]
    later = [is_rehearsal(one) for one in state["follow_ups"] if one["batch_seq"] > batch["batch_seq"]]
    pruned = state["rehearsed_batches"] - sum(map(is_rehearsal, state["follow_ups"]))
    return since - sum(later) - max(0, min(since - len(later), pruned))


def _age(batch: GrowthBatch, message: GrowthMessage, now: datetime) -> timedelta:
    """How long ago a message was sent; no time at all where no field says when."""
    sent = parse_instant(message["sent_at"] or "") or parse_instant(batch["batch_date"])
    return now - sent if sent else timedelta()


def run_decay(state: GrowthState, to_decaying: int, to_stale: int, now: datetime) -> GrowthState:
    """Count one more cycle for each hypothesis that got no evidence since the last recorded cycle began.

    Args:
        state: the user's growth; nothing decays before its first cycle.
        to_decaying: cycles without evidence from which a hypothesis is decaying, inclusive.
        to_stale: cycles from which it is stale, inclusive.
        now: the cycle's start; evidence from after it is evidence too.
    """
    decayed = clone(state)
    since = parse_instant(state["last_cycle_at"] or "")
    if since is None or now < since:
        return decayed
    answered = _answered_since(decayed, since)
    for known in decayed["hypotheses"]:
        if known["id"] in answered or _after(known["last_evidence_date"], since):
            known["cycles_without_evidence"] = 0
        else:
            known["cycles_without_evidence"] += 1
        known["decay_state"] = _decay_state(known, to_decaying, to_stale)
    return decayed


def _answered_since(state: GrowthState, since: datetime) -> set[str]:
    return {
        hypothesis_id
        for _batch, message in messages(state)
        if message["outcome"] == "responded" and _after(message["outcome_at"], since)
        for hypothesis_id in message["hypothesis_ids"]
    }


def _after(text: str | None, since: datetime) -> bool:
    instant = parse_instant(text or "")
    return instant is not None and instant > since


def _decay_state(known: GrowthHypothesis, to_decaying: int, to_stale: int) -> str:
    cycles = known["cycles_without_evidence"]
    if cycles >= to_stale:
        return "stale"
    return "decaying" if cycles >= to_decaying else "active"


def detect_delta(
    state: GrowthState, scores: Mapping[str, float | None], threshold: float, now: datetime
) -> GrowthState:
    """Compare scores with the baseline and make them the new baseline.

    The first scores only become the baseline. A drift that stays below the threshold each time is never reported.

    Args:
        state: the user's growth.
        scores: ``og``, ``nft``, ``onchain`` in points; None or missing where unknown (the baseline keeps its value).
        threshold: points; a change must be greater.
        now: when the scores were taken.
    """
    compared = clone(state)
    known = {dim: value for dim in DIMENSIONS if (value := scores.get(dim)) is not None}
    if not known:
        return compared
    before = compared["last_scores"]
    if before is not None:
        changes = [change for dim in known if (change := _change(dim, before.get(dim), known[dim], threshold))]
        delta: ScoreDelta = {
            "captured_at": stamp(now),
            "batch_seq": compared["next_batch_seq"],
            "changes": changes,
            "behavioral_signal": bool(changes),
        }
        compared["score_deltas"] = [*compared["score_deltas"], delta][-DELTAS_KEPT:]
    baseline: Any = {**dict.fromkeys(DIMENSIONS), **(before or {}), **known, "captured_at": stamp(now)}
    compared["last_scores"] = baseline
    return compared


def _change(dim: str, old: Any, new: float, threshold: float) -> ScoreChange | None:
    if not isinstance(old, (int, float)):
        return None
    diff = round(new - old, _DIGITS)
    return {"dim": dim, "from": old, "to": new, "diff": diff} if abs(diff) > threshold else None


def _later_move(state: GrowthState, scores: Mapping[str, float | None], threshold: float, now: datetime) -> GrowthState:
    """Scores met again in a cycle that was counted already: the baseline moves only with a change worth a report."""
    if state["last_scores"] is None:
        return detect_delta(state, scores, threshold, now)
    moved = detect_delta(state, scores, threshold, now)
    found = moved["score_deltas"] != state["score_deltas"] and moved["score_deltas"][-1]["behavioral_signal"]
    return moved if found else state
