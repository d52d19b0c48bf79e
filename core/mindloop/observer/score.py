"""The score snapshot of a wallet: what the operator's score command printed, read tolerantly (follow-up, step 2f).

The raw text goes to the writer and into hashes as it is; what is parsed here only feeds the score line and growth.
"""

from __future__ import annotations

import json

from mindloop.observer.sanitizer import sanitize
from mindloop.store.errors import MindloopError
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, NoReturn

ALIASES = {
    "overall_rank": "rank",
    "crowd_tier_display": "crowd_tier",
    "elite_tier_display": "elite_tier",
    "badge_count": "total_badges",
}
"""Names that some score APIs use, and ours."""

NUMBERS = (
    "rank",
    "combined_score",
    "og_score",
    "nft_score",
    "onchain_score",
    "og_rank",
    "nft_rank",
    "onchain_rank",
    "og_breadth",
    "nft_breadth",
    "onchain_breadth",
    "total_badges",
)
_NUMBER = when_used(r"[-+]?[0-9]{1,15}(?:\.[0-9]{1,15})?")
_LARGEST = 1e15
_TIER_LIMIT = 40
UNREADABLE = "snapshot not readable as JSON or YAML"


def parse_snapshot(raw: str) -> dict[str, Any]:
    """Read a snapshot from JSON or YAML.

    Args:
        raw: what the score command printed.

    Returns:
        The snapshot with our field names: known numbers as int, float or None, all else as it came. Empty where the
        text is no mapping in either language: the writer still gets it as it is, and the score line says so.
    """
    document = _document(raw)
    inner = document.get("score_snapshot") if isinstance(document, dict) else None
    fields = inner if isinstance(inner, dict) else document
    if not isinstance(fields, dict):
        return {}
    snapshot = {ALIASES[key]: value for key, value in fields.items() if key in ALIASES}
    snapshot |= {key: value for key, value in fields.items() if key not in ALIASES}
    for name in NUMBERS:
        if name in snapshot:
            snapshot[name] = _number(snapshot[name])
    return snapshot


def _document(raw: str) -> Any:
    try:
        return json.loads(raw.removeprefix("\ufeff"), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return _yaml_document(raw)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a score")


def _yaml_document(raw: str) -> Any:
    from mindloop.store import strict_yaml

    try:
        return strict_yaml.load(raw, source="score snapshot")
    except MindloopError:
        return None


def _number(value: object) -> int | float | None:
    """A score as a number; None for what is none, infinite, or too large to mean anything."""
    if isinstance(value, str):
        text = value.strip()
        if not _NUMBER.fullmatch(text):
            return None
        return float(text) if "." in text else int(text)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return value if -_LARGEST < value < _LARGEST else None


def dimension_scores(snapshot: Mapping[str, Any]) -> dict[str, float | None]:
    """The three scores that growth compares, None where the snapshot has no number."""
    return {dim: _number(snapshot.get(f"{dim}_score")) for dim in ("og", "nft", "onchain")}


def score_line(snapshot: Mapping[str, Any]) -> str:
    """One line for the batch file: rank, tier and the three scores, as far as they are known."""
    if not snapshot:
        return UNREADABLE
    known = [("rank", snapshot.get("rank")), ("tier", _tier(snapshot.get("crowd_tier")))]
    known += list(dimension_scores(snapshot).items())
    return ", ".join(f"{name} {value}" for name, value in known if value not in (None, "")) or "no scores"


def _tier(value: object) -> str:
    return sanitize(value, _TIER_LIMIT) if isinstance(value, str) else ""
