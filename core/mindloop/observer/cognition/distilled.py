"""What a distiller answered: its shape, then every fact in it against what is known of the user (cognition sidecar).

An answer is taken whole or not at all: a sidecar with half of its fears would steer as if the other half were no fears.
No message shows a word of the answer.
"""

from __future__ import annotations

from mindloop.observer.canonical import norm_hash
from mindloop.observer.canvas.hypotheses import normal_id
from mindloop.observer.cognition.validity import CLASSES, CONSTRAINT_FIELDS
from mindloop.observer.cognition.wanted import BACKED, EXPLORATORY
from mindloop.observer.growth.patterns import PATTERNS
from mindloop.observer.json_answer import HINT, kind, read_object, require_user
from mindloop.observer.names import fold
from mindloop.observer.sanitizer import sanitize
from mindloop.protocol.questions import AnswerRefused
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from typing import Any

    from mindloop.observer.cognition.wanted import Wanted

FEAR_TYPES = (
    *("engagement", "irrelevance", "trust_erosion", "pmf"),
    *("identity", "progression", "complexity", "constraint_mismatch"),
)
TEXT_LIMIT = 300
MAX_TARGETS = 20
MAX_TAGS = 5
MAX_PRIORITY = 99
MAX_SAID = 5
TAG = when_used(r"[a-z][a-z0-9_]{1,31}")
_HASH = when_used(r"(?:sha256:)?[0-9a-fA-F]{64}")
_TEXTS = ("text", "invalidation_signal", "confidence_impact")
_OPTIONAL = ("id", "backing_hypothesis", "evidence_plan", *CONSTRAINT_FIELDS, "exit_signal")


class Known:
    """What an answer is held against.

    Attributes:
        wanted: how many fears of which class, and of which types.
        verified: hashes of the user's verified quotes, bare.
        hypotheses: ids of the canvas's hypotheses.
    """

    __slots__ = ("hypotheses", "verified", "wanted")

    def __init__(self, wanted: Wanted, *, verified: Collection[str], hypotheses: Collection[str]) -> None:
        self.wanted = wanted
        self.verified = verified
        self.hypotheses = hypotheses


class Distilled:
    """A checked answer: fears and steering targets as a sidecar holds them, texts sanitised, ids of our own."""

    __slots__ = ("fears", "tags", "targets")

    def __init__(self, fears: list[dict[str, Any]], targets: list[dict[str, Any]], tags: list[str]) -> None:
        self.fears = fears
        self.targets = targets
        self.tags = tags


def read_shape(raw: str, user: str) -> dict[str, Any]:
    """Read an answer about a user as far as its JSON Schema goes (``think-answer``).

    Raises:
        AnswerRefused: it is not one JSON object, about somebody else, or a field is missing or of another kind.
    """
    record = read_object(raw)
    require_user(record, user)
    _refuse(list(_shape_problems(record)))
    return record


def held_against(record: Mapping[str, Any], user: str, known: Known) -> Distilled:
    """Hold an answer of the right shape against the facts.

    Raises:
        AnswerRefused: it names a quote or hypothesis that is not this user's, too few or too many fears, a type that is
            not configured, another id than its place gives; the message names the fields, at most five.
    """
    fears = [_fear(number, fear, user) for number, fear in enumerate(record["fears"], 1)]
    found = list(_count_problems(fears, known.wanted))
    for number, (fear, said) in enumerate(zip(fears, record["fears"], strict=True), 1):
        found += (f"fears[{number}].{problem}" for problem in _fact_problems(fear, said, known))
    ids = {fold(str(fear["id"])): str(fear["id"]) for fear in fears}
    targets = [_target(target, ids) for target in record["steering_targets"]]
    for number, target in enumerate(targets, 1):
        found += (f"steering_targets[{number}].{problem}" for problem in _target_problems(target))
    _refuse(found)
    return Distilled(fears, targets, list(dict.fromkeys(record.get("behavior_tags", ()))))


def _refuse(problems: list[str]) -> None:
    if problems:
        more = [f"and {len(problems) - MAX_SAID} more"] if len(problems) > MAX_SAID else []
        raise AnswerRefused("the answer was refused: " + "; ".join(problems[:MAX_SAID] + more), HINT)


# --- shape ------------------------------------------------------------------------------------------------------------


def _shape_problems(record: Mapping[str, Any]) -> Iterator[str]:
    for key, look in (("fears", _fear_shape), ("steering_targets", _target_shape)):
        entries = record.get(key)
        if not isinstance(entries, list):
            yield f"{key}: expected a list, got {kind(entries)}"
            continue
        for number, entry in enumerate(entries, 1):
            place = f"{key}[{number}]"
            if isinstance(entry, dict):
                yield from (f"{place}.{problem}" for problem in look(entry))
            else:
                yield f"{place}: expected an object, got {kind(entry)}"
    if isinstance(record.get("steering_targets"), list) and len(record["steering_targets"]) > MAX_TARGETS:
        yield f"steering_targets: expected at most {MAX_TARGETS}, got {len(record['steering_targets'])}"
    yield from _tags_shape(record.get("behavior_tags", []))


def _fear_shape(fear: Mapping[str, Any]) -> Iterator[str]:
    yield from _one_of(fear, "class", CLASSES)
    yield from _one_of(fear, "type", FEAR_TYPES)
    yield from (_expected(fear, key, "a text") for key in _TEXTS if not _is_text(fear.get(key)))
    yield from (
        _expected(fear, key, "a text or null")
        for key in _OPTIONAL
        if fear.get(key) is not None and not isinstance(fear[key], str)
    )
    digest = fear.get("backing_quote_hash")
    if digest is not None and not (isinstance(digest, str) and _HASH.fullmatch(digest)):
        yield _expected(fear, "backing_quote_hash", "null or sha256: and 64 hex digits")
    rank = fear.get("priority")
    if isinstance(rank, bool) or not isinstance(rank, int | float) or rank not in range(1, MAX_PRIORITY + 1):
        yield _expected(fear, "priority", f"a whole number from 1 to {MAX_PRIORITY}")


def _target_shape(target: Mapping[str, Any]) -> Iterator[str]:
    yield from (_expected(target, key, "a text") for key in ("fear_id", "approach") if not _is_text(target.get(key)))
    if target.get("pattern_preference") is not None:
        yield from _one_of(target, "pattern_preference", tuple(PATTERNS))


def _tags_shape(tags: object) -> Iterator[str]:
    if not isinstance(tags, list):
        yield f"behavior_tags: expected a list, got {kind(tags)}"
        return
    if len(tags) > MAX_TAGS:
        yield f"behavior_tags: expected at most {MAX_TAGS}, got {len(tags)}"
    for number, tag in enumerate(tags, 1):
        if not isinstance(tag, str) or not TAG.fullmatch(tag):
            came = kind(tag) if not isinstance(tag, str) else "another text"
            yield f"behavior_tags[{number}]: expected 2 to 32 of a-z, 0-9 and _, a letter first, got {came}"


def _one_of(entry: Mapping[str, Any], key: str, allowed: tuple[str, ...]) -> Iterator[str]:
    value = entry.get(key)
    if not isinstance(value, str):
        yield _expected(entry, key, f"one of {', '.join(allowed)}")
    elif value not in allowed:
        yield f"{key}: expected one of {', '.join(allowed)}, got another one"


def _expected(entry: Mapping[str, Any], key: str, what: str) -> str:
    value = entry.get(key)
    came = "one without a word" if isinstance(value, str) and not value.strip() else kind(value)
    return f"{key}: expected {what}, got {came}"


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


# --- facts ------------------------------------------------------------------------------------------------------------


def _fear(number: int, fear: Mapping[str, Any], user: str) -> dict[str, Any]:
    """A fear as the sidecar holds it: our id, the hash in one spelling, texts on one line without instructions."""
    digest, hypothesis = norm_hash(fear.get("backing_quote_hash")), fear.get("backing_hypothesis")
    clean: Callable[[str], str | None] = lambda key: _clean(fear.get(key))  # noqa: E731 - the entry is one throughout
    made = {
        "id": f"FEAR-{user}-{number}",
        "class": fear["class"],
        "type": fear["type"],
        "text": clean("text"),
        "backing_hypothesis": normal_id(hypothesis) if hypothesis is not None else None,
        "backing_quote_hash": f"sha256:{digest}" if digest else None,
        "evidence_plan": clean("evidence_plan"),
        "invalidation_signal": clean("invalidation_signal"),
        "confidence_impact": clean("confidence_impact"),
        "priority": int(fear["priority"]),
    }
    if fear["type"] == "constraint_mismatch":
        made |= {key: clean(key) for key in (*CONSTRAINT_FIELDS, "exit_signal")}
    return made


def _clean(value: object) -> str | None:
    return sanitize(value, TEXT_LIMIT) or None if isinstance(value, str) else None


def _target(target: Mapping[str, Any], ids: Mapping[str, str]) -> dict[str, Any]:
    return {
        "fear_id": ids.get(fold(target["fear_id"])),
        "approach": _clean(target["approach"]),
        "pattern_preference": target.get("pattern_preference"),
    }


def _count_problems(fears: list[dict[str, Any]], wanted: Wanted) -> Iterator[str]:
    if len(fears) > wanted.max_fears:
        yield f"fears: expected at most {wanted.max_fears}, got {len(fears)}"
    for name, least in ((BACKED, wanted.backed), (EXPLORATORY, wanted.exploratory)):
        count = sum(fear["class"] == name for fear in fears)
        if count < least:
            yield f"fears: expected at least {least} of the class {name}, got {count}"


def _fact_problems(fear: Mapping[str, Any], said: Mapping[str, Any], known: Known) -> Iterator[str]:
    if said.get("id") is not None and fold(said["id"]) != fold(fear["id"]):
        yield "id: expected the one of its place in the list"
    if fear["type"] not in known.wanted.fear_types:
        yield f"type: expected one of {', '.join(known.wanted.fear_types)}"
    if said.get("backing_hypothesis") is not None and fear["backing_hypothesis"] not in known.hypotheses:
        yield "backing_hypothesis: expected null or the id of a hypothesis on the canvas"
    yield from _backing_problems(fear, known)
    needed = [*_TEXTS, *(CONSTRAINT_FIELDS if fear["type"] == "constraint_mismatch" else ())]
    needed += ["evidence_plan"] if fear["class"] == EXPLORATORY else []
    yield from (f"{key}: expected a text that says something" for key in needed if not fear[key])


def _backing_problems(fear: Mapping[str, Any], known: Known) -> Iterator[str]:
    digest = norm_hash(fear["backing_quote_hash"])
    if fear["class"] == EXPLORATORY and digest:
        yield "backing_quote_hash: expected null, the fear is exploratory"
    if fear["class"] == BACKED and digest not in known.verified:
        came = "another hash" if digest else "null"
        yield f"backing_quote_hash: expected the hash of a verified quote of this user, got {came}"


def _target_problems(target: Mapping[str, Any]) -> Iterator[str]:
    if target["fear_id"] is None:
        yield "fear_id: expected the id of a fear of this answer"
    if not target["approach"]:
        yield "approach: expected a text that says something"
