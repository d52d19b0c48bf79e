"""setup.py: one command makes the environment of a copy without one; nothing of it needs a network here."""

from __future__ import annotations

import base64
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import time
import zipfile

import pytest

from tests.helpers.command_line import SCRIPTS
from tests.helpers.skill_workspace import snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ENDED = subprocess.CompletedProcess[str]
NOBODY = "http://127.0.0.1:9/simple"  # no registry listens here


class Pack:
    """A copy of the pack, with one tiny package pinned, and a data folder of its own; all with spaces in their names.

    Attributes:
        root: where the copy lies.
        data: XDG_DATA_HOME.
        wheels: a folder with the pinned package.
        place: where the environment belongs.
    """

    def __init__(self, folder: Path) -> None:
        self.root, self.data, self.wheels = folder / "a pack", folder / "my data", folder / "the wheels"
        self.place = self.data / "mindloop" / "venv"
        for path in (self.root / "core/scripts", self.root / "core/mindloop/store", self.root / "requirements"):
            path.mkdir(parents=True)
        self.wheels.mkdir()
        shutil.copy2(SCRIPTS / "setup.py", self.root / "core/scripts/setup.py")
        for name in ("__init__", "store/__init__"):
            (self.root / f"core/mindloop/{name}.py").touch()
        (self.root / "core/mindloop/store/checks_machine.py").write_text('PACKAGES = {"tiny": "tiny"}\n')
        self.pin("1.0")

    def pin(self, version: str, *, digest: str = "") -> None:
        """Ask for a version of the package; it is among the wheels too."""
        wheel = tiny_wheel(self.wheels, version)
        found = digest or hashlib.sha256(wheel.read_bytes()).hexdigest()
        (self.root / "requirements/runtime.txt").write_text(f"tiny=={version} \\\n    --hash=sha256:{found}\n")

    @property
    def env(self) -> dict[str, str]:
        """The whole environment of the command."""
        home = {"HOME": str(self.data.parent), "XDG_DATA_HOME": str(self.data)}
        return {"PATH": os.environ["PATH"], "PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": NOBODY, **home}

    @property
    def argv(self) -> list[str]:
        """The command, with the wheels."""
        return [sys.executable, str(self.root / "core/scripts/setup.py"), "--wheels", str(self.wheels)]

    def set_up(self, *, offline: bool = True, **env: str) -> ENDED:
        """Run the command to its end."""
        argv = self.argv if offline else self.argv[:2]
        return subprocess.run(argv, env={**self.env, **env}, capture_output=True, text=True, check=False, timeout=120)

    def version(self) -> str:
        """What the environment's interpreter has installed."""
        code = "import tiny; print(tiny.VERSION)"
        argv = [str(self.place / "bin/python"), "-c", code]
        return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()

    def rests(self) -> set[str]:
        """What lies beside the environment."""
        return {path.name for path in self.place.parent.iterdir()} - {"venv", "venv.lock", "pycache"}


def tiny_wheel(folder: Path, version: str) -> Path:
    """A package of one line, the same bytes each time."""
    notes = f"tiny-{version}.dist-info"
    files = {
        "tiny.py": f'VERSION = "{version}"\n',
        f"{notes}/METADATA": f"Metadata-Version: 2.1\nName: tiny\nVersion: {version}\n",
        f"{notes}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    rows = [f"{name},sha256={_digest(text)},{len(text)}" for name, text in files.items()]
    files[f"{notes}/RECORD"] = "\n".join([*rows, f"{notes}/RECORD,,"]) + "\n"
    path = folder / f"tiny-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, text in files.items():
            wheel.writestr(zipfile.ZipInfo(name), text)
    return path


def _digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")


@pytest.fixture
def pack(tmp_path: Path) -> Pack:
    return Pack(tmp_path)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Pack, ENDED, dict[str, object]]:
    """A pack that is set up, what the command said, and the pack's files before."""
    pack = Pack(tmp_path_factory.mktemp("made"))
    before = dict(snapshot(pack.root))
    return pack, pack.set_up(), before


@pytest.fixture
def whole(made: tuple[Pack, ENDED, dict[str, object]], tmp_path: Path) -> Pack:
    """A set-up pack that a test may damage: a copy, with the environment in it."""
    pack = Pack(tmp_path)
    shutil.copytree(made[0].data, pack.data, symlinks=True)
    return pack


def test_one_command_makes_the_environment(made: tuple[Pack, ENDED, dict[str, object]]) -> None:
    """Exit 0, where it is, what comes next; the interpreter alone is in it, and nothing beside it is left over."""
    pack, ended, _ = made

    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == (
        f"mindloop: ready: {pack.place}\n"
        f"next, in the folder of your project: python3 '{pack.root}/core/scripts/init.py'\n"
    )
    assert pack.version() == "1.0"
    assert [path.name for path in (pack.place / "bin").iterdir() if not path.name.startswith("python")] == []
    assert pack.rests() == set()


def test_nothing_is_written_beside_the_code(made: tuple[Pack, ENDED, dict[str, object]]) -> None:
    """The copy is byte for byte what it was; its bytecode is in the data folder, ready for the first command."""
    pack, _, before = made

    assert dict(snapshot(pack.root)) == before
    assert list((pack.data / "mindloop/pycache").rglob("checks_machine.*.pyc")) != []


def test_it_is_repeatable(made: tuple[Pack, ENDED, dict[str, object]]) -> None:
    """The second time it says so and changes no file of the environment, with or without a registry."""
    pack, _, _ = made
    before = dict(snapshot(pack.place))
    again = pack.set_up(offline=False)

    assert (again.returncode, again.stderr) == (0, "")
    assert again.stdout.startswith(f"mindloop: ready already, nothing changed: {pack.place}\n")
    assert dict(snapshot(pack.place)) == before


def test_a_damaged_environment_is_made_anew(whole: Pack) -> None:
    """A file of a package is gone: what cannot be imported is not called ready."""
    (lost,) = whole.place.rglob("tiny.py")
    lost.unlink()
    ended = whole.set_up()

    assert ended.stdout.startswith("mindloop: ready: ")
    assert (whole.version(), whole.rests()) == ("1.0", set())


def test_other_pins_make_it_anew(whole: Pack) -> None:
    """A newer copy of the pack with a newer pin."""
    whole.pin("1.1")

    assert whole.set_up().returncode == 0
    assert (whole.version(), whole.rests()) == ("1.1", set())


def test_a_registry_out_of_reach_is_said_and_changes_nothing(whole: Pack) -> None:
    """Exit 2: what is wrong, the command to repeat, the way without a network; the old environment goes on working."""
    whole.pin("1.1")
    ended = whole.set_up(offline=False)

    assert (ended.returncode, ended.stdout) == (2, "")
    assert "mindloop: the package registry cannot be reached. Nothing was installed" in ended.stderr
    assert f"python3 '{whole.root}/core/scripts/setup.py' --wheels WHEELS" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert (whole.version(), whole.rests()) == ("1.0", set())


@pytest.mark.parametrize(
    ("digest", "wheel", "words"),
    [("0" * 64, True, "what came is not what is pinned"), ("", False, "lacks a pinned package")],
    ids=["other bytes", "no file"],
)
def test_only_what_is_pinned_is_installed(pack: Pack, digest: str, *, wheel: bool, words: str) -> None:
    """A file with another hash, or none: exit 2, and there is no half environment."""
    pack.pin("1.0", digest=digest)
    if not wheel:
        (pack.wheels / "tiny-1.0-py3-none-any.whl").unlink()
    ended = pack.set_up()

    assert (ended.returncode, ended.stdout) == (2, "")
    assert words in ended.stderr
    assert not pack.place.exists()
    assert pack.rests() == set()


def test_a_killed_setup_is_repaired_by_the_next(pack: Pack) -> None:
    """In the middle: what the killed one left running ends first, then the environment is made from the beginning."""
    half = pack.place.parent / "venv.new" / "bin" / "python"
    with subprocess.Popen(pack.argv, env=pack.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as first:
        while first.poll() is None and not half.exists():
            time.sleep(0.01)
        first.kill()
    assert first.returncode == -9
    assert not pack.place.exists()
    ended = pack.set_up()

    assert ended.stdout.startswith("mindloop: ready: ")
    assert (pack.version(), pack.rests()) == ("1.0", set())


def test_a_setup_killed_between_its_last_two_steps_is_taken_back(whole: Pack) -> None:
    """The old environment was moved aside and the new one not yet in: the old one is there again, without a network."""
    whole.place.rename(f"{whole.place}.old")
    ended = whole.set_up(offline=False)

    assert ended.stdout.startswith("mindloop: ready already, nothing changed: ")
    assert (whole.version(), whole.rests()) == ("1.0", set())


@pytest.mark.parametrize("name", ["venv.old", "venv.new"])
@pytest.mark.parametrize("content", ["pyvenv.cfg", "somebody's file"])
def test_what_somebody_else_keeps_beside_the_place_is_left_alone(pack: Pack, name: str, content: str) -> None:
    """It is neither taken for the old environment nor cleared away: exit 2, and what to do is said."""
    theirs = pack.place.parent / name
    theirs.mkdir(parents=True)
    (theirs / content).write_text("home = /usr/bin\n")
    ended = pack.set_up()

    assert (ended.returncode, ended.stdout) == (2, "")
    assert f"{theirs} is in the way" in ended.stderr
    assert [path.name for path in theirs.iterdir()] == [content]
    assert not pack.place.exists()


def test_a_whole_environment_does_not_mind_what_lies_beside_it(whole: Pack) -> None:
    """Nothing is to be moved then."""
    theirs = whole.place.parent / "venv.old"
    theirs.mkdir()
    (theirs / "mine").touch()
    ended = whole.set_up()

    assert ended.stdout.startswith("mindloop: ready already, nothing changed: ")
    assert whole.rests() == {"venv.old"}


@pytest.mark.parametrize("end", ["/", "//", "/.", "/./"])
def test_a_place_may_be_named_with_a_slash_at_its_end(whole: Pack, end: str) -> None:
    """It is the same place, and its lock lies beside it, not in it."""
    before = dict(snapshot(whole.place))
    ended = whole.set_up(MINDLOOP_VENV=f"{whole.place}{end}")

    assert ended.stdout.startswith(f"mindloop: ready already, nothing changed: {whole.place}\n")
    assert dict(snapshot(whole.place)) == before


def test_an_empty_folder_in_the_place_is_filled(pack: Pack) -> None:
    """Made beforehand, for its rights for example; named with a slash."""
    pack.place.mkdir(parents=True)
    ended = pack.set_up(MINDLOOP_VENV=f"{pack.place}/")

    assert ended.stdout.startswith("mindloop: ready: ")
    assert (pack.version(), pack.rests()) == ("1.0", set())


def test_a_link_to_an_empty_folder_is_replaced(pack: Pack) -> None:
    """The environment lies at the place itself then; where the link led to, nothing is changed."""
    elsewhere = pack.data / "elsewhere"
    elsewhere.mkdir(parents=True)
    pack.place.parent.mkdir()
    pack.place.symlink_to(elsewhere)

    assert pack.set_up().stdout.startswith("mindloop: ready: ")
    assert (pack.version(), pack.rests(), list(elsewhere.iterdir())) == ("1.0", set(), [])


def test_of_two_at_once_one_builds_and_the_other_waits(pack: Pack) -> None:
    """Both end well; the second finds it ready."""
    both = [
        subprocess.Popen(pack.argv, env=pack.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = sorted(one.communicate(timeout=120)[0].split(": ")[1] for one in both)

    assert [one.returncode for one in both] == [0, 0]
    assert said == ["ready", "ready already, nothing changed"]
    assert pack.version() == "1.0"


@pytest.fixture
def held(pack: Pack) -> Iterator[None]:
    """Somebody holds the lock of the place."""
    pack.place.parent.mkdir(parents=True)
    with open(f"{pack.place}.lock", "a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@pytest.mark.usefixtures("held")
def test_it_does_not_wait_for_ever(pack: Pack) -> None:
    """Exit 75 and nothing changed where the other does not end in time."""
    ended = pack.set_up(MINDLOOP_SETUP_WAIT="0")

    assert (ended.returncode, ended.stdout) == (75, "")
    assert "another setup is still at work" in ended.stderr
    assert not pack.place.exists()


@pytest.mark.parametrize("content", ["pyvenv.cfg", "somebody's file"])
def test_a_folder_of_somebody_else_is_left_alone(pack: Pack, content: str) -> None:
    """An environment or a folder that this command did not make, in the place that MINDLOOP_VENV names."""
    mine = pack.data / "mine"
    mine.mkdir(parents=True)
    (mine / content).write_text("home = /usr/bin\n")
    ended = pack.set_up(MINDLOOP_VENV=str(mine))

    assert (ended.returncode, ended.stdout) == (2, "")
    assert "it is left alone" in ended.stderr
    assert [path.name for path in mine.iterdir()] == [content]


def test_a_copy_with_an_environment_of_its_own_is_left_to_make(pack: Pack) -> None:
    """In a clone after `make install` the commands use .venv, so another environment would help nobody."""
    (pack.root / ".venv").mkdir()
    ended = pack.set_up()

    assert (ended.returncode, ended.stdout) == (2, "")
    assert "make install" in ended.stderr
    assert not pack.data.exists()


@pytest.mark.parametrize(
    ("name", "value"), [("XDG_DATA_HOME", "data"), ("MINDLOOP_VENV", "./venv"), ("MINDLOOP_SETUP_WAIT", "soon")]
)
def test_a_garbled_place_is_refused(pack: Pack, name: str, value: str) -> None:
    """A relative path would be another place in each folder; exit 2, no trace of Python's."""
    ended = pack.set_up(**{name: value})

    assert (ended.returncode, ended.stdout) == (2, "")
    assert f"mindloop: {name} is {value!r}: expected" in ended.stderr


def test_a_place_below_a_file_is_said(pack: Pack) -> None:
    """The data folder is a file: exit 2 and one sentence."""
    pack.data.write_text("x")
    ended = pack.set_up()

    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("mindloop: ")
    assert "Traceback" not in ended.stderr
