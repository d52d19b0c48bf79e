"""What /think asks about one user, and all that the answer is checked against and the sidecar is made of."""

from __future__ import annotations

from mindloop.observer.cognition.distill import DistillParts, assemble, default_answer, newest_quotes
from mindloop.observer.cognition.features import features_of
from mindloop.observer.cognition.staleness import cycle_index, growth_hash, score_hash
from mindloop.observer.cognition.validity import is_plain_id
from mindloop.observer.cognition.wanted import Wanted
from mindloop.observer.packet.manifest import violations
from mindloop.observer.score import parse_snapshot
from mindloop.protocol.gap import Gap
from mindloop.protocol.questions import Question
from mindloop.skills.think import JUDGE
from mindloop.skills.think.begun import ThinkImpossible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.observer.canvas.reading import Canvas
    from mindloop.observer.packet.manifest import OtherCanvases
    from mindloop.observer.types import GrowthState, ProvenanceRecord, Quote
    from mindloop.store.settings import Settings

SCHEMA = "think-answer"
VIOLATION, UNFIT_NAME = "prompt_manifest_violation", "unfit_name"


def question_of(
    *,
    canvas: Canvas,
    registry: list[Quote],
    records: list[ProvenanceRecord],
    score_raw: str,
    growth: GrowthState | None,
    settings: Settings,
    others: OtherCanvases,
) -> Question:
    """The question about one user; nobody else's data is in it.

    Args:
        canvas: the user's.
        registry: the user's quote registry (follow-up, step 2d).
        records: the user's provenance records; without any the answer is a bootstrap, stale after one cycle.
        score_raw: what the score command printed; empty where it failed or there is no wallet.
        growth: the user's growth state, None where there is none or growth is off.
        settings: the workspace's.
        others: all canvases, the user's own among them.

    Raises:
        ThinkImpossible: the prompt would hold another user's data, or the name cannot stand in a fear's id.
    """
    if not is_plain_id(f"FEAR-{canvas.user}-1"):
        raise ThinkImpossible(UNFIT_NAME, "the name holds what no prompt may hold, so no fear could be shown")
    verified = [quote["hash"] for quote in newest_quotes(registry, most=None) if quote["hash"]]
    limits = {
        "max_fears": settings.get("observer.cognition.max_fears_per_user"),
        "fear_types": list(settings.get("observer.cognition.fear_types")),
    }
    wanted = Wanted(bootstrap=not records, verified=len(verified), **limits)
    parts = DistillParts(
        user=canvas.user,
        canvas_basename=canvas.basename,
        canvas_body=canvas.body,
        canvas_characters=settings.get("observer.cognition.canvas_characters"),
        hypotheses=canvas.hypotheses,
        quotes=registry,
        score_raw=score_raw,
        growth=growth,
        wanted=wanted,
    )
    prompt = assemble(parts)
    own = (canvas.basename, canvas.wallet, canvas.user)
    broken = violations(prompt, own, others, hashes=set(verified))
    if broken:
        raise ThinkImpossible(VIOLATION, "; ".join(broken))
    facts = {
        "canvas": canvas.path,
        "wallet": canvas.wallet,
        "bootstrap": not records,
        "verified": verified,
        "hypotheses": [known.id for known in canvas.hypotheses],
        **limits,
        **_inputs(canvas, score_raw, growth),
        "stale_after_cycles": settings.get("observer.cognition.stale_after_cycles") if records else 1,
        "features": features_of(canvas, parse_snapshot(score_raw) if score_raw else {}),
        "manifest": _manifest(parts, canvas, len(verified)),
    }
    gap = Gap(canvas.slug, prompt, schema=SCHEMA, default=default_answer(canvas.user, verified, wanted))
    return Question(gap, user=canvas.user, judge=JUDGE, facts=facts)


def _inputs(canvas: Canvas, score_raw: str, growth: GrowthState | None) -> dict[str, Any]:
    """What staleness will compare: the state of the inputs now, not when the answer comes."""
    return {
        "anchors": {
            "canvas_last_enriched": canvas.last_enriched,
            "growth_state_hash": growth_hash(growth),
            "score_snapshot_hash": score_hash(score_raw),
        },
        "distilled_at_cycle_index": cycle_index(growth),
        "score_raw": score_raw,
    }


def _manifest(parts: DistillParts, canvas: Canvas, verified: int) -> dict[str, Any]:
    """What the prompt was made of: counts and names, no text of the user's."""
    return {
        "canvas_path": canvas.path,
        "wallet": canvas.wallet,
        "user": canvas.user,
        "canvas_characters": len(canvas.body),
        "canvas_characters_shown": min(len(canvas.body), parts.canvas_characters),
        "verified_quote_count": verified,
        "quotes_shown": len(newest_quotes(parts.quotes)),
        "growth_present": parts.growth is not None,
        "score_present": bool(parts.score_raw),
    }
