"""One user as a few numbers and words of closed lists: all that a question about many users may know (--synthesize).

No word of a canvas gets into a vector. Ids and classes have a fixed form; the kinds of gaps and feedback come from
lists of ours; the one field that a model made up, the tags of a cognition sidecar, is held against every word of every
canvas.
"""

from __future__ import annotations

import json
import unicodedata

from mindloop.observer.canvas.sections import blocks, named, plain, tables, visible_rows
from mindloop.observer.sanitizer import sanitize
from mindloop.observer.score import dimension_scores, parse_snapshot
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Any

    from mindloop.observer.canvas.reading import Canvas

    Vector = dict[str, Any]

LIFECYCLES = ("onboarding", "new_user", "reactivating", "power_user", "churning")
GAP_TYPES = ("accuracy", "bug", "communication", "discoverability", "feature", "flow", "strategy", "ux", "weightings")
SIGNALS = ("accuracy", "feel", "ux", "weightings")
OTHER = "other"
"""A lifecycle that the list does not know."""

MAX_TAGS = 5
MAX_HYPOTHESES = 30
_PRAISE = "good"
_FEEDBACK = "Feedback Entries"
_ID = when_used(r"H[1-9][0-9]{0,2}")
_TAG = when_used(r"[a-z][a-z0-9_]{1,31}")
_SHORTEST_HIDDEN = 5
"""Letters from which on a word counts that stands inside a tag without a boundary; shorter ones are in everything."""
_WORD_BYTES = bytes(code if chr(code).isalnum() and code < 128 else 0x20 for code in range(256))


class Source:
    """What a user's vector is made of.

    Attributes:
        canvas: the user's canvas.
        quote_count: how many verified quotes the canvas holds.
        features: ``synthesis_features`` of the user's cognition sidecar, whatever it holds; None where there is none.
        scores: a score snapshot, or the ``score_summary`` of a sidecar; None where there is neither.
    """

    __slots__ = ("canvas", "features", "quote_count", "scores")

    def __init__(
        self,
        canvas: Canvas,
        quote_count: int,
        features: object = None,
        scores: Mapping[str, Any] | None = None,
    ) -> None:
        self.canvas = canvas
        self.quote_count = quote_count
        self.features = features if isinstance(features, dict) else {}
        self.scores = scores


def feature_vectors(sources: Iterable[Source], texts: Iterable[str]) -> list[Vector]:
    """Return a vector for each user, sorted by slug, whatever order the users came in.

    Args:
        sources: the users.
        texts: every canvas of the workspace, whole; read only where somebody has a tag.
    """
    ordered = sorted(sources, key=lambda source: source.canvas.slug)
    tags = [plausible_tags(source.features.get("behavior_tags")) for source in ordered]
    said = words(texts) if any(tags) else frozenset()
    return [
        _vector(source, [tag for tag in own if not is_said(tag, said)])
        for source, own in zip(ordered, tags, strict=True)
    ]


def _vector(source: Source, tags: list[str]) -> Vector:
    canvas = source.canvas
    confidences = {
        one.id: one.confidence for one in reversed(canvas.hypotheses) if _ID.fullmatch(one.id)
    }  # of two with one id the first counts
    ids = sorted(confidences, key=lambda identity: int(identity[1:]))[:MAX_HYPOTHESES]
    gaps = sorted({gap.kind.casefold() for gap in canvas.gaps}.intersection(GAP_TYPES))
    return {
        "user": canvas.slug,
        "lifecycle_state": lifecycle(canvas.lifecycle_state),
        "hypothesis_ids": ids,
        "hypothesis_confidences": {identity: confidences[identity] for identity in ids},
        "complaint_taxonomy": sorted({*complaints(canvas.body), *gaps}),
        "behavior_tags": tags,
        "gap_types": gaps,
        "quote_count": source.quote_count,
        "score_summary": score_summary(source),
    }


def lifecycle(written: str | None) -> str | None:
    """One of our own words for where a user stands; ``other`` for a word of the canvas's own, None for nothing."""
    if written is None:
        return None
    word = "_".join(written.casefold().replace("-", " ").replace("_", " ").split())
    return word if word in LIFECYCLES else OTHER


def complaints(body: str) -> set[str]:
    """The signals of the canvas's feedback table, lower case; a row that praises is no complaint."""
    if "feedback" not in body.casefold():
        return set()
    found: set[str] = set()
    for section in named(blocks([row for row in visible_rows(body) if row], 2), _FEEDBACK):
        columns: list[str] = []
        for _, cells in tables(section.rows):
            values = [plain(cell).casefold() for cell in cells]
            if "signal" in values and "type" in values:
                columns = values
                continue
            row = dict(zip(columns, values, strict=False))
            if row.get("type") != _PRAISE:
                found |= {row.get("signal", "")}.intersection(SIGNALS)
    return found


def score_summary(source: Source) -> dict[str, float | None]:
    """Three scores and the rank, None where unknown: those of the snapshot, else the sidecar's, else the canvas's."""
    summaries = [
        _summary(source.scores or {}),
        _summary(_mapping(source.features.get("score_summary"))),
        _summary(_mapping(source.canvas.score_snapshot)),
    ]
    known = next((one for one in summaries if any(value is not None for value in one.values())), summaries[0])
    return {dim: known[dim] for dim in ("og", "nft", "onchain", "rank")}


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _summary(fields: Mapping[str, Any]) -> dict[str, float | None]:
    """The numbers of a snapshot (``og_score``) or of a summary (``og``); header texts such as ``"41"`` count too."""
    if not fields:
        return dict.fromkeys(("og", "nft", "onchain", "rank"))
    named_alike = {f"{dim}_score": fields[dim] for dim in ("og", "nft", "onchain") if dim in fields}
    snapshot = parse_snapshot(json.dumps({**fields, **named_alike}, default=str))
    rank = snapshot.get("rank")
    return {**dimension_scores(snapshot), "rank": rank if isinstance(rank, int | float) else None}


def plausible_tags(written: object) -> list[str]:
    """The tags of a sidecar that have the form of one and steer nobody, at most five, each once."""
    found: list[str] = []
    for tag in written if isinstance(written, list) else []:
        if isinstance(tag, str) and _TAG.fullmatch(tag) and tag not in found:
            spoken = tag.replace("_", " ").strip()
            found += [tag] if sanitize(spoken, len(tag)) == " ".join(spoken.split()) else []
    return found[:MAX_TAGS]


def words(texts: Iterable[str]) -> frozenset[bytes]:
    """Every word of some texts: runs of letters and digits, without case and accents, as ASCII bytes.

    A word with letters of other alphabets in it counts as what is left of it, in one piece and in several.
    """
    found: set[bytes] = set()
    for text in texts:
        folded = text.casefold()
        if not folded.isascii():
            folded = unicodedata.normalize("NFKD", folded).casefold()
            found.update(folded.encode("ascii", "ignore").translate(_WORD_BYTES).split())
        found.update(folded.encode("ascii", "replace").translate(_WORD_BYTES).split())
    return frozenset(found)


def is_said(tag: str, said: Collection[bytes]) -> bool:
    """Whether a tag holds a word that somebody said: a part of it, the whole, or five letters and more inside it."""
    parts = tag.encode("ascii").split(b"_")
    whole = b"".join(parts)
    inside = (
        whole[start:end]
        for start in range(len(whole) - _SHORTEST_HIDDEN + 1)
        for end in range(start + _SHORTEST_HIDDEN, len(whole) + 1)
    )
    return any(part in said for part in (*parts, whole) if part) or any(piece in said for piece in inside)
