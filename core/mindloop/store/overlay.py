"""Staged contents over what is on the disk, and the bytes of a file as a reader wants them.

An overlay holds the next bytes of files by their path; None stands for a removed file.
"""

from __future__ import annotations

from mindloop.store.errors import Malformed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Overlay = Mapping[str, bytes | None]


def names(found: list[str], overlay: Overlay, key: str, suffix: str) -> list[str]:
    """Return file names of a folder after staged writes and removals."""
    paths = tree([f"{key}/{name}" for name in found], overlay, key, suffix)
    inside = (path[len(key) + 1 :] for path in paths)
    return [name for name in inside if "/" not in name]


def folders(found: set[str], overlay: Overlay, key: str) -> list[str]:
    """Return folder names of a folder after staged writes; a folder whose files are all removed stays."""
    inside = (path[len(key) + 1 :] for path, data in overlay.items() if data is not None and path.startswith(key + "/"))
    staged = {rest.partition("/")[0] for rest in inside if "/" in rest and not rest.startswith(".")}
    return sorted(found | staged)


def tree(found: list[str], overlay: Overlay, key: str, suffix: str) -> list[str]:
    """Return relative paths under a folder after staged writes and removals."""
    paths = set(found)
    for path, data in overlay.items():
        inside = path.startswith(key + "/") and path.endswith(suffix) and "/." not in path[len(key) :]
        if inside and data is not None:
            paths.add(path)
        elif inside:
            paths.discard(path)
    return sorted(paths)


def any_under(overlay: Overlay, key: str) -> bool:
    """Tell whether a file is staged under a folder."""
    return any(path.startswith(key + "/") for path, data in overlay.items() if data is not None)


def limited(rel: str, data: bytes | None, limit: int | None) -> bytes | None:
    """Return the bytes of a file if there are no more than ``limit`` of them.

    Raises:
        Malformed: there are more.
    """
    if data is not None and limit is not None and len(data) > limit:
        raise Malformed(f"{rel}: {len(data)} bytes, at most {limit} are read", "Shorten the file or split it.")
    return data


def decoded(rel: str, data: bytes | None) -> str | None:
    """Return bytes as UTF-8 text; a byte order mark is kept.

    Raises:
        Malformed: the bytes are not UTF-8.
    """
    if data is None:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Malformed(f"{rel}: byte {error.start} is not UTF-8", "Save the file as UTF-8.") from None


def encoded(rel: str, data: str | bytes) -> bytes:
    """Return text as UTF-8; bytes come back as they are.

    Raises:
        Malformed: the text holds half of a surrogate pair.
    """
    if isinstance(data, bytes):
        return data
    try:
        return data.encode("utf-8")
    except UnicodeEncodeError:
        raise Malformed(
            f"{rel}: the text holds half of a surrogate pair, which no file can hold",
            "Replace the broken character in the text it came from.",
        ) from None
