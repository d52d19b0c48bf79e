"""Growth: what became of earlier follow-ups, and what that says of hypotheses and question patterns.

A growth state is one user's; reading, locking and writing it is the store's work. Everything here takes a state and
returns a new one. This module gathers the names that other packages use.
"""

from __future__ import annotations

from mindloop.observer.growth_cycle import advance_cycle, detect_delta, expire_pending, run_decay
from mindloop.observer.growth_outcome import apply_outcome
from mindloop.observer.growth_record import record_batch, reserve
from mindloop.observer.growth_state import GrowthPolicy, clone, new_growth, stale_ids, sync_hypotheses
from mindloop.observer.growth_summary import summary

__all__ = [
    "GrowthPolicy",
    "advance_cycle",
    "apply_outcome",
    "clone",
    "detect_delta",
    "expire_pending",
    "new_growth",
    "record_batch",
    "reserve",
    "run_decay",
    "stale_ids",
    "summary",
    "sync_hypotheses",
]
