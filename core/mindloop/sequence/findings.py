"""What a check says: which rule, about whom, what came and what was expected, what to do, and how to see it happen."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

_SHOWN = 80
_NAMED = 12
_PLAIN = frozenset("_-.:+@")


class Finding:
    """One thing that a rule found.

    Attributes:
        rule: the rule's id, filled in by whoever runs the rules.
        severity: ERROR, WARN or INFO; "" until the rule's own severity in the profile is filled in.
        target: the id of what it is about: a follow-up, property, stage, reason, template or the agent.
        message: what came and what was expected.
        fix: what to do, with the conditions to add.
        pointer: where the target stands in the model (RFC 6901).
        witness: a counterexample that was executed, or None; whoever proves fills it in.
        state: the values (property id to value, absent is NULL) of a lead for whom it goes wrong, or None.
        involved: ids of the follow-ups that the state is about, the target first.
        evidence: findings that this one explains.
        detail: the same in values, for programs.
    """

    __slots__ = (
        "detail",
        "evidence",
        "fix",
        "involved",
        "message",
        "pointer",
        "rule",
        "severity",
        "state",
        "target",
        "witness",
    )

    def __init__(
        self,
        target: str,
        pointer: str,
        message: str,
        fix: str,
        *,
        rule: str = "",
        severity: str = "",
        state: dict[str, Any] | None = None,
        involved: Iterable[str] = (),
        detail: dict[str, Any] | None = None,
    ) -> None:
        self.rule = rule
        self.severity = severity
        self.target = target
        self.pointer = pointer
        self.message = message
        self.fix = fix
        self.witness: Any = None
        self.state = state
        self.involved = list(involved)
        self.evidence: list[Finding] = []
        self.detail: dict[str, Any] = detail or {}

    def __repr__(self) -> str:
        return f"Finding({self.rule!r}, {self.severity!r}, {self.target!r}, {self.message!r})"


def flat(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Each finding, and after it those that it explains."""
    for finding in findings:
        yield finding
        yield from flat(finding.evidence)


def rule_ids(findings: Iterable[Finding]) -> set[str]:
    """The rules that found something, those kept as evidence too."""
    return {finding.rule for finding in flat(findings)}


def named(name: str) -> str:
    """Anybody's id for a sentence: as it is where it is plain, else quoted and escaped; at most 80 characters."""
    shown = name if len(name) <= _SHOWN else name[: _SHOWN - 1] + "…"
    plain = all(char.isalnum() or char in _PLAIN for char in shown.removesuffix("…"))
    return shown if plain and shown else json.dumps(shown)


def listed(names: Iterable[str], most: int = _NAMED) -> str:
    """Ids for a sentence: ``a, b, c and 4 more``."""
    every = list(names)
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(named(one) for one in every[:most]) + more


def literal(property_id: str, operator: str, value: object = None) -> str:
    """A condition for a sentence."""
    shown = named(property_id)
    return f"{shown} {operator}" if operator.startswith("IS_") else f"{shown} {operator} {valued(value)}"


def valued(value: object) -> str:
    """A JSON value for a sentence, at most 80 characters."""
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
