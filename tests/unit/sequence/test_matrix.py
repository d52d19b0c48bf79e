"""The exclusion matrix as words: what is there, what is missing, what is the wrong way round."""

from __future__ import annotations

from typing import Any

import pytest

from mindloop.sequence.loading import model_of
from mindloop.sequence.matrix import Matrix, matrix_of
from tests.helpers.sequences import STAMPS, STOPS, base_model, changed, equals, find, not_equals, without


def matrix(document: dict[str, Any]) -> Matrix:
    """The matrix of a document."""
    return matrix_of(model_of(document).model)


def word(document: dict[str, Any], follow_up: str, property_id: str) -> str:
    """One cell."""
    made = matrix(document)
    column = [one.property_id for one in made.columns].index(property_id)
    return next(line.words[column] for line in made.lines if line.follow_up.id == follow_up)


def with_literals(follow_up: str, property_id: str, *literals: dict[str, Any]) -> dict[str, Any]:
    """M0 whose follow-up has these conditions on a property, and no others on it."""
    made = without(base_model(), follow_up, property_id)
    find(made, "followUps", follow_up)["propertyConditions"] += literals
    return made


def test_the_base_model_has_every_cell() -> None:
    """Own stamp, every later stamp and every stop; nothing is asked of earlier stamps."""
    made = matrix(base_model())
    assert [one.property_id for one in made.columns] == [*STAMPS, *STOPS]
    assert [line.words for line in made.lines] == [
        ["entry", "excluded", "excluded", *["excluded"] * 5],
        ["entry", "excluded", "excluded", *["excluded"] * 5],
        ["·", "entry", "excluded", *["excluded"] * 5],
        ["·", "·", "entry", *["excluded"] * 5],
    ]
    assert made.counts() == {}
    assert made.verdict() == "every follow-up has its entry stamp and every exclusion"


@pytest.mark.parametrize("literal", range(29))
def test_each_deleted_gate_of_the_base_model_shows(literal: int) -> None:
    """Whichever of the 29 literals is deleted, exactly one cell says so."""
    places = [
        (one["id"], each["propertyId"]) for one in base_model()["followUps"] for each in one["propertyConditions"]
    ]
    assert len(places) == 29
    follow_up, property_id = places[literal]
    document = without(base_model(), follow_up, property_id)
    is_entry = property_id == STAMPS[int(follow_up[1])]
    assert word(document, follow_up, property_id) == ("NO ENTRY" if is_entry else "MISSING")
    assert sum(matrix(document).counts().values()) == 1


@pytest.mark.parametrize(
    ("property_id", "literals", "expected"),
    [
        ("age_qualified", [equals("age_qualified", True)], "INVERTED"),
        ("bad_fit", [not_equals("bad_fit", False)], "INVERTED"),
        ("bad_fit", [equals("bad_fit", False)], "NULL-UNSAFE"),
        ("bad_fit", [not_equals("bad_fit", "true")], "WRONG VALUE"),
        ("bad_fit", [not_equals("bad_fit", 1)], "WRONG VALUE"),
        ("bad_fit", [{"propertyId": "bad_fit", "operator": "IS_SET"}], "WRONG VALUE"),
        ("bad_fit", [not_equals("bad_fit"), not_equals("bad_fit")], "excluded"),
        ("bad_fit", [not_equals("bad_fit"), equals("bad_fit", False)], "AT ODDS"),
        ("welcome_sent", [not_equals("welcome_sent", False)], "NO ENTRY"),
        ("welcome_sent", [equals("welcome_sent", "true")], "WRONG VALUE"),
        ("welcome_sent", [equals("welcome_sent"), not_equals("welcome_sent")], "UPSTREAM"),
        ("welcome_sent", [not_equals("welcome_sent")], "UPSTREAM"),
        ("welcome_sent", [equals("welcome_sent"), not_equals("welcome_sent", False)], "AT ODDS"),
    ],
)
def test_what_stands_in_the_place_of_the_right_condition(
    property_id: str, literals: list[dict[str, Any]], expected: str
) -> None:
    """Wrong polarity, NULL-unsafe gates, wrong values and contradictions each have a word."""
    assert word(with_literals("e0_20", property_id, *literals), "e0_20", property_id) == expected


def test_an_earlier_stamp_may_be_required_and_must_not_be_excluded() -> None:
    """A later follow-up that excludes an earlier stamp never fires; one that requires it loses those who skipped."""
    assert (
        word(with_literals("e1_30", "welcome_sent", not_equals("welcome_sent")), "e1_30", "welcome_sent") == "UPSTREAM"
    )
    assert word(with_literals("e1_30", "welcome_sent", equals("welcome_sent")), "e1_30", "welcome_sent") == "required"


def test_lines_follow_the_funnel_whatever_the_order_of_the_document() -> None:
    """Stages by their order, stamps likewise; a partial order by what comes after."""
    document = base_model()
    document["stages"].reverse()
    document["followUps"].reverse()
    made = matrix(document)
    assert [line.follow_up.id for line in made.lines] == ["e0_120", "e0_20", "e1_30", "e2_60"]
    assert [one.property_id for one in made.columns][:3] == list(STAMPS)


def test_what_does_not_run_is_shown_and_not_counted() -> None:
    """An inactive follow-up keeps its line, says so, and spoils no verdict."""
    document = changed(without(base_model(), "e1_30", "bad_fit"), {"followUps.e1_30.active": False})
    made = matrix(document)
    assert made.counts() == {}
    assert "e1_30 (inactive)" in made.as_text()
    other = changed(base_model(), {"followUps.e1_30.type": "CUSTOM_NOTIFICATION"})
    assert "e1_30 (CUSTOM_NOTIFICATION)" in matrix(other).as_text()


def test_a_stop_that_is_also_a_stamp_has_one_column() -> None:
    """A converted stage: its stamp is a stop, and earlier follow-ups exclude it once."""
    document = base_model()
    document["stages"].append({"id": "s3", "order": 3, "entryStampId": "deposit_confirmed", "terminal": True})
    made = matrix(document)
    columns = [(one.property_id, one.kind, one.is_stop) for one in made.columns]
    assert columns.count(("deposit_confirmed", "stamp", True)) == 1
    assert len(columns) == 8
    assert made.counts() == {}


def test_the_text_is_aligned_and_says_what_its_words_mean() -> None:
    """A terminal's table: a header, a line a follow-up, the words that occur, the verdict."""
    text = matrix(without(base_model(), "e0_20", "age_qualified")).as_text()
    lines = text.splitlines()
    assert lines[0].split() == ["stage", "follow-up", *STAMPS, *STOPS]
    assert lines[1].split() == ["s0", "e0_20", "entry", "MISSING", *["excluded"] * 6]
    assert lines[1].index("MISSING") == lines[0].index("age_qualified")
    assert lines[-1] == "wrong cells: 1 MISSING"
    assert any(line.startswith("MISSING") and "(R2, R3)" in line for line in lines)
    assert "INVERTED" not in text
    assert not any(line != line.rstrip() for line in lines)


def test_a_wide_matrix_numbers_its_columns() -> None:
    """Where the names would not fit, numbers stand above and the names below."""
    document = base_model()
    names = [f"a_stop_with_a_long_name_{at:02}" for at in range(20)]
    document["stops"] += [{"propertyId": one} for one in names]
    text = matrix(document).as_text()
    assert text.splitlines()[0].split()[2:5] == ["1", "2", "3"]
    assert "  28  stop   a_stop_with_a_long_name_19" in text.splitlines()


def test_the_markdown_marks_what_is_wrong_and_escapes_names() -> None:
    """A name is no markup: no column, emphasis, link or HTML comes of it."""
    document = changed(without(base_model(), "e0_20", "age_qualified"), {"agent.name": "A|<b>[x](y)\n# h"})
    text = matrix(document).as_markdown()
    assert text.splitlines()[0] == r"# Exclusion matrix of A\|\<b\>\[x\](y) # h"
    assert "| **MISSING** |" in text
    assert r"age\_qualified (stamp)" in text


def test_a_model_without_follow_ups_has_an_empty_matrix() -> None:
    """Nothing to show is said, in each form."""
    made = matrix(changed(base_model(), {"followUps": []}))
    assert made.verdict() == "no follow-ups"
    assert made.as_text().endswith("no follow-ups\n")
    assert "no follow-ups." in made.as_markdown()
