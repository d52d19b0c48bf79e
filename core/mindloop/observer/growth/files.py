"""The files of matches beside the growth states, and the writing of both (``reading`` has the reading of states)."""

from __future__ import annotations

from mindloop.observer.growth.proposals import PENDING, completed, new_proposals, pending
from mindloop.observer.growth.reading import PROPOSALS
from mindloop.observer.layout import layout_of
from mindloop.observer.names import fold, slug
from mindloop.store.documents import read_yaml, write_yaml
from mindloop.store.errors import Malformed, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.observer.types import GrowthState, Proposals
    from mindloop.store.files import Files
    from mindloop.store.transaction import Transaction

SCHEMA = "proposed-matches"


def read_proposals(files: Files, user: str) -> Proposals:
    """A user's proposed matches, what other tools leave out filled in; none where there is no file.

    Raises:
        Malformed: it does not parse, or it is somebody else's.
        Unreadable: the system refuses.
    """
    path = layout_of(files).proposals(slug(user))
    document: Any = read_yaml(files, path, SCHEMA)
    if document is None:
        return new_proposals(user)
    if fold(document["user"]) != fold(user):
        raise Malformed(f"{path}: it is of another user", "Move it to that user's file, or remove it.")
    return completed(document)


def load_proposals(files: Files) -> tuple[list[Proposals], list[str]]:
    """Everybody's, in the order of their files' names; and one sentence for each file that cannot be used."""
    found, problems = [], []
    for name in files.names(layout_of(files).growth_dir, PROPOSALS):
        path = layout_of(files).proposals(name.removesuffix(PROPOSALS))
        try:
            document: Any = read_yaml(files, path, SCHEMA)
        except (Malformed, Unreadable) as error:
            problems.append(error.message)
            continue
        if document is None:  # removed while we looked
            continue
        if slug(document["user"]) == name.removesuffix(PROPOSALS):
            found.append(completed(document))
        else:
            problems.append(f"{path}: it is of another user, whose file is named {slug(document['user'])}{PROPOSALS}")
    return found, problems


def waiting(files: Files, user: str | None) -> tuple[dict[str, int], list[str]]:
    """How many replies a person has to confirm or reject, of how many users; and what cannot be used.

    A file in which the word does not stand has nothing that is pending, and is not parsed.

    Args:
        files: where they are.
        user: the one user who is asked about, or None for everybody.
    """
    layout = layout_of(files)
    names = [slug(user)] if user else [one.removesuffix(PROPOSALS) for one in files.names(layout.growth_dir, PROPOSALS)]
    replies, problems = [], []
    for name in names:
        path = layout.proposals(name)
        try:
            document: Any = read_yaml(files, path, SCHEMA) if PENDING.encode() in (files.read(path) or b"") else None
        except (Malformed, Unreadable) as error:
            problems.append(error.message)
            continue
        if document is not None and slug(document["user"]) == name:
            replies.append(len({match["signal_id"] for match in pending(completed(document))}))
    return {"replies": sum(replies), "users": sum(map(bool, replies))}, problems


def write_state(tx: Transaction, state: GrowthState) -> None:
    """Stage a user's growth state."""
    write_yaml(tx, layout_of(tx).growth(slug(state["user"])), state, "growth")


def write_proposals(tx: Transaction, document: Proposals) -> None:
    """Stage a user's proposed matches."""
    write_yaml(tx, layout_of(tx).proposals(slug(document["user"])), document, SCHEMA)
