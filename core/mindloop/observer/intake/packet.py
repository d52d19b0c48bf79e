"""The question about a user's new direct messages: which are worth coming back to, what they might mean.

The prompt text lives in ``core/config/gaps/ingest-dm.md``. Texts of the user stand in it as JSON, one line each.
"""

from __future__ import annotations

import json

from mindloop.observer.lines import truncate
from mindloop.observer.prompt_text import as_json, filled, one_value, shipped, untrusted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mindloop.observer.canvas.hypotheses import Hypothesis
    from mindloop.observer.provenance.said import Said

TEMPLATE = "config/gaps/ingest-dm.md"
SCHEMA = "ingest-dm-answer"
MAX_QUOTES = 150
"""Quotes of one packet, the newest; the rest is in the index and on the canvas."""
_TEXT_LIMIT = 600
_DAY = len("2026-02-11")


def assemble(
    user: str, canvas_basename: str, known: Iterable[Hypothesis], quotes: Sequence[Said], left_out: int
) -> str:
    """Return the exact prompt about one user.

    Args:
        user: display name.
        canvas_basename: file name of the user's canvas.
        known: the hypotheses that the canvas has.
        quotes: what is asked about, oldest first.
        left_out: older quotes of the same ingestion that are not shown.
    """
    more = f"\n{left_out} older quotes of the same export are not shown." if left_out else ""
    titles = "\n".join(f"- {one.id}: {one_value(one.title)}" for one in known)
    values = {
        "user": one_value(user),
        "canvas_basename": one_value(canvas_basename),
        "hypotheses": untrusted(titles) or "(none)",
        "left_out": more,
        "quotes_json": as_json([_entry(one) for one in quotes]),
    }
    return filled(shipped(TEMPLATE), values)


def _entry(one: Said) -> dict[str, str | None]:
    text = one.text if len(one.text) <= _TEXT_LIMIT else truncate(one.text, _TEXT_LIMIT - 1) + "…"
    return {"hash": f"sha256:{one.digest}", "said": one.moment[:_DAY] if one.moment else None, "text": text}


def default_answer(user: str) -> str:
    """The rehearsal's answer: it chooses nothing, and says that nobody was asked."""
    return json.dumps({"user": user, "quotes": [], "hypotheses": [], "note": "rehearsal: no model was asked"})
