"""Offsets and silence gates that keep follow-ups apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindloop.sequence.model import Runtime
from mindloop.sequence.timing import free_offset, lag_bound, silence_after


@pytest.mark.parametrize(
    ("tick", "reply", "batch", "run", "bound"),
    [(5, 2, 30, 2, 35), (5, 0, 30, 0, 30), (1, 2, 30, 2, 34), (60, 2, 30, 2, 60), (5, 0, 1, 0, 5)],
)
def test_the_lag_bound_is_a_whole_number_of_ticks(tick: int, reply: int, batch: int, run: int, bound: int) -> None:
    """Reply, batch and run, rounded up."""
    given_ = {"agentReplyMinutes": reply, "evaluatorBatchMinutes": batch, "evaluatorRunMinutes": run}
    assert lag_bound(Runtime(given_ | {"runnerTickMinutes": tick})) == bound


@pytest.mark.parametrize(
    ("taken", "start", "below", "offset"),
    [
        ([], 30, None, 30),
        ([20], 50, None, 50),
        ([20, 60, 100], 50, None, 130),
        ([20, 200], 50, None, 50),
        ([1430], 1460, 1440, 1400),
        ([1430, 1390], 1460, 1440, 1360),
        ([10, 40], 70, 60, None),
    ],
)
def test_the_first_free_offset_is_taken(taken: list[int], start: int, below: int | None, offset: int | None) -> None:
    """Upwards, and before its neighbours where there is no place below the bound."""
    assert free_offset(taken, start, 30, below) == offset


@given(st.lists(st.integers(1, 1500), max_size=12), st.integers(1, 1600), st.integers(1, 60), st.none() | st.just(1440))
def test_a_free_offset_is_free(taken: list[int], start: int, gap: int, below: int | None) -> None:
    """As far away from every other one as it should be, and within the bound."""
    found = free_offset(taken, start, gap, below)
    assert found is not None or below is not None
    if found is not None:
        assert found > 0
        assert all(abs(found - other) >= gap for other in taken)
        assert below is None or found < below


@pytest.mark.parametrize(
    ("offset", "others", "kind", "silence"),
    [
        (20, [], "FREE_TEXT", 35),
        (120, [(20, 35)], "FREE_TEXT", 135),
        (20, [(120, 120)], "FREE_TEXT", 35),
        (120, [(20, 35), (60, 100)], "FREE_TEXT", 160),
        (1435, [(20, 35)], "FREE_TEXT", 65),
        (1435, [(20, 1430)], "FREE_TEXT", 35),
        (2880, [(20, 35)], "WHATSAPP_TEMPLATE", 2895),
    ],
)
def test_a_silence_gate_lies_behind_its_predecessors(
    offset: int, others: list[tuple[int, int]], kind: str, silence: int
) -> None:
    """By the gap of the offsets, by the stagger where free text would leave the window, else the lag bound."""
    assert silence_after(offset, others, Runtime({"minStaggerMinutes": 30}), kind) == silence
