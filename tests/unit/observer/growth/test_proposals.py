"""Proposed matches as a value: added once, found by any name, settled by a person."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from mindloop.observer.growth.proposals import (
    KINDS,
    added,
    bare_reference,
    completed,
    confirmed,
    found,
    improved,
    match_id,
    new_proposals,
    pending,
    preselected,
    rejected,
)
from mindloop.store.errors import Negative, WrongInput
from tests.helpers.growth_states import NOW

SIGNALS = ["a" * 64, "b" * 64]


def match(signal: int = 0, number: int = 1, kind: str = "keyword", **more: Any) -> Any:
    follow_up = f"fu-2026-02-14-xabbu-1-{number}"
    return {
        "id": match_id(SIGNALS[signal], follow_up),
        "match_type": kind,
        "match_confidence": "low",
        "signal_id": SIGNALS[signal],
        "signal_timestamp": None,
        "evidence_snippet": "hm",
        "follow_up_id": follow_up,
        "follow_up_token": f"0000000{number}",
        "proposed_at": "2026-02-14T09:30:00Z",
        "status": "pending",
        "confirmed_at": None,
        **more,
    }


def document(*matches: Any) -> Any:
    return {**new_proposals("xabbu"), "matches": list(matches), "of_later_versions": "kept"}


def test_a_signal_and_a_message_meet_once() -> None:
    """Whatever became of the proposal: a rejected one does not come back."""
    before = document(match(status="rejected"))
    after, new = added(before, [match(), match(number=2), match(number=2)])
    assert new == [match(number=2)]
    assert after["matches"] == [match(status="rejected"), match(number=2)]
    assert after["of_later_versions"] == "kept"


@pytest.mark.parametrize(("old", "new"), list(itertools.product(KINDS, KINDS)))
def test_a_pending_match_gets_a_better_kind_in_its_place(old: str, new: str) -> None:
    """Token before thread before words before time before ambiguity; never a worse one, nor where it is settled."""
    order = ["token", "thread", "keyword", "temporal", "ambiguous"]
    held = document(match(), match(number=2, kind=old, evidence_snippet="kept"))
    after, changed = improved(held, [match(number=2, kind=new, match_confidence="high", proposed_at="later")])
    if order.index(new) < order.index(old):
        better = match(number=2, kind=new, match_confidence="high", evidence_snippet="kept")
        assert (after["matches"], changed) == ([match(), better], [better])
    else:
        assert after is held
        assert changed == []
    for status in ("confirmed", "rejected"):
        settled = document(match(kind=old, status=status))
        assert improved(settled, [match(kind=new)]) == (settled, [])


@pytest.mark.parametrize(
    "text", ["[FU:75d2f0ef]", "FU:75D2F0EF", "75d2f0ef", " [75d2f0ef] ", "fu: 75d2f0ef", "[fu:75d2f0ef"]
)
def test_a_token_has_many_spellings(text: str) -> None:
    """With FU: and brackets or without, in any case; an id of a message stays one."""
    assert bare_reference(text) == "75d2f0ef"
    assert bare_reference("FU-2026-02-14-bob-1-2") == "fu-2026-02-14-bob-1-2"


def test_only_token_and_thread_are_preselected() -> None:
    """Words and time are guesses."""
    kinds = ["token", "thread", "keyword", "temporal", "ambiguous"]
    held = document(
        *(match(number=n, kind=kind) for n, kind in enumerate(kinds)), match(1, kind="token", status="rejected")
    )
    assert [one["match_type"] for one in preselected(held)] == ["token", "thread"]


@pytest.mark.parametrize(
    "reference",
    [
        match()["id"],
        match()["id"][:4],
        match()["id"].upper(),
        "00000001",
        "[FU:00000001]",
        " [fu:00000001] ",
        "fu-2026-02-14-xabbu-1-1",
    ],
)
def test_a_match_has_several_names(reference: str) -> None:
    """The start of its id, its token as it is pasted, its message."""
    assert found(document(match(), match(number=2)), reference)["follow_up_id"].endswith("-1-1")


def test_what_waits_is_meant_first() -> None:
    """Two replies to one message, the first rejected: its id means the other."""
    held = document(match(status="rejected"), match(1))
    assert found(held, "fu-2026-02-14-xabbu-1-1")["signal_id"] == SIGNALS[1]


def test_two_that_wait_are_not_chosen_from() -> None:
    """Both ids are told."""
    with pytest.raises(WrongInput, match=f"names 2 matches: {match()['id']}, {match(1)['id']}"):
        found(document(match(), match(1)), "fu-2026-02-14-xabbu-1-1")


@pytest.mark.parametrize("reference", ["", "abc", "[FU:]"])
def test_a_short_name_is_refused(reference: str) -> None:
    """Three characters mean too much."""
    with pytest.raises(WrongInput):
        found(document(match()), reference)


def test_a_name_of_nothing_is_negative() -> None:
    """Exit 1, and the hint says where to look."""
    with pytest.raises(Negative):
        found(document(match()), "ffff0000")


def test_confirming_one_guess_rejects_the_others_of_that_reply() -> None:
    """Guesses for another reply, and a match that was no guess, stay."""
    held = document(
        match(kind="ambiguous"),
        match(number=2, kind="ambiguous"),
        match(number=3, kind="token"),
        match(1, kind="ambiguous"),
    )
    after, gone = confirmed(held, [match()["id"]], NOW)
    assert [one["status"] for one in after["matches"]] == ["confirmed", "rejected", "pending", "pending"]
    assert after["matches"][0]["confirmed_at"] == "2026-02-14T09:30:00Z"
    assert [one["id"] for one in gone] == [match(number=2)["id"]]
    assert [one["status"] for one in held["matches"]] == ["pending"] * 4


def test_two_guesses_may_both_be_right() -> None:
    """A person who names both means both."""
    after, gone = confirmed(
        document(match(kind="ambiguous"), match(number=2, kind="ambiguous")),
        [match()["id"], match(number=2)["id"]],
        NOW,
    )
    assert [one["status"] for one in after["matches"]] == ["confirmed", "confirmed"]
    assert gone == []


def test_rejecting_touches_what_is_named() -> None:
    """And nothing else."""
    after = rejected(document(match(), match(number=2)), [match()["id"]])
    assert [one["status"] for one in after["matches"]] == ["rejected", "pending"]
    assert pending(after) == [match(number=2)]


def test_a_file_of_another_tool_is_completed() -> None:
    """It has no ids and no cursor; what it has more stays."""
    bare = {key: match()[key] for key in ("match_type", "signal_id", "follow_up_id", "status")}
    whole = completed({"schema_version": 1, "user": "xabbu", "matches": [{**bare, "mood": "good"}], "more": "1"})
    assert whole["matches"][0]["id"] == match()["id"]
    assert whole["matches"][0]["mood"] == "good"  # type: ignore[typeddict-item]  # a field of theirs
    assert (whole["records_seen"], whole["last_record_seen"], whole["more"]) == (0, None, "1")  # type: ignore[typeddict-item]  # a field of theirs
