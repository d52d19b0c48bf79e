"""Sequence numbers."""

from __future__ import annotations

import pytest

from mindloop.store import ids


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([], 1),
        (["a-1", "a-3.json", "b-9"], 4),
        (["a-x", "a-", "a-٣"], 1),
        (["a-009"], 10),
        (["a-" + "9" * 30], 10**18),
    ],
    ids=["none", "gap", "no digits", "zeros", "absurd"],
)
def test_next_number(names: list[str], expected: int) -> None:
    """One more than the highest; gaps are not filled, other names do not count."""
    assert ids.next_number(names, "a-") == expected


def test_next_run_id() -> None:
    """Runs are counted a day."""
    names = ["follow-up-2026-02-11-001.json", "follow-up-2026-02-10-007.json"]

    assert ids.next_run_id(names, "follow-up", "2026-02-11") == "follow-up-2026-02-11-002"
