"""SHA-256 without the import of ``hashlib``, which loads OpenSSL: 3 ms of a hook's 20."""

from __future__ import annotations

try:
    from _sha2 import sha256  # type: ignore[import-not-found]  # Python 3.12 and later
except ImportError:
    try:
        from _sha256 import sha256  # type: ignore[import-not-found]  # Python 3.11
    except ImportError:  # an interpreter without either
        from hashlib import sha256


def sha256_hex(data: bytes) -> str:
    """SHA-256 of ``data`` as 64 lowercase hex digits."""
    return str(sha256(data).hexdigest())
