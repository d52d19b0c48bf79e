"""The one question that an ingestion asks: what is worth coming back to in a user's new direct messages."""

from __future__ import annotations

from mindloop.observer.intake.packet import MAX_QUOTES, SCHEMA, assemble, default_answer
from mindloop.observer.packet.manifest import violations
from mindloop.protocol.gap import Gap
from mindloop.protocol.questions import Question
from mindloop.skills.ingest_dm import JUDGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mindloop.observer.canvas.reading import Canvas
    from mindloop.observer.packet.manifest import OtherCanvases
    from mindloop.observer.provenance.said import Said

MANIFEST_VIOLATION = "prompt_manifest_violation"


def question_of(canvas: Canvas, new: Sequence[Said], source: str, others: OtherCanvases) -> tuple[Question, list[str]]:
    """Make the question about the newest of the new quotes.

    Args:
        canvas: the user's, as it will be.
        new: what the index took, oldest first.
        source: where it was said, for the attribution of what is put on the canvas later.
        others: all canvases.

    Returns:
        The question, and what breaks the isolation of its packet: where there is anything, it may not be asked.
    """
    shown = new[-MAX_QUOTES:]
    prompt = assemble(canvas.user, canvas.basename, canvas.hypotheses, shown, len(new) - len(shown))
    hashes = [one.digest for one in shown]
    own = (canvas.basename, canvas.wallet, canvas.user)
    facts = {"canvas": canvas.path, "wallet": canvas.wallet, "quotes": hashes, "source": source}
    gap = Gap(canvas.slug, prompt, schema=SCHEMA, default=default_answer(canvas.user))
    question = Question(gap, user=canvas.user, judge=JUDGE, facts=facts)
    return question, violations(prompt, own, others, hashes=set(hashes))
