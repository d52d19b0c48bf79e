"""How an answer about a reply is taken: checked against the reply's own words, then learned from."""

from __future__ import annotations

from mindloop.observer.growth.classify import read_classification
from mindloop.observer.growth.confidence import has_evidence, replied_message, take_evidence
from mindloop.observer.growth.evidence import evidence_of
from mindloop.observer.growth.files import write_state
from mindloop.observer.growth.reading import load_user
from mindloop.observer.rehearsed import REHEARSAL
from mindloop.protocol.questions import AnswerRefused
from mindloop.skills.grow import SKILL
from mindloop.skills.judged import Judging
from mindloop.store.errors import Negative

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from mindloop.store.transaction import Transaction

    Item = dict[str, Any]


def _scopes(item: Item) -> tuple[str, ...]:
    return (f"user:{item['user_slug']}",)


def _check(item: Item, raw: str) -> dict[str, str]:
    return read_classification(raw, str(item["signal_text"]))


def _apply(tx: Transaction, item: Item, value: dict[str, str], host: str, now: datetime) -> str:
    """Put the evidence on its message; evidence of a judge or a person is never replaced."""
    follow_up_id = str(item["follow_up_id"])
    state = load_user(tx, str(item["user"]))
    if state is None:
        raise AnswerRefused("growth knows nothing of this user any more", "Nothing to do.")
    try:
        message = replied_message(state, follow_up_id)
    except Negative as gone:
        raise AnswerRefused(gone.message, gone.hint) from None
    if has_evidence(message):
        why = "a rehearsal replaces nothing" if host == REHEARSAL else "it stays"
        raise AnswerRefused(f"{follow_up_id} has evidence already; {why}", "Nothing to do.")
    evidence = evidence_of(
        value, signal_id=str(item["signal_id"]), hypothesis_id=item["hypothesis_id"], host=host, now=now
    )
    was_stale = item.get("hypothesis_was_stale") is True
    state, moved = take_evidence(state, follow_up_id, evidence, now, was_stale=was_stale)
    write_state(tx, state)
    return f"{follow_up_id}: evidence recorded" + (f"; {moved}" if moved else "")


JUDGING = Judging(SKILL, scopes=_scopes, check=_check, apply=_apply)
