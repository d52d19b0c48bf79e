"""A rule: one small function of the facts, and what a reader needs to know about it."""

from __future__ import annotations

from mindloop.sequence.words import DOCTRINE, ERROR, STRICT
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mindloop.sequence.findings import Finding
    from mindloop.sequence.rules.facts import Facts

    Check = Callable[[Facts], Iterator[Finding]]

_PARTS = when_used(r"([A-Z])([0-9]+)(b?)\Z")


class Rule:
    """One rule.

    Attributes:
        id: ``R1`` or ``X1``.
        name: one word for people, ``ENTRY_GATE``.
        statement: what must hold, one sentence.
        section: where the doctrine says so; "" where it does not.
        severities: profile to the severity of its findings, unless they say another; absent where it does not run.
        fix: what mends it, in general.
        check: facts to findings.
    """

    __slots__ = ("check", "fix", "id", "name", "section", "severities", "statement")

    def __init__(  # noqa: PLR0917 - a record
        self, id: str, name: str, statement: str, section: str, severities: dict[str, str], fix: str, check: Check
    ) -> None:
        self.id = id
        self.name = name
        self.statement = statement
        self.section = section
        self.severities = severities
        self.fix = fix
        self.check = check

    @property
    def order(self) -> tuple[int, int, str]:
        """R before X, by number."""
        return order(self.id)


def order(rule_id: str) -> tuple[int, int, str]:
    """Where a rule's id stands: R, then X, then what is said about the document and its waivers; by number."""
    parts = _PARTS.match(rule_id)
    if not parts:
        return 9, 0, rule_id
    return "RXKW".find(parts[1]) % 9, int(parts[2]), parts[3]


REGISTERED: list[Rule] = []
"""Every rule whose module was imported; ``rules.table`` imports all."""


def doctrine(
    id: str, name: str, section: str, severity: str = ERROR, strict: str = "", *, fix: str
) -> Callable[[Check], Check]:
    """Register a rule of the doctrine, in both profiles; ``strict`` is its severity there if it differs.

    The function's docstring is the rule's statement, one sentence.
    """
    return _register(id, name, section, {DOCTRINE: severity, STRICT: strict or severity}, fix)


def beyond(id: str, name: str, severity: str, *, fix: str) -> Callable[[Check], Check]:
    """Register a rule beyond the doctrine: it runs in the strict profile."""
    return _register(id, name, "", {STRICT: severity}, fix)


def _register(id: str, name: str, section: str, severities: dict[str, str], fix: str) -> Callable[[Check], Check]:
    def keep(check: Check) -> Check:
        REGISTERED.append(Rule(id, name, check.__doc__ or name, section, severities, fix, check))
        return check

    return keep
