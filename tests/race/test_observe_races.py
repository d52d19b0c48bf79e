"""Many processes recording quotes at once, of the same users and of the same words."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from mindloop.observer.canvas.reading import load_canvases
from mindloop.observer.provenance.index import Duplicate, load_index
from mindloop.observer.provenance.observe import add_quote
from mindloop.observer.provenance.quotes import registry
from mindloop.store.workspace import Workspace
from tests.helpers.folders import fast_folder
from tests.helpers.writers import Writer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NOW = datetime(2026, 2, 11, tzinfo=UTC)
PROCESSES = 10
SHARED, OWN = 6, 6


def record(workspace: Workspace, number: int, report: Callable[[str], None]) -> None:
    """Say what all say, and what only this process says, for one of three users."""
    user = f"u{number % 3}"
    for quote in [f"shared {one}" for one in range(SHARED)] + [f"{number} says {one}" for one in range(OWN)]:
        try:
            with workspace.transaction("research", f"user:{user}", timeout=60) as tx:
                added = add_quote(tx, user, quote, None, None, None, NOW)
            report(added.record["record_id"])
        except Duplicate:
            report("duplicate")


def test_nothing_is_lost_and_nothing_is_twice(tmp_path: Path) -> None:
    """Each quote is there once a user, under one id, and canvas and index agree."""
    with fast_folder(tmp_path) as folder:
        (folder / "mindloop.yaml").write_text("schema: 1\n", encoding="utf-8")
        workspace = Workspace(str(folder))
        writers = [
            Writer(lambda report, n=number: record(workspace, n, report))  # type: ignore[misc]  # the default binds now
            for number in range(PROCESSES)
        ]
        said = [line for writer in writers for line in writer.require_success()]

        index = load_index(workspace)
        wanted = {f"u{user}": SHARED + OWN * len([n for n in range(PROCESSES) if n % 3 == user]) for user in range(3)}
        assert {user: len(index.for_user(user)) for user in wanted} == wanted
        ids = [line for line in said if line != "duplicate"]
        assert len(ids) == len(set(ids)) == sum(wanted.values())
        assert len(said) == PROCESSES * (SHARED + OWN)
        canvases = [one.canvas for one in load_canvases(workspace) if one.canvas]
        proven = {
            canvas.user: sum(
                quote["hash_verified"] and quote["in_index"]
                for quote in registry(canvas.body, index.for_user(canvas.user))
            )
            for canvas in canvases
        }
        assert proven == wanted
