"""Cognition sidecars for tests."""

from __future__ import annotations

from typing import Any

from mindloop.observer.cognition import validity
from mindloop.store.settings import Settings

HASH = "0f" * 32


def fear(number: int = 1, **changed: Any) -> dict[str, Any]:
    return {
        "id": f"FEAR-xabbu-{number}",
        "class": "evidence_backed",
        "type": "trust_erosion",
        "text": "the badge never came back",
        "backing_hypothesis": "H1",
        "backing_quote_hash": f"sha256:{HASH}",
        "evidence_plan": None,
        "invalidation_signal": "a badge was shown again",
        "confidence_impact": "H1 falls",
        "priority": number,
        **changed,
    }


def exploratory(number: int = 2, **changed: Any) -> dict[str, Any]:
    plan = {"class": "exploratory", "backing_quote_hash": None, "evidence_plan": "ask for the last visit"}
    return fear(number, **{**plan, **changed})


def sidecar(*fears: dict[str, Any], **changed: Any) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "user": "xabbu",
        "fears": list(fears),
        "steering_targets": [{"fear_id": one["id"], "approach": "ask about the last visit"} for one in fears],
        "synthesis_features": {},
        **changed,
    }


def problems(cognition: object, user: str, **changed: Any) -> list[str]:
    """What is wrong with a sidecar in a workspace whose settings say nothing."""
    settings = Settings({})
    limits = {
        "max_fears": settings.get("observer.cognition.max_fears_per_user"),
        "fear_types": settings.get("observer.cognition.fear_types"),
    }
    return validity.problems(cognition, user, **(limits | changed))
