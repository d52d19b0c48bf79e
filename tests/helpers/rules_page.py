"""The table of all rules as the skill's reference has it, made from the rules themselves.

``python -m tests.helpers.rules_page`` (with core on the path) writes it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mindloop.sequence.check import ABOUT_THE_DOCUMENT
from mindloop.sequence.rules.table import RULES
from mindloop.sequence.words import DOCTRINE, STRICT

if TYPE_CHECKING:
    from mindloop.sequence.rules.registry import Rule

PAGE = Path(__file__).parents[2] / ".claude/skills/follow-up-sequences/references/rules.md"
_HEAD = """# Every rule

Made from the rules themselves (`tests/helpers/rules_page.py`). R rules are the doctrine's; X rules go beyond it and
run in the strict profile. A dash: the rule does not run there. A single finding may be milder or harder than its rule.

| rule | name | § | doctrine | strict | what must hold | fix |
| --- | --- | --- | --- | --- | --- | --- |"""


def rules_page() -> str:
    """The whole page."""
    document = [f"| {name} | {word} | | | | {says} | |" for name, (word, says) in ABOUT_THE_DOCUMENT.items()]
    return "\n".join([_HEAD, *(_row(rule) for rule in RULES), *document, ""])


def _row(rule: Rule) -> str:
    severities = " | ".join(rule.severities.get(profile, "-") for profile in (DOCTRINE, STRICT))
    statement = " ".join(rule.statement.split())
    return f"| {rule.id} | {rule.name} | {rule.section} | {severities} | {statement} | {rule.fix} |"


if __name__ == "__main__":
    PAGE.write_text(rules_page(), "utf-8")
