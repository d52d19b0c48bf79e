"""Ids, tokens, counters and retention."""

from __future__ import annotations

import pytest

from mindloop.observer.growth.cycle import advance_cycle
from mindloop.observer.growth.outcome import apply_outcome
from mindloop.observer.growth.record import MESSAGE_ID, message_id, reserve, token_of
from mindloop.store import schemas, strict_yaml
from mindloop.store.errors import WrongInput
from tests.helpers.growth_states import (
    DAY,
    HASH,
    NOW,
    FakeSettings,
    days,
    fresh,
    identifiers,
    message,
    record_batch,
    recorded,
    result,
    sent,
)


@pytest.mark.parametrize(("number", "token"), [(1, "75d2f0ef"), (2, "c2bcb863")])
def test_token_vectors(number, token):
    """A token is the head of the id's SHA-256, without a line break."""
    assert token_of(message_id("2026-02-14", "xabbu", 1, number)) == token


def test_reserving_consumes_nothing_and_recording_agrees():
    """Tokens can be printed before the batch is recorded, and are the recorded ones."""
    state = fresh()
    reserved = reserve(state, "xabbu", 2, DAY)
    assert reserved == [("fu-2026-02-14-xabbu-1-1", "75d2f0ef"), ("fu-2026-02-14-xabbu-1-2", "c2bcb863")]
    assert state == fresh()
    after, tokens = record_batch(state, result(message(), message()), DAY, NOW)
    assert tokens == ["75d2f0ef", "c2bcb863"]
    assert identifiers(after) == [identifier for identifier, _token in reserved]
    assert after["next_batch_seq"] == 2


def test_a_recorded_message_has_every_field():
    """The record says what was sent, how a reply is found, and that none is known yet."""
    state, _ = record_batch(fresh(), result(message("H1, H-3: Customize profile")), DAY, NOW)
    assert state["follow_ups"] == [
        {
            "batch_date": "2026-02-14",
            "batch_seq": 1,
            "messages_sent": 1,
            "message_ids": [
                {
                    "id": "fu-2026-02-14-xabbu-1-1",
                    "token": "75d2f0ef",
                    "hypothesis_ids": ["H1", "H3"],
                    "topic_tags": ["customize", "profile"],
                    "thread_id": None,
                    "hypothesis": "H1, H-3: Customize profile",
                    "anchor_hash": HASH,
                    "question_pattern": "verify_action",
                    "outcome": "pending",
                    "outcome_at": None,
                    "response_date": None,
                    "signal_quality": None,
                    "match_evidence": None,
                    "late_response": False,
                    "sent_at": "2026-02-14T09:30:00Z",
                }
            ],
        }
    ]


def test_the_cycle_start_is_the_boundary():
    """sent_at and last_cycle_at are the cycle's start, last_updated is the recording."""
    state, _ = record_batch(fresh(), result(), DAY, days(1), cycle_started_at="2026-02-14T09:30:00Z")
    assert (sent(state)["sent_at"], state["last_cycle_at"]) == ("2026-02-14T09:30:00Z", "2026-02-14T09:30:00Z")
    assert state["last_updated"] == "2026-02-15T09:30:00Z"


def test_times_used_counts_each_message():
    """Two messages of one pattern count two; another pattern has its own counters."""
    state, _ = record_batch(fresh(), result(message(), message(), message("trust", "where is it?")), DAY, NOW)
    assert {name: counters["times_used"] for name, counters in state["question_patterns"].items()} == {
        "verify_action": 2,
        "probe_gap": 1,
    }


@pytest.mark.parametrize(("kept", "left"), [(2, [4, 5]), (1, [5]), (0, [5]), (-3, [5]), (10, [1, 2, 3, 4, 5])])
def test_the_newest_batches_are_kept_at_least_one(kept, left):
    """Retention drops the oldest batches; a limit of nothing keeps one; counters lose nothing."""
    state = recorded(batches=4)
    state, _ = record_batch(state, result(), DAY, NOW, max_batches=kept)
    assert [batch["batch_seq"] for batch in state["follow_ups"]] == left
    assert state["question_patterns"]["verify_action"]["times_used"] == 5
    assert state["next_batch_seq"] == 6


@pytest.mark.parametrize("slug", ["../x", "Xabbu", "", "a b", "é", "x\n"])
def test_a_slug_that_would_break_ids_is_refused(slug):
    """No id is made that the message-id format does not match."""
    with pytest.raises(WrongInput, match="no message id"):
        message_id(DAY, slug, 1, 1)


@pytest.mark.parametrize("slug", ["xabbu", "papa-flavio", "0123", "no", "a_b-1f2e3d4c"])
def test_every_slug_makes_a_valid_id(slug):
    """Ids have the published form."""
    assert MESSAGE_ID.fullmatch(message_id(DAY, slug, 12, 3))


def test_unknown_fields_survive_recording():
    """What a later version wrote into the file, at any depth, stays."""
    state = recorded()
    state["later"] = {"a": ["b"]}
    sent(state)["reaction"] = "🙂"
    after, _ = record_batch(state, result(), DAY, days(1))
    assert (after["later"], sent(after)["reaction"]) == ({"a": ["b"]}, "🙂")


def test_a_state_comes_back_from_its_file_as_it_was():
    """What growth writes is valid for its schema, and numbers, tokens and nulls keep their types."""
    state = advance_cycle(recorded(), FakeSettings(), days(1), {"og_score": 40, "nft_score": 20.5})
    state, _ = record_batch(state, result(message("H1: “no” \n# 🙂")), DAY, days(1))
    state = advance_cycle(state, FakeSettings(), days(20), {"og_score": 80, "nft_score": 0})
    state, _ = apply_outcome(state, "fu-2026-02-14-xabbu-1-1", "responded", "medium", days(21))
    sent(state)["token"] = "01234567"
    assert schemas.problems(state, "growth") == []
    assert schemas.typed(strict_yaml.load(strict_yaml.dump(state)), "growth", "x.yaml") == state


def test_a_rehearsed_batch_says_so():
    """Only a batch that no model wrote has the key: nobody sends it."""
    assert "host" not in recorded()["follow_ups"][0]
    state, _ = record_batch(fresh(), {**result(message()), "host": "rehearsal"}, DAY, NOW)
    assert state["follow_ups"][0]["host"] == "rehearsal"
    assert (state["next_batch_seq"], state["rehearsed_batches"], state["last_cycle_at"]) == (2, 1, None)
    assert schemas.problems(state, "growth") == []


def test_rehearsals_are_pruned_first():
    """What was sent stays as long as it would have; a pruned rehearsal was no use of its question."""
    state = recorded(batches=2)
    for _ in range(3):
        state, tokens = record_batch(state, {**result(), "host": "rehearsal"}, DAY, days(1), 2)
    assert [batch["batch_seq"] for batch in state["follow_ups"]] == [1, 2]
    assert (state["next_batch_seq"], state["rehearsed_batches"], len(tokens)) == (6, 3, 1)
    assert state["question_patterns"]["verify_action"]["times_used"] == 2
