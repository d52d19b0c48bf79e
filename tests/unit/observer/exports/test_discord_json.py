"""DiscordChatExporter's JSON."""

from __future__ import annotations

import pytest

from tests.helpers.exports import discord_entry, discord_json, read, said

STAMP = "2026-02-11T14:23:05.123+00:00"


def test_an_entry_becomes_a_message() -> None:
    """Id, names, words, times and channel come through as they are."""
    entry = discord_entry(7, "  two\nlines ", timestampEdited="2026-02-12T00:00:00+00:00")
    (message,), export = read(discord_json([entry]))
    assert (message.number, message.id, message.thread) == (0, "900000000000000007", "77")
    assert message.sender == ("bob", "Bob", "111")
    assert (message.text, message.stamp_raw) == ("  two\nlines ", STAMP)
    assert (message.edited_raw, message.kind) == ("2026-02-12T00:00:00+00:00", "message")
    assert (export.complete, export.notes) == (True, [])


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        ({"type": "Reply"}, "message"),
        ({"type": "ChannelPinnedMessage"}, "system"),
        ({"type": "Call"}, "system"),
        ({"type": "20"}, "system"),
        ({"type": 7}, "system"),
        ({"forwardedMessage": {"content": "not mine"}}, "forwarded"),
        ({"reference": {"type": "Forward", "messageId": "1"}}, "forwarded"),
        ({"reference": {"type": "Default", "messageId": "1"}}, "message"),
        ({"reference": "Forward"}, "message"),
    ],
)
def test_only_what_somebody_wrote_is_a_message(more: dict[str, object], kind: str) -> None:
    """Notices of the platform and forwarded words are told apart from a person's own."""
    assert [found[3] for found in said(discord_json([discord_entry(1, "x", **more)]))] == [kind]


@pytest.mark.parametrize(
    ("author", "sender"),
    [
        ({"id": "1", "name": "bob", "discriminator": "1234", "nickname": "B"}, ("bob#1234", "B", "1")),
        ({"id": "1", "name": "bob", "discriminator": "0", "nickname": None}, ("bob", "1")),
        ({"id": 17, "name": "a\nb\x1b", "nickname": ["x"]}, ("a b", "17")),
        ({"id": "1", "name": "\ud83d"}, ("\ufffd", "1")),
        ({"name": "n" * 500}, ("n" * 200,)),
        ("bob", ()),
        (None, ()),
        ({}, ()),
    ],
)
def test_a_sender_is_every_spelling_there_is(author: object, sender: tuple[str, ...]) -> None:
    """Names are one line each and of bounded length, whatever stands there."""
    assert said(discord_json([discord_entry(1, "x", author=author)]))[0][0] == sender


def test_equal_senders_are_one_tuple() -> None:
    """A long export holds each sender once."""
    first, second = read(discord_json([discord_entry(1, "x"), discord_entry(2, "y")]))[0]
    assert first.sender is second.sender


def test_what_is_no_message_is_counted_and_left_out() -> None:
    """The numbers of the others stay their places in the export."""
    entries = [discord_entry(1, "a"), 5, None, {"content": None}, [], discord_entry(2, "b")]
    messages, export = read(discord_json(entries))
    assert [(one.number, one.text) for one in messages] == [(0, "a"), (5, "b")]
    assert (export.complete, export.notes) == (True, ["4 entries left out: no message"])


def test_a_spoiled_message_is_left_out_and_the_others_stay() -> None:
    """Half a character or a control character spoils one message, never an export."""
    texts = ["a", "half \ud83d", "\ude00", "nul \0", "esc \x1b[31m", "x" * 200_001, "tab\tnew\nline\u2028 \x85 🙂"]
    messages, export = read(discord_json([discord_entry(at, text) for at, text in enumerate(texts)]))
    assert [one.text for one in messages] == [texts[0], texts[-1]]
    assert export.notes == [
        "4 messages left out: spoiled by control characters or half a character",
        "1 message left out: longer than 200000 characters",
    ]


def test_files_are_counted() -> None:
    """Nobody reads attachments, and that is said; the words beside them count."""
    messages, export = read(discord_json([discord_entry(1, "look", attachments=[{"url": "u"}, {"url": "v"}])]))
    assert [one.text for one in messages] == ["look"]
    assert export.notes == ["1 message with attachments, which are not read"]


def test_what_was_cut_off_keeps_its_whole_messages() -> None:
    """The note says after how many the file ends."""
    text = discord_json([discord_entry(at, f"m{at}") for at in range(3)])
    messages, export = read(text[: text.index("m2")])
    assert [one.text for one in messages] == ["m0", "m1"]
    assert export.complete is False
    assert export.notes == ["the file is cut off after 2 complete entries: what comes then is left out"]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [("NaN", "NaN is no JSON"), ("[" * 5000, "it is nested too deeply"), ('{"a" 1}', "Expecting ':' delimiter")],
)
def test_what_is_broken_ends_the_export_with_its_reason(wrong: str, why: str) -> None:
    """What stands before it counts."""
    text = discord_json([discord_entry(1, "a"), "WRONG", discord_entry(2, "b")]).replace('"WRONG"', wrong)
    messages, export = read(text)
    assert [one.text for one in messages] == ["a"]
    assert export.complete is False
    assert export.notes[0].startswith(f"the JSON is broken ({why}")


def test_something_after_the_end_is_told() -> None:
    """Two exports in one file: the first is read, the second is said to be there."""
    text = discord_json([discord_entry(1, "a")])
    messages, export = read(text + text)
    assert ([one.text for one in messages], export.complete) == (["a"], False)
    assert export.notes == ["the JSON ends, and something follows, after 1 complete entry: what comes then is left out"]


def test_keys_may_come_in_any_order_and_hold_anything() -> None:
    """Where the channel comes late or is none, there is no thread; other keys are passed over."""
    entry = discord_json([discord_entry(1, "a")]).partition('"messages": ')[2].rpartition(", ")[0]
    for before in ('"x": {"messages": [1]}', '"channel": []', '"channel": {"id": {}}', '"n": 1e999'):
        (message,), export = read(f'{{{before}, "messages": {entry}, "channel": {{"id": "9"}}}}')
        assert (message.text, message.thread, export.complete) == ("a", None, True)


def test_an_export_without_messages_is_an_export() -> None:
    """Nobody wrote: that is no error."""
    messages, export = read(discord_json([]))
    assert (messages, export.complete, export.notes) == ([], True, [])


@pytest.mark.parametrize(
    ("author", "sender"),
    [
        ({"name": "bob", "nickname": "Bobby", "id": "5"}, ("bob", "Bobby", "5")),
        ({"name": "bob", "nickname": "bob", "id": 5}, ("bob", "5")),
        ({"name": "bob", "nickname": "Bobby"}, ("bob", "Bobby", "")),
        ({"name": "bob", "nickname": "bob"}, ("bob",)),
        ({"name": "5", "nickname": "Bobby", "id": "5"}, ("5", "Bobby", "5")),
        ({"nickname": "Bobby", "id": "5"}, ("5", "Bobby", "5")),
        ({"nickname": "Bobby"}, ("Bobby",)),
        ({"name": ["bob"], "id": {}}, ()),
        ({}, ()),
    ],
)
def test_each_spelling_has_its_place(author: dict[str, object], sender: tuple[str, ...]) -> None:
    """Account name first, id last and empty where there is none: a nickname never stands for either."""
    assert said(discord_json([discord_entry(1, "x", author=author)]))[0][0] == sender
