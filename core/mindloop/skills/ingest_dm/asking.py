"""Staging the question about a user's new quotes, as a run of its own in the change that brings the quotes."""

from __future__ import annotations

from mindloop.protocol.questions import stage_run
from mindloop.protocol.run_files import packet_reference
from mindloop.skills.ingest_dm import SKILL
from mindloop.skills.ingest_dm.question import MANIFEST_VIOLATION, question_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from typing import Protocol

    from mindloop.observer.canvas.reading import Canvas
    from mindloop.observer.packet.manifest import OtherCanvases
    from mindloop.observer.provenance.said import Said
    from mindloop.store.transaction import Transaction

    class Told(Protocol):
        """What a command tells of its question: run and reference, or a note why there is none."""

        run: str | None
        packet: str | None
        notes: list[str]


def ask(  # noqa: PLR0917 - all that a question needs
    tx: Transaction, told: Told, canvas: Canvas, new: Sequence[Said], source: str, others: OtherCanvases, now: datetime
) -> None:
    """Stage the question, unless its packet would hold what is another user's; then nobody is asked and ``told`` why.

    The transaction holds the scope ``agent:<agent>`` of the workspace's agent.
    """
    question, wrong = question_of(canvas, new, source, others)
    if wrong:
        kinds = ", ".join(sorted({one.partition(":")[0] for one in wrong}))
        told.notes.append(f"no question is asked ({MANIFEST_VIOLATION}): {kinds}")
        return
    place = stage_run(tx, str(tx.settings.get("agent")), SKILL, now, [question])
    told.run, told.packet = place.run, packet_reference(place.run, question.gap.id)
