"""A cognition sidecar as the writer sees it (follow-up, cognition section of the prompt).

A fixed list of fields: ids, classes and types stand there as they are, so they must have a form in which nothing can
hide; every other text is sanitised and quoted.
"""

from __future__ import annotations

import json

from mindloop.observer.canonical import norm_hash
from mindloop.observer.cognition.validity import CLASSES, is_plain_id
from mindloop.observer.sanitizer import sanitize
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

TEXT_LIMIT = 200
SIGNAL_LIMIT = 150

_TYPE = when_used(r"[a-z_]{1,64}")
_NO_PRIORITY = 10**9


def render(cognition: Mapping[str, Any]) -> str:
    """The cognition part of the prompt, from the fears' heading to the last steering target.

    Only the fields of the source document are shown. A fear or target whose id, class or type could not stand
    there as it is would be left out whole (``validity`` refuses such a sidecar); texts are sanitised to 200 code
    points, invalidation signals to 150, and quoted as YAML.
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
    return is_plain_id(fear.get("id")) and fear.get("class") in CLASSES and _is_type(fear.get("type"))


def _is_type(name: object) -> bool:
    return isinstance(name, str) and _TYPE.fullmatch(name) is not None


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
