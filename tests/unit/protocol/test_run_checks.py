"""The rules for run files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mindloop.protocol.checks import check_items, check_run_names, check_runs
from mindloop.protocol.run_files import prompt_hash
from mindloop.store.checkup import Examined, Look
from mindloop.store.clock import parse_instant
from tests.helpers.doctoring import RUNS

if TYPE_CHECKING:
    from pathlib import Path

RUN = f"{RUNS}/follow-up-20260210-001"


def head(**more: Any) -> dict[str, Any]:
    value = {
        "schema": 1,
        "state": "open",
        "started_at": "2026-02-19T09:00:00Z",
        "waiting": {},
        "done": {},
        "skipped": [],
    }
    return {**value, "skipped": [], **more}


def found(root: Path, files: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Severity, path and sentence of what is said of these files, on 2026-02-20."""
    (root / "mindloop.yaml").write_text("schema: 1\n", encoding="utf-8")
    for rel, value in files.items():
        path = root / rel
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value), encoding="utf-8")
    now = parse_instant("2026-02-20T09:00:00Z")
    assert now is not None
    look = Look(Examined(str(root)), now)
    told = (*check_runs(look), *check_items(look), *check_run_names(look))
    return [(one.severity, one.path, one.what) for one in told]


def item(prompt: str, digest: str | None = None) -> dict[str, Any]:
    return {"schema": 1, "prompt": prompt, "sha256": digest or prompt_hash(prompt)}


def test_a_run_in_order_is_silent(tmp_path: Path) -> None:
    """A young open run with its packet and answer needs no word."""
    files = {
        f"{RUN}.json": head(waiting={"alice": "alice"}),
        f"{RUN}/alice.json": item("ask 😀"),
        f"{RUN}/answers/alice.json": {"schema": 1, "raw": "{}"},
    }
    assert found(tmp_path, files) == []


def test_an_old_open_run_is_a_note(tmp_path: Path) -> None:
    """After a week somebody may have forgotten it."""
    run = head(started_at="2026-02-10T09:00:00Z", done={"a": "messages"})
    assert found(tmp_path, {f"{RUN}.json": run}) == [
        ("info", f"{RUN}.json", "open for 10 days, 0 users wait for an answer")
    ]


def test_an_interrupted_begin(tmp_path: Path) -> None:
    """A begin that has been going on for a day was killed."""
    told = found(tmp_path, {f"{RUN}.json": head(state="beginning")})
    assert [one[0] for one in told] == ["warning"]
    assert "its begin was interrupted" in told[0][2]


def test_a_begin_of_this_minute_is_still_going_on(tmp_path: Path) -> None:
    """Nobody is accused of having been killed while at work."""
    assert found(tmp_path, {f"{RUN}.json": head(state="beginning", started_at="2026-02-20T08:59:00Z")}) == []


def test_a_packet_that_was_changed(tmp_path: Path) -> None:
    """The bytes that were assembled are the bytes that are asked, or the run is over."""
    told = found(tmp_path, {f"{RUN}.json": head(), f"{RUN}/alice.json": item("ask", "0" * 64)})
    assert [(one[0], one[1]) for one in told] == [("error", f"{RUN}/alice.json")]
    assert "its hash differs" in told[0][2]


def test_somebody_waits_without_a_packet(tmp_path: Path) -> None:
    """Nobody can answer what is not there."""
    told = found(tmp_path, {f"{RUN}.json": head(waiting={"alice": "alice"})})
    assert told == [("error", f"{RUN}.json", "'alice' waits and has no packet; begin a new run")]


def test_a_head_of_the_wrong_shape(tmp_path: Path) -> None:
    """Every field that is not what it must be is named."""
    told = found(tmp_path, {f"{RUN}.json": head(state="asleep", waiting=[], started_at="soon")})
    assert [what for _, _, what in told] == [
        "state is 'asleep', expected one of beginning, open, complete",
        "waiting is a list, expected an object",
        "started_at is 'soon', expected an ISO 8601 instant",
    ]


def test_files_of_a_run_that_is_gone(tmp_path: Path) -> None:
    """Items without a head are warned of."""
    assert found(tmp_path, {f"{RUN}/alice.json": item("ask")}) == [
        ("warning", RUN, "the files of a run whose head is gone; nothing reads them")
    ]
