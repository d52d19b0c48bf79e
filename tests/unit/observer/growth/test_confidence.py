"""The gates of a hypothesis's confidence, and what evidence leaves on its message."""

from __future__ import annotations

from typing import Any

import pytest

from mindloop.observer.growth.confidence import has_evidence, take_evidence, update_confidence
from mindloop.observer.growth.evidence import evidence_of
from mindloop.observer.growth.outcome import apply_outcome
from mindloop.observer.growth.state import clone
from mindloop.store.errors import Negative
from tests.helpers.growth_states import DAY, HASH, NOW, days, message, record_batch, recorded, result, sent

SAID = {"quote_span": "I left", "rationale": "they left"}


def answered(confidence: str = "medium", **more: Any) -> Any:
    """One message of H1 with its reply."""
    state = recorded()
    state, _ = apply_outcome(state, sent(state)["id"], "responded", None, days(1))
    state["hypotheses"][0] |= {"confidence": confidence, **more}
    return state


def evidence(direction: str = "supports", strength: str = "high", host: str = "claude") -> Any:
    said = {**SAID, "direction": direction, "strength": strength}
    return evidence_of(said, signal_id=HASH, hypothesis_id="H1", host=host, now=days(2))


@pytest.mark.parametrize(
    ("before", "direction", "after"),
    [
        ("low", "supports", "medium"),
        ("medium", "supports", "high"),
        ("high", "supports", "high"),
        ("high", "refutes", "medium"),
        ("medium", "refutes", "low"),
        ("low", "refutes", "low"),
        ("low", "neutral", "low"),
        ("high", "neutral", "high"),
    ],
)
def test_strong_evidence_moves_one_level(before: str, direction: str, after: str) -> None:
    """Up or down, and the ends of the scale hold."""
    state, told = update_confidence(answered(before), "H1", direction, "high")
    assert state["hypotheses"][0]["confidence"] == after
    assert told.startswith(f"H1: {before} to {after}" if before != after else f"H1 stays {before}")


@pytest.mark.parametrize("strength", ["medium", "low"])
@pytest.mark.parametrize("direction", ["supports", "refutes"])
def test_weaker_evidence_moves_nothing(strength: str, direction: str) -> None:
    """Only strength high does; the state stays the one it was."""
    before = answered()
    assert update_confidence(before, "H1", direction, strength)[0] is before


def test_a_stale_hypothesis_does_not_move() -> None:
    """It is asked about no more."""
    before = answered(decay_state="stale")
    assert update_confidence(before, "H1", "supports", "high") == (before, "H1 stays medium: it is stale")


def test_it_moves_once_in_a_cycle() -> None:
    """A second strong reply waits for the next recorded batch; then it counts."""
    once, _ = update_confidence(answered("low"), "H1", "supports", "high")
    assert once["hypotheses"][0]["confidence_updated_cycle"] == once["last_cycle_at"]
    twice, told = update_confidence(once, "H1", "supports", "high")
    assert (twice, told) == (once, "H1 stays medium: it moved in this cycle already")
    later, _ = record_batch(once, result(), DAY, days(5))
    assert update_confidence(later, "H1", "supports", "high")[1] == "H1: medium to high"


def test_an_end_of_the_scale_uses_up_no_cycle() -> None:
    """What did not move may still move the other way."""
    held, _ = update_confidence(answered("high"), "H1", "supports", "high")
    assert update_confidence(held, "H1", "refutes", "high")[1] == "H1: high to medium"


@pytest.mark.parametrize("name", [None, "H9"])
def test_no_hypothesis_no_confidence(name: str | None) -> None:
    """A message about a gap has none."""
    before = answered()
    assert update_confidence(before, name, "supports", "high") == (before, "")


def test_a_file_without_cycles_moves_once_too() -> None:
    """Its creation stands for the cycle."""
    state = answered("low")
    state["last_cycle_at"] = None
    once, _ = update_confidence(state, "H1", "supports", "high")
    assert once["hypotheses"][0]["confidence"] == "medium"
    assert update_confidence(once, "H1", "supports", "high")[0] == once


# --- evidence ---------------------------------------------------------------------------------------------------------


def test_evidence_rates_an_unrated_reply() -> None:
    """Strength is quality where nobody rated; counters and score follow."""
    before = answered("low")
    kept = clone(before)
    state, told = take_evidence(before, sent(before)["id"], evidence(strength="medium"), days(2))
    assert before == kept
    assert sent(state)["match_evidence"] == evidence(strength="medium")
    assert sent(state)["signal_quality"] == "medium"
    counters = state["question_patterns"][sent(state)["question_pattern"]]
    assert (counters["signal_quality_sum"], counters["signal_quality_count"]) == (0.5, 1)
    assert counters["effectiveness_score"] == 75
    assert state["last_updated"] == "2026-02-16T09:30:00Z"
    assert told == "H1 stays low: only strong evidence for or against moves it"


def test_a_rating_of_a_person_stays() -> None:
    """It was given with the confirmation."""
    state = recorded()
    state, _ = apply_outcome(state, sent(state)["id"], "responded", "low", days(1))
    after, _ = take_evidence(state, sent(state)["id"], evidence(), days(2))
    assert sent(after)["signal_quality"] == "low"
    assert after["question_patterns"] == state["question_patterns"]


def test_a_rehearsal_teaches_nothing() -> None:
    """Its evidence is there, labelled; no rating, no confidence, and a judge may still come."""
    before = answered("low")
    after, _ = take_evidence(before, sent(before)["id"], evidence(host="rehearsal"), days(2))
    assert after["hypotheses"] == before["hypotheses"]
    assert after["question_patterns"] == before["question_patterns"]
    assert sent(after)["match_evidence"]["classified_by"] == "rehearsal"  # type: ignore[index]  # it is there
    assert not has_evidence(sent(after))
    assert has_evidence(sent(take_evidence(after, sent(after)["id"], evidence(), days(2))[0]))


def test_a_hypothesis_that_was_stale_before_its_reply_keeps_its_confidence() -> None:
    """The reply made it active again, and the gate looks at what it was."""
    after, told = take_evidence(answered("low"), sent(answered("low"))["id"], evidence(), days(2), was_stale=True)
    assert after["hypotheses"] == answered("low")["hypotheses"]
    assert told == "H1 stays low: it was stale when the reply came"


def test_evidence_needs_an_answered_message() -> None:
    """Not one that waits, not one that is gone."""
    state = recorded(message())
    for name, why in ((sent(state)["id"], "'pending', not answered"), ("fu-2026-01-01-xabbu-9-9", "no longer kept")):
        with pytest.raises(Negative, match=why):
            take_evidence(state, name, evidence(), NOW)
