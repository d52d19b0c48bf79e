"""The shipped score command, run as the operator runs it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[3] / "core" / "scripts" / "observer" / "score-api-query.sh"
WALLET = "0x" + "0123456789abcdef" * 2 + "01234567"
SNAPSHOT = '{\n  "rank": 12,\n\t"tier": "50% \\\\n $HOME `id` \\u00e9 é 🦊"\n}\n'


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with a space in its name and one snapshot."""
    root = tmp_path / "my work"
    scores = root / "grimoires" / "observer" / "scores"
    scores.mkdir(parents=True)
    (scores / f"{WALLET}.json").write_text(SNAPSHOT, encoding="utf-8")
    return root


def _run(*arguments: str, cwd: Path, shell: tuple[str, ...] = (), **env: str) -> tuple[int, str, str]:
    ran = subprocess.run(
        [*shell, str(SCRIPT), *arguments],
        cwd=cwd,
        env={"PATH": "/nonexistent", **env},
        capture_output=True,
        check=False,
    )
    return ran.returncode, ran.stdout.decode(), ran.stderr.decode()


def _snapshot(wallet: str, cwd: Path, **env: str) -> tuple[int, str, str]:
    return _run("profile", wallet, "--format", "snapshot", cwd=cwd, **env)


def test_it_prints_the_file_without_any_other_program(workspace):
    """Byte for byte, with nothing on the PATH that could be run."""
    assert _snapshot(WALLET, workspace) == (0, SNAPSHOT, "")


def test_capitals_of_a_wallet_do_not_matter(workspace):
    """A checksummed wallet finds the file in lower case."""
    assert _snapshot("0x" + WALLET[2:].upper(), workspace) == (0, SNAPSHOT, "")


@pytest.mark.parametrize("shell", [name for name in ("dash", "bash", "busybox") if shutil.which(name)])
def test_every_shell_prints_the_same(workspace, shell):
    """POSIX sh is enough."""
    program = shutil.which(shell)
    command = (program, "sh") if shell == "busybox" else (program,)
    arguments = ("profile", "0x" + WALLET[2:].upper(), "--format", "snapshot")
    assert _run(*arguments, cwd=workspace, shell=command) == (0, SNAPSHOT, "")


def test_the_workspace_comes_from_the_environment(workspace, tmp_path):
    """MINDLOOP_ROOT decides, wherever the command is run, and MINDLOOP_OBSERVER_ROOT names the folder."""
    assert _snapshot(WALLET, tmp_path, MINDLOOP_ROOT=str(workspace)) == (0, SNAPSHOT, "")
    os.rename(workspace / "grimoires" / "observer", workspace / "grimoires" / "keeper")
    assert _snapshot(WALLET, workspace)[0] == 1
    assert _snapshot(WALLET, workspace, MINDLOOP_OBSERVER_ROOT="keeper") == (0, SNAPSHOT, "")


@pytest.mark.parametrize(
    "text", ['{"a": 1}', '{"a":\n1}', "a\r\nb", "\n\nx", "  lead\ntail  ", "back\\slash\\\n", "-n\n"]
)
def test_the_last_line_needs_no_line_break(workspace, text):
    """What stands in the file is what is printed, spaces and carriage returns included."""
    path = workspace / "grimoires" / "observer" / "scores" / f"{WALLET}.json"
    path.write_bytes(text.encode())
    assert _snapshot(WALLET, workspace) == (0, text.replace("\r\n", "\r\n"), "")


def test_a_missing_snapshot_is_said(workspace):
    """Exit 1 and one line that names the file."""
    other = "0x" + "f" * 40
    code, out, err = _snapshot(other, workspace)
    assert (code, out) == (1, "")
    assert err == (
        f"score-api-query.sh: no snapshot of {other}: there is no file ./grimoires/observer/scores/{other}.json\n"
    )


def test_an_empty_snapshot_is_none(workspace):
    """An empty file is not a snapshot."""
    path = workspace / "grimoires" / "observer" / "scores" / f"{WALLET}.json"
    path.write_bytes(b"")
    code, out, err = _snapshot(WALLET, workspace)
    assert (code, out) == (1, "")
    assert err.endswith("is empty\n")


HOSTILE = [
    "",
    "0x",
    WALLET + "\n",
    WALLET + "a",
    WALLET[:-1],
    WALLET[:-1] + "/",
    "0x" + "../" * 13 + "a",
    "0x$(touch pwned)" + "a" * 26,
    "0x`touch pwned`" + "a" * 26,
    "0x;touch pwned;" + "a" * 27,
    "0x" + "*" * 40,
    "0x" + "?" * 40,
    "0x" + "é" * 40,
    "-rf",
    "bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh",
]


@pytest.mark.parametrize("wallet", HOSTILE)
def test_a_wallet_that_is_none_is_refused(workspace, wallet):
    """Exit 2, nothing printed, nothing run, and the value is not repeated into the terminal."""
    code, out, err = _snapshot(wallet, workspace)
    assert (code, out) == (2, "")
    assert err.startswith("score-api-query.sh: the wallet ")
    assert err.count("\n") == 1
    assert sorted(path.name for path in workspace.iterdir()) == ["grimoires"]


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("profile",),
        ("profile", WALLET),
        ("profile", WALLET, "--format"),
        ("profile", WALLET, "--format", "json"),
        ("profile", WALLET, "--shape", "snapshot"),
        ("profile", WALLET, "--format", "snapshot", "more"),
        ("rank", WALLET, "--format", "snapshot"),
        ("-e", WALLET, "--format", "snapshot"),
        ("!", "(", ")", "snapshot"),
    ],
)
def test_a_wrong_call_is_exit_2(workspace, arguments):
    """The one call that exists is shown."""
    code, out, err = _run(*arguments, cwd=workspace)
    assert (code, out) == (2, "")
    assert "snapshot" in err


@pytest.mark.parametrize("root", ["..", "../x", "a/../b", "/etc", ".hidden"])
def test_a_root_outside_of_the_workspace_is_refused(workspace, root):
    """The folder below grimoires/ cannot lead out of it."""
    code, out, err = _snapshot(WALLET, workspace, MINDLOOP_OBSERVER_ROOT=root)
    assert (code, out) == (2, "")
    assert "MINDLOOP_OBSERVER_ROOT" in err


def test_a_folder_in_place_of_the_snapshot(workspace):
    """A folder with the file's name is no snapshot."""
    other = "0x" + "e" * 40
    (workspace / "grimoires" / "observer" / "scores" / f"{other}.json").mkdir()
    assert _snapshot(other, workspace)[0] == 1


def test_a_reader_that_went_away_is_an_error(workspace):
    """Where the output cannot be written the exit code says so."""
    if not os.path.exists("/dev/full"):
        pytest.skip("needs /dev/full")
    with open("/dev/full", "wb") as full:
        ran = subprocess.run(
            [str(SCRIPT), "profile", WALLET, "--format", "snapshot"],
            cwd=workspace,
            stdout=full,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    assert ran.returncode != 0
