"""Which release was current when a user said something (follow-up, step 2e).

A release's window opens at its start and closes where the next release starts; its own end is not looked at. All
comparisons are between instants in UTC: a date without a time is its midnight, a time without a zone is UTC.
"""

from __future__ import annotations

from bisect import bisect_right

from mindloop.observer.canonical import norm_hash
from mindloop.store.clock import parse_instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from mindloop.observer.types import ProvenanceRecord, Release, TemporalEntry

ALLOWED_CONFIDENCE = ("exact", "day_level")  # best first
# From the least to the most that is known about the record: the last one that applies is reported.
REASONS = ("insufficient_confidence", "no_timestamp", "no_enclosing_release_window")


class Windows:
    """Release windows, sorted once and asked many times. Releases without a readable start are left out."""

    __slots__ = ("_releases", "_starts")

    def __init__(self, releases: Iterable[Release]) -> None:
        placed = [(start, release) for release in releases if (start := parse_instant(release["start"])) is not None]
        placed.sort(key=lambda pair: (pair[0], pair[1]["id"]))
        self._starts = [start for start, _ in placed]
        self._releases = [release for _, release in placed]

    def at(self, instant: datetime) -> Release | None:
        """The release whose window holds the instant; of several with one start it is the one with the last id."""
        after = bisect_right(self._starts, instant)
        return self._releases[after - 1] if after else None


def temporal_lookup(
    records: Iterable[ProvenanceRecord], releases: Sequence[Release] | Windows
) -> dict[str, TemporalEntry]:
    """What each provenance hash may say about versions (follow-up, step 2e).

    Args:
        records: one user's provenance records; those without a usable content hash are passed over.
        releases: the releases in any order, or their ``Windows`` when many users are looked up.

    Returns:
        Bare hash to entry. Where several records share a hash, an allowed one wins (exact before day_level, then the
        earliest); if none is allowed, the reason of the record that got furthest.
    """
    windows = releases if isinstance(releases, Windows) else Windows(releases)
    best: dict[str, tuple[tuple[int, str], TemporalEntry]] = {}
    for record in records:
        key = norm_hash(record.get("content_hash") or "")
        if key is None:
            continue
        candidate = _judge(record, windows)
        if key not in best or candidate[0] < best[key][0]:
            best[key] = candidate
    return {key: entry for key, (_, entry) in best.items()}


def _judge(record: ProvenanceRecord, windows: Windows) -> tuple[tuple[int, str], TemporalEntry]:
    """The entry of one record, with its rank among records of one hash (smaller is better)."""
    confidence = record.get("source_timestamp_confidence")
    if confidence not in ALLOWED_CONFIDENCE:
        return _denied("insufficient_confidence")
    text = record.get("source_timestamp")
    instant = parse_instant(text) if isinstance(text, str) else None
    if instant is None:
        return _denied("no_timestamp")
    release = windows.at(instant)
    if release is None:
        return _denied("no_enclosing_release_window")
    entry: TemporalEntry = {
        "version_attribution_allowed": True,
        "chronicle_ref": release["id"],
        "release_name": release["title"],
    }
    return (ALLOWED_CONFIDENCE.index(confidence), instant.isoformat()), entry


def _denied(reason: str) -> tuple[tuple[int, str], TemporalEntry]:
    rank = len(ALLOWED_CONFIDENCE) + len(REASONS) - REASONS.index(reason)
    return (rank, ""), {"version_attribution_allowed": False, "reason": reason}
