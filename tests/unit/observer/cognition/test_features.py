"""Features of one user: fixed words, ids and numbers."""

from __future__ import annotations

import pytest

from mindloop.observer.canvas.reading import parse_canvas
from mindloop.observer.cognition.features import dominant_type, features_of, gap_types, lifecycle_state

CANVAS = """---
user: ann
lifecycle_state: {state}
---

## Level 3 Hypotheses

### H1: she wants her badge back

- **Confidence**: Medium

### H-12: secret words

- **Confidence**: High

## Expectation Gaps

### GAP-ann-1: the badge

| Field | Value |
|---|---|
| **Type** | Accuracy |
| **Status** | OPEN |

### GAP-ann-2: another

| Field | Value |
|---|---|
| **Type** | her-own-word |
"""


def test_features_hold_no_word_of_the_canvas() -> None:
    """Ids, levels, known kinds and numbers; titles, free kinds and free states are left out."""
    canvas = parse_canvas("grimoires/observer/canvas/ann-canvas.md", CANVAS.format(state="power_user"))

    assert features_of(canvas, {"og_score": 41, "nft_score": None, "rank": 12}) == {
        "lifecycle_state": "power_user",
        "hypothesis_ids": ["H1", "H12"],
        "hypothesis_confidences": {"H1": "medium", "H12": "high"},
        "gap_types": ["ACCURACY"],
        "score_summary": {"og": 41, "nft": None, "onchain": None, "rank": 12},
    }
    assert features_of(canvas, {})["score_summary"] is None


@pytest.mark.parametrize(
    ("written", "state"),
    [(None, None), ("", None), (" Power_User ", "power_user"), ("churning", "churning"), ("her own word", None)],
)
def test_a_lifecycle_state_is_one_of_the_known(written: str | None, state: str | None) -> None:
    """Whatever else somebody wrote there counts as unknown."""
    assert lifecycle_state(written) == state


def test_gap_types_are_sorted_and_known() -> None:
    """In any case, each once."""
    assert gap_types(["ux", "UX", "Bug", "", "bob"]) == ["BUG", "UX"]


@pytest.mark.parametrize(
    ("fears", "kind"),
    [
        ([], None),
        ([("pmf", 2), ("identity", 1)], "identity"),
        ([("identity", 1), ("pmf", 2), ("pmf", 3)], "pmf"),
        ([("pmf", 5), ("identity", 4), ("pmf", 9), ("identity", 8)], "identity"),
    ],
)
def test_the_dominant_type_is_the_most_frequent(fears: list[tuple[str, int]], kind: str | None) -> None:
    """Of several as frequent, the one that ranks first."""
    assert dominant_type([{"type": name, "priority": rank} for name, rank in fears]) == kind
