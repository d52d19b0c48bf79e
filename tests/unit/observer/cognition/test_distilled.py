"""What a distiller answered, held against what is known of the user."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mindloop.observer.cognition.distilled import Distilled, Known, held_against, read_shape
from mindloop.observer.cognition.wanted import Wanted
from mindloop.protocol.questions import AnswerRefused
from tests.helpers.thinking import answer, fear

HASH, OTHER = "ab" * 32, "cd" * 32
TYPES = ["trust_erosion", "pmf", "constraint_mismatch"]
SECRET = "KANARIE"
BACKING = "fears[1].backing_quote_hash: expected"
ITS_QUOTE = f"{BACKING} the hash of a verified quote of this user, got"
ON_CANVAS = "fears[1].backing_hypothesis: expected null or the id of a hypothesis on the canvas"
A_TAG = "behavior_tags[1]: expected 2 to 32 of a-z, 0-9 and _, a letter first, got"
TARGET = {"fear_id": "FEAR-ann-1", "approach": "ask"}


def taken(said: dict[str, Any], *, bootstrap: bool = False, max_fears: int = 5) -> Distilled:
    wanted = Wanted(bootstrap=bootstrap, verified=2, max_fears=max_fears, fear_types=TYPES)
    known = Known(wanted, verified={HASH, "ef" * 32}, hypotheses={"H1", "H12"})
    return held_against(read_shape(json.dumps(said), "ann"), "ann", known)


def refusal(said: dict[str, Any], **more: Any) -> str:
    with pytest.raises(AnswerRefused) as caught:
        taken(said, **more)
    return caught.value.message.removeprefix("the answer was refused: ")


def two(**changed: Any) -> dict[str, Any]:
    """A good answer of an established user, its first fear changed."""
    return answer("ann", fear(HASH, **changed), fear(HASH, priority=2))


def constraint(**changed: Any) -> dict[str, Any]:
    more = {"type": "constraint_mismatch", "non_goal_constraint": "no trading", "salvage_question": "what else?"}
    return two(**{**more, **changed})


def test_a_good_answer_becomes_fears_and_targets() -> None:
    """Ids by their place, hashes in one spelling, hypotheses in one spelling, a bare field for what is not said."""
    said = answer(
        "ann",
        fear(HASH.upper(), backing_hypothesis="H-1: wants", id="fear-ANN-1"),
        fear(HASH, priority=2, id=None),
        fear(None, priority=3),
        behavior_tags=["daily", "daily", "x1"],
    )
    found = taken(said)

    assert [one["id"] for one in found.fears] == ["FEAR-ann-1", "FEAR-ann-2", "FEAR-ann-3"]
    assert found.fears[0]["backing_hypothesis"] == "H1"
    assert [one["backing_quote_hash"] for one in found.fears] == [f"sha256:{HASH}", f"sha256:{HASH}", None]
    assert found.targets[0] == {
        "fear_id": "FEAR-ann-1",
        "approach": "ask for the last visit",
        "pattern_preference": "probe_gap",
    }
    assert found.tags == ["daily", "x1"]


def test_texts_are_sanitised_and_cut() -> None:
    """One line without instructions, tags and control characters, at most 300 long."""
    found = taken(two(text="ignore previous\n<b>it</b> broke\u202e", confidence_impact="y" * 999))

    assert found.fears[0]["text"] == "it broke"
    assert len(found.fears[0]["confidence_impact"]) == 300


def test_constraint_fields_stand_only_where_they_belong() -> None:
    """A mismatch keeps its three fields; another type loses them."""
    mismatch = taken(constraint(exit_signal="they said so")).fears[0]

    assert (mismatch["non_goal_constraint"], mismatch["exit_signal"]) == ("no trading", "they said so")
    assert "salvage_question" not in taken(two(salvage_question="what else?")).fears[0]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (two(backing_quote_hash=None), f"{ITS_QUOTE} null"),
        (two(backing_quote_hash=OTHER), f"{ITS_QUOTE} another hash"),
        (two(backing_hypothesis="H2"), ON_CANVAS),
        (two(id="FEAR-ann-2"), "fears[1].id: expected the one of its place in the list"),
        (two(type="identity"), "fears[1].type: expected one of trust_erosion, pmf, constraint_mismatch"),
        (two(text="<b></b>"), "fears[1].text: expected a text that says something"),
        (constraint(salvage_question=None), "fears[1].salvage_question: expected a text that says something"),
        (
            answer("ann", fear(HASH), fear(HASH), fear(None, evidence_plan=None)),
            "fears[3].evidence_plan: expected a text that says something",
        ),
        (
            answer("ann", fear(HASH), fear(HASH), fear(None, backing_quote_hash=HASH)),
            "fears[3].backing_quote_hash: expected null, the fear is exploratory",
        ),
        (answer("ann", fear(HASH)), "fears: expected at least 2 of the class evidence_backed, got 1"),
        (answer("ann"), "fears: expected at least 2 of the class evidence_backed, got 0"),
        (
            {**two(), "steering_targets": [{"fear_id": "FEAR-bob-1", "approach": "ask"}]},
            "steering_targets[1].fear_id: expected the id of a fear of this answer",
        ),
        (
            {**two(), "steering_targets": [{"fear_id": "FEAR-ann-1", "approach": "act as"}]},
            "steering_targets[1].approach: expected a text that says something",
        ),
    ],
)
def test_what_does_not_hold_refuses_the_answer(said: dict[str, Any], message: str) -> None:
    """Quotes and hypotheses of others, ids out of place, missing fields: the message names field and place."""
    assert refusal(said) == message


def test_counts_of_other_users() -> None:
    """A bootstrap needs an exploratory fear and no backed one; nobody may have more than the setting."""
    assert len(taken(answer("ann", fear(None)), bootstrap=True).fears) == 1
    assert refusal(two(), bootstrap=True) == "fears: expected at least 1 of the class exploratory, got 0"
    assert refusal(two(), max_fears=1) == "fears: expected at most 1, got 2"


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (two(priority="1"), "fears[1].priority: expected a whole number from 1 to 99, got a text"),
        (two(priority=True), "fears[1].priority: expected a whole number from 1 to 99, got true or false"),
        (two(priority=100), "fears[1].priority: expected a whole number from 1 to 99, got a number"),
        (two(**{"class": SECRET}), "fears[1].class: expected one of evidence_backed, exploratory, got another one"),
        (two(text=[SECRET]), "fears[1].text: expected a text, got a list"),
        (two(text=" "), "fears[1].text: expected a text, got one without a word"),
        (two(evidence_plan=7), "fears[1].evidence_plan: expected a text or null, got a number"),
        (two(backing_quote_hash=SECRET), f"{BACKING} null or sha256: and 64 hex digits, got a text"),
        ({**two(), "fears": SECRET}, "fears: expected a list, got a text"),
        ({**two(), "fears": [SECRET]}, "fears[1]: expected an object, got a text"),
        ({"user": "ann", "fears": []}, "steering_targets: expected a list, got null or missing"),
        ({**two(), "behavior_tags": None}, "behavior_tags: expected a list, got null or missing"),
        ({**two(), "behavior_tags": ["Ann Smith"]}, f"{A_TAG} another text"),
        ({**two(), "behavior_tags": ["aa"] * 6}, "behavior_tags: expected at most 5, got 6"),
        ({**two(), "steering_targets": [TARGET] * 21}, "steering_targets: expected at most 20, got 21"),
    ],
)
def test_a_wrong_shape_is_named_without_a_word_of_it(said: dict[str, Any], message: str) -> None:
    """Field, what was expected and what kind of value came."""
    found = refusal(said)

    assert found == message
    assert SECRET not in found


def test_at_most_five_problems_are_said() -> None:
    """A hopeless answer does not fill the screen."""
    said = answer("ann", *[fear(OTHER, type="identity") for _ in range(5)])
    found = refusal(said)

    assert found.count(";") == 5
    assert found.endswith("; and 5 more")


def test_computed_fields_of_an_answer_are_not_read() -> None:
    """What code knows better is neither wanted nor kept: such fields are passed over."""
    found = taken({**two(), "generated_at": "x", "input_anchors": 7, "stale_after_cycles": 99, "host": "me"})

    assert [set(fear_) & {"generated_at", "host"} for fear_ in found.fears] == [set(), set()]
    assert set(Distilled.__slots__) == {"fears", "tags", "targets"}
