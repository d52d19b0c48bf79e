"""Strict YAML: reading and writing."""

from __future__ import annotations

import pytest
import yaml

from mindloop.store import strict_yaml
from mindloop.store.errors import Malformed, WrongInput

BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"


def test_the_c_parser_is_there() -> None:
    """The C and the pure parser differ; only the C one is used."""
    assert yaml.__with_libyaml__ is True


PLAIN = (
    *("no", "NO", "yes", "on", "true", "0x1F", "0777", "0123", "12:30", "1e3", "12e45678", "1_000", "2026-02-11"),
    *("1.10", "=", "<<", ".inf", "-0", "NULL", "Null", "00000000", "12345678"),
)


@pytest.mark.parametrize("word", PLAIN)
def test_every_scalar_stays_what_was_written(word: str) -> None:
    """No value is taken for a truth value, number or date, plain or quoted."""
    assert strict_yaml.load(f"k: {word}\nq: '{word}'\n") == {"k": word, "q": word}


@pytest.mark.parametrize(("text", "expected"), [("k:", None), ("k: null", None), ("k: ~", None), ('k: "null"', "null")])
def test_only_a_plain_null_is_null(text: str, expected: str | None) -> None:
    """null, ~ and nothing are null; in quotes they are text."""
    assert strict_yaml.load(text) == {"k": expected}


def test_tags_that_change_nothing_are_read() -> None:
    """What only says text, list, mapping or null, and an anchor that nothing refers to."""
    text = "a: !!str null\nb: ! no\nc: !!seq [x]\nd: !!map {e: f}\ng: !!null word\nh: &anchor i\n"

    assert strict_yaml.load(text) == {"a": "null", "b": "no", "c": ["x"], "d": {"e": "f"}, "g": None, "h": "i"}


def test_an_empty_document_is_none() -> None:
    """No document is null, not an empty mapping."""
    assert strict_yaml.load("# nothing\n") is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param("a: 1\na: 2\n", "f.yaml: line 2, column 1: the key 'a' stands here twice", id="duplicate key"),
        pytest.param("x:\n  a: 1\n  a: 2\n", "line 3, column 3: the key 'a'", id="nested duplicate"),
        pytest.param("1: a\n'1': b\n", "the key '1' stands here twice", id="same key in two styles"),
        pytest.param("? [a]\n: b\n", "a key must be a plain word", id="list as key"),
        pytest.param("a: !!int '5'\n", "the tag 'tag:yaml.org,2002:int' is not supported", id="tag"),
        pytest.param("a: !!python/object:os.system {}\n", "is not supported", id="python tag"),
        pytest.param("a: !!binary aGk=\n", "is not supported", id="binary"),
        pytest.param(
            "a: !!map\n- b\n", "the tag 'tag:yaml.org,2002:map' is not supported", id="mapping that is a list"
        ),
        pytest.param("a: !!seq {}\n", "the tag 'tag:yaml.org,2002:seq' is not supported", id="list that is a mapping"),
        pytest.param("a: !!str [b]\n", "the tag 'tag:yaml.org,2002:str' is not supported", id="text that is a list"),
        pytest.param("&a b: 1\n*a : 2\n", r"the alias \*a is not supported", id="alias as key"),
        pytest.param(BOMB, r"the alias \*a is not supported", id="alias bomb"),
        pytest.param("a: &a [*a]\n", "the alias", id="list that holds itself"),
        pytest.param("user: @bob\n", "line 1, column 7", id="at sign"),
        pytest.param("a\tb: [\n", "line 2", id="unfinished"),
        pytest.param("a: 1\n---\nb: 2\n", "expected a single document", id="two documents"),
        pytest.param("a: \0\n", "not readable as YAML", id="NUL"),
        pytest.param("a: \ud800\n", "not readable as YAML", id="lone surrogate"),
        pytest.param("[" * 5000, "YAML|column|line", id="deep nesting"),
    ],
)
def test_what_is_not_understood_is_refused_with_its_place(text: str, reason: str) -> None:
    """Bad YAML is an error that names file, line and column, and never another exception."""
    with pytest.raises(Malformed, match=reason):
        strict_yaml.load(text, "f.yaml")


def test_size_is_bounded_before_parsing() -> None:
    """A document over the limit is not parsed at all."""
    with pytest.raises(Malformed, match=r"f\.yaml: 11 characters of YAML, at most 10 are read"):
        strict_yaml.load("[" * 11, "f.yaml", limit=10)


def test_a_star_inside_text_is_no_alias() -> None:
    """Only real aliases are refused."""
    assert strict_yaml.load("a: 'b * c'\nd: x*y\n") == {"a": "b * c", "d": "x*y"}


def test_dump_keeps_order_and_quotes_what_readers_misread() -> None:
    """Keys stay in order; whatever any YAML reader would take for a value gets quotes."""
    document = {"z": "no", "a": "12e45678", "t": "0o17", "y": "y", "n": None, "i": 5, "f": 1.5, "b": True}

    assert strict_yaml.dump(document) == (
        "z: 'no'\na: '12e45678'\nt: '0o17'\n'y': 'y'\n'n': null\ni: 5\nf: 1.5\nb: true\n"
    )


def test_dump_keeps_emoji_and_long_lines() -> None:
    """People find in the file what they wrote: no escapes for emoji, no folded lines."""
    text = "👍 " + "long " * 60 + "👩‍👩‍👧"

    assert strict_yaml.dump({"note": text}) == f"note: {text}\n"


def test_dump_emoji_beside_private_use_characters() -> None:
    """The stand-ins for emoji never meet a private character of the text."""
    text = "\ue000👍\ue001"

    assert strict_yaml.load(strict_yaml.dump({"k": text})) == {"k": text}


def test_dump_writes_a_shared_list_twice() -> None:
    """There are no anchors or aliases in files."""
    shared = ["x"]

    assert strict_yaml.dump({"a": shared, "b": shared}) == "a:\n- x\nb:\n- x\n"


@pytest.mark.parametrize(
    "value",
    [{1: "a"}, {"a": {None: 1}}, {"a": float("nan")}, [float("inf")], {"a": "\ud800"}, {"a": object()}, {"a": {"b"}}],
    ids=["int key", "null key", "nan", "inf", "surrogate", "object", "set"],
)
def test_what_cannot_be_read_back_is_not_written(value: object) -> None:
    """A value that YAML cannot hold is refused, with nothing half written."""
    with pytest.raises(WrongInput):
        strict_yaml.dump(value)
