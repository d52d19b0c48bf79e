"""Boxes: the truth table of the literals, what intersects, what contains what, examples."""

from __future__ import annotations

from typing import Any

import pytest

from mindloop.sequence.boxes import FALSE, NULL, TRUE, Box, Flags, Numbers, Space, Texts, fits
from mindloop.sequence.model import Condition, Property
from mindloop.sequence.words import BOOLEAN, DATE, NUMBER, PLATFORM, SQL_STRICT, STRING

KINDS = {"b": BOOLEAN, "n": NUMBER, "s": STRING, "d": DATE}
PROPERTIES = {name: Property(name, {"type": kind}, f"/properties/{name}") for name, kind in KINDS.items()}


def condition(name: str, operator: str, value: Any = None) -> Condition:
    return Condition(name, operator, value, "")


def box(*literals: tuple[Any, ...], nulls: str = PLATFORM, space: Space | None = None) -> Box:
    return (space or Space(PROPERTIES, nulls)).box([condition(*one) for one in literals])


@pytest.mark.parametrize(
    ("operator", "value", "platform", "strict"),
    [
        ("EQUALS", True, TRUE, TRUE),
        ("EQUALS", False, FALSE, FALSE),
        ("NOT_EQUALS", True, NULL | FALSE, FALSE),
        ("NOT_EQUALS", False, NULL | TRUE, TRUE),
        ("IS_SET", None, FALSE | TRUE, FALSE | TRUE),
        ("IS_NOT_SET", None, NULL, NULL),
        ("EQUALS", "true", 0, 0),
        ("EQUALS", 1, 0, 0),
        ("EQUALS", None, 0, 0),
        ("NOT_EQUALS", "true", NULL | FALSE | TRUE, FALSE | TRUE),
        ("NOT_EQUALS", 1, NULL | FALSE | TRUE, FALSE | TRUE),
        ("GREATER_THAN", 0, 0, 0),
    ],
)
def test_the_truth_table_of_booleans(operator: str, value: Any, platform: int, strict: int) -> None:
    """Each literal allows this subset of {NULL, false, true}; "true" is not true, 1 neither."""
    for nulls, mask in ((PLATFORM, platform), (SQL_STRICT, strict)):
        allowed = box(("b", operator, value), nulls=nulls).allowed("b")
        assert isinstance(allowed, Flags)
        assert allowed.mask == mask


@pytest.mark.parametrize(
    ("operator", "value", "inside", "outside"),
    [
        ("EQUALS", 5, [5, 5.0], [None, 4, 6]),
        ("NOT_EQUALS", 5, [None, 4, 5.1], [5]),
        ("GREATER_THAN", 5, [5.01, 1e300], [None, 5, -3]),
        ("GREATER_OR_EQUAL", 5, [5, 6], [None, 4.99]),
        ("LESS_THAN", 5, [4.99, -1e300], [None, 5]),
        ("LESS_OR_EQUAL", 5, [5, -6], [None, 5.01]),
        ("IS_SET", None, [0, -1.5], [None]),
        ("IS_NOT_SET", None, [None], [0]),
        ("EQUALS", "5", [], [None, 5]),
        ("EQUALS", True, [], [None, 1]),
        ("NOT_EQUALS", "5", [None, 5], []),
        ("GREATER_THAN", "5", [], [None, 6]),
        ("GREATER_THAN", float("inf"), [], [None, 1e308]),
        ("GREATER_OR_EQUAL", float("-inf"), [-1e308, 0], [None]),
    ],
)
def test_the_truth_table_of_numbers(operator: str, value: Any, inside: list[Any], outside: list[Any]) -> None:
    """Ordered comparisons and EQUALS never hold on NULL, NOT_EQUALS does."""
    made = box(("n", operator, value))
    assert [one for one in inside + outside if made.holds({"n": one})] == inside
    assert made.is_empty == (not inside)


@pytest.mark.parametrize(
    ("operator", "value", "inside", "outside"),
    [
        ("EQUALS", "a", ["a"], [None, "b", "A"]),
        ("NOT_EQUALS", "a", [None, "b", "A"], ["a"]),
        ("IS_SET", None, ["a", ""], [None]),
        ("IS_NOT_SET", None, [None], ["a"]),
        ("EQUALS", True, [], [None, "True"]),
        ("GREATER_THAN", "a", [], [None, "b"]),
    ],
)
def test_the_truth_table_of_texts(operator: str, value: Any, inside: list[Any], outside: list[Any]) -> None:
    """Texts and dates are compared for equality alone."""
    for name in ("s", "d"):
        made = box((name, operator, value))
        assert [one for one in inside + outside if made.holds({name: one})] == inside


def test_an_unknown_property_reads_as_null() -> None:
    """EQUALS never holds on it, NOT_EQUALS always does, and it is never true in an example."""
    assert box(("gone", "EQUALS", True)).is_empty
    assert box(("gone", "EQUALS", True)).empty_properties() == ["gone"]
    assert not box(("gone", "NOT_EQUALS", True)).is_empty
    assert box(("gone", "NOT_EQUALS", True), nulls=SQL_STRICT).is_empty
    assert box(("gone", "NOT_EQUALS", True)).example() == {}


def test_a_conjunction_is_empty_where_one_property_is() -> None:
    """EQUALS true with NOT_EQUALS true holds for nobody; each alone does."""
    made = box(("b", "EQUALS", True), ("n", "LESS_THAN", 3), ("b", "NOT_EQUALS", True), ("n", "GREATER_THAN", 3))
    assert made.is_empty
    assert made.empty_properties() == ["b", "n"]
    assert made.example() is None
    assert box(("n", "LESS_OR_EQUAL", 3), ("n", "GREATER_OR_EQUAL", 3)).example() == {"n": 3}
    assert box(("n", "LESS_OR_EQUAL", 3), ("n", "GREATER_OR_EQUAL", 3), ("n", "NOT_EQUALS", 3)).is_empty


def test_disjoint_boxes_and_their_intersection() -> None:
    """Two boxes are disjoint where one property keeps them apart, a number or a text too."""
    space = Space(PROPERTIES)
    one = box(("b", "EQUALS", True), ("n", "LESS_THAN", 5), space=space)
    assert not one.disjoint(box(("n", "GREATER_THAN", 4), space=space))
    assert one.disjoint(box(("n", "GREATER_OR_EQUAL", 5), space=space))
    assert one.disjoint(box(("b", "NOT_EQUALS", True), space=space))
    assert (one & box(("n", "GREATER_THAN", 3), space=space)).example() == {"b": True, "n": 4}
    assert box(("s", "EQUALS", "x"), space=space).disjoint(box(("s", "EQUALS", "y"), space=space))
    assert box(("gone", "IS_NOT_SET"), space=space).disjoint(box(("gone", "IS_SET"), space=space))


def test_containment() -> None:
    """A box is within another one where it allows no more of any property."""
    space = Space(PROPERTIES)
    wide = box(("n", "GREATER_THAN", 1), space=space)
    assert box(("n", "GREATER_OR_EQUAL", 2), ("b", "EQUALS", True), space=space).within(wide)
    assert not wide.within(box(("n", "GREATER_OR_EQUAL", 2), space=space))
    assert not box(("n", "GREATER_OR_EQUAL", 1), space=space).within(wide)
    assert box(("n", "GREATER_OR_EQUAL", 1), ("n", "NOT_EQUALS", 1), space=space).within(wide)
    assert not wide.within(box(("n", "NOT_EQUALS", 7), space=space))
    assert box(("b", "EQUALS", True), ("b", "EQUALS", False), space=space).within(wide)
    assert not box(space=space).within(wide)


def test_examples_leave_null_out_and_avoid_what_is_barred() -> None:
    """An example is a lead in the box: whole numbers where one is near, a text that no literal bars."""
    assert box(("b", "NOT_EQUALS", True), ("n", "NOT_EQUALS", 3), ("s", "NOT_EQUALS", "a")).example() == {}
    assert box(("n", "GREATER_THAN", 3), ("n", "NOT_EQUALS", 4)).example() == {"n": 5}
    assert box(("n", "LESS_THAN", 3)).example() == {"n": 2}
    assert box(("n", "GREATER_THAN", 3), ("n", "LESS_THAN", 4)).example() == {"n": pytest.approx(3 + 1 / 3)}
    assert box(("n", "IS_SET")).example() == {"n": 0}
    assert box(("n", "GREATER_THAN", 10**400)).example() == {"n": 10**400 + 1}
    assert box(("s", "IS_SET"), ("s", "NOT_EQUALS", "text0")).example() == {"s": "text1"}


def test_a_value_fits_its_property() -> None:
    """Operator and value are of the property's type, or the literal is another rule's business."""
    assert fits(condition("b", "EQUALS", True), PROPERTIES["b"])
    assert not fits(condition("b", "EQUALS", 1), PROPERTIES["b"])
    assert not fits(condition("b", "GREATER_THAN", True), PROPERTIES["b"])
    assert fits(condition("n", "GREATER_THAN", 0.5), PROPERTIES["n"])
    assert not fits(condition("n", "EQUALS", True), PROPERTIES["n"])
    assert not fits(condition("s", "LESS_THAN", "a"), PROPERTIES["s"])
    assert all(fits(condition(name, "IS_SET"), about) for name, about in PROPERTIES.items())


def test_sets_on_their_own() -> None:
    """Meeting and containing of single sets, as the boxes use them."""
    assert Flags(NULL | TRUE).meet(Flags(TRUE | FALSE)).mask == TRUE
    assert Flags(TRUE).within(Flags(TRUE | NULL))
    assert not Flags(TRUE | NULL).within(Flags(TRUE))
    assert Flags().holds("anything")
    assert not Flags(TRUE).holds("true")
    assert Numbers(1, 5).meet(Numbers(3, 9)).key[:2] == (3, 5)
    assert Numbers(null=False).within(Numbers())
    assert Texts(frozenset("ab")).meet(Texts(barred=frozenset("a"))).only == frozenset("b")
    assert Texts(barred=frozenset("ab")).within(Texts(barred=frozenset("a")))
    assert not Texts(barred=frozenset("a")).within(Texts(frozenset("b")))
