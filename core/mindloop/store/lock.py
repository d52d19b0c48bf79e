"""Kernel locks on side-car files that are never deleted or replaced.

``flock`` frees a killed holder's lock at once and serves waiters fairly. The wait is bounded by an interval timer on
the main thread and by polling elsewhere. Where there is no ``flock``, ``portalocker`` does the same job; it is imported
only then (it costs more than the rest of a command), and for locks that are held for minutes.
"""

from __future__ import annotations

import os
import stat
import sys
import time
from _thread import get_ident

from mindloop.store import atomic, disk
from mindloop.store.errors import Busy, StoreFailure

TYPE_CHECKING = False
try:
    import fcntl

    _has_flock = True
except ImportError:  # Windows
    _has_flock = False

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, Self

system = os
_SAY_AFTER = 1.0  # seconds of waiting after which the holder is named on stderr
_POLL = 0.005
_CAREFUL = atomic.CAREFUL | getattr(os, "O_NOFOLLOW", 0)
_held: dict[str, Lock] = {}
_hook_installed = False


class _Expired(Exception):
    """The timer ran out while waiting."""


def holder(path: str) -> str:
    """Return ``pid 1234 (command)`` of who wrote into the lock file last, for messages."""
    try:
        descriptor = os.open(path, os.O_RDONLY | _CAREFUL)
    except OSError:
        return "an unknown process"
    try:
        text = os.read(descriptor, 400).decode("utf-8", "replace")
    except OSError:  # no file at all
        text = ""
    finally:
        os.close(descriptor)
    # Whoever could write into the folder could have written this: it is shown, not obeyed.
    pid, command = ("".join(c if c.isprintable() else "?" for c in part) for part in text.strip().partition("\n")[::2])
    return f"pid {pid} ({command})" if pid.strip() else "an unknown process"


def is_held_here(path: str) -> bool:
    """Tell whether this very thread holds the lock."""
    return path in _held and _held[path].thread == get_ident()


class Lock:
    """Hold the lock of ``path`` for the length of a ``with`` block.

    Args:
        path: the side-car file; created with its folder, never deleted.
        timeout: seconds to wait; 0 or less tries once.
        what: what this process does, named to those who wait.

    Raises:
        Busy: the lock was not free in time; the message names the holder.
        StoreFailure: the lock file cannot be opened.
    """

    __slots__ = ("_descriptor", "_file", "_path", "_pid", "_timeout", "_what", "thread")

    def __init__(self, path: str, timeout: float, what: str) -> None:
        self._path = path
        self._timeout = timeout
        self._what = what
        self._descriptor = -1
        self._file: Any = None
        self._pid = 0
        self.thread = 0

    def __enter__(self) -> Self:
        return self.take()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.free()

    def take(self) -> Self:
        """Take the lock; whoever takes it frees it."""
        if is_held_here(self._path):
            raise RuntimeError(f"{self._path}: this process holds the lock already")
        if _has_flock:
            self._enter_flock()
        else:
            self._enter_portalocker()
        self._pid = os.getpid()
        self.thread = get_ident()
        _held[self._path] = self
        _install_fork_hook()
        return self

    def _enter_flock(self) -> None:
        descriptor = _open(self._path)
        try:
            if not _try(descriptor, self._path):
                _wait(descriptor, self._path, self._timeout)
            _sign(descriptor, self._what)
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor

    def _enter_portalocker(self) -> None:
        self._file = through_portalocker(self._path, self._timeout, self._what)

    def free(self) -> None:
        """Free the lock, if it is this process that holds it."""
        if self._pid != os.getpid():
            return  # a forked child: the lock is its parent's, the hook below closed our copy
        _held.pop(self._path, None)
        if self._file is not None:
            self._file.release()
        elif self._descriptor >= 0:
            try:
                # Unlock by name, not by closing alone: a child forked meanwhile may share the open file.
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)
            finally:
                os.close(self._descriptor)
                self._descriptor = -1

    def forget(self) -> None:
        """Close the copy of a forked child; closing does not free the parent's lock."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def _on_main_thread() -> bool:
    import threading  # only when a lock is contended

    return threading.current_thread() is threading.main_thread()


def _install_fork_hook() -> None:
    global _hook_installed  # noqa: PLW0603 - once a process
    if not _hook_installed and hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_forget_all)
        _hook_installed = True


def _forget_all() -> None:
    for held in list(_held.values()):
        held.forget()
    _held.clear()


def _open(path: str) -> int:
    """Open a lock file; what came in its place is not waited for, and a link is not followed: we write into it."""
    flags = os.O_RDWR | os.O_CREAT | _CAREFUL
    try:
        try:
            descriptor = system.open(path, flags, 0o666)
        except FileNotFoundError:
            atomic.make_dirs(os.path.dirname(path))
            descriptor = system.open(path, flags, 0o666)
    except OSError as error:
        if os.path.lexists(path) and not disk.is_regular(path):
            raise _no_lock_file(path) from error
        raise disk.failure(path, "open the lock file", error) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _no_lock_file(path)
    return descriptor


def _no_lock_file(path: str) -> StoreFailure:
    return StoreFailure(
        f"{path}: expected a lock file, found a folder, a link or a device; nothing was changed",
        "Move it away and run the command again.",
    )


def _try(descriptor: int, path: str) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        raise disk.failure(path, "lock it (network file systems are not supported)", error) from error
    return True


def _sign(descriptor: int, what: str) -> None:
    """Leave pid and command in the lock file; a courtesy to those who wait, so a full disk is no reason to fail."""
    note = f"{os.getpid()}\n{what}\n".encode(errors="replace")
    try:
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, note)
        os.ftruncate(descriptor, len(note))
    except OSError:
        pass


def _wait(descriptor: int, path: str, timeout: float) -> None:
    if timeout <= 0:
        raise _busy(path, timeout)
    try:
        if _on_main_thread():
            _wait_with_timer(descriptor, path, timeout)
        else:
            _wait_polling(descriptor, path, timeout)
    except _Expired:
        raise _busy(path, timeout) from None


def _busy(path: str, timeout: float) -> Busy:
    name = os.path.basename(path).removesuffix(".lock")
    waited = f"after {round(timeout, 1):g} s" if timeout > 0 else "now"
    return Busy(
        f"{name} is not free {waited}: {holder(path)} holds it; nothing was changed",
        "Wait for it and run the command again.",
    )


def _say(path: str) -> None:
    sys.stderr.write(f"waiting for {holder(path)} to finish with {os.path.basename(path).removesuffix('.lock')}\n")


def _wait_polling(descriptor: int, path: str, timeout: float) -> None:
    start = time.monotonic()
    said = False
    while not _try(descriptor, path):
        waited = time.monotonic() - start
        if waited >= timeout:
            raise _Expired
        if waited >= _SAY_AFTER and not said:
            said = True
            _say(path)
        time.sleep(_POLL)


def _wait_with_timer(descriptor: int, path: str, timeout: float) -> None:
    """Block in ``flock`` until it is granted; the timer first says who holds the lock, then ends the wait."""
    import signal  # it imports enum; only when a lock is contended

    end = time.monotonic() + timeout
    alive = [True]

    def ring(_number: int, _frame: object) -> None:
        if not alive[0]:
            return
        left = end - time.monotonic()
        if left <= 0:
            alive[0] = False
            raise _Expired
        _say(path)
        signal.setitimer(signal.ITIMER_REAL, max(left, 0.001))

    began = time.monotonic()
    old_handler = signal.signal(signal.SIGALRM, ring)
    old_timer = signal.setitimer(signal.ITIMER_REAL, min(_SAY_AFTER, timeout))
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        finally:
            alive[0] = False
    except OSError as error:
        raise disk.failure(path, "lock it (network file systems are not supported)", error) from error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL if old_handler is None else old_handler)
        if old_timer[0]:
            signal.setitimer(signal.ITIMER_REAL, max(old_timer[0] - (time.monotonic() - began), 0.001), old_timer[1])


def through_portalocker(path: str, timeout: float, what: str) -> Any:
    """Take and sign a lock through the library; returns what has ``release``."""
    import portalocker  # 57 ms, needed only here

    os.close(_open(path))
    taken = portalocker.Lock(path, mode="r+", timeout=max(timeout, 0.0), check_interval=_POLL)
    try:
        file = taken.acquire(fail_when_locked=timeout <= 0)
    except portalocker.exceptions.LockException:
        raise _busy(path, timeout) from None
    _sign(file.fileno(), what)
    return taken
