"""What the system says of a name on the disk, and its refusals in words that a user can act on."""

from __future__ import annotations

import errno
import os
import stat

from mindloop.store.errors import StoreFailure, Unreadable

_HINTS = {
    errno.ENOSPC: "The disk is full: free some space and run the command again.",
    errno.EDQUOT: "The quota is used up: free some space and run the command again.",
    errno.EROFS: "The file system is read-only: mount it for writing, or copy the workspace elsewhere.",
    errno.EACCES: "Check who owns the file and its folder.",
    errno.EPERM: "Check who owns the file and its folder.",
    errno.EIO: "The disk reports an error: check it before going on.",
    errno.ENAMETOOLONG: "Choose a shorter name.",
    errno.ELOOP: "A symbolic link points at itself: remove it.",
}
THIS_FILE_ALONE = (errno.EACCES, errno.EPERM, errno.ELOOP, errno.ENAMETOOLONG)
"""Refusals that are about one file; after any other the disk itself is in doubt."""
_OTHER_HINT = "Mend what the system names, then run the command again."


def failure(path: str, doing: str, error: OSError, kind: type[StoreFailure] = StoreFailure) -> StoreFailure:
    """Return the error a user sees for a refusal of the system."""
    reason = os.strerror(error.errno) if error.errno else str(error)
    return kind(f"{path}: could not {doing}: {reason}", _HINTS.get(error.errno or 0, _OTHER_HINT))


def status(path: str) -> os.stat_result | None:
    """Return what the system knows of a file or folder, links followed; None where there is none.

    Raises:
        Unreadable: the system does not let us look.
    """
    try:
        return os.stat(path)
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENAMETOOLONG):
            return None
        raise failure(path, "look at it", error, Unreadable) from error


def is_regular(path: str) -> bool:
    """Tell whether the name itself, not what a link leads to, is a file."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False


def file_mode(path: str) -> int | None:
    """Return the permission bits of a file, or None where there is none."""
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except OSError:
        return None
