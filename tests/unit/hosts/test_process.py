"""Commands of somebody else's: argv lists, bounded in time and output."""

from __future__ import annotations

import os
import select
import sys

import pytest

from mindloop.hosts import process
from mindloop.hosts.process import run_command

PYTHON = sys.executable


def python(code: str, *arguments: str) -> list[str]:
    return [PYTHON, "-c", code, *arguments]


def test_gives_output_error_and_code() -> None:
    """The three things a command says come back apart."""
    result = run_command(python("import sys; print('yes 🦊'); print('no', file=sys.stderr); sys.exit(3)"))
    assert (result.code, result.out, result.err, result.timed_out) == (3, "yes 🦊\n", "no\n", False)


def test_feeds_standard_input_of_any_size() -> None:
    """Two megabytes go in and come out while neither side waits for the other."""
    text = "λ" * 1_000_000
    result = run_command(python("import sys; sys.stdout.write(sys.stdin.read())"), text, timeout=60)
    assert result.out == text


def test_a_command_that_reads_nothing_is_no_error() -> None:
    """Input that nobody wants is dropped."""
    assert run_command(["true"], "x" * 1_000_000, timeout=60).code == 0


def test_arguments_are_not_a_shell_line() -> None:
    """An argument with every character a shell knows arrives as it is."""
    hostile = "a b; touch x $(id) `id` '\"\\ * ~ \n&"
    assert run_command(python("import sys; print(sys.argv[1], end='')", hostile)).out == hostile


def test_the_time_limit_ends_what_the_command_started_too() -> None:
    """A grandchild does not outlive the limit of its grandparent."""
    code = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "print(child.pid, flush=True); time.sleep(600)"
    )
    result = run_command(python(code), timeout=2)
    assert result.timed_out
    assert result.code == -9
    assert _is_gone(int(result.out))


def test_a_helper_that_is_left_behind_ends_with_its_command() -> None:
    """A command that leaves a child holding its output does not hold us up."""
    code = (
        "import subprocess, sys\n"
        "print(subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']).pid, flush=True)"
    )
    result = run_command(python(code), timeout=300)
    assert (result.code, result.timed_out) == (0, False)
    assert _is_gone(int(result.out))


def test_a_command_that_closes_its_output_and_stays_meets_the_limit() -> None:
    """Silence is no end."""
    result = run_command(python("import os, time; os.close(1); os.close(2); time.sleep(600)"), timeout=2)
    assert result.timed_out


def test_a_command_that_says_nothing_and_reads_to_the_end_ends() -> None:
    """It gets all of its input, whether or not it still speaks."""
    code = "import os, sys; os.close(1); os.close(2); sys.exit(len(sys.stdin.buffer.read()) % 100)"
    assert run_command(python(code), b"x" * 1_000_042, timeout=60).code == 42


def test_an_interrupt_ends_the_command_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C does not reach a session of its own, so we end it ourselves, and no pipe stays open."""
    started = []
    original = process.subprocess.Popen

    def popen(*arguments: object, **more: object) -> object:
        started.append(original(*arguments, **more))
        return started[0]

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(process.subprocess, "Popen", popen)
    monkeypatch.setattr(process._Talk, "to_the_end", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run_command(["sleep", "600"])
    assert started[0].returncode == -9
    assert all(stream.closed for stream in (started[0].stdin, started[0].stdout, started[0].stderr))


def test_endless_output_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that writes without end is ended, and what it wrote is bounded."""
    monkeypatch.setattr(process, "OUTPUT_LIMIT", 1000)
    result = run_command(["yes"], timeout=300)
    assert result.overflowed
    assert result.out == "y\n" * 500


@pytest.mark.parametrize(("make", "code"), [(None, 127), ("not executable", 126)])
def test_a_program_that_cannot_start_is_a_result(tmp_path: os.PathLike[str], make: str | None, code: int) -> None:
    """A missing program and a file that is none end like in a shell: 127 and 126, with the reason."""
    path = os.path.join(tmp_path, "a tool")
    if make:
        with open(path, "w", encoding="utf-8") as file:
            file.write("x")
    result = run_command([path])
    assert result.code == code
    assert path in result.err


def test_environment_and_folder_are_what_was_asked_for(tmp_path: os.PathLike[str]) -> None:
    """The command sees the environment and the folder it was given, and no other."""
    code = "import os; print(os.environ.get('A'), os.environ.get('B'), os.getcwd())"
    os.environ["B"] = "ours"
    try:
        result = run_command(python(code), cwd=str(tmp_path), env={"A": "1"})
    finally:
        del os.environ["B"]
    assert result.out == f"1 None {os.path.realpath(tmp_path)}\n"


def test_bytes_that_are_no_text_are_replaced() -> None:
    """Output that is no UTF-8 never raises."""
    assert run_command(python("import os; os.write(1, b'a\\xffb')")).out == "a\ufffdb"


def _is_gone(pid: int) -> bool:
    """Whether the process has ended, or ends within a minute: a kill is not done when the call returns."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], 60)[0])
    finally:
        os.close(handle)
