"""Growth states from their files: one user's, or all that can be used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mindloop.observer.growth.files import load_proposals, write_proposals, write_state
from mindloop.observer.growth.proposals import new_proposals
from mindloop.observer.growth.reading import growing, known_user, load_states, load_user, read_user
from mindloop.observer.growth.state import new_growth
from mindloop.store.errors import Malformed, Negative
from tests.helpers.skill_workspace import GROWTH, NOW, SkillWorkspace, at

if TYPE_CHECKING:
    from pathlib import Path

    from mindloop.store.workspace import Workspace


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    """Ann and Bob have states; Ann has proposals too."""
    made = SkillWorkspace(tmp_path).ws
    with made.transaction("user:ann", "user:bob") as tx:
        write_state(tx, new_growth("ann", None, at(NOW)))
        write_state(tx, new_growth("bob", None, at(NOW)))
        write_proposals(tx, new_proposals("ann"))
    return made


def test_proposals_are_no_states(ws: Workspace) -> None:
    """They lie beside the states and under a name that ends like theirs."""
    assert growing(ws) == ["ann", "bob"]
    assert [state["user"] for state in load_states(ws)[0]] == ["ann", "bob"]


def test_a_stranger(ws: Workspace) -> None:
    """Nobody is None; who must be known is a negative verdict with the way to begin."""
    assert load_user(ws, "eve") is None
    with pytest.raises(Negative, match="growth knows nothing of 'eve' yet") as caught:
        known_user(ws, "eve")
    assert "follow_up.py begin" in caught.value.hint


def test_a_file_of_somebody_else(ws: Workspace, tmp_path: Path) -> None:
    """A state is read for its own user alone, and named where all are read."""
    (tmp_path / GROWTH / "ann.yaml").rename(tmp_path / GROWTH / "bob.yaml")

    for read in (read_user, load_user, known_user):
        with pytest.raises(Malformed, match="growth of another user"):
            read(ws, "bob")
    states, problems = load_states(ws)
    assert (states, len(problems)) == ([], 1)
    assert problems[0].endswith("bob.yaml: it is of another user, whose file is named ann.yaml")


def test_proposals_of_somebody_else(ws: Workspace, tmp_path: Path) -> None:
    """The same for proposals: everybody's are read, and a file under a wrong name is told."""
    assert [document["user"] for document in load_proposals(ws)[0]] == ["ann"]
    folder = tmp_path / GROWTH
    (folder / "ann.proposed_matches.yaml").rename(folder / "bob.proposed_matches.yaml")

    documents, problems = load_proposals(ws)
    assert (documents, len(problems)) == ([], 1)
    assert problems[0].endswith("it is of another user, whose file is named ann.proposed_matches.yaml")
