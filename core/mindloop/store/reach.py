"""How far a change may reach: to the files of the workspace, whatever links and journals say.

A workspace may have come as a copy from anywhere, with links and journals in it, so nothing that lies in it can allow
a change outside. Only a folder outside can: one that holds a file ``.mindloop-data`` with the path of the workspace in
it is the workspace's own. That is how ``grimoires`` may be a link to another disk.
"""

from __future__ import annotations

import errno
import os
import stat

from mindloop.store import atomic, disk
from mindloop.store.errors import Malformed, MindloopError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LEAVE = ".mindloop-data"
_OWN = (".mindloop/journal", ".mindloop/locks")
_LEAVE_LIMIT = 10_000


def leads_out(root: str, rel: str) -> bool:
    """Tell whether links lead from a workspace path to a place that is not the workspace's.

    Args:
        root: the real path of the workspace.
        rel: workspace-relative; nothing needs to be there.
    """
    real = os.path.realpath(os.path.join(root, rel))
    return not (_is_below(root, real) or any(_allows(folder, root) for folder in _parents(real)))


def require(root: str, rel: str) -> None:
    """Refuse a path that leads out.

    Raises:
        Malformed: it does.
    """
    if leads_out(root, rel):
        raise Malformed(
            f"{rel}: a link leads out of the workspace, to {os.path.realpath(os.path.join(root, rel))}; "
            "nothing was changed there",
            f"Remove the link. If that folder is this workspace's own, write a line {root} into {LEAVE} in it.",
        )


def may_recover(root: str, rel: str) -> bool:
    """Tell whether a journal found in the workspace may have its way with a path: a file or a name that is free.

    Raises:
        StoreFailure: the system does not let us look.
    """
    try:
        os.fsencode(rel)
    except UnicodeEncodeError:
        return False
    parts = rel.split("/")
    if "\0" in rel or any(part in ("", ".", "..") for part in parts) or leads_out(root, rel):
        return False
    real = os.path.realpath(os.path.join(root, rel))
    if any(_is_below(os.path.realpath(os.path.join(root, own)), real) for own in _OWN):
        return False
    return _is_file_or_free(real) and _is_file_or_free(atomic.temporary(real))


def _is_file_or_free(path: str) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except FileNotFoundError:
        return True
    except OSError as error:
        if error.errno in (errno.ENAMETOOLONG, errno.ELOOP, errno.ENOTDIR, errno.EINVAL):
            return False
        raise disk.failure(path, "look at it", error) from error


def _is_below(folder: str, real: str) -> bool:
    return real.startswith(os.path.join(folder, ""))


def _parents(real: str) -> Iterator[str]:
    folder = os.path.dirname(real)
    while folder != os.path.dirname(folder):
        yield folder
        folder = os.path.dirname(folder)


def _allows(folder: str, root: str) -> bool:
    try:
        data = atomic.read_file(os.path.join(folder, LEAVE), _LEAVE_LIMIT)
    except MindloopError:
        return False
    return data is not None and os.fsencode(root) in data.splitlines()
