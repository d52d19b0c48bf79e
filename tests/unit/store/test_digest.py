"""SHA-256 by the short way."""

from __future__ import annotations

import hashlib

import pytest

from mindloop.store.digest import sha256_hex


@pytest.mark.parametrize("data", [b"", b"abc", "🦊".encode(), b"x" * 1_000_003])
def test_it_is_the_hash_that_everybody_else_computes(data: bytes) -> None:
    """The interpreter's own module and hashlib agree on every input."""
    assert sha256_hex(data) == hashlib.sha256(data).hexdigest()
