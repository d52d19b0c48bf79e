"""What the runner's own table is good for: by how much it over-counts, and what blocked those who got nothing.

A run is a look, never a send (R31); nothing of it enters a coverage.
"""

from __future__ import annotations

from mindloop.sequence.measured import OverCount
from mindloop.sequence.shown import plain
from mindloop.sequence.tables import is_nothing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from mindloop.sequence.instants import Instants
    from mindloop.sequence.tables import Table

    class Known(Protocol):
        """What was read before the runs."""

        leads: dict[str, int]
        sends: dict[str, int]
        instants: Instants

        def workflow(self, raw: str) -> tuple[str, int] | None:
            """The follow-up that is meant and the place of its stage."""

    Spans = dict[int, tuple[int, int]]

NO_RUN = "NO_RUN"
"""Stands for a block reason where the runner never looked at a lead that was owed something."""
_MOST_REASONS = 50


class Looks:
    """Reads a table of runs once."""

    __slots__ = ("_blocked", "_reason_at", "_status_at", "has_reasons", "table")

    def __init__(self, table: Table) -> None:
        columns = list(table.columns)
        self.table = table
        self._status_at = columns.index("status") if "status" in columns else None
        self._reason_at = columns.index("reason") if "reason" in columns else None
        self.has_reasons = self._reason_at is not None
        self._blocked: list[dict[int, dict[str, int]]] = []

    def read(self, known: Known, waiting: list[Spans]) -> OverCount:
        """Count the runs.

        Args:
            known: leads, sends and workflows.
            waiting: per stage, the leads that were owed something and got nothing, and from when until when.
        """
        self._blocked = [{} for _ in waiting]
        over = OverCount(known.sends, has_status=self._status_at is not None)
        for fields in self.table.rows():
            workflow = known.workflow(fields[1])
            try:
                at = known.instants.read(fields[2], self.table)
            except ValueError as error:
                self.table.refuse(f"t {plain(fields[2], 40)!r} {error}")
                continue
            status = "completed" if self._status_at is None else fields[self._status_at].strip().lower()
            over.add(workflow[0] if workflow else None, completed=status == "completed")
            if workflow and workflow[1] >= 0 and self._reason_at is not None:
                lead = known.leads.get(fields[0].strip(), -1)
                self._block(workflow[1], lead, at, fields[self._reason_at].strip(), waiting[workflow[1]])
        return over

    def _block(self, stage: int, lead: int, at: int, reason: str, waiting: Spans) -> None:
        span = waiting.get(lead)
        if span is None or not span[0] <= at < span[1] or is_nothing(reason):
            return
        reasons = self._blocked[stage].setdefault(lead, {})
        if len(reasons) < _MOST_REASONS or reason in reasons:
            reasons[reason] = reasons.get(reason, 0) + 1

    def dominant(self, waiting: list[Spans]) -> list[dict[str, int]]:
        """Per stage, how many of the waiting leads each reason blocked most often."""
        return [_worst(leads, blocked) for leads, blocked in zip(waiting, self._blocked, strict=True)]


def _worst(leads: Spans, blocked: dict[int, dict[str, int]]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for lead in leads:
        reasons = blocked.get(lead)
        worst = min(reasons, key=lambda one: (-reasons[one], one)) if reasons else NO_RUN
        worst = plain(worst)
        counts[worst] = counts.get(worst, 0) + 1
    return counts
