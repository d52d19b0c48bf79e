"""The doctor command: what it says of a whole workspace, and that it leaves no trace."""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
from typing import TYPE_CHECKING

import pytest

import mindloop
from mindloop.cli.doctor_rules import RULES, examine
from mindloop.store.checkup import Examined, Finding, Look
from mindloop.store.clock import parse_instant
from tests.helpers.doctoring import (
    CANVASES,
    CHRONICLE_INDEX,
    FOLLOW_UPS,
    GROWTH,
    INDEX,
    RUNS,
    Doctor,
    footprint,
    sample_workspace,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FLAWS = [
    ("canvas", f"{CANVASES}/sable-smoke-canvas.md", None),
    ("quotes", f"{CANVASES}/brinepot-canvas.md", 62),
]
"""What is wrong with the sample, on purpose."""


@pytest.fixture
def doctor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Doctor:
    return Doctor(sample_workspace(tmp_path / "a workspace ü"), monkeypatch, capsys)


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Doctor:
    return Doctor(sample_workspace(tmp_path / "empty", sample=False), monkeypatch, capsys)


def test_the_sample_has_exactly_its_intended_flaws(doctor: Doctor) -> None:
    """On the sample doctor reports the unusable canvas and the drifted quote, nothing else, and ends with 1."""
    assert doctor.new([]) == FLAWS
    assert doctor.say()[0] == 1


def test_the_drifted_quote_comes_with_its_cause(doctor: Doctor) -> None:
    """A quote that no longer fits its hash is reported with what an editor did to it."""
    assert "typographic drift" in doctor.findings()[1]["what"]


def test_a_new_workspace_has_nothing_wrong(empty: Doctor) -> None:
    """A workspace fresh from init is in order: exit 0."""
    code, out, err = empty.say()
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == "nothing is wrong (1 note)"


def test_without_a_workspace_it_ends_with_2(tmp_path: Path, empty: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no workspace there is nothing to look at."""
    monkeypatch.setenv("MINDLOOP_ROOT", str(tmp_path))
    code, out, err = empty.say()
    assert (code, out) == (2, "")
    assert "there is no mindloop.yaml in it" in err


@pytest.mark.parametrize("argv", [[], ["--json"], ["--full"], ["--fix"], ["--fix", "--json"]])
def test_a_look_leaves_no_trace(doctor: Doctor, argv: list[str]) -> None:
    """Without --yes, in a pipe, every byte, time and folder is as before, whatever is pending or broken."""
    (doctor.root / INDEX).write_bytes((doctor.root / INDEX).read_bytes() + b'{"torn')
    (doctor.root / ".mindloop/journal/research~999999999-1.tmp").write_bytes(b"{")
    (doctor.root / f"{CANVASES}/.x-canvas.md.tmp").write_bytes(b"half")
    (doctor.root / CHRONICLE_INDEX).unlink()
    before = footprint(doctor.root)
    assert doctor.say(*argv)[0] == 1
    assert footprint(doctor.root) == before


def test_it_prints_at_most_2_kb_unless_asked(doctor: Doctor) -> None:
    """However many findings there are, the text is short; --full shows them all."""
    path = doctor.root / INDEX
    path.write_bytes(path.read_bytes() + b"garbage \xff\n" * 3000)
    short, full = doctor.say()[1], doctor.say("--full")[1]
    assert len(short.encode()) <= 2048
    assert "more: --full shows all" in short
    assert full.count("'utf-8' codec can't decode") == 3000


def test_json_names_rule_place_and_repair(doctor: Doctor) -> None:
    """A program is told what each finding is, where, and what would mend it."""
    (doctor.root / CHRONICLE_INDEX).write_bytes(b"")
    assert doctor.findings("warning") == [
        {
            "rule": "chronicle-index",
            "severity": "warning",
            "path": CHRONICLE_INDEX,
            "line": None,
            "what": "the index is not what the entries give",
            "fix": "rebuild the chronicle index",
        }
    ]


def test_yes_without_fix_is_a_wrong_call(doctor: Doctor) -> None:
    """--yes alone would promise something that does not happen."""
    assert doctor.say("--yes")[0] == 2


def test_a_rule_that_breaks_hides_nothing(doctor: Doctor) -> None:
    """A fault in one rule is a finding of its own, and the others still speak."""

    def broken(_look: Look) -> Iterator[Finding]:
        raise KeyError("oops")
        yield

    now = parse_instant("2026-02-20")
    assert now is not None
    told = examine(Look(Examined(str(doctor.root)), now), (("broken", broken), *RULES))
    assert "the rule 'broken' itself failed (KeyError: 'oops')" in told[0].finding.what
    assert {one.rule for one in told} > {"broken", "canvas", "quotes"}


def test_every_check_of_every_module_is_a_row() -> None:
    """A rule is one function and one row: no check is forgotten, none runs twice."""
    found = [one.name for one in pkgutil.walk_packages(mindloop.__path__, "mindloop.") if "checks" in one.name]
    modules = [importlib.import_module(name) for name in found]
    written = {f"{one.__name__}.{name}" for one in modules for name in vars(one) if name.startswith("check_")}
    rows = [f"{check.__module__}.{check.__name__}" for _, check in RULES]
    assert sorted(rows) == sorted(written)
    assert len({name for name, _ in RULES}) == len(RULES)


# --- the gallery of broken files --------------------------------------------------------------------------------------

CONTENTS = {
    "empty": b"",
    "nul": b"\0" * 4096,
    "binary": bytes(range(256)) * 20,
    "merge": b"<<<<<<< HEAD\nuser: a\n=======\nuser: b\n>>>>>>> other\n",
    "bomb": b"---\na: &a [x, x]\nb: [*a, *a]\n---\n",
    "deep": b"[" * 50_000,
    "surrogate": b'{"a": "\\ud83d"}\n',
    "number": b"17",
    "newer": b'{"schema": 9, "schema_version": 9}',
}
TARGETS = {
    "settings": "mindloop.yaml",
    "index": INDEX,
    "chronicle index": CHRONICLE_INDEX,
    "entry": "grimoires/mining/chronicle/2026/v2.1.0-seasons.md",
    "canvas": f"{CANVASES}/mossgate-canvas.md",
    "growth": f"{GROWTH}/mossgate.yaml",
    "matches": f"{GROWTH}/mossgate.proposed_matches.yaml",
    "cognition": "grimoires/observer/cognition/mossgate.yaml",
    "batch": f"{FOLLOW_UPS}/2026-02-12.md",
    "head": f"{RUNS}/follow-up-20260220-001.json",
    "packet": f"{RUNS}/follow-up-20260220-001/mossgate.json",
    "answer": f"{RUNS}/follow-up-20260220-001/answers/mossgate.json",
    "score": "grimoires/observer/scores/0x2725bec71acd9c72844113ff77693ac6605a4077.json",
    "intent": ".mindloop/journal/research~999999999-1.tmp",
    "journal": ".mindloop/journal/research~999999999-1.json",
}
QUIET = {
    ("settings", "empty"),  # the defaults hold
    ("index", "empty"),
    ("entry", "empty"),  # a note that is no release
    ("entry", "nul"),
    ("entry", "merge"),
    ("entry", "surrogate"),
    ("entry", "number"),
    ("entry", "newer"),
    ("entry", "deep"),
    ("score", "surrogate"),  # an object of unknown keys
    ("score", "newer"),
}
"""What means something harmless."""


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("target", TARGETS)
def test_any_file_may_hold_anything(doctor: Doctor, target: str, content: str) -> None:
    """Doctor reads whatever is in a file, names the file, and changes nothing."""
    path = doctor.root / TARGETS[target]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(CONTENTS[content])
    before = footprint(doctor.root)
    found = doctor.findings()
    assert footprint(doctor.root) == before
    assert not [one for one in found if "itself failed" in one["what"]]
    fresh = [one for one in found if (one["rule"], one["path"], one["line"]) not in FLAWS]
    if (target, content) not in QUIET:
        assert any(one["path"] and TARGETS[target].startswith(one["path"]) for one in fresh), fresh


@pytest.mark.parametrize("target", [name for name in TARGETS if name != "settings"])
def test_a_folder_in_the_place_of_a_file(doctor: Doctor, target: str) -> None:
    """What cannot be opened at all is a finding too."""
    path = doctor.root / TARGETS[target]
    path.unlink(missing_ok=True)
    path.mkdir(parents=True)
    assert TARGETS[target] in [one["path"] for one in doctor.findings()]


@pytest.mark.parametrize("folder", [CANVASES, GROWTH, FOLLOW_UPS, "grimoires/mining/chronicle", ".mindloop/journal"])
def test_a_file_in_the_place_of_a_folder(doctor: Doctor, folder: str) -> None:
    """Folders that are files end no look."""
    path = doctor.root / folder
    path.rename(doctor.root / "aside")
    path.write_text("a file", encoding="utf-8")
    code, _out, err = doctor.say()
    assert (code, err) == (1, "")


def test_links_that_lead_nowhere(doctor: Doctor) -> None:
    """A link in a circle, a link to nothing and a pipe are named; nobody waits for them."""
    folder = doctor.root / CANVASES
    (folder / "loop-canvas.md").symlink_to("loop-canvas.md")
    (folder / "gone-canvas.md").symlink_to("nowhere")
    (folder / "round").symlink_to(".")
    os.mkfifo(folder / "pipe-canvas.md")
    assert [place for place in doctor.new([]) if place[0] == "kinds"] == [
        ("kinds", f"{CANVASES}/gone-canvas.md", None),
        ("kinds", f"{CANVASES}/loop-canvas.md", None),
        ("kinds", f"{CANVASES}/pipe-canvas.md", None),
    ]


def test_a_canvas_of_50_mb_is_not_read(doctor: Doctor) -> None:
    """Its size is enough to refuse it."""
    with open(doctor.root / CANVASES / "mossgate-canvas.md", "r+b") as file:
        file.truncate(50_000_000)
    assert "50000000 bytes, at most 4000000 are read" in doctor.findings()[0]["what"]


def test_a_newer_workspace_is_looked_at_with_the_defaults(doctor: Doctor) -> None:
    """Even a mindloop.yaml of a later version ends no look: it is the first finding."""
    (doctor.root / "mindloop.yaml").write_text("schema: 9\n", encoding="utf-8")
    assert ("settings", "mindloop.yaml", None) in doctor.new([])
    assert "later version" in doctor.findings()[0]["what"]
    assert doctor.say()[0] == 1


def test_hostile_names_do_not_reach_the_terminal(doctor: Doctor) -> None:
    """Escapes in file names and contents are shown, not obeyed."""
    (doctor.root / CANVASES / "evil\x1b[31m-canvas.md").write_text("---\nuser: a\x1b[2Jb\n---\n", encoding="utf-8")
    (doctor.root / os.fsdecode(b"world/bad\xff.md")).mkdir()
    out = doctor.say("--full")[1]
    assert "\x1b" not in out
    assert json.loads(doctor.say("--json")[1])["findings"]
