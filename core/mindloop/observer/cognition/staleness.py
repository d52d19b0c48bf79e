"""Whether a cognition sidecar still describes its user: the four triggers."""

from __future__ import annotations

import json

from mindloop.observer.canonical import norm_hash
from mindloop.observer.growth.state import clone, sent_batches
from mindloop.observer.lines import counted
from mindloop.store.clock import parse_instant
from mindloop.store.digest import sha256_hex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from mindloop.observer.types import GrowthState

NO_GROWTH = "none"
NO_SCORE = "unavailable"


def staleness(
    cognition: Mapping[str, Any],
    last_enriched: str | None,
    growth: GrowthState | None,
    score_raw: str | None,
    *,
    default_limit: int,
) -> list[str]:
    """Why a cognition sidecar is stale (follow-up, step 2c.5).

    Args:
        cognition: the sidecar.
        last_enriched: the canvas's own field.
        growth: the user's growth, None where there is none.
        score_raw: what the score command printed; None or empty where there is no score to compare.
        default_limit: cycles after which a sidecar that names no limit of its own is stale
            (``observer.cognition.stale_after_cycles``).

    Returns:
        One reason for each trigger that fired; empty where the sidecar is fresh.
    """
    anchors = cognition.get("input_anchors")
    anchors = anchors if isinstance(anchors, dict) else {}
    found = [
        _cycles_passed(cognition, growth, default_limit),
        _canvas_enriched(anchors.get("canvas_last_enriched"), last_enriched),
        _growth_moved(anchors.get("growth_state_hash"), growth),
        _score_moved(anchors.get("score_snapshot_hash"), score_raw),
    ]
    return [reason for reason in found if reason]


def cycle_index(growth: GrowthState | None) -> int:
    """How many batches were recorded to be sent to the user; unlike the kept batches, it never stops growing."""
    return sent_batches(growth) if growth else 0


def growth_hash(growth: GrowthState | None) -> str:
    """Hash of what growth has learned, or ``none`` where that is nothing yet.

    Not of the file: recording the next batch changes that each time, and a sidecar would be stale after every run. Nor
    of single messages: they are pruned, while the lifetime counters of their outcomes stay.
    """
    if growth is None:
        return NO_GROWTH
    known = clone(growth)
    learned = {"hypotheses": _learned_hypotheses(known), "patterns": _outcomes(known)}
    if not any(learned.values()):
        return NO_GROWTH
    return sha256_hex(json.dumps(learned, sort_keys=True).encode())


def _learned_hypotheses(growth: GrowthState) -> list[list[str | None]]:
    return sorted(
        [known["id"], known["confidence"], known["decay_state"], known["last_evidence_date"]]
        for known in growth["hypotheses"]
        if known["decay_state"] != "active" or known["last_evidence_date"] or known["confidence_updated_cycle"]
    )


def _outcomes(growth: GrowthState) -> dict[str, list[float]]:
    counted = {
        pattern: [
            counters["responded_count"],
            counters["silence_count"],
            counters["unknown_count"],
            counters["signal_quality_sum"],
        ]
        for pattern, counters in growth["question_patterns"].items()
    }
    return {pattern: counts for pattern, counts in counted.items() if any(counts)}


def score_hash(score_raw: str | None) -> str:
    """Hash of the raw snapshot, or ``unavailable``."""
    return sha256_hex(score_raw.encode("utf-8", "surrogatepass")) if score_raw else NO_SCORE


def _cycles_passed(cognition: Mapping[str, Any], growth: GrowthState | None, default_limit: int) -> str:
    limit = _whole(cognition.get("stale_after_cycles"), default_limit)
    passed = cycle_index(growth) - _whole(cognition.get("distilled_at_cycle_index"), 0)
    return f"{counted(passed, 'cycle')} since it was made (limit {limit})" if passed >= limit else ""


def _whole(value: object, default: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else default


def _canvas_enriched(anchor: object, last_enriched: str | None) -> str:
    before, now = (value.strip() if isinstance(value, str) else "" for value in (anchor, last_enriched))
    same = before == now or (parse_instant(before) is not None and parse_instant(before) == parse_instant(now))
    return "" if same else "the canvas was enriched since"


def _growth_moved(anchor: object, growth: GrowthState | None) -> str:
    return "" if (norm_hash(anchor) or NO_GROWTH) == growth_hash(growth) else "growth has learned something since"


def _score_moved(anchor: object, score_raw: str | None) -> str:
    now = score_hash(score_raw)
    if anchor in (None, "", NO_SCORE) or now == NO_SCORE:
        return ""
    return "" if norm_hash(anchor) == now else "the score moved since"
