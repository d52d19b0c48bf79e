"""JSON pointers and patches as the two RFCs have them."""

from __future__ import annotations

from typing import Any

import pytest

from mindloop.sequence.pointers import PatchRefused, apply, pointer, same, steps_of, value_at

RFC_6901 = {"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, 'k"l': 6, " ": 7, "m~n": 8}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", RFC_6901),
        ("/foo", ["bar", "baz"]),
        ("/foo/0", "bar"),
        ("/", 0),
        ("/a~1b", 1),
        ("/c%d", 2),
        ("/e^f", 3),
        ("/g|h", 4),
        ("/i\\j", 5),
        ('/k"l', 6),
        ("/ ", 7),
        ("/m~0n", 8),
    ],
)
def test_the_examples_of_the_rfc_resolve(text: str, value: Any) -> None:
    """Every pointer of RFC 6901's example finds its value, and is what its steps are written as."""
    assert value_at(RFC_6901, text) == value
    assert pointer(steps_of(text)) == text


def test_a_tilde_is_unescaped_once() -> None:
    """``~01`` is ``~1``, never a slash."""
    assert steps_of("/~01") == ["~1"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("foo", '"foo" is no JSON pointer, expected a slash first'),
        ("/a~b", "/a~b is no JSON pointer: ~ stands alone"),
        ("/a~", "/a~ is no JSON pointer: ~ stands alone"),
        (7, "found 7, expected a JSON pointer"),
        ("/foo/2", "nothing stands at /foo/2"),
        ("/foo/-", '/foo/- wants a position of an array, found "-"'),
        ("/foo/00", '/foo/00 wants a position of an array, found "00"'),
        ("/foo/1e0", '/foo/1e0 wants a position of an array, found "1e0"'),
        ("/foo/٠", '/foo/\\u0660 wants a position of an array, found "\\u0660"'),
        ("/nobody/at/home", "nothing stands at /nobody on the way to /nobody/at/home"),
        ("/foo/0/x", "nothing stands at /foo/0/x"),
    ],
)
def test_a_pointer_that_leads_nowhere_says_where_it_ends(text: Any, said: str) -> None:
    """The error names the step at which nothing is found."""
    with pytest.raises(PatchRefused) as caught:
        value_at(RFC_6901, text)
    assert caught.value.message == said


@pytest.mark.parametrize(
    ("document", "operation", "after"),
    [
        ({"a": 1}, {"op": "add", "path": "/b", "value": 2}, {"a": 1, "b": 2}),
        ({"a": 1}, {"op": "add", "path": "/a", "value": 2}, {"a": 2}),
        ({"a": [1, 3]}, {"op": "add", "path": "/a/1", "value": 2}, {"a": [1, 2, 3]}),
        ({"a": [1]}, {"op": "add", "path": "/a/1", "value": 2}, {"a": [1, 2]}),
        ({"a": [1]}, {"op": "add", "path": "/a/-", "value": [2]}, {"a": [1, [2]]}),
        ({"a": 1}, {"op": "add", "path": "", "value": None}, None),
        ({"a": 1}, {"op": "add", "path": "/", "value": 2}, {"a": 1, "": 2}),
        ({"a": 1, "b": 2}, {"op": "remove", "path": "/a"}, {"b": 2}),
        ({"a": [1, 2, 3]}, {"op": "remove", "path": "/a/1"}, {"a": [1, 3]}),
        ({"a": 1}, {"op": "replace", "path": "/a", "value": None}, {"a": None}),
        ({"a": [1, 2]}, {"op": "replace", "path": "/a/0", "value": 5}, {"a": [5, 2]}),
        ({"a": 1}, {"op": "replace", "path": "", "value": [1]}, [1]),
        ({"a": {"b": 1}, "c": {}}, {"op": "move", "from": "/a/b", "path": "/c/d"}, {"a": {}, "c": {"d": 1}}),
        ({"a": [1, 2, 3, 4]}, {"op": "move", "from": "/a/1", "path": "/a/3"}, {"a": [1, 3, 4, 2]}),
        ({"a": 1}, {"op": "move", "from": "/a", "path": "/a"}, {"a": 1}),
        ({"a": {"b": 1}}, {"op": "move", "from": "/a/b", "path": "/a"}, {"a": 1}),
        ({"a": [1]}, {"op": "copy", "from": "/a", "path": "/a/-"}, {"a": [1, [1]]}),
        ({"a": 1}, {"op": "copy", "from": "", "path": "/b"}, {"a": 1, "b": {"a": 1}}),
        ({"a": {"x": 1, "y": [1.0]}}, {"op": "test", "path": "/a", "value": {"y": [1], "x": 1}}, None),
        ({"~1": 10}, {"op": "test", "path": "/~01", "value": 10}, None),
        ({"a": 1}, {"op": "add", "path": "/b", "value": 2, "note": "unknown members are ignored"}, {"a": 1, "b": 2}),
    ],
)
def test_each_operation_does_what_the_rfc_says(document: Any, operation: dict[str, Any], after: Any) -> None:
    """The result is the RFC's, and the document that came is as it was."""
    before = repr(document)
    expected = document if operation["op"] == "test" else after
    assert apply(document, [operation]) == expected
    assert repr(document) == before


@pytest.mark.parametrize(
    ("operation", "said"),
    [
        ({"op": "add", "path": "/a/3", "value": 1}, 'operation 0 ("add" /a/3): nothing stands at /a/3'),
        (
            {"op": "add", "path": "/x/y", "value": 1},
            'operation 0 ("add" /x/y): nothing stands at /x on the way to /x/y',
        ),
        ({"op": "add", "path": "/b/c", "value": 1}, 'operation 0 ("add" /b/c): nothing stands at /b/c'),
        ({"op": "add", "path": "/a"}, 'operation 0 ("add" /a): value is missing (null has to be written)'),
        ({"op": "remove", "path": "/x"}, 'operation 0 ("remove" /x): nothing stands at /x'),
        ({"op": "remove", "path": "/a/-"}, 'operation 0 ("remove" /a/-): /a/- wants a position of an array, found "-"'),
        ({"op": "remove", "path": ""}, 'operation 0 ("remove" ""): the whole document cannot be removed'),
        ({"op": "replace", "path": "/x", "value": 1}, 'operation 0 ("replace" /x): nothing stands at /x'),
        ({"op": "move", "from": "/a", "path": "/a/0"}, 'operation 0 ("move" /a/0): /a cannot be moved into itself'),
        ({"op": "move", "path": "/a"}, 'operation 0 ("move" /a): from is missing'),
        ({"op": "copy", "from": "/x", "path": "/y"}, 'operation 0 ("copy" /y): nothing stands at /x'),
        ({"op": "test", "path": "/b", "value": True}, 'operation 0 ("test" /b): found 1, expected true'),
        ({"op": "test", "path": "/b", "value": "1"}, 'operation 0 ("test" /b): found 1, expected "1"'),
        ({"op": "spin", "path": "/b"}, 'operation 0 ("spin" /b): op is "spin", expected one of add, remove, replace, '),
        ({"op": ["add"], "path": "/b"}, 'operation 0 (["add"] /b): op is ["add"], expected one of add, '),
        ({"op": "remove"}, "operation 0: path is missing"),
        ({"op": "remove", "path": "b"}, 'operation 0 ("remove" "b"): "b" is no JSON pointer, expected a slash first'),
        ("remove", 'operation 0: found "remove", expected an object with op and path'),
    ],
)
def test_what_cannot_be_applied_says_which_operation_and_where(operation: Any, said: str) -> None:
    """The error holds the operation's number, what it is, and the place."""
    with pytest.raises(PatchRefused) as caught:
        apply({"a": [1, 2], "b": 1}, [operation])
    assert caught.value.message.startswith(said)


def test_a_patch_is_applied_as_a_whole_or_not_at_all() -> None:
    """After an error in the second operation the first has changed nothing that the caller holds."""
    document = {"a": [1, {"b": 2}]}
    with pytest.raises(PatchRefused, match="operation 1 "):
        apply(document, [{"op": "replace", "path": "/a/1/b", "value": 3}, {"op": "test", "path": "/a/0", "value": 9}])
    assert document == {"a": [1, {"b": 2}]}


def test_a_value_that_was_added_is_not_shared_with_the_patch() -> None:
    """Changing it later changes no operation."""
    operations = [
        {"op": "add", "path": "/a", "value": {"b": []}},
        {"op": "copy", "from": "/a", "path": "/c"},
        {"op": "add", "path": "/a/b/-", "value": 1},
    ]
    assert apply({}, operations) == {"a": {"b": [1]}, "c": {"b": []}}
    assert operations[0]["value"] == {"b": []}


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (False, 0, False),
        (None, False, False),
        ("1", 1, False),
        ([1, 2], [2, 1], False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": None}, {}, False),
        ([True], [1], False),
    ],
)
def test_equality_is_that_of_json(one: Any, other: Any, equal: bool) -> None:
    """Numbers by value; true is not 1, null is not absence; objects have no order."""
    assert same(one, other) is equal
    assert same(other, one) is equal
