"""Measures what the project promises about speed, memory and size, as ratios to the same interpreter.

Run with ``make bench``. Every row has a bound; the exit code is 1 where one is not reached. Start-up is the median of
21 interleaved runs of whole processes, launcher included, against ``python -c pass`` of the same venv.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

HERE = Path(__file__).resolve()
ROOT = HERE.parents[2]
sys.path[:0] = [str(ROOT / "core"), str(ROOT)]

from mindloop.store.workspace import Workspace  # noqa: E402 - the path above is how it is found
from tests.helpers.big_export import write_big_export  # noqa: E402 - likewise
from tests.helpers.big_growth import Rows, add_replies, give_growth  # noqa: E402 - likewise
from tests.helpers.big_sequence import big_model, big_scenario, write_exports, write_json  # noqa: E402 - likewise
from tests.helpers.big_workspace import make_big_workspace  # noqa: E402 - likewise
from tests.helpers.judged_calls import calls  # noqa: E402 - likewise
from tests.helpers.peak_memory import peak_told, telling  # noqa: E402 - likewise

if TYPE_CHECKING:
    from tests.helpers.restored import Restored

SCRIPTS = ROOT / "core" / "scripts"
PYTHON = ROOT / ".venv" / "bin" / "python"
BASE_MODEL = ROOT / "core" / "sample" / "grimoires" / "sequences" / "fu-model-m0.json"
LEAN, YAML = 2.2, 4.0
LONGER = {
    "canvas.py ingest, one message": 4.5,
    "growth.py confirm, with a question": 5.0,
    "canvas.py observe --ask": 5.0,
    "canvas.py ingest, with a question": 5.0,
    "cognition.py begin, one user": 5.5,
}
"""Calls that do more than start: they wait for the disk six to eleven times; those that ask read every canvas, so that
no packet can hold another user's; ``cognition.py begin`` runs the score command. Each command has a row of 4.0 too."""
SECONDS, MEGABYTES, GROWTH = 12.0, 400.0, 2.2
MATCH_SECONDS, QUIET_SECONDS = 2.0, 0.5
STOP = "schema_version: 1\nuser: user00005\nstate: stopped\nreason: declined\nsince: 2026-02-01T00:00:00Z\n"
INGEST_SECONDS, INGEST_MEGABYTES, LARGE_SECONDS = 10.0, 200.0, 20.0
SKILL_BYTES, SKILLS_BYTES, BEGIN_BYTES = 4096, 12_288, 2048
CHECK_SECONDS, CHECK_GROWTH, SIMULATE_SECONDS, SIMULATE_MEGABYTES, MEASURE_SECONDS = 1.0, 2.6, 20.0, 500.0, 8.0


class Row:
    """One measured promise."""

    def __init__(self, what: str, measured: float, bound: float, unit: str, note: str = "") -> None:
        self.what, self.measured, self.bound, self.unit, self.note = what, measured, bound, unit, note

    @property
    def kept(self) -> bool:
        """Whether the bound holds."""
        return self.measured <= self.bound


class Usage:
    """What one process took."""

    def __init__(self, seconds: float, code: int) -> None:
        self.seconds, self.code = seconds, code
        self.megabytes = 0.0


def run(argv: list[str], folder: Path, given: bytes = b"", keep: Path | None = None) -> Usage:
    """Run a process to its end, without a shell and without reading what it prints."""
    stdin = folder / ".bench-input"
    stdin.write_bytes(given)
    target = str(keep) if keep else os.devnull
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, str(stdin), os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
    ]
    env = {**os.environ, "MINDLOOP_ROOT": str(folder), "CLAUDE_PROJECT_DIR": str(folder)}
    start = time.perf_counter()
    pid = os.posix_spawn(argv[0], argv, env, file_actions=actions)
    _, status = os.waitpid(pid, 0)
    return Usage(time.perf_counter() - start, os.waitstatus_to_exitcode(status))


def weighed(argv: list[str], folder: Path) -> Usage:
    """Run a file of core/scripts and take down its peak memory too."""
    place = folder / ".bench-peak"
    usage = run(telling(str(PYTHON), place, argv), folder)
    usage.megabytes = peak_told(place)
    return usage


def begin(folder: Path, *flags: str, keep: Path | None = None) -> Usage:
    """Run ``follow_up.py begin``."""
    return run([str(SCRIPTS / "follow_up.py"), "begin", *flags], folder, keep=keep)


def startup(folder: Path, rounds: int) -> list[Row]:
    """Each command's median wall time over the bare interpreter's."""
    begin(folder, keep=folder / "begin.txt")
    name = (folder / "begin.txt").read_text().split()[1].rstrip(";")
    commands = {"python -c pass": ([str(PYTHON), "-c", "pass"], b"", 0.0), **_commands(name, folder)}
    times: dict[str, list[float]] = {what: [] for what in commands}
    for number in range(rounds + 1):
        for what in random.sample(list(commands), len(commands)):
            argv, given, _ = commands[what]
            usage = run(argv, folder, given if isinstance(given, bytes) else given.next())
            if usage.code:
                message = f"{what} ended with {usage.code}"
                raise SystemExit(message)
            if number:
                times[what].append(usage.seconds)
    bare = statistics.median(times.pop("python -c pass"))
    rows = []
    for what, measured in times.items():
        median = statistics.median(measured)
        rows.append(
            Row(what, median / bare, commands[what][2], "x bare", f"{median * 1000:.1f} ms of {bare * 1000:.1f}")
        )
    return rows


class Answers:
    """The event behind a call of ours, with another answer each time, so that each is really filed."""

    def __init__(self, event: dict[str, str], reference: str, prompt: str) -> None:
        self.event = {**event, "hook_event_name": "PostToolUse"}
        self.call = {"description": reference, "prompt": prompt, "subagent_type": "follow-up-writer"}
        self.count = 0

    def next(self) -> bytes:
        """The next event."""
        self.count += 1
        content = [{"type": "text", "text": json.dumps({"answer": self.count})}]
        response = {"content": content, "status": "completed", "agentId": "a1"}
        return json.dumps({**self.event, "tool_input": self.call, "tool_response": response}).encode()


class Before:
    """Puts a user's stop file into one state before each run, so that each run has the same to do."""

    def __init__(self, folder: Path, user: str, text: str) -> None:
        self.path = folder / "grimoires" / "observer" / "stops" / f"{user}.yaml"
        self.text = text

    def next(self) -> bytes:
        """Nothing on standard input."""
        self.path.parent.mkdir(exist_ok=True)
        self.path.write_text(self.text) if self.text else self.path.unlink(missing_ok=True)
        return b""


def run_packet(run_name: str, folder: Path) -> str:
    """The packet that the answer hook compares its call with."""
    from mindloop.protocol.run_files import read_packet
    from mindloop.store.workspace import Workspace

    return read_packet(Workspace(str(folder)), run_name, "user00003").decode()


def _commands(run_name: str, folder: Path) -> dict[str, tuple[list[str], bytes | Answers | Before | Restored, float]]:
    def script(name: str, *arguments: str) -> list[str]:
        return [str(SCRIPTS / name), *arguments]

    event = {"session_id": "s", "cwd": str(folder), "tool_name": "Agent", "tool_use_id": "t"}
    reference = f"packet:{run_name}/user00003"
    call = {"description": "one user", "prompt": reference, "subagent_type": "follow-up-writer"}
    other = {**event, "tool_input": {"description": "x", "prompt": "look around", "subagent_type": "Explore"}}
    pre = {**event, "hook_event_name": "PreToolUse", "tool_input": call}
    prompt = run_packet(run_name, folder)
    packet, filed = "hooks/packet.py", "hooks/answer.py"
    workspace = Workspace(str(folder))
    return {
        "provenance.py hash": (script("provenance.py", "hash"), b"og score feels low", LEAN),
        "follow_up.py status": (script("follow_up.py", "status"), b"", LEAN),
        "follow_up.py status RUN": (script("follow_up.py", "status", run_name), b"", LEAN),
        "packet hook, another's call": (script(packet), json.dumps(other).encode(), LEAN),
        "packet hook, our call": (script(packet), json.dumps(pre).encode(), LEAN),
        "answer hook, another's call": (script(filed), json.dumps(other).encode(), LEAN),
        "answer hook, our call": (script(filed), Answers(event, reference, prompt), LEAN),
        "cognition.py show": (script("cognition.py", "show", "user00002"), b"", YAML),
        "cognition.py begin, nothing to ask": (script("cognition.py", "begin", "--user", "user00002"), b"", YAML),
        "fu_conformance.py check": (script("fu_conformance.py", str(BASE_MODEL)), b"", YAML),
        "growth.py show": (script("growth.py", "show", "user00001"), b"", YAML),
        "growth.py report": (script("growth.py", "report"), b"", YAML),
        **{
            what: (script(name, *argv), given, _bound(what))
            for what, (name, argv, given) in {
                **Rows(workspace, folder, 6, 7).calls,
                **calls(workspace, folder),
            }.items()
        },
        "growth.py stop": (script("growth.py", "stop", "user00004", "declined"), Before(folder, "user00004", ""), YAML),
        "growth.py resume": (script("growth.py", "resume", "user00005"), Before(folder, "user00005", STOP), YAML),
        "canvas.py list": (script("canvas.py", "list"), b"", YAML),
        "canvas.py show": (script("canvas.py", "show", "user00002"), b"", YAML),
        "chronicle.py query": (script("chronicle.py", "query", "--around", "2026-01-20"), b"", YAML),
        "provenance.py verify": (script("provenance.py", "verify", "--user", "user00002"), b"", YAML),
    }


def _bound(what: str) -> float:
    if what.endswith(" packet"):
        return LEAN
    return LONGER.get(what, YAML)


def scale(folder: Path, pairs: int) -> list[Row]:
    """``begin`` over 1,000 and 2,000 canvases in turn, so that a machine that slows down slows both."""
    small, large = folder / "small", folder / "large"
    make_big_workspace(str(small), 1_000, 50_000)
    make_big_workspace(str(large), 2_000, 100_000)
    argv = [str(SCRIPTS / "follow_up.py"), "begin"]
    measured = [(weighed(argv, small), weighed(argv, large)) for _ in range(pairs)]
    seconds = statistics.median(usage.seconds for _, usage in measured)
    growth = statistics.median(two.seconds / one.seconds for one, two in measured)
    memory = max(usage.megabytes for _, usage in measured)
    return [
        Row("begin, 2,000 canvases, 100,000 records", seconds, SECONDS, "s"),
        Row("begin, peak memory", memory, MEGABYTES, "MB"),
        Row("begin, 2,000 over 1,000 canvases", growth, GROWTH, "x"),
    ]


def matching(folder: Path, rounds: int) -> list[Row]:
    """``match --all`` where each of 500 users has growth and said something new, and where nobody said anything."""
    users = range(500)
    workspace = make_big_workspace(str(folder), 500, 25_000)
    give_growth(workspace, users)
    argv, told, quiet = [str(SCRIPTS / "growth.py"), "match", "--all"], [], []
    for number in range(rounds):
        add_replies(workspace, users, f"round {number}")
        told.append(run(argv, folder).seconds)
        quiet.append(run(argv, folder).seconds)
    return [
        Row("match --all, 500 users with a new reply", statistics.median(told), MATCH_SECONDS, "s"),
        Row("match --all, 500 users, nothing new", statistics.median(quiet), QUIET_SECONDS, "s"),
    ]


def ingesting(folder: Path) -> list[Row]:
    """``canvas.py ingest`` of 100,000 messages of one user, once and again, and of 200 MB that two people wrote."""
    from mindloop.skills.setup import make

    exports = {"many": folder / "many.json", "large": folder / "large.json"}
    folder.mkdir()
    write_big_export(exports["many"], 100_000, padding=100)
    size = write_big_export(exports["large"], 120_000, shared=True, padding=1_300) / 1e6
    taken = []
    for place, export in (("a", "many"), ("a", "many"), ("b", "large")):
        make(Workspace(str(folder / place)))
        argv = [str(SCRIPTS / "canvas.py"), "ingest", str(exports[export]), "--user", "bob"]
        taken.append(weighed(argv, folder / place))
        if taken[-1].code:
            message = f"ingest ended with {taken[-1].code}"
            raise SystemExit(message)
    first, again, large = taken
    return [
        Row("ingest, 100,000 messages", first.seconds, INGEST_SECONDS, "s"),
        Row("ingest, 100,000 messages again", again.seconds, INGEST_SECONDS, "s"),
        Row("ingest, peak memory", max(first.megabytes, again.megabytes), INGEST_MEGABYTES, "MB"),
        Row(f"ingest, {size:.0f} MB", large.seconds, LARGE_SECONDS, "s"),
        Row(f"ingest, {size:.0f} MB, peak memory", large.megabytes, INGEST_MEGABYTES, "MB"),
    ]


def sequencing(folder: Path, pairs: int) -> list[Row]:
    """Sequences: the check of a large one and of half of it, a week of 10,000 leads, a million messages."""
    folder.mkdir()
    script = str(SCRIPTS / "fu_conformance.py")
    sizes = {500: folder / "large.json", 250: folder / "half.json"}
    for size, path in sizes.items():
        write_json(path, big_model(60, size, 20))
    checks = {profile: [] for profile in ("doctrine", "strict")}
    for _ in range(pairs):
        for profile, taken in checks.items():
            taken.append(
                [_passed([script, "check", str(path), "--profile", profile], folder) for path in sizes.values()]
            )
    model = big_model(6, 14, 6)
    small = write_json(folder / "small.json", model)
    week = write_json(folder / "week.json", big_scenario(model, 10_000, 7 * 1440))
    simulated = _passed([script, "simulate", small, week, "--json"], folder)
    messages, history = write_exports(folder, model, 1_000_000)
    measured = _passed([script, "measure", small, messages, "--stamps", history], folder)
    rows = []
    for profile, taken in checks.items():
        seconds = statistics.median(large.seconds for large, _ in taken)
        growth = statistics.median(large.seconds / half.seconds for large, half in taken)
        what = f"check, 60 stages, 500 follow-ups, {profile}"
        rows += [Row(what, seconds, CHECK_SECONDS, "s"), Row(f"{what}, over 250", growth, CHECK_GROWTH, "x")]
    return [
        *rows,
        Row("simulate, 10,000 leads, 7 days", simulated.seconds, SIMULATE_SECONDS, "s"),
        Row("simulate, peak memory", simulated.megabytes, SIMULATE_MEGABYTES, "MB"),
        Row("measure, 1,000,000 messages", measured.seconds, MEASURE_SECONDS, "s"),
    ]


def _passed(argv: list[str], folder: Path) -> Usage:
    usage = weighed(argv, folder)
    if usage.code:
        message = f"{' '.join(argv[:2])} ended with {usage.code}"
        raise SystemExit(message)
    return usage


def sizes(folder: Path) -> list[Row]:
    """What a model has to read."""
    pages = {page.parent.name: page.stat().st_size for page in (ROOT / ".claude" / "skills").glob("*/SKILL.md")}
    begin(folder, keep=folder / "begin.txt")
    research = sum(size for name, size in pages.items() if name != "follow-up-sequences")
    return [
        Row("the follow-up skill", pages["follow-up"], SKILL_BYTES, "bytes"),
        Row("all skills of user research", research, SKILLS_BYTES, "bytes"),
        Row("begin for 12 users", (folder / "begin.txt").stat().st_size, BEGIN_BYTES, "bytes"),
    ]


def show(rows: list[Row]) -> None:
    """Print the table."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"Python {sys.version.split()[0]}, {os.cpu_count()} processors")
    for name in ("what", "measured", "bound", "", "note"):
        table.add_column(name, justify="right" if name in {"measured", "bound"} else "left")
    for row in rows:
        mark = "kept" if row.kept else "NOT KEPT"
        table.add_row(row.what, f"{row.measured:,.2f}", f"{row.bound:,.2f} {row.unit}", mark, row.note)
    Console(width=120).print(table)


def main() -> int:
    """Measure everything; 1 where a bound is not reached."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=21, help="start-up runs of each command (21)")
    options.add_argument("--pairs", type=int, default=3, help="pairs of large begins (3)")
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        twelve = Path(folder) / "twelve"
        workspace = make_big_workspace(str(twelve), 12, 240)
        _give_growth(workspace)
        _give_cognition(workspace)
        rows = startup(twelve, chosen.rounds) + scale(Path(folder), chosen.pairs) + sizes(twelve)
        rows += matching(Path(folder) / "matching", chosen.pairs)
        rows += ingesting(Path(folder) / "ingesting")
        rows += sequencing(Path(folder) / "sequencing", chosen.pairs)
    if chosen.json:
        print(json.dumps([{**vars(row), "kept": row.kept} for row in rows]))
    else:
        show(rows)
    return 0 if all(row.kept for row in rows) else 1


def _give_growth(workspace: object) -> None:
    """Let one user have a growth state, as the drive of a first batch leaves it."""
    from mindloop.hosts.rehearsal import RehearsalHost
    from mindloop.skills.follow_up.drive import drive
    from mindloop.store.clock import now

    drive(workspace, RehearsalHost(), now(), {"canvas": "user00001"})


def _give_cognition(workspace: Any) -> None:
    """Let one user have a sidecar, as a distiller's answer leaves it."""
    from mindloop.protocol.run_files import read_item
    from mindloop.skills.judged import answer_now
    from mindloop.skills.think.begin import begin
    from mindloop.skills.think.judging import JUDGING
    from mindloop.store.clock import now

    place = begin(workspace, now(), user="user00002").place
    assert place is not None
    raw = str(read_item(workspace, place, "user00002")["default"])
    answer_now(workspace, JUDGING, place.run, "user00002", raw, host="bench", now=now())


if __name__ == "__main__":
    raise SystemExit(main())
