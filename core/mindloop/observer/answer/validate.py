"""From a writer's raw answer to messages that may be sent, or to the reason why there are none (follow-up, step 4)."""

from __future__ import annotations

import json

from mindloop.observer.answer.parse import SKIP_REASONS, Answer, AnswerRejected, parse_answer
from mindloop.observer.answer.text import clean_trigger
from mindloop.observer.answer.verify import (
    coverage,
    insert_claims,
    style_advice,
    survivors,
    verify_claims,
    verify_quotes,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mindloop.observer.types import AnswerCase, Quote, Trigger

__all__ = [
    "SKIP_REASONS",
    "Answer",
    "AnswerRejected",
    "coverage",
    "default_answer",
    "insert_claims",
    "parse_answer",
    "refused",
    "style_advice",
    "survivors",
    "validate",
    "verify_claims",
    "verify_quotes",
]

REHEARSAL = "[rehearsal]"

_RAW_SHOWN = 2_000
_REHEARSAL_BODY = (
    f"{REHEARSAL} you said the words quoted above. tell me about the last time that happened: "
    "what did you do next, and what came of it?"
)
_REHEARSAL_QUESTIONS = [
    f"{REHEARSAL} what happened that shows this hypothesis is wrong?",
    f"{REHEARSAL} what did this person do instead, the last time?",
    f"{REHEARSAL} what have they stopped doing without saying so?",
]


def validate(raw: str, case: AnswerCase) -> Answer:
    """Run all checks on a writer's answer; never raises on what the answer holds.

    Order: 4a shape, 4b quotes, 4c claims, 4d bodies, 4f coverage, 4e survivors.

    Args:
        raw: the answer as it was filed.
        case: what is known of the user.

    Returns:
        The answer with what survived; its ``skip_reason`` says why nothing did, its log says all that was done.
    """
    try:
        answer = parse_answer(raw, case["user"])
    except AnswerRejected as rejected:
        return refused(rejected, raw, case["user"])
    if answer.skip_reason is None:
        answer.log += verify_quotes(answer, case["registry"])
        answer.log += verify_claims(answer, case["temporal"], case["registry"])
        answer.log += insert_claims(answer)
        answer.log += coverage(answer, case["fears"])
        answer.log += style_advice(answer)
    survivors(answer)
    return answer


def refused(rejected: AnswerRejected, raw: str, user: str) -> Answer:
    """Return what stands for an answer that was refused: nothing but the reason, and the raw text in the log."""
    log = [f"REFUSED answer for {user}: {rejected.detail}", f"raw: {raw[:_RAW_SHOWN]!a}"]
    return Answer(user, rejected.reason, log)


def default_answer(user: str, quotes: Sequence[Quote], triggers: Sequence[Trigger]) -> str:
    """Return the answer that stands in where no model is asked: JSON, one plain message on the first verified quote.

    It says in every text that it is a rehearsal, and it passes the checks like any answer.
    """
    quote = next((quote for quote in quotes if quote["hash_verified"]), None)
    messages = [_rehearsal_message(quote, triggers)] if quote else []
    answer = {
        "user": user,
        "scary_questions": _REHEARSAL_QUESTIONS if quote else [],
        "messages": messages,
        "quotes_used": [message["anchor_quote_hash"] for message in messages],
        "skip_reason": None if quote else "no_quotes",
    }
    return json.dumps(answer, indent=2)


def _rehearsal_message(quote: Quote, triggers: Sequence[Trigger]) -> dict[str, object]:
    return {
        "hypothesis_or_trigger": _named(triggers[0]) if triggers else REHEARSAL,
        "anchor_quote_hash": f"sha256:{quote['hash']}",
        "anchor_quote_text": quote["quote_text"],
        "message_body": _REHEARSAL_BODY,
        "temporal_claims": [],
    }


def _named(trigger: Trigger) -> str:
    """Return a trigger's text with its hypothesis in front, once."""
    name, text = trigger["hypothesis_id"], trigger["text"]
    return clean_trigger(text if not name or name in text else f"{name}: {text}")
