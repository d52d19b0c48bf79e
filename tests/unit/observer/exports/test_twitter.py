"""The direct messages of a Twitter archive."""

from __future__ import annotations

import json

import pytest

from tests.helpers.exports import read, said, twitter_entry, twitter_js

STAMP = "2026-02-11T14:23:05.123Z"


def test_an_entry_becomes_a_message() -> None:
    """The sender is an id; the conversation is the thread."""
    (message,), export = read(twitter_js([("1-2", [twitter_entry(9, "hi")])]))
    assert (message.id, message.thread, message.sender) == ("9", "1-2", ("2",))
    assert (message.text, message.stamp_raw, message.edited_raw) == ("hi", STAMP, None)
    assert (message.kind, export.complete, export.notes) == ("message", True, [])


@pytest.mark.parametrize(
    "part", ["", "window.YTD.direct_messages.part1=\n", "window.YTD.direct_messages_group.part0 = "]
)
def test_the_assignment_may_be_there_or_not(part: str) -> None:
    """Files of an archive are scripts; people also cut the JSON out of them."""
    assert said(twitter_js([("1-2", [twitter_entry(9, "hi")])], part)) == [(("2",), "hi", STAMP, "message")]


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        ("messageCreate", "words", "message"),
        ("welcomeMessageCreate", "words", "message"),
        ("reactionCreate", "x", "reaction"),
        ("reactionDelete", "x", "reaction"),
        ("participantsJoin", "x", "system"),
        ("conversationNameUpdate", "x", "system"),
        ("messageCreate", '{"1":{"type":"STRUCT","2":3}}', "reaction"),
    ],
)
def test_only_what_somebody_wrote_is_a_message(kind: str, text: str, expected: str) -> None:
    """Reactions and comings and goings are told apart from words."""
    assert said(twitter_js([("1-2", [twitter_entry(9, text, kind=kind)])]))[0][3] == expected


def test_conversations_follow_each_other() -> None:
    """Numbers go on over conversations, threads do not."""
    text = twitter_js([("1-2", [twitter_entry(1, "a"), twitter_entry(2, "b")]), ("1-3", [twitter_entry(3, "c")])])
    assert [(one.number, one.text, one.thread) for one in read(text)[0]] == [
        (0, "a", "1-2"), (1, "b", "1-2"), (2, "c", "1-3"),
    ]  # fmt: skip


def test_what_is_no_message_is_counted() -> None:
    """Whatever stands in the array: it is left out and said."""
    items = [5, {"x": {"messages": [1]}}, {"dmConversation": 5}, {"dmConversation": {"messages": [1, {}, {"a": []}]}}]
    good = {"dmConversation": {"conversationId": "1-2", "messages": [twitter_entry(1, "a")]}}
    messages, export = read(json.dumps([good, *items]))
    assert [one.text for one in messages] == ["a"]
    assert (export.complete, export.notes) == (True, ["6 entries left out: no message"])


def test_what_was_cut_off_keeps_its_whole_messages() -> None:
    """The note says after how many the file ends."""
    text = twitter_js([("1-2", [twitter_entry(at, f"m{at}") for at in range(3)])])
    messages, export = read(text[: text.index("m2")])
    assert [one.text for one in messages] == ["m0", "m1"]
    assert export.notes == ["the file is cut off after 2 complete entries: what comes then is left out"]


def test_an_assignment_that_is_cut_off_holds_nothing() -> None:
    """A file that ends before its array is no error of ours."""
    messages, export = read("window.YTD.direct_messages.par")
    assert (messages, export.complete) == ([], False)


def test_half_a_character_spoils_one_message() -> None:
    """As an archive escapes it."""
    text = twitter_js([("1-2", [twitter_entry(1, "\ud83d"), twitter_entry(2, "ok 🙂"), twitter_entry(3, "\ude42")])])
    messages, export = read(text)
    assert [one.text for one in messages] == ["ok 🙂"]
    assert export.notes == ["2 messages left out: spoiled by control characters or half a character"]


def test_pictures_are_counted() -> None:
    """Media are not read, and that is said."""
    entry = twitter_entry(1, "look")
    entry["messageCreate"]["mediaUrls"] = ["http://x"]
    assert read(twitter_js([("1-2", [entry])]))[1].notes == ["1 message with attachments, which are not read"]
