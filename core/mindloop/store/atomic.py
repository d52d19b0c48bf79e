"""The only module that opens, writes, syncs, renames, cuts or removes data files.

Every error of the system becomes a ``StoreFailure`` that names the path and what to do. ``system`` stands for the
``os`` module so that the crash suite can put a failing twin in its place.
"""

from __future__ import annotations

import errno
import io
import os
import stat

from mindloop.store.disk import THIS_FILE_ALONE, failure, file_mode, is_regular
from mindloop.store.errors import Malformed, StoreFailure, Unreadable

system = os

_CHUNK = 1 << 20
_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
CAREFUL = _CLOEXEC | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
"""Flags for opening what may be a pipe or a terminal by mistake: nothing is waited for."""
_READ = os.O_RDONLY | CAREFUL


def read_file(path: str, limit: int | None = None) -> bytes | None:
    """Return the bytes of a regular file, or None where there is none.

    Raises:
        Malformed: it is no regular file, or larger than ``limit`` bytes (then it is not read).
        Unreadable: the system refuses this file: rights, a link that leads to itself.
        StoreFailure: the disk fails; what else would be read or written now is in doubt too.
    """
    try:
        descriptor = system.open(path, _READ)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _unread(path, "open it", error) from error
    try:
        return _read_open(descriptor, path, limit)
    except OSError as error:
        raise _unread(path, "read it", error) from error
    finally:
        os.close(descriptor)


def _unread(path: str, doing: str, error: OSError) -> StoreFailure:
    return failure(path, doing, error, Unreadable if error.errno in THIS_FILE_ALONE else StoreFailure)


def _read_open(descriptor: int, path: str, limit: int | None) -> bytes:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise _not_regular(path)
    if limit is not None and status.st_size > limit:
        raise Malformed(f"{path}: {status.st_size} bytes, at most {limit} are read", "Shorten the file or split it.")
    pieces = io.BytesIO()  # grows in place: a list of pieces would be there a second time while they are joined
    wanted = status.st_size + 1
    while piece := os.read(descriptor, min(max(wanted, 4096), _CHUNK)):
        pieces.write(piece)
        wanted -= len(piece)
    return pieces.getvalue()


def _not_regular(path: str) -> Malformed:
    return Malformed(f"{path}: expected a file, found a folder or a device", "Move it away.")


def end_of(path: str) -> tuple[int, bytes]:
    """Return the size of a regular file and its last byte.

    Raises:
        Malformed: it is no regular file.
        Unreadable: the system refuses this file: rights, a link that leads to itself.
        StoreFailure: the disk fails; what else would be read or written now is in doubt too.
    """
    try:
        descriptor = system.open(path, _READ)
    except OSError as error:
        raise _unread(path, "open it", error) from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise _not_regular(path)
        size = os.lseek(descriptor, -1, os.SEEK_END) + 1 if status.st_size else 0
        return size, os.read(descriptor, 1)
    except OSError as error:
        raise failure(path, "read its end", error, Unreadable) from error
    finally:
        os.close(descriptor)


def read_start(path: str, size: int) -> bytes | None:
    """Return the first bytes of a regular file, at most ``size``, or None where there is none.

    Raises:
        Unreadable: the system refuses.
    """
    try:
        with open(path, "rb", opener=lambda name, flags: system.open(name, flags | _READ)) as file:
            return file.read(size)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _unread(path, "read it", error) from error


def temporary(path: str) -> str:
    """Return the name beside ``path`` under which its next content is prepared.

    It is the same every time: whoever writes holds the lock, and a killed writer leaves at most one such file.
    """
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name}.tmp")


def prepare(path: str, data: bytes, mode: int | None = None) -> None:
    """Write and sync the temporary file of ``path`` (a real path), with the mode of the file it will replace.

    Raises:
        Malformed: a folder or a device stands in the place of the file.
        StoreFailure: the system refuses.
    """
    if os.path.lexists(path) and not is_regular(path):
        raise _not_regular(path)
    name = temporary(path)
    if os.path.lexists(name) and not is_regular(name):
        remove(name)  # a link or a pipe under our own name: it goes, what it leads to is not written
    mode = file_mode(path) if mode is None else mode
    try:
        write_new(name, data, sync=True, mode=mode)
    except StoreFailure:
        discard(name)
        raise


def write_new(path: str, data: bytes, *, sync: bool, mode: int | None = None, exclusive: bool = False) -> None:
    """Write a file under its own name, in place; only for temporary files and journals.

    Raises:
        FileExistsError: ``exclusive`` and the name is taken.
        StoreFailure: the system refuses.
    """
    try:
        flags = os.O_WRONLY | os.O_CREAT | _CLOEXEC | (os.O_EXCL if exclusive else os.O_TRUNC)
        descriptor = system.open(path, flags, 0o666)
        _fill(descriptor, data, mode, sync=sync)
    except FileExistsError:
        raise
    except OSError as error:
        raise failure(path, "write it", error) from error


def _fill(descriptor: int, data: bytes, mode: int | None, *, sync: bool) -> None:
    """Write all of ``data``, sync and close; a failing close is a failure too."""
    try:
        if mode is not None:
            os.fchmod(descriptor, mode)
        _write_all(descriptor, data)
        if sync:
            system.fsync(descriptor)
    except BaseException:
        os.close(descriptor)
        raise
    system.close(descriptor)


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[system.write(descriptor, view) :]


def publish(path: str) -> bool:
    """Rename the temporary file of ``path`` into place; False when there is no temporary file."""
    return rename(temporary(path), path)


def rename(old: str, new: str) -> bool:
    """Rename a file over another; False when there is none of the old name."""
    try:
        system.replace(old, new)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise failure(new, "rename its temporary file", error) from error
    return True


def sync_file(path: str) -> None:
    """Make the bytes of a file durable."""
    descriptor = _open_for_writing(path)
    try:
        system.fsync(descriptor)
    except OSError as error:
        os.close(descriptor)
        raise failure(path, "sync it", error) from error
    _close(descriptor, path)


def append_at(path: str, offset: int, data: bytes) -> None:
    """Write ``data`` at ``offset``, the end of what is valid; on failure the file ends at ``offset`` again."""
    descriptor = _open_for_writing(path)
    try:
        os.lseek(descriptor, offset, os.SEEK_SET)
        _write_all(descriptor, data)
        system.fsync(descriptor)
    except OSError as error:
        _cut_quietly(descriptor, offset)
        os.close(descriptor)
        raise failure(path, "append to it", error) from error
    _close(descriptor, path)


def truncate(path: str, size: int) -> None:
    """Cut a file to ``size`` bytes, synced."""
    descriptor = _open_for_writing(path)
    try:
        system.ftruncate(descriptor, size)
        system.fsync(descriptor)
    except OSError as error:
        os.close(descriptor)
        raise failure(path, "cut it", error) from error
    _close(descriptor, path)


def _open_for_writing(path: str) -> int:
    try:
        return system.open(path, os.O_RDWR | CAREFUL)
    except OSError as error:
        raise failure(path, "open it for writing", error) from error


def _cut_quietly(descriptor: int, size: int) -> None:
    try:  # noqa: SIM105 - contextlib costs an import
        system.ftruncate(descriptor, size)
    except OSError:
        pass  # the journal still holds the append; the next command completes it


def _close(descriptor: int, path: str) -> None:
    try:
        system.close(descriptor)
    except OSError as error:
        raise failure(path, "close it", error) from error


def remove(path: str) -> bool:
    """Remove a file; False when there is none."""
    try:
        system.unlink(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise failure(path, "remove it", error) from error
    return True


def discard(path: str) -> bool:
    """Remove a temporary file if that is possible; False when it stays, to be found and removed later."""
    try:
        system.unlink(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return True


def make_dirs(path: str) -> None:
    """Create a folder and its parents, each entry synced."""
    if not path or os.path.isdir(path):
        return
    parent = os.path.dirname(path)
    make_dirs(parent)
    try:
        system.mkdir(path)
    except FileExistsError:
        if os.path.isdir(path):
            return  # another process was faster
        raise StoreFailure(f"{path}: a file stands where a folder is needed", "Move the file away.") from None
    except OSError as error:
        raise failure(path, "create the folder", error) from error
    fsync_dir(parent)


def fsync_dir(path: str) -> None:
    """Make the names in a folder durable."""
    try:
        descriptor = system.open(path or ".", os.O_RDONLY | _CLOEXEC)
    except OSError as error:
        raise failure(path, "open the folder", error) from error
    try:
        system.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # file systems that cannot sync a folder say so
            raise failure(path, "sync the folder", error) from error
    finally:
        os.close(descriptor)
