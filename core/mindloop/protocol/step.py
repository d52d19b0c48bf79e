"""A step of a skill and what it can come to."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mindloop.protocol.gap import Gap


FAIL_OPEN = "fail_open"
STOP = "stop"
ONCE = "once"
EACH = "each"


class Done:
    """The step is through."""

    __slots__ = ("note",)

    def __init__(self, note: str = "") -> None:
        self.note = note


class Skip:
    """The item leaves the run here; ``reason`` is a word of the skill's own list, ``detail`` says what was seen."""

    __slots__ = ("detail", "reason")

    def __init__(self, reason: str, detail: str = "") -> None:
        self.reason = reason
        self.detail = detail


class Ask:
    """The item waits here until its gap is answered."""

    __slots__ = ("gap",)

    def __init__(self, gap: Gap) -> None:
        self.gap = gap


def always(_flags: dict[str, Any]) -> bool:
    """Runs in every run."""
    return True


class Step:
    """One row of a skill's table.

    Attributes:
        id: as in the source document, ``"2h"``.
        title: one line, shown in documents and logs.
        run: ``run(context)`` for a step that runs once, ``run(context, item)`` for one that runs for each item.
        scope: ONCE or EACH.
        runs_when: decides from the run's flags whether the step runs at all.
        on_error: STOP ends the run with the error; FAIL_OPEN turns it into a Skip of the one item.
        failure: the skip reason that an error of a FAIL_OPEN step becomes.
    """

    __slots__ = ("failure", "id", "on_error", "run", "runs_when", "scope", "title")

    def __init__(
        self,
        id: str,
        title: str,
        run: Callable[..., Done | Skip | Ask],
        *,
        scope: str = EACH,
        runs_when: Callable[[dict[str, Any]], bool] = always,
        on_error: str = FAIL_OPEN,
        failure: str = "internal_error",
    ) -> None:
        self.id = id
        self.title = title
        self.run = run
        self.scope = scope
        self.runs_when = runs_when
        self.on_error = on_error
        self.failure = failure
