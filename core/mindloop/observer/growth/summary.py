"""What the writer is told of a user's growth: what decays, what works, what is still unanswered (step 2g.5)."""

from __future__ import annotations

from mindloop.observer.growth.metrics import is_effective, is_ineffective
from mindloop.observer.growth.state import clone, is_rehearsal, messages, stale_ids
from mindloop.observer.lines import counted
from mindloop.observer.sanitizer import sanitize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.observer.types import GrowthHypothesis, GrowthState, GrowthSummary

_ID_LIMIT = 80
_TITLE_LIMIT = 120


def summary(state: GrowthState) -> GrowthSummary:
    """Summarise a state for the prompt; texts that a model wrote once are sanitised on the way back to one."""
    state = clone(state)
    patterns = state["question_patterns"]
    return {
        "decay_warnings": [_warning(known) for known in state["hypotheses"] if known["decay_state"] == "decaying"],
        "excluded_hypotheses": [sanitize(identifier, _ID_LIMIT) for identifier in stale_ids(state)],
        "effective_patterns": [sanitize(name, _ID_LIMIT) for name in patterns if is_effective(patterns[name])],
        "ineffective_patterns": [sanitize(name, _ID_LIMIT) for name in patterns if is_ineffective(patterns[name])],
        "pending_followups": [
            {
                "id": sanitize(message["id"], _ID_LIMIT),
                "hypothesis": sanitize(message["hypothesis"] or "", _TITLE_LIMIT),
                "sent_at": sanitize(message["sent_at"] or "", _ID_LIMIT),
            }
            for batch, message in messages(state)
            if message["outcome"] == "pending" and not is_rehearsal(batch)
        ],
        "score_delta": _score_delta(state),
    }


def _warning(known: GrowthHypothesis) -> str:
    name = sanitize(f"{known['id']}: {known['title']}".rstrip(": "), _TITLE_LIMIT)
    return f"{name} ({counted(known['cycles_without_evidence'], 'cycle')} without evidence)"


def _score_delta(state: GrowthState) -> list[dict[str, Any]] | None:
    """What moved since the last recorded batch; a score that moved twice is told as one move."""
    moved: dict[str, dict[str, Any]] = {}
    for delta in state["score_deltas"]:
        if delta.get("batch_seq", state["next_batch_seq"]) == state["next_batch_seq"]:
            for change in delta["changes"]:
                _join(moved, dict(change))
    return list(moved.values()) or None


def _join(moved: dict[str, dict[str, Any]], change: dict[str, Any]) -> None:
    first = moved.setdefault(change["dim"], change)
    if first is not change:
        first["to"] = change["to"]
        first["diff"] = round(change["to"] - first["from"], 6)
