"""The commands around /follow-up, killed or refused at every system call: what they said they did is there."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mindloop.observer.provenance.index import load_index
from mindloop.skills import setup
from mindloop.store import journal, records, resources
from mindloop.store.errors import StoreFailure
from mindloop.store.workspace import Workspace
from tests.helpers import command_faults as lab
from tests.helpers.command_faults import Line, commands, repeated
from tests.helpers.faults import exhaust, snapshot
from tests.helpers.skill_workspace import INDEX, SkillWorkspace

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.helpers.faults import Judge, Outcome, State

SHIPPED = resources.resource
FAULTS = ("kill", "torn", "ENOSPC", "EIO")
CHRONICLE_INDEX = "grimoires/observer/chronicle/index.jsonl"


@pytest.fixture
def prepared(tmp_path: Path) -> Path:
    """A workspace with one canvas, one record and one release."""
    root = tmp_path / "prepared"
    skill = SkillWorkspace(root)
    lab.quick_scores(root)
    skill.observe("alice", "the ranks moved")
    skill.release("first", "2026-01-10", "The first one")
    return root


def readable_at_once(root: str) -> None:
    """Before anybody recovers, readers manage."""
    lab.require_readable(Path(root), torn=True)


def ingest(text: str, user: str = "alice") -> Line:
    return Line("provenance", "ingest", "--user", user, "--source-type", "discord_dm", stdin=text)


def test_an_ingested_text_is_in_the_index_once(prepared: Path, tmp_path: Path) -> None:
    """Three texts of two users: each record is whole or not there, and ingesting again adds no second one."""
    lines = [ingest("it broke\nagain"), ingest("gm"), ingest("gm", "bob")]

    def unique(root: Path) -> None:
        index = load_index(Workspace(str(root)))
        assert index.problems == []
        found = [(user, record["content_hash"]) for user in index.users() for record in index.for_user(user)]
        assert len(found) == len(set(found))

    report = exhaust(
        prepared,
        commands(*lines),
        tmp_path,
        check=readable_at_once,
        kinds=(*FAULTS, "short"),
        judge=repeated(*lines, more=unique),
    )

    assert set(report.statuses) == {"killed", "refused", "done"}


def test_an_observed_quote_verifies_or_is_not_there(prepared: Path, tmp_path: Path) -> None:
    """For a known user, one whose canvas has a name of its own, and a new one: canvas and index agree at any moment."""
    canvases = prepared / "grimoires/observer/canvas"
    (canvases / "Notes of spring.md").write_text("---\ntype: user_canvas\nuser: carol\n---\n\n# carol\n")
    lines = [
        Line("canvas", "observe", "--user", user, "--date", "2026-02-10", stdin="I left\nfor a week")
        for user in ("alice", "carol", "zoë")
    ]

    def verified(root: Path) -> None:
        counts = lab.succeed(Line("provenance", "verify", "--json"), root).json["counts"]
        assert counts["mismatch"] == counts["unmarked"] == counts["unreadable"] == 0
        assert counts["verified"] == load_index(Workspace(str(root))).size

    report = exhaust(
        prepared,
        commands(*lines),
        tmp_path,
        check=readable_at_once,
        kinds=FAULTS,
        judge=repeated(*lines, more=verified),
        every=lab.EVERY,
    )

    assert set(report.statuses) == {"killed", "refused", "done"}


def test_a_release_is_in_its_entry_and_in_the_index(prepared: Path, tmp_path: Path) -> None:
    """Two releases added, the index deleted and derived again: entries and index never disagree."""
    lines = [
        Line("chronicle", "add", "--title", "Second", "--start", "2026-02-01", "--id", "second"),
        Line("chronicle", "add", "--title", "Third 🚀", "--start", "2026-02-03T10:00:00Z", "--id", "third"),
    ]

    def current(root: Path) -> None:
        before = snapshot(root)
        assert lab.succeed(Line("chronicle", "rebuild", "--json"), root).json["new"] == 0
        assert snapshot(root) == before

    report = exhaust(
        prepared,
        commands(*lines),
        tmp_path,
        check=readable_at_once,
        kinds=FAULTS,
        judge=repeated(*lines, more=current),
    )

    assert set(report.statuses) == {"killed", "refused", "done"}


def test_the_derived_index_is_made_again_whole(prepared: Path, tmp_path: Path) -> None:
    """The index is gone, a person added an entry by hand: rebuilding makes it from the entries or changes nothing."""
    (prepared / CHRONICLE_INDEX).unlink()
    line = Line("chronicle", "rebuild")
    report = exhaust(prepared, commands(line), tmp_path, check=readable_at_once, kinds=FAULTS, judge=repeated(line))

    assert set(report.statuses) == {"killed", "refused", "done"}


# --- init -------------------------------------------------------------------------------------------------------------


def made_in_the_end(*argv: str) -> Judge:
    """Whatever was made is whole, nothing that was there is touched, and init again makes the rest."""

    def judge(root: Path, states: list[State], outcome: Outcome) -> None:
        place = root / "deep/er"
        if outcome.status != "done":
            assert outcome.acknowledged == 0
            if (place / "mindloop.yaml").exists():
                lab.succeed(lab.STATUS, place)
                lab.require_readable(place)
        marker = (place / "mindloop.yaml").read_bytes() if (place / "mindloop.yaml").exists() else None
        lab.succeed(Line("init", "--root", str(place), *argv), place)
        lab.require_no_leftovers(place, outcome)
        lab.require_readable(place)
        assert marker in (None, (place / "mindloop.yaml").read_bytes())
        found, wanted = ({**state, "deep/er/mindloop.yaml": ""} for state in (snapshot(root), states[-1]))
        assert found == wanted, f"{outcome}"
        assert lab.succeed(Line("init", "--json", "--root", str(place), *argv), place).json["made"] == []
        wrong = [one for one in lab.findings(place) if one["severity"] == "error" and one["rule"] != "step-0"]
        assert wrong == [], f"{outcome}"

    return judge


def initialise(*argv: str) -> Callable[[str, Callable[[], None]], None]:
    """Init in a folder that has to be made first."""

    def act(root: str, acknowledge: Callable[[], None]) -> None:
        commands(Line("init", "--root", f"{root}/deep/er", *argv))(root, acknowledge)

    return act


def test_init_can_be_repeated_wherever_it_ended(tmp_path: Path) -> None:
    """An empty folder becomes a workspace, in one go or in several."""
    empty = tmp_path / "empty"
    empty.mkdir()
    report = exhaust(empty, initialise(), tmp_path, kinds=FAULTS, judge=made_in_the_end())

    assert set(report.statuses) == {"killed", "refused", "done"}


def test_init_with_a_sample_can_be_repeated_wherever_it_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sample comes whole: its files in one transaction, the index that is derived from them afterwards."""
    sample = tmp_path / "tiny"
    skill = SkillWorkspace(sample)
    skill.observe("alice", "the ranks moved")
    skill.release("first", "2026-01-10", "The first one")
    for name in (".mindloop", "agents"):
        shutil.rmtree(sample / name)
    (sample / CHRONICLE_INDEX).unlink()
    for module in (setup, resources):
        monkeypatch.setattr(
            module, "resource", lambda name: str(sample / name[7:]) if name.startswith("sample") else SHIPPED(name)
        )
    empty = tmp_path / "empty"
    empty.mkdir()
    report = exhaust(
        empty, initialise("--sample"), tmp_path, kinds=FAULTS, judge=made_in_the_end("--sample"), every=lab.EVERY
    )

    assert set(report.statuses) == {"killed", "refused", "done"}


# --- doctor -----------------------------------------------------------------------------------------------------------

SCORE = "grimoires/observer/scores/x.json"
BAD = [b"<<<<<<< HEAD", b"\xff\xfe binary", b'{"content_hash": "short", "canvas_target": "alice"}', b'{"torn": "la']
MEND = Line("doctor", "--fix", "--yes")


def break_all(root: Path) -> list[bytes]:
    """Everything that doctor mends, at once; return the lines of the index that are good."""
    path = root / INDEX
    good = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([BAD[0], *good, *BAD[1:]]))
    (root / CHRONICLE_INDEX).write_bytes(b"stale\n")
    shutil.rmtree(root / "grimoires/observer/follow-ups")
    (root / "grimoires/observer/growth/.alice.yaml.tmp").write_bytes(b"half")
    entries = [journal.write_entry(SCORE, b'{"rank": 12}\n')]
    (root / SCORE.replace("x.json", ".x.json.tmp")).write_bytes(b'{"rank": 12}\n')
    text = json.dumps({"version": 1, "scopes": ["research"], "pid": 999999999, "entries": entries})
    (root / ".mindloop/journal/research~999999999-1.json").write_text(text, encoding="utf-8")
    return good


def mend(root: str, acknowledge: Callable[[], None]) -> None:
    """Let doctor mend everything; it has succeeded when it exits with 0."""
    called = MEND.run(root)
    assert called.code in (0, 1, 2), f"{called.code}: {called.err}"
    assert "Traceback" not in called.err
    if called.code:
        assert called.out or called.err
        raise StoreFailure(called.out + called.err, "See above.")
    acknowledge()


def test_repairs_keep_every_line(prepared: Path, tmp_path: Path) -> None:
    """Wherever a repair is cut short, each line is in the index or in quarantine, and mending again completes it."""
    good = break_all(prepared)

    def judge(root: Path, states: list[State], outcome: Outcome) -> None:
        lab.succeed(lab.STATUS, root)
        kept = (root / INDEX).read_bytes().splitlines()
        aside = root / f"{INDEX}.quarantine"
        assert [line for line in kept if line in good] == good, f"{outcome}"
        if not aside.exists() or len(records_of(aside)) < len(BAD):
            assert [line for line in kept if line in BAD] == BAD, f"{outcome}: neither here nor there"
        if outcome.status == "done":
            assert snapshot(root) == states[-1], f"{outcome}: success, and not all is mended"
        again = MEND.run(root)
        assert again.code == 0, f"{outcome}\n{again.out}{again.err}"
        lab.require_no_leftovers(root, outcome)
        lab.require_readable(root)
        assert snapshot(root) == states[-1], f"{outcome}"

    report = exhaust(prepared, mend, tmp_path, kinds=FAULTS, judge=judge, every=lab.EVERY)

    assert set(report.statuses) == {"killed", "refused", "done"}


def records_of(path: Path) -> list[object]:
    return [line.record for line in records.scan(path.read_bytes()) if line.record]
