"""What a message keeps of a judged reply."""

from __future__ import annotations

import unicodedata

from mindloop.observer.lines import truncate
from mindloop.observer.rehearsed import REHEARSAL
from mindloop.store.clock import stamp
from mindloop.store.digest import sha256_hex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from mindloop.observer.types import Evidence

SPAN = 200
RATIONALE = 300


def first_span(signal: str) -> str:
    """The beginning of a reply, as long as a span may be."""
    return truncate(unicodedata.normalize("NFC", signal), SPAN)


def evidence_of(
    classification: Mapping[str, str], *, signal_id: str, hypothesis_id: str | None, host: str, now: datetime
) -> Evidence:
    """The evidence that a message keeps.

    Args:
        classification: what ``read_classification`` returned.
        signal_id: the reply's content hash.
        hypothesis_id: the first hypothesis that the message asked about, or None.
        host: who classified: ``person`` and ``rehearsal`` are kept as such, every model is the ``agent``.
        now: when.
    """
    span = classification["quote_span"]
    return {
        "signal_id": signal_id,
        "hypothesis_id": hypothesis_id,
        "direction": classification["direction"],
        "strength": classification["strength"],
        "quote_span": span,
        "quote_hash": sha256_hex(span.encode("utf-8", "surrogatepass")),
        "rationale": classification["rationale"],
        "classified_by": host if host in {"person", REHEARSAL} else "agent",
        "classified_at": stamp(now),
    }
