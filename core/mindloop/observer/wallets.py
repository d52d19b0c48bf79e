"""Wallet addresses: what is one, and when two texts name the same one (follow-up, steps 2f and 2h)."""

from __future__ import annotations

from mindloop.store.lazy_patterns import when_used

DIGITS = 40
PATTERN = "0x[0-9a-fA-F]{40}"

_WALLET = when_used(PATTERN)
_MENTION = when_used(rf"(?<![0-9A-Fa-f])[0-9A-Fa-f]{{{DIGITS}}}(?![0-9A-Fa-f])")
_LOOSE = when_used(rf"(?:0[xX])?([0-9A-Fa-f]{{{DIGITS}}})")


def mentioned(text: str) -> set[str]:
    """Return the 40 digits, in lower case, of each wallet that stands in a text, with or without ``0x``.

    A part of a longer hex number is none. NULs between the digits are looked through: that is UTF-16 read as bytes.
    """
    found = _MENTION.findall(text.replace("\0", ""))
    return {body for body in map(digits, found) if body}


def is_wallet(text: str | None) -> bool:
    """Tell whether a text is ``0x`` and 40 hex digits and nothing else: what the score command may be called with."""
    return text is not None and _WALLET.fullmatch(text) is not None


def digits(text: str | None) -> str | None:
    """Return a wallet's 40 hex digits in lower case, for comparisons; None for anything else.

    Laxer than `is_wallet` on purpose, since it serves isolation and doubt there means "the same": blanks around it,
    ``0X`` and a missing ``0x`` do not make a wallet another person's. The zero address is nobody's, so it is None.
    """
    match = _LOOSE.fullmatch(text.strip()) if text else None
    body = match.group(1).lower() if match else ""
    return body if body.strip("0") else None
