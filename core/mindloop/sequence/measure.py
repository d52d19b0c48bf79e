"""Coverage by entitlement: did each lead who was owed a stage's follow-up ever get one (section 8)?

A send is a message with a source workflow, and nothing else is; runs are looks. They are read for one thing alone: by
how much a metric that is built on them over-counts. Everything is streamed; memory grows with leads, not with rows.
"""

from __future__ import annotations

import heapq
from array import array

from mindloop.sequence import columns, words
from mindloop.sequence.entitlement import History
from mindloop.sequence.funnel import in_order
from mindloop.sequence.instants import ZONELESS, Instants
from mindloop.sequence.loading import Names
from mindloop.sequence.looks import Looks
from mindloop.sequence.measured import MOST_SILENT, Measured, StageCount
from mindloop.sequence.shown import plain
from mindloop.sequence.tables import Table, is_nothing
from mindloop.store.errors import Malformed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindloop.sequence.measured import OverCount
    from mindloop.sequence.model import Model, Stage
    from mindloop.sequence.tables import Chunks

_SENT, _REACHED = 1, 2
_GROW = 4096
_MOST_NAMES = 1000
_NEVER = 1 << 60
_R31 = "Export the messages: runs and logs are evaluations, they over-count (R31)."


def measure(model: Model, messages: Chunks, stamps: Chunks | None = None, runs: Chunks | None = None) -> Measured:
    """Count who was owed a follow-up of each stage, who got one, and whom it reached.

    Args:
        model: the set of follow-ups.
        messages: CSV with lead, workflow (empty where no workflow sent it), t, status; a direction tells inbound rows.
        stamps: the property history, CSV with lead, prop, value, t. Without it nobody knows who was owed what.
        runs: CSV with lead, workflow, t, and perhaps status and block reason.

    Returns:
        The counts; leads on whom a row could not be read are set aside in all of them.

    Raises:
        Malformed: no CSV, a column missing, clocks that cannot be compared, more bad rows than by accident, or runs
            where messages were expected; the message names the row.
    """
    counting = _Counting(model)
    if stamps is not None:
        counting.read_stamps(Table("stamps", stamps, columns.STAMP_TABLE, {}))
    counting.read_messages(Table("messages", messages, columns.MESSAGE_TABLE, columns.MESSAGE_EXTRAS))
    counting.set_torn_aside()
    looks = Looks(Table("runs", runs, columns.RUN_TABLE, columns.RUN_EXTRAS)) if runs is not None else None
    over_count = counting.read_looks(looks) if looks else None
    measured = counting.judge(with_stamps=stamps is not None)
    measured.over_count = over_count
    if looks:
        counting.blame(looks, measured)
    return counting.told(measured)


class _Counting:
    """What has been read so far; leads are numbers."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.stages = in_order(model)
        self.at_of = {stage.id: at for at, stage in enumerate(self.stages)}
        self.leads: dict[str, int] = {}
        self.instants = Instants()
        self.history = History(model)
        self.flags = [bytearray() for _ in self.stages]
        self.counts = [StageCount(stage) for stage in self.stages]
        self.aside: set[int] = set()
        self.workflows = _workflows(model, self.at_of)
        self.statuses = {"OK": False, "PENDING": False, "FAILED": True}
        self.unknown_workflows: dict[str, int] = {}
        self.unknown_properties: dict[str, int] = {}
        self.odd: dict[str, int] = {}
        self.sends: dict[str, int] = {}
        self.tables: list[Table] = []
        self.notes: list[str] = []
        self.nameless = 0
        self.owed: list[dict[int, tuple[int, int]]] = []

    # Reading a field

    def _lead(self, raw: str, table: Table) -> int:
        """The number of a lead; -1 where the row names none and was left out."""
        lead = self.leads.get(raw)
        if lead is not None:
            return lead
        name = raw.strip()
        if is_nothing(name):
            table.refuse("it names no lead")
            return -1
        return self.leads.setdefault(name, len(self.leads))

    def instant(self, raw: str, lead: int, table: Table) -> int | None:
        """An instant in seconds; None where the row was left out, and its lead set aside."""
        try:
            return self.instants.read(raw, table)
        except ValueError as error:
            self._refuse(table, lead, f"t {plain(raw, 40)!r} {error}")
            return None

    def _refuse(self, table: Table, lead: int, reason: str) -> None:
        self.aside.add(lead)
        table.refuse(reason)

    def _rows(self, table: Table) -> Iterator[tuple[str, ...]]:
        self.tables.append(table)
        return table.rows()

    # Property history

    def read_stamps(self, table: Table) -> None:
        resolve = Names(self.model.properties).resolve
        gates: dict[str, str | None] = {}
        for raw_lead, raw_property, value, t in self._rows(table):
            if raw_property not in gates:
                if len(gates) > 100 * _MOST_NAMES:
                    gates.clear()
                gates[raw_property] = resolve(raw_property.strip())
            lead = self._lead(raw_lead, table)
            if lead < 0:
                continue
            at = self.instant(t, lead, table)
            if at is not None:
                self._stamp(str(gates[raw_property]), value.strip().lower(), lead, at, table)

    def _stamp(self, gate: str, value: str, lead: int, at: int, table: Table) -> None:
        if gate not in self.history.first_true:
            if gate not in self.model.properties:
                _count(self.unknown_properties, gate)
            return
        if is_nothing(value):
            return
        if self.model.runtime.set_at_policy == words.FIRST_WRITE:
            _earliest(self.history.first_write[gate], lead, at)
        if value in columns.TRUE:
            _earliest(self.history.first_true[gate], lead, at)
        elif value not in columns.FALSE:
            self._refuse(table, lead, f"{plain(gate, 40)} is {plain(value, 40)!r}, expected true, false or nothing")

    # Messages

    def read_messages(self, table: Table) -> None:
        if "run" in table.columns:
            raise Malformed("messages: these are runs, they have a column for a block reason or a run", _R31)
        self.history.settle()
        directed = "direction" in table.columns
        inbound: dict[int, array[int]] = {}
        workflows, leads = self.workflows, self.leads
        for fields in self._rows(table):
            lead = leads.get(fields[0])
            if lead is None:
                lead = self._lead(fields[0], table)
            at = self.instant(fields[2], lead, table) if lead >= 0 else None
            if at is None:
                continue
            if directed and self._is_inbound(fields[4]):
                inbound.setdefault(lead, array("q")).append(at)
                continue
            workflow = workflows.get(fields[1])
            if workflow is None:
                workflow = self.named_workflow(fields[1])
            if workflow:
                self._send(workflow, lead, at, fields[3], table)
        if directed:
            self.history.inbound = {lead: sorted(times) if len(times) > 1 else times for lead, times in inbound.items()}

    def _is_inbound(self, raw: str) -> bool:
        word = raw.strip().lower()
        if word in columns.INBOUND:
            return True
        if word not in columns.OUTBOUND:
            _count(self.odd, f"direction {plain(raw, 40)!r} is not known and counts as outbound")
        return False

    def workflow(self, raw: str) -> tuple[str, int] | None:
        """The same for a row of whatever table; what the model does not have is counted."""
        return self.workflows.get(raw) or self.named_workflow(raw)

    def named_workflow(self, raw: str) -> tuple[str, int] | None:
        """The workflow that is meant; None for a message that no workflow of the model sent."""
        name = raw.strip()
        if is_nothing(name):
            return None
        found = self.workflows.get(name)
        if found is None:
            _count(self.unknown_workflows, name)
        return found

    def _send(self, workflow: tuple[str, int], lead: int, at: int, status: str, table: Table) -> None:
        follow_up, stage = workflow
        failed = self.statuses.get(status)
        if failed is None:
            failed = self._has_failed(status.strip().lower(), table)
        self.sends[follow_up] = self.sends.get(follow_up, 0) + 1
        if stage < 0:
            return
        flags, count = self.flags[stage], self.counts[stage]
        if lead >= len(flags):
            flags.extend(bytes(lead - len(flags) + _GROW))
        flags[lead] |= _SENT if failed else _SENT | _REACHED
        count.sends += 1
        count.failed += failed
        end = self.history.exits(count.stage, lead)
        count.after_exit += end is not None and at >= end

    def _has_failed(self, status: str, table: Table) -> bool:
        if status in columns.OF_RUNS:
            message = f"{table.where()}: {status.upper()} is the status of a run, expected that of a message"
            raise Malformed(message, _R31)
        if status not in columns.FAILED and status not in columns.DELIVERED:
            _count(self.odd, f"status {plain(status, 40)!r} is not known and counts as reached, since it is not FAILED")
        return status in columns.FAILED

    def set_torn_aside(self) -> None:
        """Whoever a row that is none may have been about is counted nowhere; where it names nobody, that is said."""
        for table in self.tables:
            for fields in table.torn:
                about = {self.leads[one] for one in (field.strip() for field in fields) if one in self.leads}
                self.aside.update(about)
                self.nameless += not about

    # The verdict

    def judge(self, *, with_stamps: bool) -> Measured:
        """Fill the counts of every stage from what stamps and messages said."""
        measured = Measured(self.counts, self.instants, with_stamps=with_stamps)
        measured.leads = len(self.leads) - len(self.aside)
        measured.set_aside = len(self.aside)
        measured.horizon = self.instants.latest
        measured.lead_names = list(self.leads)
        for at, (stage, count) in enumerate(zip(self.stages, self.counts, strict=True)):
            self.owed.append(self._owed(stage, (self.instants.latest or 0) + 1) if with_stamps else {})
            self._tally(at, count, measured)
        measured.rows_of = self._leads_of
        return measured

    def _owed(self, stage: Stage, horizon: int) -> dict[int, tuple[int, int]]:
        """Of each entitled lead: when it fell due, and the first instant at which it was too late."""
        owed = {}
        for lead in self.history.first_true[stage.entry_stamp_id]:
            if lead in self.aside:
                continue
            due = self.history.due(stage, lead)
            end = self.history.exits(stage, lead)
            end = horizon if end is None else min(end, horizon)
            if due is not None and due < end:
                owed[lead] = (due, end)
        return owed

    def _tally(self, at: int, count: StageCount, measured: Measured) -> None:
        flags, owed = self.flags[at], self.owed[at]
        flags.extend(bytes(max(0, len(self.leads) - len(flags))))
        entered = (
            self.history.first_true[count.stage.entry_stamp_id] if measured.with_stamps else range(len(self.leads))
        )
        for lead in self.aside:
            flags[lead] = 0
        ins = [lead for lead in entered if lead not in self.aside]
        count.entered, count.entitled = len(ins), len(owed) if measured.with_stamps else None
        count.entered_sent = sum(flags[lead] & _SENT for lead in ins)
        count.entered_reached = sum(flags[lead] >> 1 for lead in ins)
        count.sent = len(flags) - flags.count(0)
        count.reached = flags.count(_SENT | _REACHED)
        count.entitled_sent = sum(flags[lead] & _SENT for lead in owed)
        count.entitled_reached = sum(flags[lead] >> 1 for lead in owed)
        count.outside = len(self.leads) - len(self.aside) - len(owed)
        names = measured.lead_names
        count.silent = heapq.nsmallest(MOST_SILENT, (names[lead] for lead in owed if not flags[lead]))

    def _leads_of(self, at: int) -> Iterator[tuple[int, int | None, int | None, bool, bool, bool]]:
        """(lead, entered, exit, entitled, sent, reached) of every lead that entered a stage or got something of it."""
        stage, flags = self.stages[at], self.flags[at]
        entered = self.history.first_true[stage.entry_stamp_id]
        for lead in range(len(self.leads)):
            if lead in self.aside or not (flags[lead] or lead in entered):
                continue
            end = self.history.exits(stage, lead)
            got = flags[lead]
            yield lead, entered.get(lead), end, lead in self.owed[at], bool(got), bool(got & _REACHED)

    # Runs

    def read_looks(self, looks: Looks) -> OverCount:
        """Count looks; of the leads that may be owed something and got nothing, learn what blocked them.

        The runs come first: the last of them may be what ends the export, where nothing was sent at all.
        """
        self.tables.append(looks.table)
        waiting = [
            {lead: span for lead, span in self._owed(stage, _NEVER).items() if not flags[lead : lead + 1].strip(b"\0")}
            for stage, flags in zip(self.stages, self.flags, strict=True)
        ]
        return looks.read(self, waiting)

    def blame(self, looks: Looks, measured: Measured) -> None:
        """Put the reason that blocked most beside the leads that were owed something and got nothing."""
        if measured.with_stamps and looks.has_reasons:
            waiting = [
                {lead: span for lead, span in owed.items() if not flags[lead]}
                for owed, flags in zip(self.owed, self.flags, strict=True)
            ]
            for count, reasons in zip(self.counts, looks.dominant(waiting), strict=True):
                count.block_reasons = reasons

    # What has to be said

    def told(self, measured: Measured) -> Measured:
        """Put everything that was left out or assumed beside the counts."""
        measured.bad_rows = [row for table in self.tables for row in table.bad]
        measured.nameless = self.nameless + sum(row.reason == "it names no lead" for row in measured.bad_rows)
        measured.unknown_workflows = self.unknown_workflows
        measured.unknown_properties = self.unknown_properties
        measured.notes = list(self._notes(measured))
        return measured

    def _notes(self, measured: Measured) -> Iterator[str]:
        if not measured.with_stamps:
            yield (
                "no property history: nobody knows who was owed what, so coverage is over entered leads alone, and"
                " every lead of the messages counts as entered: the true coverage is at least this"
            )
        elif self.history.inbound is None:
            yield (
                "the messages have no direction: silence gates are left out, so a lead may count as entitled"
                " whom silence held back; the true coverage is at least this"
            )
        if measured.with_stamps and self.model.runtime.set_at_policy == words.EVERY_WRITE:
            yield "setAtPolicy EVERY_WRITE: offsets are counted from the first true, not from later writes"
        if self.instants.kind == ZONELESS:
            yield "no instant has a zone: all are taken for one and the same zone"
        if measured.over_count and not measured.over_count.has_status:
            yield "the runs have no status: each counts as COMPLETED"
        for text, times in sorted(self.odd.items()):
            yield f"{text} ({times} rows)"


def _workflows(model: Model, at_of: dict[str, int]) -> dict[str, tuple[str, int]]:
    """By id, and by a name that one follow-up alone has: the follow-up and the place of its stage, -1 for none."""
    known: dict[str, tuple[str, int]] = {}
    names = [one.name for one in model.follow_ups if one.name]
    counted = [one for one in model.follow_ups if one.type == words.FOLLOW_UP]
    for one in counted:
        if one.name and names.count(one.name) == 1:
            known[one.name] = (one.id, at_of.get(one.stage_id, -1))
    known.update({one.id: (one.id, at_of.get(one.stage_id, -1)) for one in counted})
    return known


def _earliest(times: dict[int, int], lead: int, at: int) -> None:
    if at < times.get(lead, at + 1):
        times[lead] = at


def _count(counts: dict[str, int], name: str) -> None:
    shown = plain(name)
    if shown not in counts and len(counts) >= _MOST_NAMES:
        shown = "…"
    counts[shown] = counts.get(shown, 0) + 1
