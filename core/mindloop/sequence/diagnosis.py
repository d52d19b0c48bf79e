"""From what a simulation shows to what is wrong in the model: the diagnostic fork (section 6).

Two mechanisms make duplicates, and the cure of one does nothing for the other. Stages that overlap lack exclusions, and
no stagger helps; a burst inside one stage lacks anchors, offsets or silence, and no exclusion helps. So each class of
event names the rules that can explain it, those alone, and what would be the wrong cure.
"""

from __future__ import annotations

from mindloop.sequence.check import check
from mindloop.sequence.loading import model_of
from mindloop.sequence.simulator import terms
from mindloop.sequence.words import STRICT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.sequence.findings import Finding
    from mindloop.sequence.model import Model

_NEVER_OVER = "0001-01-01"
"""No waiver has ended: what somebody decided to live with still explains what is seen."""
_EXCLUSION = "an exclusion changes nothing here"
_STAGGER = "offsets, silence and stagger change nothing here"
_LATE = ("X2", "X13")


class Kind:
    """What a class of event means.

    Attributes:
        rules: those that can explain it, the likeliest first.
        otherwise: what it is where none of them found anything.
        not_by: the wrong cure, or "".
    """

    __slots__ = ("not_by", "otherwise", "rules")

    def __init__(self, rules: tuple[str, ...], otherwise: str, not_by: str = "") -> None:
        self.rules = rules
        self.otherwise = otherwise
        self.not_by = not_by


_OVERLAP = ("R21", "R24", "R33", "R16", "R1", "R34", "R2", "R35", "R10", "R22", "R25", "R18")
_STOPPED = ("R21", "R33", "R16", "R34", "R3", "R9", "R10", "R22", "R13", "R14", "R8")
KINDS = {
    terms.CROSS_STAGE: Kind(
        _OVERLAP, "the model keeps these stages apart: look at what the scenario changes", _STAGGER
    ),
    terms.LAG_CROSS: Kind(
        _LATE, "the later stamp was not written yet: the silence gate is what waits for it", _EXCLUSION
    ),
    terms.SAME_STAGE_BURST: Kind(
        ("R4", "R5", "R6", "X1", "X10", "X9", "X4", "X8"),
        "the follow-ups of the stage became due together: look at anchor, offset and silence of each",
        _EXCLUSION,
    ),
    terms.POST_STOP: Kind(
        _STOPPED,
        "nothing that is excluded says that the lead dropped out: the evaluator must set a stop for it",
        _STAGGER,
    ),
    terms.LAG_POST_STOP: Kind(_LATE, "the stop was not written yet: the silence gate is what waits for it", _EXCLUSION),
    terms.SILENT_NO_FIRE: Kind((), "the gate named as reason held it back"),
    terms.WINDOW_FAIL: Kind(("R11", "X3", "X6", "X7", "X5"), "free text left the channel's window: send a template"),
    terms.TEMPLATE_FAIL: Kind(("R11", "R32"), "the template was refused: look at its status and parameters"),
    terms.REPEAT_OVERRUN: Kind(("R30", "X9"), "it repeats without a bound that ends it"),
    terms.CAP_BREACH: Kind(("X12", "X4"), "more is sent than the caps allow"),
    terms.DUPLICATE: Kind(
        (), "the engine sent one message twice: no key, two runners, or a crash between send and mark"
    ),
}
SILENT_BY = {
    terms.NULL: ("R7", "R26", "R36", "R33", "R1", "R20", "R17"),
    terms.FROZEN: ("R25", "R9", "R36"),
    terms.PIPELINE_OFF: ("R10", "R27"),
    terms.NEEDS_ATTENTION: ("R12",),
    terms.UNKNOWN_PROPERTY: ("R21",),
    terms.NOT_WRITTEN: ("R22",),
    terms.CONDITION: ("R34", "R33", "R20", "R23", "R17", "R35"),
    terms.ANCHOR_UNSET: ("R4", "R21", "R10", "R22"),
    terms.INACTIVE: ("R15", "R19"),
    terms.CAP: ("X12",),
    terms.QUIET_HOURS: ("X15",),
}
"""What lies behind a silence, in the order in which to look, and the rules that can explain each."""
CAUSES = {
    terms.NULL: "the property has no value; EQUALS never passes a missing one, NOT_EQUALS does unless SQL_STRICT",
    terms.FROZEN: "the property froze on an early answer: checkUntilMatch and terminalValue true let it change",
    terms.PIPELINE_OFF: "includeInLlm is off, so the evaluator never writes the property",
    terms.NOT_WRITTEN: "nobody writes the property: the agent does not set properties, an evaluator does",
    terms.UNKNOWN_PROPERTY: "the model has no such property, so it never has a value",
    terms.CONDITION: "the lead is not one for whom it is meant",
    terms.NEEDS_ATTENTION: "needs_attention holds every follow-up back until somebody clears it",
    terms.INACTIVE: "it is switched off, of another type, or the stamp is older than activeFrom",
    terms.MUTED: "the contact is muted",
    terms.ANCHOR_UNSET: "the property that starts its clock was never set",
    terms.ANCHOR_WAIT: "its offset had not passed yet",
    terms.NO_INBOUND: "the lead never wrote",
    terms.SILENCE_WAIT: "the lead had written too recently",
    terms.ALREADY_SENT: "it goes out once to a lead, and it had",
    terms.REPEAT_WAIT: "the next repetition was not due yet",
    terms.REPEAT_DONE: "all its repetitions had gone out",
    terms.TOO_OLD: "it was overdue longer than maxAgeMinutes",
    terms.CAP: "the agent's caps allowed no further message yet",
    terms.QUIET_HOURS: "it was in the quiet hours",
}
"""What lies behind a block reason, for people; the key is a cause or the reason's first word."""


class Diagnosis:
    """One class of event, over all leads.

    Attributes:
        kind: the class.
        count: how many events; ``first``: (minute, lead) of the first.
        follow_ups: ids that it is about; for a burst all of them, else each that went wrong.
        cause: of silence, what lies behind the block reason; else "".
        findings: the rules' findings that explain it, the likeliest first.
    """

    __slots__ = ("cause", "count", "findings", "first", "follow_ups", "kind", "leads")

    def __init__(self, kind: str, cause: str) -> None:
        self.kind = kind
        self.cause = cause
        self.count = 0
        self.first = (0, "")
        self.leads: set[str] = set()
        self.follow_ups: list[str] = []
        self.findings: list[Finding] = []

    @property
    def not_by(self) -> str:
        """The cure of something else."""
        return KINDS[self.kind].not_by if self.kind in KINDS else ""

    @property
    def sentence(self) -> str:
        """What it is where no rule explains it, and what lies behind a silence."""
        return CAUSES.get(self.cause) or (KINDS[self.kind].otherwise if self.kind in KINDS else "")

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "class": self.kind,
            "cause": self.cause or None,
            "count": self.count,
            "leads": len(self.leads),
            "first": {"t": self.first[0], "lead": self.first[1]},
            "followUps": self.follow_ups,
            "sentence": self.sentence,
            "because": [
                {"rule": one.rule, "target": one.target, "message": one.message, "fix": one.fix}
                for one in self.findings
            ],
            "notBy": self.not_by or None,
        }


def diagnose(model: Model, events: list[dict[str, Any]], runtime: dict[str, Any] | None = None) -> list[Diagnosis]:
    """Put the events of a simulation under what explains them, in the order of the classes.

    Args:
        model: the set of workflows.
        events: of the simulation, in their order.
        runtime: what the scenario assumes of the engine instead of the model's own.
    """
    grouped: dict[tuple[str, str], Diagnosis] = {}
    for event in events:
        key = (event["class"], event.get("cause", ""))
        one = grouped.setdefault(key, Diagnosis(*key))
        one.first = one.first if one.count else (event["t"], event["lead"])
        one.count += 1
        one.leads.add(event["lead"])
        one.follow_ups += [name for name in event["followUps"] if name not in one.follow_ups]
    found = sorted(grouped.values(), key=_rank)
    findings = _findings(model, runtime) if found else []
    for one in found:
        one.findings = list(_explaining(model, one, findings))
    return found


def _rank(one: Diagnosis) -> tuple[int, int, str]:
    kinds, causes = list(KINDS), list(SILENT_BY)
    kind = kinds.index(one.kind) if one.kind in kinds else len(kinds)
    return kind, causes.index(one.cause) if one.cause in causes else len(causes), one.cause


def _rules(one: Diagnosis) -> tuple[str, ...]:
    if one.kind == terms.SILENT_NO_FIRE:
        return SILENT_BY.get(one.cause, ())
    return KINDS[one.kind].rules if one.kind in KINDS else ()


def _findings(model: Model, runtime: dict[str, Any] | None) -> list[Finding]:
    if runtime:
        model = model_of({**model.raw, "runtime": {**model.raw.get("runtime", {}), **runtime}}).model
    return check(model, profile=STRICT, today=_NEVER_OVER)


def _explaining(model: Model, one: Diagnosis, findings: list[Finding]) -> list[Finding]:
    """Findings of the right rules about these follow-ups, their stages, or properties that they are gated on."""
    rules = _rules(one)
    concerned = set(one.follow_ups)
    for name in one.follow_ups:
        follow_up = model.follow_up(name)
        if follow_up is not None:
            concerned |= {condition.property_id for condition in follow_up.conditions}
            concerned |= {follow_up.stage_id, *(reason.id for reason in model.reasons), *_stops(model, one.kind)}
    # A release explains a burst where nothing else does: every set without a bound has that finding.
    there = [each for each in findings if each.rule in rules and ({each.target, *each.involved} & concerned)]
    there = [each for each in there if each.rule != "X4"] or there
    return sorted(there, key=lambda each: rules.index(each.rule))


def _stops(model: Model, kind: str) -> list[str]:
    return [*model.stop_ids, model.agent.id] if kind in {terms.POST_STOP, terms.LAG_POST_STOP} else []
