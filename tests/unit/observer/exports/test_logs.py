"""Plain logs and DiscordChatExporter's text."""

from __future__ import annotations

import pytest

from mindloop.observer.exports.log_lines import head_of, is_begun, is_forward
from mindloop.observer.exports.message import MAX_TEXT
from tests.helpers.exports import RULE, discord_text, read, said

DAY = "2026-02-11 14:23"


def parts(line: str) -> tuple[str, str | None, str] | None:
    head = head_of(line)
    return None if head is None else (head.stamp, head.sender, head.text)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("[2026-02-11 14:23] bob: hi: there", (DAY, "bob", "hi: there")),
        ("[2026-02-11 14:23] bob:", (DAY, "bob", "")),
        ("[2026-02-11 14:23] bob the fox: hi", (DAY, "bob the fox", "hi")),
        ("[2026-02-11 14:23] a:b: hi", (DAY, "a:b", "hi")),
        ("[2026-02-11 14:23] <bob> hi", (DAY, "bob", "hi")),
        ("[2:23 PM] bob: hi", ("2:23 PM", "bob", "hi")),
        ("[14:23] bob: hi", ("14:23", "bob", "hi")),
        ("\u200e[11.02.26, 14:23:05] Bob: \u200ehi", ("11.02.26, 14:23:05", "Bob", "\u200ehi")),
        ("11/02/2026, 14:23 - Bob: hi", ("11/02/2026, 14:23", "Bob", "hi")),
        ("2/11/26, 2:23\u202fPM - Bob: hi", ("2/11/26, 2:23\u202fPM", "Bob", "hi")),
        ("14:23 - Bob F: hi", ("14:23", "Bob F", "hi")),
        ("14:23, 11/02/2026 - Bob: hi", ("14:23, 11/02/2026", "Bob", "hi")),
        ("2026-02-11T14:23:00Z bob: hi", ("2026-02-11T14:23:00Z", "bob", "hi")),
        ("2026-02-11 14:23 +02:00 bob: hi", ("2026-02-11 14:23 +02:00", "bob", "hi")),
        ("2026-02-11 14:23 utcfan: hi", (DAY, "utcfan", "hi")),
        ("2026-02-11 14:23 Z: hi", (DAY, "Z", "hi")),
        ("2026-02-11 14:23 UTC bob: hi", (f"{DAY} UTC", "bob", "hi")),
        ("Feb 11, 2026 2:23 PM bob: hi", ("Feb 11, 2026 2:23 PM", "bob", "hi")),
        ("14:23 <bob> hi", ("14:23", "bob", "hi")),
        ("bob — 02/11/26, 2:23 PM", ("02/11/26, 2:23 PM", "bob", "")),
        ("bob - Today at 2:23 PM", ("Today at 2:23 PM", "bob", "")),
        ("[2:25 PM]", ("2:25 PM", "", "")),
        ("[2026-02-11 14:23] bob joined", (DAY, None, "bob joined")),
        ("11/02/2026, 14:23 - Messages are encrypted", ("11/02/2026, 14:23", None, "Messages are encrypted")),
    ],
)
def test_a_head_says_who_and_when(line: str, expected: tuple[str, str | None, str]) -> None:
    """Each way of writing it is read by itself, whatever came before."""
    assert parts(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "", " ", "hi", "bob: hi", "[1] see below: this", "[FU:deadbeef] sure: yes", "[bob] hi: x",
        "10:30 works for me: ok",
        "2026-02-11 is when I left", "2 apples: red", "see you - 10:30", "1.2.3 is out: try it", "http://x.y: no",
        "[2026-02-11 14:23", "bob — soon", "a - b", "[" * 300,
        "> [2026-02-11 14:23] bob: hi",
    ],
)  # fmt: skip
def test_any_other_line_goes_on_with_what_was_said(line: str) -> None:
    """Numbers, brackets and colons alone begin no message; a quoted head is a quote."""
    assert parts(line) is None


def test_what_follows_a_head_belongs_to_it() -> None:
    """Lines are appended, blank ones too; nothing is dropped."""
    text = f"[{DAY}] bob: one\n  two\n\n> three\r\n[{DAY}] op: four\n"
    assert said(text) == [
        (("bob",), "one\n  two\n\n> three", DAY, "message"),
        (("op",), "four", DAY, "message"),
    ]


def test_a_log_may_change_its_format_in_the_middle() -> None:
    """Twelve hours, twenty-four hours, brackets, dashes: each line stands for itself."""
    text = (
        "[2026-02-11 2:23 PM] bob: a\n[2026-02-11 14:24] bob: b\n11/02/2026, 14:25 - bob: c\n"
        "2026-02-11T14:26:00Z bob: d\nbob — 02/11/26, 2:27 PM\ne\n[2:28 PM]\nf\n"
    )
    assert [(sender, words) for sender, words, _, _ in said(text)] == [(("bob",), word) for word in "abcdef"]


@pytest.mark.parametrize(
    "line", ["Forwarded from Al:", "> forwarded from Al", "[Forwarded from: Al]", "Forwarded message"]
)
def test_forwarded_words_are_nobody_s_from_there_on(line: str) -> None:
    """What was said before the line stays; what follows is somebody else's until the next head."""
    assert said(f"[{DAY}] bob: mine\n{line}\nnot mine\n[{DAY}] bob: mine again\n") == [
        (("bob",), "mine", DAY, "message"),
        (("bob",), f"{line}\nnot mine", DAY, "forwarded"),
        (("bob",), "mine again", DAY, "message"),
    ]


@pytest.mark.parametrize("line", [f"[{DAY}] bob: Forwarded from Al: x", f"[{DAY}] Forwarded from Al: x"])
def test_a_forward_is_told_on_its_own_line(line: str) -> None:
    """Before the words or where the name stands."""
    assert [kind for _, _, _, kind in said(line + "\n")] == ["forwarded"]


def test_to_be_forwarded_is_no_forward() -> None:
    """Only a line that begins so is one."""
    assert [is_forward(line) for line in ("I forwarded from Al", "forwarded it", "Forwarded from Al")] == [
        False,
        False,
        True,
    ]


def test_reactions_and_notices_have_their_kind() -> None:
    """Nobody said these."""
    text = f'[{DAY}] bob: {{"1":{{"type":"STRUCT"\n[{DAY}] bob joined\n[{DAY}] bob: Pinned a message.\n'
    assert [kind for _, _, _, kind in said(text)] == ["reaction", "system", "system"]


def test_what_stands_before_the_first_message_is_counted() -> None:
    """Lines of nobody are left out and said."""
    messages, export = read(f"Chat with bob\n\nexported today\n[{DAY}] bob: hi\n")
    assert [one.text for one in messages] == ["hi"]
    assert (export.complete, export.notes) == (True, ["2 entries left out: no message"])


@pytest.mark.parametrize(
    "torn",
    [
        "[",
        "[2026-02",
        f"[{DAY}]",
        f"[{DAY}] bo",
        f"[{DAY}] bob:",
        "2026-02-11 14:2",
        "11/02/2026, 14:23 - bo",
        "Forwarded fr",
    ],
)
def test_a_head_that_was_cut_off_is_not_appended(torn: str) -> None:
    """The message before it keeps its words, and the note says that something is missing."""
    messages, export = read(f"[{DAY}] bob: whole\n{torn}")
    assert ([one.text for one in messages], export.complete) == (["whole"], False)
    assert export.notes == ["the file is cut off after 1 complete entry: what comes then is left out"]


@pytest.mark.parametrize("last", [f"[{DAY}] bob: no line end", "goes on", "see you: there"])
def test_a_last_line_without_a_line_end_counts(last: str) -> None:
    """People save logs by hand."""
    assert not is_begun(last)
    messages, export = read(f"[{DAY}] bob: a\n{last}")
    assert (messages[-1].text.endswith(last.rpartition("bob: ")[2]), export.complete) == (True, True)


STYLES = [
    "[2026-02-11 14:23] bob: {}", "2026-02-11T14:23:05Z bob: {}", "2026-02-11 14:23 UTC+9:30 bob: {}",
    "11/02/2026, 2:23 pm - bob: {}", "Feb 11, 2026 2:23 PM - bob: {}", "11 February 2026 14:23 - bob: {}",
    "Wed Feb 11 14:23:05 +0000 2026 bob: {}", "Wednesday, 11 February 2026 at 2:23 p.m. UTC bob: {}", "14:23 bob: {}",
    "11-Feb-26 02:23 PM bob: {}", "2:23\u202fPM, 11.02.2026 bob: {}", "bob \u2014 02/11/2026 2:23 PM\n{}",
    "bob - Today at 2:23 PM\n{}", "February 11th 2026, 2:23:09 pm <bob> {}",
]  # fmt: skip


@pytest.mark.parametrize("style", STYLES)
def test_a_log_may_be_cut_anywhere(style: str) -> None:
    """Also inside a stamp, however it is written: no part of a head becomes anybody's words."""
    first, second = style.format("first words") + "\n", style.format("second words") + "\n"
    for end in range(1, len(second)):
        found = [one.text for one in read(first + second[:end])[0]]
        assert found[0] == "first words"
        assert "second words".startswith("".join(found[1:]))


@pytest.mark.parametrize("last", ["no", "may be", "sat", "so at ten", "feb was cold"])
def test_words_that_stamps_have_are_words(last: str) -> None:
    """In a log whose stamps begin with digits a last line without a line end may begin with any word."""
    messages, export = read(f"[{DAY}] bob: a\n{last}")
    assert ([one.text for one in messages], export.complete) == ([f"a\n{last}"], True)


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
def test_any_line_end_ends_a_line(end: str) -> None:
    """A carriage return alone too: nothing that we wrote becomes a line of the user's."""
    lines = [f"[{DAY}] bob: hello there", "and more", f"[{DAY}] me: we are speaking", ""]
    assert said(end.join(lines)) == [
        (("bob",), "hello there\nand more", DAY, "message"), (("me",), "we are speaking", DAY, "message"),
    ]  # fmt: skip
    mixed = f"[{DAY}] bob: hello there\r[{DAY}] me: we are speaking\r\n"
    assert [one[1] for one in said(mixed)] == ["hello there", "we are speaking"]


@pytest.mark.parametrize(
    ("line", "sender", "stamp"),
    [
        (f"{DAY} Z bob: hi", "Z bob", DAY),
        (f"{DAY} utc bob: hi", "utc bob", DAY),
        (f"{DAY} UTC bob: hi", "bob", f"{DAY} UTC"),
        (f"{DAY}Z bob: hi", "bob", f"{DAY}Z"),
        (f"{DAY} Z - bob: hi", "bob", f"{DAY} Z"),
        (f"[{DAY} Z] bob: hi", "bob", f"{DAY} Z"),
        (f"{DAY} GMT-3 bob: hi", "bob", f"{DAY} GMT-3"),
    ],
)
def test_a_name_is_no_zone(line: str, sender: str, stamp: str) -> None:
    """A letter apart before a name is the name's; a zone stands at the time, in capitals, or before a dash."""
    assert said(line + "\n") == [((sender,), "hi", stamp, "message")]


@pytest.mark.parametrize("lines", [1, 16, 17, 18, 500, MAX_TEXT + 1])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_empty_lines_belong_to_their_message(lines: int, end: str) -> None:
    """However many there are they are counted as they stand; beyond what a message may hold it is left out."""
    text = f"[{DAY}] bob: a\n{end * lines}b\n[{DAY}] bob: c\n"
    whole = ["a" + "\n" * (lines + 1) + "b"] if lines < MAX_TEXT - 2 else []
    assert [one.text for one in read(text)[0]] == [*whole, "c"]


def test_a_message_without_an_end_is_left_out() -> None:
    """Its lines are not kept beyond what a message may hold; the next message counts."""
    text = f"[{DAY}] bob: long\n" + ("x" * 999 + "\n") * (MAX_TEXT // 999 + 50) + f"[{DAY}] bob: short\n"
    messages, export = read(text)
    assert [one.text for one in messages] == ["short"]
    assert export.notes == [f"1 message left out: longer than {MAX_TEXT} characters"]


def test_discord_s_text_has_its_names_on_lines_of_their_own() -> None:
    """Words stand below the name; sections, pins and the frame are not words."""
    text = discord_text(
        [
            (
                "11-Feb-26 02:23 PM",
                "bob: the fox",
                f"one: two\n\n[{DAY}]\nthree\n\n[14:23] four\n\n{{Attachments}}\nhttp://x\n",
            ),
            ("02/12/2026 2:23 PM", "op (pinned)", "four\n\n{Reactions}\n🙂 (2)"),
            ("2/13/2026 2:23 PM", "bob", "\n{Forwarded Message}\nnot mine"),
            ("2/14/2026 2:23 PM", "bob", "Joined the server."),
        ]
    )
    messages, export = read(text)
    assert said(text) == [
        (("bob: the fox",), f"one: two\n\n[{DAY}]\nthree\n\n[14:23] four", "11-Feb-26 02:23 PM", "message"),
        (("op",), "four", "02/12/2026 2:23 PM", "message"),
        (("bob",), "", "2/13/2026 2:23 PM", "forwarded"),
        (("bob",), "Joined the server.", "2/14/2026 2:23 PM", "system"),
    ]
    assert [one.number for one in messages] == [0, 1, 2, 3]
    assert (export.format, export.complete) == ("discord-text", True)
    assert export.notes == ["1 message with attachments, which are not read"]


def test_discord_s_text_without_its_foot_was_cut_off() -> None:
    """Its foot is the only sign of its end; nothing that was cut off is appended to what is whole."""
    text = discord_text([(DAY, "bob", "one"), (DAY, "op", "two\n\n{Attachments}\nhttp://x\n")])
    for mark, expected in (("[", ["one"]), ("{Att", ["one", "two"]), ("=", ["one", "two"]), ("two", ["one", "two"])):
        messages, export = read(text[: text.rindex(mark, 0, text.index("Exported") - 60) + len(mark)])
        assert ([one.text for one in messages], export.complete) == (expected, False)
        assert export.notes[0].startswith("the file is cut off after ")


def test_a_ruler_inside_a_message_ends_no_export() -> None:
    """Only the last one is the foot."""
    text = discord_text(
        [(DAY, "bob", f"one\n{RULE}\nstill one"), (DAY, "op", f"two\n\n{RULE}\nmore"), (DAY, "bob", "three")]
    )
    messages, export = read(text)
    assert [one.text for one in messages] == [f"one\n{RULE}\nstill one", f"two\n\n{RULE}\nmore", "three"]
    assert export.complete is True
