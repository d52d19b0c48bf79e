"""The question what a reply says about a hypothesis: one message and one reply of one user."""

from __future__ import annotations

import json

from mindloop.observer.growth.evidence import first_span
from mindloop.observer.lines import truncate
from mindloop.observer.prompt_text import filled, one_name, one_value, shipped, untrusted

TEMPLATE = "config/gaps/grow.md"
SCHEMA = "growth-answer"
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
