"""What a command imports is what a person waits for: each command against the list of what it may import.

A list names modules; what those pull in themselves is found out by importing them in a bare interpreter, so that the
lists hold for every version of Python.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from typing import TYPE_CHECKING

import pytest

from mindloop.observer.canonical import content_hash
from mindloop.observer.growth.proposals import match_id
from mindloop.protocol.run_files import file_answer
from mindloop.skills.grow.confirm import confirm
from mindloop.skills.grow.match import match_text
from mindloop.skills.ingest_dm.ingest import Wanted, ingest
from tests.helpers import growing
from tests.helpers.command_line import REPOSITORY, SCRIPTS
from tests.helpers.direct_messages import opened, said
from tests.helpers.skill_workspace import NOW, SkillWorkspace, at
from tests.helpers.thinking import ThinkWorkspace

if TYPE_CHECKING:
    from pathlib import Path

# Runs a file of core/scripts as the interpreter would, and writes what was imported where argv[1] says.
PROBE = """
import os, sys
place, path = sys.argv[1:3]
sys.argv = sys.argv[2:]
leave = os._exit

def tell(code):
    with open(place, "w") as file:
        file.write("\\n".join(sys.modules))
    leave(code)

os._exit = tell
sys.path.insert(0, os.path.dirname(path))
with open(path, encoding="utf-8") as file:
    exec(compile(file.read(), path, "exec"), {"__name__": "__main__", "__file__": path})
"""

HASH = ["__future__", "gc", "unicodedata"]
HOOK = ["__future__", "json"]
HOOK_AT_WORK = [*HOOK, "fcntl", "errno", "zlib"]
STATUS = [*HOOK, "gc", "errno"]
PLAIN = [*HOOK_AT_WORK, "gc", "importlib", "argparse", "gettext", "unicodedata"]
YAML = [*PLAIN, "yaml", "yaml.cyaml", "datetime"]
SKILL = [*YAML, "hashlib", "bisect"]
SCORING = [*SKILL, "subprocess", "contextlib"]

NEVER = frozenset(
    {
        "typing",
        "dataclasses",
        "pathlib",
        "logging",
        "tempfile",
        "uuid",
        "inspect",
        "shutil",
        "asyncio",
        "jsonschema",
        "portalocker",
        "rich",
        "frontmatter",
    }
)
"""Not even where a list's own modules would bring them along."""

RUN = "follow-up-2026-02-20-001"
THINK = "think-2026-02-20-001"
INGEST = "ingest-dm-2026-02-20-001"
GROW = "grow-2026-02-20-001"
SENT = "fu-2026-02-15-ann-1-1"
ANN = match_id(content_hash("hm"), SENT)
BOB = match_id(content_hash("oh"), "fu-2026-02-15-bob-1-1")
DAN = match_id(content_hash("ah"), "fu-2026-02-15-dan-1-1")
ANSWERED = [
    ("canvas.py", "ingest-dm-2026-02-20-002", "bob", ["cli", "store", "protocol", "observer", "skills"]),
    ("cognition.py", THINK, "cem", ["cli", "store", "protocol", "observer", "skills"]),
    ("growth.py", "grow-2026-02-20-002", DAN, ["cli", "store", "protocol", "observer", "skills"]),
]
MODELS = REPOSITORY / "core/sample/grimoires/sequences"
SCHOOL = [str(MODELS / "fu-model-language-school.json"), str(MODELS / "fu-scenario-language-school.json")]
SEQUENCE = [*PLAIN, "datetime", "zoneinfo", "bisect", "heapq", "difflib", "encodings.utf_8_sig"]
WHERE = ["cli", "store", "sequence"]
COMMANDS = [
    ("provenance.py", ["hash"], HASH, ["cli", "store", "observer.canonical"]),
    ("follow_up.py", ["status"], STATUS, ["cli", "store", "protocol"]),
    ("follow_up.py", ["status", RUN, "--json"], STATUS, ["cli", "store", "protocol"]),
    ("follow_up.py", ["packet", RUN, "ann"], PLAIN, ["cli", "store", "protocol", "observer.names"]),
    ("follow_up.py", ["answer", RUN, "ann"], PLAIN, ["cli", "store", "protocol", "observer.names"]),
    ("follow_up.py", ["begin"], SCORING, ["cli", "store", "protocol", "observer", "skills", "hosts"]),
    ("follow_up.py", ["resume", RUN], SKILL, ["cli", "store", "protocol", "observer", "skills"]),
    ("canvas.py", ["list"], YAML, ["cli", "store", "observer"]),
    ("canvas.py", ["show", "ann"], YAML, ["cli", "store", "observer"]),
    ("canvas.py", ["observe", "--user", "kim"], YAML, ["cli", "store", "observer"]),
    (
        "canvas.py",
        ["observe", "--ask", "--user", "ann"],
        SKILL,
        ["cli", "store", "protocol", "observer", "skills.ingest_dm"],
    ),
    ("canvas.py", ["ingest", "dm.json", "--user", "mia"], SKILL, ["cli", "store", "protocol", "observer", "skills"]),
    ("canvas.py", ["packet", INGEST, "ann"], PLAIN, ["cli", "store", "protocol", "observer.names"]),
    ("canvas.py", ["resume", INGEST], SKILL, ["cli", "store", "protocol", "observer", "skills"]),
    ("provenance.py", ["verify"], YAML, ["cli", "store", "observer"]),
    ("provenance.py", ["ingest", "--user", "lee", "--source-type", "manual_quote"], YAML, ["cli", "store", "observer"]),
    ("chronicle.py", ["query", "--around", "2026-02-01"], YAML, ["cli", "store", "observer"]),
    ("cognition.py", ["packet", THINK, "ann"], PLAIN, ["cli", "store", "protocol", "observer.names"]),
    ("cognition.py", ["show", "ann"], [*YAML, "hashlib"], ["cli", "store", "protocol", "observer", "skills.think"]),
    ("cognition.py", ["begin", "--user", "bob"], SCORING, ["cli", "store", "protocol", "observer", "skills", "hosts"]),
    ("cognition.py", ["resume", THINK], SKILL, ["cli", "store", "protocol", "observer", "skills"]),
    ("growth.py", ["show", "ann"], [*YAML, "hashlib"], ["cli", "store", "observer"]),
    (
        "growth.py",
        ["sent", "ann", SENT, "--thread", "dm"],
        [*YAML, "hashlib"],
        ["cli", "store", "observer", "skills.grow"],
    ),
    ("growth.py", ["match", "--all"], [*YAML, "hashlib"], ["cli", "store", "observer", "skills.grow"]),
    ("growth.py", ["list", "ann"], [*YAML, "hashlib"], ["cli", "store", "observer", "skills.grow"]),
    ("growth.py", ["confirm", "ann", "--preselected"], SKILL, ["cli", "store", "protocol", "observer", "skills"]),
    ("growth.py", ["reject", "ann", ANN], [*YAML, "hashlib"], ["cli", "store", "observer", "skills.grow"]),
    ("growth.py", ["packet", GROW, BOB], PLAIN, ["cli", "store", "protocol", "observer.names"]),
    ("growth.py", ["learn", GROW], SKILL, ["cli", "store", "protocol", "observer", "skills"]),
    ("growth.py", ["report"], [*YAML, "hashlib"], ["cli", "store", "observer"]),
    ("growth.py", ["stop", "ann", "declined"], YAML, ["cli", "store", "observer"]),
    ("growth.py", ["resume", "pat"], YAML, ["cli", "store", "observer"]),
    ("hooks/packet.py", [], HOOK, ["cli", "store"]),
    ("hooks/answer.py", [], HOOK, ["cli", "store"]),
    ("fu_conformance.py", ["check", SCHOOL[0]], SEQUENCE, WHERE),
    ("fu_conformance.py", ["simulate", *SCHOOL], SEQUENCE, WHERE),
    (
        "fu_conformance.py",
        ["explain", *SCHOOL, "--lead", "lead-1", "--follow-up", "plan_60"],
        SEQUENCE,
        WHERE,
    ),
    ("fu_conformance.py", ["patch", SCHOOL[0]], SEQUENCE, WHERE),
    ("fu_conformance.py", ["diff", SCHOOL[0], SCHOOL[0]], SEQUENCE, WHERE),
    ("fu_conformance.py", ["matrix", SCHOOL[0]], SEQUENCE, WHERE),
    ("fu_conformance.py", ["prove", SCHOOL[0]], [*SEQUENCE, "copy"], WHERE),
    ("fu_conformance.py", ["measure", SCHOOL[0], "messages.csv"], [*SEQUENCE, "csv", "array", "contextlib"], WHERE),
]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with a run in which everybody has a packet."""
    root = tmp_path_factory.mktemp("budget")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _descriptor: None)
        bench = SkillWorkspace(root)
        bench.release("CHRON-1", "2026-02-01", "v2.0.0")
        stop = "schema_version: 1\nuser: pat\nstate: stopped\nreason: declined\nsince: 2026-02-01T00:00:00Z\n"
        bench.write("grimoires/observer/stops/pat.yaml", stop)
        bench.write("messages.csv", "lead,workflow,t,status\nl1,welcome_30,5,OK\n")
        for user in ("ann", "bob", "dan"):
            bench.observe(user, f"{user} said this")
        bench.full_run(now="2026-02-15T09:00:00Z")
        for user in ("ann", "bob"):
            bench.observe(user, f"{user} said more", now="2026-02-16T09:00:00Z")
        bench.default_answers(bench.begin(now=NOW).place.run, "bob")  # resume finds work, whichever test comes first
        _grow(bench)
        _think(bench)
        _ingest(bench)
    return root


def _grow(bench: SkillWorkspace) -> None:
    """One user has replies to confirm and to reject; another's is confirmed, and a judge's answer is filed."""
    token = growing.sent(bench, "ann")["token"]
    for user, text in (("ann", "hm"), ("ann", f"yes [FU:{token}]"), ("bob", "oh"), ("dan", "ah")):
        match_text(bench.ws, user, text, at(NOW), date="2026-02-16T10:00:00Z")
    assert confirm(bench.ws, "bob", [BOB], at(NOW)).run == GROW
    default = str(bench.item(GROW, BOB)["default"])
    file_answer(bench.ws, GROW, BOB, default, "claude-code")
    assert confirm(bench.ws, "dan", [DAN], at(NOW)).run == "grow-2026-02-20-002"


def _ingest(bench: SkillWorkspace) -> None:
    """An export of a new user, and a run about another's whose answer is filed."""
    bench.write("dm.json", said("it broke", author=("1", "mia", "Mia")))
    export = opened(said("it broke twice", author=("2", "ann", "Ann")))
    made = ingest(bench.ws, export, "dm.json", Wanted("ann"), at(NOW))
    assert made.run == INGEST
    bench.default_answers(INGEST, "ann")
    ingest(bench.ws, opened(said("it broke again", author=("3", "bob", "Bob"))), "dm.json", Wanted("bob"), at(NOW))


def _think(bench: SkillWorkspace) -> None:
    """A run of /think in which one user is through, one is answered and one waits."""
    thinking = ThinkWorkspace.over(bench.root)
    bench.observe("cem", "cem said this")
    thinking.think()
    for user in ("ann", "bob"):
        raw = str(bench.item(THINK, user)["default"])
        if user == "ann":
            thinking.answer_now(THINK, user, raw)
        else:
            thinking.file_as(THINK, user, raw)


def imported(place: Path, name: str, argv: list[str], stdin: bytes) -> set[str]:
    """The modules that a script has imported when it leaves."""
    told = place / "imported.txt"
    told.unlink(missing_ok=True)
    command = [sys.executable, "-c", PROBE, str(told), str(SCRIPTS / name), *argv]
    env = {"PATH": "/usr/bin:/bin", "HOME": str(place), "MINDLOOP_ROOT": str(place), "MINDLOOP_NOW": NOW}
    done = subprocess.run(command, cwd=place, input=stdin, capture_output=True, env=env, timeout=60, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr == b""
    return set(told.read_text().split("\n"))


@cache
def brought_along(modules: tuple[str, ...]) -> frozenset[str]:
    """Everything that a bare interpreter holds once these are imported."""
    code = f"import sys, {', '.join(modules)}\nprint(*sys.modules)" if modules else "import sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    return frozenset(done.stdout.split())


def excess(found: set[str], allowed: list[str], packages: list[str]) -> list[str]:
    """What is neither on the list nor cheap: built-in and C helper modules (``_json``) cost nothing."""
    bare = brought_along(())
    known = brought_along(tuple(allowed)) - (NEVER - bare)
    ours = tuple(f"mindloop.{package}" for package in packages)
    parents = {".".join(name.split(".")[:count]) for name in ours for count in (1, 2)}
    wrong = []
    for name in found - known:
        if name in parents or name.startswith(ours):
            continue
        if name.startswith("_") and name not in {"_hashlib", "_ssl", "_socket", "_ctypes", "_posixsubprocess"}:
            continue
        wrong.append(name)
    return sorted(wrong)


@pytest.mark.parametrize(
    ("name", "argv", "allowed", "packages"), COMMANDS, ids=[" ".join([name, *argv[:1]]) for name, argv, *_ in COMMANDS]
)
def test_a_command_imports_what_it_may(
    place: Path, name: str, argv: list[str], allowed: list[str], packages: list[str]
) -> None:
    """Nothing beyond its list: no library, no layer of ours that it does not use."""
    stdin = json.dumps({"tool_name": "Bash"}).encode() if name.startswith("hooks/") else b"text"

    assert excess(imported(place, name, argv, stdin), allowed, packages) == []


@pytest.mark.parametrize(("name", "run", "item", "packages"), ANSWERED, ids=[name for name, *_ in ANSWERED])
def test_taking_an_answer_imports_what_it_may(place: Path, name: str, run: str, item: str, packages: list[str]) -> None:
    """Nothing of how the question was made is loaded to take its answer."""
    asked = json.loads((place / f"agents/researcher/session/runs/{run}/{item}.json").read_text("utf-8"))
    found = imported(place, name, ["answer", run, item], asked["default"].encode())

    assert excess(found, SKILL, packages) == []
    assert not {"mindloop.observer.prompt_text", "mindloop.observer.packet.others"} & found


@pytest.mark.parametrize("name", ["hooks/packet.py", "hooks/answer.py"])
def test_a_hook_at_work_stays_light(place: Path, name: str) -> None:
    """Where the call is the writer's, the hook reads or files, and still parses no YAML and loads no OpenSSL."""
    packet = (place / f"agents/researcher/session/runs/{RUN}/bob.json").read_text("utf-8")
    asked = {"subagent_type": "follow-up-writer", "prompt": f"packet:{RUN}/bob", "description": "x"}
    event = {"tool_name": "Agent", "cwd": str(place), "tool_input": asked}
    if "answer" in name:
        asked |= {"description": f"packet:{RUN}/bob", "prompt": json.loads(packet)["prompt"]}
        content = [{"type": "text", "text": "{}"}]
        event["tool_response"] = {"status": "completed", "content": content, "usage": {"output_tokens": 1}}
    found = imported(place, name, [], json.dumps(event).encode())

    assert excess(found, HOOK_AT_WORK, ["cli", "store", "protocol"]) == []
    assert "mindloop.protocol.run_files" in found


def test_the_probe_sees_what_is_imported(place: Path) -> None:
    """The test itself tells a slow command from a quick one."""
    found = imported(place, "canvas.py", ["list"], b"")

    assert "yaml" in excess(found, PLAIN, ["cli", "store", "observer"])
    assert any(name.startswith("mindloop.observer") for name in excess(found, YAML, ["cli", "store"]))
