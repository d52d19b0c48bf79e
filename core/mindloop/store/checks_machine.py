"""Checks of the ground the workspace stands on: its settings, its file system, the installed packages."""

from __future__ import annotations

import os
import sys

from mindloop.store import atomic
from mindloop.store.checkup import ERROR, INFO, WARNING, Finding, refused
from mindloop.store.digest import sha256_hex
from mindloop.store.locate import MARKER
from mindloop.store.resources import install_command, pack_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindloop.store.checkup import Look

PACKAGES = {
    "yaml": "pyyaml",
    "frontmatter": "python-frontmatter",
    "portalocker": "portalocker",
    "jsonschema": "jsonschema",
    "rich": "rich",
    "tzdata": "tzdata",
}
PINS_MARK = "mindloop-pins.sha256"  # what setup.py leaves in an environment that it made
NETWORK = frozenset(
    ("nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "ceph", "glusterfs", "fuse.sshfs", "fuse.glusterfs", "fuse.rclone")
)
_MOUNTS = "/proc/mounts"


def check_settings(look: Look) -> Iterator[Finding]:
    """Report a ``mindloop.yaml`` that cannot be used, or that says what nobody reads."""
    settings = look.ws.settings
    problem = look.ws.settings_problem
    if problem is not None:
        yield refused(problem, MARKER)
        yield Finding(INFO, MARKER, None, "everything below was looked at with the default settings")
    for sentence in settings.problems():
        yield Finding(WARNING, MARKER, None, sentence.removeprefix(f"{MARKER}: "))


def check_file_system(look: Look) -> Iterator[Finding]:
    """Report a network file system below the workspace: locks and renames do not hold there."""
    try:
        with open(_MOUNTS, encoding="utf-8", errors="surrogateescape") as file:
            mounts = file.read()
    except OSError:
        return  # no such list on this system
    kind = file_system(mounts, look.ws.root)
    if kind in NETWORK:
        what = f"the workspace lies on a network file system ({kind}), which is not supported; move it to a local disk"
        yield Finding(ERROR, "", None, what)


def file_system(mounts: str, path: str) -> str | None:
    """Return the type of the file system that holds a path.

    Args:
        mounts: the text of ``/proc/mounts``.
        path: absolute, real.
    """
    best, kind = "", None
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = _unescaped(fields[1])
        inside = path == point or path.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):  # of two on one point the later one hides the other
            best, kind = point, fields[2]
    return kind


def _unescaped(point: str) -> str:
    for code, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        point = point.replace(code, char)
    return point


def check_packages(_look: Look) -> Iterator[Finding]:
    """Report packages that are missing, and a YAML parser that is not the quick one."""
    from importlib.util import find_spec

    missing = [name for module, name in PACKAGES.items() if find_spec(module) is None]
    if missing:
        what = f"missing Python packages: {', '.join(missing)}. Install them: {install_command()}"
        yield Finding(ERROR, "", None, what)
    pins, mark = pack_file("requirements/runtime.txt"), atomic.read_file(os.path.join(sys.prefix, PINS_MARK), 1_000)
    if pins is not None and mark is not None and mark.decode("ascii", "replace").strip() != sha256_hex(pins):
        what = f"the packages are those of another version of mindloop; bring them up to date: {install_command()}"
        yield Finding(INFO, "", None, what)
    import yaml

    if not hasattr(yaml, "CSafeLoader"):
        yield Finding(INFO, "", None, "pyyaml came without its C parser; large workspaces will be slow")


def check_writable(look: Look) -> Iterator[Finding]:
    """Mention a workspace that this user cannot write to: reading works, nothing else does."""
    if not os.access(look.ws.root, os.W_OK):
        yield Finding(WARNING, "", None, f"{look.ws.root} is not writable for this user")
