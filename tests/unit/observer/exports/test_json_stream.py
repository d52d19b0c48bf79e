"""JSON in pieces: walked where it is long, taken whole where it is short, refused where it does not go on."""

from __future__ import annotations

import pytest

from mindloop.observer.exports.json_stream import MAX_VALUE, Broken, JsonStream


def walked(texts) -> dict[str, object]:
    """An object of arrays, each read element by element."""
    stream = JsonStream(texts)
    found: dict[str, object] = {}
    for key in stream.members():
        found[key] = [stream.value() for _ in stream.elements()] if stream.peek() == "[" else stream.value()
    assert stream.peek() == ""
    return found


TEXT = ' { "a" : [ 1 , -2.50e3 , "x\\u00e9\\ud83d\\ude00\\n" , { "b" : [ ] } , null ] , "n" : 12345 , "e" : [ ] } \n'
VALUE = {"a": ["1", "-2.50e3", "xé😀\n", {"b": []}, None], "n": "12345", "e": []}


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 100])
def test_pieces_of_any_length_give_one_value(size: int) -> None:
    """Where the pieces end does not matter, not even inside a number or an escape; numbers keep their digits."""
    assert walked(TEXT[at : at + size] for at in range(0, len(TEXT), size)) == VALUE


def test_half_of_a_pair_stays_what_it_is() -> None:
    """Nothing is put in place of what has no character."""
    assert walked(['{"a": ["\\ud83d", "\\ude00x"]}']) == {"a": ["\ud83d", "\ude00x"]}


@pytest.mark.parametrize(
    ("text", "is_cut"),
    [
        ("", True), ("{", True), ('{"a"', True), ('{"a":', True), ('{"a":[1,', True), ('{"a":[1', True),
        ('{"a":["x', True), ('{"a":[{"b":1', True), ("[1]", False), ('{1:2}', False), ('{"a" 1}', False),
        ('{"a":[1 2]}', False), ('{"a":[NaN]}', False), ('{"a":[-Infinity]}', False),
        ('{"a":[' + "[" * 100_000, False),
    ],
)  # fmt: skip
def test_what_does_not_go_on_is_broken_or_cut(text: str, is_cut: bool) -> None:
    """Running out of text is told apart from a text that is no JSON."""
    with pytest.raises(Broken) as caught:
        walked([text])
    assert caught.value.is_cut is is_cut


def test_what_is_broken_is_not_looked_for_in_the_whole_rest() -> None:
    """After a bad value no more is read than the longest value takes."""
    read = 0

    def pieces():
        nonlocal read
        yield '{"a":[{"b" 1}'
        for _ in range(1000):
            read += 1
            yield "x" * 100_000

    with pytest.raises(Broken, match="Expecting ':' delimiter"):
        walked(pieces())
    assert read <= 1


def test_a_value_without_an_end_is_given_up() -> None:
    """A text that never closes is held in memory up to a bound, not whole."""
    read = 0

    def pieces():
        nonlocal read
        yield '{"a":["'
        for _ in range(1000):
            read += 1
            yield "x" * 100_000

    with pytest.raises(Broken, match=f"a value has more than {MAX_VALUE} characters") as caught:
        walked(pieces())
    assert (caught.value.is_cut, read * 100_000 <= 4 * MAX_VALUE) == (False, True)


def test_a_long_value_is_read_in_steps_that_double() -> None:
    """A value over many pieces is decoded a few times, not once a piece."""
    stream = JsonStream(['["', *["x" * 1000] * 2000, '"]'])
    decoded = 0
    decode = stream._decode

    def counted(*place):
        nonlocal decoded
        decoded += 1
        return decode(*place)

    stream._decode = counted
    assert stream.value() == ["x" * 2_000_000]
    assert decoded < 15
