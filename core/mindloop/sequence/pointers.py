"""JSON pointers (RFC 6901) and the operations of a JSON patch (RFC 6902), exactly; every error names its place.

A patch is applied to a copy: either all of it counts, or the caller's document is as it was.
"""

from __future__ import annotations

from mindloop.store.errors import WrongInput
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    Operation = dict[str, Any]
    Steps = Sequence[str]

_INDEX = when_used(r"(?:0|[1-9][0-9]{0,17})\Z")
_WRONG_TILDE = when_used(r"~(?![01])")
_HINT = "Make the patch again from the document as it is now."


class PatchRefused(WrongInput):
    """A pointer that leads nowhere, an operation that is none, or a test that did not hold; nothing was changed."""


def pointer(steps: Iterable[object]) -> str:
    """The pointer of a way through a document: ``("followUps", 0)`` is ``/followUps/0``."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)


def steps_of(text: object) -> list[str]:
    """The way that a pointer describes; the empty pointer is the whole document.

    Raises:
        PatchRefused: it is no pointer (RFC 6901, section 3).
    """
    if not isinstance(text, str):
        raise PatchRefused(f"found {_short(text)}, expected a JSON pointer", "Write it like /followUps/0.")
    if text and not text.startswith("/"):
        raise PatchRefused(f"{_short(text)} is no JSON pointer, expected a slash first", "Write it like /followUps/0.")
    if _WRONG_TILDE.search(text):
        raise PatchRefused(f"{_short(text)} is no JSON pointer: ~ stands alone", "Write ~0 for ~ and ~1 for /.")
    return [step.replace("~1", "/").replace("~0", "~") for step in text.split("/")[1:]]


def value_at(document: Any, text: str) -> Any:
    """The value that a pointer names.

    Raises:
        PatchRefused: nothing stands there.
    """
    return _down(document, steps_of(text), text)


def apply(document: Any, operations: Sequence[Operation]) -> Any:
    """Apply the operations in order and return the new document; the given one is left alone.

    Raises:
        PatchRefused: an operation cannot be applied; the message holds its number (from 0), what it is and its place.
    """
    made = copied(document)
    for number, operation in enumerate(operations):
        try:
            made = apply_in_place(made, operation)
        except PatchRefused as refused:
            raise PatchRefused(f"operation {number}{_called(operation)}: {refused.message}", refused.hint) from None
    return made


def apply_in_place(document: Any, operation: Operation) -> Any:
    """Apply one operation to a document that is the caller's own, and return it (a new one where the root is replaced).

    Raises:
        PatchRefused: it cannot be applied; a ``move`` that fails may have taken its value out already.
    """
    if not isinstance(operation, dict):
        raise PatchRefused(f"found {_short(operation)}, expected an object with op and path", _HINT)
    name = operation.get("op")
    act = _ACTS.get(name) if isinstance(name, str) else None
    if act is None:
        raise PatchRefused(f"op is {_short(name)}, expected one of {', '.join(_ACTS)}", _HINT)
    if "path" not in operation:
        raise PatchRefused("path is missing", _HINT)
    return act(document, steps_of(operation["path"]), operation)


def copied(value: Any) -> Any:
    """A copy that shares no list and no object with the original."""
    if isinstance(value, dict):
        return {key: copied(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [copied(inner) for inner in value]
    return value


def same(one: Any, other: Any) -> bool:
    """Equality as ``test`` has it: numbers by value, the order of an object's keys is nothing, true is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(inner, other[key]) for key, inner in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(same(left, right) for left, right in zip(one, other, strict=True))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other
    return type(one) is type(other) and bool(one == other)


def _test(document: Any, path: Steps, operation: Operation) -> Any:
    wanted, found = _value(operation), _down(document, path, operation["path"])
    if not same(found, wanted):
        raise PatchRefused(f"found {_short(found)}, expected {_short(wanted)}", _HINT)
    return document


def _replace(document: Any, path: Steps, operation: Operation) -> Any:
    wanted = copied(_value(operation))
    _down(document, path, operation["path"])
    return _put(document, path, wanted, operation["path"], insert=False)


def _add(document: Any, path: Steps, operation: Operation) -> Any:
    return _put(document, path, copied(_value(operation)), operation["path"], insert=True)


def _remove(document: Any, path: Steps, operation: Operation) -> Any:
    if not path:
        raise PatchRefused("the whole document cannot be removed", "Name a place in it.")
    _take(document, path, operation["path"])
    return document


def _move(document: Any, path: Steps, operation: Operation) -> Any:
    source = _source(operation)
    if len(source) < len(path) and list(path[: len(source)]) == list(source):
        raise PatchRefused(f"{_short(operation['from'])} cannot be moved into itself", _HINT)
    value = _down(document, source, operation["from"])
    if list(path) == list(source):
        return document
    if source:
        _take(document, source, operation["from"])
    return _put(document, path, value, operation["path"], insert=True)


def _copy(document: Any, path: Steps, operation: Operation) -> Any:
    value = copied(_down(document, _source(operation), operation["from"]))
    return _put(document, path, value, operation["path"], insert=True)


_ACTS: dict[str, Callable[[Any, Steps, Operation], Any]] = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "move": _move,
    "copy": _copy,
    "test": _test,
}


def _value(operation: Operation) -> Any:
    if "value" not in operation:
        raise PatchRefused("value is missing (null has to be written)", _HINT)
    return operation["value"]


def _source(operation: Operation) -> list[str]:
    if "from" not in operation:
        raise PatchRefused("from is missing", _HINT)
    return steps_of(operation["from"])


def _down(document: Any, path: Steps, text: str) -> Any:
    here = document
    for at, step in enumerate(path):
        here = _child(here, step, path[: at + 1], text)
    return here


def _child(here: Any, step: str, way: Steps, text: str) -> Any:
    if isinstance(here, dict) and step in here:
        return here[step]
    if isinstance(here, list):
        return here[_index(step, len(here) - 1, way, text)]
    raise _nowhere(way, text)


def _put(document: Any, path: Steps, value: Any, text: str, *, insert: bool) -> Any:
    if not path:
        return value
    parent, last = _down(document, path[:-1], text), path[-1]
    if isinstance(parent, dict):
        parent[last] = value
    elif not isinstance(parent, list):
        raise _nowhere(path, text)
    elif insert:
        at = len(parent) if last == "-" else _index(last, len(parent), path, text)
        parent.insert(at, value)
    else:
        parent[_index(last, len(parent) - 1, path, text)] = value
    return document


def _take(document: Any, path: Steps, text: str) -> None:
    _down(document, path, text)
    parent = _down(document, path[:-1], text)
    del parent[int(path[-1]) if isinstance(parent, list) else path[-1]]


def _index(step: str, last: int, way: Steps, text: str) -> int:
    """An array's index: ASCII digits without a leading zero, not beyond the last one allowed."""
    if not _INDEX.match(step):
        raise PatchRefused(f"{_place(way)} wants a position of an array, found {_short(step)}", _HINT)
    if int(step) > last:
        raise _nowhere(way, text)
    return int(step)


def _nowhere(way: Steps, text: str) -> PatchRefused:
    whole = "" if pointer(way) == text else f" on the way to {_short(text)}"
    return PatchRefused(f"nothing stands at {_place(way)}{whole}", _HINT)


def _place(way: Steps) -> str:
    return _short(pointer(way))


def _called(operation: Any) -> str:
    if not isinstance(operation, dict) or not isinstance(operation.get("path"), str):
        return ""
    return f" ({_short(operation.get('op'))} {_short(operation['path'])})"


def _short(value: object) -> str:
    import json

    said = json.dumps(value, ensure_ascii=True, default=repr)
    said = said if len(said) <= 80 else said[:77] + "..."
    return said.strip('"') if isinstance(value, str) and value.startswith("/") else said
