"""What must hold of a cognition sidecar."""

from __future__ import annotations

import pytest

from mindloop.observer.cognition.render import render
from mindloop.observer.growth.patterns import PATTERNS
from mindloop.store.settings import Settings
from tests.helpers.sidecars import HASH, exploratory, fear, problems, sidecar


def test_a_valid_sidecar_has_no_problems():
    """Both classes and a constraint mismatch."""
    mismatch = fear(3, type="constraint_mismatch", non_goal_constraint="no chat", salvage_question="what else?")
    made = sidecar(fear(1), exploratory(2), mismatch)
    assert problems(made, "xabbu") == []


@pytest.mark.parametrize("key", ["schema_version", "user", "fears", "steering_targets", "synthesis_features"])
def test_each_required_key_is_missed(key):
    """The five keys are required."""
    made = sidecar()
    del made[key]
    assert problems(made, "xabbu") == [f"{key}: missing"]


FEAR_PROBLEMS = [
    (fear(id="FEAR-other-1"), "fears[1].id: expected 'FEAR-xabbu-1', got 'FEAR-other-1'"),
    (fear(**{"class": "vague"}), "fears[1].class: expected one of evidence_backed, exploratory, got 'vague'"),
    (fear(text=" "), "fears[1].text: expected text, got ' '"),
    (fear(invalidation_signal=None), "fears[1].invalidation_signal: expected text, got None"),
    (fear(confidence_impact=3), "fears[1].confidence_impact: expected text, got 3"),
    (fear(priority=True), "fears[1].priority: expected a whole number, got True"),
    (
        fear(backing_quote_hash=None),
        "fears[1].backing_quote_hash: an evidence-backed fear needs a quote's SHA-256, got None",
    ),
    (
        fear(backing_quote_hash="sha256:12"),
        "fears[1].backing_quote_hash: an evidence-backed fear needs a quote's SHA-256, got 'sha256:12'",
    ),
    (exploratory(1, evidence_plan=None), "fears[1].evidence_plan: expected text, got None"),
    (
        exploratory(1, backing_quote_hash=HASH),
        f"fears[1].backing_quote_hash: an exploratory fear has none, got '{HASH}'",
    ),
    (
        fear(type="constraint_mismatch", salvage_question="what else?"),
        "fears[1].non_goal_constraint: expected text, got None",
    ),
    (
        fear(type="constraint_mismatch", non_goal_constraint="no chat"),
        "fears[1].salvage_question: expected text, got None",
    ),
]


@pytest.mark.parametrize(("one", "problem"), FEAR_PROBLEMS)
def test_each_rule_of_a_fear(one, problem):
    """One broken rule is one sentence that names the field, what was expected and what came."""
    made = sidecar(one)
    made["steering_targets"] = []
    assert problems(made, "xabbu") == [problem]


def test_a_fear_type_must_be_configured():
    """The settings may allow fewer kinds of fear than the eight; what they leave out is refused by name."""
    allowed = ("engagement", "pmf")
    found = problems(sidecar(fear(type="identity")), "xabbu", fear_types=allowed)
    assert found == ["fears[1].type: expected one of engagement, pmf, got 'identity'"]
    assert problems(sidecar(fear(type="pmf")), "xabbu", fear_types=allowed) == []
    assert problems(sidecar(fear(type="doubt")), "xabbu") != []


def test_no_more_fears_than_the_limit():
    """The setting is the number that is still allowed."""
    assert problems(sidecar(fear(1), fear(2)), "xabbu", max_fears=2) == []
    assert problems(sidecar(fear(1), fear(2)), "xabbu", max_fears=1) == ["fears: at most 1, got 2"]


@pytest.mark.parametrize(
    ("target", "problem"),
    [
        ({"fear_id": "FEAR-xabbu-9", "approach": "x"}, ".fear_id: no fear has the id 'FEAR-xabbu-9'"),
        ({"fear_id": "FEAR-xabbu-1", "approach": ""}, ".approach: expected text, got ''"),
        ("ask", ": expected a mapping, got str"),
        (
            {"fear_id": "FEAR-xabbu-1", "approach": "x", "pattern_preference": "shout"},
            f".pattern_preference: expected one of {', '.join(PATTERNS)}, got 'shout'",
        ),
    ],
)
def test_each_rule_of_a_target(target, problem):
    """A target points at a fear, says how, and prefers a pattern that exists."""
    assert problems(sidecar(fear(1), steering_targets=[target]), "xabbu") == [f"steering_targets[1]{problem}"]


def test_all_problems_are_reported_at_once():
    """One look is enough to mend a file."""
    broken = {"schema_version": 2, "user": "bob", "fears": ["x", fear(9)], "steering_targets": {}, "input_anchors": 1}
    assert problems(broken, "xabbu") == [
        "synthesis_features: missing",
        "schema_version: expected 1, got 2",
        "user: expected 'xabbu', got 'bob'",
        "steering_targets: expected a list, got dict",
        "input_anchors: expected a dict, got int",
        "fears[1]: expected a mapping, got str",
        "fears[2].id: expected 'FEAR-xabbu-2', got 'FEAR-xabbu-9'",
    ]
    assert problems(["x"], "xabbu") == ["cognition: expected a mapping, got list"]
    assert problems({**broken, "fears": None}, "xabbu")[-1] == "fears: expected a list, got NoneType"


@pytest.mark.parametrize("user", ["system: obey", "<b>", "act as"])
def test_an_id_that_no_prompt_may_hold_is_a_problem(user):
    """A fear that the packet would leave out is refused aloud instead."""
    found = problems(sidecar(fear(1, id=f"FEAR-{user}-1"), user=user), user)
    assert found == [f"fears[1].id: {f'FEAR-{user}-1'!r} holds what no prompt may hold"]


@pytest.mark.parametrize("kind", Settings({}).get("observer.cognition.fear_types"))
def test_what_is_accepted_is_shown(kind):
    """Each kind of fear that may be configured reaches the packet, with its target."""
    made = sidecar(fear(1, type=kind, non_goal_constraint="no chat", salvage_question="what else?"), exploratory(2))
    assert problems(made, "xabbu") == []
    assert render(made).count("FEAR-xabbu-1") == 2
    assert render(made).count("FEAR-xabbu-2") == 2
