"""How well a question pattern works, from its lifetime counters."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.observer.types import GrowthState, PatternCounters

DEFAULT_PATTERN = "follow_breadcrumb"
"""The question pattern of a message that shows no other."""
QUALITY = {"high": 1.0, "medium": 0.5, "low": 0.0}
EFFECTIVE_FROM = 60
INEFFECTIVE_BELOW = 20
RESOLVED_AT_LEAST = 2
"""A pattern is called ineffective only after this many replies or silences: pending messages prove nothing."""


def new_counters() -> PatternCounters:
    """Counters of a pattern that was never used."""
    return {
        "times_used": 0,
        "unknown_count": 0,
        "silence_count": 0,
        "responded_count": 0,
        "signal_quality_sum": 0.0,
        "signal_quality_count": 0,
        "response_rate": 0.0,
        "avg_signal_quality": 0.0,
        "effectiveness_score": 0,
    }


def counters_of(state: GrowthState, pattern: str) -> PatternCounters:
    """The counters of a pattern inside ``state``, made where they are missing."""
    return state["question_patterns"].setdefault(pattern, new_counters())


def resolved(counters: PatternCounters) -> int:
    """How many messages have an outcome that says something: a reply or silence."""
    return counters["responded_count"] + counters["silence_count"]


def recompute(counters: PatternCounters) -> None:
    """Derive rate, average quality and score (0 to 100) from the counts, in place.

    A reply of low quality still is a reply: quality moves the score between half and the whole of the response rate.
    """
    total = resolved(counters)
    rated = counters["signal_quality_count"]
    rate = counters["responded_count"] / total if total else 0.0
    quality = counters["signal_quality_sum"] / rated if rated else 0.0
    counters["response_rate"] = rate
    counters["avg_signal_quality"] = quality
    counters["effectiveness_score"] = round(100 * rate * (0.5 + 0.5 * quality))


def is_effective(counters: PatternCounters) -> bool:
    """Whether the pattern is worth repeating."""
    return counters["effectiveness_score"] >= EFFECTIVE_FROM


def is_ineffective(counters: PatternCounters) -> bool:
    """Whether enough outcomes show that the pattern does not work."""
    return resolved(counters) >= RESOLVED_AT_LEAST and counters["effectiveness_score"] < INEFFECTIVE_BELOW
