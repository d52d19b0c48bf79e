"""Tables: DiscordChatExporter's CSV and others."""

from __future__ import annotations

import pytest

from mindloop.observer.exports.tables import columns_of
from tests.helpers.exports import HEADER, csv_rows, read, said

ROW = ("111", "bob", "2026-02-11T14:23:05.123+00:00", "hi", "", "")


def test_a_row_becomes_a_message() -> None:
    """Quotes, commas and line ends inside a cell are words; name and id are the sender."""
    words = 'he said "no", twice\r\n\nand left'
    rows = [("111", "bob#0", "02/11/2026 2:23 PM", words, "http://x", "🙂 (1)"), ROW]
    messages, export = read(csv_rows(rows))
    assert said(csv_rows(rows))[0] == (("bob#0", "111"), words, "02/11/2026 2:23 PM", "message")
    assert [one.number for one in messages] == [0, 1]
    assert (export.format, export.complete) == ("discord-csv", True)
    assert export.notes == ["1 message with attachments, which are not read"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_header_tells_the_delimiter(delimiter: str) -> None:
    """What a spreadsheet saves again reads the same."""
    assert said(csv_rows([ROW], delimiter=delimiter)) == [(("bob", "111"), "hi", ROW[2], "message")]


@pytest.mark.parametrize(
    ("header", "format_"),
    [
        (HEADER, "discord-csv"),
        ("AuthorID,Author,Timestamp,Content", "discord-csv"),
        ("sender_screen_name,text,time", "twitter"),
        ("From;Text;Date", "log"),
        ('"date","sender","message"', "log"),
    ],
)
def test_columns_are_known_by_their_names(header: str, format_: str) -> None:
    """Case, quotes and order do not matter."""
    columns = columns_of(header)
    assert columns is not None
    assert columns.format == format_


@pytest.mark.parametrize(
    "header", ["", "author", "author,date", "a,b,c", "from: me, text: you, date: now", "text,time,x"]
)
def test_other_first_lines_are_no_header(header: str) -> None:
    """A table must name who, when and what."""
    assert columns_of(header) is None


def test_a_sentence_of_the_platform_is_not_somebody_s() -> None:
    """Notices and the raw rows of reactions are told apart from words, to the letter."""
    texts = [
        "Pinned a message.", "Joined the server.", "Started a call that lasted 12 minutes.", "pinned a message.",
        "Started a call that lasted ages.", '{"1":{"type":"STRUCT","x":1}}',
    ]  # fmt: skip
    kinds = [found[3] for found in said(csv_rows([(*ROW[:3], text, "", "") for text in texts]))]
    assert kinds == ["system", "system", "system", "message", "message", "reaction"]


def test_rows_of_another_width_are_left_out() -> None:
    """A row with a cell too many or too few is nobody's message; empty lines are nothing."""
    text = (
        csv_rows([ROW])
        + '"1","x"\r\n\r\n'
        + '"1","x","2026","a","","","more"\r\n'
        + csv_rows([ROW]).split("\r\n", 1)[1]
    )
    messages, export = read(text)
    assert [(one.number, one.text) for one in messages] == [(0, "hi"), (3, "hi")]
    assert (export.complete, export.notes) == (True, ["2 entries left out: no message"])


@pytest.mark.parametrize("end", ['"1","bo', '"1","bob","2026","half\r\n', '"1","bob"', '"1","bob","2026","whole"'])
def test_a_row_that_is_cut_off_is_not_taken(end: str) -> None:
    """A row counts when all its cells are there."""
    messages, export = read(csv_rows([ROW]) + end)
    assert ([one.text for one in messages], export.complete) == (["hi"], False)
    assert export.notes == ["the file is cut off after 1 complete entry: what comes then is left out"]


def test_a_last_row_without_a_line_end_is_whole() -> None:
    """Editors leave the last line end away."""
    messages, export = read(csv_rows([ROW, ROW]).removesuffix("\r\n"))
    assert (len(messages), export.complete) == (2, True)


def test_a_broken_row_ends_the_table() -> None:
    """Behind a quote that does not close properly nobody knows whose words come."""
    text = csv_rows([ROW]) + '"1","bob" x,"2026","a","",""\r\n' + '"2","eve","2026","forged","",""\r\n'
    messages, export = read(text)
    assert ([one.text for one in messages], export.complete) == (["hi"], False)
    assert export.notes[0].startswith("a row is broken (")


def test_a_line_without_an_end_is_given_up() -> None:
    """What is longer than any conversation's line is not read into memory."""
    messages, export = read(csv_rows([ROW]) + '"' + "x" * 5_000_000)
    assert ([one.text for one in messages], export.complete) == (["hi"], False)


def test_spoiled_and_huge_cells_are_left_out() -> None:
    """One message is lost, not the table."""
    rows = [(*ROW[:3], text, "", "") for text in ("nul \0", "\ud83d", "fine")]
    messages, export = read(csv_rows(rows))
    assert [one.text for one in messages] == ["fine"]
    assert export.notes == ["2 messages left out: spoiled by control characters or half a character"]


def test_a_cell_that_is_too_long_is_one_message() -> None:
    """It is left out; what comes after it is read."""
    for length, count in ((150_000, 3), (200_001, 2)):
        rows = [("1", "bob", "2026-02-11", text, "", "") for text in ("first", "x" * length, "last")]
        messages, export = read(csv_rows(rows))
        assert (len(messages), messages[-1].text, export.complete) == (count, "last", True)
