"""Reading what a judge said of a user's direct messages: a strict JSON object, or nothing.

A bad whole is refused; one bad entry is left out and counted, because nobody asks the judge again.
"""

from __future__ import annotations

from mindloop.observer.canonical import norm_hash
from mindloop.observer.canvas.edit import VALUES
from mindloop.observer.canvas.skeleton import Skeleton
from mindloop.observer.json_answer import HINT, kind, read_object, require_user
from mindloop.protocol.questions import AnswerRefused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

MAX_HYPOTHESES = 5
MAX_EVIDENCE = 20
"""Quotes behind one hypothesis; more add nothing and are left out."""


class Selection:
    """What a judge chose.

    Attributes:
        values: bare hash to ``high`` or ``medium``, in the order of the answer.
        skeletons: hypotheses, each resting on at least one quote that the judge saw.
        dropped: entries that were left out.
    """

    __slots__ = ("dropped", "skeletons", "values")

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self.skeletons: list[Skeleton] = []
        self.dropped = 0

    @property
    def chosen(self) -> list[str]:
        """Every hash that was named, each once."""
        evidence = [digest for one in self.skeletons for digest in one.evidence]
        return list(dict.fromkeys([*self.values, *evidence]))


def parse_selection(raw: str, user: str, hashes: Collection[str]) -> Selection:
    """Read an answer.

    Args:
        raw: what the judge returned.
        user: whom it has to be about.
        hashes: bare hashes of the quotes that the judge saw; no other one counts.

    Raises:
        AnswerRefused: no JSON object, another user, ``quotes`` or ``hypotheses`` missing or no list.
    """
    record = read_object(raw)
    require_user(record, user)
    selection = Selection()
    for item in _list(record, "quotes"):
        _take_value(selection, item, hashes)
    for item in _list(record, "hypotheses"):
        _take_skeleton(selection, item, hashes)
    return selection


def _list(record: dict[str, Any], key: str) -> list[Any]:
    value = record.get(key)
    if not isinstance(value, list):
        raise AnswerRefused(f'"{key}" is {kind(value)}, expected a list', HINT)
    return value


def is_value(item: object) -> bool:
    """Tell whether an item of ``quotes`` has the shape of its schema."""
    return isinstance(item, dict) and isinstance(item.get("hash"), str) and item.get("value") in VALUES


def is_hypothesis(item: object) -> bool:
    """Tell whether an item of ``hypotheses`` has the shape of its schema."""
    if not isinstance(item, dict) or not isinstance(item.get("title"), str):
        return False
    evidence, unknown = item.get("evidence"), item.get("unknown")
    texts = isinstance(evidence, list) and all(isinstance(one, str) for one in evidence)
    return texts and (unknown is None or isinstance(unknown, str))


def _take_value(selection: Selection, item: Any, hashes: Collection[str]) -> None:
    digest = norm_hash(item["hash"]) if is_value(item) else None
    if digest and digest in hashes and digest not in selection.values:
        selection.values[digest] = item["value"]
    else:
        selection.dropped += 1


def _take_skeleton(selection: Selection, item: Any, hashes: Collection[str]) -> None:
    named = [norm_hash(one) for one in item["evidence"]] if is_hypothesis(item) else []
    evidence = [digest for digest in dict.fromkeys(named) if digest and digest in hashes][:MAX_EVIDENCE]
    skeleton = Skeleton(item["title"], evidence, item.get("unknown") or "") if evidence else None
    if skeleton and skeleton.title and len(selection.skeletons) < MAX_HYPOTHESES:
        selection.skeletons.append(skeleton)
    else:
        selection.dropped += 1
