"""Where suites that write thousands of files put them."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def fast_folder(fallback: Path) -> Iterator[Path]:
    """Give an empty folder in memory where there is one: locks, renames and kills behave there as on a disk."""
    memory = Path("/dev/shm")
    home = memory if memory.is_dir() and os.access(memory, os.W_OK) else fallback
    with tempfile.TemporaryDirectory(dir=home, prefix="mindloop-tests-") as folder:
        yield Path(folder)
