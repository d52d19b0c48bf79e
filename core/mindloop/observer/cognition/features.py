"""What one user has in common with others, as far as code can tell: ids, levels, kinds and numbers, no word of theirs.

Every value is of a fixed list, has a fixed form, or is a number, so that features of many users may stand side by side.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from mindloop.observer.canvas.reading import Canvas

LIFECYCLE_STATES = ("new_user", "onboarding", "reactivating", "power_user", "churning")
GAP_TYPES = (
    *("ACCURACY", "WEIGHTINGS", "UX", "FEATURE"),
    *("BUG", "FLOW", "COMMUNICATION", "STRATEGY", "DISCOVERABILITY"),
)


def features_of(canvas: Canvas, snapshot: Mapping[str, Any]) -> dict[str, Any]:
    """The features that code computes for a sidecar; fears and tags are a judge's and come later.

    Args:
        canvas: the user's.
        snapshot: the parsed score snapshot, empty where there is none.
    """
    from mindloop.observer.score import dimension_scores

    return {
        "lifecycle_state": lifecycle_state(canvas.lifecycle_state),
        "hypothesis_ids": [known.id for known in canvas.hypotheses],
        "hypothesis_confidences": {known.id: known.confidence for known in canvas.hypotheses},
        "gap_types": gap_types(gap.kind for gap in canvas.gaps),
        "score_summary": {**dimension_scores(snapshot), "rank": snapshot.get("rank")} if snapshot else None,
    }


def lifecycle_state(written: str | None) -> str | None:
    """A canvas's lifecycle state where it is one of the known ones, else None."""
    state = (written or "").strip().casefold()
    return state if state in LIFECYCLE_STATES else None


def gap_types(written: Iterable[str]) -> list[str]:
    """The known gap types among what canvases name, each once, sorted."""
    return sorted({kind.upper() for kind in written}.intersection(GAP_TYPES))


def dominant_type(fears: Iterable[Mapping[str, Any]]) -> str | None:
    """The type of most fears; of several the one whose first fear comes first in rank."""
    ranked = sorted(fears, key=lambda fear: int(fear["priority"]))
    types = [str(fear["type"]) for fear in ranked]
    return max(types, key=types.count, default=None)
