"""Writer processes for the crash and race suites: forked, watched, and never left behind."""

from __future__ import annotations

import os
import signal
import traceback
import warnings
from typing import TYPE_CHECKING

from mindloop.store import lock

if TYPE_CHECKING:
    from collections.abc import Callable


class Writer:
    """A forked process that works until it is done or killed, and reports through a pipe."""

    def __init__(self, work: Callable[[Callable[[str], None]], None]) -> None:
        receiver, sender = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # a fork beside the threads of pytest-xdist
            self.pid = os.fork()
        if self.pid == 0:
            os.close(receiver)
            _work(work, sender)
        os.close(sender)
        self.receiver = receiver
        self.status: int | None = None

    def kill(self) -> None:
        """Send SIGKILL."""
        os.kill(self.pid, signal.SIGKILL)

    def reports(self) -> list[str]:
        """Wait for the end of the process; return what it reported, whole lines only."""
        with os.fdopen(self.receiver, "rb") as pipe:
            said = pipe.read().decode(errors="replace")
        _, self.status = os.waitpid(self.pid, 0)
        return said.split("\n")[:-1]

    def has_ended(self) -> bool:
        """Tell whether it has ended; it is left for ``reports`` to collect."""
        if self.status is not None:
            return True
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def require_success(self) -> list[str]:
        """Wait, and fail with the writer's own traceback unless it ended well."""
        said = self.reports()
        assert self.status == 0, "\n".join(said[-40:])
        return said


def _work(work: Callable[[Callable[[str], None]], None], sender: int) -> None:
    code = 1
    try:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 2)
        work(lambda line: os.write(sender, line.encode() + b"\n"))
        code = 0
    except BaseException:  # noqa: BLE001 - a child must never return into the test
        os.write(sender, traceback.format_exc().encode() + b"\n")
    finally:
        os._exit(code)


def holding(path: str) -> tuple[Writer, int]:
    """Start a process that holds the lock until the returned descriptor is closed."""
    ready, go = os.pipe(), os.pipe()

    def work(_report: Callable[[str], None]) -> None:
        os.close(go[1])
        with lock.Lock(path, 1, "the holder"):
            os.write(ready[1], b".")
            os.read(go[0], 1)

    writer = Writer(work)
    os.close(go[0])
    assert os.read(ready[0], 1) == b"."
    os.close(ready[0])
    os.close(ready[1])
    return writer, go[1]


def together(work: Callable[[int, Callable[[str], None]], None], processes: int) -> list[list[str]]:
    """Run ``work(number, report)`` in so many processes at once; return what each reported."""
    writers = [Writer(lambda report, n=number: work(n, report)) for number in range(processes)]  # type: ignore[misc]  # the default binds now
    return [writer.require_success() for writer in writers]
