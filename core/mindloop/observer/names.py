"""Names of people: how one is shown, compared, and turned into something that is safe in a file name or an id.

A name is hostile until it went through here. Three forms, never mixed up: the display name (what a person reads), the
folded key (what is compared), the slug (what goes into paths and ids).
"""

from __future__ import annotations

import unicodedata

from mindloop.store.digest import sha256_hex
from mindloop.store.errors import WrongInput

MAX_NAME = 64
"""Longest display name, in code points."""

_SLUG_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789_-")
_HEX_CHARS = frozenset("0123456789abcdef")
_MAX_SLUG = 48
_DIGEST = 16
"""Hex digits in a slug: at eight, two names with one slug are found within seconds."""
_FORBIDDEN = ("/", "\\", "..", "{{")
_UNSEEN = {
    "Cc": "a control character",
    "Cf": "an invisible format character",
    "Cs": "half of a surrogate pair",
    "Co": "a private-use character",
    "Zl": "a line break",
    "Zp": "a line break",
}


def fold(name: str) -> str:
    """Return the key under which a name is compared: no leading @, NFC, casefold.

    Two spellings of one person give one key, and the key of a key is itself.
    """
    bare = name.lstrip("@")
    if bare.isascii():
        return bare.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", bare).casefold())


def display_name(raw: str) -> str:
    """Return the name as it is shown: NFC, one leading @ taken off.

    Raises:
        WrongInput: the name is empty, too long, or holds what could leave a line, a heading or a folder.
    """
    name = unicodedata.normalize("NFC", raw).removeprefix("@")
    reason = _objection(name)
    if reason:
        raise WrongInput(
            f"unsafe user name {raw[:80]!a}: it {reason}",
            f"A name has 1 to {MAX_NAME} visible characters, no slash, no '..', no dot or space at either end.",
        )
    return name


def _objection(name: str) -> str | None:
    """Say what is wrong with a name, or None."""
    if not name.strip("@"):
        return "is empty"
    if len(name) > MAX_NAME:
        return f"is {len(name)} characters long"
    for char in name:
        kind = _UNSEEN.get(unicodedata.category(char))
        if kind:
            return f"holds {kind} (U+{ord(char):04X})"
    if not name.isascii() and not _shows_something(name):
        return "shows nothing"
    return _misplaced(name)


def _shows_something(name: str) -> bool:
    from mindloop.observer.lines import shows_something  # few names need it, and every packet that is printed has one

    return shows_something(name)


def _misplaced(name: str) -> str | None:
    found = next((part for part in _FORBIDDEN if part in name), None)
    if found:
        return f"holds {found!r}"
    if name.startswith("{") and name.endswith("}"):
        return "is a placeholder"
    return "starts or ends with a dot or a space" if name != name.strip().strip(".") else None


def slug(name: str) -> str:
    """Return the part of paths and message ids that stands for a name: ``[a-z0-9_][a-z0-9_-]{0,47}``.

    A name that has this shape already is its own slug. Every other is written with what remains of it and sixteen hex
    digits of its hash, so that ``a.b``, ``a_b`` and two emoji names never meet in one file. A name that ends like such
    a slug gets a hash of its own: nobody can take another one's slug by choosing a name.
    """
    key = fold(name)
    if _is_slug(key):
        return key
    digest = sha256_hex(key.encode("utf-8", "surrogatepass"))[:_DIGEST]
    stem = _letters(key)[: _MAX_SLUG - _DIGEST - 1].strip("-")
    return f"{stem or 'user'}-{digest}"


def _is_slug(key: str) -> bool:
    if not 1 <= len(key) <= _MAX_SLUG or key[0] == "-" or not _SLUG_CHARS.issuperset(key):
        return False
    dash, tail = key[-_DIGEST - 1 : -_DIGEST], key[-_DIGEST:]
    return not (dash == "-" and _HEX_CHARS.issuperset(tail))


def _letters(key: str) -> str:
    """Keep what a slug may hold; accents fall off their letters, every other run becomes one dash."""
    plain = unicodedata.normalize("NFKD", key)
    kept = (char if char in _SLUG_CHARS else " " for char in plain if not unicodedata.combining(char))
    return "-".join("".join(kept).split())
