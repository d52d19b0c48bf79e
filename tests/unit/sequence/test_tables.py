"""CSV as exports have it: separators, names of columns, encodings, and what cannot be read."""

from __future__ import annotations

import pytest

from mindloop.sequence.instants import Instants
from mindloop.sequence.tables import Table
from mindloop.store.errors import Malformed

REQUIRED = {"lead": ("lead", "leadid"), "t": ("t", "createdat")}
OPTIONAL = {"status": ("status",)}


def table(*chunks: bytes | str) -> Table:
    """A table of those bytes."""
    return Table("messages", chunks, REQUIRED, OPTIONAL)


def rows(*chunks: bytes | str) -> list[tuple[str, ...]]:
    """Its good rows."""
    return list(table(*chunks).rows())


@pytest.mark.parametrize(
    "text",
    [
        "lead,t,status\nl1,5,OK\n",
        "\ufefflead,t,status\nl1,5,OK\n",
        "lead;t;status\r\nl1;5;OK\r\n",
        "lead\tt\tstatus\nl1\t5\tOK",
        "lead|t|status\rl1|5|OK\r",
        '"Lead ID","Created At","STATUS"\n"l1","5","OK"\n',
        "messages.lead_id,messages.created_at,messages.status\nl1,5,OK\n",
        "sep=;\nlead;t;status\nl1;5;OK\n",
        "\n\nlead,t,status\n\nl1,5,OK\n\n",
        'id,note,status,t,lead\n9,"a, b\nc ""d""",OK,5,l1\n',
        "lead,t,status\nl1,5,OK,,\n",
    ],
)
def test_one_row_in_many_spellings(text: str) -> None:
    """A byte order mark, separators, line ends, quotes, names and places of columns change nothing."""
    assert rows(text.encode()) == [("l1", "5", "OK")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_encodings_that_spreadsheets_write(encoding: str) -> None:
    """UTF-8, and UTF-16 with a byte order mark."""
    mark = b"\xff\xfe" if encoding == "utf-16-le" else b""
    data = mark + "lead\tt\nñandú\t5\n".encode(encoding)
    assert rows(data) == rows(*(data[at : at + 1] for at in range(len(data)))) == [("ñandú", "5")]


def test_a_file_may_be_cut_anywhere() -> None:
    """Chunks of any size, empty ones too, bytes or text, give the same rows."""
    data = 'note,lead,t\r\n"ä\r\nb",l1,5\r\nc,l2,6\r\n'.encode()
    whole = rows(data)
    assert whole == [("l1", "5"), ("l2", "6")]
    for size in (1, 2, 3, 7):
        assert rows(*(data[at : at + size] for at in range(0, len(data), size)), b"") == whole
    assert rows(*data.decode().splitlines(keepends=True)) == whole


def test_a_missing_column_is_named_beside_what_was_found() -> None:
    """The error says which column, what else it may be called, and which columns are there."""
    with pytest.raises(Malformed) as refused:
        table(b"Lead,when\nl1,5\n")
    assert refused.value.message == "messages: no column t (also createdat); found: Lead, when"
    with pytest.raises(Malformed) as both:
        table(b"a,b\n")
    assert "no column lead (also leadid); t (also createdat); found: a, b" in both.value.message


def test_a_column_that_stands_twice_could_be_either() -> None:
    """Two columns of one name are refused; of two names for one thing the better is taken."""
    with pytest.raises(Malformed) as refused:
        table(b"lead,t,Lead\n")
    assert "'lead' stands twice" in refused.value.message.lower()
    assert rows(b"lead_id,lead,t\nx,l1,5\n") == [("l1", "5")]


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf", b"sep=,\n"])
def test_an_empty_file_has_no_header(data: bytes) -> None:
    """Nothing at all is said to be empty."""
    with pytest.raises(Malformed) as refused:
        table(data)
    assert refused.value.message == "messages: it is empty, expected a header row"


def test_bad_rows_are_numbered_as_a_spreadsheet_numbers_them() -> None:
    """The header is row 1; blank rows count; a row of another length is left out with both lengths."""
    read = table(b'lead,t\nl1,5\n\nl2\n"a"b,5\nl3,6,7\nl4,8\n')
    assert list(read.rows()) == [("l1", "5"), ("l4", "8")]
    assert [(row.number, row.reason[:35]) for row in read.bad] == [
        (4, "it has 1 fields, the header has 2"),
        (5, "it is no row of a CSV (',' expected"),
        (6, "it has 3 fields, the header has 2"),
    ]


def test_a_quote_that_never_ends_costs_its_own_row() -> None:
    """The next line is read again, for itself; who the row was about is kept."""
    read = table(b'lead,t\nl1,5\n"l2,6\nl3,7\n')
    assert list(read.rows()) == [("l1", "5"), ("l3", "7")]
    assert [one.number for one in read.bad] == [3]
    assert read.torn == [["l2", "6"]]


@pytest.mark.parametrize("closed", [False, True])
def test_no_quote_swallows_rows(closed: bool) -> None:
    """A thousand rows behind a stray quote are all read, whether or not a later quote could close it."""
    lines = [f"l{at},{at},n\n" for at in range(1000)]
    lines[3] = 'l3,3,"n\n'
    if closed:
        lines[9] = 'l9,9,n"\n'
    read = table("lead,t,note\n", *lines)
    assert [lead for lead, _ in read.rows()] == [f"l{at}" for at in range(1000) if at != 3]
    assert [one.number for one in read.bad] == [5]


def test_a_line_end_in_a_field_that_is_read_is_a_bad_row() -> None:
    """No lead has one in its name, and half of such a name is no lead either."""
    read = table(b'lead,t\n"a\nb",5\nc,6\n')
    assert list(read.rows()) == [("c", "6")]
    assert [one.number for one in read.bad] == [2, 3]


def test_another_encoding_is_refused_with_its_byte() -> None:
    """Latin-1 is not guessed: the error names the byte and what to do."""
    with pytest.raises(Malformed) as refused:
        rows("lead,t\nñ,5\n".encode("latin-1"))
    assert "expected text in UTF-8, found the byte 0xf1" in refused.value.message
    assert "iconv" in refused.value.hint


def test_a_line_that_never_ends_is_refused() -> None:
    """Memory is bounded: megabytes without a line end are no CSV."""
    with pytest.raises(Malformed) as refused:
        rows(b"lead,t\n", *(b"x" * 100_000 for _ in range(50)))
    assert "a line of more than 4000000 bytes" in refused.value.message


@pytest.mark.parametrize(
    ("raw", "seconds", "kind"),
    [
        ("0", 0, "minutes"),
        ("90", 5400, "minutes"),
        ("-5", -300, "minutes"),
        ("1970-01-01T01:00:30+01:00", 30, "instants with a zone"),
        ("1970-01-01 00:00:30.987Z", 30, "instants with a zone"),
        ("1970-01-01 00:00:30+00", 30, "instants with a zone"),
        ("1970-01-01 00:01:00 UTC", 60, "instants with a zone"),
        ("1969-12-31T23:59:00Z", -60, "instants with a zone"),
        ("1970-01-01T00:01", 60, "instants without a zone"),
    ],
)
def test_instants(raw: str, seconds: int, kind: str) -> None:
    """Whole minutes, or ISO 8601 as databases write it; fractions of a second fall away."""
    instants = Instants()
    assert instants.read(raw, table(b"lead,t\n")) == seconds
    assert instants.kind == kind
    assert instants.latest == seconds


@pytest.mark.parametrize(
    "raw", ["", "x", "1.5", "1_0", "+5", "٣", "--5", "2026-11-30", "30/11/2026 10:00", "2026-13-01T00:00Z", "9" * 400]
)
def test_what_is_no_instant(raw: str) -> None:
    """Anything else is a bad row, whatever Python itself would read in it."""
    with pytest.raises(ValueError, match="is n"):
        Instants().read(raw, table(b"lead,t\n"))


def test_seconds_are_not_taken_for_minutes() -> None:
    """A number of seconds since 1970 would be a minute in a far millennium."""
    with pytest.raises(ValueError, match="are these seconds"):
        Instants().read("1796032800", table(b"lead,t\n"))
