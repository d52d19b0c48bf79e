"""Recording a quote, killed or refused at every system call: canvas and index have it both or neither."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from mindloop.observer.canvas.reading import load_canvases
from mindloop.observer.provenance.index import load_index
from mindloop.observer.provenance.observe import add_quote
from mindloop.observer.provenance.quotes import registry
from mindloop.store.workspace import Workspace
from tests.helpers.faults import exhaust

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NOW = datetime(2026, 2, 11, tzinfo=UTC)


def observe_three(root: str, acknowledge: Callable[[], None]) -> None:
    """A new canvas and a new index, a second quote, and another user."""
    workspace = Workspace(root)
    for user, quote in (("bob", "the score\nfeels low"), ("bob", "gm"), ("ann", "gm")):
        with workspace.transaction("research", f"user:{user}") as tx:
            add_quote(tx, user, quote, None, "dm", "2026-02-10", NOW)
        acknowledge()


def still_readable(root: str) -> None:
    """Before any recovery: canvases parse, and no index line but a torn last one is bad."""
    workspace = Workspace(root)
    assert [one.error for one in load_canvases(workspace) if one.error] == []
    assert [problem for problem in load_index(workspace).problems if "torn last line" not in problem] == []


def test_a_quote_is_recorded_whole_or_not_at_all(tmp_path: Path) -> None:
    """Every call of three observations fails in the ways that matter; each state left is one between commands."""
    prepared = tmp_path / "prepared"
    prepared.mkdir()
    (prepared / "mindloop.yaml").write_text("schema: 1\n", encoding="utf-8")

    report = exhaust(prepared, observe_three, tmp_path, check=still_readable, kinds=("kill", "torn", "ENOSPC"))

    assert set(report.statuses) == {"killed", "refused", "done"}


def test_what_is_left_verifies(tmp_path: Path) -> None:
    """Without faults the scenario leaves three quotes that verify and are in the index."""
    (tmp_path / "mindloop.yaml").write_text("schema: 1\n", encoding="utf-8")
    observe_three(str(tmp_path), lambda: None)
    workspace = Workspace(str(tmp_path))
    index = load_index(workspace)
    found = [
        (one.user_guess, quote["hash_verified"], quote["in_index"])
        for one in load_canvases(workspace)
        if one.canvas
        for quote in registry(one.canvas.body, index.for_user(one.user_guess))
    ]
    assert found == [("ann", True, True), ("bob", True, True), ("bob", True, True)]
