"""The dossier: what a run keeps of a user, so that any later process can check the answer."""

from __future__ import annotations

from mindloop.observer.names import slug
from mindloop.protocol.run_files import SCHEMA, prompt_hash, read_item
from mindloop.store.errors import Malformed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from mindloop.protocol.gap import Gap
    from mindloop.protocol.run_files import RunPlace
    from mindloop.skills.follow_up.case import Case
    from mindloop.store.transaction import Transaction
    from mindloop.store.workspace import Workspace

_SHAPE = {
    "user": str,
    "slug": str,
    "default": str,
    "canvas": str,
    "triggers": list,
    "registry": list,
    "temporal": dict,
    "score_line": str,
    "hypotheses": list,
}
_TRIGGER = {"kind", "hypothesis_id", "text"}
_QUOTE = {"quote_text", "hash", "hash_verified", "confidence", "source_timestamp"}
_HYPOTHESIS = {"id", "title", "confidence"}


def dossier_of(case: Case, run: str, gap: Gap) -> dict[str, Any]:
    """What is kept of a user who waits: the packet, and all that its answer is checked against."""
    from mindloop.observer.score import score_line

    packet = gap.packet()
    hypotheses = [{"id": one.id, "title": one.title, "confidence": one.confidence} for one in case.canvas.hypotheses]
    return {
        "schema": SCHEMA,
        "run": run,
        "user": case.user,
        "slug": case.canvas.slug,
        "sha256": prompt_hash(packet),
        "prompt": packet,
        "default": gap.default,
        "answer_schema": gap.schema,
        "manifest": case.manifest,
        "canvas": case.canvas.path,
        "wallet": case.canvas.wallet,
        "triggers": case.triggers,
        "registry": case.registry,
        "temporal": case.temporal,
        "score_line": score_line(case.snapshot),
        "fears": None if case.cognition is None else case.cognition.get("fears", []),
        "hypotheses": hypotheses,
        "cycle_started_at": case.cycle_started_at,
        "log": case.log,
    }


def read_dossier(files: Workspace | Transaction, place: RunPlace, slug: str) -> dict[str, Any]:
    """A user's dossier.

    Raises:
        Negative: the run has none for that user.
        Malformed: it is not one: a packet that changed, another user's, fields that are missing or of another kind.
        Unreadable: the system refuses.
    """
    found = read_item(files, place, slug)
    wrong = next(_problems(found), None)
    if wrong:
        raise Malformed(f"{place.item(slug)}: {wrong}", "Begin a new run: follow_up.py begin")
    return found


def _problems(found: dict[str, Any]) -> Iterator[str]:
    for key, kind in _SHAPE.items():
        if not isinstance(found.get(key), kind):
            yield f"{key} is {type(found.get(key)).__name__}, expected {kind.__name__}"
            return
    if slug(found["user"]) != found["slug"]:
        yield f"slug is {found['slug']!r:.80}, expected {slug(found['user'])!r:.80}, that of its user"
    for key, fields in (("triggers", _TRIGGER), ("registry", _QUOTE), ("hypotheses", _HYPOTHESIS)):
        if not all(isinstance(entry, dict) and fields <= entry.keys() for entry in found[key]):
            yield f"{key} holds an entry without {', '.join(sorted(fields))}"
    if not all(
        isinstance(entry, dict) and "version_attribution_allowed" in entry for entry in found["temporal"].values()
    ):
        yield "temporal holds an entry without version_attribution_allowed"
    fears = found.get("fears", "missing")
    if fears is not None and not (isinstance(fears, list) and all(isinstance(fear, dict) for fear in fears)):
        yield "fears is neither null nor a list of fears"
    for key, kind in (("wallet", str), ("cycle_started_at", str)):
        if found.get(key) is not None and not isinstance(found[key], kind):
            yield f"{key} is {type(found[key]).__name__}, expected {kind.__name__} or null"
