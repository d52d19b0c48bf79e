"""What a classified reply teaches: the evidence on its message, its quality, the confidence of its hypothesis.

Growth's own confidence moves; the canvas is never changed by it.
"""

from __future__ import annotations

from mindloop.observer.growth.outcome import rate_reply
from mindloop.observer.growth.state import LEVELS, clone, find_hypothesis, messages
from mindloop.observer.rehearsed import REHEARSAL
from mindloop.store.clock import stamp
from mindloop.store.errors import Negative

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from mindloop.observer.types import Evidence, GrowthMessage, GrowthState

DIRECTIONS = ("supports", "refutes", "neutral")
STRENGTHS = ("high", "medium", "low")
_STEPS = {"supports": 1, "refutes": -1}


def update_confidence(
    state: GrowthState, hypothesis_id: str | None, direction: str, strength: str, *, was_stale: bool = False
) -> tuple[GrowthState, str]:
    """Move a hypothesis one level, where every gate is open.

    Closed for a stale hypothesis, for any strength but high, for neutral evidence, and for a hypothesis that moved in
    this cycle already (a cycle begins with a recorded batch). The ends of the scale hold.

    Args:
        state: the user's growth.
        hypothesis_id: the hypothesis, or None where the message names none.
        direction: one of ``DIRECTIONS``.
        strength: one of ``STRENGTHS``.
        was_stale: it was stale before the reply came, which made it active again: the gate looks at that.

    Returns:
        The new state, and one line that says what became of the confidence; empty where there is no hypothesis.
    """
    known = find_hypothesis(state, hypothesis_id) if hypothesis_id else None
    if known is None:
        return state, ""
    cycle = state["last_cycle_at"] or state["created_at"]
    stays = f"{known['id']} stays {known['confidence']}"
    if was_stale or known["decay_state"] == "stale":
        return state, f"{stays}: it was stale when the reply came" if was_stale else f"{stays}: it is stale"
    if strength != "high" or direction not in _STEPS:
        return state, f"{stays}: only strong evidence for or against moves it"
    if known["confidence_updated_cycle"] == cycle:
        return state, f"{stays}: it moved in this cycle already"
    level = LEVELS.index(known["confidence"]) + _STEPS[direction]
    after = LEVELS[min(max(level, 0), len(LEVELS) - 1)]
    if after == known["confidence"]:
        return state, stays
    changed = clone(state)
    moved: Any = find_hypothesis(changed, hypothesis_id or "")
    moved["confidence"] = after
    moved["confidence_updated_cycle"] = cycle
    return changed, f"{known['id']}: {known['confidence']} to {after}"


def replied_message(state: GrowthState, follow_up_id: str) -> GrowthMessage:
    """The message that a reply was confirmed for.

    Raises:
        Negative: growth no longer keeps it, or it has no reply.
    """
    found = next((message for _batch, message in messages(state) if message["id"] == follow_up_id), None)
    if found is None or found["outcome"] != "responded":
        why = "is no longer kept" if found is None else f"is {found['outcome']!r}, not answered"
        raise Negative(f"the message {follow_up_id} {why}; there is nothing to learn of it", "Confirm its reply first.")
    return found


def has_evidence(message: GrowthMessage) -> bool:
    """Whether somebody classified the reply: a judge or a person. A rehearsal is nobody."""
    evidence = message["match_evidence"]
    return bool(evidence) and (evidence or {}).get("classified_by") != REHEARSAL


def take_evidence(
    state: GrowthState, follow_up_id: str, evidence: Evidence, now: datetime, *, was_stale: bool = False
) -> tuple[GrowthState, str]:
    """Put evidence on a message that was answered, rate the reply where nobody did, move the confidence.

    What a rehearsal says is kept, labelled, and teaches nothing.

    Args:
        state: the user's growth.
        follow_up_id: the message.
        evidence: what was read out of the reply.
        now: the instant of the command.
        was_stale: its hypothesis was stale before the reply was recorded.

    Returns:
        The new state, and what became of the confidence (``update_confidence``).

    Raises:
        Negative: growth no longer keeps the message, or it has no reply.
    """
    changed = clone(state)
    message = replied_message(changed, follow_up_id)
    message["match_evidence"] = dict(evidence)
    changed["last_updated"] = stamp(now)
    if evidence["classified_by"] == REHEARSAL:
        return changed, "rehearsed: nothing is learned from it"
    rate_reply(changed, message, evidence["strength"])
    named, direction, strength = evidence["hypothesis_id"], evidence["direction"], evidence["strength"]
    return update_confidence(changed, named, direction, strength, was_stale=was_stale)
