"""The answer that stands in where no model is asked (follow-up, step 2i): what the rehearsal host gives."""

from __future__ import annotations

import json

from mindloop.observer.answer.text import clean_trigger
from mindloop.observer.rehearsed import LABEL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from mindloop.observer.types import Quote, Trigger

_REHEARSAL_BODY = (
    f"{LABEL} you said the words quoted above. tell me about the last time that happened: "
    "what did you do next, and what came of it?"
)
_REHEARSAL_QUESTIONS = [
    f"{LABEL} what happened that shows this hypothesis is wrong?",
    f"{LABEL} what did this person do instead, the last time?",
    f"{LABEL} what have they stopped doing without saying so?",
]


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
        "hypothesis_or_trigger": _named(triggers[0]) if triggers else LABEL,
        "anchor_quote_hash": f"sha256:{quote['hash']}",
        "anchor_quote_text": quote["quote_text"],
        "message_body": _REHEARSAL_BODY,
        "temporal_claims": [],
    }


def _named(trigger: Trigger) -> str:
    """Return a trigger's text with its hypothesis in front, once."""
    name, text = trigger["hypothesis_id"], trigger["text"]
    return clean_trigger(text if not name or name in text else f"{name}: {text}")
