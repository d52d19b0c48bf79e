"""Documents: typed reading, writing that reads back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mindloop.store.documents import read_yaml, write_yaml
from mindloop.store.errors import Malformed, NewerSchema, WrongInput
from mindloop.store.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

STATE = {
    "schema_version": 1,
    "user": "no",
    "wallet": "0x1f",
    "next_batch_seq": 2,
    "follow_ups": [],
    "last_cycle_at": None,
}
PATTERN = {"times_used": 2, "response_rate": 0.5, "avg_signal_quality": 1.0, "effectiveness_score": 50}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(str(tmp_path))


def test_a_document_comes_back_typed(workspace: Workspace) -> None:
    """What is written is read back equal, types included, also inside the transaction."""
    state = {**STATE, "question_patterns": {"probe_gap": PATTERN}}
    with workspace.transaction("user:no") as tx:
        write_yaml(tx, "growth/no.yaml", state, "growth")
        assert read_yaml(tx, "growth/no.yaml", "growth") == state

    assert read_yaml(workspace, "growth/no.yaml", "growth") == state
    assert (workspace.read_text("growth/no.yaml") or "").startswith("schema_version: 1\nuser: 'no'\nwallet: '0x1f'\n")


def test_unknown_fields_survive(workspace: Workspace) -> None:
    """A field of a later version is kept over read and write."""
    with workspace.transaction("user:no") as tx:
        tx.write("g.yaml", "schema_version: 1\nuser: a\nnext_batch_seq: 1\nfollow_ups: []\nlater: [1, {x: yes}]\n")
        found = read_yaml(tx, "g.yaml", "growth")
        assert found is not None
        write_yaml(tx, "g.yaml", found, "growth")

    assert (read_yaml(workspace, "g.yaml", "growth") or {})["later"] == ["1", {"x": "yes"}]


def test_no_file_is_none(workspace: Workspace) -> None:
    """A document that is not there is None."""
    assert read_yaml(workspace, "none.yaml", "growth") is None


@pytest.mark.parametrize("change", [{"user": ""}, {"next_batch_seq": "1"}, {"follow_ups": None}, {"created_at": 5}])
def test_a_wrong_document_is_not_written(change: dict[str, object], workspace: Workspace) -> None:
    """Validation comes before writing."""
    with workspace.transaction("user:no") as tx, pytest.raises(WrongInput, match=next(iter(change))):
        write_yaml(tx, "g", {**STATE, **change}, "growth")

    assert workspace.exists("g") is False


def test_what_would_not_read_back_is_not_written(workspace: Workspace) -> None:
    """A surrogate, a tuple or a number without end never reaches the disk."""
    with workspace.transaction("user:no") as tx:
        for bad in ("\ud800", (1,), float("nan"), {1: "x"}):
            with pytest.raises(WrongInput):
                write_yaml(tx, "g", {**STATE, "extra": bad}, "growth")

    assert workspace.exists("g") is False


def test_later_documents_are_left_alone(workspace: Workspace) -> None:
    """A higher schema number is told as such."""
    with workspace.transaction("user:no") as tx:
        tx.write("g.yaml", "schema_version: 9\n")

    with pytest.raises(NewerSchema, match=r"g\.yaml: schema_version 9"):
        read_yaml(workspace, "g.yaml", "growth")


def test_large_documents_are_refused_unread(workspace: Workspace) -> None:
    """A document over the limit is refused by size."""
    with workspace.transaction("user:no") as tx:
        tx.write("g.yaml", "x" * 100)

    with pytest.raises(Malformed, match="100 bytes, at most 50 are read"):
        read_yaml(workspace, "g.yaml", "growth", limit=50)
