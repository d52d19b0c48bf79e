"""Growth states as values."""

from __future__ import annotations

from types import SimpleNamespace

from mindloop.observer.cognition.staleness import growth_hash
from mindloop.observer.growth.cycle import advance_cycle
from mindloop.observer.growth.metrics import new_counters
from mindloop.observer.growth.outcome import apply_outcome
from mindloop.observer.growth.state import GrowthPolicy, clone, new_growth, stale_ids, sync_hypotheses
from mindloop.observer.growth.summary import summary
from tests.helpers.growth_states import DAY, NOW, FakeSettings, fresh, hypothesis, record_batch, recorded, result

ID = "fu-2026-02-14-xabbu-1-1"


def test_a_new_state_has_every_field():
    """A user's first state is complete, so that no reader needs a default."""
    assert new_growth("Xabbu", "0x" + "a" * 40, NOW) == {
        "schema_version": 1,
        "user": "Xabbu",
        "wallet": "0x" + "a" * 40,
        "created_at": "2026-02-14T09:30:00Z",
        "last_updated": "2026-02-14T09:30:00Z",
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


def test_hypotheses_come_from_the_canvas():
    """A hypothesis that growth does not know starts active, without cycles."""
    state = sync_hypotheses(fresh(), [SimpleNamespace(id="H2", title="Wants rank", confidence="Medium")])
    assert state["hypotheses"] == [
        {
            "id": "H2",
            "title": "Wants rank",
            "confidence": "medium",
            "decay_state": "active",
            "cycles_without_evidence": 0,
            "last_evidence_date": None,
            "confidence_updated_cycle": None,
        }
    ]


def test_syncing_keeps_what_growth_learned():
    """Decay and confidence of a known hypothesis stay; the title follows the canvas; nothing is deleted."""
    state = recorded()
    state["hypotheses"][0].update(decay_state="stale", cycles_without_evidence=7, confidence="high")
    synced = sync_hypotheses(state, [hypothesis(1, "New words"), hypothesis(3)])
    assert [
        (known["id"], known["title"], known["decay_state"], known["confidence"]) for known in synced["hypotheses"]
    ] == [
        ("H1", "New words", "stale", "high"),
        ("H3", "Trust in badges", "active", "low"),
    ]
    assert sync_hypotheses(synced, []) == synced


def test_confidence_between_two_levels_is_the_lower_one():
    """Medium-High is medium; an unknown word is low."""
    found = sync_hypotheses(fresh(), [hypothesis(1, confidence="Medium-High"), hypothesis(2, confidence="sure")])
    assert [known["confidence"] for known in found["hypotheses"]] == ["medium", "low"]


def test_stale_ids_are_those_that_decayed():
    """Only stale hypotheses are excluded, decaying ones are not."""
    state = sync_hypotheses(fresh(), [hypothesis(1), hypothesis(2), hypothesis(3)])
    state["hypotheses"][0]["decay_state"] = "stale"
    state["hypotheses"][1]["decay_state"] = "decaying"
    assert stale_ids(state) == ["H1"]


def test_a_copy_shares_nothing_and_keeps_unknown_fields():
    """Changing a copy never reaches the original; fields of a later version are copied as well."""
    state = recorded()
    state["later_field"] = {"deep": [1, {"x": "y"}]}
    copied = clone(state)
    copied["later_field"]["deep"][1]["x"] = "changed"
    copied["follow_ups"][0]["message_ids"].clear()
    assert state["later_field"] == {"deep": [1, {"x": "y"}]}
    assert len(state["follow_ups"][0]["message_ids"]) == 1


def test_a_file_that_leaves_fields_out_is_completed():
    """A valid file needs few fields; the others are as if nothing were known."""
    bare = {
        "schema_version": 1,
        "user": "xabbu",
        "next_batch_seq": 2,
        "follow_ups": [
            {"batch_date": DAY, "batch_seq": 1, "message_ids": [{"id": ID, "token": "0" * 8, "outcome": "pending"}]}
        ],
        "hypotheses": [{"id": "H1"}],
        "question_patterns": {"probe_gap": {"times_used": 3}},
        "score_deltas": [{"captured_at": "2026-02-14T09:30:00Z"}],
    }
    completed = clone(bare)
    assert (completed["last_cycle_at"], completed["created_at"]) == (None, "1970-01-01T00:00:00Z")
    assert completed["hypotheses"] == [
        {
            "id": "H1",
            "title": "",
            "confidence": "low",
            "decay_state": "active",
            "cycles_without_evidence": 0,
            "last_evidence_date": None,
            "confidence_updated_cycle": None,
        }
    ]
    assert completed["question_patterns"]["probe_gap"] == {**new_counters(), "times_used": 3}
    assert (stale_ids(bare), growth_hash(bare)) == ([], "none")
    assert summary(bare)["pending_followups"] == [{"id": ID, "hypothesis": "", "sent_at": ""}]
    advanced = advance_cycle(bare, FakeSettings(), NOW, {})
    assert apply_outcome(advanced, ID, "responded", "high", NOW)[0]["next_batch_seq"] == 2
    assert record_batch(bare, result(), DAY, NOW)[1] == ["1fb140f7"]


def test_the_policy_reads_the_settings():
    """Each number comes from its own key."""
    policy = GrowthPolicy(
        FakeSettings(
            observer__growth__response_window__max_cycles=1,
            observer__growth__response_window__max_days=2,
            observer__growth__decay__cycles_to_decaying=4,
            observer__growth__decay__cycles_to_stale=5,
            observer__growth__score_delta__threshold=7.5,
        )
    )
    assert [getattr(policy, name) for name in GrowthPolicy.__slots__] == [1, 2, 7.5, 4, 5]
