"""What all commands have in common: help, mistakes, places, the clock, hostile surroundings."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING

import pytest

from mindloop.cli import app
from mindloop.cli.commands import COMMANDS
from tests.helpers.command_line import SCRIPTS, call, script
from tests.helpers.skill_workspace import NOW, SkillWorkspace, held_lock, snapshot

if TYPE_CHECKING:
    from pathlib import Path

VERBS = [
    ["init"],
    ["canvas", "observe"],
    ["canvas", "list"],
    ["canvas", "show"],
    ["provenance", "hash"],
    ["provenance", "ingest"],
    ["provenance", "verify"],
    ["chronicle", "add"],
    ["chronicle", "query"],
    ["chronicle", "rebuild"],
    ["follow_up", "begin"],
    ["follow_up", "packet"],
    ["follow_up", "answer"],
    ["follow_up", "resume"],
    ["follow_up", "status"],
    ["growth", "show"],
    ["drive", "follow-up"],
    ["doctor"],
]
NAMES = [" ".join(argv) for argv in VERBS]
WITHOUT_WORKSPACE = [
    ["canvas", "list"],
    ["canvas", "show", "ann"],
    ["canvas", "observe", "--user", "ann"],
    ["provenance", "verify"],
    ["provenance", "ingest", "--user", "ann", "--source-type", "manual_quote"],
    ["chronicle", "add", "--title", "v1", "--start", "2026-02-01"],
    ["chronicle", "query", "--around", "2026-02-01"],
    ["chronicle", "rebuild"],
    ["follow_up", "begin"],
    ["follow_up", "begin", "--dry-run"],
    ["follow_up", "packet", "r", "u"],
    ["follow_up", "answer", "r", "u"],
    ["follow_up", "resume", "r"],
    ["follow_up", "status"],
    ["growth", "show", "ann"],
    ["drive", "follow-up", "--host", "rehearsal"],
    ["doctor"],
]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SkillWorkspace:
    monkeypatch.setenv("MINDLOOP_ROOT", str(tmp_path))
    monkeypatch.setenv("MINDLOOP_NOW", NOW)
    return SkillWorkspace(tmp_path)


@pytest.mark.parametrize("argv", VERBS, ids=NAMES)
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_explains_and_ends_well(argv: list[str], flag: str) -> None:
    """Exit 0, the usage on stdout, nothing on stderr; no workspace is needed."""
    called = call(*argv, flag)

    assert (called.code, called.err) == (0, "")
    assert called.out.startswith("usage: ")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_whole_command_lists_its_verbs(name: str) -> None:
    """`x.py --help` names every verb there is."""
    called = call(name, "--help")
    verbs = [argv[1] for argv in VERBS if argv[0] == name and len(argv) > 1]

    assert called.code == 0
    assert [verb for verb in verbs if verb not in called.out] == []


@pytest.mark.parametrize("argv", VERBS, ids=NAMES)
@pytest.mark.parametrize("flag", ["--nonsense", "--jso", "--can=x"])
def test_an_unknown_flag_is_a_wrong_call(bench: SkillWorkspace, argv: list[str], flag: str) -> None:
    """Exit 2 with a hint on stderr, nothing on stdout, nothing written; no abbreviations are guessed."""
    before = snapshot(bench.root)
    called = call(*argv, flag, stdin="text")

    assert (called.code, called.out) == (2, "")
    assert re.match(r"mindloop: .+\n.+", called.err)
    assert snapshot(bench.root) == before


@pytest.mark.parametrize("name", [name for name in COMMANDS if any(argv[0] == name and argv[1:] for argv in VERBS)])
@pytest.mark.parametrize("argv", [[], ["nonsense"], ["../x"], [""], ["\x1b[31m"]])
def test_an_unknown_verb_is_a_wrong_call(name: str, argv: list[str]) -> None:
    """Exit 2; the message says what there is."""
    called = call(name, *argv)

    assert (called.code, called.out) == (2, "")
    assert "expected one of " in called.err
    assert "\x1b" not in called.err


@pytest.mark.parametrize("name", ["folow_up", "x", "", "../follow_up", "follow_up.py"])
def test_an_unknown_command_is_a_wrong_call(name: str) -> None:
    """Exit 2 and the nearest name, or all of them."""
    called = call(name)

    assert (called.code, called.out) == (2, "")
    assert "follow-up" in called.err


@pytest.mark.parametrize("argv", WITHOUT_WORKSPACE, ids=[" ".join(argv[:3]) for argv in WITHOUT_WORKSPACE])
def test_without_a_workspace_nothing_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argv: list[str]) -> None:
    """Exit 2 with the way out, and no file is made by accident."""
    monkeypatch.chdir(tmp_path)
    called = call(*argv, stdin="text")

    assert (called.code, called.out) == (2, "")
    assert "mindloop.yaml" in called.err
    assert "init" in called.err
    assert list(tmp_path.iterdir()) == []


def test_a_root_that_is_no_workspace_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MINDLOOP_ROOT names the place and is not second-guessed."""
    SkillWorkspace(tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    called = call("canvas", "list", MINDLOOP_ROOT=str(tmp_path / "empty"))

    assert (called.code, called.out) == (2, "")
    assert list((tmp_path / "empty").iterdir()) == []


@pytest.mark.parametrize("where", ["grimoires/observer/canvas", "agents", "deep/er/still"])
def test_a_workspace_is_found_from_below(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    """From any folder inside it."""
    bench = SkillWorkspace(tmp_path)
    bench.observe("ann", "said")
    (tmp_path / where).mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(tmp_path / where)

    assert call("canvas", "list").out.startswith("ann: ")


# --- the clock


CLOCKED = [
    ["follow_up", "begin"],
    ["follow_up", "begin", "--dry-run"],
    ["drive", "follow-up", "--host", "rehearsal"],
    ["canvas", "observe", "--user", "ann"],
    ["provenance", "ingest", "--user", "ann", "--source-type", "manual_quote"],
]


@pytest.mark.parametrize("argv", CLOCKED, ids=[" ".join(argv[:3]) for argv in CLOCKED])
@pytest.mark.parametrize("instant", ["garbage", "2026-02-30", "12345", "now", "2026-02-20T25:00:00Z"])
def test_a_garbled_clock_is_refused(bench: SkillWorkspace, argv: list[str], instant: str) -> None:
    """MINDLOOP_NOW that is no instant: exit 2 and nothing is written under a wrong date."""
    bench.observe("zoe", "said")
    before = snapshot(bench.root / "grimoires")
    called = call(*argv, stdin="text", MINDLOOP_NOW=instant)

    assert (called.code, called.out) == (2, "")
    assert "MINDLOOP_NOW" in called.err
    assert snapshot(bench.root / "grimoires") == before
    assert list((bench.root / "agents/researcher/session/runs").iterdir()) == []


@pytest.mark.parametrize("instant", ["2026-02-20", "2026-02-20T09:00:00", "2026-02-20T23:30:00-05:00"])
def test_the_clock_is_utc(bench: SkillWorkspace, instant: str) -> None:
    """A date is midnight UTC, a time without a zone is UTC, an offset is honoured."""
    bench.observe("ann", "said")
    day = "2026-02-21" if instant.endswith("05:00") else "2026-02-20"

    assert call("follow_up", "begin", "--json", MINDLOOP_NOW=instant).json["run"] == f"follow-up-{day}-001"


def _whole_story(root: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """Observe, release, begin, drive at a fixed instant; returns every file below grimoires and the runs."""
    monkeypatch.setenv("MINDLOOP_ROOT", str(root))
    root.mkdir()
    bench = SkillWorkspace(root)
    wallet = "0x" + "ab" * 20
    bench.score(wallet)
    for user in ("ann", "🦊"):
        argv = [
            "observe",
            "--user",
            user,
            "--wallet",
            wallet if user == "ann" else "0x" + "cd" * 20,
            "--date",
            "2026-02-10",
        ]
        assert call("canvas", *argv, stdin=f"{user} said").code == 0
    bench.score("0x" + "cd" * 20)
    assert call("chronicle", "add", "--title", "v2", "--start", "2026-02-01").code == 0
    assert call("drive", "follow-up", "--host", "rehearsal").code == 0
    files = [path for top in ("grimoires", "agents") for path in (root / top).rglob("*") if path.is_file()]
    return {str(path.relative_to(root)): path.read_bytes() for path in files}


def test_the_clock_fixes_every_date_and_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same commands at the same instant in two fresh workspaces make the same files, byte for byte."""
    monkeypatch.setenv("MINDLOOP_NOW", NOW)
    first = _whole_story(tmp_path / "one", monkeypatch)
    second = _whole_story(tmp_path / "two", monkeypatch)

    assert first == second
    assert "grimoires/observer/follow-ups/2026-02-20.md" in first


# --- errors


def test_a_fault_of_ours_is_a_sentence_and_a_trace_in_a_file(
    bench: SkillWorkspace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An exception nobody foresaw: exit 3, one sentence, the trace where the sentence says."""
    home = tmp_path / "traces"
    home.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(home))

    def explode(_argv: list[str]) -> int:
        raise ZeroDivisionError("surprise")

    monkeypatch.setattr("mindloop.cli.growth.main", explode)
    called = call("growth", "show", "ann")
    [trace] = list(home.iterdir())

    assert (called.code, called.out) == (3, "")
    assert "ZeroDivisionError: surprise" in called.err
    assert str(trace) in called.err
    assert "Traceback" in trace.read_text()


def test_a_missing_package_is_named(bench: SkillWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """An incomplete installation says what is missing."""

    def explode(_argv: list[str]) -> int:
        raise ModuleNotFoundError("No module named 'yaml'", name="yaml")

    monkeypatch.setattr("mindloop.cli.growth.main", explode)
    called = call("growth", "show", "ann")

    assert (called.code, called.out) == (2, "")
    assert "'yaml'" in called.err


def test_an_interrupt_ends_with_130(bench: SkillWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C is no trace either."""

    def explode(_argv: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("mindloop.cli.growth.main", explode)

    assert call("growth", "show", "ann").code == 130


BUSY = [
    ["canvas", "observe", "--user", "ann"],
    ["provenance", "ingest", "--user", "ann", "--source-type", "manual_quote"],
    ["chronicle", "add", "--title", "v1", "--start", "2026-02-01"],
    ["chronicle", "rebuild"],
]


@pytest.mark.parametrize("argv", BUSY, ids=[" ".join(argv[:2]) for argv in BUSY])
def test_a_busy_lock_is_75_and_nothing_changes(bench: SkillWorkspace, argv: list[str]) -> None:
    """Somebody holds the research lock: bounded wait, exit 75, who holds it."""
    before = snapshot(bench.root / "grimoires")
    with held_lock(bench.root, "research"):
        called = call(*argv, stdin="said", MINDLOOP_LOCK_TIMEOUT="0.05")

    assert (called.code, called.out) == (75, "")
    assert called.err.startswith("mindloop: ")
    assert snapshot(bench.root / "grimoires") == before


@pytest.mark.parametrize("seconds", ["soon", "-1", "nan"])
def test_a_garbled_lock_timeout_is_refused(bench: SkillWorkspace, seconds: str) -> None:
    """MINDLOOP_LOCK_TIMEOUT that is no number of seconds: exit 2."""
    called = call("canvas", "observe", "--user", "ann", stdin="said", MINDLOOP_LOCK_TIMEOUT=seconds)

    assert (called.code, "MINDLOOP_LOCK_TIMEOUT" in called.err) == (2, True)


# --- the installed command


def _main(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str]:
    monkeypatch.setattr("sys.argv", ["mindloop", *argv])
    monkeypatch.setattr(app, "_speak_utf8", lambda: None)
    with pytest.raises(SystemExit) as left:
        app.main()
    return int(left.value.code or 0), capsys.readouterr().out


def test_the_installed_command_knows_all_commands(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`mindloop` lists them, `mindloop --version` is one line, `mindloop follow-up …` is follow_up.py."""
    code, out = _main(monkeypatch, capsys, "--help")
    version = _main(monkeypatch, capsys, "--version")

    assert code == 0
    assert [name for name in COMMANDS if name.replace("_", "-") not in out] == []
    assert re.fullmatch(r"mindloop \d+\.\d+\.\d+\S*\n", version[1])
    assert _main(monkeypatch, capsys)[0] == 2
    assert _main(monkeypatch, capsys, "follow-up", "--help")[0] == 0
    assert _main(monkeypatch, capsys, "nonsense")[0] == 2


def test_every_command_has_its_file_and_every_file_its_command() -> None:
    """core/scripts holds one executable file a command, and the one that installs what they need."""
    files = {path.stem for path in SCRIPTS.glob("*.py")} - {"setup"}

    assert files == set(COMMANDS)
    assert [path.name for path in SCRIPTS.glob("*.py") if not path.stat().st_mode & 0o111] == []


# --- processes


def test_from_an_empty_folder_to_a_batch_by_commands_alone(tmp_path: Path) -> None:
    """init, observe, begin, drive, doctor: in a folder with spaces and an emoji in its name."""
    home = tmp_path / "my research 🦊 ñ"
    home.mkdir()
    env = {"MINDLOOP_NOW": NOW}
    wallet = "0x" + "ab" * 20

    assert script("init.py", cwd=home, **env).code == 0
    (home / f"grimoires/observer/scores/{wallet}.json").write_text('{"rank": 3, "og_score": 9}')
    argv = ["observe", "--user", "@Zoë 🦊", "--wallet", wallet, "--date", "2026-02-10"]
    assert script("canvas.py", *argv, cwd=home, stdin=b"where is my badge?\n", direct=True, **env).code == 0
    assert script("provenance.py", "verify", cwd=home / "grimoires", **env).code == 0
    begun = script("follow_up.py", "begin", "--json", cwd=home, **env)
    [entry] = begun.json["waiting"]
    packet = script("follow_up.py", "packet", begun.json["run"], "Zoë 🦊", cwd=home, **env)
    driven = script("drive.py", "follow-up", "--host", "rehearsal", "--run", begun.json["run"], cwd=home, **env)
    batch = (home / "grimoires/observer/follow-ups/2026-02-20.md").read_text("utf-8")

    assert entry["user"] == "Zoë 🦊"
    assert b"where is my badge?" in packet.raw
    assert (driven.code, driven.err) == (0, "")
    assert "## Zoë 🦊\n" in batch
    assert '> Anchor quote: "where is my badge?"' in batch
    assert script("growth.py", "show", "Zoë 🦊", cwd=home, **env).code == 0
    assert script("follow_up.py", "status", cwd=home, direct=True, **env).code == 0


def test_a_file_runs_through_python_and_by_itself(tmp_path: Path) -> None:
    """`python3 core/scripts/x.py` and `core/scripts/x.py` say the same."""
    told = [
        script("provenance.py", "hash", cwd=tmp_path, stdin=b"Hello World", direct=direct) for direct in (True, False)
    ]

    assert [one.out[:16] for one in told] == ["b94d27b9934d3e08"] * 2
    assert [one.code for one in told] == [0, 0]


@pytest.mark.parametrize("language", ["C", "POSIX", "xx_XX.nonsense"])
def test_the_locale_does_not_matter(tmp_path: Path, language: str) -> None:
    """Names and quotes go through any locale."""
    SkillWorkspace(tmp_path)
    env = {"LC_ALL": language, "LANG": language, "MINDLOOP_NOW": NOW}
    seen = script("canvas.py", "observe", "--user", "ñandú", cwd=tmp_path, stdin="¿dónde? 🦊".encode(), **env)
    listed = script("canvas.py", "list", cwd=tmp_path, **env)

    assert (seen.code, seen.err) == (0, "")
    assert listed.raw.decode("utf-8").startswith("ñandú: ")


def test_a_reader_that_leaves_early_is_no_error_message(tmp_path: Path) -> None:
    """`canvas.py list --full | head -1`: no trace, nothing on stderr."""
    bench = SkillWorkspace(tmp_path)
    for number in range(40):
        bench.canvas(f"user{number:02}")
    command = f"'{sys.executable}' '{SCRIPTS}/canvas.py' list --full --json | head -c 10"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, timeout=60, check=False)

    assert (done.stdout, done.stderr) == (b'{"version"', b"")


def _in_shell(place: Path, line: str, stdin: bytes = b"said") -> tuple[int, bytes, bytes]:
    """Exit code, stdout and stderr of a shell line in which ``PY`` is a file of core/scripts."""
    command = line.replace("PY ", f"'{sys.executable}' '{SCRIPTS}'/")
    done = subprocess.run(["sh", "-c", command], cwd=place, input=stdin, capture_output=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("PY provenance.py hash >&-", 0),
        ("PY canvas.py list >&-", 0),
        ("PY canvas.py nonsense 2>&-", 2),
        ("PY canvas.py observe --user ann <&-", 2),
        ("PY canvas.py observe --user ann >&- 2>&-", 0),
    ],
)
def test_a_closed_stream_is_no_fault(tmp_path: Path, line: str, code: int) -> None:
    """Cron jobs close streams: the command does its work, and no file gets the stream's number."""
    bench = SkillWorkspace(tmp_path)
    ended, _, err = _in_shell(tmp_path, line)

    assert ended == code
    assert b"Traceback" not in err
    assert b"fault" not in err
    for path in bench.root.rglob("*.md"):
        assert "mindloop: " not in path.read_text("utf-8")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("verb", ["provenance.py hash", "canvas.py list --json", "follow_up.py status"])
def test_a_result_that_cannot_be_printed_is_no_success(tmp_path: Path, verb: str) -> None:
    """A full disk behind stdout: a sentence and exit 2, not a trace and not 0."""
    SkillWorkspace(tmp_path)
    code, _, err = _in_shell(tmp_path, f"PY {verb} >/dev/full")

    assert code == 2
    assert err.startswith(b"mindloop: the result could not be printed: ")
