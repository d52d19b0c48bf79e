"""Exports are told apart by their content, read as they are encoded, and refused with a reason."""

from __future__ import annotations

import codecs
import io

import pytest

from mindloop.observer.exports.decoding import CHUNK
from mindloop.observer.exports.reading import FORMATS, open_export
from mindloop.store.errors import WrongInput
from tests.helpers.exports import (
    csv_rows,
    discord_entry,
    discord_json,
    discord_text,
    opened,
    read,
    said,
    twitter_entry,
    twitter_js,
)

LOG = "[2026-02-11 14:23] bob: héllo 🙂\n"
KINDS = {
    "discord-json": discord_json([discord_entry(1, "hi")]),
    "discord-csv": csv_rows([("1", "bob", "2026-02-11", "hi", "", "")]),
    "discord-text": discord_text([("2026-02-11 14:23", "bob", "hi")]),
    "twitter": twitter_js([("1-2", [twitter_entry(1, "hi")])]),
    "log": LOG,
}


def test_every_format_has_an_example_here() -> None:
    """The examples below are all formats."""
    assert tuple(KINDS) == FORMATS


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("before", ["", "\ufeff", "\n\n  "])
def test_the_content_tells_the_format(kind: str, before: str) -> None:
    """A byte order mark or blank lines before it change nothing; it reads to its end."""
    messages, export = read(before + KINDS[kind])
    assert (export.format, len(messages), export.complete, export.notes) == (kind, 1, True, [])
    assert messages[0].number == 0
    assert messages[0].sender[0] in ("bob", "2")


@pytest.mark.parametrize("kind", KINDS)
def test_an_export_can_be_read_twice(kind: str) -> None:
    """Each iteration opens it anew and gives the same."""
    export = opened(KINDS[kind])
    assert [repr(one) for one in export] == [repr(one) for one in export]


@pytest.mark.parametrize(
    "encoded",
    [LOG.encode(), codecs.BOM_UTF8 + LOG.encode(), LOG.encode("utf-16"), codecs.BOM_UTF16_BE + LOG.encode("utf-16-be")],
    ids=["utf-8", "utf-8 with mark", "utf-16-le with mark", "utf-16-be with mark"],
)
def test_the_encodings_that_are_read(encoded: bytes) -> None:
    """UTF-8 with or without a mark, UTF-16 with one: the same words."""
    assert said(encoded) == [(("bob",), "héllo 🙂", "2026-02-11 14:23", "message")]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "x.json is empty"),
        (b"\xef\xbb\xbf", "x.json is no export: there is nothing in it"),
        (LOG.encode("utf-16-le"), "x.json is no UTF-8: byte 1 is 0, as in UTF-16 without a mark"),
        (LOG.encode("utf-32"), "x.json is UTF-32: its first bytes are ff fe 00 00"),
        (LOG.encode("latin-1", "replace"), "x.json is no UTF-8: byte 25 is 0xE9"),
        (b"PK\x03\x04....", "x.json is a zip archive"),
        (b"\x1f\x8b....", "x.json is a gzip archive"),
        (b"%PDF-1.7", "x.json is a PDF"),
        (b"<!DOCTYPE html><html>", "x.json is no export: it is a page; export the conversation as JSON instead"),
        (b"{}", "x.json is no export: it is JSON without messages"),
        (b'[{"id": 1}]', "x.json is no export: it is JSON without messages"),
        (b"window.YTD.tweets.part0 = []", "x.json is no export: no line of it names a time and who wrote"),
        (b"just some words\nof somebody: hi", "x.json is no export: no line of it names a time and who wrote"),
    ],
)
def test_what_is_no_export_is_refused_with_its_reason(data: bytes, reason: str) -> None:
    """The error names the file, what it is, and the byte where that says something."""
    with pytest.raises(WrongInput) as caught:
        open_export(lambda: io.BytesIO(data), "x.json")
    assert caught.value.message == reason
    assert len(caught.value.hint) > 20


def test_a_wrong_byte_far_inside_is_named_by_its_place() -> None:
    """The offset counts from the beginning of the file, over the pieces that it is read in, marks included."""
    good = codecs.BOM_UTF8 + LOG.encode() * (2 * CHUNK // len(LOG.encode()))
    with pytest.raises(WrongInput, match=f"byte {len(good)} is 0xFF"):
        list(opened(good + b"\xff" + LOG.encode()))


def test_a_character_on_the_edge_of_two_pieces_stays_whole() -> None:
    """Pieces may end inside a character; the words do not change."""
    line = "[2026-02-11 14:23] bob: " + "x" * 999 + "\n"
    filler = line * (CHUNK // len(line))
    for shift in range(-40, -20):
        words = "x" * (CHUNK - len(filler) + shift) + "🙂🙂"
        assert said(f"{filler}[2026-02-11 14:23] bob: {words}\n")[-1][1] == words


def test_a_file_that_ends_inside_a_character_was_cut_off() -> None:
    """What is whole is read; the rest is said to be missing."""
    messages, export = read("[2026-02-11 14:23] bob: hi 🙂".encode()[:-2])
    assert ([one.text for one in messages], export.complete) == (["hi"], False)
    assert export.notes == ["the file is cut off after 1 complete entry: what comes then is left out"]


def test_a_hostile_name_is_shown_as_one_short_line() -> None:
    """The name of a file may hold anything."""
    with pytest.raises(WrongInput) as caught:
        open_export(lambda: io.BytesIO(b""), "a\nb\x1b[31m\u202e" + "c" * 300)
    assert caught.value.message == "a b [31m" + "c" * 31 + "… is empty"


def test_an_iteration_that_is_given_up_closes_the_file() -> None:
    """Whoever stops reading leaves nothing open."""
    files: list[io.BytesIO] = []

    def opener() -> io.BytesIO:
        files.append(io.BytesIO((LOG * 3).encode()))
        return files[-1]

    messages = iter(open_export(opener, "x"))
    next(messages)
    messages.close()  # type: ignore[attr-defined]
    assert [file.closed for file in files] == [True, True]
