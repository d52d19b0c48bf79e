"""Which messages a reply may answer: the rules in their order, and what never matches."""

from __future__ import annotations

from typing import Any

import pytest

from mindloop.observer.canonical import content_hash
from mindloop.observer.growth.matching import (
    ANSWERED_TOKEN,
    EARLY_TOKEN,
    FOREIGN_TOKEN,
    Matcher,
    signal_of_record,
    signal_of_text,
)
from mindloop.observer.growth.outcome import apply_outcome
from mindloop.observer.growth.proposals import match_id
from mindloop.observer.growth.record import record_batch
from mindloop.store.clock import stamp
from mindloop.store.errors import WrongInput
from tests.helpers.growth_states import DAY, NOW, days, fresh, message, recorded, result, sent

LATER = "2026-02-14T20:00:00Z"
TRUST = "H1: Trust in badges"
PRICES = "H2: Rising prices matter"


def two() -> Any:
    """One batch with two messages on different topics."""
    return recorded(message(TRUST), message(PRICES))


def proposed(state: Any, text: str, when: str | None = LATER, thread: str | None = None) -> list[tuple[str, str, str]]:
    matches, _ = Matcher(state).propose(signal_of_text(text, when, thread), NOW)
    return [(one["match_type"], one["match_confidence"], one["follow_up_id"]) for one in matches]


def first(state: Any) -> str:
    return sent(state)["id"]


# --- the rules in their order -----------------------------------------------------------------------------------------


def test_a_token_decides_whatever_the_words_say() -> None:
    """The words are about prices, the token names the message on trust, in any case."""
    state = two()
    token = sent(state)["token"].upper()
    assert proposed(state, f"rising prices matter most [fu:{token}]") == [("token", "high", first(state))]


def test_each_token_names_its_message() -> None:
    """A reply that carries both tokens answers both messages."""
    state = two()
    tokens = " ".join(f"[FU:{sent(state, 0, number)['token']}]" for number in (1, 0))
    found = proposed(state, f"here {tokens}")
    assert sorted(found) == [("token", "high", first(state)), ("token", "high", sent(state, 0, 1)["id"])]


def test_tokens_of_a_record_count_where_its_text_lost_them() -> None:
    """An export's reader keeps the tokens beside the words."""
    state = two()
    words = "nothing in common"
    record = {"content_hash": content_hash(words), "text": words, "reply_tokens": [sent(state)["token"].upper(), 7]}
    signal = signal_of_record(record)
    assert signal is not None
    (match,), notes = Matcher(state).propose(signal, NOW)
    assert (match["match_type"], match["follow_up_id"], notes) == ("token", first(state), [])
    assert "signal_text" not in match


def test_the_thread_goes_before_the_words() -> None:
    """The same conversation, other words."""
    state = two()
    sent(state)["thread_id"] = "dm-7"
    assert proposed(state, "rising prices matter", thread="dm-7") == [("thread", "high", first(state))]


def prompted(state: Any, text: str, when: str, *prompts: Any, **more: Any) -> list[tuple[str, str, str]]:
    """What is proposed for a record that has these tokens of our last line before it."""
    record = {"content_hash": content_hash(text), "text": text, "prompt_tokens": list(prompts), **more}
    signal = signal_of_record({**record, "source_timestamp": when, "source_timestamp_confidence": "exact"})
    assert signal is not None
    matches, notes = Matcher(state).propose(signal, NOW)
    assert notes == []
    return [(one["match_type"], one["match_confidence"], one["follow_up_id"]) for one in matches]


def test_the_question_that_stood_before_goes_before_the_words() -> None:
    """It tells conversation and place; below a token, above words, and never what was said before."""
    state, late = two(), "2026-03-20T10:00:00Z"
    asked, other = sent(state), sent(state, 0, 1)
    words = "rising prices matter"
    assert prompted(state, words, late, asked["token"].upper(), 7, None) == [("thread", "high", asked["id"])]
    assert prompted(state, words, late, "00000000") == [("keyword", "medium", other["id"])]
    by_token = prompted(state, words, late, asked["token"], reply_tokens=[other["token"]])
    assert by_token == [("token", "high", other["id"])]
    assert prompted(state, words, "2026-02-14T09:00:00Z", asked["token"]) == []
    both = prompted(state, words, late, asked["token"], other["token"])
    assert {kind for kind, _, _ in both} == {"ambiguous"}


def test_several_messages_of_one_thread_are_a_guess_each() -> None:
    """Nobody can tell which of them is meant."""
    state = two()
    sent(state)["thread_id"] = sent(state, 0, 1)["thread_id"] = "dm-7"
    assert {(kind, sure) for kind, sure, _ in proposed(state, "hm", thread="dm-7")} == {("ambiguous", "low")}


def test_two_words_in_common_are_a_match() -> None:
    """``trust`` and ``badges``, whatever stands around them."""
    state = two()
    assert proposed(state, "I do trust them, the Badges!", "2026-03-20") == [("keyword", "medium", first(state))]


def test_one_word_is_enough_only_where_there_is_one() -> None:
    """A message with one tag is hit by it; of two tags one says nothing."""
    one = recorded(message("H1: Badges"))
    assert proposed(one, "about the badges", "2026-03-20") == [("keyword", "medium", first(one))]
    assert proposed(two(), "about the badges", "2026-03-20") == []


def test_words_that_fit_several_messages_alike_are_a_guess_each() -> None:
    """Two batches on one topic, one reply."""
    state = recorded(message(TRUST), batches=2)
    found = proposed(state, "I trust badges")
    assert [kind for kind, _, _ in found] == ["ambiguous", "ambiguous"]
    assert len({name for _, _, name in found}) == 2


def test_the_best_words_win_over_good_ones() -> None:
    """Three words in common go before two."""
    state = recorded(message("H1: Trust in badges today"), message("H2: Trust in badges"))
    assert proposed(state, "today I trust badges") == [("keyword", "medium", first(state))]


def test_within_two_days_a_lone_message_is_meant() -> None:
    """Nothing in common but the time."""
    state = recorded()
    assert proposed(state, "haha") == [("temporal", "low", first(state))]
    assert proposed(state, "haha", stamp(days(2))) == [("temporal", "low", first(state))]
    assert proposed(state, "haha", stamp(days(2.01))) == []
    assert proposed(state, "haha", "2026-02-16") == [("temporal", "low", first(state))]
    assert proposed(state, "haha", "2026-02-17") == []


def test_time_alone_never_chooses_between_two() -> None:
    """Two messages in the window, none proposed."""
    assert proposed(two(), "haha") == []


# --- what never matches -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("when", ["2026-02-14T09:29:59Z", "2026-02-13", "2026-02-14T10:29:59+01:00"])
def test_what_was_said_before_is_no_reply(when: str) -> None:
    """Not by token, not by words, not by time."""
    state = recorded(message(TRUST))
    assert proposed(state, "I trust badges", when) == []
    matches, notes = Matcher(state).propose(signal_of_text(f"[FU:{sent(state)['token']}]", when), NOW)
    assert (matches, notes) == ([], [EARLY_TOKEN])


def test_of_a_day_only_the_day_is_compared() -> None:
    """A reply of the day the message was written on may be one; the message went out at half past nine."""
    assert proposed(recorded(message(TRUST)), "I trust badges", DAY) != []


def test_a_reply_of_unknown_time_matches_by_all_but_time() -> None:
    """Words count, the clock cannot."""
    state = recorded(message(TRUST))
    assert proposed(state, "I trust badges", None) == [("keyword", "medium", first(state))]
    assert proposed(state, "haha", None) == []


def test_what_was_known_before_a_message_was_written_is_no_reply_to_it() -> None:
    """A quote without a date that was taken in last month; the same one taken in today."""
    state = recorded(message(TRUST))
    words = "I trust badges"
    record = {"content_hash": content_hash(words), "text": words, "ingested_at": "2026-01-14T00:00:00Z"}
    old, new = signal_of_record(record), signal_of_record({**record, "ingested_at": LATER})
    assert old is not None
    assert new is not None
    assert Matcher(state).propose(old, NOW) == ([], [])
    assert [one["match_type"] for one in Matcher(state).propose(new, NOW)[0]] == ["keyword"]


def test_a_rehearsed_message_has_no_reply() -> None:
    """Nobody was sent it; its token is nobody's."""
    rehearsed = {**result(message(TRUST)), "host": "rehearsal"}
    state, (token,) = record_batch(fresh(), rehearsed, DAY, NOW, max_batches=10)  # type: ignore[arg-type]  # a dict with one field changed
    matches, notes = Matcher(state).propose(signal_of_text(f"I trust badges [FU:{token}]", LATER), NOW)
    assert (matches, notes) == ([], [FOREIGN_TOKEN])


def test_an_answered_message_is_answered() -> None:
    """By words or time nothing is proposed for it; its token ends the search, for the reply belongs to it."""
    state, _ = apply_outcome(two(), first(two()), "responded", None, NOW)
    assert proposed(state, "I trust badges", "2026-03-20") == []
    signal = signal_of_text(f"rising prices matter [FU:{sent(state)['token']}]", LATER)
    assert Matcher(state).propose(signal, NOW) == ([], [ANSWERED_TOKEN])


@pytest.mark.parametrize("outcome", ["silence", "unknown"])
def test_late_replies_match(outcome: str) -> None:
    """Silence, and a message said never to have arrived, can still be answered."""
    state, _ = apply_outcome(recorded(message(TRUST)), first(recorded(message(TRUST))), outcome, None, NOW)
    assert proposed(state, "I trust badges", "2026-04-20") == [("keyword", "medium", first(state))]


def test_a_foreign_token_is_told_without_a_name_and_the_words_still_count() -> None:
    """Pasted into the wrong conversation, or of a message that is no longer kept."""
    state = recorded(message(TRUST))
    matches, notes = Matcher(state).propose(signal_of_text("I trust badges [FU:deadbeef]", LATER), NOW)
    assert [one["match_type"] for one in matches] == ["keyword"]
    assert notes == [FOREIGN_TOKEN]
    assert "deadbeef" not in FOREIGN_TOKEN


@pytest.mark.parametrize("text", ["[FU:123]", "FU:12345678", "[FU:zzzzzzzz]", "[FU: 12345678]"])
def test_what_only_looks_like_a_token_is_none(text: str) -> None:
    """No warning for words."""
    assert Matcher(recorded()).propose(signal_of_text(text, "2026-04-20"), NOW) == ([], [])


# --- what is proposed -------------------------------------------------------------------------------------------------


def test_a_proposal_holds_what_a_person_needs() -> None:
    """Every field of it, the words on one line."""
    state = recorded(message(TRUST))
    text = "I trust\nbadges \u202ereally"
    (match,), _ = Matcher(state).propose(signal_of_text(text, LATER), days(3))
    assert match == {
        "id": match_id(content_hash(text), first(state)),
        "match_type": "keyword",
        "match_confidence": "medium",
        "signal_id": content_hash(text),
        "signal_timestamp": LATER,
        "evidence_snippet": "I trust badges really",
        "follow_up_id": first(state),
        "follow_up_token": sent(state)["token"],
        "proposed_at": "2026-02-17T09:30:00Z",
        "status": "pending",
        "confirmed_at": None,
        "signal_text": text,
    }


def test_an_id_is_of_signal_and_message() -> None:
    """Sixteen hex digits of both, wherever it is made."""
    assert match_id("ab" * 32, "fu-2026-02-14-xabbu-1-1") == "c5f0e9eb250fd99c"


@pytest.mark.parametrize(
    "record",
    [{}, {"content_hash": "short", "text": "x"}, {"content_hash": "a" * 64}, {"content_hash": "a" * 64, "text": 3}],
)
def test_a_record_without_words_is_no_signal(record: dict[str, Any]) -> None:
    """Nothing to match, and no trace."""
    assert signal_of_record(record) is None


@pytest.mark.parametrize(("text", "when"), [("", None), (" \n", None), ("a\x00b", None), ("fine", "yesterday")])
def test_a_pasted_text_is_checked(text: str, when: str | None) -> None:
    """Empty, control characters, a time that is none."""
    with pytest.raises(WrongInput):
        signal_of_text(text, when)


def test_a_message_without_a_time_is_dated_by_its_batch() -> None:
    """Files of other tools name the day only."""
    state = recorded(message(TRUST))
    sent(state)["sent_at"] = None
    assert proposed(state, "I trust badges", "2026-02-13T23:00:00Z") == []
    assert proposed(state, "I trust badges", "2026-02-14T00:00:01Z") != []
