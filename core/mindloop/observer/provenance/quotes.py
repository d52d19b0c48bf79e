"""The registry of quotes whose hash proves them (follow-up, step 2d).

The exact version 1 hash decides, nothing else: one of a block's readings must have the declared hash. Folding of smart
quotes only explains a mismatch (``drift``), it never repairs one.
"""

from __future__ import annotations

from mindloop.observer.canonical import EMPTY_HASH, content_hash, norm_hash
from mindloop.observer.canvas.blockquotes import Blockquote, blockquotes
from mindloop.store.clock import is_date_only, parse_instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from mindloop.observer.types import ProvenanceRecord, Quote

__all__ = [
    "CONFIDENCES",
    "Blockquote",
    "best_records",
    "blockquotes",
    "confidence_of",
    "is_before",
    "proven_text",
    "rank",
    "registry",
]

CONFIDENCES = ("exact", "day_level", "inferred", "unknown")
"""How sure a source timestamp is, best first."""


def registry(body: str, records: list[ProvenanceRecord], *, strict: bool = False) -> list[Quote]:
    """Return the quote registry of one user (follow-up, step 2d).

    Args:
        body: the canvas body.
        records: this user's provenance records, of nobody else.
        strict: a quote whose hash the index does not know is not verified (``observer.provenance.strict``).

    Returns:
        One entry a quote in the order of the canvas; a verified hash occurs once, with the text that came first.
    """
    known = best_records(records)
    result: list[Quote] = []
    seen: set[str] = set()
    for block in blockquotes(body):
        quote = _entry(block, known, strict=strict)
        digest = quote["hash"]
        if quote["hash_verified"] and digest:
            if digest in seen:
                continue
            seen.add(digest)
        result.append(quote)
    return result


def proven_text(block: Blockquote) -> str | None:
    """Return the candidate whose hash is the declared one; None where nothing proves the quote."""
    if block.declared is None or block.declared == EMPTY_HASH:
        return None
    return next((text for text in block.readings() if content_hash(text) == block.declared), None)


def _entry(block: Blockquote, known: dict[str, ProvenanceRecord], *, strict: bool) -> Quote:
    text = proven_text(block)
    record = known.get(block.declared or "")
    return {
        "quote_text": block.display if text is None else text,
        "hash": block.declared,
        "hash_verified": text is not None and not (strict and record is None),
        "confidence": confidence_of(record) if record else "unknown",
        "source_timestamp": record.get("source_timestamp") if record else None,
        "in_index": record is not None,
    }


def is_before(moment: str, confidence: str, sent_at: str) -> bool:
    """Tell whether something was certainly said before an instant; of what is known to the day only days count."""
    said, sent = parse_instant(moment), parse_instant(sent_at)
    if said is None or sent is None:
        return False
    return said < sent if confidence == "exact" and not is_date_only(sent_at) else said.date() < sent.date()


def confidence_of(record: ProvenanceRecord) -> str:
    """Return a record's confidence; what is no confidence of ours counts as unknown."""
    value = record.get("source_timestamp_confidence")
    return value if value in CONFIDENCES else "unknown"


def best_records(records: Iterable[ProvenanceRecord]) -> dict[str, ProvenanceRecord]:
    """Return one record a hash: the best confidence, then the earliest instant, then the first in the file."""
    best: dict[str, ProvenanceRecord] = {}
    for record in records:
        digest = norm_hash(record.get("content_hash"))
        if digest and (digest not in best or _rank(record) < _rank(best[digest])):
            best[digest] = record
    return best


def _rank(record: ProvenanceRecord) -> tuple[int, float]:
    return rank(confidence_of(record), record.get("source_timestamp"))


def rank(confidence: object, moment: object) -> tuple[int, float]:
    """Return how good a record of a quote is, less is better: its confidence, then its instant in Unix seconds."""
    instant = parse_instant(moment) if moment else None
    sure = CONFIDENCES.index(confidence) if confidence in CONFIDENCES else len(CONFIDENCES) - 1
    return sure, instant.timestamp() if instant else float("inf")
