"""Laws of exports: nothing breaks a reader, nothing is torn, nothing is guessed, nothing of ours is the user's."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime, timedelta, timezone

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mindloop.observer.exports.duplicates import without_duplicates
from mindloop.observer.exports.echoes import ours_of, own_words, tokens_in
from mindloop.observer.exports.json_stream import JsonStream
from mindloop.observer.exports.message import MAX_STAMP, Message
from mindloop.observer.exports.people import choose_sender
from mindloop.observer.exports.reading import open_export
from mindloop.observer.exports.stamps import Stamps
from mindloop.observer.lines import CONTROL, SURROGATE
from mindloop.store.clock import parse_instant, stamp
from mindloop.store.errors import WrongInput
from tests.helpers.exports import (
    csv_rows,
    discord_entry,
    discord_json,
    discord_text,
    read,
    twitter_entry,
    twitter_js,
)

LAW = settings(deadline=None, max_examples=150)
NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
KINDS = ("message", "forwarded", "system", "reaction")

PIECES = [
    "AuthorID,Author,Date,Content,Attachments,Reactions\n", '"', '""', ",", ";", "\t", "\r\n", "\n", "{", "}", "[", "]",
    '{"messages": [', '"content": "x"', '"author": {', '"id": 1', "window.YTD.direct_messages.part0 = [", "=" * 62,
    '{"dmConversation": {"messages": [', '{"messageCreate": {"text": "a", "senderId": "1"}}', "[2026-02-11 14:23] bob",
    "[2026-02-11 14:23] bob: hi", "11/02/26, 2:23 PM - bob: hi", "[2:23 PM]", "bob — 02/11/26, 2:23 PM", "Guild: x",
    "{Attachments}", "Forwarded from x:", "> ", ">>> ", "\\ud83d", "\\u0000", "\ud83d", "\0", "\x1b[31m", "\ufeff",
    "\u202e", "🙂", "-", "1e999", "NaN", " ", ": ", "Exported 1 message(s)",
]  # fmt: skip
SOUP = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=25).map("".join)
FILES = st.binary(max_size=200) | SOUP.map(lambda text: text.encode("utf-8", "surrogatepass"))

CONTROLS = "".join(map(chr, (*range(9), *range(0x0E, 0x1C), 0x7F, *range(0x80, 0x85), *range(0x86, 0xA0))))
LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters=CONTROLS)
WORDS = st.text(LETTERS, max_size=20)
LINES = st.lists(
    st.sampled_from(["hi there", "and: so", 'no, "really"', "é🙂", "", "  x", "> y"]), min_size=1, max_size=4
)
PARAGRAPHS = LINES.map(lambda lines: "\n".join(["w", *lines, "z"]))
NAMES = st.sampled_from(["bob", "op", "The Keeper", "é"])
STAMPS = st.sampled_from(["2026-02-11T14:23:05.123+00:00", "2026-02-11 14:24", "02/11/2026 2:25 PM"])
SAID = st.lists(st.tuples(NAMES, STAMPS, PARAGRAPHS), min_size=1, max_size=5)


def as_discord_json(said, **dumping):
    return discord_json(
        [discord_entry(at, text, name=name, stamp=when) for at, (name, when, text) in enumerate(said)], **dumping
    )


def as_csv(said):
    return csv_rows([("1", name, when, text, "", "") for name, when, text in said])


def as_twitter(said):
    return twitter_js(
        [("1-2", [twitter_entry(at, text, sender=name, stamp=when) for at, (name, when, text) in enumerate(said)])]
    )


def as_log(said):
    return "".join(f"[{when}] {name}: {text}\n" for name, when, text in said)


def as_discord_text(said):
    return discord_text([(when, name, text) for name, when, text in said])


EXACT = [as_discord_json, as_csv, as_twitter]
WRITERS = [*EXACT, as_log, as_discord_text]


def facts(message):
    return message.sender, message.text, message.stamp_raw, message.kind, message.id, message.thread


@LAW
@given(FILES)
def test_no_file_breaks_a_reader(data: bytes) -> None:
    """Any bytes are an export or wrong input; what comes out is clean and numbered upwards."""
    try:
        export = open_export(lambda: io.BytesIO(data), "x")
        messages = list(export)
    except WrongInput:
        return
    assert [one.number for one in messages] == sorted({one.number for one in messages})
    for one in messages:
        assert not CONTROL.search(one.text)
        assert not SURROGATE.search(one.text)
        assert one.kind in KINDS
        assert len(one.stamp_raw) <= MAX_STAMP
        for line in (*one.sender, one.stamp_raw, one.id or "", one.thread or ""):
            assert len(line.splitlines()) <= 1
            assert not SURROGATE.search(line)
    assert export.complete or export.notes
    assert all(len(note.splitlines()) == 1 for note in export.notes)


@LAW
@given(st.sampled_from(WRITERS), SAID)
def test_what_was_written_is_read(write, said) -> None:
    """Every message comes back with its sender, its stamp and its words."""
    messages, export = read(write(said))
    assert [(one.sender[0], one.stamp_raw, one.text) for one in messages] == [
        (name, when, text) for name, when, text in said
    ]
    assert (export.complete, export.notes) == (True, [])


@LAW
@given(st.sampled_from(EXACT), st.lists(WORDS, min_size=1, max_size=4))
def test_words_come_back_to_the_letter(write, texts) -> None:
    """Where a format can hold any text, it does."""
    assume(not any(text.startswith('{"1":{"type":"STRUCT"') for text in texts))
    messages, _ = read(write([("bob", "2026-02-11", text) for text in texts]))
    assert [one.text for one in messages] == texts


@LAW
@given(st.sampled_from(WRITERS), SAID, st.data())
def test_a_cut_anywhere_leaves_whole_messages(write, said, data) -> None:
    """At any byte: what is read of the rest are the first messages; in a log only the last may lack words."""
    whole = write(said).encode()
    cut = data.draw(st.integers(0, len(whole)))
    expected = [facts(one) for one in read(whole)[0]]
    try:
        found = [facts(one) for one in read(whole[:cut])[0]]
    except WrongInput:
        return
    if write in EXACT:
        assert found == expected[: len(found)]
        return
    assert found[:-1] == expected[: len(found[:-1])]
    if found:
        last, full = found[-1], expected[len(found) - 1]
        assert full[1].startswith(last[1])
        assert (last[0], last[2:]) == (full[0], full[2:])


@LAW
@given(st.sampled_from([as_discord_json, as_csv, as_log, as_discord_text]), SAID, st.randoms(use_true_random=False))
def test_the_order_of_an_export_changes_only_numbers(write, said, random) -> None:
    """Every message means the same wherever it stands."""
    shuffled = list(said)
    random.shuffle(shuffled)

    def plain(messages):
        return sorted((one.sender, one.text, one.stamp_raw, one.kind) for one in messages)

    assert plain(read(write(shuffled))[0]) == plain(read(write(said))[0])


@LAW
@given(SAID, st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]), st.booleans(), st.sampled_from([None, 1]))
def test_encoding_and_layout_do_not_matter(said, encoding, is_ascii, indent) -> None:
    """Marks, escapes and white space are no words."""
    text = as_discord_json(said, ensure_ascii=is_ascii, indent=indent)
    assert [facts(one) for one in read(text.encode(encoding))[0]] == [
        facts(one) for one in read(as_discord_json(said))[0]
    ]


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@LAW
@given(st.dictionaries(st.text(max_size=3), VALUES, max_size=4), st.booleans(), st.sampled_from([None, 2]), st.data())
def test_json_in_pieces_is_the_same_json(value, is_ascii, indent, data) -> None:
    """Wherever the pieces end, the values are those of the whole."""
    text = json.dumps(value, ensure_ascii=is_ascii, indent=indent)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    stream = JsonStream(text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True))
    found = {key: stream.value() for key in stream.members()}
    assert found == json.loads(text, parse_int=str, parse_float=str)
    assert stream.peek() == ""


INSTANTS = st.datetimes(datetime(2015, 1, 1), datetime(2026, 11, 29)).map(lambda at: at.replace(microsecond=0))
OFFSETS = st.integers(-14 * 4, 14 * 4).map(lambda quarters: timezone(timedelta(minutes=15 * quarters)))
ZONED = st.sampled_from(
    ["%Y-%m-%dT%H:%M:%S%z", "%Y/%m/%d %H:%M:%S %z", "%d.%m.%Y, %H:%M:%S%z", "%a %b %d %H:%M:%S %z %Y",
     "%d %B %Y %I:%M:%S %p %z", "%b %d, %Y at %I:%M:%S %p UTC%z"]
)  # fmt: skip


@LAW
@given(INSTANTS, OFFSETS, ZONED)
def test_a_time_with_its_zone_is_that_instant(instant, offset, form) -> None:
    """However it is written."""
    moment = instant.replace(tzinfo=offset)
    assert Stamps(zone=None, order=None, now=NOW).resolve(moment.strftime(form)) == (stamp(moment), "exact")


@LAW
@given(
    st.lists(
        SOUP
        | st.text(max_size=30)
        | st.from_regex(r"[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}( [0-9]{1,2}:[0-9]{2})?", fullmatch=True),
        max_size=6,
    ),
    st.sampled_from([None, "Europe/Berlin"]),
)
def test_no_stamp_breaks_the_clock(raws, zone) -> None:
    """Any text is an instant, a day or nothing; an instant reads back as one, what is open or unknown has none."""
    stamps = Stamps(zone=zone, order=None, now=NOW)
    for raw in raws:
        stamps.learn(raw)
    for raw in raws:
        moment, confidence = stamps.resolve(raw)
        assert confidence in ("exact", "day_level", "unknown")
        if moment is None:
            assert confidence != "exact"
        else:
            assert stamp(parse_instant(moment)) == moment
            assert confidence == "exact" or moment.endswith("T00:00:00Z")
    assert all(len(note.splitlines()) == 1 for note in stamps.notes)


DAYS = st.lists(st.dates(datetime(2024, 1, 1).date(), NOW.date()), min_size=1, max_size=8)


@LAW
@given(DAYS, st.sampled_from(["%d/%m/%Y", "%m/%d/%Y", "%d-%m-%y", "%m/%d/%y"]))
def test_an_open_date_is_never_read_wrongly(days, form) -> None:
    """Of an export in the order in which things were said, each date is right or left open."""
    stamps = Stamps(zone=None, order=None, now=NOW)
    for day in sorted(days):
        stamps.learn(day.strftime(form))
    for day in days:
        assert stamps.resolve(day.strftime(form)) in [(f"{day}T00:00:00Z", "day_level"), (None, "day_level")]


@LAW
@given(
    st.lists(st.dates(datetime(2024, 1, 1).date(), NOW.date()), max_size=6), st.sampled_from(["%d/%m/%Y", "%m/%d/%Y"])
)
def test_dates_are_read_the_same_in_any_order(days, form) -> None:
    """The order in which dates stand says nothing."""
    written = [day.strftime(form) for day in days]
    results = []
    for order in (written, written[::-1], written * 3):
        stamps = Stamps(zone=None, order=None, now=NOW)
        for raw in order:
            stamps.learn(raw)
        results.append([stamps.resolve(raw) for raw in written])
    assert results[0] == results[1] == results[2]


OURS = st.lists(st.sampled_from(["why?", "What did you try", "hey\nhow so", "a", "[FU:deadbeef]"]), max_size=4)
REPLIES = st.lists(
    st.sampled_from(
        [
            "> why?",
            "why?",
            "> what did you try [FU:0badcafe]",
            ">>> hey",
            "how so",
            "> mine",
            "mine",
            "",
            ">",
            "> > a",
            "\r",
            "ſ",
        ]
    )
    | st.text(max_size=4),
    max_size=7,
).map("\n".join)


@LAW
@given(OURS, REPLIES)
def test_own_words_are_lines_of_the_text_and_none_of_ours(sent, text) -> None:
    """What is left stands in the text in this order, quotes nothing of ours, and is left once more as it is."""
    ours = ours_of(sent)
    own = own_words(text, ours)
    assert own_words(own, ours) == own
    rest = iter(text.split("\n"))
    assert own == "" or all(any(line.strip() == one.strip() for one in rest) for line in own.split("\n"))
    for line in own.split("\n"):
        assert not (line.startswith("> ") and own_words(line[2:], ours) == "" and line[2:].strip(" \t>"))


@LAW
@given(st.lists(st.sampled_from("0123456789abcdefABCDEF[]FU: fu\n"), max_size=60).map("".join))
def test_tokens_are_eight_digits_each_once(text) -> None:
    """Whatever stands around them."""
    tokens = tokens_in(text)
    assert len(tokens) == len(set(tokens))
    assert all(f"[fu:{token}]" in text.lower() and len(token) == 8 for token in tokens)


MESSAGES = st.lists(
    st.builds(
        lambda text, when, id, edited: (text, when, id, edited),
        st.sampled_from(["a", "b", "x" * 50 + "1", "x" * 50 + "2"]),
        st.sampled_from(["", "2026-02-11", "2026-02-12"]),
        st.sampled_from([None, "1", "2"]),
        st.sampled_from([None, "2026-02-11T00:00:00Z", "2026-02-12T00:00:00Z", "soon"]),
    ),
    max_size=7,
).map(
    lambda made: [
        Message(at, ("bob",), text, when, id=id, edited_raw=edited) for at, (text, when, id, edited) in enumerate(made)
    ]
)


@LAW
@given(MESSAGES, st.randoms(use_true_random=False))
def test_each_message_stays_once_in_any_order(messages, random) -> None:
    """What stays does not depend on the order, and staying is final."""

    def kept(made):
        return sorted((one.text, one.stamp_raw, one.id or "", one.edited_raw or "") for one in without_duplicates(made))

    shuffled = list(messages)
    random.shuffle(shuffled)
    assert kept(shuffled) == kept(messages)
    once = without_duplicates(messages)
    assert without_duplicates(once) == once
    assert len({one.id for one in once if one.id}) == len([one for one in once if one.id])


SENDERS = st.dictionaries(
    st.lists(st.sampled_from(["bob", "Bob#1", "@bob", "op", "", "7", "\ud83d"]), max_size=3).map(tuple),
    st.integers(1, 9),
    max_size=5,
)
WHO = st.none() | st.sampled_from(["bob", "OP", "7", "", "eve", "\ud83d"]) | st.text(max_size=3)


@LAW
@given(SENDERS, WHO, WHO, WHO)
def test_the_user_is_somebody_who_is_there_and_never_we(senders, user, sender, operator) -> None:
    """Or it is wrong input."""
    try:
        chosen = choose_sender(senders, user=user or "bob", sender=sender, operator=operator)
    except WrongInput:
        return
    assert chosen.user
    assert chosen.user <= senders.keys()
    assert chosen.operator <= senders.keys()
    assert not chosen.user & chosen.operator
    assert bool(chosen.operator) == (operator is not None)
