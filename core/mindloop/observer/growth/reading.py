"""Reads growth states: one user's, or all that can be used; what cannot is named and costs nobody else anything."""

from __future__ import annotations

from mindloop.observer.growth.state import clone
from mindloop.observer.layout import layout_of
from mindloop.observer.names import fold, slug
from mindloop.store.documents import read_yaml
from mindloop.store.errors import Malformed, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.observer.types import GrowthState
    from mindloop.store.files import Files

PROPOSALS = ".proposed_matches.yaml"
"""What lies beside the states and is none."""


def load_user(files: Files, user: str) -> GrowthState | None:
    """One user's state, completed, or None where growth knows nothing of the user.

    Raises:
        Malformed: it does not parse, or it is somebody else's.
        Unreadable: the system refuses.
    """
    rel = layout_of(files).growth(slug(user))
    state: Any = read_yaml(files, rel, "growth")
    if state is None:
        return None
    if fold(state["user"]) != fold(user):
        raise Malformed(f"{rel}: it is the growth of another user", "Move it to that user's file, or remove it.")
    return clone(state)


def load_states(files: Files) -> tuple[list[GrowthState], list[str]]:
    """All states, completed, in the order of their files' names; and one sentence for each that cannot be used."""
    folder = layout_of(files).growth_dir
    states, problems = [], []
    for name in files.names(folder, ".yaml"):
        if name.endswith(PROPOSALS):
            continue
        rel = f"{folder}/{name}"
        try:
            state: Any = read_yaml(files, rel, "growth")
        except (Malformed, Unreadable) as error:
            problems.append(error.message)
            continue
        if state is None:  # removed while we looked
            continue
        if f"{slug(state['user'])}.yaml" == name:
            states.append(clone(state))
        else:
            problems.append(f"{rel}: it is of another user, whose file is named {slug(state['user'])}.yaml")
    return states, problems
