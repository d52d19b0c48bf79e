"""Each message once."""

from __future__ import annotations

import itertools

import pytest

from mindloop.observer.exports.duplicates import without_duplicates
from mindloop.observer.exports.message import Message

BOB = ("bob", "111")


def one(number, text, stamp="2026-02-11T14:23:00Z", sender=BOB, **more):
    return Message(number, sender, text, stamp, **more)


def texts(messages):
    return [message.text for message in without_duplicates(messages)]


def test_of_equal_ids_the_latest_edit_stays() -> None:
    """In any order; an edit is later than the first text."""
    versions = [
        one(0, "a much longer first text", id="9"),
        one(1, "second", id="9", edited_raw="2026-02-11T15:00:00+00:00"),
        one(2, "third", id="9", edited_raw="2026-02-11T16:30:00+02:00"),
        one(3, "last", id="9", edited_raw="2026-02-12T00:00:00Z"),
    ]
    for order in itertools.permutations(versions):
        assert texts(order) == ["last"]
    assert texts(versions[:3]) == ["second"]  # 16:30+02:00 is half past two


def test_rows_that_were_written_again_are_one() -> None:
    """Same time, same sender, same words: it was said once, whatever its number."""
    assert texts([one(0, "a"), one(1, "a"), one(2, "a", id="7"), one(3, "a", id="8")]) == ["a"]


@pytest.mark.parametrize("mark", [{"edited_raw": "2026-02-11T15:00:00Z"}, {}])
def test_an_edit_and_what_it_edits_are_one(mark) -> None:
    """Where no id says so: the same time, sender and beginning, and one of them is marked."""
    head = "x" * 50
    edited = one(1, f"{head} a and more{'' if mark else ' (edited)'}", **mark)
    for order in itertools.permutations([one(0, head + " a"), edited]):
        assert texts(order) == [edited.text]
    two = [one(0, head + " a"), one(2, head + " b"), edited]
    assert without_duplicates(two) == two  # of which of them it is the edit nobody knows


def test_messages_that_begin_alike_are_different() -> None:
    """Two links of one page within a minute, with ids or without: both were said."""
    page = "https://example.com/projects/0x123456789/badges/page/"
    for ids in ((None, None), ("1", "2")):
        kept = [one(0, page + "1 froze", id=ids[0]), one(1, page + "2 works", id=ids[1])]
        assert without_duplicates(kept) == kept
    edited = [one(0, page + "1", id="1"), one(1, page + "2", id="2", edited_raw="2026-02-11T15:00:00Z")]
    assert without_duplicates(edited) == edited


def test_everything_else_stays_in_its_order() -> None:
    """Another time, sender, beginning, id or conversation makes another message."""
    kept = [
        one(0, "a"), one(1, "b"), one(2, "a", stamp="2026-02-11T14:24:00Z"), one(3, "a", sender=("eve", "222")),
        one(4, "", stamp=""), one(5, "", stamp=""), one(6, "c", id="1", thread="x"), one(7, "d", id="1", thread="y"),
    ]  # fmt: skip
    assert without_duplicates(kept) == kept


def test_an_unreadable_edit_is_no_edit() -> None:
    """Whatever stands there does not win."""
    assert texts([one(0, "first", id="9", edited_raw="soon"), one(1, "longer text", id="9")]) == ["longer text"]
