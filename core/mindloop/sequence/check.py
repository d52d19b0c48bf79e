"""Runs the rules over a model: causes before consequences, waived findings out, the same list for the same model.

What a rule finds that another one explains is kept as evidence of it: the overlap of two stages (R18) where the missing
exclusion (R2) is known (follow-up-sequences, section 11).
"""

from __future__ import annotations

from mindloop.sequence.findings import Finding, named
from mindloop.sequence.rules.facts import Facts
from mindloop.sequence.rules.registry import order
from mindloop.sequence.rules.table import BY_ID, RULES
from mindloop.sequence.words import DOCTRINE, ERROR, WARN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from mindloop.sequence.model import Model, Waiver
    from mindloop.sequence.rules.registry import Rule

    Odd = tuple[str, str]

UNKNOWN_KEY, WAIVER_EXPIRED, WAIVER_UNUSED = "K1", "W1", "W2"
"""What is said about the document itself."""
ABOUT_THE_DOCUMENT = {
    UNKNOWN_KEY: ("UNKNOWN_KEY", "Every key of the document is known."),
    WAIVER_EXPIRED: ("WAIVER_EXPIRED", "A waiver ends on a day, and that day has not passed."),
    WAIVER_UNUSED: ("WAIVER_UNUSED", "A waiver waives something."),
}

_CAUSES = (
    ("R21",),
    ("R24",),
    ("R8", "R33"),
    ("R16",),
    ("R1",),
    ("R34",),
    ("R7",),
    ("R2", "R3"),
    ("R20", "R17", "R23"),
    ("R4", "R5", "R6"),
    ("R9", "R10", "R22", "R25", "R26", "R27"),
    ("R11", "R32", "X3", "X6", "X7"),
)
_RANKS = {rule: rank for rank, rules in enumerate(_CAUSES) for rule in rules}


class Checked:
    """What a check came to.

    Attributes:
        findings: what stands, causes first.
        waived: what somebody has decided to live with, and the waiver of each.
    """

    __slots__ = ("findings", "waived")

    def __init__(self, findings: list[Finding], waived: list[tuple[Finding, Waiver]]) -> None:
        self.findings = findings
        self.waived = waived

    @property
    def failed(self) -> bool:
        """Whether anything that stands is an ERROR."""
        return any(finding.severity == ERROR for finding in self.findings)


def check(
    model: Model,
    *,
    profile: str = DOCTRINE,
    today: str,
    live: Model | None = None,
    entrants: dict[str, int] | None = None,
    warnings: Iterable[Odd] = (),
) -> list[Finding]:
    """Return what stands against a model; see `examine`."""
    found = examine(model, profile=profile, today=today, live=live, entrants=entrants, warnings=warnings)
    return found.findings


def examine(
    model: Model,
    *,
    profile: str = DOCTRINE,
    today: str,
    live: Model | None = None,
    entrants: dict[str, int] | None = None,
    warnings: Iterable[Odd] = (),
    rules: Iterable[Rule] = RULES,
) -> Checked:
    """Run the rules of a profile over a model.

    Args:
        model: what is judged.
        profile: ``doctrine`` (R rules) or ``strict`` (X rules too, some severities raised).
        today: ``YYYY-MM-DD``; a waiver holds through its last day.
        live: what the platform runs now, for R28 and X16.
        entrants: leads who entered each stage so far, stage id to count, for X5.
        warnings: what the loader found odd, ``(pointer, sentence)`` each.
        rules: for tests.
    """
    facts = Facts(model, live, entrants)
    found = [finding for rule in rules if profile in rule.severities for finding in _run(rule, facts, profile)]
    kept, waived = _waive(_explain(found), model, today)
    kept += [_unknown_key(pointer, sentence) for pointer, sentence in warnings]
    return Checked(sorted(kept, key=rank), sorted(waived, key=lambda pair: rank(pair[0])))


def rank(finding: Finding) -> tuple[int, tuple[int, int, str], str, str, str]:
    """Where a finding stands: causes first, then rule, target, place."""
    place = _RANKS.get(finding.rule, len(_CAUSES))
    number = order(finding.rule)
    return place, number, finding.target, finding.pointer, finding.message


def rule_name(rule_id: str) -> str:
    """A rule's name for people."""
    return BY_ID[rule_id].name if rule_id in BY_ID else ABOUT_THE_DOCUMENT[rule_id][0]


def _run(rule: Rule, facts: Facts, profile: str) -> Iterator[Finding]:
    for finding in rule.check(facts):
        finding.rule = rule.id
        finding.severity = finding.severity or rule.severities[profile]
        yield finding


def _explain(found: list[Finding]) -> list[Finding]:
    """Put the overlaps of stages under the missing exclusion that is their cause."""
    causes: dict[str, list[Finding]] = {}
    for finding in found:
        if finding.rule == "R2":
            causes.setdefault(finding.target, []).append(finding)
    kept: list[Finding] = []
    for finding in found:
        stages = set(finding.detail["stages"]) if finding.rule == "R18" else set()
        told = causes.get(finding.target, []) if stages else []
        cause = next((one for one in told if stages <= set(one.detail["stages"])), None)
        (cause.evidence if cause else kept).append(finding)
    return kept


def _waive(found: list[Finding], model: Model, today: str) -> tuple[list[Finding], list[tuple[Finding, Waiver]]]:
    valid: dict[tuple[str, str | None], Waiver] = {}
    told = []
    for waiver in model.waivers:
        if _is_over(waiver, today):
            told.append(_expired(waiver))
        else:
            valid.setdefault((waiver.rule, waiver.target), waiver)
    used: list[tuple[Finding, Waiver]] = []
    kept = _left(found, valid, used)
    matched = {id(waiver) for _, waiver in used}
    told += [_unused(one) for one in model.waivers if id(one) not in matched and not _is_over(one, today)]
    return kept + told, used


def _left(
    found: list[Finding], valid: dict[tuple[str, str | None], Waiver], used: list[tuple[Finding, Waiver]]
) -> list[Finding]:
    """What no waiver is for; evidence can be waived too."""
    kept = []
    for finding in found:
        waiver = valid.get((finding.rule, finding.target)) or valid.get((finding.rule, None))
        if waiver:
            used.append((finding, waiver))
        else:
            finding.evidence = _left(finding.evidence, valid, used)
            kept.append(finding)
    return kept


def _is_over(waiver: Waiver, today: str) -> bool:
    return waiver.expires < today or not _is_day(waiver.expires)


def _is_day(text: str) -> bool:
    from datetime import date

    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _expired(waiver: Waiver) -> Finding:
    came = (
        f"ended on {waiver.expires}" if _is_day(waiver.expires) else f"ends on {named(waiver.expires)}, which is no day"
    )
    return Finding(
        _waiver_target(waiver),
        f"{waiver.pointer}/expires",
        f"the waiver of {_waived(waiver)} {came}; expected a day that has not passed",
        f"Mend what {waiver.rule} says and remove the waiver, or decide anew and write a later day.",
        rule=WAIVER_EXPIRED,
        severity=ERROR,
    )


def _unused(waiver: Waiver) -> Finding:
    return Finding(
        _waiver_target(waiver),
        waiver.pointer,
        f"the waiver of {_waived(waiver)} waives nothing; expected a finding of that rule and target",
        "Remove the waiver, or correct its rule or target.",
        rule=WAIVER_UNUSED,
        severity=WARN,
    )


def _waiver_target(waiver: Waiver) -> str:
    return waiver.target or waiver.rule


def _waived(waiver: Waiver) -> str:
    return f"{waiver.rule} for {named(waiver.target)}" if waiver.target else waiver.rule


def _unknown_key(pointer: str, sentence: str) -> Finding:
    return Finding(pointer, pointer, sentence, "Correct the key, or remove it.", rule=UNKNOWN_KEY, severity=WARN)
