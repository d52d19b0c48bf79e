"""The result of a measurement: counts per stage, as a program, a person or a document reads them."""

from __future__ import annotations

from mindloop.sequence.shown import aligned, cell, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from mindloop.sequence.instants import Instants
    from mindloop.sequence.model import Stage
    from mindloop.sequence.tables import Row

    LeadRow = tuple[int, int | None, int | None, bool, bool, bool]

MOST_SILENT = 20
"""Leads of one stage that are named as owed something and left without."""
_DIGITS = 6
_SHOWN_ROWS = 10
_NOTE = 400
_HEADER = (
    "stage",
    "entered",
    "entitled",
    "sent",
    "reached",
    "sent/entitled",
    "reached/entitled",
    "sent/entered",
    "reached/entered",
)
_TABLE = ("stage", "entitled, sent", "entitled, unsent", "unentitled, sent", "unentitled, unsent", "sends after exit")


class StageCount:
    """The counts of one stage: leads, but for ``sends``, ``failed`` and ``after_exit``, which count messages.

    Attributes:
        entitled: leads for whom a follow-up fell due before they left; None without a property history.
        outside: leads that were not entitled.
        sent, reached: leads with a message of the stage, and with one that did not fail.
        after_exit: messages at or after the lead's exit: of the wrong stage, or after a stop.
        silent: the first few leads that were entitled and got nothing.
        block_reasons: what blocked those, and how many of them; None where no runs with reasons were given.
    """

    __slots__ = (
        "after_exit",
        "block_reasons",
        "entered",
        "entered_reached",
        "entered_sent",
        "entitled",
        "entitled_reached",
        "entitled_sent",
        "failed",
        "outside",
        "reached",
        "sends",
        "sent",
        "silent",
        "stage",
    )

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.entered = self.entered_sent = self.entered_reached = 0
        self.entitled: int | None = None
        self.entitled_sent = self.entitled_reached = self.outside = 0
        self.sent = self.reached = self.sends = self.failed = self.after_exit = 0
        self.silent: list[str] = []
        self.block_reasons: dict[str, int] | None = None

    @property
    def unsent(self) -> int:
        """Leads that were owed something and got nothing."""
        return (self.entitled or 0) - self.entitled_sent

    @property
    def unentitled_sent(self) -> int:
        """Leads that got what they were not owed."""
        return self.sent - self.entitled_sent

    def rates(self) -> tuple[float | None, float | None, float | None, float | None]:
        """Sent and reached over entitled, sent and reached over entered; None where there is nobody to count."""
        return (
            _rate(self.entitled_sent, self.entitled),
            _rate(self.entitled_reached, self.entitled),
            _rate(self.entered_sent, self.entered),
            _rate(self.entered_reached, self.entered),
        )

    def as_json(self, *, with_stamps: bool) -> dict[str, Any]:
        """The counts as a program reads them."""
        rates = self.rates()
        return {
            "stage": self.stage.id,
            "entered": self.entered,
            "entitled": self.entitled,
            "sent": self.sent,
            "reached": self.reached,
            "sends": self.sends,
            "failed": self.failed,
            "sendsAfterExit": self.after_exit if with_stamps else None,
            "coverage": {
                "entitled": {"sent": rates[0], "reached": rates[1]},
                "entered": {"sent": rates[2], "reached": rates[3]},
            },
            "table": self._table() if with_stamps else None,
            "silent": {"leads": self.silent, "blockReasons": self.block_reasons} if with_stamps else None,
        }

    def _table(self) -> dict[str, int]:
        return {
            "entitledSent": self.entitled_sent,
            "entitledUnsent": self.unsent,
            "unentitledSent": self.unentitled_sent,
            "unentitledUnsent": self.outside - self.unentitled_sent,
        }


class OverCount:
    """How many runs there are for each message; runs of other workflows are counted apart."""

    __slots__ = ("_sends", "completed", "has_status", "per_follow_up", "runs", "unknown")

    def __init__(self, sends: dict[str, int], *, has_status: bool) -> None:
        self._sends = sends
        self.has_status = has_status
        self.runs = self.completed = self.unknown = 0
        self.per_follow_up: dict[str, int] = {}

    def add(self, follow_up: str | None, *, completed: bool) -> None:
        """Count one run."""
        self.runs += 1
        if follow_up is None:
            self.unknown += 1
        elif completed:
            self.completed += 1
            self.per_follow_up[follow_up] = self.per_follow_up.get(follow_up, 0) + 1

    @property
    def sends(self) -> int:
        """Messages that a follow-up of the model sent."""
        return sum(self._sends.values())

    @property
    def factor(self) -> float | None:
        """COMPLETED runs for each send; None where nothing was sent."""
        return _rate(self.completed, self.sends)

    def as_json(self) -> dict[str, Any]:
        """The counts as a program reads them."""
        return {
            "runs": self.runs,
            "completed": self.completed,
            "sends": self.sends,
            "factor": self.factor,
            "ofUnknownWorkflows": self.unknown,
            "followUps": {
                one: {"completed": runs, "sends": self._sends.get(one, 0), "factor": _rate(runs, self._sends.get(one))}
                for one, runs in sorted(self.per_follow_up.items())
            },
        }

    def sentence(self) -> str:
        """The same for a person."""
        if not self.sends:
            return (
                f"over-count: {self.completed} COMPLETED runs and no send at all; a metric on runs counts looks (R31)"
            )
        factor = f"{self.factor:.1f}" if self.factor is not None else ""
        return f"over-count: {self.completed} COMPLETED runs for {self.sends} sends, a factor of {factor} (R31)"


class Measured:
    """Everything that a measurement found.

    Attributes:
        stages: the counts, in the order of the funnel.
        leads: leads that were counted; ``set_aside``: leads on whom a row could not be read, counted nowhere.
        horizon: the last instant of stamps, messages and runs, in seconds.
        nameless: rows left out that named no lead: each may be missing from the counts of one lead.
        notes: what was assumed or is odd, a sentence each.
    """

    __slots__ = (
        "bad_rows",
        "horizon",
        "instants",
        "lead_names",
        "leads",
        "nameless",
        "notes",
        "over_count",
        "rows_of",
        "set_aside",
        "stages",
        "unknown_properties",
        "unknown_workflows",
        "with_stamps",
    )

    def __init__(self, stages: list[StageCount], instants: Instants, *, with_stamps: bool) -> None:
        self.stages = stages
        self.instants = instants
        self.with_stamps = with_stamps
        self.leads = self.set_aside = self.nameless = 0
        self.horizon: int | None = None
        self.lead_names: list[str] = []
        self.over_count: OverCount | None = None
        self.bad_rows: list[Row] = []
        self.unknown_workflows: dict[str, int] = {}
        self.unknown_properties: dict[str, int] = {}
        self.notes: list[str] = []
        self.rows_of: Callable[[int], Iterator[LeadRow]] | None = None

    @property
    def complete(self) -> bool:
        """Whether every row was read."""
        return not self.bad_rows

    def as_json(self) -> dict[str, Any]:
        """One object for programs; ``rows`` has the leads."""
        return {
            "basis": "entitled" if self.with_stamps else "entered",
            "complete": self.complete,
            "leads": self.leads,
            "setAside": self.set_aside,
            "horizon": self.instants.shown(self.horizon),
            "stages": [one.as_json(with_stamps=self.with_stamps) for one in self.stages],
            "overCount": self.over_count.as_json() if self.over_count else None,
            "unknownWorkflows": dict(sorted(self.unknown_workflows.items())),
            "unknownProperties": dict(sorted(self.unknown_properties.items())),
            "badRows": [{"table": row.table, "row": row.number, "reason": row.reason} for row in self.bad_rows],
            "notes": self.notes,
        }

    def rows(self) -> Iterator[dict[str, Any]]:
        """Each lead of each stage that it entered or got something of, in the order of the stages, then as read."""
        for at, count in enumerate(self.stages):
            for lead, entered, end, entitled, sent, reached in self.rows_of(at) if self.rows_of else ():
                yield {
                    "stage": count.stage.id,
                    "lead": self.lead_names[lead],
                    "entered": self.instants.shown(entered),
                    "exit": self.instants.shown(end),
                    "entitled": entitled if self.with_stamps else None,
                    "sent": sent,
                    "reached": reached,
                }

    def as_text(self) -> str:
        """Aligned tables and sentences for a terminal or a pipe."""
        numbers = range(1, len(_HEADER))
        lines = aligned([_HEADER, *(self._row(one, plain) for one in self.stages)], numbers)
        if self.with_stamps:
            lines += ["", *aligned([_TABLE, *(_crossed(one, plain) for one in self.stages)], numbers)]
        return "\n".join([*lines, "", *self._sentences(plain), ""])

    def as_markdown(self) -> str:
        """The same as Markdown."""
        lines = ["# Coverage of follow-ups", "", *_markdown([_HEADER, *(self._row(one, cell) for one in self.stages)])]
        if self.with_stamps:
            lines += ["", *_markdown([_TABLE, *(_crossed(one, cell) for one in self.stages)])]
        return "\n".join([*lines, "", *(f"- {one}" for one in self._sentences(cell)), ""])

    def _row(self, one: StageCount, show: Callable[..., str]) -> tuple[str, ...]:
        entitled = "-" if one.entitled is None else str(one.entitled)
        counts = (str(one.entered), entitled, str(one.sent), str(one.reached))
        return (show(one.stage.id), *counts, *(_percent(rate) for rate in one.rates()))

    def _sentences(self, show: Callable[..., str]) -> Iterator[str]:
        """What stands below the tables; everything that came from a file goes through ``show``."""
        aside = f", {self.set_aside} set aside on whom a row could not be read" if self.set_aside else ""
        yield show(f"leads: {self.leads}{aside}; up to {self.instants.shown(self.horizon)}")
        for one in self.stages:
            if one.silent:
                yield _silent(one, show)
        if self.over_count:
            yield show(self.over_count.sentence())
        for what, names in (("workflows", self.unknown_workflows), ("properties", self.unknown_properties)):
            if names:
                most = sorted(names, key=lambda name: (-names[name], name))[:_SHOWN_ROWS]
                listed = ", ".join(f"{show(name)} {names[name]}" for name in most)
                yield f"rows of {len(names)} {what} that the model does not have, left out: {listed}"
        for row in self.bad_rows[:_SHOWN_ROWS]:
            yield "left out: " + show(row, _NOTE)
        if len(self.bad_rows) > _SHOWN_ROWS:
            yield f"left out: {len(self.bad_rows) - _SHOWN_ROWS} more rows"
        if self.nameless:
            yield f"{self.nameless} of these rows name no lead: each count may be wrong by that many leads"
        yield from (f"note: {show(note, _NOTE)}" for note in self.notes)


def _rate(part: int, whole: int | None) -> float | None:
    return round(part / whole, _DIGITS) if whole else None


def _percent(rate: float | None) -> str:
    return "-" if rate is None else f"{100 * rate:.1f} %"


def _crossed(one: StageCount, show: Callable[..., str]) -> tuple[str, ...]:
    counts = (one.entitled_sent, one.unsent, one.unentitled_sent, one.outside - one.unentitled_sent, one.after_exit)
    return (show(one.stage.id), *(str(count) for count in counts))


def _silent(one: StageCount, show: Callable[..., str]) -> str:
    named = ", ".join(show(lead) for lead in one.silent[:_SHOWN_ROWS])
    more = f" and {one.unsent - _SHOWN_ROWS} more" if one.unsent > _SHOWN_ROWS else ""
    text = f"silent in {show(one.stage.id)}: {named}{more}"
    if one.block_reasons is None:
        return f"{text} (what blocked them: unknown, runs with a block reason would tell)"
    reasons = sorted(one.block_reasons.items(), key=lambda item: (-item[1], item[0]))[:_SHOWN_ROWS]
    return f"{text} (blocked by {', '.join(f'{show(reason)}: {leads}' for reason, leads in reasons)})"


def _markdown(rows: list[tuple[str, ...]]) -> list[str]:
    rule = ["---", *("---:" for _ in rows[0][1:])]
    return [f"| {' | '.join(row)} |" for row in (rows[0], rule, *rows[1:])]
