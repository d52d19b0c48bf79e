"""All rules, in the order of their ids. A new rule is one function in the module of its subject."""

from __future__ import annotations

from mindloop.sequence.rules import clocks, drift, flags, gates, sets, structure, whole, window
from mindloop.sequence.rules.registry import REGISTERED, Rule

MODULES = (clocks, drift, flags, gates, sets, structure, whole, window)
"""Where the rules are written."""
RULES: tuple[Rule, ...] = tuple(sorted(REGISTERED, key=lambda rule: rule.order))
"""R1 to R36, then X1 to X18."""
BY_ID: dict[str, Rule] = {rule.id: rule for rule in RULES}
