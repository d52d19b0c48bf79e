"""Front matter: split, parse, edit in place."""

from __future__ import annotations

import pytest

from mindloop.store import front_matter
from mindloop.store.errors import Malformed, WrongInput

NOTE = "---\nuser: bob # who\nwallet: 0x1F\ntags: [a, b]\n---\n\n  body\n"


def test_parse_keeps_the_body_to_the_byte() -> None:
    """The header becomes strings; the body keeps its blank line and its blanks."""
    meta, body = front_matter.parse(NOTE)

    assert meta == {"user": "bob", "wallet": "0x1F", "tags": ["a", "b"]}
    assert body == "\n  body\n"


@pytest.mark.parametrize(
    ("text", "meta", "body"),
    [
        pytest.param("no header\n", {}, "no header\n", id="none"),
        pytest.param("\n---\na: 1\n---\n", {}, "\n---\na: 1\n---\n", id="not on line 1"),
        pytest.param("----\na: 1\n----\n", {}, "----\na: 1\n----\n", id="four dashes"),
        pytest.param("---\n---\nbody", {}, "body", id="empty header"),
        pytest.param("---\n# only a comment\n---\nbody", {}, "body", id="comment"),
        pytest.param("\ufeff---\r\na: 1\r\n---\r\nb\r\n", {"a": "1"}, "b\r\n", id="BOM and CRLF"),
        pytest.param("---\na: 1\n---", {"a": "1"}, "", id="ends with the header"),
        pytest.param("---  \na: |\n  ---\n  x\n---\t\nb", {"a": "---\nx\n"}, "b", id="rule inside a block"),
    ],
)
def test_parse_shapes(text: str, meta: dict[str, object], body: str) -> None:
    """A header is what line 1 opens with --- and column 0 closes with ---; all else is body."""
    assert front_matter.parse(text) == (meta, body)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("---\na: 1\n", "n.md: line 1: front matter is opened by --- and never closed"),
        ("---\n- a\n---\n", "n.md: front matter must be `key: value` lines, found a list"),
        ("---\nword\n---\n", "found a str"),
        ("---\na: 1\na: 2\n---\n", "n.md: line 2, column 1: the key 'a' stands here twice"),
    ],
    ids=["unclosed", "list", "scalar", "duplicate"],
)
def test_a_broken_header_is_refused(text: str, reason: str) -> None:
    """A header that is not a mapping is an error, never an empty mapping."""
    with pytest.raises(Malformed, match=reason):
        front_matter.parse(text, "n.md")


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("user", "alice", NOTE.replace("bob", "alice")),
        ("user", "no", NOTE.replace("bob", "'no'")),
        ("wallet", None, NOTE.replace("0x1F", "null")),
        ("updated", "2026-02-11", NOTE.replace("b]\n", "b]\nupdated: '2026-02-11'\n")),
        ("user", "👍", NOTE.replace("bob", "👍")),
        ("count", 3, NOTE.replace("b]\n", "b]\ncount: 3\n")),
    ],
)
def test_set_scalar_touches_one_value_only(key: str, value: str | int | None, expected: str) -> None:
    """Comments, order, quotes and the body stay; only the value changes, or a line is added."""
    assert front_matter.set_scalar(NOTE, key, value) == expected


def test_set_scalar_in_a_windows_file_with_emoji() -> None:
    """Marks count characters, also behind a BOM, CRLF and characters outside the basic plane."""
    text = "\ufeff---\r\nmood: 👍👍\r\nuser: bob # c\r\n---\r\nbody"

    assert front_matter.set_scalar(text, "user", "al") == text.replace("bob", "al")
    assert front_matter.set_scalar(text, "new", "x") == text.replace("# c\r\n", "# c\r\nnew: x\r\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("body\n", "---\nuser: bob\n---\nbody\n"),
        ("---\n---\nbody\n", "---\nuser: bob\n---\nbody\n"),
        ("---\nuser:\n---\nbody\n", "---\nuser: bob\n---\nbody\n"),
        ("---\nuser: # later\n---\n", "---\nuser: bob # later\n---\n"),
        ("---\na: 1\nuser: ''\n---", "---\na: 1\nuser: bob\n---"),
    ],
    ids=["no header", "empty header", "empty value", "empty with comment", "quoted"],
)
def test_set_scalar_where_nothing_stood(text: str, expected: str) -> None:
    """A missing header, key or value is added in place."""
    assert front_matter.set_scalar(text, "user", "bob") == expected


def test_several_values_are_rewritten_at_once() -> None:
    """As one after the other: each where it stands, new ones at the end, in their order."""
    values: dict[str, str | float | None] = {"user": "al", "new": "x", "count": 3}
    one_by_one = NOTE
    for key, value in values.items():
        one_by_one = front_matter.set_scalar(one_by_one, key, value)

    assert front_matter.set_scalars(NOTE, values) == one_by_one
    assert front_matter.set_scalars("body", {"a": 1, "b": "x"}) == "---\na: 1\nb: x\n---\nbody"


@pytest.mark.parametrize("text", [NOTE, "body", "", "---\nbroken: [\n---\n"])
def test_no_value_changes_nothing(text: str) -> None:
    """Not even a text without a header, or with a broken one."""
    assert front_matter.set_scalars(text, {}) == text


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        (NOTE, "tags", "a"),
        (NOTE, "user", "two\nlines"),
        ("---\nuser: |\n  a\n---\n", "user", "b"),
        ("---\n{user: a}\n---\n", "other", "b"),
    ],
    ids=["list", "two lines", "block", "flow mapping"],
)
def test_an_edit_that_is_not_one_value_is_refused(text: str, key: str, value: str) -> None:
    """What cannot be rewritten in place and read back is refused with a hint."""
    with pytest.raises(WrongInput):
        front_matter.set_scalar(text, key, value)


@pytest.mark.parametrize(
    "header",
    ["? updated\nseen: 2026-02-11\n", "{updated, seen}\n", "  updated: 1\n", "updated: 1\n...\n"],
    ids=["key without a value", "flow mapping", "indented", "ended"],
)
def test_a_header_that_one_edit_breaks_is_refused_whatever_is_edited_next(header: str) -> None:
    """The second value is looked for in what the first one made of the header."""
    with pytest.raises(WrongInput, match="could not be rewritten in place"):
        front_matter.set_scalars(f"---\n{header}---\nbody\n", {"updated": "a: b", "seen": "x", "new": "y"})


def test_replace_rewrites_the_header_and_no_more() -> None:
    """The whole header is replaced; BOM, line ends and body stay."""
    text = "\ufeff---\r\nold: 1\r\n---\r\nbody\n"

    assert (
        front_matter.replace(text, {"type": "x", "no": "no"}) == "\ufeff---\r\ntype: x\r\n'no': 'no'\r\n---\r\nbody\n"
    )
    assert front_matter.replace("body", {}) == "---\n---\nbody"


def test_render_and_parse_agree() -> None:
    """What render writes, parse reads."""
    assert front_matter.parse(front_matter.render({"a": ["1"]}, "\nbody")) == ({"a": ["1"]}, "\nbody")
