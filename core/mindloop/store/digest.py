"""SHA-256 without the import of ``hashlib``, which loads OpenSSL: 3 ms of a hook's 20."""

from __future__ import annotations

import sys

try:
    if sys.version_info >= (3, 12):  # looking for a module that is not there takes as long as three that are
        from _sha2 import sha256  # type: ignore[import-not-found]
    else:
        from _sha256 import sha256  # type: ignore[import-not-found]
except ImportError:  # an interpreter without either
    from hashlib import sha256


def sha256_hex(data: bytes) -> str:
    """SHA-256 of ``data`` as 64 lowercase hex digits."""
    return str(sha256(data).hexdigest())
