"""Reads growth states: one user's, or all that can be used; what cannot is named and costs nobody else anything."""

from __future__ import annotations

from mindloop.observer.growth.state import clone
from mindloop.observer.layout import layout_of
from mindloop.observer.names import fold, slug
from mindloop.store.documents import read_yaml
from mindloop.store.errors import Malformed, Negative, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.observer.types import GrowthState
    from mindloop.store.files import Files

SUFFIX = ".yaml"
PROPOSALS = ".proposed_matches.yaml"
"""What lies beside the states and is none."""


def growing(files: Files) -> list[str]:
    """Slugs of the users that have a growth state, sorted."""
    names = files.names(layout_of(files).growth_dir, SUFFIX)
    return [name.removesuffix(SUFFIX) for name in names if not name.endswith(PROPOSALS)]


def read_user(files: Files, user: str) -> GrowthState | None:
    """One user's state as it lies in the file, or None where growth knows nothing of the user.

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
    found: GrowthState = state
    return found


def load_user(files: Files, user: str) -> GrowthState | None:
    """The same, what the file leaves out filled in; raises as ``read_user`` does."""
    state = read_user(files, user)
    return None if state is None else clone(state)


def known_user(files: Files, user: str) -> GrowthState:
    """The same of a user whom growth must know; raises Negative too, where it does not."""
    state = load_user(files, user)
    if state is None:
        hint = "It begins with the first batch of messages: follow_up.py begin"
        raise Negative(f"growth knows nothing of {user!r} yet", hint)
    return state


def load_states(files: Files) -> tuple[list[GrowthState], list[str]]:
    """All states, completed, in the order of their files' names; and one sentence for each that cannot be used."""
    states, problems = [], []
    for name in growing(files):
        try:
            state = read_named(files, name)
        except (Malformed, Unreadable) as error:
            problems.append(error.message)
            continue
        if state is not None:  # else removed while we looked
            states.append(clone(state))
    return states, problems


def read_named(files: Files, name: str) -> GrowthState | None:
    """The state in the file of a slug, as it lies there; raises as ``read_user`` does."""
    rel = f"{layout_of(files).growth_dir}/{name}{SUFFIX}"
    state: Any = read_yaml(files, rel, "growth")
    if state is not None and slug(state["user"]) != name:
        whose = f"{rel}: it is of another user, whose file is named {slug(state['user'])}{SUFFIX}"
        raise Malformed(whose, "Move it there, or remove it.")
    found: GrowthState | None = state
    return found
