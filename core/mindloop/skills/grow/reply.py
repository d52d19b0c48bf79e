"""The words of a reply, wherever they are kept."""

from __future__ import annotations

from mindloop.observer.provenance.index import find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.observer.types import ProposedMatch
    from mindloop.store.files import Files


def signal_text(files: Files, user: str, match: ProposedMatch) -> str | None:
    """The words of a reply: from the provenance index, or as they were pasted; None where neither has them."""
    record = find(files, user, match["signal_id"])
    text = record.get("text") if record else None
    return text if isinstance(text, str) and text else match.get("signal_text")
