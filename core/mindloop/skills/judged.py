"""What the skills share that ask one question an item: an answer is checked, then applied with the run's progress.

/follow-up has its own resume, because its users leave the run together, in one batch.
"""

from __future__ import annotations

from mindloop.protocol.questions import AnswerRefused, settle
from mindloop.protocol.run_files import (
    SCHEMA,
    answered_items,
    begun_head,
    find_run,
    read_answer,
    read_head,
    read_item,
    write_object,
)
from mindloop.store.errors import Busy, Malformed, Negative, Unreadable, WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from typing import Any

    from mindloop.protocol.run_files import RunPlace
    from mindloop.store.transaction import Transaction
    from mindloop.store.workspace import Workspace

    Item = dict[str, Any]
    Progress = Callable[[str, int, int], None]

DONE, REFUSED = "done", "refused"


class Judging:
    """How one skill takes the answers of its one kind of question.

    Attributes:
        skill: the runs' name, as in their heads.
        scopes: the lock scopes that applying an item's answer needs, beside the run's own.
        check: reads a raw answer against the item; raises AnswerRefused. Pure: no file, no clock.
        apply: stages what a checked answer changes, and returns one line for people: no word of the judge's. Where the
            answer may not be taken after all, it raises AnswerRefused before it stages anything.
    """

    __slots__ = ("apply", "check", "scopes", "skill")

    def __init__(
        self,
        skill: str,
        *,
        scopes: Callable[[Item], tuple[str, ...]],
        check: Callable[[Item, str], Any],
        apply: Callable[[Transaction, Item, Any, str, datetime], str],
    ) -> None:
        self.skill = skill
        self.scopes = scopes
        self.check = check
        self.apply = apply


class Judged:
    """What taking the filed answers came to.

    Attributes:
        done: ``{user, item, outcome, told}`` of each item that was settled now; ``outcome`` is ``done`` or ``refused``.
        open: items that still wait, by name.
        busy: items whose lock is held elsewhere; they stay open.
    """

    __slots__ = ("busy", "done", "open", "place", "state", "warnings")

    def __init__(self, place: RunPlace) -> None:
        self.place = place
        self.done: list[dict[str, str]] = []
        self.open: list[str] = []
        self.busy: list[str] = []
        self.warnings: list[str] = []
        self.state = "open"


def resume(workspace: Workspace, judging: Judging, run: str, now: datetime, progress: Progress | None = None) -> Judged:
    """Check every filed answer of a run and apply it; an answer that is refused settles its item and changes nothing.

    Raises:
        Negative: there is no such run, or it is another skill's.
        Malformed: the run's head does not parse.
    """
    place = find_run(workspace, run)
    head = begun_head(workspace, place, judging.skill)
    judged = Judged(place)
    ready = sorted((set(head["waiting"]) & answered_items(workspace, place)) - set(head["done"]))
    for number, item in enumerate(ready, 1):
        _take(workspace, judging, judged, item, now)
        if progress:
            progress("checking answers", number, len(ready))
    head = read_head(workspace, place)
    judged.state = head["state"]
    judged.open = sorted(set(head["waiting"]) - set(head["done"]))
    return judged


def answer_now(
    workspace: Workspace, judging: Judging, run: str, item: str, raw: str, *, host: str, now: datetime
) -> dict[str, str]:
    """Check one answer and apply it at once; a refused one changes nothing and the item still waits.

    Returns:
        ``{user, item, outcome, told}``.

    Raises:
        AnswerRefused: the message names the field, what was expected and what came.
        Negative: no such run or item, or the item is settled already.
    """
    place = find_run(workspace, run)
    begun_head(workspace, place, judging.skill)
    found = read_item(workspace, place, item)
    value = judging.check(found, raw)
    with workspace.transaction(place.scope, *judging.scopes(found)) as tx:
        head = _waiting_head(tx, place, item)
        write_object(tx, place.answer(item), {"schema": SCHEMA, "user": item, "host": host, "raw": raw})
        told = judging.apply(tx, found, value, host, now)
        settle(tx, place, head, item, DONE, now=now)
    return {"user": str(found["user"]), "item": item, "outcome": DONE, "told": told}


def _waiting_head(tx: Transaction, place: RunPlace, item: str) -> dict[str, Any]:
    head = read_head(tx, place)
    if item not in head["waiting"] or item in head["done"]:
        raise Negative(f"{item!r} does not wait in {place.run!r}; nothing would come of an answer", "Begin a new run.")
    return head


def _take(workspace: Workspace, judging: Judging, judged: Judged, item: str, now: datetime) -> None:
    try:
        taken = _settled(workspace, judging, judged.place, item, now)
    except Busy as error:
        judged.busy.append(item)
        judged.warnings.append(f"{item}: left open: {error.message}")
    except (Malformed, Negative, Unreadable, WrongInput) as error:
        judged.warnings.append(f"{item}: left open: {error.message}")
    else:
        judged.done += [taken] if taken else []


def _settled(
    workspace: Workspace, judging: Judging, place: RunPlace, item: str, now: datetime
) -> dict[str, str] | None:
    """One item through its check, in one transaction with the run's progress; None where another process was first."""
    found = read_item(workspace, place, item)
    with workspace.transaction(place.scope, *judging.scopes(found)) as tx:
        head = read_head(tx, place)
        if item in head["done"]:
            return None
        filed = read_answer(tx, place, item) or {}
        try:
            value = judging.check(found, str(filed.get("raw", "")))
            told = judging.apply(tx, found, value, str(filed.get("host", "unknown")), now)
        except AnswerRefused as refused:
            outcome, told = REFUSED, f"refused: {refused.message}"
        else:
            outcome = DONE
        settle(tx, place, head, item, outcome, now=now)
    return {"user": str(found["user"]), "item": item, "outcome": outcome, "told": told}
