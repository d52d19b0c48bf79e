"""A run of one question an item: staged in one transaction, answered in any order, settled item by item."""

from __future__ import annotations

from mindloop.protocol.run_files import (
    COMPLETE,
    OPEN,
    SCHEMA,
    RunPlace,
    prompt_hash,
    runs_dir,
    write_object,
)
from mindloop.store.clock import day, stamp
from mindloop.store.errors import WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from typing import Any

    from mindloop.protocol.gap import Gap
    from mindloop.store.transaction import Transaction


class AnswerRefused(WrongInput):
    """An answer that changes nothing: the message names the field, what was expected and what came."""


class Question:
    """One gap of a run.

    Attributes:
        gap: what is asked; its id names the item.
        user: whom it is about, as shown to people.
        judge: the subagent that answers it.
        facts: what the answer is checked against, JSON values; kept in the run with the packet.
    """

    __slots__ = ("facts", "gap", "judge", "user")

    def __init__(self, gap: Gap, *, user: str, judge: str, facts: dict[str, Any]) -> None:
        self.gap = gap
        self.user = user
        self.judge = judge
        self.facts = facts

    def item(self, run: str) -> dict[str, Any]:
        """What the run keeps of the question: the packet, its hash, and the facts."""
        packet = self.gap.packet()
        return {
            **self.facts,
            "schema": SCHEMA,
            "run": run,
            "user": self.user,
            "slug": self.gap.id,
            "judge": self.judge,
            "sha256": prompt_hash(packet),
            "prompt": packet,
            "default": self.gap.default,
            "answer_schema": self.gap.schema,
        }


def stage_run(
    tx: Transaction,
    agent: str,
    skill: str,
    now: datetime,
    questions: Iterable[Question],
    *,
    flags: dict[str, Any] | None = None,
    skipped: Iterable[dict[str, str]] = (),
    warnings: Iterable[str] = (),
) -> RunPlace:
    """Stage the head and every item of a new run; the transaction holds the scope ``agent:<agent>``.

    Args:
        tx: where it is staged.
        agent: whose run it is (the setting ``agent``).
        skill: the run's name begins with it.
        now: the instant of the command.
        questions: one an item; their gap ids are all different.
        flags: what the run was asked for, for whoever resumes it.
        skipped: ``{user, reason, detail}`` of everybody who was left out.
        warnings: what the operator was told; the first hundred are kept.
    """
    from mindloop.store.ids import next_run_id

    place = RunPlace(agent, next_run_id(tx.names(runs_dir(agent), ".json"), skill, day(now)))
    waiting = {}
    for question in questions:
        write_object(tx, place.item(question.gap.id), question.item(place.run))
        waiting[question.gap.id] = question.user
    head: dict[str, Any] = {
        "schema": SCHEMA,
        "skill": skill,
        "state": OPEN if waiting else COMPLETE,
        "started_at": stamp(now),
        "flags": {key: value for key, value in (flags or {}).items() if value},
        "waiting": waiting,
        "done": {},
        "skipped": list(skipped),
        "warnings": list(warnings)[:100],
    }
    write_object(tx, place.head, head)
    return place


def settle(tx: Transaction, place: RunPlace, head: dict[str, Any], item: str, outcome: str, *, now: datetime) -> None:
    """Stage that an item is through; the run is complete with its last one. ``head`` is changed in place."""
    head["done"][item] = outcome
    head["state"] = COMPLETE if set(head["waiting"]) <= set(head["done"]) else OPEN
    head["updated_at"] = stamp(now)
    write_object(tx, place.head, head)
