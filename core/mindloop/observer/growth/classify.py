"""Reading what a judge answered about a reply.

Nothing of the answer is taken on trust: the words that it quotes must stand in the reply, letter for letter.
"""

from __future__ import annotations

import unicodedata

from mindloop.observer.growth.confidence import DIRECTIONS, STRENGTHS
from mindloop.observer.growth.evidence import RATIONALE, SPAN
from mindloop.observer.json_answer import HINT, kind, read_object
from mindloop.observer.lines import SURROGATE, shows_something
from mindloop.observer.sanitizer import sanitize
from mindloop.protocol.questions import AnswerRefused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def read_classification(raw: str, signal: str) -> dict[str, str]:
    """Read an answer: direction, strength, a span of the reply in NFC, a rationale without steering phrases.

    Raises:
        AnswerRefused: not one JSON object of the right shape, or words that do not stand in the reply; the message
            holds none of what came.
    """
    answer = read_object(raw)
    problem = shape_problem(answer)
    if problem:
        raise AnswerRefused(problem, HINT)
    span = checked_span(answer["quote_span"], signal)
    rationale = sanitize(SURROGATE.sub("", answer["rationale"]), RATIONALE)
    return {**answer, "quote_span": span, "rationale": rationale}


def shape_problem(answer: Mapping[str, Any]) -> str | None:
    """What is wrong with an answer's shape, naming the field, or None; the same as the published schema says."""
    for field, allowed in (("direction", DIRECTIONS), ("strength", STRENGTHS)):
        value = answer.get(field)
        if not isinstance(value, str) or value not in allowed:
            came = "another text" if isinstance(value, str) else kind(value)
            return f'"{field}" is {came}, expected one of {", ".join(allowed)}'
    for field in ("quote_span", "rationale"):
        if not isinstance(answer.get(field), str):
            return f'"{field}" is {kind(answer.get(field))}, expected a text'
    length = len(answer["quote_span"])
    return None if 1 <= length <= SPAN else f'"quote_span" has {length} characters, expected 1 to {SPAN}'


def checked_span(span: str, signal: str) -> str:
    """A span of a reply in NFC.

    Raises:
        AnswerRefused: it shows nothing, is longer than allowed, or does not stand in the reply letter for letter.
    """
    composed = unicodedata.normalize("NFC", span)
    if not shows_something(composed) or len(composed) > SPAN:
        raise AnswerRefused(f'"quote_span" holds no words, or more than {SPAN} characters of them', HINT)
    if composed not in unicodedata.normalize("NFC", signal):
        raise AnswerRefused('"quote_span" does not stand in the reply letter for letter', HINT)
    return composed
