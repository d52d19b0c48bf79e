"""The difference of two documents as operations of a JSON patch, each of which stands for one change.

Within one list values are replaced first, then the last is removed before the first, then new ones are added: so each
operation can be left out and the others still meet what they were made for.
"""

from __future__ import annotations

from mindloop.sequence.keys import joined
from mindloop.sequence.pointers import apply_in_place, copied, pointer, same, steps_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    Operation = dict[str, Any]
    Way = tuple[object, ...]
    Pairs = dict[int, int]

_IDS = {"stops": "propertyId"} | dict.fromkeys(
    ("properties", "stages", "dropOutReasons", "followUps", "templates", "contactLimits", "metrics"), "id"
)
"""Lists of entries that have a name, and the key under which it stands."""
CONDITIONS = "propertyConditions"


def changes(before: Any, after: Any, way: Way = ()) -> list[Operation]:
    """The operations that make ``after`` of ``before``, both in the canonical spelling; none where they are the same.

    Conditions are compared without regard to their order; those on one property are taken for one that was rewritten.
    """
    return list(_changes(before, after, way))


def as_written(document: Any, operations: Sequence[Operation]) -> list[Operation]:
    """The operations as they apply to a document that spells its keys otherwise (``check_until_match``).

    What is added is spelled as what stands beside it.

    Args:
        document: the document as its file has it.
        operations: operations on the same document in the canonical spelling.
    """
    made, here = [], copied(document)
    for operation in operations:
        way, beside = _spelled(here, steps_of(operation["path"]))
        one = {**operation, "path": pointer(way)}
        if "value" in one:
            one["value"] = _like(one["value"], beside)
        here = apply_in_place(here, one)
        made.append(one)
    return made


def own_pointer(document: Any, text: str) -> str:
    """A pointer of the canonical spelling as it leads through a document that spells its keys otherwise."""
    return pointer(_spelled(document, steps_of(text))[0])


def _changes(before: Any, after: Any, way: Way) -> Iterator[Operation]:
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _of_objects(before, after, way)
    elif isinstance(before, list) and isinstance(after, list) and _pairing(way):
        yield from _of_lists(before, after, way)
    elif not same(before, after):
        yield {"op": "replace", "path": pointer(way), "value": copied(after)}


def _of_objects(before: dict[str, Any], after: dict[str, Any], way: Way) -> Iterator[Operation]:
    if way[-2:-1] == (CONDITIONS,) and sum(not same(before.get(key), inner) for key, inner in after.items()) > 1:
        yield {"op": "replace", "path": pointer(way), "value": copied(after)}
        return
    for key in before:
        if key not in after:
            yield {"op": "remove", "path": pointer((*way, key))}
    for key, inner in after.items():
        if key in before:
            yield from _changes(before[key], inner, (*way, key))
        else:
            yield {"op": "add", "path": pointer((*way, key)), "value": copied(inner)}


def _of_lists(before: list[Any], after: list[Any], way: Way) -> Iterator[Operation]:
    if not before and after and way[-1] == CONDITIONS:
        yield {"op": "replace", "path": pointer(way), "value": copied(after)}
        return
    pair = _pairing(way)
    pairs = pair(before, after) if pair else {}
    for old, new in sorted(pairs.items()):
        yield from _changes(before[old], after[new], (*way, old))
    for old in sorted(set(range(len(before))) - pairs.keys(), reverse=True):
        yield {"op": "remove", "path": pointer((*way, old))}
    yield from _added(after, set(pairs.values()), way)


def _added(after: list[Any], kept: set[int], way: Way) -> Iterator[Operation]:
    """Adds what is new: behind the last kept one at the end, else at its place."""
    last = max(kept, default=-1)
    for new, value in enumerate(after):
        if new not in kept:
            yield {"op": "add", "path": pointer((*way, new if new < last else "-")), "value": copied(value)}


def _pairing(way: Way) -> Callable[[list[Any], list[Any]], Pairs] | None:
    name = way[-1] if way else None
    if name == CONDITIONS:
        return _pair_conditions
    key = _IDS.get(str(name))
    return (
        (lambda before, after: _pair(before, after, lambda one: repr(one.get(key)), {}))
        if key and len(way) == 1
        else None
    )


def _pair_conditions(before: list[Any], after: list[Any]) -> Pairs:
    equal = _pair(before, after, lambda one: (one.get("propertyId"), one.get("operator"), repr(one.get("value"))), {})
    return _pair(before, after, lambda one: one.get("propertyId"), equal)


def _pair(before: list[Any], after: list[Any], key: Callable[[Any], object], found: Pairs) -> Pairs:
    """Pair what has the same key, the first with the first, beside the pairs that were found before."""
    waiting: dict[object, list[int]] = {}
    taken = set(found.values())
    for new, one in enumerate(after):
        if new not in taken:
            waiting.setdefault(key(one), []).append(new)
    pairs = dict(found)
    for old, one in enumerate(before):
        if old not in pairs and waiting.get(key(one)):
            pairs[old] = waiting[key(one)].pop(0)
    return pairs


def _spelled(document: Any, steps: Sequence[str]) -> tuple[list[str], Any]:
    """The way in the document's own spelling, and what stands beside its end."""
    way: list[str] = []
    here, beside = document, None
    for step in steps:
        name = _own_name(here, step) if isinstance(here, dict) else step
        way.append(name)
        if isinstance(here, list):
            beside = next((one for one in here if isinstance(one, dict)), None)
            here = here[int(step)] if step.isdigit() and int(step) < len(here) else None
        else:
            beside = here.get(name) if isinstance(here, dict) else None
            here = beside
    return way, beside


def _own_name(here: dict[str, Any], name: str) -> str:
    """The key that means ``name`` here; where there is none, ``name`` as its neighbours are spelled."""
    if name in here:
        return name
    known = next((key for key in here if joined(key) == name), None)
    if known is not None:
        return known
    return _snake(name) if any("_" in key and joined(key) != key for key in here) else name


def _like(value: Any, beside: Any) -> Any:
    """A new value with the keys of what stands beside it."""
    if isinstance(value, dict) and isinstance(beside, dict):
        named = {_own_name(beside, key): inner for key, inner in value.items()}
        return {name: _like(inner, beside.get(name)) for name, inner in named.items()}
    if isinstance(value, list) and isinstance(beside, list):
        sample = next((one for one in beside if isinstance(one, dict)), None)
        return [_like(inner, sample) for inner in value]
    return value


def _snake(name: str) -> str:
    return "".join("_" + char.lower() if char.isupper() else char for char in name)
