"""The rules for growth states: what has to be unique is unique, what has to add up adds up."""

from __future__ import annotations

from typing import Any

import pytest

from mindloop.observer.growth.checks import batch_problems, counter_problems, message_problems


def message(identity: str = "fu-2026-02-14-alice-1-1", token: str = "00000001", **more: Any) -> dict[str, Any]:
    return {"id": identity, "token": token, "outcome": "pending", "question_pattern": "probe_gap", **more}


def batch(seq: int = 1, *messages: dict[str, Any], **more: Any) -> dict[str, Any]:
    held = list(messages)
    return {"batch_date": "2026-02-14", "batch_seq": seq, "messages_sent": len(held), "message_ids": held, **more}


def state(*batches: dict[str, Any], **patterns: dict[str, Any]) -> dict[str, Any]:
    return {"next_batch_seq": 9, "follow_ups": list(batches), "question_patterns": patterns}


def test_a_state_that_adds_up_is_silent() -> None:
    """Two batches, counters to match: nothing to say."""
    good = state(
        batch(1, message(outcome="responded")),
        batch(3, message("fu-2026-02-14-alice-3-1", "00000002")),
        probe_gap={"times_used": 2, "responded_count": 1, "response_rate": 1.0, "effectiveness_score": 50},
    )
    assert [*batch_problems(good), *message_problems(good), *counter_problems(good)] == []


@pytest.mark.parametrize(
    ("batches", "what"),
    [
        ([batch(2), batch(2)], "batch 2 comes after batch 2"),
        ([batch(9)], "batch 9 is not below next_batch_seq 9: its ids would be given out again"),
        ([batch(1, message(), messages_sent=3)], "batch 1 says 3 messages and holds 1"),
    ],
)
def test_batches_out_of_order(batches: list[dict[str, Any]], what: str) -> None:
    """Numbers rise, stay below the next one, and tell the truth about the messages."""
    assert list(batch_problems(state(*batches))) == [what]


@pytest.mark.parametrize(
    ("messages", "what"),
    [
        ([message(), message(token="2" * 8)], "the message id fu-2026-02-14-alice-1-1 is there twice"),
        ([message(), message("fu-2026-02-14-alice-1-2")], "the token 00000001 is that of two messages"),
        (
            [message("fu-2026-02-14-alice-2-1")],
            "the message id fu-2026-02-14-alice-2-1 is not of batch 1 of 2026-02-14",
        ),
        (
            [message("fu-2026-02-13-alice-1-1")],
            "the message id fu-2026-02-13-alice-1-1 is not of batch 1 of 2026-02-14",
        ),
    ],
)
def test_ids_and_tokens_name_one_message(messages: list[dict[str, Any]], what: str) -> None:
    """A reply that carries a token must mean one message."""
    (told,) = message_problems(state(batch(1, *messages)))
    assert told.startswith(what)


@pytest.mark.parametrize(
    ("counters", "what"),
    [
        ({"times_used": 1, "silence_count": 2}, "probe_gap: 2 outcomes of 1 uses"),
        ({"times_used": 1, "signal_quality_count": 1}, "probe_gap: 1 rated replies of 0"),
        (
            {"times_used": 2, "silence_count": 1, "response_rate": 0.5},
            "probe_gap: response_rate is 0.5, its counts give 0",
        ),
        ({"times_used": 0}, "probe_gap: times_used is 0, the kept messages alone make 1"),
    ],
)
def test_counters_that_do_not_add_up(counters: dict[str, Any], what: str) -> None:
    """A pattern's counters never say less than the messages, nor contradict each other."""
    told = list(counter_problems(state(batch(1, message()), probe_gap=counters)))
    assert [one.removesuffix(".0") for one in told] == [what]
