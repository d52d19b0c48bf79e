"""One cycle: silence, decay, score moves."""

from __future__ import annotations

import pytest

from mindloop.observer.growth.cycle import advance_cycle, detect_delta, expire_pending, run_decay
from mindloop.observer.growth.outcome import apply_outcome
from mindloop.observer.growth.state import sync_hypotheses
from mindloop.observer.growth.summary import summary
from tests.helpers.growth_states import (
    DAY,
    NOW,
    FakeSettings,
    days,
    fresh,
    hypothesis,
    message,
    record_batch,
    recorded,
    result,
    sent,
)

SCORES = {"og": 40, "nft": 20.5, "onchain": 77}
SNAPSHOT = {"og_score": 40, "nft_score": 20.5, "onchain_score": 77}
ID = "fu-2026-02-14-xabbu-1-1"
REHEARSED = {**result(), "host": "rehearsal"}


@pytest.mark.parametrize(("age", "outcome"), [(13.99, "pending"), (14, "silence"), (15, "silence")])
def test_a_message_falls_silent_with_its_last_day(age, outcome):
    """The window in days is inclusive."""
    state = expire_pending(recorded(), 3, 14, days(age))
    assert sent(state)["outcome"] == outcome


@pytest.mark.parametrize(("batches", "outcome"), [(3, "pending"), (4, "silence")])
def test_a_message_falls_silent_with_the_third_batch_after_it(batches, outcome):
    """The window in batches counts those recorded since, not the message's own."""
    state = expire_pending(recorded(batches=batches), 3, 14, NOW)
    assert sent(state)["outcome"] == outcome
    assert sent(state, batch=1)["outcome"] == "pending"


def test_silence_is_dated_and_counted_once():
    """Expiry fills outcome_at and one count; expiring again changes nothing."""
    state = expire_pending(recorded(), 3, 14, days(20))
    assert sent(state)["outcome_at"] == "2026-03-06T09:30:00Z"
    assert state["question_patterns"]["verify_action"]["silence_count"] == 1
    assert expire_pending(state, 3, 14, days(30)) == state


@pytest.mark.parametrize("outcome", ["responded", "unknown", "silence"])
def test_only_pending_messages_expire(outcome):
    """What has an outcome keeps it, however old it is."""
    state, _ = apply_outcome(recorded(), ID, outcome, None, days(1))
    assert expire_pending(state, 3, 14, days(99)) == state


def test_an_unreadable_sent_at_falls_back_to_the_batch_day():
    """A field that someone broke by hand neither raises nor keeps a message pending for ever."""
    state = recorded()
    sent(state)["sent_at"] = "yesterday-ish"
    assert sent(expire_pending(state, 3, 14, days(14)))["outcome"] == "silence"
    state["follow_ups"][0]["batch_date"] = "?"
    assert sent(expire_pending(state, 3, 14, days(999)))["outcome"] == "pending"


def test_nothing_decays_before_the_first_recorded_batch():
    """A state without a last cycle stays as it is."""
    state = sync_hypotheses(fresh(), [hypothesis()])
    assert run_decay(state, 3, 6, days(1)) == state


@pytest.mark.parametrize(
    ("before", "after", "decay"),
    [(0, 1, "active"), (1, 2, "active"), (2, 3, "decaying"), (4, 5, "decaying"), (5, 6, "stale")],
)
def test_cycles_without_evidence_decay(before, after, decay):
    """Three cycles make a hypothesis decaying, six make it stale, both inclusive."""
    state = recorded()
    state["hypotheses"][0]["cycles_without_evidence"] = before
    known = run_decay(state, 3, 6, days(1))["hypotheses"][0]
    assert (known["cycles_without_evidence"], known["decay_state"]) == (after, decay)


def test_evidence_since_the_last_cycle_resets_the_count():
    """A date of evidence after the last cycle began makes a stale hypothesis active."""
    state = recorded()
    state["hypotheses"][0].update(
        cycles_without_evidence=6, decay_state="stale", last_evidence_date="2026-02-14T09:30:01Z"
    )
    known = run_decay(state, 3, 6, days(1))["hypotheses"][0]
    assert (known["cycles_without_evidence"], known["decay_state"]) == (0, "active")


def test_evidence_at_the_boundary_belongs_to_the_last_cycle():
    """Evidence from exactly the last cycle's start was counted then."""
    state = recorded()
    state["hypotheses"][0]["last_evidence_date"] = state["last_cycle_at"]
    assert run_decay(state, 3, 6, days(1))["hypotheses"][0]["cycles_without_evidence"] == 1


def test_a_reply_to_its_message_is_evidence_too():
    """A message that became responded since keeps its hypothesis active, even where no date of evidence was written."""
    state, _ = apply_outcome(recorded(), ID, "responded", None, days(1))
    state["hypotheses"][0]["last_evidence_date"] = None
    assert run_decay(state, 3, 6, days(2))["hypotheses"][0]["cycles_without_evidence"] == 0


def test_silence_and_older_replies_are_no_evidence():
    """A message that fell silent since, or was answered before the last cycle, does not keep its hypothesis alive."""
    silent, _ = apply_outcome(recorded(), ID, "silence", None, days(1))
    answered, _ = apply_outcome(recorded(), ID, "responded", None, days(-1))
    answered["hypotheses"][0]["last_evidence_date"] = None
    for state in (silent, answered):
        assert run_decay(state, 3, 6, days(2))["hypotheses"][0]["cycles_without_evidence"] == 1


def test_a_clock_that_went_back_decays_nothing():
    """Where the last cycle lies in the future nothing can be said of time passed."""
    state = recorded()
    assert run_decay(state, 3, 6, days(-1)) == state


def test_the_first_scores_are_only_the_baseline():
    """With nothing to compare with there is no delta."""
    state = detect_delta(fresh(), SCORES, 5, NOW)
    assert state["score_deltas"] == []
    assert state["last_scores"] == {"og": 40, "nft": 20.5, "onchain": 77, "captured_at": "2026-02-14T09:30:00Z"}


def test_a_change_must_be_greater_than_the_threshold():
    """Five points are none, more than five are; the baseline moves either way."""
    state = detect_delta(detect_delta(fresh(), SCORES, 5, NOW), {"og": 45, "nft": 15.4, "onchain": 90}, 5, days(1))
    assert state["score_deltas"] == [
        {
            "captured_at": "2026-02-15T09:30:00Z",
            "batch_seq": 1,
            "changes": [
                {"dim": "nft", "from": 20.5, "to": 15.4, "diff": -5.1},
                {"dim": "onchain", "from": 77, "to": 90, "diff": 13},
            ],
            "behavioral_signal": True,
        }
    ]
    assert state["last_scores"] == {"og": 45, "nft": 15.4, "onchain": 90, "captured_at": "2026-02-15T09:30:00Z"}


def test_a_score_that_is_not_known_is_not_compared():
    """A missing dimension keeps its baseline, so that it is compared when it comes back."""
    state = detect_delta(detect_delta(fresh(), SCORES, 5, NOW), {"og": None, "nft": 21}, 5, days(1))
    assert state["score_deltas"][-1]["behavioral_signal"] is False
    assert state["last_scores"] == {"og": 40, "nft": 21, "onchain": 77, "captured_at": "2026-02-15T09:30:00Z"}
    assert detect_delta(fresh(), {"og": None}, 5, NOW) == fresh()


def test_ten_deltas_are_kept():
    """The oldest goes when the eleventh comes."""
    state = detect_delta(fresh(), {"og": 0}, 5, NOW)
    for number in range(1, 12):
        state = detect_delta(state, {"og": number * 10}, 5, days(number))
    assert [delta["changes"][0]["to"] for delta in state["score_deltas"]] == [number * 10 for number in range(2, 12)]


def test_a_cycle_is_counted_once_a_recorded_batch():
    """A user who is skipped after growth was advanced does not decay again in the next run."""
    state = recorded()
    first = advance_cycle(state, FakeSettings(), days(1), SNAPSHOT)
    second = advance_cycle(first, FakeSettings(), days(2), SNAPSHOT)
    assert first["hypotheses"][0]["cycles_without_evidence"] == 1
    assert second == first
    third = advance_cycle(record_batch(second, result(), DAY, days(2))[0], FakeSettings(), days(3), SNAPSHOT)
    assert third["hypotheses"][0]["cycles_without_evidence"] == 2


def test_a_state_without_the_mark_of_a_cycle_counts_one():
    """A file that another tool wrote has no decay_seq; it is not an error."""
    state = recorded()
    del state["decay_seq"]
    advanced = advance_cycle(state, FakeSettings(), days(1), {})
    assert (advanced["decay_seq"], advanced["hypotheses"][0]["cycles_without_evidence"]) == (2, 1)


def test_silence_still_comes_in_a_cycle_that_was_counted():
    """Time goes on for messages even where the user is skipped again and again."""
    state = advance_cycle(recorded(), FakeSettings(), days(1), SNAPSHOT)
    assert sent(advance_cycle(state, FakeSettings(), days(14), SNAPSHOT))["outcome"] == "silence"


def test_a_score_that_moves_in_a_counted_cycle_is_still_found():
    """A small step leaves the baseline of the cycle, so that two small steps make one that is reported."""
    state = advance_cycle(recorded(), FakeSettings(), days(1), SNAPSHOT)
    small = advance_cycle(state, FakeSettings(), days(2), {**SNAPSHOT, "og_score": 44})
    large = advance_cycle(small, FakeSettings(), days(3), {**SNAPSHOT, "og_score": 48})
    assert small == state
    assert large["score_deltas"][-1]["changes"] == [{"dim": "og", "from": 40, "to": 48, "diff": 8}]
    assert advance_cycle(large, FakeSettings(), days(4), {**SNAPSHOT, "og_score": 48}) == large


def test_a_baseline_that_comes_late_is_taken():
    """Where the score API had nothing in a cycle's first run, its next answer becomes the baseline."""
    state = advance_cycle(recorded(), FakeSettings(), days(1), {})
    assert state["last_scores"] is None
    assert advance_cycle(state, FakeSettings(), days(2), SNAPSHOT)["last_scores"]["og"] == 40


def test_advancing_takes_new_hypotheses_of_the_canvas():
    """A hypothesis that was written since the last batch is known from this cycle on."""
    state = advance_cycle(recorded(), FakeSettings(), days(1), SNAPSHOT, [hypothesis(1), hypothesis(4)])
    assert [known["id"] for known in state["hypotheses"]] == ["H1", "H4"]


def test_the_response_window_of_the_settings_counts():
    """Windows are configuration."""
    settings = FakeSettings(observer__growth__response_window__max_days=2)
    state = advance_cycle(recorded(message()), settings, days(2), SNAPSHOT)
    assert sent(state)["outcome"] == "silence"
    assert state["last_updated"] == "2026-02-16T09:30:00Z"


def test_a_rehearsed_message_is_never_silence():
    """It was not sent, so no window ends, and no counter moves that a cognition is compared with."""
    state, _ = record_batch(fresh(), REHEARSED, DAY, NOW)
    assert expire_pending(state, 3, 14, days(20)) == state


def test_rehearsals_bring_silence_no_nearer():
    """Only batches that were sent count as batches since, also where the rehearsals between are pruned."""
    state = recorded()
    for _ in range(9):
        state, _ = record_batch(state, REHEARSED, DAY, NOW, 4)
    for _ in range(2):
        state, _ = record_batch(state, result(), DAY, NOW, 4)
    assert [batch["batch_seq"] for batch in state["follow_ups"]] == [1, 10, 11, 12]
    assert sent(expire_pending(state, 3, 14, NOW))["outcome"] == "pending"
    state, _ = record_batch(state, result(), DAY, NOW, 4)
    assert [batch["batch_seq"] for batch in state["follow_ups"]] == [1, 11, 12, 13]
    assert sent(expire_pending(state, 3, 14, NOW))["outcome"] == "silence"


def test_a_gap_of_another_tool_counts_as_before():
    """A file that counts no rehearsals has none: numbers that are missing in it were batches that were sent."""
    state = recorded()
    del state["rehearsed_batches"]
    state["next_batch_seq"] = 5
    assert sent(expire_pending(state, 3, 14, NOW))["outcome"] == "silence"


def test_a_rehearsal_is_no_cycle():
    """Decay was counted for the batch that was sent; the runs after rehearsals count nothing and lose no score move."""
    state = recorded()
    state = advance_cycle(state, FakeSettings(), days(1), SNAPSHOT)
    state = advance_cycle(state, FakeSettings(), days(1), {**SNAPSHOT, "og_score": 60})
    once = state["hypotheses"]
    assert once[0]["cycles_without_evidence"] == 1
    for day in range(2, 6):
        state, _ = record_batch(state, REHEARSED, DAY, days(day))
        state = advance_cycle(state, FakeSettings(), days(day), {**SNAPSHOT, "og_score": 60})
    assert state["hypotheses"] == once
    assert (state["last_cycle_at"], state["rehearsed_batches"]) == (recorded()["last_cycle_at"], 4)
    assert summary(state)["score_delta"] == [{"dim": "og", "from": 40, "to": 60, "diff": 20}]
    state, _ = record_batch(state, result(), DAY, days(6))
    assert advance_cycle(state, FakeSettings(), days(7), SNAPSHOT)["hypotheses"][0]["cycles_without_evidence"] == 2
