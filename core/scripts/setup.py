#!/usr/bin/env python3
"""Install what mindloop needs to run, for a copy without a ``.venv`` beside it: a plugin, above all.

The packages go into an environment outside the code, $MINDLOOP_VENV or ${XDG_DATA_HOME:-~/.local/share}/mindloop/venv,
where every launcher looks for them. It is built beside its place and moved there when it is whole, under a lock that
lasts as long as any process of the installation, so an interrupted setup leaves the old environment or the new one.
The standard library alone, and nothing of mindloop: this runs before anything else can.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time

HOME = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
PINS = os.path.join(HOME, "requirements", "runtime.txt")
MARK = "mindloop-pins.sha256"
OLDEST = (3, 11)
BUSY, INTERRUPTED = 75, 130
# What pip says of a registry that it cannot talk to, and of one that sends something else.
UNREACHABLE = re.compile("NewConnection|ConnectTimeout|ReadTimeout|NameResolution|ProxyError|SSLError|Max retries")
OTHER_BYTES = re.compile("DO NOT MATCH THE HASHES")
PROBE = """
import sys
sys.path.insert(0, sys.argv[1])
from mindloop.store.checks_machine import PACKAGES
for name in PACKAGES:
    __import__(name)
"""


class Stop(Exception):
    """The setup cannot go on: what a person is told, and the exit code."""

    def __init__(self, text, code=2):
        super().__init__(text)
        self.code = code


def main():
    options = argparse.ArgumentParser(prog="setup.py", description="Install what mindloop needs to run. Repeatable.")
    options.add_argument("--wheels", metavar="DIR", help="install from the files in a folder, without a network")
    chosen = options.parse_args()
    try:
        sys.stdout.write(f"mindloop: {set_up(chosen.wheels)}\n")
    except Stop as stop:
        say(str(stop))
        return stop.code
    except KeyboardInterrupt:
        say("interrupted; what was there stays. Call it again to go on.")
        return INTERRUPTED
    except OSError as error:
        say(f"{error.filename or 'the environment'}: {error.strerror}. What was there stays; mend that and call again.")
        return 2
    return 0


def say(text):
    sys.stderr.write(f"mindloop: {text}\n")
    sys.stderr.flush()


def set_up(wheels):
    """Make the environment whole; return what is to be said."""
    if os.path.isdir(os.path.join(HOME, ".venv")):
        raise Stop(f"{HOME} has a .venv of its own, which its commands use. Keep it up to date with: make install")
    use_new_python()
    place = folder("MINDLOOP_VENV") or os.path.join(data_home(), "venv")
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(f"{place}.lock", "a+") as lock:
        take(lock)
        restore(place)
        if is_whole(place, lock):
            done = "ready already, nothing changed"
        else:
            build(place, lock, wheels)
            done = "ready"
        precompile(place, lock)
    init = os.path.join(HOME, "core", "scripts", "init.py")
    return f"{done}: {place}\nnext, in the folder of your project: python3 {quoted(init)}"


def data_home():
    return os.path.join(folder("XDG_DATA_HOME") or os.path.expanduser("~/.local/share"), "mindloop")


def folder(variable):
    """The absolute path that a variable names, or None."""
    named = os.environ.get(variable)
    if named and not os.path.isabs(named):
        raise Stop(f"{variable} is {named!r}: expected an absolute path")
    # What is made beside a place is named after it, so the place is named without what a path may end with.
    return re.sub(r"(?<=[^/])(/\.?)+$", "", named) if named else None


def quoted(path):
    return "'" + path.replace("'", "'\\''") + "'"


def use_new_python():
    """Go on under a Python that is new enough, or say that there is none."""
    if sys.version_info < OLDEST:
        for minor in range(19, OLDEST[1] - 1, -1):
            found = shutil.which(f"python3.{minor}")
            if found and subprocess.run([found, "-c", ""], stderr=subprocess.DEVNULL, check=False).returncode == 0:  # noqa: S603 - no shell
                os.execv(found, [found, *sys.argv])  # noqa: S606 - an argv list, no shell
        raise Stop(f"needs Python 3.11 or later, and PATH has none; this is {sys.version.split()[0]}")
    try:
        import ensurepip  # noqa: F401 - whether it is there
        import venv  # noqa: F401 - likewise
    except ImportError:
        raise Stop("this Python lacks ensurepip or venv. Debian: apt-get install python3-venv") from None


def take(lock):
    """Hold the lock file; wait for another setup, and for what a killed one left running."""
    import fcntl

    end = time.monotonic() + seconds_to_wait()
    told = False
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                raise Stop("another setup is still at work. Nothing was changed; call it again later.", BUSY) from None
            if not told:
                say("another setup is at work; waiting for it")
                told = True
            time.sleep(0.1)
        else:
            return


def seconds_to_wait():
    named = os.environ.get("MINDLOOP_SETUP_WAIT") or "900"
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)?", named):
        raise Stop(f"MINDLOOP_SETUP_WAIT is {named!r}: expected a number of seconds")
    return float(named)


def restore(place):
    """Take back the old environment where a setup was killed between its last two steps; it bears our mark."""
    if not os.path.lexists(place) and is_ours(f"{place}.old"):
        os.rename(f"{place}.old", place)


def is_ours(path):
    """Whether a folder was made here: it is marked from its first moment on, before anything else is in it."""
    return os.path.isfile(os.path.join(path, MARK))


def is_free(path):
    """Whether there is nothing under a name, or an empty folder."""
    return not os.path.lexists(path) or (os.path.isdir(path) and not os.listdir(path))


def is_whole(place, lock):
    """Whether the environment holds what is pinned and it can be imported."""
    if is_free(place):
        return False
    if not os.path.isfile(os.path.join(place, MARK)):
        raise Stop(
            f"{place} is there, but this command did not make it, so it is left alone.\nMove it away, name another "
            f"place in MINDLOOP_VENV, or fill it yourself: python -m pip install --require-hashes -r {quoted(PINS)}"
        )
    with open(os.path.join(place, MARK)) as file:
        return file.read() == digest() and not fault(place, lock)


def digest():
    with open(PINS, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def fault(place, lock):
    """What importing the packages ends with; empty where it works."""
    ended = run([*python_of(place), "-c", PROBE, os.path.join(HOME, "core")], lock, quiet=True)
    return (end_of(ended.stderr) or "no word") if ended.returncode else ""


def python_of(place):
    """The environment's interpreter; its own bytecode of our code goes beside no code."""
    return [os.path.join(place, "bin", "python"), "-I", "-X", f"pycache_prefix={os.path.join(data_home(), 'pycache')}"]


def run(argv, lock, *, quiet):
    """Run a process that holds the lock too: if we are killed, the next setup waits for what still runs."""
    # A user's own choice of another target has no meaning here, and pip refuses to combine it.
    env = {name: value for name, value in os.environ.items() if name not in {"PIP_USER", "PIP_TARGET", "PIP_PREFIX"}}
    out = subprocess.DEVNULL if quiet else sys.stderr
    pipes = {"stdin": subprocess.DEVNULL, "stdout": out, "stderr": subprocess.PIPE}
    try:
        return subprocess.run(argv, env=env, pass_fds=[lock.fileno()], check=False, **pipes)  # noqa: S603 - no shell
    except OSError as error:
        return subprocess.CompletedProcess(argv, 127, None, str(error).encode())


def build(place, lock, wheels):
    """Build the environment beside its place, then put it there."""
    fresh = f"{place}.new"
    for beside in (fresh, f"{place}.old"):
        if not is_free(beside) and not is_ours(beside):
            raise Stop(f"{beside} is in the way, but this command did not make it, so it is left alone. Move it away.")
    remove(fresh)
    say(f"making {place}")
    try:
        fill(fresh, lock, wheels)
    except Stop:
        remove(fresh)
        raise
    remove(f"{place}.old")
    if os.path.islink(place) or is_ours(place):  # else an empty folder, which the new one replaces
        os.rename(place, f"{place}.old")
    os.rename(fresh, place)
    remove(f"{place}.old")


def fill(fresh, lock, wheels):
    os.mkdir(fresh)
    mark(fresh, "")
    made = run([sys.executable, "-I", "-m", "venv", fresh], lock, quiet=True)
    if made.returncode:
        raise Stop(f"no environment could be made in {fresh}:\n{end_of(made.stderr)}")
    say("installing the pinned packages of requirements/runtime.txt")
    install(fresh, lock, wheels)
    wrong = fault(fresh, lock)
    if wrong:
        raise Stop(f"{wrong}\nThe packages were installed, but they cannot be imported. What was there stays.")
    keep_interpreter_alone(os.path.join(fresh, "bin"))
    mark(fresh, digest())


def mark(folder, pins):
    """Say that we made a folder, and which pins it holds; none as long as it is being made."""
    with open(os.path.join(folder, MARK), "w") as file:
        file.write(pins)


def install(fresh, lock, wheels):
    bar = "on" if sys.stderr.isatty() else "off"
    pip = [*python_of(fresh), "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--require-hashes"]
    source = ["--no-index", "--find-links", wheels] if wheels else ["--retries", "1"]
    ended = run([*pip, "--progress-bar", bar, *source, "-r", PINS], lock, quiet=not sys.stderr.isatty())
    if ended.returncode == 0:
        return
    said = ended.stderr.decode("utf-8", "replace")
    raise Stop(f"{advice(said, wheels)}\npip's last words:\n{end_of(ended.stderr)}")


def advice(said, wheels):
    """What to do about what pip said."""
    stays = "Nothing was installed; what was there stays."
    again = f"python3 {quoted(os.path.realpath(__file__))}"
    if OTHER_BYTES.search(said):
        return f"what came is not what is pinned: the hashes differ. {stays}"
    if wheels:
        return f"{wheels} lacks a pinned package, for this machine at least. {stays}"
    cut_off = UNREACHABLE.search(said)
    what = "the package registry cannot be reached" if cut_off else "the packages could not be installed"
    return (
        f"{what}. {stays}\n"
        f"Once it works, call again:  {again}\n"
        f"Or without a network: on a machine like this one that has it\n"
        f"  python3 -m pip download -d WHEELS --require-hashes -r {quoted(PINS)}\n"
        f"then bring the folder WHEELS here and call:  {again} --wheels WHEELS"
    )


def end_of(output):
    """The last lines of what a program complained."""
    return "\n".join(output.decode("utf-8", "replace").strip().splitlines()[-6:])


def keep_interpreter_alone(scripts):
    """Take out programs that name the place of building; the launchers need the interpreter and nothing else."""
    for name in os.listdir(scripts):
        if not name.startswith("python"):
            remove(os.path.join(scripts, name))


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.unlink(path)


def precompile(place, lock):
    """Spare the first commands the compiling; where it fails they do it themselves."""
    run([*python_of(place), "-m", "compileall", "-q", os.path.join(HOME, "core", "mindloop")], lock, quiet=True)


if __name__ == "__main__":
    raise SystemExit(main())
