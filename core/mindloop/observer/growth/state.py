"""The growth state of one user as a value: made, copied, searched, kept in step with the canvas.

Every public function of the growth modules takes a state and returns a new one; the argument is never changed.
"""

from __future__ import annotations

from datetime import UTC, datetime

from mindloop.observer.growth.metrics import DEFAULT_PATTERN, new_counters
from mindloop.observer.rehearsed import REHEARSAL
from mindloop.store.clock import stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, Protocol

    from mindloop.observer.types import GrowthBatch, GrowthHypothesis, GrowthMessage, GrowthState

    class SettingsLike(Protocol):
        """What the policy needs of the settings."""

        def get(self, dotted: str) -> Any:
            """The value of a dotted key."""


LEVELS = ("low", "medium", "high")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
"""Creation time of a file that does not say when it was made."""


class GrowthPolicy:
    """The numbers of ``observer.growth.*`` that a cycle needs.

    Attributes:
        max_cycles: batches after which a message without a reply counts as silence.
        max_days: days after which it does.
        to_decaying: cycles without evidence until a hypothesis is decaying.
        to_stale: cycles without evidence until it is stale.
        threshold: points by which a score must move, exclusive.
    """

    __slots__ = ("max_cycles", "max_days", "threshold", "to_decaying", "to_stale")

    def __init__(self, settings: SettingsLike) -> None:
        self.max_cycles: int = settings.get("observer.growth.response_window.max_cycles")
        self.max_days: int = settings.get("observer.growth.response_window.max_days")
        self.to_decaying: int = settings.get("observer.growth.decay.cycles_to_decaying")
        self.to_stale: int = settings.get("observer.growth.decay.cycles_to_stale")
        self.threshold: float = settings.get("observer.growth.score_delta.threshold")


def new_growth(user: str, wallet: str | None, now: datetime) -> GrowthState:
    """The state of a user whom no batch was recorded for yet (follow-up, step 5.5)."""
    return {
        "schema_version": 1,
        "user": user,
        "wallet": wallet,
        "created_at": stamp(now),
        "last_updated": stamp(now),
        "last_cycle_at": None,
        "next_batch_seq": 1,
        "decay_seq": None,
        "rehearsed_batches": 0,
        "last_scores": None,
        "score_deltas": [],
        "hypotheses": [],
        "follow_ups": [],
        "question_patterns": {},
    }


def clone(state: GrowthState) -> GrowthState:
    """A copy that shares nothing with ``state``; fields of later versions are copied too.

    A file needs few fields to be valid. What this one leaves out is filled in, so that no function asks twice.
    """
    copied: Any = {**new_growth(state["user"], None, _EPOCH), **_copied(state)}
    for batch in copied["follow_ups"]:
        batch["message_ids"] = [_filled(message, _blank_message()) for message in batch["message_ids"]]
    copied["hypotheses"] = [_filled(known, _blank_hypothesis()) for known in copied["hypotheses"]]
    patterns = copied["question_patterns"]
    copied["question_patterns"] = {name: {**new_counters(), **counters} for name, counters in patterns.items()}
    copied["score_deltas"] = [{"changes": [], **delta} for delta in copied["score_deltas"]]
    completed: GrowthState = copied
    return completed


def _filled(given: dict[str, Any], blank: dict[str, Any]) -> dict[str, Any]:
    """What is given, its keys in their order, and behind them what it leaves out."""
    return {**given, **{key: value for key, value in blank.items() if key not in given}}


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_copied(item) for item in value]
    return value


def _blank_message() -> dict[str, Any]:
    return {
        "hypothesis_ids": [],
        "topic_tags": [],
        "thread_id": None,
        "hypothesis": None,
        "anchor_hash": None,
        "question_pattern": DEFAULT_PATTERN,
        "outcome_at": None,
        "response_date": None,
        "signal_quality": None,
        "match_evidence": None,
        "late_response": False,
        "sent_at": None,
    }


def _blank_hypothesis() -> dict[str, Any]:
    return {
        "title": "",
        "confidence": "low",
        "decay_state": "active",
        "cycles_without_evidence": 0,
        "last_evidence_date": None,
        "confidence_updated_cycle": None,
    }


def is_rehearsal(batch: GrowthBatch) -> bool:
    """Tell whether a batch was only rehearsed: nobody was sent its messages, so nobody can be silent about them."""
    return batch.get("host") == REHEARSAL


def sent_batches(state: GrowthState) -> int:
    """How many batches were recorded to be sent, pruned ones too; rehearsed ones are none. One of them is a cycle.

    ``state`` may be as it lies in the file: one that does not count rehearsals had none.
    """
    return max(0, state["next_batch_seq"] - 1 - state.get("rehearsed_batches", 0))


def messages(state: GrowthState) -> Iterator[tuple[GrowthBatch, GrowthMessage]]:
    """Every message that is still kept, oldest first, with its batch."""
    for batch in state["follow_ups"]:
        for message in batch["message_ids"]:
            yield batch, message


def find_hypothesis(state: GrowthState, hypothesis_id: str) -> GrowthHypothesis | None:
    """The hypothesis with that id, if growth knows it."""
    return next((known for known in state["hypotheses"] if known["id"] == hypothesis_id), None)


def stale_ids(state: GrowthState) -> list[str]:
    """Hypotheses that no message may be written for any more (follow-up, step 2g.5)."""
    return [known["id"] for known in state.get("hypotheses", []) if known.get("decay_state") == "stale"]


def sync_hypotheses(state: GrowthState, hypotheses: Iterable[Any]) -> GrowthState:
    """Add the canvas's hypotheses that growth does not know yet.

    Args:
        state: the user's growth.
        hypotheses: the canvas's, each with ``id``, ``title`` and ``confidence`` as attributes or keys.

    Returns:
        A state in which every one is known. None is ever removed. What growth learned of a known one (decay,
        confidence) stays; only its title follows the canvas.
    """
    synced = clone(state)
    for hypothesis in hypotheses:
        known = find_hypothesis(synced, _field(hypothesis, "id"))
        if known is None:
            synced["hypotheses"].append(_new_hypothesis(hypothesis))
        else:
            known["title"] = _field(hypothesis, "title")
    return synced


def _new_hypothesis(hypothesis: Any) -> GrowthHypothesis:
    made: Any = {
        "id": _field(hypothesis, "id"),
        **_blank_hypothesis(),
        "title": _field(hypothesis, "title"),
        "confidence": _growth_confidence(_field(hypothesis, "confidence")),
    }
    known: GrowthHypothesis = made
    return known


def _field(hypothesis: Any, name: str) -> str:
    value = hypothesis.get(name) if isinstance(hypothesis, dict) else getattr(hypothesis, name, None)
    return "" if value is None else str(value)


def _growth_confidence(level: str) -> str:
    """Growth knows three levels; a canvas's "Medium-High" is not High yet."""
    first = level.strip().casefold().split("-", maxsplit=1)[0]
    return first if first in LEVELS else "low"
