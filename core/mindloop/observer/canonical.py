"""Canonical form, version 1, and the hash that stands for a quote everywhere (follow-up, step 2d).

Version 1 is immutable: every stored hash would change with it. In this order: NFC; CR and CRLF to LF; each run of
whitespace to one space; trimmed; Unicode casefold; SHA-256 of the UTF-8 bytes. There is no second NFC after the
casefold, so the form is not idempotent for a few sequences of combining marks: always hash the original text, never a
canonical one.
"""

from __future__ import annotations

import unicodedata

from mindloop.store.digest import sha256_hex
from mindloop.store.errors import WrongInput

EMPTY_HASH = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
"""The hash of nothing: a quote that is empty once canonical, which never counts as verified."""

NORMALIZATION_VERSION = 1
_HEX = "0123456789abcdef"


def canonical(text: str) -> str:
    """Return the version 1 canonical form of ``text``.

    Whitespace is what Python's ``str.split`` takes for it (29 characters, line ends, NBSP and U+2028 among them).
    Zero-width characters, smart quotes and dashes are kept: folding them would verify text that was never said.
    """
    composed = unicodedata.normalize("NFC", text)
    return " ".join(composed.split()).casefold()


def content_hash(text: str) -> str:
    """Return the SHA-256 of the canonical form: 64 lowercase hex digits.

    Raises:
        WrongInput: the text holds half of a surrogate pair, which has no UTF-8 form.
    """
    try:
        data = canonical(text).encode("utf-8")
    except UnicodeEncodeError as error:
        raise WrongInput(
            f"the text holds a lone surrogate (U+{ord(error.object[error.start]):04X}); expected whole characters",
            "Copy the text again from its source: half of an emoji was lost on the way.",
        ) from error
    return sha256_hex(data)


def norm_hash(text: object) -> str | None:
    """Return a hash bare and in lower case, whatever spelling it came in; None when it is not a SHA-256.

    ``prov:`` and ``sha256:`` may stand in front, the digits may be upper case.
    """
    if not isinstance(text, str) or not text.isascii():
        return None
    bare = text.strip().lower().removeprefix("prov:").removeprefix("sha256:").strip()
    return bare if len(bare) == 64 and not bare.strip(_HEX) else None
