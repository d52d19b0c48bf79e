"""A crash laboratory: run a write path in a child process and let its n-th system call fail, for every n.

A scenario is a function ``act(root, acknowledge)`` that changes a workspace and calls ``acknowledge()`` after every
change it would report as done. It has to be deterministic (fix the clock with ``MINDLOOP_NOW``). ``exhaust`` runs it
once without faults to learn the states the files go through, and then once for every fault at every call:

* ``kill``: the process kills itself before the call;
* ``torn``: it writes half of the bytes, then kills itself;
* ``short``: one write takes only half of its bytes, which the kernel may do at any time;
* ``ENOSPC``, ``EIO``: the call fails once; with ``!`` (``ENOSPC!``) every later call fails too.

Whatever happened, after recovery the files must be in the state of the last acknowledged change or of the one that was
under way, no temporary file may be left, and a scenario that ended without an error must be in its final state.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import signal
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from mindloop.store import atomic, lock
from mindloop.store.errors import MindloopError
from mindloop.store.workspace import Workspace
from tests.helpers.folders import fast_folder

Act = Callable[[str, Callable[[], None]], None]
Check = Callable[[str], None]
State = dict[str, str]
Judge = Callable[[Path, list[State], "Outcome"], None]

COUNTED = ("open", "write", "fsync", "replace", "close", "unlink", "ftruncate", "mkdir")
KINDS = ("kill", "torn", "short", "ENOSPC", "EIO", "ENOSPC!", "EIO!")
DONE, REFUSED, BROKEN = 0, 3, 4


class FailingSystem:
    """Stands in for the ``os`` module and fails at the n-th counted call."""

    def __init__(self, kind: str, at: int) -> None:
        self.kind = kind
        self.at = at
        self.calls = 0

    def __getattr__(self, name: str) -> object:
        real = getattr(os, name)
        if name not in (("write",) if self.kind in ("torn", "short") else COUNTED):
            return real

        def call(*arguments: object, **named: object) -> object:
            self.calls += 1
            sticky = self.kind.endswith("!")
            if self.calls == self.at or (sticky and self.calls > self.at):
                return self._fail(name, real, arguments, named)
            return real(*arguments, **named)

        return call

    def _fail(self, name: str, real: Callable[..., object], arguments: tuple, named: dict) -> object:
        if self.kind in ("torn", "short"):
            descriptor, data = arguments
            half = data[: max(len(data) // 2, 1)]
            count = real(descriptor, half)
            if self.kind == "torn":
                os.kill(os.getpid(), signal.SIGKILL)
            return count
        if self.kind == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if name == "close":
            real(*arguments, **named)  # Linux closes the descriptor whatever close() returns
        number = getattr(errno, self.kind.rstrip("!"))
        raise OSError(number, os.strerror(number))


@dataclass
class Outcome:
    """What became of one run."""

    kind: str
    at: int
    status: str  # "done", "refused" (a MindloopError), "killed"
    acknowledged: int
    calls: int  # counted calls, or -1 for a killed process
    message: str = ""

    def __str__(self) -> str:
        return f"{self.kind} at call {self.at}: {self.status}, {self.acknowledged} acknowledged {self.message}"


@dataclass
class Report:
    """How much was tried."""

    runs: int = 0
    compound: int = 0
    statuses: dict[str, int] = field(default_factory=dict)


def snapshot(root: str | Path, *, own: bool = False) -> State:
    """Return path -> hash of every file below ``root``, dot files included, ``.mindloop`` only if ``own``."""
    return dict(_walk(str(root), "", own=own))


def _walk(root: str, rel: str, *, own: bool) -> Iterator[tuple[str, str]]:
    for entry in sorted(os.scandir(os.path.join(root, rel)), key=lambda entry: entry.name):
        path = f"{rel}/{entry.name}" if rel else entry.name
        if path == ".mindloop" and not own:
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(root, path, own=own)
        else:
            yield path, hashlib.sha256(Path(entry.path).read_bytes()).hexdigest()


def in_child(work: Callable[[Callable[[], None]], None], system: FailingSystem | None = None) -> tuple[int, int, str]:
    """Run ``work(acknowledge)`` in a forked child with ``system`` in place of ``os``.

    Returns:
        Its wait status, how often it acknowledged, and what it said at the end.
    """
    receiver, sender = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a fork beside the threads of pytest-xdist
        pid = os.fork()
    if pid == 0:
        os.close(receiver)
        _child(work, system, sender)
    os.close(sender)
    with os.fdopen(receiver, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(pid, 0)
    acknowledged, _, message = said.partition(b"|")
    return status, len(acknowledged), message.decode(errors="replace")


def _child(work: Callable[[Callable[[], None]], None], system: FailingSystem | None, sender: int) -> None:
    code = BROKEN
    try:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 2)
        if system is not None:
            atomic.system = lock.system = system
        try:
            work(lambda: os.write(sender, b"."))
            code, message = DONE, ""
        except MindloopError as error:
            code, message = REFUSED, str(error)
        calls = system.calls if system is not None else 0
        os.write(sender, f"|{calls}|{message}".encode())
    except BaseException:  # noqa: BLE001 - a child must never return into the test
        os.write(sender, f"|-1|{traceback.format_exc()}".encode())
    finally:
        os._exit(code)


def run_with_fault(root: str, act: Act, kind: str, at: int) -> Outcome:
    """Run a scenario in a child whose ``at``-th call fails."""
    status, acknowledged, said = in_child(lambda acknowledge: act(root, acknowledge), FailingSystem(kind, at))
    calls, _, message = said.partition("|")
    if os.WIFSIGNALED(status):
        return Outcome(kind, at, "killed", acknowledged, -1)
    code = os.WEXITSTATUS(status)
    assert code in (DONE, REFUSED), f"{kind} at call {at}: an error that is none of ours\n{message}"
    return Outcome(kind, at, "done" if code == DONE else "refused", acknowledged, int(calls), message)


def states_of(prepared: Path, act: Act, folder: Path) -> list[State]:
    """Run a scenario without faults; return the state before it and after each acknowledgement."""
    root = _copy(prepared, folder / "reference")
    states = [snapshot(root)]
    act(str(root), lambda: states.append(snapshot(root)))
    assert states[-1] == snapshot(root), "the scenario changes files after its last acknowledgement"
    shutil.rmtree(root)
    return states


def _copy(source: Path, target: Path) -> Path:
    shutil.copytree(source, target, symlinks=True)
    return target


def exhaust(
    prepared: Path,
    act: Act,
    folder: Path,
    *,
    check: Check | None = None,
    kinds: tuple[str, ...] = KINDS,
    compound: bool = False,
    judge: Judge | None = None,
    every: int = 1,
    most: int = 5000,
) -> Report:
    """Let every call of a scenario fail in every way, and look at what is left.

    Args:
        prepared: a workspace to start from; it is copied for every run.
        act: the scenario.
        folder: a folder for the copies, used where there is none in memory.
        check: called with the root after every fault, *before* recovery: readers must manage even then.
        kinds: the faults.
        compound: also let every call of the recovery after a kill fail.
        judge: looks at what a fault left; ``verify`` where none is given.
        every: 1 lets each call fail, n each n-th one.
        most: a stop for scenarios that never end.

    Returns:
        How many runs were made.
    """
    with fast_folder(folder) as fast:
        tries = range(1, most, every)
        return _exhaust(prepared, act, fast, check, kinds, compound=compound, judge=judge or verify, tries=tries)


def _exhaust(
    prepared: Path,
    act: Act,
    folder: Path,
    check: Check | None,
    kinds: tuple[str, ...],
    *,
    compound: bool,
    judge: Judge,
    tries: range,
) -> Report:
    states = states_of(prepared, act, folder)
    report = Report()
    for kind in kinds:
        for at in tries:
            root = _copy(prepared, folder / "run")
            outcome = run_with_fault(str(root), act, kind, at)
            report.runs += 1
            report.statuses[outcome.status] = report.statuses.get(outcome.status, 0) + 1
            if check is not None:
                check(str(root))
            if compound and outcome.status != "done":
                report.compound += _fail_recovery(root, states, outcome, folder)
            judge(root, states, outcome)
            shutil.rmtree(root)
            if outcome.status == "done" and outcome.calls < at:
                break  # the scenario has no such call: every one was tried
        else:
            raise AssertionError(f"{kind}: more than {tries.stop} calls")
    return report


def verify(root: Path, states: list[State], outcome: Outcome) -> None:
    """Recover, then compare with the states the files may be in."""
    workspace = Workspace(str(root))
    workspace.recover()
    found = snapshot(root)
    allowed = states[outcome.acknowledged : outcome.acknowledged + (1 if outcome.status == "done" else 2)]
    assert found in allowed, f"{outcome}\n{_difference(found, allowed)}"
    if outcome.status == "done":
        assert outcome.acknowledged == len(states) - 1, f"{outcome}: ended early without an error"
    left = os.listdir(root / ".mindloop" / "journal") if (root / ".mindloop" / "journal").is_dir() else []
    assert [name for name in left if "~" in name] == [], f"{outcome}: a journal is left after recovery"
    assert workspace.recover() == [], f"{outcome}: recovery was not finished at once"
    assert snapshot(root) == found, f"{outcome}: recovering twice is not recovering once"


def _difference(found: State, allowed: list[State]) -> str:
    lines = []
    for number, state in enumerate(allowed):
        paths = sorted(path for path in found.keys() | state.keys() if found.get(path) != state.get(path))
        lines.append(f"differs from allowed state {number} in {paths}")
    return "\n".join(lines)


def _fail_recovery(root: Path, states: list[State], outcome: Outcome, folder: Path) -> int:
    runs = 0
    for kind in ("kill", "torn", "EIO!"):
        for at in range(1, 500):
            again = _copy(root, folder / "again")
            second = run_with_fault(str(again), lambda path, _: _recover(path), kind, at)
            runs += 1
            try:
                verify(again, states, outcome)
            except AssertionError as error:
                raise AssertionError(f"recovery with {second}\n{error}") from None
            shutil.rmtree(again)
            if second.status == "done" and second.calls < at:
                break
    return runs


def _recover(root: str) -> None:
    Workspace(root).recover()
