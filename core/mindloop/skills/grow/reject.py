"""A person's no to proposed matches; a module of its own, for it needs little of what confirming needs."""

from __future__ import annotations

from mindloop.observer.growth import proposals
from mindloop.observer.growth.files import read_proposals, write_proposals
from mindloop.observer.names import display_name, slug
from mindloop.store.errors import Negative

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.observer.types import ProposedMatch
    from mindloop.store.workspace import Workspace

_LIST = "See what waits with: growth.py list USER"


def reject(workspace: Workspace, user: str, references: list[str]) -> list[ProposedMatch]:
    """Reject pending matches; returns them.

    Raises:
        Negative: one of them does not wait; nothing is changed.
    """
    name = display_name(user)
    with workspace.transaction(f"user:{slug(name)}") as tx:
        document = read_proposals(tx, name)
        chosen = {match["id"]: match for match in (proposals.found(document, one) for one in references)}
        settled = [match for match in chosen.values() if match["status"] != proposals.PENDING]
        if settled:
            raise Negative(f"{settled[0]['id']} is {settled[0]['status']} already; nothing was changed", _LIST)
        write_proposals(tx, proposals.rejected(document, chosen))
    return list(chosen.values())
