"""Files that are shipped with the code: defaults, schemas, prompt texts."""

from __future__ import annotations

import os

from mindloop.store import atomic
from mindloop.store.errors import StoreFailure

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def resource(rel: str) -> str:
    """Return the absolute path of a shipped file: ``core/<rel>`` in a clone, ``mindloop/_data/<rel>`` in a wheel."""
    packed = os.path.join(_PACKAGE, "_data")
    home = packed if os.path.isdir(packed) else os.path.dirname(_PACKAGE)
    return os.path.join(home, *rel.split("/"))


def pack_file(rel: str) -> bytes | None:
    """Return the bytes of a file of the pack that no wheel holds, below ``.claude`` for example; None in a wheel."""
    return atomic.read_file(os.path.join(os.path.dirname(os.path.dirname(_PACKAGE)), *rel.split("/")))


def command(name: str) -> str:
    """What to type to run a file of ``core/scripts``, wherever it lies; ready for a shell."""
    path = os.path.join(os.path.dirname(_PACKAGE), "scripts", f"{name}.py")
    if not os.path.isfile(path):  # a wheel
        return f"mindloop {name.replace('_', '-')}"
    quoted = path.replace("'", "'\\''")
    return f"python3 '{quoted}'"


def install_command() -> str:
    """What to type where packages are missing: each way of having mindloop has its own."""
    home = os.path.dirname(os.path.dirname(_PACKAGE))
    if os.path.isdir(os.path.join(home, ".venv")):
        return "make install"
    setup = command("setup")
    return setup if setup.startswith("python3") else "python3 -m pip install mindloop"


def resource_bytes(rel: str) -> bytes:
    """Return the bytes of a shipped file.

    Raises:
        StoreFailure: the installation is incomplete.
    """
    path = resource(rel)
    data = atomic.read_file(path)
    if data is None:
        raise StoreFailure(f"{path} is missing from this installation of mindloop", "Install mindloop again.")
    return data


def read_resource(rel: str) -> str:
    """Return the text of a shipped file; raises as ``resource_bytes`` does."""
    return resource_bytes(rel).decode("utf-8")
