"""How well a question pattern works."""

from __future__ import annotations

import pytest

from mindloop.observer.growth.metrics import is_effective, is_ineffective, new_counters, recompute

EXAMPLES = [
    (1, 0, [1.0], 100),
    (1, 0, [0.0], 50),
    (2, 2, [0.5, 0.5], 38),
    (1, 4, [0.0], 10),
    (1, 1, [], 25),
    (0, 3, [], 0),
]


def _counters(responded: int, silence: int, ratings: list[float]):
    counters = new_counters()
    counters.update(
        responded_count=responded,
        silence_count=silence,
        signal_quality_sum=sum(ratings),
        signal_quality_count=len(ratings),
    )
    recompute(counters)
    return counters


@pytest.mark.parametrize(("responded", "silence", "ratings", "score"), EXAMPLES)
def test_effectiveness_of_known_outcomes(responded, silence, ratings, score):
    """The score is the response rate, halved where every reply was of low quality."""
    assert _counters(responded, silence, ratings)["effectiveness_score"] == score


def test_a_pattern_without_outcomes_scores_nothing():
    """Dividing by no outcomes gives zeros, not an error."""
    counters = _counters(0, 0, [])
    assert (counters["response_rate"], counters["avg_signal_quality"], counters["effectiveness_score"]) == (0.0, 0.0, 0)


def test_pending_messages_do_not_make_a_pattern_ineffective():
    """Nothing is said of a pattern whose messages wait for an answer, nor after a single silence."""
    waiting = new_counters()
    waiting["times_used"] = 9
    assert is_ineffective(waiting) is False
    assert is_ineffective(_counters(0, 1, [])) is False
    assert is_ineffective(_counters(0, 2, [])) is True


@pytest.mark.parametrize(("responded", "silence", "expected"), [(1, 4, False), (1, 5, True)])
def test_twenty_is_not_yet_ineffective(responded, silence, expected):
    """A score of 20 is spared, one of 17 is not."""
    assert is_ineffective(_counters(responded, silence, [1.0] * responded)) is expected


@pytest.mark.parametrize(("responded", "silence", "expected"), [(3, 2, True), (4, 3, False)])
def test_sixty_is_effective(responded, silence, expected):
    """A score of 60 is effective, one of 57 is not."""
    assert is_effective(_counters(responded, silence, [1.0] * responded)) is expected
