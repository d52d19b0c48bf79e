"""When a cognition sidecar is stale."""

from __future__ import annotations

import hashlib

import pytest

from mindloop.observer.cognition import staleness as rule
from mindloop.observer.cognition.staleness import cycle_index, growth_hash, score_hash
from mindloop.observer.growth.cycle import expire_pending, run_decay
from mindloop.observer.growth.outcome import apply_outcome
from tests.helpers.growth_states import DAY, days, fresh, record_batch, recorded, result

RAW = '{"rank": 12}'
ENRICHED = "2026-02-11T14:23:00Z"
ID = "fu-2026-02-14-xabbu-1-1"


def _sidecar(growth=None, enriched=ENRICHED, score=RAW, **more):
    return {
        "distilled_at_cycle_index": cycle_index(growth),
        "stale_after_cycles": 3,
        "input_anchors": {
            "canvas_last_enriched": enriched,
            "growth_state_hash": growth_hash(growth),
            "score_snapshot_hash": score_hash(score),
        },
        **more,
    }


def staleness(sidecar, last_enriched, growth, score, limit=3):
    return rule.staleness(sidecar, last_enriched, growth, score, default_limit=limit)


def test_unchanged_inputs_are_fresh():
    """With the inputs it was made from, a sidecar has no reason to be stale."""
    assert staleness(_sidecar(recorded()), ENRICHED, recorded(), RAW) == []
    assert staleness(_sidecar(None), ENRICHED, None, RAW) == []


def test_recording_a_batch_does_not_make_it_stale():
    """A run records a batch after it read the sidecar: the next run still finds it fresh, also the first time."""
    state, _ = record_batch(fresh(), result(), DAY, days(0))
    later, _ = record_batch(state, result(), DAY, days(1))
    assert staleness(_sidecar(None), ENRICHED, state, RAW) == []
    assert staleness(_sidecar(state), ENRICHED, later, RAW) == []


def test_rehearsals_do_not_make_it_stale():
    """However often and however long ago: nobody was sent anything."""
    state = recorded()
    rehearsed = state
    for day in range(5):
        rehearsed, _ = record_batch(rehearsed, {**result(), "host": "rehearsal"}, DAY, days(day), max_batches=3)
    later = expire_pending(rehearsed, 9, 99, days(98))
    assert cycle_index(later) == cycle_index(state) == 1
    assert staleness(_sidecar(state), ENRICHED, later, RAW) == []


def test_a_file_that_counts_no_rehearsals_had_none():
    """Its cycles are its batch numbers, as they always were; a count that cannot be is no negative cycle."""
    state = recorded(batches=3)
    del state["rehearsed_batches"]
    assert cycle_index(state) == 3
    assert cycle_index({**state, "rehearsed_batches": 9}) == 0


def test_pruning_does_not_make_it_stale():
    """Outcomes are compared through lifetime counters, which outlive their batches."""
    state, _ = apply_outcome(recorded(), ID, "silence", None, days(1))
    pruned, _ = record_batch(state, result(), DAY, days(2), max_batches=1)
    assert staleness(_sidecar(state), ENRICHED, pruned, RAW) == []


@pytest.mark.parametrize(("passed", "reasons"), [(2, []), (3, ["3 cycles since it was made (limit 3)"])])
def test_enough_cycles_make_it_stale(passed, reasons):
    """The limit is inclusive, and counts recorded batches rather than kept ones."""
    state = recorded()
    sidecar = _sidecar(state)
    for _number in range(passed):
        state, _ = record_batch(state, result(), DAY, days(0), max_batches=1)
    assert staleness(sidecar, ENRICHED, state, RAW) == reasons


def test_a_sidecar_without_counts_uses_the_default():
    """Missing or broken numbers are the configured cycles from the beginning; a sidecar's own limit goes first."""
    sidecar = _sidecar(None, stale_after_cycles="x", distilled_at_cycle_index=None)
    assert staleness(sidecar, ENRICHED, recorded(batches=3), RAW) == ["3 cycles since it was made (limit 3)"]
    assert staleness(sidecar, ENRICHED, recorded(batches=3), RAW, 4) == []
    assert staleness(sidecar, ENRICHED, recorded(batches=3), RAW, 2) == ["3 cycles since it was made (limit 2)"]
    assert staleness(_sidecar(None), ENRICHED, recorded(batches=3), RAW, 9) == ["3 cycles since it was made (limit 3)"]


@pytest.mark.parametrize(
    ("anchor", "now", "reasons"),
    [
        (ENRICHED, "2026-02-12T00:00:00Z", ["the canvas was enriched since"]),
        (ENRICHED, "2026-02-11T15:23:00+01:00", []),
        (None, None, []),
        (None, ENRICHED, ["the canvas was enriched since"]),
        (ENRICHED, None, ["the canvas was enriched since"]),
        ("soon", "soon", []),
    ],
)
def test_an_enriched_canvas_makes_it_stale(anchor, now, reasons):
    """Instants are compared, not their spelling."""
    assert staleness(_sidecar(None, enriched=anchor), now, None, RAW) == reasons


def test_what_growth_learns_makes_it_stale():
    """A reply, silence or decay changes the projection; the reason says so."""
    state = recorded()
    sidecar = _sidecar(state)
    replied, _ = apply_outcome(state, ID, "responded", "high", days(1))
    silent = expire_pending(state, 3, 14, days(20))
    decayed = run_decay(state, 1, 6, days(1))
    for changed in (replied, silent, decayed):
        assert staleness(sidecar, ENRICHED, changed, RAW) == ["growth has learned something since"]


def test_growth_that_goes_away_makes_it_stale():
    """A sidecar that was made with what growth knew is stale without it."""
    replied, _ = apply_outcome(recorded(), ID, "responded", "high", days(1))
    assert staleness(_sidecar(replied), ENRICHED, None, RAW) == ["growth has learned something since"]


@pytest.mark.parametrize(
    ("anchor", "now", "reasons"),
    [
        (RAW, '{"rank": 13}', ["the score moved since"]),
        (None, RAW, []),
        (RAW, None, []),
        (RAW, "", []),
    ],
)
def test_a_moved_score_makes_it_stale(anchor, now, reasons):
    """The raw text is compared; where either side is not available nothing is."""
    assert staleness(_sidecar(None, score=anchor), ENRICHED, None, now) == reasons


def test_anchors_in_any_spelling_are_compared():
    """A prefix or capitals do not make a hash another one."""
    sidecar = _sidecar(None)
    sidecar["input_anchors"]["score_snapshot_hash"] = "sha256:" + score_hash(RAW).upper()
    assert staleness(sidecar, ENRICHED, None, RAW) == []


def test_all_reasons_are_told():
    """A sidecar without anchors tells each trigger that fired, in their order."""
    replied, _ = apply_outcome(recorded(batches=3), ID, "responded", "high", days(1))
    assert staleness({"input_anchors": "?"}, ENRICHED, replied, RAW) == [
        "3 cycles since it was made (limit 3)",
        "the canvas was enriched since",
        "growth has learned something since",
    ]


def test_hashes_of_nothing_have_their_words():
    """No growth is "none", no score is "unavailable"; a score is hashed as it came."""
    assert (growth_hash(None), growth_hash(fresh()), score_hash(None), score_hash("")) == (
        "none",
        "none",
        "unavailable",
        "unavailable",
    )
    assert score_hash(RAW) == hashlib.sha256(RAW.encode()).hexdigest()
