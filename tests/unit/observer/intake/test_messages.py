"""From an export to what one user said: whose words, which words, in which order."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from mindloop.observer.canonical import content_hash
from mindloop.observer.exports.stamps import Stamps
from mindloop.observer.intake.messages import Heard, hear
from mindloop.observer.intake.repeated import OurWords
from mindloop.store.errors import WrongInput
from tests.helpers.direct_messages import BOB, US, discord, entry, opened

NOW = datetime(2026, 11, 30, tzinfo=UTC)
EVE = ("3", "eve", "Eve")


def heard(data: bytes, *, user: str = "bob", sent: tuple[str, ...] = (), zone: str | None = None, **more: Any) -> Heard:
    stamps = Stamps(zone=zone, order=None, now=NOW)
    options = {"sender": None, "operator": None, **more}
    return hear(opened(data), stamps, user=user, sent=OurWords(sent), **options)


def texts(data: bytes, **more: Any) -> list[str]:
    return [one.text for one in heard(data, **more).said]


def test_only_the_users_own_messages() -> None:
    """What we wrote, what was forwarded and what the system said is nobody's quote."""
    found = heard(
        discord(
            entry(0, "hi there, how is it going?", US),
            entry(1, "it broke"),
            entry(2, "Started a call.", type="Call"),
            entry(3, "look", reference={"type": "Forward"}),
            entry(4, "twice"),
        )
    )
    assert [(one.text, one.index, one.moment, one.confidence) for one in found.said] == [
        ("it broke", 1, "2026-02-11T10:01:00Z", "exact"),
        ("twice", 4, "2026-02-11T10:04:00Z", "exact"),
    ]
    assert (found.own, found.complete, found.platform.source_type, found.day) == (
        2,
        True,
        "discord_dm",
        "2026-02-11",
    )


def test_each_knows_what_came_before_it() -> None:
    """A message names the hash of the user's previous one; ours in between do not count."""
    found = heard(discord(entry(0, "a"), entry(1, "b", US), entry(2, "c"))).said
    assert [one.parent for one in found] == [None, content_hash("a")]


def test_the_order_is_that_of_time() -> None:
    """However an export is shuffled, the same things are said in the same order."""
    entries = [entry(number, f"line {number}") for number in range(4)]
    entries.append(entry(9, "same second", when="2026-02-11T10:03:00.9Z"))
    entries.append(entry(5, "undated", when="soon"))
    straight, shuffled = heard(discord(*entries)), heard(discord(*reversed(entries)))
    assert [one.text for one in straight.said] == ["line 0", "line 1", "line 2", "line 3", "same second", "undated"]
    assert [(one.text, one.moment, one.parent) for one in shuffled.said] == [
        (one.text, one.moment, one.parent) for one in straight.said
    ]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("> what did you do when it broke?\ni left", "i left"),
        ("> what did you do\n> when it broke?\ni left", "i left"),
        ("what did you do when it broke?", None),
        ("What  did you do when it broke? [FU:deadbeef]", None),
        ("> me neither\nbut i left", "> me neither\nbut i left"),
        ("ok", "ok"),
        ("[FU:deadbeef]", None),
        ("[FU:DEADBEEF] i left", "[FU:DEADBEEF] i left"),
        (" ", None),
        ("did it work?", None),
    ],
)
def test_our_words_do_not_become_the_users(text: str, left: str | None) -> None:
    """A reply that quotes us back loses our words; a word that both sides use is the user's own."""
    data = discord(
        entry(0, "what did you do\nwhen it broke?", US), entry(1, "what did you do when it broke?", US),
        entry(2, "ok", US), entry(3, text),
    )  # fmt: skip
    assert texts(data, sent=("did it work?",)) == ([] if left is None else [left])


def test_tokens_are_kept_beside_the_words() -> None:
    """A token in a line that is taken off is still known."""
    data = discord(entry(0, "what broke? [FU:deadbeef]", US), entry(1, "> what broke? [FU:DEADBEEF]\nall of it"))
    assert [(one.text, one.tokens) for one in heard(data).said] == [("all of it", ("deadbeef",))]


def test_lines_of_a_third_person_are_nobodys_quote() -> None:
    """What the user quotes of somebody else is taken off too; saying the same as somebody else is not quoting."""
    words = "i hate the new page so much"
    data = discord(entry(0, words, EVE), entry(1, "hi", US), entry(2, f"> {words}\nsame"), entry(3, words))
    assert texts(data, operator="me") == ["same", words]


def test_an_edit_counts_once() -> None:
    """Of a message that stands there twice the latest edit is taken."""
    edited = entry(0, "it broke today", timestampEdited="2026-02-11T12:00:00Z")
    assert texts(discord(entry(0, "it brok"), edited)) == ["it broke today"]


def test_a_user_with_another_name_is_read_in_a_second_pass() -> None:
    """Where only the operator is known, the one other sender is the user, and that is said."""
    data = discord(entry(0, "hello you", US), entry(1, "it broke"))
    found = heard(data, user="xabbu", operator="Keeper")
    assert [one.text for one in found.said] == ["it broke"]
    assert any("took the only other sender" in note for note in found.notes)
    assert texts(data, user="xabbu", sender="@Bobby") == ["it broke"]


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"user": "zoe"}, "no sender is called 'zoe'"),
        ({"user": "bob", "operator": "bob"}, "the operator 'bob' cannot be the user"),
        ({"user": "bob", "operator": "nobody"}, "no sender is called 'nobody'"),
        ({"user": "bob", "zone": "Mars/Base"}, "there is no time zone 'Mars/Base'"),
    ],
)
def test_nobody_is_guessed(more: dict[str, Any], reason: str) -> None:
    """An unknown name, an operator who is the user, an unknown zone: refused with what there is."""
    with pytest.raises(WrongInput, match=reason):
        heard(discord(entry(0, "hello you", US), entry(1, "it broke")), **more)


def test_two_names_of_one_fold() -> None:
    """Another person whose nickname is the user's name is told apart from the user, and is not the user."""
    data = discord(entry(0, "mine"), entry(1, "not mine at all, you see", ("7", "carl", "bob")))
    assert texts(data) == ["mine"]


def test_what_was_left_out_is_said() -> None:
    """Each kind of entry that became no quote is counted in a note."""
    data = discord(
        entry(0, "hello you", US), entry(1, "> hello you\n", BOB), entry(2, "x" * 200_001), entry(3, "gm"),
        entry(4, "", type="Call"),
    )  # fmt: skip
    notes = heard(data).notes
    assert "1 message left out: no words of the user's own in it" in notes
    assert any("longer than 200000 characters" in note for note in notes)
    assert "1 system message left out: nobody's own words" in notes


def test_when_a_reply_came() -> None:
    """The first message after an instant; one of which only the day is known counts from the next day on."""
    found = heard(discord(entry(0, "a"), entry(5, "b")))
    assert found.reply_after("2026-02-11T10:00:00Z") == "2026-02-11T10:05:00Z"
    assert found.reply_after("2026-02-11T10:05:00Z") is None
    assert found.reply_after("2026-02-10") == "2026-02-11T10:00:00Z"
    assert found.reply_after("2026-02-11") is None
    assert found.reply_after(None) is None
    log = b"[2026-02-11 10:00] bob: a\n[2026-02-12 10:00] bob: b\n"
    assert heard(log).reply_after("2026-02-11T00:00:00Z") == "2026-02-12T00:00:00Z"


def test_a_log_is_a_log() -> None:
    """A plain log is its own source, and without a zone only its days count."""
    found = heard(b"[2026-02-11 10:00] bob: a\nand b\n[2026-02-11 10:01] me: hi\n")
    assert (found.platform.source_type, found.platform.label) == ("dm_log", "DM")
    assert [(one.text, one.moment, one.confidence) for one in found.said] == [
        ("a\nand b", "2026-02-11T00:00:00Z", "day_level")
    ]
    assert heard(b"[2026-02-11 10:00] bob: a\n", zone="Europe/Berlin").said[0].moment == "2026-02-11T09:00:00Z"


def test_only_what_came_before_can_be_quoted_back() -> None:
    """What we quote of the user later stays the user's, by time, by id within one time, by place without either."""
    words = "the badge page froze twice for me today"
    ours = f"You wrote:\n{words}\nstill so?"
    for order in (1, -1):
        data = discord(*[entry(1, words), entry(2, ours, US)][::order])
        assert texts(data) == [words]
        assert texts(discord(*[entry(1, ours, US), entry(2, words), entry(3, "hm")][::order])) == ["hm"]
        same = [entry(1, words, when="2026-02-11T10:00:00Z"), entry(2, ours, US, when="2026-02-11T10:00:00Z")][::order]
        assert texts(discord(*same)) == [words]
        undated = [entry(1, words, when="soon"), entry(2, words, US, when="later")]
        assert texts(discord(*undated[::order])) == ([words] if order > 0 else [])
    log = "[11/02/2026 10:00] {}: " + words + "\n[11/02/2026 10:00] {}: " + words + "\n"
    assert texts(log.format("bob", "me").encode()) == [words]
    assert texts(log.format("me", "bob").encode()) == []


def test_a_quoted_line_counts_from_when_it_was_written() -> None:
    """A line that the user quoted before anybody wrote it is the user's, the same line later is not."""
    data = discord(entry(0, "> did it work?\nmaybe"), entry(1, "did it work?", US), entry(2, "> did it work?\nno"))
    assert texts(data) == ["> did it work?\nmaybe", "no"]


@pytest.mark.parametrize(
    ("since", "when", "is_ours"),
    [
        ("2026-02-11T10:00:00Z", "2026-02-11T09:59:59Z", False),
        ("2026-02-11T10:00:00Z", "2026-02-11T10:00:00Z", True),
        ("2026-02-11", "2026-02-11T00:00:00Z", True),
        ("2026-02-11", "2026-02-10T23:59:59Z", False),
        ("2026-02-11T10:00:00Z", "2026-02-10", True),
        ("2026-02-11T10:00:00Z", "2026-02-09", False),
        ("2026-02-11T10:00:00Z", "soon", True),
        ("2026-02-11T10:00:00Z", "9999-12-31", True),
        ("", "2000-01-01T00:00:00Z", True),
    ],
)
def test_what_we_sent_counts_from_then_on(since: str, when: str, is_ours: bool) -> None:
    """A message of a batch is an echo where it can have been sent before; of a day the zone is not known."""
    stamps = Stamps(zone=None, order=None, now=NOW)
    sent = OurWords(dated=[(since, "did it work for you?")])
    data = opened(discord(entry(0, "did it work for you?", when=when)))
    found = hear(data, stamps, user="bob", sender=None, operator=None, sent=sent)
    assert bool(found.said) != is_ours


def test_merged_messages_are_counted() -> None:
    """How many entries were another's duplicate is said."""
    data = discord(entry(0, "it broke"), entry(0, "it broke"), entry(1, "a"), entry(1, "ab"))
    found = heard(data)
    assert (len(found.said), found.own) == (2, 4)
    assert "2 duplicates merged: each message counts once" in found.notes
