"""Laws of the boxes: they are the truth tables, decided without trying every lead; series collide where minutes do."""

from __future__ import annotations

from itertools import product
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from mindloop.sequence.boxes import Box, Space
from mindloop.sequence.loading import model_of
from mindloop.sequence.model import Condition, Property
from mindloop.sequence.rules.budget import DAY, most_per_day
from mindloop.sequence.rules.collisions import collision, first_within
from mindloop.sequence.simulator.conditions import holds as simulated
from mindloop.sequence.words import PLATFORM, SQL_STRICT
from tests.helpers.sequences import base_model

LAWFUL = settings(deadline=None, max_examples=200)
NAMES = [f"p{number}" for number in range(8)]
BOOLEANS = {name: Property(name, {"type": "BOOLEAN"}, "") for name in NAMES}
NUMBERS = {"n": Property("n", {"type": "NUMBER"}, "")}
TEXTS = {"s": Property("s", {"type": "STRING"}, "")}
OPERATORS = st.sampled_from(["EQUALS", "NOT_EQUALS", "IS_SET", "IS_NOT_SET"])
ORDERED = ["GREATER_THAN", "GREATER_OR_EQUAL", "LESS_THAN", "LESS_OR_EQUAL"]
NULLS = st.sampled_from([PLATFORM, SQL_STRICT])


def literals(names: list[str], operators: Any, values: Any) -> Any:
    made = st.builds(Condition, st.sampled_from(names), operators, values, st.just(""))
    return st.lists(made, max_size=7)


BOOLEAN = literals(NAMES, OPERATORS, st.booleans() | st.sampled_from(["true", 1, None]))
NUMERIC = literals(["n"], OPERATORS | st.sampled_from(ORDERED), st.integers(-3, 3) | st.sampled_from([0.5, True, "1"]))
TEXTUAL = literals(["s"], OPERATORS | st.sampled_from(ORDERED), st.sampled_from(["a", "b", "c", True, 1]))
LEADS = [dict(zip(NAMES, values, strict=True)) for values in product((None, False, True), repeat=len(NAMES))]
POINTS = [None, *(number / 4 for number in range(-16, 17))]


def holds(condition: Condition, value: Any, nulls: str) -> bool:
    """The truth table, written out a second time."""
    operator, wanted = condition.operator, condition.value
    if operator == "IS_SET":
        return value is not None
    if operator == "IS_NOT_SET":
        return value is None
    if value is None:
        return operator == "NOT_EQUALS" and nulls == PLATFORM
    both_numbers = all(isinstance(one, int | float) and not isinstance(one, bool) for one in (value, wanted))
    same = (type(value) is type(wanted) or both_numbers) and value == wanted
    if operator in {"EQUALS", "NOT_EQUALS"}:
        return same == (operator == "EQUALS")
    if not both_numbers:
        return False
    return {
        "GREATER_THAN": value > wanted,
        "GREATER_OR_EQUAL": value >= wanted,
        "LESS_THAN": value < wanted,
        "LESS_OR_EQUAL": value <= wanted,
    }[operator]


def fires(conditions: list[Condition], lead: dict[str, Any], nulls: str) -> bool:
    return all(holds(one, lead.get(one.property_id), nulls) for one in conditions)


def inside(conditions: list[Condition], nulls: str) -> set[int]:
    """The numbers of the leads for whom a conjunction of booleans holds, by trying all 3^8."""
    named = {one.property_id for one in conditions}
    cheap = {(one.property_id, value): holds(one, value, nulls) for one in conditions for value in (None, False, True)}
    for one in conditions:
        for value in (None, False, True):
            cheap[one.property_id, value] = cheap[one.property_id, value] and all(
                holds(each, value, nulls) for each in conditions if each.property_id == one.property_id
            )
    return {number for number, lead in enumerate(LEADS) if all(cheap[name, lead[name]] for name in named)}


def boxes(space: Space, *conjunctions: list[Condition]) -> list[Box]:
    return [space.box(one) for one in conjunctions]


@LAWFUL
@given(BOOLEAN, BOOLEAN, NULLS)
def test_boxes_of_booleans_are_what_brute_force_finds(one: list[Condition], other: list[Condition], nulls: str) -> None:
    """Emptiness, intersection, containment and membership agree with all 3^8 leads, under both meanings of NULL."""
    a, b = boxes(Space(BOOLEANS, nulls), one, other)
    left, right = inside(one, nulls), inside(other, nulls)
    assert a.is_empty == (not left)
    assert a.disjoint(b) == b.disjoint(a) == left.isdisjoint(right)
    assert (a & b).is_empty == left.isdisjoint(right)
    assert a.within(b) == (left <= right)
    assert {number for number in (0, 1, 2, 3280, 6560) if a.holds(LEADS[number])} == left & {0, 1, 2, 3280, 6560}


@LAWFUL
@given(BOOLEAN, NULLS)
def test_an_example_is_a_lead_of_the_box(conditions: list[Condition], nulls: str) -> None:
    """Where a box has a lead, the example is one, and it names as little as any."""
    made = Space(BOOLEANS, nulls).box(conditions)
    example = made.example()
    assert (example is None) == made.is_empty
    if example is not None:
        assert fires(conditions, example, nulls)
        assert made.holds(example)
        least = min(sum(value is not None for value in LEADS[number].values()) for number in inside(conditions, nulls))
        assert len(example) == least


@LAWFUL
@given(NUMERIC, NUMERIC, NULLS)
def test_boxes_of_numbers_are_what_points_say(one: list[Condition], other: list[Condition], nulls: str) -> None:
    """On every quarter from -4 to 4 and NULL a box says what its literals say; they lie on halves, none is missed."""
    a, b = boxes(Space(NUMBERS, nulls), one, other)
    left = {point for point in POINTS if fires(one, {"n": point}, nulls)}
    right = {point for point in POINTS if fires(other, {"n": point}, nulls)}
    assert {point for point in POINTS if a.holds({"n": point})} == left
    assert a.is_empty == (not left)
    assert a.disjoint(b) == left.isdisjoint(right)
    assert a.within(b) == (left <= right)
    example = (a & b).example()
    assert (example is None) == left.isdisjoint(right)
    assert example is None or fires(one + other, example, nulls)


@LAWFUL
@given(TEXTUAL, TEXTUAL, NULLS)
def test_boxes_of_texts_are_what_equality_says(one: list[Condition], other: list[Condition], nulls: str) -> None:
    """The same for texts, with one that no literal names."""
    a, b = boxes(Space(TEXTS, nulls), one, other)
    points = [None, "a", "b", "c", "none of them"]
    left, right = ({point for point in points if fires(each, {"s": point}, nulls)} for each in (one, other))
    assert {point for point in points if a.holds({"s": point})} == left
    assert a.is_empty == (not left)
    assert a.disjoint(b) == left.isdisjoint(right)
    assert a.within(b) == (left <= right)
    example = a.example()
    assert example is None or fires(one, example, nulls)


@LAWFUL
@given(st.integers(1, 40), st.data())
def test_the_first_remainder_that_is_small_enough(modulus: int, data: Any) -> None:
    """Euclid finds the k that counting finds."""
    step, start, top = (data.draw(st.integers(0, modulus - 1)) for _ in range(3))
    counted = next((k for k in range(modulus + 1) if (start + k * step) % modulus <= top), None)
    assert first_within(step, start, modulus, top) == counted


SERIES = st.tuples(st.integers(0, 60), st.integers(1, 25), st.none() | st.integers(0, 12))


def minutes(series: tuple[int, int, int | None]) -> list[int]:
    first, interval, repeats = series
    return [first + number * interval for number in range(1500 if repeats is None else repeats + 1)]


@LAWFUL
@given(SERIES, SERIES, st.integers(1, 20))
def test_series_collide_where_their_minutes_do(one: Any, other: Any, least: int) -> None:
    """A collision is found where listing all minutes finds one, and its two minutes are due and too close."""
    a, b = minutes(one), minutes(other)
    every = [(x, y) for x in a[:200] for y in b[:200] if abs(x - y) < least and (x, y) != (a[0], b[0])]
    found = collision(one, other, least)
    assert (found is None) == (not every)
    if found is not None:
        assert found[0] in a
        assert found[1] in b
        assert abs(found[0] - found[1]) < least


def most_by_trying(stages: list[list[int]]) -> int:
    """The longest chain within a day, by walking every way: a run of one stage, then first minutes of later ones."""
    best = 0
    for at, stage in enumerate(stages):
        for first, begin in enumerate(stage):
            for last in range(first, len(stage)):
                spent = stage[last] - begin
                if spent < DAY:
                    best = max(best, last - first + 1 + _then(stages[at + 1 :], DAY - spent))
    return best


def _then(stages: list[list[int]], left: int) -> int:
    if not stages:
        return 0
    ways = [_then(stages[1:], left)]
    ways += [number + _then(stages[1:], left - minute) for number, minute in enumerate(stages[0], 1) if minute < left]
    return max(ways)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(st.integers(1, 2000), max_size=4).map(sorted), min_size=3, max_size=3))
def test_the_most_messages_within_a_day(stages: list[list[int]]) -> None:
    """The budget is the longest chain that walking every way finds."""
    document = base_model()
    plain = document["followUps"][0]
    document["followUps"] = [
        plain | {"id": f"f{at}_{number}", "stageId": f"s{at}", "delayMinutesAfterPropertySet": minute}
        for at, stage in enumerate(stages)
        for number, minute in enumerate(stage)
    ]
    assert most_per_day(model_of(document).model) == most_by_trying(stages)


EVERY = BOOLEANS | NUMBERS | TEXTS
MIXED = literals(
    [*NAMES[:3], "n", "s", "gone"],
    OPERATORS | st.sampled_from(ORDERED),
    st.booleans() | st.integers(-2, 2) | st.sampled_from(["a", "true", None]),
)
LEAD = st.fixed_dictionaries(
    {},
    optional={
        **{name: st.none() | st.booleans() for name in NAMES[:3]},
        "n": st.none() | st.integers(-3, 3) | st.just(0.5),
        "s": st.none() | st.sampled_from(["a", "true", "b"]),
    },
)


@LAWFUL
@given(MIXED, LEAD, NULLS)
def test_boxes_and_the_simulator_mean_the_same(conditions: list[Condition], lead: dict[str, Any], nulls: str) -> None:
    """A lead is in the box exactly where the simulator's runner finds every condition to hold."""
    runs = all(simulated(one, lead.get(one.property_id), nulls) is True for one in conditions)
    assert Space(EVERY, nulls).box(conditions).holds(lead) == runs
