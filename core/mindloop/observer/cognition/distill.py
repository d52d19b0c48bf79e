"""The question what a user may be afraid of: what it is made of, what it expects, and the answer of a rehearsal."""

from __future__ import annotations

import json

from mindloop.observer.cognition.wanted import BACKED, EXPLORATORY
from mindloop.observer.growth.patterns import PATTERNS
from mindloop.observer.growth.state import clone, sent_batches
from mindloop.observer.lines import excerpt
from mindloop.observer.prompt_text import as_json, filled, one_name, one_value, shipped, untrusted
from mindloop.observer.rehearsed import LABEL
from mindloop.observer.sanitizer import sanitize
from mindloop.store.clock import parse_instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from mindloop.observer.canvas.hypotheses import Hypothesis
    from mindloop.observer.cognition.wanted import Wanted
    from mindloop.observer.types import GrowthState, Quote

TEMPLATE = "config/gaps/think.md"
MAX_QUOTES = 60
QUOTE_CHARACTERS = 500
MAX_HYPOTHESES = 40
SCORE_CHARACTERS = 4_000

_TITLE = 120
_TYPES = {
    "engagement": "they come by less often, or for less",
    "irrelevance": "what is built does not touch what they care about",
    "trust_erosion": "they have stopped believing numbers or promises",
    "pmf": "the product does not solve the problem they have",
    "identity": "it does not fit who they are, or want to be seen as",
    "progression": "they do not get ahead, or see no way how",
    "complexity": "they do not understand it, and do not ask",
    "constraint_mismatch": "they need what the product will not do on purpose",
}
_PATTERNS = {
    "probe_gap": "where is what they expected to see?",
    "verify_action": "did they do it, or try, or check?",
    "challenge_assumption": "why is it so, and what if it is not?",
    "explore_motivation": "what drives them to do it?",
    "surface_unspoken": "what is behind their words?",
    "test_commitment": "what did they do about it, and what will they do the next time?",
    "follow_breadcrumb": "what became of something they mentioned?",
}


class DistillParts:
    """What one user's question is made of; all of it is treated as untrusted.

    Attributes:
        user: display name.
        canvas_basename: file name of the user's canvas.
        canvas_body: the canvas as it stands in the file.
        canvas_characters: as much of it as is shown (``observer.cognition.canvas_characters``).
        hypotheses: those of the whole canvas, also where it is cut off.
        quotes: the registry; only verified entries are shown, the 60 newest.
        score_raw: what the score command printed; empty where there is no score.
        growth: what growth knows, or None.
        wanted: what the answer must hold.
    """

    __slots__ = (
        "canvas_basename",
        "canvas_body",
        "canvas_characters",
        "growth",
        "hypotheses",
        "quotes",
        "score_raw",
        "user",
        "wanted",
    )

    def __init__(
        self,
        *,
        user: str,
        canvas_basename: str,
        canvas_body: str,
        canvas_characters: int,
        hypotheses: Sequence[Hypothesis],
        quotes: Sequence[Quote],
        score_raw: str,
        growth: GrowthState | None,
        wanted: Wanted,
    ) -> None:
        self.user = user
        self.canvas_basename = canvas_basename
        self.canvas_body = canvas_body
        self.canvas_characters = canvas_characters
        self.hypotheses = hypotheses
        self.quotes = quotes
        self.score_raw = score_raw
        self.growth = growth
        self.wanted = wanted


def assemble(parts: DistillParts) -> str:
    """The prompt about one user; bounded but for what the settings allow, and it always has a UTF-8 form."""
    hypotheses = [
        {"id": known.id, "title": excerpt(known.title, _TITLE), "confidence": known.confidence}
        for known in parts.hypotheses[:MAX_HYPOTHESES]
    ]
    values = {
        "user": one_value(parts.user),
        "canvas_basename": one_name(parts.canvas_basename),
        "canvas_body": untrusted(shortened(parts.canvas_body, parts.canvas_characters)),
        "hypotheses_json": as_json(hypotheses),
        "quotes_json": as_json([_quote(quote) for quote in newest_quotes(parts.quotes)]),
        "score_snapshot": untrusted(shortened(parts.score_raw, SCORE_CHARACTERS)) or "(no score is known)",
        "growth_json": as_json(_growth(parts.growth)) if parts.growth else "",
        "fear_types": "\n".join(f"- {name}: {_TYPES.get(name, '')}" for name in parts.wanted.fear_types),
        "patterns": "\n".join(f"- {name}: {gloss}" for name, gloss in _PATTERNS.items()),
        "expected": _expected(parts.wanted),
    }
    return filled(shipped(TEMPLATE), values, () if parts.growth else ("growth",))


def shortened(text: str, limit: int) -> str:
    """The first lines of a text, at most ``limit`` characters, and a line that says how much was left out."""
    if len(text) <= limit:
        return text
    end = max(text.rfind("\n", 0, limit + 1), text.rfind(" ", 0, limit + 1) if "\n" not in text[:limit] else -1)
    kept = text[: end if end > 0 else limit]
    return f"{kept}\n\n(cut off here: the first {len(kept)} of {len(text)} characters)"


def newest_quotes(quotes: Sequence[Quote], most: int | None = MAX_QUOTES) -> list[Quote]:
    """The verified quotes, newest first, those of an unknown time last; ``most`` of them, all where it is None."""
    verified = [quote for quote in quotes if quote["hash_verified"] and quote["hash"]]
    return sorted(verified, key=_age)[:most]


def _age(quote: Quote) -> float:
    instant = parse_instant(quote["source_timestamp"]) if quote["source_timestamp"] else None
    return -instant.timestamp() if instant else float("inf")


def _quote(quote: Quote) -> dict[str, str | None]:
    return {
        "hash": f"sha256:{quote['hash']}",
        "said": excerpt(quote["quote_text"], QUOTE_CHARACTERS),
        "when": quote["source_timestamp"],
        "how_sure_of_when": quote["confidence"],
    }


def _growth(growth: GrowthState) -> dict[str, Any]:
    known = clone(growth)
    patterns = {name: known["question_patterns"].get(name) for name in PATTERNS}
    return {
        "batches_recorded": sent_batches(known),
        "hypotheses": [
            {
                "id": sanitize(one["id"], _TITLE),
                "title": sanitize(one["title"], _TITLE),
                "confidence": one["confidence"],
                "decay_state": one["decay_state"],
                "cycles_without_evidence": one["cycles_without_evidence"],
            }
            for one in known["hypotheses"][:MAX_HYPOTHESES]
        ],
        "question_patterns": {
            name: {
                "used": counters["times_used"],
                "answered": counters["responded_count"],
                "silent": counters["silence_count"],
                "effectiveness": counters["effectiveness_score"],
            }
            for name, counters in patterns.items()
            if counters
        },
    }


def _expected(wanted: Wanted) -> str:
    lines = [f"- at most {_fears(wanted.max_fears)}"]
    if wanted.backed:
        lines.append(f"- at least {_fears(wanted.backed)} of the class evidence_backed")
    if wanted.exploratory:
        lines.append(f"- at least {_fears(wanted.exploratory)} of the class exploratory")
    return "\n".join(lines)


def _fears(count: int) -> str:
    return f"{count} fear{'s' * (count != 1)}"


def default_answer(user: str, verified: Sequence[str], wanted: Wanted) -> str:
    """The answer that stands in where no model is asked: every text says so, and it passes the checks.

    Args:
        user: display name.
        verified: hashes of the user's verified quotes, bare.
        wanted: what an answer must hold.
    """
    classes = [BACKED] * wanted.backed + [EXPLORATORY] * wanted.exploratory
    fears = [_rehearsed(user, number, name, verified, wanted) for number, name in enumerate(classes, 1)]
    targets = [
        {
            "fear_id": fear["id"],
            "approach": f"{LABEL} ask for the last time it happened",
            "pattern_preference": "verify_action",
        }
        for fear in fears
    ]
    answer = {"user": user, "fears": fears, "steering_targets": targets, "behavior_tags": []}
    return json.dumps(answer, indent=2)


def _rehearsed(user: str, number: int, name: str, verified: Sequence[str], wanted: Wanted) -> dict[str, Any]:
    kind = wanted.fear_types[(number - 1) % len(wanted.fear_types)]
    backed = name == BACKED
    fear: dict[str, Any] = {
        "id": f"FEAR-{user}-{number}",
        "class": name,
        "type": kind,
        "text": f"{LABEL} no model was asked what this person may be afraid of",
        "backing_hypothesis": None,
        "backing_quote_hash": f"sha256:{verified[(number - 1) % len(verified)]}" if backed else None,
        "evidence_plan": None if backed else f"{LABEL} ask what they did the last time",
        "invalidation_signal": f"{LABEL} a real answer takes this one's place",
        "confidence_impact": f"{LABEL} none",
        "priority": number,
    }
    if kind == "constraint_mismatch":
        fear |= {
            "non_goal_constraint": f"{LABEL} none is known",
            "salvage_question": f"{LABEL} what did they need the last time?",
            "exit_signal": None,
        }
    return fear
