"""The skill of follow-up sequences says what is true: its rules, its subcommands, its references."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from mindloop.cli.fu_conformance import VERBS
from mindloop.sequence.diagnosis import CAUSES, KINDS
from mindloop.sequence.rules.table import BY_ID
from mindloop.sequence.scenario import ACTIVATE, AGENT_OUT, CONFIG_CHANGE, DEACTIVATE, INBOUND, MUTE, TRUTH
from tests.helpers.rules_page import PAGE, rules_page

SKILL = PAGE.parents[1]
REFERENCES = sorted(PAGE.parent.iterdir())
ROOT = Path(__file__).parents[3]


def text(path: Path) -> str:
    return path.read_text("utf-8")


def test_the_table_of_rules_is_the_registry() -> None:
    """Every rule with its severities, statement and fix; write it anew with python -m tests.helpers.rules_page."""
    assert text(PAGE) == rules_page()


@pytest.mark.parametrize("page", [SKILL / "SKILL.md", *REFERENCES], ids=lambda page: page.stem)
def test_every_rule_that_is_named_exists(page: Path) -> None:
    """R1 to R36 and X1 to X18 alone."""
    named = set(re.findall(r"\b([RX]\d+)\b", text(page)))

    assert sorted(named - BY_ID.keys()) == []
    assert named or page.stem in {"semantics", "SKILL"}


def test_references_are_one_level_deep_and_all_there() -> None:
    """The page names each file of references/, and no reference leads to another."""
    linked = re.findall(r"\]\(references/([\w.-]+)\)", text(SKILL / "SKILL.md"))

    assert set(linked) == {page.name for page in REFERENCES}
    assert not any("](" in text(page) for page in REFERENCES)


def test_the_page_names_every_subcommand() -> None:
    """And no other; the triggers stand in the description."""
    page = text(SKILL / "SKILL.md")
    named = set(re.findall(r"`([a-z-]+) MODEL", page))

    assert named == set(VERBS)
    assert all(word in page.split("---")[1] for word in ("duplicate", "never fires", "stage was added"))


def test_the_complaints_know_every_class_of_duplicate_and_silence() -> None:
    """The words that a simulation prints are those that the pages explain."""
    page = text(SKILL / "references/complaints.md")
    classes = {"CROSS_STAGE", "LAG_CROSS", "SAME_STAGE_BURST", "POST_STOP", "LAG_POST_STOP", "DUPLICATE"}
    causes = {"FROZEN", "PIPELINE_OFF", "NEEDS_ATTENTION", "UNKNOWN_PROPERTY", "ANCHOR_UNSET", "CONDITION", "CAP"}

    assert classes <= KINDS.keys()
    assert causes <= CAUSES.keys()
    assert all(f"| {name} |" in page for name in classes)
    assert all(name in page for name in causes)


def test_the_semantics_name_keys_and_events_that_there_are() -> None:
    """Each key of the tables is one of the schemas'."""
    page = text(SKILL / "references/semantics.md")
    schemas = "".join(text(ROOT / f"core/config/schemas/fu-{name}.json") for name in ("model", "scenario"))
    keys = re.findall(r"`([a-z]\w+)`", page)

    assert [key for key in keys if f'"{key}"' not in schemas and key != "snake_case"] == []
    assert all(f"`{word}`" in page for word in (INBOUND, AGENT_OUT, TRUTH, MUTE, ACTIVATE, DEACTIVATE, CONFIG_CHANGE))
    json.loads(re.findall(r"`(\{.*\})`", page)[0])
