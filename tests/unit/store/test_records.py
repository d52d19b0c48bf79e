"""JSONL: scan, parse, encode."""

from __future__ import annotations

import pytest

from mindloop.store import records
from mindloop.store.errors import WrongInput


def test_scan_tells_every_line() -> None:
    """Good, blank, bad and torn lines come back with number, offset and reason."""
    data = b'\xef\xbb\xbf{"a":1}\r\n\n{"b":\n[1]\n{"c":2}\n{"d"'

    lines = list(records.scan(data))

    assert [(line.number, line.offset, line.record) for line in lines] == [
        (1, 3, {"a": 1}),
        (2, 12, None),
        (3, 13, None),
        (4, 19, None),
        (5, 23, {"c": 2}),
        (6, 31, None),
    ]
    assert [line.reason is None for line in lines] == [True, True, False, False, True, False]
    assert lines[3].reason == "a record must be an object, found list"
    assert str(lines[5].reason).startswith("torn last line: ")


@pytest.mark.parametrize(
    "line",
    [
        b'{"a":NaN}',
        b'{"a":Infinity}',
        b'{"a":1e400}',
        b'{"a":1,"a":2}',
        b'{"a":{"b":1,"b":1}}',
        b'{"a":"\\ud800"}',
        b'{"\\udfff":1}',
        b'{"a":"\xff"}',
        b"[1]",
        b"1",
        b"null",
        b'\xef\xbb\xbf{"a":1}',
        b"1\x002\x00",
        b'{"a":' + b"[" * 100_000,
        b'{"a":' + b"9" * 5000 + b"}",
        b'{"a":"' + b"x" * records.MAX_LINE + b'"}',
        b'{"a":1}{"b":2}',
    ],
    ids=lambda line: str(line[:16]),
)
def test_a_line_that_is_no_record_has_a_reason(line: bytes) -> None:
    """What JSON readers disagree about is refused with a reason, whatever the parser raises."""
    record, reason = records.parse(line)

    assert record is None
    assert isinstance(reason, str)


def test_line_separators_do_not_cut_records() -> None:
    """Only a newline ends a record; U+2028, U+0085 and a lone CR stay inside."""
    line = records.encode({"text": "a\u2028b\u0085c\rd"})

    assert [found.record for found in records.scan(line + b"\n")] == [{"text": "a\u2028b\u0085c\rd"}]


def test_encode_is_compact_and_readable() -> None:
    """One line, no blanks, characters as they are."""
    assert records.encode({"a": "é👍", "b": [1, None]}) == '{"a":"é👍","b":[1,null]}'.encode()


@pytest.mark.parametrize(
    "record",
    [
        {"a": "\ud800"},
        {1: "a"},
        {"a": (1,)},
        {"a": float("nan")},
        {"a": object()},
        {"a": "x" * records.MAX_LINE},
        {"a": 1e999},
    ],
    ids=["surrogate", "int key", "tuple", "nan", "object", "too long", "inf"],
)
def test_what_would_not_read_back_is_not_written(record: dict[str, object]) -> None:
    """A record that would come back changed is refused before a byte is written."""
    with pytest.raises(WrongInput):
        records.encode(record)


def test_encode_refuses_what_holds_itself() -> None:
    """A structure without end is an error of ours."""
    record: dict[str, object] = {}
    record["self"] = record

    with pytest.raises(WrongInput):
        records.encode(record)
