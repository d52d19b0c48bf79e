"""Laws of names and the canonical form, over an alphabet of what is odd in Unicode."""

from __future__ import annotations

import hashlib
import re
import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from mindloop.observer.canonical import canonical, content_hash, norm_hash
from mindloop.observer.names import display_name, fold, slug
from mindloop.store.errors import WrongInput

SPACES = "".join(chr(point) for point in range(0x3001) if chr(point).isspace())
ODD = "ßŉﬁǰİıςΐẖΆͅKÅΩ𐐀\u0301\u0308\u030c\u0307\u0345\u031b\u0338\u200b\u200d\ufe0f\ufeff\u202e\u200fאمaAé'’\"“”—>&<!-"
ALPHABET = st.sampled_from(ODD + SPACES) | st.characters(exclude_categories=["Cs"])
TEXT = st.text(ALPHABET, max_size=40)
ANY = st.text(st.characters() | st.sampled_from(ODD + SPACES), max_size=80)
LAW = settings(deadline=None, max_examples=200)


@LAW
@given(TEXT)
def test_the_five_steps_in_order(text: str) -> None:
    """The form is what the definition says, written out with a regular expression."""
    step = unicodedata.normalize("NFC", text).replace("\r\n", "\n").replace("\r", "\n")
    step = re.sub(r"\s+", " ", step).strip(" ").casefold()
    assert canonical(text) == step
    assert content_hash(text) == hashlib.sha256(step.encode()).hexdigest()


@LAW
@given(TEXT)
def test_equivalent_spellings_agree(text: str) -> None:
    """Composed and decomposed text have one form."""
    assert (
        canonical(unicodedata.normalize("NFD", text))
        == canonical(unicodedata.normalize("NFC", text))
        == canonical(text)
    )


@LAW
@given(st.lists(st.text(ALPHABET, min_size=1, max_size=8).filter(str.strip), min_size=1), st.data())
def test_whitespace_never_counts(words: list[str], data: st.DataObject) -> None:
    """Any whitespace in any amount between words, and around them, gives the form of single blanks."""
    spaces = st.text(st.sampled_from(SPACES), min_size=1, max_size=4)
    padded = "".join(f"{data.draw(spaces)}{word}" for word in words) + data.draw(spaces)
    assert canonical(padded) == canonical(" ".join(words))


@LAW
@given(TEXT)
def test_no_whitespace_but_single_blanks_inside(text: str) -> None:
    """A form has no blank at its ends, no two in a row and no other whitespace."""
    form = canonical(text)
    assert form == " ".join(form.split())


@LAW
@given(st.binary(min_size=32, max_size=32).map(bytes.hex), st.sampled_from(["", "sha256:", "prov:sha256:", "SHA256:"]))
def test_norm_hash_undoes_every_spelling(digest: str, prefix: str) -> None:
    """Prefix and case come off; the result is a fixed point."""
    assert norm_hash(prefix + digest.upper()) == norm_hash(digest) == digest


@LAW
@given(ANY)
def test_norm_hash_lets_nothing_else_through(text: str) -> None:
    """What comes out is None or 64 hex digits."""
    found = norm_hash(text)
    assert found is None or re.fullmatch("[0-9a-f]{64}", found)


@LAW
@given(ANY)
def test_a_key_is_its_own_key(name: str) -> None:
    """Folding is a fixed point, so keys may be folded again."""
    assert fold(fold(name)) == fold(name)


@LAW
@given(ANY)
def test_a_slug_is_safe_and_its_own_person(name: str) -> None:
    """Any text at all gives a file name; all spellings of a name give the same one."""
    assert re.fullmatch("[a-z0-9_][a-z0-9_-]{0,47}", slug(name))
    assert slug(fold(name)) == slug(name) == slug(f"@{name}")


@LAW
@given(ANY, ANY)
def test_two_people_never_share_a_slug(left: str, right: str) -> None:
    """Different keys have different slugs, also when one name imitates the other's slug."""
    for other in (right, slug(left)):
        assert (slug(left) == slug(other)) == (fold(left) == fold(other)) or other == slug(left) == fold(left)


@LAW
@given(ANY)
def test_a_display_name_is_safe_or_refused(raw: str) -> None:
    """What is accepted stays on its line, in its folder, and is its own display name; all else is WrongInput."""
    try:
        name = display_name(raw)
    except WrongInput:
        return
    assert name.isprintable() or all(
        unicodedata.category(char) in {"Zs", "Cn"} for char in name if not char.isprintable()
    )
    assert not set(name) & set("/\\\n\r")
    assert ".." not in name
    assert 0 < len(name) <= 64
    assert fold(display_name(name)) == fold(name)
