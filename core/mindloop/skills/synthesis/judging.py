"""How an answer about many users is taken: checked against the run, written as one Markdown file."""

from __future__ import annotations

from mindloop.observer.layout import layout_of
from mindloop.observer.rehearsed import REHEARSAL
from mindloop.observer.synthesis.answer import LISTS, parse_findings
from mindloop.observer.synthesis.render import COGNITION, FOLLOW_UPS, TYPES, render_synthesis
from mindloop.protocol.questions import AnswerRefused
from mindloop.protocol.run_files import known_host
from mindloop.skills.judged import Judging
from mindloop.skills.synthesis import SKILL
from mindloop.store import front_matter
from mindloop.store.clock import day
from mindloop.store.errors import Malformed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from mindloop.observer.synthesis.answer import Findings
    from mindloop.store.transaction import Transaction

    Item = dict[str, Any]


def _scopes(_item: Item) -> tuple[str, ...]:
    return ("research",)


def _check(item: Item, raw: str) -> Findings:
    users, least, target = item.get("users"), item.get("min_users"), item.get("target")
    if not isinstance(users, dict) or not all(isinstance(name, str) for name in users.values()):
        raise Malformed("the run's item has no users to check an answer against", "Begin a new run.")
    if not isinstance(least, int) or target not in TYPES:
        raise Malformed("the run's item does not say what its answer is for", "Begin a new run.")
    return parse_findings(raw, users.keys(), least)


def _apply(tx: Transaction, item: Item, findings: Findings, host: str, now: datetime) -> str:
    """Write the day's synthesis; one of the same day is replaced, unless a rehearsal would replace a judge's."""
    layout = layout_of(tx)
    target = item["target"]
    path = {FOLLOW_UPS: layout.follow_up_synthesis, COGNITION: layout.cognition_synthesis}[target](day(now))
    host = known_host(host)
    _require_replaceable(tx, path, target, host)
    tx.write(path, render_synthesis(findings, item["users"], target, host, now))
    counts = [f"{name.replace('_', ' ')}: {len(findings.lists[name])}" for name in LISTS]
    dropped = [f"entries dropped: {findings.dropped}"] if findings.dropped else []
    return f"{path} ({', '.join(counts + dropped)})"


def _require_replaceable(tx: Transaction, path: str, target: str, host: str) -> None:
    """Refuse to write over a file that is none of ours, or with a rehearsal over what a judge found."""
    text = tx.read_text(path)
    if text is None:
        return
    header, _ = front_matter.parse(text, path)
    if header.get("type") != TYPES[target]:
        raise Malformed(f"{path}: it is there and is no synthesis of ours", "Move it away, then resume the run again.")
    if host == REHEARSAL and header.get("host") != REHEARSAL:
        raise AnswerRefused(
            f"{path}: a judge's synthesis is there, a rehearsal does not replace it",
            "Move the file away to rehearse on this day.",
        )


JUDGING = Judging(SKILL, scopes=_scopes, check=_check, apply=_apply)
