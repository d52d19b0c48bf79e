"""Puts a workspace back between two measured runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class Restored:
    """Puts files back as they are now before each run, so that each run has the same to do.

    Args:
        folder: the workspace.
        given: what each run gets on standard input.
        places: globs of the files that the run may change; others are not looked at.
    """

    def __init__(self, folder: Path, given: bytes = b"", places: tuple[str, ...] = ("grimoires", "agents")) -> None:
        self.folder = folder
        self.places = places
        self.kept = {path: path.read_bytes() for path in self._files()}
        self.given = given

    def _files(self) -> list[Path]:
        found = [path for pattern in self.places for place in self.folder.glob(pattern) for path in place.rglob("*")]
        return [path for path in found if path.is_file()]

    def next(self) -> bytes:
        """Restore; what the run gets on standard input."""
        for path in self._files():
            if path not in self.kept:
                path.unlink()
        for path, data in self.kept.items():
            if not path.exists() or path.read_bytes() != data:
                path.write_bytes(data)
        os.sync()  # a run that waits for the disk waits for its own writing alone
        return self.given
