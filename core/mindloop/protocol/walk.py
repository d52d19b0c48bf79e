"""Walks a step table: the leading steps once, the middle ones for each item, the trailing ones once.

A table reads ``ONCE* EACH* ONCE*``. An item walks until it is skipped, must ask, or is through. The walk keeps no
state of its own: the caller commits what the steps changed together with the item's place in the table.
"""

from __future__ import annotations

from mindloop.protocol.step import EACH, ONCE, STOP, Ask, Done, Skip
from mindloop.store.errors import Busy, MindloopError, StoreFailure, Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.protocol.step import Step


class Table:
    """A skill: its steps in order, which are its table of contents, its skip table and its documentation."""

    __slots__ = ("name", "steps")

    def __init__(self, name: str, steps: tuple[Step, ...]) -> None:
        self.name = name
        self.steps = steps
        scopes = [step.scope for step in steps]
        shape = [scope for index, scope in enumerate(scopes) if index == 0 or scopes[index - 1] != scope]
        if shape not in ([ONCE, EACH, ONCE], [ONCE, EACH], [EACH], [ONCE], [EACH, ONCE]):
            message = f"skill {name}: steps must read once, each, once; they read {shape}"
            raise ValueError(message)

    def leading(self) -> tuple[Step, ...]:
        """The steps before the first item."""
        first = next((i for i, step in enumerate(self.steps) if step.scope == EACH), len(self.steps))
        return self.steps[:first]

    def lane(self, start: str | None = None, stop: str | None = None) -> tuple[Step, ...]:
        """The steps of one item from ``start`` (included) to ``stop`` (left out)."""
        lane = [step for step in self.steps if step.scope == EACH]
        ids = [step.id for step in lane]
        return tuple(lane[ids.index(start) if start else 0 : ids.index(stop) if stop else len(ids)])

    def trailing(self) -> tuple[Step, ...]:
        """The steps after the last item."""
        after = [i for i, step in enumerate(self.steps) if step.scope == EACH]
        return self.steps[after[-1] + 1 :] if after else ()


class Walked:
    """Where a walk ended: its outcome, the step it ended at, one note a step."""

    __slots__ = ("at", "notes", "outcome")

    def __init__(self, outcome: Done | Skip | Ask, at: str, notes: list[str]) -> None:
        self.outcome = outcome
        self.at = at
        self.notes = notes


def walk(steps: tuple[Step, ...], context: Any, flags: dict[str, Any], *item: Any) -> Walked:
    """Run ``steps`` in order until one skips or asks.

    Raises:
        MindloopError: from a step whose errors stop the run, and Busy and StoreFailure from any step: a full disk is
            not one item's trouble.
    """
    notes: list[str] = []
    for step in steps:
        if not step.runs_when(flags):
            continue
        outcome = _run(step, context, item)
        note = outcome.note if isinstance(outcome, Done) else outcome.detail if isinstance(outcome, Skip) else ""
        if note:
            notes.append(f"{step.id} {note}")
        if not isinstance(outcome, Done):
            return Walked(outcome, step.id, notes)
    return Walked(Done(), steps[-1].id if steps else "", notes)


def _run(step: Step, context: Any, item: tuple[Any, ...]) -> Done | Skip | Ask:
    if step.on_error == STOP:
        return step.run(context, *item)
    try:
        return step.run(context, *item)
    except Unreadable as error:  # one file of one item; the disk itself works
        return Skip(step.failure, error.message)
    except (Busy, StoreFailure):
        raise
    except MindloopError as error:
        return Skip(step.failure, error.message)
    except Exception as error:  # noqa: BLE001 - one item's surprise must not cost the others theirs
        return Skip(step.failure, f"{type(error).__name__}: {error}")
