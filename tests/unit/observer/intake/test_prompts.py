"""Our lines that carry a reply token: what answers them, and how far each reaches."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from mindloop.observer.exports.stamps import Stamps
from mindloop.observer.intake import prompts as room
from mindloop.observer.intake.messages import Heard, hear
from mindloop.observer.intake.repeated import OurWords
from tests.helpers.direct_messages import BOB, US, discord, entry, opened

if TYPE_CHECKING:
    from typing import Any

    import pytest

NOW = datetime(2026, 11, 30, tzinfo=UTC)
EVE = ("3", "eve", "Eve")


def heard(*entries: dict[str, Any], operator: str | None = None, name: str = "dm.json") -> Heard:
    return listened(discord(*entries), operator, name)


def listened(data: bytes, operator: str | None = None, name: str = "dm.log") -> Heard:
    stamps = Stamps(zone="UTC", order=None, now=NOW)
    return hear(opened(data, name), stamps, user="bob", sender=None, operator=operator, sent=OurWords())


def prompts(found: Heard) -> dict[str, tuple[str, ...]]:
    return {one.text: one.prompts for one in found.said}


def test_a_question_reaches_to_our_next_line() -> None:
    """What the user says after it, up to what we say next; a token that the user gives is none of these."""
    talk = [
        entry(0, "one"), entry(1, "why? [FU:deadbeef]", US), entry(2, "two"), entry(3, "three [FU:deadbeef]"),
        entry(4, "four [FU:0badcafe]"), entry(5, "I see", US), entry(6, "five"), entry(7, "and? [fu:0BADCAFE]", US),
        entry(8, "so? [FU:12345678]", US), entry(9, "six"),
    ]  # fmt: skip
    expected = {
        "one": (), "two": ("deadbeef",), "three [FU:deadbeef]": (), "four [FU:0badcafe]": ("deadbeef",), "five": (),
        "six": ("12345678",),
    }  # fmt: skip
    for order in (talk, talk[::-1]):
        assert prompts(heard(*order)) == expected
    assert prompts(heard(*talk, operator="me")) == expected


def test_conversations_are_apart() -> None:
    """What we say in another conversation of the same archive ends nothing, and asks nothing."""

    def message(number: int, sender: str, text: str) -> str:
        return (
            f'{{"messageCreate": {{"id": "{number}", "senderId": "{sender}", "recipientId": "9", "text": "{text}",'
            f' "createdAt": "2026-02-11T10:{number:02d}:00.000Z"}}}}'
        )

    def talk(name: str, *messages: str) -> str:
        return f'{{"dmConversation": {{"conversationId": "{name}", "messages": [{", ".join(messages)}]}}}}'

    one = talk("9-1", message(1, "9", "why? [FU:deadbeef]"), message(4, "bob", "yes"))
    other = talk("9-2", message(2, "9", "hm? [FU:0badcafe]"), message(3, "9", "hello"))
    data = f"window.YTD.direct_messages.part0 = [{one}, {other}]".encode()
    assert prompts(listened(data, "9", "direct-messages.js")) == {"yes": ("deadbeef",)}


def test_who_we_are_must_be_known() -> None:
    """Among several others a token proves nothing unless they are named; that is said."""
    talk = [entry(1, "why? [FU:deadbeef]", US), entry(2, "oh", EVE), entry(3, "yes")]
    unknown = heard(*talk)
    assert prompts(unknown) == {"yes": ()}
    assert "others wrote reply tokens, and nobody knows which of them we are: pass --operator NAME" in unknown.notes
    assert prompts(heard(*talk, operator="me")) == {"yes": ("deadbeef",)}
    assert prompts(heard(*talk, operator="eve")) == {"yes": ()}


def test_without_a_time_nothing_stands_anywhere() -> None:
    """Neither a question nor what is said of unknown time."""
    lines = b"[2026-02-11 10:00] me: why? [FU:deadbeef]\n[soon] me: x\n[2026-02-11 10:01] bob: yes\n"
    assert prompts(listened(lines)) == {"yes": ("deadbeef",)}
    assert prompts(heard(entry(1, "why? [FU:deadbeef]", US, when="soon"), entry(2, "yes"))) == {"yes": ()}
    assert prompts(heard(entry(1, "why? [FU:deadbeef]", US), entry(2, "yes", when="soon"))) == {"yes": ()}


def reply(number: int, text: str, to: int, **more: Any) -> dict[str, Any]:
    reference = {"messageId": str(10**18 + to), "channelId": "55", "guildId": None}
    return entry(number, text, **{"type": "Reply", "reference": reference, **more})


def test_a_native_reply_carries_our_token() -> None:
    """Discord says what it answers, however late; only our own lines of the same export count."""
    talk = [
        entry(0, "why? [FU:deadbeef]", US), entry(1, "and? [FU:0badcafe]", US), entry(2, "mine [FU:12345678]"),
        entry(3, "fine", US), reply(4, "yes", 0), reply(5, "no [FU:0BADCAFE]", 0), reply(6, "hm", 2), reply(7, "x", 99),
        reply(8, "pinned", 0, type="Default"), reply(9, "odd", 0, reference=None),
    ]  # fmt: skip
    for order in (talk, talk[::-1]):
        assert {one.text: one.tokens for one in heard(*order).said} == {
            "mine [FU:12345678]": ("12345678",), "yes": ("deadbeef",), "no [FU:0BADCAFE]": ("0badcafe", "deadbeef"),
            "hm": (), "x": (), "pinned": (), "odd": (),
        }  # fmt: skip


def test_a_reply_is_not_told_twice() -> None:
    """What answers a line by its token is not told to stand behind it, too."""
    (one,) = heard(entry(0, "why? [FU:deadbeef]", US), reply(1, "yes", 0)).said
    assert (one.tokens, one.prompts) == (("deadbeef",), ())


def test_a_flood_of_tokens_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody writes so many; none of them counts, and that is said."""
    monkeypatch.setattr(room, "MOST", 2)
    talk = [entry(number, f"{number} [FU:deadbeef]", US) for number in range(3)]
    found = heard(*talk, entry(3, "yes"))
    assert prompts(found) == {"yes": ()}
    assert any("nothing is concluded from where they stand" in note for note in found.notes)


WHO = st.sampled_from([BOB, US])
TEXT = st.sampled_from(["yes", "why? [FU:deadbeef]", "and? [FU:0badcafe]", "hello there, how are you?"])


@given(st.lists(st.tuples(WHO, TEXT), max_size=12), st.randoms(use_true_random=False))
def test_the_order_of_an_export_changes_nothing(talk: list[tuple[Any, str]], dice: Any) -> None:
    """Each word of the user stands behind our last line, if that carries a token, however the export is shuffled."""
    entries = [entry(number, text, who) for number, (who, text) in enumerate([(BOB, "start"), *talk], 1)]
    expected: list[tuple[str, ...]] = []
    last: tuple[str, ...] = ()
    for who, text in [(BOB, "start"), *talk]:
        token = (text[-9:-1],) if text.endswith("]") else ()
        if who is US:
            last = token
        else:
            expected.append(tuple(one for one in last if one not in token))
    shuffled = dice.sample(entries, len(entries))
    assert [one.prompts for one in heard(*entries, operator=None).said] == expected or talk_is_echo(talk)
    assert [(one.text, one.prompts) for one in heard(*shuffled).said] == [
        (one.text, one.prompts) for one in heard(*entries).said
    ]


def talk_is_echo(talk: list[tuple[Any, str]]) -> bool:
    """Whether the user repeats a longer line of ours: then less is said than was written."""
    ours = {text for who, text in talk if who is US}
    return any(who is BOB and text in ours for who, text in talk)
