"""The cognition sidecar: fears and steering targets that an earlier analysis made, checked and rendered for the writer.

A model wrote it, so nothing of it is trusted: what is rendered is a fixed list of fields, each either matched against
what it may be or sanitised and quoted (follow-up, step 2c.5 and the cognition section of the prompt).
"""

from __future__ import annotations

import json
import re

from mindloop.observer.canonical import norm_hash
from mindloop.observer.growth.patterns import PATTERNS
from mindloop.observer.names import fold
from mindloop.observer.sanitizer import EMOJI_GLUE, one_line, sanitize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from typing import Any

SCHEMA_VERSION = 1
MAX_FEARS = 5
REQUIRED = ("schema_version", "user", "fears", "steering_targets", "synthesis_features")
CLASSES = ("evidence_backed", "exploratory")
FEAR_TYPES = (
    "engagement",
    "irrelevance",
    "trust_erosion",
    "pmf",
    "identity",
    "progression",
    "complexity",
    "constraint_mismatch",
)
CONSTRAINT_FIELDS = ("non_goal_constraint", "salvage_question")
EVIDENCE_BACKED_AT_LEAST = 2
EXPLORATORY_AT_LEAST = 1

TEXT_LIMIT = 200
SIGNAL_LIMIT = 150

_FEAR_ID = re.compile(r"FEAR-.{1,64}-[0-9]{1,4}")
_ID_LIMIT = 80
_NO_PRIORITY = 10**9


def problems(
    cognition: object,
    user: str,
    *,
    bootstrap: bool | None = None,
    max_fears: int = MAX_FEARS,
    fear_types: Collection[str] = FEAR_TYPES,
) -> list[str]:
    """Everything that is wrong with a sidecar, so that one look is enough to mend it.

    Args:
        cognition: what was read.
        user: whom it is meant to be about.
        bootstrap: whether the user had no provenance record when it was made, which decides how many fears of which
            class it needs; None where that is not known: the counts are left alone then.
        max_fears: the most fears a user may have.
        fear_types: the types that are configured.

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
        found += _count_problems(fears, bootstrap=bootstrap)
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


def _count_problems(fears: list[Any], *, bootstrap: bool | None) -> Iterator[str]:
    classes = [fear.get("class") for fear in fears if isinstance(fear, dict)]
    backed, exploratory = classes.count("evidence_backed"), classes.count("exploratory")
    if bootstrap is False and backed < EVIDENCE_BACKED_AT_LEAST:
        yield f"fears: an established user needs {EVIDENCE_BACKED_AT_LEAST} evidence-backed ones, got {backed}"
    if bootstrap is True and exploratory < EXPLORATORY_AT_LEAST:
        yield f"fears: a new user needs {EXPLORATORY_AT_LEAST} exploratory one, got {exploratory}"


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


def render(cognition: Mapping[str, Any]) -> str:
    """The cognition part of the prompt, from the fears' heading to the last steering target.

    Only the fields of the source document are shown. A fear or target whose id, class or type is not what it must be is
    left out whole; texts are sanitised to 200 code points (invalidation signals to 150) and quoted as YAML.
    """
    fears = [fear for fear in _mappings(cognition.get("fears")) if _is_showable(fear)]
    shown = {fear["id"] for fear in fears}
    targets = [target for target in _mappings(cognition.get("steering_targets")) if _target_id(target) in shown]
    ranked = sorted(fears, key=_priority)
    return "\n\n".join(
        (
            "## Fears (ranked by priority)",
            _yaml_block([_fear_lines(fear) for fear in ranked]),
            "## Steering Targets",
            _yaml_block([_target_lines(target) for target in targets]),
        )
    )


def _mappings(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _is_showable(fear: Mapping[str, Any]) -> bool:
    return _is_plain_id(fear.get("id")) and fear.get("class") in CLASSES and fear.get("type") in FEAR_TYPES


def _is_plain_id(identifier: object) -> bool:
    """Whether an id has its form and the name in it holds nothing that would be taken out of a text."""
    if not isinstance(identifier, str) or not _FEAR_ID.fullmatch(identifier):
        return False
    bare = "".join(char for char in identifier if ord(char) not in EMOJI_GLUE)
    return sanitize(bare, _ID_LIMIT) == bare and one_line(identifier, _ID_LIMIT) == identifier


def _target_id(target: Mapping[str, Any]) -> str:
    identifier = target.get("fear_id")
    return identifier if isinstance(identifier, str) else ""


def _priority(fear: Mapping[str, Any]) -> int:
    priority = fear.get("priority")
    return priority if isinstance(priority, int) else _NO_PRIORITY


def _fear_lines(fear: Mapping[str, Any]) -> list[str]:
    lines = [
        f"id: {_quoted(fear['id'])}",
        f"class: {fear['class']}",
        f"type: {fear['type']}",
        f"text: {_clean(fear.get('text'), TEXT_LIMIT)}",
        f"invalidation_signal: {_clean(fear.get('invalidation_signal'), SIGNAL_LIMIT)}",
    ]
    backing = norm_hash(fear.get("backing_quote_hash"))
    if fear["class"] == "exploratory":
        lines.append(f"evidence_plan: {_clean(fear.get('evidence_plan'), TEXT_LIMIT)}")
    elif backing:
        lines.append(f"backing_quote_hash: {_quoted('sha256:' + backing)}")
    return lines


def _target_lines(target: Mapping[str, Any]) -> list[str]:
    return [f"fear_id: {_quoted(target['fear_id'])}", f"approach: {_clean(target.get('approach'), TEXT_LIMIT)}"]


def _clean(value: object, limit: int) -> str:
    return _quoted(sanitize(value, limit) if isinstance(value, str) else "")


def _quoted(text: str) -> str:
    """A JSON string, which is a double-quoted YAML scalar too."""
    return json.dumps(text, ensure_ascii=False)


def _yaml_block(items: list[list[str]]) -> str:
    entries = ["- " + "\n  ".join(lines) for lines in items]
    return "\n".join(["```yaml", *(entries or ["[]"]), "```"])
