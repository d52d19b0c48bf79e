"""What a person says of a message: found by its names, sent at a possible time, in a conversation, or never."""

from __future__ import annotations

from typing import Any

import pytest

from mindloop.observer.growth.matching import Matcher, signal_of_text
from mindloop.observer.growth.outcome import apply_outcome
from mindloop.observer.growth.record import record_batch, token_of
from mindloop.observer.growth.sending import THREAD_LIMIT, checked_thread, find_message, never_sent, was_sent
from mindloop.observer.growth.state import new_growth
from mindloop.store.errors import Negative, WrongInput
from tests.helpers.growth_states import DAY, NOW, days, message, result

ONE, TWO = f"fu-{DAY}-xabbu-1-1", f"fu-{DAY}-xabbu-1-2"
LATER = days(10)


def recorded(host: str = "claude") -> Any:
    """Growth with one batch of two messages, written on the fourteenth."""
    made: Any = {**result(message(), message("H2: Friends")), "host": host}
    return record_batch(new_growth("xabbu", None, NOW), made, DAY, NOW, max_batches=10)[0]


def first(state: Any) -> Any:
    return state["follow_ups"][0]["message_ids"][0]


@pytest.mark.parametrize(
    "reference", [ONE, ONE.upper(), token_of(ONE), f"[FU:{token_of(ONE)}]", f" [fu:{token_of(ONE).upper()}] "]
)
def test_a_message_is_found_by_its_id_and_its_token(reference: str) -> None:
    """In any case, with brackets or without."""
    batch, found = find_message(recorded(), reference)
    assert (found["id"], batch["batch_seq"]) == (ONE, 1)


@pytest.mark.parametrize(
    "reference", ["", "fu-", "abc", "deadbeeg", "../x", "fu-2026-02-14-x/y-1-1", "[FU:]", "\x1b[2J"]
)
def test_what_names_no_message_is_refused(reference: str) -> None:
    """Neither an id nor a token."""
    with pytest.raises(WrongInput, match="neither a message's id nor a token"):
        find_message(recorded(), reference)


def test_a_message_that_is_not_there_is_negative() -> None:
    """A token of nobody's, an id of nobody's: a no, not a mistake."""
    for reference in ("deadbeef", f"fu-{DAY}-xabbu-9-9"):
        with pytest.raises(Negative, match="has no message"):
            find_message(recorded(), reference)


def test_a_token_of_two_messages_means_neither() -> None:
    """The id still means one."""
    state = recorded()
    state["follow_ups"][0]["message_ids"][1]["token"] = token_of(ONE)
    with pytest.raises(WrongInput, match="2 messages"):
        find_message(state, token_of(ONE))
    assert find_message(state, TWO)[1]["id"] == TWO


def test_thread_and_time_are_kept_and_nothing_else_changes() -> None:
    """The batch keeps the day on which it was written; said again, the very state comes back."""
    before = recorded()
    after = was_sent(before, ONE, LATER, thread="thread-discord-xabbu-2026-02-11", at="2026-02-16T10:30:00+02:00")
    assert first(before)["thread_id"] is None
    wanted = recorded()
    first(wanted)["thread_id"] = "thread-discord-xabbu-2026-02-11"
    first(wanted)["sent_at"] = "2026-02-16T08:30:00Z"
    wanted["last_updated"] = "2026-02-24T09:30:00Z"
    assert after == wanted
    again = was_sent(after, ONE, days(20), thread="thread-discord-xabbu-2026-02-11", at="2026-02-16T08:30:00Z")
    assert again is after


@pytest.mark.parametrize(
    ("at", "kept"),
    [
        ("2026-02-14", "2026-02-14"),
        ("2026-02-13", "2026-02-13"),  # the person's day, where it is still yesterday
        ("2026-02-14T00:00:00Z", "2026-02-14T00:00:00Z"),
        ("2026-02-25T09:30:00Z", "2026-02-25T09:30:00Z"),
        ("2026-02-25", "2026-02-25"),
        ("2026-02-16 10:30:00.75-0500", "2026-02-16T15:30:00Z"),
    ],
)
def test_possible_times(at: str, kept: str) -> None:
    """From when it was written to a day from now; a day stays a day."""
    assert first(was_sent(recorded(), ONE, LATER, at=at))["sent_at"] == kept


@pytest.mark.parametrize(
    ("at", "why"),
    [
        ("", "empty"),
        (" ", "empty"),
        ("soon", "the timestamp is 'soon'"),
        ("2026-02-30", "the timestamp is"),
        ("1771000000", "the timestamp is"),
        ("2026-02-16T10:30:00", "no time zone"),
        ("2026-02-25T09:30:01Z", "more than a day after now"),
        ("2026-02-26", "more than a day after now"),
        ("9999-12-31", "more than a day after now"),
        ("2026-02-13T23:59:59Z", "before 2026-02-14"),
        ("2026-02-12", "before 2026-02-14"),
        ("0001-01-01", "before 2026-02-14"),
    ],
)
def test_times_without_sense_are_refused(at: str, why: str) -> None:
    """No time, no zone, to come, before it was written."""
    with pytest.raises(WrongInput, match=why):
        was_sent(recorded(), ONE, LATER, at=at)


def test_a_message_is_not_sent_after_its_reply() -> None:
    """The reply's day is the last possible one; a bare day may be one off, as zones are."""
    answered, _ = apply_outcome(recorded(), ONE, "responded", None, LATER, response_date="2026-02-16T00:00:00Z")
    assert first(was_sent(answered, ONE, LATER, at="2026-02-16T23:00:00Z"))["sent_at"] == "2026-02-16T23:00:00Z"
    assert first(was_sent(answered, ONE, LATER, at="2026-02-17"))["sent_at"] == "2026-02-17"
    for at in ("2026-02-17T00:00:00Z", "2026-02-18"):
        with pytest.raises(WrongInput, match="after its reply of 2026-02-16"):
            was_sent(answered, ONE, LATER, at=at)


@pytest.mark.parametrize(
    "thread", ["x", "dm 42 — 'Zoë' 🦊", "x" * THREAD_LIMIT, "../../etc", "- a: b #c", "\u202ex", "0123"]
)
def test_any_line_is_a_thread(thread: str) -> None:
    """It is compared letter for letter, so it is kept letter for letter."""
    assert checked_thread(thread) == thread


@pytest.mark.parametrize(
    ("thread", "why"),
    [
        ("", "it is empty"),
        (" \u00a0", "it is empty"),
        ("x" * (THREAD_LIMIT + 1), "201 characters"),
        ("a\nb", r"U\+000A"),
        ("a\tb", r"U\+0009"),
        ("a\x00b", r"U\+0000"),
        ("a\x85b", r"U\+0085"),
        ("a\u2028b", r"U\+2028"),
        ("a\udcffb", r"U\+DCFF"),
    ],
)
def test_what_is_no_line_is_no_thread(thread: str, why: str) -> None:
    """Nothing, too much, line ends and control characters."""
    with pytest.raises(WrongInput, match=why):
        was_sent(recorded(), ONE, LATER, thread=thread)


def test_a_rehearsed_message_was_not_sent() -> None:
    """It has no conversation and no time; that it never went out is true of it."""
    state = recorded("rehearsal")
    with pytest.raises(Negative, match="only rehearsed"):
        was_sent(state, ONE, LATER, thread="x")
    assert first(never_sent(state, ONE, LATER))["outcome"] == "unknown"


@pytest.mark.parametrize("before", ["pending", "silence"])
def test_a_message_that_never_went_out_is_unknown(before: str) -> None:
    """From pending and from silence, with its counters; said again, the very state comes back."""
    state = recorded()
    if before == "silence":
        state, _ = apply_outcome(state, ONE, "silence", None, NOW)
    after = never_sent(state, ONE, LATER)
    assert (first(after)["outcome"], first(after)["outcome_at"]) == ("unknown", "2026-02-24T09:30:00Z")
    counters = after["question_patterns"][first(after)["question_pattern"]]
    assert (counters["unknown_count"], counters["silence_count"], counters["responded_count"]) == (1, 0, 0)
    assert never_sent(after, ONE, days(20)) is after


def test_an_answered_message_was_sent() -> None:
    """The reply stays, and that is said."""
    answered, _ = apply_outcome(recorded(), ONE, "responded", "high", NOW)
    with pytest.raises(Negative, match=r"stays 'responded'.*nothing was changed"):
        never_sent(answered, ONE, LATER)


def test_a_day_is_compared_by_day() -> None:
    """A message of which only the day is known is no message of midnight: two whole days are recent."""
    state = was_sent(recorded(), ONE, LATER, at="2026-02-16")
    state["follow_ups"][0]["message_ids"] = [{**first(state), "topic_tags": []}]
    kinds = []
    for when in ("2026-02-15T23:00:00Z", "2026-02-16T00:30:00Z", "2026-02-18T22:00:00Z", "2026-02-19T00:00:00Z"):
        found, _ = Matcher(state).propose(signal_of_text("well", when), LATER)
        kinds.append([one["match_type"] for one in found])
    assert kinds == [[], ["temporal"], ["temporal"], []]
