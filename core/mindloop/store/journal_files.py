"""Where the journals of changes lie, and which there are: every command looks for those of killed processes."""

from __future__ import annotations

import os

from mindloop.store import disk, reach

FOLDER = ".mindloop/journal"
INTENT = ".tmp"
COMMITTED = ".json"


def folder(root: str) -> str:
    """Return the folder of the journals."""
    return os.path.join(root, *FOLDER.split("/"))


def pending(root: str) -> list[str]:
    """Return the names of all journals, of live and of dead transactions; what is no file is none."""
    if reach.leads_out(root, FOLDER):
        return []
    try:
        with os.scandir(folder(root)) as entries:
            found = [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise disk.failure(folder(root), "list it", error) from error
    return sorted(name for name in found if name.endswith((INTENT, COMMITTED)) and "~" in name)
