"""Reading a judge's answer as one strict JSON object: tolerant of its wrapping, of nothing else.

Every skill that asks reads its answers through this. What refuses an answer is said twice: with what came, for a
person's own log, and without a word of the judge's, for a conversation.
"""

from __future__ import annotations

import json
import re

from mindloop.observer.lines import one_line
from mindloop.observer.names import fold
from mindloop.protocol.questions import AnswerRefused
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

LIMIT = 200_000
"""Largest answer, in bytes, where a skill sets no limit of its own."""

_FENCED = when_used(r"```[A-Za-z0-9]*[ \t]*\r?\n(.*)\n[ \t]*```", re.DOTALL)
_SHOWN = 80
HINT = "Ask again, or give another answer; expected is the one JSON object that the packet describes."
"""What to do about an answer that was refused, whoever refuses it."""


class NotAnObject(AnswerRefused):
    """An answer that is not one JSON object.

    Attributes:
        reason: what is wrong with it, without a word of the judge's; it stands in the message too.
        detail: the same with what came, on one line.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"the answer was refused: {reason}", HINT)
        self.reason = reason
        self.detail = detail or reason


def read_object(raw: str, *, limit: int = LIMIT) -> dict[str, Any]:
    """Read an answer.

    A byte order mark, white space and one surrounding code fence are taken off; any other text around the object
    refuses it. Texts of the object may hold halves of surrogate pairs, which no file takes.

    Args:
        raw: what the judge returned.
        limit: the most bytes that are read.

    Raises:
        NotAnObject: too large, not JSON, not an object, a key twice in one object, NaN or an infinity.
    """
    size = len(raw) if raw.isascii() else len(raw.encode("utf-8", "surrogatepass"))
    if size > limit:
        raise NotAnObject(f"it has {size} bytes, at most {limit} are read")
    text = raw.removeprefix("\ufeff").strip()
    fenced = _FENCED.fullmatch(text)
    try:
        value = json.loads(
            fenced.group(1) if fenced else text, object_pairs_hook=_object_without_twins, parse_constant=_no_constant
        )
    except (ValueError, RecursionError) as error:
        raise NotAnObject(f"it is not JSON ({shown(str(error))})") from error
    if not isinstance(value, dict):
        raise NotAnObject(f"it is {kind(value)}, expected one JSON object")
    return value


def require_user(record: dict[str, Any], user: str) -> None:
    """Refuse an answer that is not about its user; the message shows nothing of what came.

    Raises:
        AnswerRefused: ``user`` is missing, no text, or another user's name.
    """
    named = record.get("user")
    if not isinstance(named, str):
        raise AnswerRefused(f'"user" is {kind(named)}, expected the text "{shown(user)}"', HINT)
    if fold(named) != fold(user):
        raise AnswerRefused(f'"user" is another one, expected "{shown(user)}"', HINT)


def _object_without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) != len(pairs):
        last = {key: place for place, (key, _) in enumerate(pairs)}
        twin = next(key for place, (key, _) in enumerate(pairs) if last[key] != place)
        raise NotAnObject("a key occurs twice in one object", f'key "{shown(twin)}" occurs twice in one object')
    return record


def _no_constant(name: str) -> NoReturn:
    raise NotAnObject(f"{name} is no JSON number")


def shown(text: str) -> str:
    """A text of a judge's as a log line may hold it: one short line."""
    return one_line(text[: _SHOWN * 10], _SHOWN)


def kind(value: object) -> str:
    """What a JSON value is, in words that hold nothing of it: ``a text``, ``null or missing``."""
    if value is None:
        return "null or missing"
    names = {bool: "true or false", str: "a text", list: "a list", dict: "an object"}
    return names.get(type(value), "a number")
