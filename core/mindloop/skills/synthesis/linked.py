"""The run of a synthesis that another run's head names, and the question that waits there."""

from __future__ import annotations

from mindloop.protocol.run_files import RunPlace, answered_items, packet_reference, read_head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.store.workspace import Workspace

ITEM = "all"
FIELD = "synthesis_run"
"""The field of the head: the run's id, or None where there was nothing to ask."""


def linked_run(agent: str, head: dict[str, Any]) -> RunPlace | None:
    """Where the run lies that a head names, or None where it names none."""
    run = head.get(FIELD)
    return RunPlace(agent, run) if isinstance(run, str) else None


def waiting_reference(workspace: Workspace, agent: str, head: dict[str, Any]) -> str | None:
    """The packet's reference while its question waits for an answer, else None."""
    place = linked_run(agent, head)
    if place is None or ITEM in answered_items(workspace, place) or ITEM in read_head(workspace, place)["done"]:
        return None
    return packet_reference(place.run, ITEM)
