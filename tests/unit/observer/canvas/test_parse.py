"""One canvas: what its header may hold, and every way in which it cannot be used."""

from __future__ import annotations

import pytest

from mindloop.observer.canvas.parse import InvalidCanvas, NotACanvas, parse_canvas, stem

REL = "grimoires/observer/canvas/papa-flavio-canvas.md"


def note(header: str, body: str = "# x\n") -> str:
    return f"---\n{header}\n---\n{body}"


def test_everything_of_the_header() -> None:
    """A whole header arrives typed by us and nothing is guessed from its look."""
    wallet = f"0x{'0A' * 20}"
    found = parse_canvas(
        REL,
        note(
            f"type: user_canvas\nuser: Bob\nwallet: {wallet}\nlifecycle_state: power_user\nschema_version: 2\n"
            "last_enriched: 2026-02-11 14:23:00\nupdated: 2026-02-11\nhivemind: {jtbd: [a]}",
            "body\n",
        ),
    )
    assert (found.path, found.basename, found.user, found.slug, found.wallet) == (
        REL,
        "papa-flavio-canvas.md",
        "Bob",
        "bob",
        wallet,
    )
    assert (found.lifecycle_state, found.last_enriched, found.updated) == (
        "power_user",
        "2026-02-11 14:23:00",
        "2026-02-11",
    )
    assert (found.body, found.body_line, found.warnings) == ("body\n", 11, [])


@pytest.mark.parametrize("name", ["no", "0123", "0x1f", "12:30", "null-ish", "true", "1e5", "0o17", "2026-02-11"])
def test_names_that_yaml_would_eat(name: str) -> None:
    """A name is the string that was written, whatever a YAML reader would make of it."""
    assert parse_canvas(REL, note(f"user: {name}")).user == name


@pytest.mark.parametrize(
    ("header", "user"),
    [
        ('user: "@bob"', "bob"),
        ("type: user_canvas", "papa-flavio"),
        ("type: user_canvas\nuser:", "papa-flavio"),
        ("type: user_canvas\nuser: null", "papa-flavio"),
        ('type: user_canvas\nuser: " "', "papa-flavio"),
        ('user: "🦊 fox"', "🦊 fox"),
        ("user: cafe\u0301", "caf\u00e9"),
    ],
)
def test_whose_canvas(header: str, user: str) -> None:
    """The header names the user; where it does not, the file's name does."""
    assert parse_canvas(REL, note(header)).user == user


@pytest.mark.parametrize("kind", ["user_canvas", "user-canvas", "user-truth-canvas"])
def test_types(kind: str) -> None:
    """All published type names are accepted."""
    assert parse_canvas(REL, note(f"type: {kind}\nuser: bob")).user == "bob"


@pytest.mark.parametrize(
    "header",
    ["type: user_canvas_template\nuser: bob", 'user: "{{username}}"', "type: user_canvas\nuser: '{username}'"],
)
def test_templates_are_left_out(header: str) -> None:
    """A template is no canvas and no error."""
    with pytest.raises(NotACanvas):
        parse_canvas(REL, note(header))


BAD = {
    "no header": ("# Bob\n", "line 1 is not ---"),
    "empty": ("", "line 1 is not ---"),
    "open header": ("---\nuser: bob\n", "never closed"),
    "list": (note("- a\n- b"), "found a list"),
    "not yaml": (note("user: [a"), "did not find expected"),
    "twice": (note("user: a\nuser: b"), "'user' stands here twice"),
    "at sign": (note("user: @bob"), "cannot start any token"),
    "mapping": (note("user: {username}"), "user is a dict, expected a name"),
    "list of users": (note("user: [a, b]"), "user is a list, expected a name"),
    "alias bomb": (note("user: bob\na: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]"), r"alias \*a is not supported"),
    "path": (note("user: ../x"), "unsafe user name '../x'"),
    "line break": (note('user: "a\\nb"'), "unsafe user name"),
    "placeholder inside": (note('user: "x{{y}}"'), "unsafe user name"),
    "other type": (note("type: follow-up-batch\nuser: bob"), "type is 'follow-up-batch'"),
    "newer": (note("user: bob\nschema_version: 3"), "schema_version is 3, this version reads up to 2"),
    "nul in the body": (note("user: bob", "a\nb\0\n"), "line 5 holds a NUL byte"),
    "nul in the header": (note("user: b\0b"), "line 2 holds a NUL byte"),
}


@pytest.mark.parametrize(("text", "reason"), BAD.values(), ids=BAD.keys())
def test_bad_canvases(text: str, reason: str) -> None:
    """What cannot be used is refused with the file's name and the reason."""
    with pytest.raises(InvalidCanvas, match=reason) as caught:
        parse_canvas(REL, text)
    assert caught.value.message.startswith(REL)


def test_the_at_sign_gets_a_hint() -> None:
    """An unquoted handle is answered with the line to write."""
    with pytest.raises(InvalidCanvas) as caught:
        parse_canvas(REL, note("type: user_canvas\nuser: @bob"))
    assert caught.value.hint == 'Write the value in quotes: user: "@bob"'


@pytest.mark.parametrize("header", ["wallet: null", "schema_version: 2", ""])
def test_the_file_name_says_whose_canvas_it_is(header: str) -> None:
    """Without a user, and without a type, a header leaves it to the file's name."""
    assert parse_canvas("grimoires/observer/canvas/papa-flavio-canvas.md", note(header)).user == "papa-flavio"


def test_unsafe_file_name_is_no_user() -> None:
    """A file's name is held to the same rules as a user's."""
    with pytest.raises(InvalidCanvas, match="unsafe user name"):
        parse_canvas("grimoires/observer/canvas/..-canvas.md", note("type: user_canvas"))


@pytest.mark.parametrize(
    ("value", "wallet"),
    [
        ("null", None),
        ("", None),
        ('"0x..."', None),
        ('"0x…"', None),
        ('"{wallet}"', None),
        ("[a]", None),
        (f"0x{'aB' * 20}", f"0x{'aB' * 20}"),
        ("bc1qxyz", "bc1qxyz"),
    ],
)
def test_wallets(value: str, wallet: str | None) -> None:
    """A wallet is kept as written; a placeholder is none."""
    assert parse_canvas(REL, note(f"user: bob\nwallet: {value}")).wallet == wallet


def test_warnings() -> None:
    """An odd wallet and an undated promise are told, not refused; a promise with its line of the file."""
    body = "## Future Promises\n| Promise | Date |\n|-|-|\n| x | soon |\n"
    found = parse_canvas(REL, note("user: bob\nwallet: bc1q", body))
    assert found.warnings == [
        "the wallet 'bc1q' is not 0x and 40 hex digits",
        "line 8: the promise has no date that can be read: 'soon'",
    ]
    assert [one.line for one in found.remarks] == [None, 8]


@pytest.mark.parametrize("version", ["two", "", "-1", "null", "99999999999999999999", "1", "\u0663"])
def test_odd_schema_versions_do_no_harm(version: str) -> None:
    """What is no number says nothing about the schema."""
    assert parse_canvas(REL, note(f"user: bob\nschema_version: {version}")).user == "bob"


def test_crlf_and_bom() -> None:
    """A file from another editor is read like ours, and its body keeps every byte."""
    body = "## Level 3 Hypotheses\r\n### H1: x\r\n- **Confidence**: High\r\n> gm\r\n"
    found = parse_canvas(REL, f"\ufeff---\r\nuser: bob\r\n---\r\n{body}")
    assert (found.user, found.body, [one.closed for one in found.hypotheses], found.has_quotes) == (
        "bob",
        body,
        [True],
        True,
    )


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a/bob-canvas.md", "bob"),
        ("a/bob.md", "bob"),
        ("a/bob-canvas-canvas.md", "bob-canvas"),
        ("-canvas.md", "-canvas"),
    ],
)
def test_stem(path: str, expected: str) -> None:
    """The user in a file's name is what stands before one -canvas."""
    assert stem(path) == expected
