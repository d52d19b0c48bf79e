"""The transition table of outcomes."""

from __future__ import annotations

import pytest

from mindloop.observer.growth.outcome import apply_outcome
from mindloop.store.errors import Negative, WrongInput
from tests.helpers.growth_states import NOW, days, message, recorded, sent

ID = "fu-2026-02-14-xabbu-1-1"
PATTERN = "verify_action"


def _counts(state) -> tuple[int, int, int]:
    counters = state["question_patterns"][PATTERN]
    return counters["responded_count"], counters["silence_count"], counters["unknown_count"]


MOVES = [
    (["responded"], (1, 0, 0), False),
    (["silence"], (0, 1, 0), False),
    (["unknown"], (0, 0, 1), False),
    (["silence", "responded"], (1, 0, 0), True),
    (["unknown", "responded"], (1, 0, 0), False),
    (["silence", "unknown"], (0, 0, 1), False),
    (["unknown", "silence"], (0, 1, 0), False),
    (["unknown", "silence", "responded"], (1, 0, 0), True),
]


@pytest.mark.parametrize(("outcomes", "counts", "late"), MOVES)
def test_each_transition_moves_one_count(outcomes, counts, late):
    """A message is counted once, under its latest outcome; only a reply after silence is late."""
    state = recorded()
    for outcome in outcomes:
        state, warning = apply_outcome(state, ID, outcome, None, days(1))
        assert warning is None
    assert _counts(state) == counts
    assert (sent(state)["outcome"], sent(state)["late_response"]) == (outcomes[-1], late)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("responded", "responded"),
        ("responded", "silence"),
        ("responded", "unknown"),
        ("silence", "silence"),
        ("unknown",) * 2,
    ],
)
def test_what_may_not_follow_changes_nothing_and_warns(first, second):
    """A reply is final and an outcome is counted once: the state comes back as it was."""
    state, _ = apply_outcome(recorded(), ID, first, None, days(1))
    after, warning = apply_outcome(state, ID, second, "high" if second == "responded" else None, days(2))
    assert after == state
    assert warning == f"{ID} stays {first!r}: {second!r} changes nothing"


def test_a_reply_is_rated_and_dated():
    """Quality, dates and the pattern's averages follow from one reply."""
    state, _ = apply_outcome(recorded(), ID, "responded", "medium", days(2), response_date="2026-02-15T00:00:00Z")
    reply = sent(state)
    assert (reply["signal_quality"], reply["response_date"], reply["outcome_at"]) == (
        "medium",
        "2026-02-15T00:00:00Z",
        "2026-02-16T09:30:00Z",
    )
    assert state["question_patterns"][PATTERN] == {
        "times_used": 1,
        "unknown_count": 0,
        "silence_count": 0,
        "responded_count": 1,
        "signal_quality_sum": 0.5,
        "signal_quality_count": 1,
        "response_rate": 1.0,
        "avg_signal_quality": 0.5,
        "effectiveness_score": 75,
    }
    assert state["last_updated"] == "2026-02-16T09:30:00Z"


def test_a_reply_without_a_date_is_dated_now():
    """Where nobody knows when the user replied, the recording time stands in."""
    state, _ = apply_outcome(recorded(), ID, "responded", None, days(2))
    assert sent(state)["response_date"] == "2026-02-16T09:30:00Z"
    assert state["question_patterns"][PATTERN]["signal_quality_count"] == 0


def test_a_reply_revives_every_hypothesis_of_its_message():
    """Evidence sets a decayed hypothesis back to active with no cycles; others are left alone."""
    state = recorded(message("H1 and H2: both"))
    state["hypotheses"].append({**state["hypotheses"][0], "id": "H2"})
    state["hypotheses"].append({**state["hypotheses"][0], "id": "H3"})
    for known in state["hypotheses"]:
        known.update(decay_state="stale", cycles_without_evidence=6)
    state, _ = apply_outcome(state, ID, "responded", "low", days(1))
    assert [
        (known["id"], known["decay_state"], known["cycles_without_evidence"], known["last_evidence_date"])
        for known in state["hypotheses"]
    ] == [
        ("H1", "active", 0, "2026-02-15T09:30:00Z"),
        ("H2", "active", 0, "2026-02-15T09:30:00Z"),
        ("H3", "stale", 6, None),
    ]


def test_silence_is_no_evidence():
    """A hypothesis keeps its cycles when its message falls silent."""
    state = recorded()
    state["hypotheses"][0]["cycles_without_evidence"] = 2
    state, _ = apply_outcome(state, ID, "silence", None, days(1))
    assert state["hypotheses"][0]["cycles_without_evidence"] == 2


def test_counters_that_were_lost_by_hand_are_made_anew():
    """A pattern missing from an edited file is counted from zero, and no count goes below it."""
    state, _ = apply_outcome(recorded(), ID, "silence", None, days(1))
    state["question_patterns"].clear()
    state, _ = apply_outcome(state, ID, "responded", "high", days(2))
    assert _counts(state) == (1, 0, 0)


def test_an_unknown_message_is_a_negative_answer():
    """An id that growth does not keep is named, and nothing changes."""
    with pytest.raises(Negative, match="fu-2026-02-14-xabbu-9-1") as caught:
        apply_outcome(recorded(), "fu-2026-02-14-xabbu-9-1", "responded", None, NOW)
    assert caught.value.exit_code == 1


@pytest.mark.parametrize(
    ("outcome", "quality", "words"),
    [
        ("pending", None, "outcome 'pending' does not exist"),
        ("replied", None, "outcome 'replied' does not exist"),
        ("responded", "great", "signal quality 'great' does not exist"),
        ("silence", "high", "'silence' has no signal quality"),
    ],
)
def test_words_that_do_not_exist_are_refused(outcome, quality, words):
    """A wrong outcome or quality names what came and what is possible."""
    with pytest.raises(WrongInput, match=words):
        apply_outcome(recorded(), ID, outcome, quality, NOW)
