"""The question what a reply says about a hypothesis, and the reading of its answer.

The question holds one message and one reply of one user. Nothing of the answer is taken on trust: the words that it
quotes must stand in the reply, letter for letter.
"""

from __future__ import annotations

import json
import unicodedata

from mindloop.observer.growth.confidence import DIRECTIONS, STRENGTHS
from mindloop.observer.json_answer import HINT, kind, read_object
from mindloop.observer.lines import SURROGATE, shows_something, truncate
from mindloop.observer.prompt_text import filled, one_name, one_value, shipped, untrusted
from mindloop.observer.rehearsed import REHEARSAL
from mindloop.observer.sanitizer import sanitize
from mindloop.protocol.questions import AnswerRefused
from mindloop.store.clock import stamp
from mindloop.store.digest import sha256_hex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime
    from typing import Any

    from mindloop.observer.types import Evidence

TEMPLATE = "config/gaps/grow.md"
SCHEMA = "growth-answer"
SPAN = 200
RATIONALE = 300
SHOWN_CHARACTERS = 4_000
"""As much of a reply, or of a message, goes into the question."""


def question_text(*, user: str, canvas_basename: str, hypothesis: str, question: str, signal: str, said: str) -> str:
    """The packet about one reply, joined in one pass: braces in a reply stay what they are.

    Args:
        user: display name.
        canvas_basename: file name of the user's canvas, whose one mention says whom the packet is about.
        hypothesis: what the message was to find out.
        question: the message as it was sent; empty where its batch is gone.
        signal: the reply.
        said: when it was said, or empty.
    """
    values = {
        "user": one_value(user),
        "canvas_basename": one_name(canvas_basename),
        "hypothesis": one_value(hypothesis) or "(none was named)",
        "question": _bounded(question) or "(the text of the message is not kept any more)",
        "signal_text": _bounded(signal),
        "said_at": one_value(said) or "not known",
    }
    return filled(shipped(TEMPLATE), values)


def _bounded(text: str) -> str:
    shown = truncate(text, SHOWN_CHARACTERS)
    left_out = len(text) - len(shown)
    cut = f"\n(cut here: {left_out} more characters)" if left_out else ""
    return untrusted(shown) + cut


def default_answer(signal: str) -> str:
    """The fail-safe answer, which teaches nothing; the rehearsal gives it."""
    rationale = "[rehearsal] nobody judged this reply"
    return json.dumps(
        {"direction": "neutral", "strength": "low", "quote_span": first_span(signal), "rationale": rationale}
    )


def first_span(signal: str) -> str:
    """The beginning of a reply, as long as a span may be."""
    return truncate(unicodedata.normalize("NFC", signal), SPAN)


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


def evidence_of(
    classification: Mapping[str, str], *, signal_id: str, hypothesis_id: str | None, host: str, now: datetime
) -> Evidence:
    """The evidence that a message keeps.

    Args:
        classification: what ``read_classification`` returned.
        signal_id: the reply's content hash.
        hypothesis_id: the first hypothesis that the message asked about, or None.
        host: who classified: ``person`` and ``rehearsal`` are kept as such, every model is the ``agent``.
        now: when.
    """
    span = classification["quote_span"]
    return {
        "signal_id": signal_id,
        "hypothesis_id": hypothesis_id,
        "direction": classification["direction"],
        "strength": classification["strength"],
        "quote_span": span,
        "quote_hash": sha256_hex(span.encode("utf-8", "surrogatepass")),
        "rationale": classification["rationale"],
        "classified_by": host if host in {"person", REHEARSAL} else "agent",
        "classified_at": stamp(now),
    }
