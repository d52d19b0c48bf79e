"""Wallets: strict where a command is called, lax where people are kept apart."""

from __future__ import annotations

import pytest

from mindloop.observer.wallets import digits, is_wallet, mentioned

BODY = "aB" * 20


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("0x" + "aB" * 20, True),
        ("0x" + "a" * 39, False),
        ("0x" + "a" * 41, False),
        ("0x" + "a" * 40 + "\n", False),
        ("0X" + "a" * 40, False),
        ("0x" + "g" * 40, False),
        ("0x" + "٣" * 40, False),
        ("", False),
    ],
)
def test_wallets(text, valid):
    """A wallet is 0x and 40 hex digits, and not one character more."""
    assert is_wallet(text) is valid


@pytest.mark.parametrize("text", [f"0x{BODY}", f" 0x{BODY} ", f"0X{BODY.upper()}", BODY])
def test_spellings_of_one_wallet(text):
    """Case, blanks and the prefix make no other wallet."""
    assert digits(text) == BODY.lower()


@pytest.mark.parametrize("text", [None, "", "0x12", "0x" + "0" * 40, "bob.eth", BODY + "a", "0x..."])
def test_what_names_no_wallet(text):
    """Neither a placeholder nor the zero address is anybody's."""
    assert digits(text) is None


@pytest.mark.parametrize(
    "text",
    [
        f"wallet: 0x{BODY}",
        f'"wallet" : "0X{BODY.upper()}"\r',
        BODY,
        f"\x00{chr(0).join('0x' + BODY)}\x00",
        f"(0x{BODY}).",
    ],
)
def test_wallets_in_a_text(text):
    """A wallet is found in any spelling, between bytes of any kind."""
    assert mentioned(text) == {BODY.lower()}


@pytest.mark.parametrize("text", ["", "0x...", "0x" + "0" * 40, "sha256:" + "ab" * 32, BODY + "a"])
def test_no_wallet_in_a_text(text):
    """A longer hex number is a hash, not a wallet."""
    assert mentioned(text) == set()
