"""``doctor --fix``: a diff first, a change only when somebody says so, and never twice."""

from __future__ import annotations

import io
import json
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from mindloop.cli import doctor_fix
from mindloop.cli.doctor_fix import diff, shortened
from mindloop.store import journal
from mindloop.store.repairs import Change
from tests.helpers.doctoring import (
    CANVASES,
    CHRONICLE_INDEX,
    FOLLOW_UPS,
    GROWTH,
    INDEX,
    Doctor,
    footprint,
    sample_workspace,
)

if TYPE_CHECKING:
    from pathlib import Path

BAD = [b"<<<<<<< HEAD", b"\xff\xfe binary", b'{"content_hash": "short", "canvas_target": "mossgate"}', b'{"torn": "la']


@pytest.fixture
def doctor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Doctor:
    return Doctor(sample_workspace(tmp_path / "workspace"), monkeypatch, capsys)


def break_index(root: Path) -> bytes:
    """Put bad lines at the start, in the middle and at the end of the index; return the good bytes."""
    path = root / INDEX
    good = path.read_bytes()
    lines = good.splitlines(keepends=True)
    middle = b"".join(lines[:50]) + BAD[1] + b"\n" + BAD[2] + b"\n" + b"".join(lines[50:])
    path.write_bytes(BAD[0] + b"\n" + middle + BAD[3])
    return good


def break_all(root: Path) -> None:
    """Everything that doctor can mend, at once."""
    break_index(root)
    (root / CHRONICLE_INDEX).write_bytes(b"stale\n")
    shutil.rmtree(root / FOLLOW_UPS)
    (root / f"{GROWTH}/.mossgate.yaml.tmp").write_bytes(b"half")
    before = (root / "world").is_dir()
    assert before
    entries = [journal.append_entry(str(root), INDEX, b'{"a": 1}\n')]
    text = json.dumps({"version": 1, "scopes": ["research"], "pid": 999999999, "entries": entries})
    (root / ".mindloop/journal/research~999999999-1.json").write_text(text, encoding="utf-8")


def test_bad_lines_move_to_quarantine_byte_for_byte(doctor: Doctor) -> None:
    """What cannot be used leaves the index, every good byte stays, every bad one is kept with its reason."""
    good = break_index(doctor.root)
    assert doctor.say("--fix", "--yes")[0] == 1  # the flaws of the sample are for a person
    assert (doctor.root / INDEX).read_bytes() == good
    kept = [json.loads(line) for line in (doctor.root / f"{INDEX}.quarantine").read_bytes().splitlines()]
    assert [one["line"] for one in kept] == [1, 52, 53, good.count(b"\n") + len(BAD)]
    assert [one.get("raw") for one in kept if "raw" in one] == [BAD[0].decode(), BAD[2].decode(), BAD[3].decode()]
    assert all(one["reason"] for one in kept)


def test_fixing_twice_is_fixing_once(doctor: Doctor) -> None:
    """The second --fix finds nothing left to do and changes no byte."""
    break_all(doctor.root)
    code, out, _ = doctor.say("--fix", "--yes")
    assert (code, "5 of 5 repairs made" in out) == (1, True)
    after = footprint(doctor.root)
    code, out, _ = doctor.say("--fix", "--yes")
    assert "nothing that doctor could repair" in out
    assert footprint(doctor.root) == after


def test_what_a_completed_change_brings_is_mended_too(doctor: Doctor) -> None:
    """Bad lines that an interrupted change appends are moved aside by the same --fix; the second does nothing."""
    entries = [journal.append_entry(str(doctor.root), INDEX, b"no record\n")]
    text = json.dumps({"version": 1, "scopes": ["user:mossgate"], "pid": 999999999, "entries": entries})
    (doctor.root / ".mindloop/journal/user.mossgate~999999999-1.json").write_text(text, encoding="utf-8")
    assert "2 of 2 repairs made" in doctor.say("--fix", "--yes")[1]
    assert b"no record" in (doctor.root / f"{INDEX}.quarantine").read_bytes()
    after = footprint(doctor.root)
    assert "nothing that doctor could repair" in doctor.say("--fix", "--yes")[1]
    assert footprint(doctor.root) == after


def test_everything_it_mends_is_mended(doctor: Doctor) -> None:
    """After --fix --yes only what takes a person is left."""
    known = doctor.findings()
    break_all(doctor.root)
    assert {rule for rule, _, _ in doctor.new(known)} == {
        "step-0",
        "journals",
        "leftovers",
        "provenance",
        "chronicle-index",
    }
    doctor.say("--fix", "--yes")
    assert doctor.new(known) == []


def test_peoples_text_is_never_touched(doctor: Doctor) -> None:
    """Canvases and batches keep every byte, however broken they are."""
    (doctor.root / CANVASES / "torn-canvas.md").write_bytes(b"---\nuser: \0")
    (doctor.root / FOLLOW_UPS / "2026-02-13.md").write_bytes(b"---\ntype: follow-up-batch\n")
    (doctor.root / CHRONICLE_INDEX).unlink()
    before = {path: path.read_bytes() for folder in (CANVASES, FOLLOW_UPS) for path in (doctor.root / folder).iterdir()}
    doctor.say("--fix", "--yes")
    after = {path: path.read_bytes() for folder in (CANVASES, FOLLOW_UPS) for path in (doctor.root / folder).iterdir()}
    assert after == before


def test_in_a_pipe_it_only_shows(doctor: Doctor) -> None:
    """Without --yes and without a terminal the diffs are printed and nothing is done."""
    break_all(doctor.root)
    before = footprint(doctor.root)
    code, out, err = doctor.say("--fix", "--full")
    assert (code, err) == (1, "")
    assert "5 repairs shown, nothing was changed; to make them: doctor.py --fix --yes" in out
    assert f"--- a/{INDEX}\n+++ b/{INDEX}\n" in out
    assert "-<<<<<<< HEAD\n" in out
    assert f"+++ {FOLLOW_UPS}/\n" in out
    assert footprint(doctor.root) == before


@pytest.mark.parametrize(("typed", "made"), [("y\n", True), ("n\n", False), ("\n", False), ("", False)])
def test_at_a_terminal_it_asks(doctor: Doctor, monkeypatch: pytest.MonkeyPatch, typed: str, *, made: bool) -> None:
    """Only a typed y makes the change."""
    (doctor.root / CHRONICLE_INDEX).write_bytes(b"")
    monkeypatch.setattr(doctor_fix, "_at_terminal", lambda: True)
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    out = doctor.say("--fix")[1]
    assert "make this change? [y/N]" in out
    assert ((doctor.root / CHRONICLE_INDEX).read_bytes() != b"") is made


def test_json_tells_what_became_of_each_repair(doctor: Doctor) -> None:
    """Programs get the diff and whether it was made; --json alone asks nobody."""
    (doctor.root / CHRONICLE_INDEX).write_bytes(b"stale\n")
    shown = json.loads(doctor.say("--fix", "--json")[1])["fixes"]
    done = json.loads(doctor.say("--fix", "--yes", "--json")[1])
    assert [(one["what"], one["state"]) for one in shown] == [("rebuild the chronicle index", "shown")]
    assert [(one["what"], one["state"]) for one in done["fixes"]] == [("rebuild the chronicle index", "done")]
    assert "-stale" in shown[0]["diff"]
    assert [one for one in done["findings"] if one["rule"] == "chronicle-index"] == []


def test_a_leftover_is_kept_under_another_name(doctor: Doctor) -> None:
    """A temporary file of nobody is moved, not deleted: its bytes may be what somebody misses."""
    (doctor.root / f"{GROWTH}/.mossgate.yaml.tmp").write_bytes(b"half \xff")
    doctor.say("--fix", "--yes")
    kept = list((doctor.root / ".mindloop/leftovers").iterdir())
    assert not (doctor.root / f"{GROWTH}/.mossgate.yaml.tmp").exists()
    assert [path.read_bytes() for path in kept] == [b"half \xff"]


def test_one_repair_that_fails_stops_no_other(doctor: Doctor) -> None:
    """A folder in the way of one repair is told, and the next repair is made."""
    break_index(doctor.root)
    (doctor.root / f"{INDEX}.quarantine").mkdir()
    (doctor.root / CHRONICLE_INDEX).write_bytes(b"")
    _code, out, err = doctor.say("--fix", "--yes")
    assert "1 of 2 repairs made" in out
    assert "not repaired" in err


def test_broken_settings_make_no_folders(doctor: Doctor) -> None:
    """Where nobody knows which folder was meant, none is made."""
    (doctor.root / "mindloop.yaml").write_text("observer: {root: [}\n", encoding="utf-8")
    shutil.rmtree(doctor.root / FOLLOW_UPS)
    doctor.say("--fix", "--yes")
    assert not (doctor.root / FOLLOW_UPS).exists()


def test_a_diff_shows_every_byte() -> None:
    """Bytes that are no text and a missing last newline can be seen in a diff."""
    lines = list(diff(Change("a.jsonl", b"one\nb\xffd", b"one\n")))
    assert lines == ["--- a/a.jsonl", "+++ b/a.jsonl", "@@ -1,2 +1 @@", " one", "-b\\xffd (no newline at the end)"]


def test_a_new_and_a_removed_file_in_a_diff() -> None:
    """A file that is not there is /dev/null, as every tool shows it."""
    assert list(diff(Change("a", None, b"x\n")))[:2] == ["--- /dev/null", "+++ b/a"]
    assert list(diff(Change("a", b"x\n", None)))[:2] == ["--- a/a", "+++ /dev/null"]


def test_a_long_diff_is_cut_and_says_so() -> None:
    """A diff of a hundred lines shows forty and the number of the others."""
    assert shortened("\n".join(["x" * 300] * 100)).split("\n")[-1] == "(+60 more lines: --full shows all)"
    assert len(shortened("x" * 300)) == 201
