"""Names: shown, compared, and made safe for paths."""

from __future__ import annotations

import re

import pytest

from mindloop.observer.names import MAX_NAME, display_name, fold, slug
from mindloop.store.errors import WrongInput

SHAPE = re.compile(r"[a-z0-9_][a-z0-9_-]{0,47}")


@pytest.mark.parametrize("name", ["bob", "papa-flavio", "no", "null", "0123", "true", "12e45678", "_x", "a" * 48])
def test_plain_names_are_their_own_slug(name: str) -> None:
    """A name in slug shape is its own slug, whatever YAML would take it for."""
    assert slug(name) == name


@pytest.mark.parametrize(("name", "expected"), [("Bob", "bob"), ("@bob", "bob"), ("BOBBY", "bobby")])
def test_slug_ignores_case_and_at(name: str, expected: str) -> None:
    """Case and a leading @ do not make another person."""
    assert slug(name) == expected


@pytest.mark.parametrize(
    ("name", "stem"),
    [("a.b", "a-b"), ("a b", "a-b"), ("josé", "jose"), ("🦊", "user"), ("李雷", "user"), ("-rf", "rf"), ("../x", "x")],
)
def test_other_names_get_a_hash(name: str, stem: str) -> None:
    """What is no slug keeps its letters and gets sixteen hex digits."""
    assert re.fullmatch(re.escape(stem) + "-[0-9a-f]{16}", slug(name))


def test_look_alikes_stay_apart() -> None:
    """Names that sanitise to the same letters, or that imitate a slug, never share a file."""
    names = ["a.b", "a_b", "a-b", "a b", "a/b", "🦊", "🐻", "李雷", slug("a.b"), slug("🦊"), "a" * 49, "a" * 50]
    assert len({slug(name) for name in names}) == len(names)


def test_names_that_met_once_stay_apart() -> None:
    """Two names whose hashes begin alike, found by trying names, have two slugs."""
    assert slug("alice 仁侄") != slug("alice 休亇")


def test_every_slug_is_safe() -> None:
    """A slug is short, lower case and never a path."""
    names = ["../../etc/passwd", "con.", "A" * 500, "\0", "\ud800", "", "-", "é" * 60, "x\ny", "{{user}}"]
    assert [name for name in names if not SHAPE.fullmatch(slug(name))] == []


@pytest.mark.parametrize(
    ("left", "right"),
    [("Bob", "bob"), ("caf\u00e9", "cafe\u0301"), ("straße", "STRASSE"), ("@bob", "bob"), ("\u212aim", "kim")],
)
def test_fold_joins_spellings(left: str, right: str) -> None:
    """Spellings of one name have one key."""
    assert fold(left) == fold(right)


def test_fold_separates_people() -> None:
    """A longer name is another person."""
    assert len({fold(name) for name in ("bob", "bobby", "bob-canvas", "b\u00f6b")}) == 4


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("@bob", "bob"),
        ("bob", "bob"),
        ("no", "no"),
        ("0123", "0123"),
        ("cafe\u0301", "caf\u00e9"),
        ("🦊 fox", "🦊 fox"),
    ],
)
def test_display_name(raw: str, expected: str) -> None:
    """A name is shown as written, composed, without its @."""
    assert display_name(raw) == expected


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("", "is empty"),
        ("@", "is empty"),
        ("a" * (MAX_NAME + 1), "is 65 characters long"),
        ("a\nb", r"a control character \(U\+000A\)"),
        ("a\0b", r"a control character \(U\+0000\)"),
        ("a\u2028b", "a line break"),
        ("a\u200bb", "an invisible format character"),
        ("a\u202eb", "an invisible format character"),
        ("a\ud83d", "half of a surrogate pair"),
        ("a\ue000", "a private-use character"),
        ("../x", "holds '/'"),
        ("a\\b", "holds '"),
        ("a..b", "holds '..'"),
        ("{{user}}", "holds '{{'"),
        ("{username}", "is a placeholder"),
        (".hidden", "starts or ends with a dot or a space"),
        ("bob.", "starts or ends with a dot or a space"),
        (" bob", "starts or ends with a dot or a space"),
        ("\u2800", "shows nothing"),
        ("\u3164", "shows nothing"),
        ("\u115f\u1160", "shows nothing"),
        ("@\uffa0 \u2800", "shows nothing"),
        ("\ufe0f", "shows nothing"),
        ("bob\u3000", "starts or ends with a dot or a space"),
    ],
)
def test_unsafe_names_are_refused(raw: str, reason: str) -> None:
    """What could leave a line, a heading or a folder is no name; the error says why."""
    with pytest.raises(WrongInput, match=reason):
        display_name(raw)


def test_error_shows_no_raw_control_characters() -> None:
    """The error quotes the name in ASCII: a terminal is not driven by a name."""
    with pytest.raises(WrongInput) as caught:
        display_name("\x1b[2J\u202eevil")
    assert str(caught.value).isascii()
