"""What must hold of a cognition sidecar before it is used: fears and steering targets of an earlier analysis.

A model wrote it, so nothing of it is trusted (follow-up, step 2c.5). What passes here is shown by ``render`` whole: no
fear and no target vanishes on the way to the writer.
"""

from __future__ import annotations

from mindloop.observer.canonical import norm_hash
from mindloop.observer.growth.patterns import PATTERNS
from mindloop.observer.lines import EMOJI_GLUE, one_line
from mindloop.observer.names import fold
from mindloop.observer.sanitizer import sanitize
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from typing import Any

    from mindloop.store.settings import Settings

SCHEMA_VERSION = 1
REQUIRED = ("schema_version", "user", "fears", "steering_targets", "synthesis_features")
CLASSES = ("evidence_backed", "exploratory")
CONSTRAINT_FIELDS = ("non_goal_constraint", "salvage_question")

_FEAR_ID = when_used(r"FEAR-.{1,64}-[0-9]{1,4}")
_ID_LIMIT = 80


def problems_under(settings: Settings, cognition: object, user: str) -> list[str]:
    """``problems`` under a workspace's settings."""
    most = settings.get("observer.cognition.max_fears_per_user")
    return problems(cognition, user, max_fears=most, fear_types=settings.get("observer.cognition.fear_types"))


def problems(
    cognition: object,
    user: str,
    *,
    max_fears: int,
    fear_types: Collection[str],
) -> list[str]:
    """Everything that is wrong with a sidecar, so that one look is enough to mend it.

    Args:
        cognition: what was read.
        user: whom it is meant to be about.
        max_fears: the most fears a user may have (``observer.cognition.max_fears_per_user``).
        fear_types: the types that are configured (``observer.cognition.fear_types``).

    Returns:
        One sentence a problem, with the field; empty where it is valid.
    """
    if not isinstance(cognition, dict):
        return [f"cognition: expected a mapping, got {type(cognition).__name__}"]
    missing = [f"{key}: missing" for key in REQUIRED if key not in cognition]
    found = missing + list(_head_problems(cognition, user))
    fears = cognition.get("fears", [])
    if isinstance(fears, list):
        found += _fears_problems(fears, user, max_fears, fear_types)
        found += _target_problems(cognition.get("steering_targets", []), fears)
    else:
        found.append(f"fears: expected a list, got {type(fears).__name__}")
    return found


def _head_problems(cognition: Mapping[str, Any], user: str) -> Iterator[str]:
    version = cognition.get("schema_version", SCHEMA_VERSION)
    if version != SCHEMA_VERSION:
        yield f"schema_version: expected {SCHEMA_VERSION}, got {version!r}"
    named = cognition.get("user", user)
    if not isinstance(named, str) or fold(named) != fold(user):
        yield f"user: expected {user!r}, got {named!r}"
    for key, kind in (("steering_targets", list), ("synthesis_features", dict), ("input_anchors", dict)):
        if key in cognition and not isinstance(cognition[key], kind):
            yield f"{key}: expected a {kind.__name__}, got {type(cognition[key]).__name__}"


def _fears_problems(fears: list[Any], user: str, max_fears: int, fear_types: Collection[str]) -> Iterator[str]:
    if len(fears) > max_fears:
        yield f"fears: at most {max_fears}, got {len(fears)}"
    for number, fear in enumerate(fears, start=1):
        place = f"fears[{number}]"
        if not isinstance(fear, dict):
            yield f"{place}: expected a mapping, got {type(fear).__name__}"
            continue
        expected = f"FEAR-{user}-{number}"
        if not isinstance(fear.get("id"), str) or fold(fear["id"]) != fold(expected):
            yield f"{place}.id: expected {expected!r}, got {fear.get('id')!r}"
        elif not is_plain_id(fear["id"]):
            yield f"{place}.id: {fear['id']!r} holds what no prompt may hold"
        yield from _fear_problems(place, fear, fear_types)


def _fear_problems(place: str, fear: Mapping[str, Any], fear_types: Collection[str]) -> Iterator[str]:
    if fear.get("class") not in CLASSES:
        yield f"{place}.class: expected one of {', '.join(CLASSES)}, got {fear.get('class')!r}"
    if fear.get("type") not in fear_types:
        yield f"{place}.type: expected one of {', '.join(fear_types)}, got {fear.get('type')!r}"
    needed = ["text", "invalidation_signal", "confidence_impact"]
    if fear.get("type") == "constraint_mismatch":
        needed += CONSTRAINT_FIELDS
    if fear.get("class") == "exploratory":
        needed.append("evidence_plan")
    yield from (f"{place}.{key}: expected text, got {fear.get(key)!r}" for key in needed if not _is_text(fear.get(key)))
    if not _is_whole(fear.get("priority")):
        yield f"{place}.priority: expected a whole number, got {fear.get('priority')!r}"
    yield from _backing_problems(place, fear)


def _backing_problems(place: str, fear: Mapping[str, Any]) -> Iterator[str]:
    backing = fear.get("backing_quote_hash")
    if fear.get("class") == "evidence_backed" and norm_hash(backing) is None:
        yield f"{place}.backing_quote_hash: an evidence-backed fear needs a quote's SHA-256, got {backing!r}"
    if fear.get("class") == "exploratory" and backing is not None:
        yield f"{place}.backing_quote_hash: an exploratory fear has none, got {backing!r}"


def _target_problems(targets: object, fears: list[Any]) -> Iterator[str]:
    known = [fear.get("id") for fear in fears if isinstance(fear, dict)]
    for number, target in enumerate(targets if isinstance(targets, list) else [], start=1):
        place = f"steering_targets[{number}]"
        if not isinstance(target, dict):
            yield f"{place}: expected a mapping, got {type(target).__name__}"
            continue
        if target.get("fear_id") not in known:
            yield f"{place}.fear_id: no fear has the id {target.get('fear_id')!r}"
        if not _is_text(target.get("approach")):
            yield f"{place}.approach: expected text, got {target.get('approach')!r}"
        preference = target.get("pattern_preference")
        if preference is not None and preference not in PATTERNS:
            yield f"{place}.pattern_preference: expected one of {', '.join(PATTERNS)}, got {preference!r}"


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_plain_id(identifier: object) -> bool:
    """Whether an id has its form and the name in it holds nothing that would be taken out of a text."""
    if not isinstance(identifier, str) or not _FEAR_ID.fullmatch(identifier):
        return False
    bare = "".join(char for char in identifier if ord(char) not in EMOJI_GLUE)
    return sanitize(bare, _ID_LIMIT) == bare and one_line(identifier, _ID_LIMIT) == identifier
