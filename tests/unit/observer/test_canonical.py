"""Canonical form and hash, version 1: the vectors that freeze it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import mindloop
from mindloop.observer.canonical import EMPTY_HASH, canonical, content_hash, norm_hash
from mindloop.store.errors import WrongInput

ALPHA = "CANARY_ALPHA_xyz789 this is test alpha's unique feedback"
BETA = "CANARY_BETA_abc456 this is test beta's unique feedback"
WHOLE = {
    ALPHA: "5adcc5af09049f969dbb8eb5408050ae6b71950d9d965569386658419f1a4dc0",
    f'"{ALPHA}"': "dd66825be428092cc6de748c2ee7a123b4a23b5e76c3ce525c8e84b3968681a4",
    BETA: "c406848c0d4bec2c6ae572c469631afd4045122cd99514f5264ff96f455255b6",
    "og score feels low": "694182fda377fd65c9b859ef72276effd2150f1b7ca7dd877ad1826329c83f40",
    "  OG\tScore\r\nfeels low ": "694182fda377fd65c9b859ef72276effd2150f1b7ca7dd877ad1826329c83f40",
}
STARTS = {
    "Hello World": "b94d27b9934d3e08",
    "HELLO WORLD": "b94d27b9934d3e08",
    "hello\u00a0world": "b94d27b9934d3e08",
    "hello\u3000world": "b94d27b9934d3e08",
    "hello\r\nworld": "b94d27b9934d3e08",
    "hello\rworld\u2028": "b94d27b9934d3e08",
    "Hello\u200bWorld": "b8a413953f9f5b1b",
    "\ufeffHello World": "30fd833cee9e20df",
    "caf\u00e9": "850f7dc43910ff89",
    "cafe\u0301": "850f7dc43910ff89",
    "CAF\u00c9": "850f7dc43910ff89",
    "straße": "16d96952087774fe",
    "STRASSE": "16d96952087774fe",
    "STRAẞE": "16d96952087774fe",
    "don't": "df7682099c96e3f6",
    "don’t": "af904c75047a7246",
    "\u01f0": "3651063ff416cf3b",
    "J\u030c": "3651063ff416cf3b",
    "\u0390": "0c31b0883f24b968",
    "\u0390".upper(): "8b3d4410ee15a319",
}


@pytest.mark.parametrize(("text", "expected"), WHOLE.items())
def test_whole_vectors(text: str, expected: str) -> None:
    """Each published vector gives exactly its hash."""
    assert content_hash(text) == expected


@pytest.mark.parametrize(("text", "start"), STARTS.items())
def test_short_vectors(text: str, start: str) -> None:
    """Each published vector gives a hash with exactly its first digits."""
    assert content_hash(text)[:16] == start


def test_second_form_differs() -> None:
    """Version 1 is not idempotent and stays so: the canonical form of a canonical form may be another one."""
    text = "ß\u0301"
    once = canonical(text)
    assert (once, canonical(once)) == ("ss\u0301", "s\u015b")


def test_no_composition_after_casefold() -> None:
    """The form of U+01F0 is two code points: nothing composes them again."""
    assert canonical("\u01f0") == "j\u030c"


def test_dotless_i_is_its_own_letter() -> None:
    """U+0130 folds to i and a dot, U+0131 to itself: neither is a plain i."""
    assert (canonical("\u0130"), canonical("\u0131")) == ("i\u0307", "\u0131")


@pytest.mark.parametrize("text", ["", " ", "\t\r\n", "\u00a0\u2028\u3000\x1c\x85"])
def test_nothing_has_the_empty_hash(text: str) -> None:
    """Whitespace alone is nothing."""
    assert content_hash(text) == EMPTY_HASH


def test_all_whitespace_collapses() -> None:
    """Every one of the 29 whitespace characters counts as one space."""
    spaces = [chr(point) for point in range(sys.maxunicode + 1) if chr(point).isspace()]
    assert len(spaces) == 29
    assert {canonical(f"a{space}{space}b") for space in spaces} == {"a b"}


@pytest.mark.parametrize("char", ["\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\ufe0f", "\u200e"])
def test_invisible_characters_count(char: str) -> None:
    """A zero-width character is part of what was said."""
    assert content_hash(f"a{char}b") != content_hash("ab")


def test_lone_surrogate_is_refused() -> None:
    """Half an emoji has no hash; the error names the code point."""
    with pytest.raises(WrongInput, match=r"lone surrogate \(U\+D83D\)"):
        content_hash("hi \ud83d")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a" * 64, "a" * 64),
        ("A" * 64, "a" * 64),
        (f"sha256:{'B' * 64}", "b" * 64),
        (f"prov:sha256:{'0' * 64}", "0" * 64),
        (f" SHA256:{'0' * 64}\n", "0" * 64),
        ("a" * 63, None),
        ("a" * 65, None),
        ("g" * 64, None),
        (f"{'a' * 32}g{'a' * 31}", None),
        ("PLACEHOLDER", None),
        ("", None),
        ("\uff41" * 64, None),
        (None, None),
        (7, None),
    ],
)
def test_norm_hash(text: object, expected: str | None) -> None:
    """A hash is compared bare and in lower case, whatever spelling it came in."""
    assert norm_hash(text) == expected


def test_import_is_cheap() -> None:
    """Hashing a text imports neither regular expressions nor YAML nor the store."""
    code = (
        "import sys; before = set(sys.modules); import mindloop.observer.canonical, mindloop.observer.names;"
        "print(*sorted({name.split('.')[0] for name in set(sys.modules) - before}))"
    )
    core = os.path.dirname(mindloop.__path__[0])
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": core}
    )
    heavy = {"re", "json", "yaml", "enum", "typing", "pathlib", "dataclasses", "datetime"}
    assert set(run.stdout.split()) & heavy == set()
