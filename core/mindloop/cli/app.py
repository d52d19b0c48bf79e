"""Runs one command: finds its module, turns errors into messages and exit codes.

Exit codes: 0 yes or done, 1 a negative verdict, 2 a wrong call or input (or a disk that refuses), 3 a fault of ours,
75 busy, 130 interrupted.
"""

from __future__ import annotations

import gc
import os
import sys

from mindloop.cli.commands import COMMANDS
from mindloop.cli.output import safe
from mindloop.store.errors import MindloopError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

BUG, INTERRUPTED = 3, 130
_COLLECT_AFTER = 50_000
OLDEST = (3, 11)
_SENT = "MINDLOOP_SENT_TO_OWN_PYTHON"


def main() -> None:
    """The ``mindloop`` command of an installed package: ``mindloop follow-up begin``."""
    _speak_utf8()
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in {"-h", "--help"}:
        sys.stdout.write(_overview())
        raise SystemExit(0 if arguments else 2)
    if arguments[0] == "--version":
        from mindloop import __version__

        sys.stdout.write(f"mindloop {__version__}\n")
        raise SystemExit(0)
    raise SystemExit(run(arguments[0].replace("-", "_"), arguments[1:]))


def _overview() -> str:
    rows = "".join(f"  {name.replace('_', '-'):<14} {help_line}\n" for name, (_, help_line) in COMMANDS.items())
    return f"usage: mindloop <command> [arguments]\n\n{rows}\nEach command explains itself with --help.\n"


def launch(name: str, script: str) -> None:
    """Run a file of ``core/scripts``: under the project's own interpreter where there is one, then leave.

    The interpreter is left without its teardown, a seventh of a short command's time: everything is written and
    flushed, and no exit handler of ours exists.
    """
    _use_own_interpreter(script)
    gc.set_threshold(_COLLECT_AFTER)  # imports make many objects and no garbage: a short command never has to look
    _speak_utf8()
    code = run(name, sys.argv[1:])
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        code = code or 1
    except OSError as error:
        code = code or _report_lost_output(error)
    os._exit(code)


def _use_own_interpreter(script: str) -> None:
    """Go on in the environment that has our packages: the one beside the code, else the one that setup.py makes."""
    arrived = os.environ.pop(_SENT, None)
    for place in () if arrived else _own_places(script):
        if os.path.realpath(sys.prefix) == os.path.realpath(place):
            break
        own = f"{place}/bin/python"
        if os.access(own, os.X_OK):
            os.environ[_SENT] = "1"
            os.execv(own, [own, script, *sys.argv[1:]])  # noqa: S606 - an argv list, no shell
    if sys.version_info < OLDEST:
        _complain(f"needs Python 3.11 or later, this is {sys.version.split()[0]}\nInstall one, then: {_install()}")
        os._exit(2)


def _own_places(script: str) -> tuple[str, str]:
    """The two places of an environment, as the first lines of each launcher have them too."""
    home = os.path.dirname(os.path.dirname(os.path.dirname(script)))
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return f"{home}/.venv", os.environ.get("MINDLOOP_VENV") or f"{data}/mindloop/venv"


def _install() -> str:
    from mindloop.store.resources import install_command

    return install_command()


def _speak_utf8() -> None:
    """Whatever the locale says: names and quotes are never an encoding error.

    A stream that the caller has closed leads nowhere, so that no file of ours can get its number and our talk.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open for good
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")  # type: ignore[union-attr]  # they wrap text


def run(name: str, argv: Sequence[str]) -> int:
    """Run the command ``name``; every error becomes one message on stderr and an exit code."""
    try:
        return int(_module(name).main(list(argv)))
    except MindloopError as error:
        _complain(f"{error}")
        return error.exit_code
    except KeyboardInterrupt:
        _complain("interrupted; what was committed stays, nothing else was changed")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has gone (`| head`). stdout is closed for good, so that the flush at exit stays quiet too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except ModuleNotFoundError as error:
        _complain(f"the Python package {error.name!r} is missing\nInstall what mindloop needs with: {_install()}")
        return 2
    except Exception as error:  # noqa: BLE001 - the last line: a person gets a sentence, the trace goes to a file
        return _report_fault(name, error)


def _module(name: str) -> ModuleType:
    if name not in COMMANDS:
        from difflib import get_close_matches

        from mindloop.store.errors import WrongInput

        known = [command.replace("_", "-") for command in COMMANDS]
        near = get_close_matches(name.replace("_", "-"), known, 1)
        hint = f"Did you mean {near[0]}?" if near else f"Commands: {', '.join(known)}"
        message = f"there is no command {name[:40]!r}"
        raise WrongInput(message, hint)
    __import__(COMMANDS[name][0])
    return sys.modules[COMMANDS[name][0]]


def _complain(text: str) -> None:
    try:
        sys.stderr.write(f"mindloop: {safe(text)}\n")
        sys.stderr.flush()
    except OSError:
        pass  # nobody can be told; the exit code still tells


def _report_lost_output(error: OSError) -> int:
    _complain(f"the result could not be printed: {error.strerror}\nWhat was committed stays; look with: doctor.py")
    return 2


def _report_fault(name: str, error: Exception) -> int:
    # The store words its own errors; one without a file name is about the output itself, on a full disk for example.
    if isinstance(error, OSError) and error.filename is None:
        return _report_lost_output(error)
    from mindloop.cli.faults import keep_trace  # only when something is wrong with us

    place = keep_trace(name, error)
    _complain(f"a fault of mindloop's own in {name}: {type(error).__name__}: {error}\nThe trace is in {place}")
    return BUG
