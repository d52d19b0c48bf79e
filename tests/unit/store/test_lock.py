"""Locks: waiting, giving up, forking, and the twin for systems without flock."""

from __future__ import annotations

import os
import signal
import socket
import threading
from typing import TYPE_CHECKING

import pytest

from mindloop.store import lock, scopes
from mindloop.store.errors import Busy, StoreFailure, WrongInput
from mindloop.store.long_lock import LongLock
from tests.helpers.writers import Writer, holding

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "locks" / "research.lock")


def _is_free(path: str) -> bool:
    """Ask another process, as a lock of this one would not tell."""

    def attempt(report: Callable[[str], None]) -> None:
        try:
            with lock.Lock(path, 0, "probe"):
                report("free")
        except Busy as error:
            report(error.message)

    return Writer(attempt).require_success() == ["free"]


def test_a_lock_excludes_others_and_its_file_stays(path: str) -> None:
    """While held, nobody else gets it; afterwards the file is still there and the lock is free."""
    with lock.Lock(path, 1, "tests"):
        assert _is_free(path) is False
        assert lock.holder(path) == f"pid {os.getpid()} (tests)"

    assert os.path.exists(path)
    assert _is_free(path) is True


def test_a_lock_is_freed_by_an_exception(path: str) -> None:
    """However the block ends, the lock is free."""
    with pytest.raises(KeyError), lock.Lock(path, 1, "tests"):
        raise KeyError

    assert _is_free(path) is True


def test_holding_the_same_lock_twice_is_a_mistake_told_at_once(path: str) -> None:
    """A nested transaction over the same scope fails at once instead of waiting for itself."""
    with lock.Lock(path, 1, "tests"), pytest.raises(RuntimeError, match="holds the lock already"):
        lock.Lock(path, 1, "tests").take()


def test_a_wait_that_runs_out_names_the_holder(path: str) -> None:
    """Busy carries exit code 75 and the holder's pid and command; the old alarm handler and timer are back."""
    holder, go = holding(path)
    rung: list[int] = []
    old = signal.signal(signal.SIGALRM, lambda number, _frame: rung.append(number))
    signal.setitimer(signal.ITIMER_REAL, 60)
    try:
        with pytest.raises(
            Busy, match=rf"research is not free after 0\.1 s: pid {holder.pid} \(the holder\)"
        ) as caught:
            lock.Lock(path, 0.1, "tests").take()
        left, _ = signal.setitimer(signal.ITIMER_REAL, 0)
        signal.raise_signal(signal.SIGALRM)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    os.close(go)
    holder.require_success()

    assert caught.value.exit_code == 75
    assert 50 < left <= 60
    assert rung == [signal.SIGALRM]


def test_waiting_for_more_than_a_second_says_for_whom(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One line on stderr, after the first second only."""
    holder, go = holding(path)
    with pytest.raises(Busy):
        lock.Lock(path, 1.1, "tests").take()
    os.close(go)
    holder.require_success()

    assert capsys.readouterr().err == f"waiting for pid {holder.pid} (the holder) to finish with research\n"


def test_a_thread_waits_by_polling(path: str) -> None:
    """Off the main thread there are no signals; the wait still ends."""
    holder, go = holding(path)
    found: list[str] = []

    def work() -> None:
        try:
            lock.Lock(path, 0.05, "thread").take()
        except Busy as error:
            found.append(error.message)
        os.close(go)
        with lock.Lock(path, 30, "thread"):
            found.append(lock.holder(path))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    holder.require_success()

    assert found[0].startswith("research is not free after 0 s: pid") or "0.1 s" in found[0]
    assert found[1] == f"pid {os.getpid()} (thread)"


def test_a_killed_holder_frees_its_lock(path: str) -> None:
    """Kill -9 is enough: the next one gets the lock without any cleaning."""
    holder, go = holding(path)
    holder.kill()
    holder.reports()
    os.close(go)

    with lock.Lock(path, 5, "next"):
        assert lock.holder(path) == f"pid {os.getpid()} (next)"


def test_a_forked_child_neither_keeps_nor_frees_its_parents_lock(path: str) -> None:
    """A child that lives on does not hold the lock; a child that leaves the block does not free it."""
    with lock.Lock(path, 1, "parent") as held:

        def leave(report: Callable[[str], None]) -> None:
            held.__exit__(None, None, None)
            report(str(len(lock._held)))

        child = Writer(leave)
        assert child.require_success() == ["0"]
        assert _is_free(path) is False
        stop = os.pipe()

        def live_on(_report: Callable[[str], None]) -> None:
            os.close(stop[1])
            os.read(stop[0], 1)

        living = Writer(live_on)
        os.close(stop[0])
    free = _is_free(path)
    os.close(stop[1])
    living.require_success()

    assert free is True


def test_a_folder_that_cannot_be_made_is_a_store_failure(tmp_path: Path) -> None:
    """A file where the folder should be is reported with its path."""
    (tmp_path / "locks").write_text("in the way")

    with pytest.raises(StoreFailure, match="locks"):
        lock.Lock(str(tmp_path / "locks" / "x.lock"), 0, "tests").take()


def test_without_flock_portalocker_does_the_job(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other way in gives the same answers."""
    monkeypatch.setattr(lock, "_has_flock", False)
    with lock.Lock(path, 1, "tests"):
        assert _is_free(path) is False
        assert lock.holder(path) == f"pid {os.getpid()} (tests)"
    assert _is_free(path) is True

    holder, go = holding(path)
    with pytest.raises(Busy, match=f"research is not free .*: pid {holder.pid} .the holder. holds it"):
        lock.Lock(path, 0.05, "tests").take()
    os.close(go)
    holder.require_success()


def test_hold_is_for_one_driver_at_a_time(path: str) -> None:
    """A long lock is tried once; the second one is told who holds it."""
    with LongLock(path, "driver"):

        def second(report: Callable[[str], None]) -> None:
            try:
                LongLock(path, "other").__enter__()
            except Busy as error:
                report(error.message)

        said = Writer(second).require_success()
    assert said == [f"research is not free now: pid {os.getpid()} (driver) holds it; nothing was changed"]

    with LongLock(path, "next"):
        assert lock.holder(path) == f"pid {os.getpid()} (next)"


def test_scopes_are_ordered_and_checked() -> None:
    """World, research, agents, users; each once; names in order."""
    named = ["user:b", "world", "user:a", "agent:z", "research", "user:a"]

    assert scopes.ordered(named) == ("world", "research", "agent:z", "user:a", "user:b")


@pytest.mark.parametrize(
    "bad", ["", "user", "user:", "user:../x", "world:x", "user:a b", "user:é", "user:" + "x" * 65, "x"]
)
def test_a_name_that_is_no_scope_is_refused(bad: str) -> None:
    """A scope becomes a file name, so its spelling is narrow."""
    with pytest.raises(WrongInput, match="is no lock scope"):
        scopes.ordered([bad])


@pytest.mark.parametrize(("text", "expected"), [("", 10.0), ("0", 0.0), ("2.5", 2.5)])
def test_the_wait_can_be_set(text: str, expected: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """MINDLOOP_LOCK_TIMEOUT is the number of seconds a command waits."""
    monkeypatch.setenv("MINDLOOP_LOCK_TIMEOUT", text)

    assert scopes.default_timeout() == expected


@pytest.mark.parametrize("bad", ["soon", "-1", "nan", "inf"])
def test_a_bad_wait_is_refused(bad: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A wait that is no number of seconds is an error."""
    monkeypatch.setenv("MINDLOOP_LOCK_TIMEOUT", bad)

    with pytest.raises(WrongInput, match="MINDLOOP_LOCK_TIMEOUT"):
        scopes.default_timeout()


def _in_place_of_a_lock_file(kind: str, path: str) -> None:
    os.makedirs(os.path.dirname(path))
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path)
    elif kind == "device":
        os.symlink("/dev/null", path)
    elif kind == "folder":
        os.mkdir(path)
    else:
        with open(path + ".elsewhere", "w", encoding="utf-8") as file:
            file.write("precious")
        os.symlink(path + ".elsewhere", path)


@pytest.mark.parametrize("kind", ["pipe", "socket", "device", "folder", "link"])
@pytest.mark.parametrize("long", [False, True], ids=["flock", "portalocker"])
def test_only_a_file_is_a_lock_file(kind: str, long: bool, path: str) -> None:
    """Whatever stands in its place is refused at once, by its path, and what a link leads to is not written."""
    _in_place_of_a_lock_file(kind, path)
    taken = LongLock(path, "tests") if long else lock.Lock(path, 5, "tests")

    with pytest.raises(StoreFailure, match=r"research\.lock: expected a lock file, found a folder, a link or a device"):
        taken.__enter__()

    assert lock.holder(path) == "an unknown process"
    if kind == "link":
        with open(path + ".elsewhere", encoding="utf-8") as file:
            assert file.read() == "precious"


def test_what_a_lock_file_says_is_shown_and_not_obeyed(tmp_path: Path) -> None:
    """A lock file with escape sequences in it cannot write to a terminal."""
    path = tmp_path / "x.lock"
    path.write_text("12\x1b[2J\nrm\x07 all", encoding="utf-8")

    assert lock.holder(str(path)) == "pid 12?[2J (rm? all)"
