"""Why a quote's hash does not match: the small changes that editors and phones make to text.

A hint for people, never a verdict: what is found here stays unverified.
"""

from __future__ import annotations

# ruff: noqa: RUF001 - characters that look alike are the subject here
import unicodedata

from mindloop.observer.canonical import canonical, content_hash, norm_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from mindloop.observer.types import ProvenanceRecord

_STRAIGHT = {
    "quote marks": str.maketrans(dict.fromkeys("“”„‟«»″", '"')),
    "apostrophes": str.maketrans(dict.fromkeys("‘’‚‛′ʼ", "'")),
    "dashes": str.maketrans({"—": "--", "–": "-", "―": "--", "−": "-"}),
    "an ellipsis": str.maketrans({"…": "..."}),
    "invisible characters": str.maketrans(
        dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0e\ufe0f\u200e\u200f", "")
    ),
}


def drift_hint(text: str, records: Iterable[ProvenanceRecord]) -> str | None:
    """Say which typography separates a quote from a record of the same user; None where no record is that close.

    Args:
        text: the quote as the canvas shows it.
        records: the user's records; those that carry their text are compared loosely, the others by hash.
    """
    loose = _loose(text)
    straight = _straight_hashes(text)
    for record in records:
        original = record.get("text")
        if original and canonical(original) != canonical(text) and _loose(original) == loose:
            return _word(f"differs from record {record.get('record_id', '?')} only in {_difference(text, original)}")
        name = straight.get(norm_hash(record.get("content_hash")) or "")
        if name:
            return _word(f"is record {record.get('record_id', '?')} once {name} are written plainly")
    return None


def _word(reason: str) -> str:
    return f"typographic drift: {reason}; write the quote as the record has it"


def _loose(text: str) -> str:
    for table in _STRAIGHT.values():
        text = text.translate(table)
    return canonical(unicodedata.normalize("NFKC", text)).replace("--", "-")


def _difference(text: str, original: str) -> str:
    """Name the kinds of characters that one of the two has and the other has not."""
    names = [name for name, table in _STRAIGHT.items() if _count(text, table) != _count(original, table)]
    return " and ".join(names) or "compatibility forms of letters"


def _count(text: str, table: dict[int, str]) -> int:
    return sum(ord(char) in table for char in text)


def _straight_hashes(text: str) -> dict[str, str]:
    """Return hash → what was made plain, for each kind alone and for all of them."""
    everything = text
    found: dict[str, str] = {}
    for name, table in _STRAIGHT.items():
        everything = everything.translate(table)
        if (plain := text.translate(table)) != text:
            found[content_hash(plain)] = name
    if everything != text:
        found.setdefault(content_hash(everything), "its special characters")
    return found
