"""Runs a command of somebody else's: an argv list, never a shell, bounded in time and in output.

The command gets a session of its own, so that a time limit ends it together with everything that it started.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import TypeVar

    T = TypeVar("T")
    R = TypeVar("R")

OUTPUT_LIMIT = 16_000_000  # bytes of standard output, and of standard error
_CHUNK = 65_536
_GLANCE = 0.05  # seconds between looks at a command that has closed neither its output nor itself
_NOT_FOUND, _NOT_RUN = 127, 126
_running: set[subprocess.Popen[bytes]] = set()


class Result:
    """How a command ended.

    Attributes:
        code: exit code; negative is the signal that ended it; 127 and 126 where it could not be started.
        out: standard output, UTF-8 with replacement characters.
        err: standard error, likewise; the reason where it could not be started.
        timed_out: the time limit ended it.
        overflowed: it wrote more than the limit and was ended; ``out`` and ``err`` hold what came before.
    """

    __slots__ = ("code", "err", "out", "overflowed", "timed_out")

    def __init__(self, code: int, out: str, err: str, *, timed_out: bool = False, overflowed: bool = False) -> None:
        self.code = code
        self.out = out
        self.err = err
        self.timed_out = timed_out
        self.overflowed = overflowed


def run_command(
    argv: Sequence[str],
    stdin: str | bytes = b"",
    timeout: float | None = None,
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
) -> Result:
    """Run ``argv`` to its end.

    Args:
        argv: program and arguments, as they are.
        stdin: what it reads; text goes as UTF-8 (a lone surrogate as ``?``).
        timeout: seconds; None is no limit.
        cwd: folder it starts in.
        env: its whole environment; None is ours.

    Returns:
        The result; a program that cannot be started is a result too.
    """
    data = stdin.encode("utf-8", "replace") if isinstance(stdin, str) else stdin
    try:
        process = subprocess.Popen(  # noqa: S603 - an argv list; the caller decides what it runs
            list(argv),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=cwd,
            env=env,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        code = _NOT_FOUND if isinstance(error, FileNotFoundError) else _NOT_RUN
        return Result(code, "", f"cannot run {argv[0]!r}: {getattr(error, 'strerror', None) or error}")
    _running.add(process)
    try:
        return _Talk(process, data, timeout).to_the_end()
    except BaseException:
        _end(process)  # also on Ctrl-C, which a command in a session of its own does not see
        raise
    finally:
        _running.discard(process)
        for stream in (process.stdin, process.stdout, process.stderr):
            _close(stream)


def end_all() -> None:
    """Kill every command that any thread of this process is running."""
    for process in tuple(_running):
        _kill(process)


def _close(stream: object) -> None:
    """Close a pipe that may be closed already, or whose other end may be gone."""
    try:
        stream.close()  # type: ignore[attr-defined]  # a selector knows it as something with a number
    except OSError:
        return


def side_by_side(work: Callable[[T], R], jobs: Sequence[T], workers: int) -> Iterator[tuple[T, R]]:
    """Do each job, at most ``workers`` at a time in threads, and yield it with its result as soon as that is there.

    Where a job raises, or the caller goes away (Ctrl-C among others), what runs is ended, what waits is never started,
    and the error is the caller's.
    """
    if min(workers, len(jobs)) <= 1:
        yield from ((job, work(job)) for job in jobs)
        return
    from concurrent.futures import ThreadPoolExecutor, as_completed

    with ThreadPoolExecutor(min(workers, len(jobs))) as pool:
        try:
            futures = {pool.submit(work, job): job for job in jobs}
            for future in as_completed(futures):
                yield futures[future], future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            end_all()
            raise


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the command and all that it started, and reap it."""
    _kill(process)
    process.wait()


def _kill(process: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()


class _Talk:
    """Feeds one command and listens to it until it has ended."""

    def __init__(self, process: subprocess.Popen[bytes], data: bytes, timeout: float | None) -> None:
        self._process = process
        self._rest = memoryview(data)
        self._until = None if timeout is None else time.monotonic() + timeout
        self._limit = OUTPUT_LIMIT
        self._heard = {"out": bytearray(), "err": bytearray()}
        self._pipes = selectors.DefaultSelector()

    def to_the_end(self) -> Result:
        """Feed and hear the command until it has ended, by itself or by a limit."""
        with self._pipes:
            self._open()
            timed_out = self._listen()
        _close(self._process.stdin)
        overflowed = any(len(heard) > self._limit for heard in self._heard.values())
        left_open = any(stream and not stream.closed for stream in (self._process.stdout, self._process.stderr))
        if not (timed_out or overflowed or left_open):
            timed_out = self._outlasts()
        if timed_out or overflowed or left_open:
            _end(self._process)
        out, err = (bytes(heard[: self._limit]).decode("utf-8", "replace") for heard in self._heard.values())
        return Result(self._process.wait(), out, err, timed_out=timed_out, overflowed=overflowed)

    def _open(self) -> None:
        for name, stream in (("in", self._process.stdin), ("out", self._process.stdout), ("err", self._process.stderr)):
            if stream is None:  # pragma: no cover  # all three are pipes
                continue
            os.set_blocking(stream.fileno(), False)
            way = selectors.EVENT_WRITE if name == "in" else selectors.EVENT_READ
            self._pipes.register(stream, way, name)

    def _listen(self) -> bool:
        """Until all pipes are closed or cannot matter any more; True where the time limit came first."""
        while self._pipes.get_map():
            ready = self._pipes.select(_GLANCE)
            for key, _ in ready:
                (self._feed if key.data == "in" else self._hear)(key)
            if any(len(heard) > self._limit for heard in self._heard.values()):
                return False
            if self._until is not None and time.monotonic() >= self._until:
                return True
            if not ready and self._process.poll() is not None:
                return False  # it has gone, and something that it left behind holds the pipes
        return False

    def _feed(self, key: selectors.SelectorKey) -> None:
        try:
            self._rest = self._rest[os.write(key.fd, self._rest[:_CHUNK]) :] if self._rest else self._rest
        except BlockingIOError:
            return
        except OSError:  # it reads no further
            self._rest = memoryview(b"")
        if not self._rest:
            self._drop(key)

    def _hear(self, key: selectors.SelectorKey) -> None:
        try:
            data = os.read(key.fd, _CHUNK)
        except BlockingIOError:
            return
        if data:
            self._heard[key.data] += data
        else:
            self._drop(key)

    def _drop(self, key: selectors.SelectorKey) -> None:
        self._pipes.unregister(key.fileobj)
        _close(key.fileobj)

    def _outlasts(self) -> bool:
        """Whether a command that said all it had to say is still there when its time is over."""
        left = None if self._until is None else max(0.0, self._until - time.monotonic())
        try:
            self._process.wait(left)
        except subprocess.TimeoutExpired:
            return True
        return False
