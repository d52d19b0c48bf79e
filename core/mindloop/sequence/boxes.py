"""The firing set of a follow-up: a conjunction of literals is a box, a product of allowed values per property.

Booleans allow a subset of {NULL, false, true}, numbers an interval without some points and perhaps NULL, texts one
value or all but some. Emptiness, intersection and containment are decided property by property: exact, and linear in
the conditions (follow-up-sequences, sections 2 and 3).
"""

from __future__ import annotations

from mindloop.sequence import words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

    from mindloop.sequence.model import Condition, Model, Property, Value

    State = Mapping[str, Value]

NULL, FALSE, TRUE = 1, 2, 4
"""The bits of what a boolean may be."""
ANY = NULL | FALSE | TRUE
_VALUES = ((NULL, None), (FALSE, False), (TRUE, True))
_ENDLESS = float("inf")
_LARGEST = 10**300


class Flags:
    """A subset of {NULL, false, true} as three bits."""

    __slots__ = ("mask",)

    def __init__(self, mask: int = ANY) -> None:
        self.mask = mask

    def meet(self, other: Flags) -> Flags:
        """What both allow."""
        return Flags(self.mask & other.mask)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is allowed."""
        return not self.mask

    def within(self, other: Flags) -> bool:
        """Whether the other allows all of this."""
        return not self.mask & ~other.mask

    def holds(self, value: Value) -> bool:
        """Whether a value is allowed; what is no boolean is allowed where everything is."""
        if value is None:
            return bool(self.mask & NULL)
        if not isinstance(value, bool):
            return self.mask == ANY
        return bool(self.mask & (TRUE if value else FALSE))

    def example(self) -> Value:
        """An allowed value, NULL before false before true."""
        return next(value for bit, value in _VALUES if self.mask & bit)


class Numbers:
    """An interval without some points, and perhaps NULL; an open end is outside."""

    __slots__ = ("high", "high_open", "holes", "low", "low_open", "null")

    def __init__(
        self,
        low: float = -_ENDLESS,
        high: float = _ENDLESS,
        *,
        low_open: bool = True,
        high_open: bool = True,
        holes: frozenset[float] = frozenset(),
        null: bool = True,
    ) -> None:
        self.low = low
        self.high = high
        self.low_open = low_open or low in holes or abs(low) == _ENDLESS
        self.high_open = high_open or high in holes or abs(high) == _ENDLESS
        self.holes = frozenset(hole for hole in holes if low < hole < high)
        self.null = null

    def meet(self, other: Numbers) -> Numbers:
        """What both allow."""
        low = max(self.low, other.low)
        high = min(self.high, other.high)
        return Numbers(
            low,
            high,
            low_open=any(one.low_open for one in (self, other) if one.low == low),
            high_open=any(one.high_open for one in (self, other) if one.high == high),
            holes=self.holes | other.holes,
            null=self.null and other.null,
        )

    @property
    def has_number(self) -> bool:
        """Whether any number is allowed."""
        return self.low < self.high or (self.low == self.high and not self.low_open and not self.high_open)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is allowed, NULL neither."""
        return not self.null and not self.has_number

    def within(self, other: Numbers) -> bool:
        """Whether the other allows all of this."""
        if self.null and not other.null:
            return False
        if not self.has_number:
            return True
        low_fits = other.low < self.low or (other.low == self.low and (self.low_open or not other.low_open))
        high_fits = self.high < other.high or (other.high == self.high and (self.high_open or not other.high_open))
        return low_fits and high_fits and not any(self.holds(hole) for hole in other.holes)

    def holds(self, value: Value) -> bool:
        """Whether a value is allowed; what is no number is allowed where every number is."""
        if value is None:
            return self.null
        if isinstance(value, bool | str):
            return self.low == -_ENDLESS and self.high == _ENDLESS
        above = self.low < value or (self.low == value and not self.low_open)
        below = value < self.high or (self.high == value and not self.high_open)
        return above and below and value not in self.holes

    @property
    def key(self) -> tuple[Any, ...]:
        """Equal for equal sets."""
        return self.low, self.high, self.low_open, self.high_open, self.holes, self.null

    def example(self) -> Value:
        """An allowed value: NULL, else a whole number if there is a near one."""
        if self.null:
            return None
        return next((value for value in self._candidates() if self.holds(value)), self.low)

    def _candidates(self) -> Iterator[float]:
        from fractions import Fraction

        tries = range(len(self.holes) + 2)
        yield from (end for end in (self.low, self.high) if abs(end) != _ENDLESS)
        if self.low != -_ENDLESS:
            yield from (int(self.low) + step for step in tries)
        elif self.high != _ENDLESS:
            yield from (int(self.high) - step for step in tries)
        else:
            yield from tries
        if _ENDLESS not in {-self.low, self.high}:
            low, wide = Fraction(self.low), Fraction(self.high) - Fraction(self.low)
            between = (low + wide * (step + 1) / (len(tries) + 1) for step in tries)
            yield from (float(one) for one in between if abs(one) < _LARGEST)


class Texts:
    """One text, or all but some, and perhaps NULL; dates are texts here."""

    __slots__ = ("barred", "null", "only")

    def __init__(
        self, only: frozenset[str] | None = None, barred: frozenset[str] = frozenset(), *, null: bool = True
    ) -> None:
        self.only = None if only is None else only - barred
        self.barred = barred if only is None else frozenset()
        self.null = null

    def meet(self, other: Texts) -> Texts:
        """What both allow."""
        wanted = [one.only for one in (self, other) if one.only is not None]
        only = frozenset.intersection(*wanted) if wanted else None
        return Texts(only, self.barred | other.barred, null=self.null and other.null)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is allowed."""
        return not self.null and self.only is not None and not self.only

    def within(self, other: Texts) -> bool:
        """Whether the other allows all of this."""
        if self.null and not other.null:
            return False
        if self.only is None:
            return other.only is None and other.barred <= self.barred
        return self.only.isdisjoint(other.barred) and (other.only is None or self.only <= other.only)

    def holds(self, value: Value) -> bool:
        """Whether a value is allowed; what is no text is allowed where no text is wanted."""
        if value is None:
            return self.null
        if not isinstance(value, str):
            return self.only is None
        return value not in self.barred and (self.only is None or value in self.only)

    @property
    def key(self) -> tuple[Any, ...]:
        """Equal for equal sets."""
        return self.only, self.barred, self.null

    def example(self) -> Value:
        """An allowed value."""
        if self.null:
            return None
        if self.only is not None:
            return min(self.only)
        return next(
            text for text in (f"text{number}" for number in range(len(self.barred) + 1)) if text not in self.barred
        )


def fits(condition: Condition, about: Property) -> bool:
    """Whether operator and value are of the property's type; ``"true"`` is not ``true``, 1 neither (section 9)."""
    if condition.operator in {words.IS_SET, words.IS_NOT_SET}:
        return True
    if condition.operator in words.ORDERED and about.type != words.NUMBER:
        return False
    return is_of_type(condition.value, about.type)


def is_of_type(value: object, kind: str) -> bool:
    """Whether a JSON value is of a property's type."""
    if kind == words.BOOLEAN:
        return isinstance(value, bool)
    if kind == words.NUMBER:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, str)


class Box:
    """A product of allowed values; a property that it does not name may be anything.

    Attributes:
        barred: what booleans may not be, three bits a property at the place that the space gave it.
        others: what numbers and texts may be.
    """

    __slots__ = ("barred", "others", "space")

    def __init__(self, space: Space, barred: int = 0, others: dict[str, Numbers | Texts] | None = None) -> None:
        self.space = space
        self.barred = barred
        self.others = others or {}

    def __and__(self, other: Box) -> Box:
        return Box(self.space, self.barred | other.barred, _met(self.others, other.others))

    @property
    def key(self) -> tuple[Any, ...]:
        """Equal for equal boxes."""
        return (self.barred, frozenset((name, allowed.key) for name, allowed in self.others.items()))

    @property
    def is_empty(self) -> bool:
        """Whether no lead can be in it."""
        return self._all_barred(self.barred) != 0 or any(allowed.is_empty for allowed in self.others.values())

    def disjoint(self, other: Box) -> bool:
        """Whether no lead can be in both."""
        if self._all_barred(self.barred | other.barred):
            return True
        if not self.others and not other.others:
            return False
        return any(allowed.is_empty for allowed in _met(self.others, other.others).values())

    def within(self, other: Box) -> bool:
        """Whether every lead in it is in the other one; a box without a lead is in any."""
        if self.is_empty:
            return True
        if other.barred & ~self.barred:
            return False
        return all(_inside(self.allowed(name), allowed) for name, allowed in other.others.items())

    def allowed(self, property_id: str) -> Flags | Numbers | Texts:
        """What a property may be."""
        if property_id in self.space.places:
            return Flags(ANY & ~(self.barred >> self.space.places[property_id]))
        return self.others.get(property_id) or self.space.anything(property_id)

    def empty_properties(self) -> list[str]:
        """The properties of which nothing is allowed, in the space's order."""
        found = self._all_barred(self.barred)
        names = [name for name, place in self.space.places.items() if found >> place & 1] if found else []
        return names + [name for name, allowed in self.others.items() if allowed.is_empty]

    def holds(self, state: State) -> bool:
        """Whether a lead with these values is in it; an absent value is NULL."""
        flags = all(self.allowed(name).holds(state.get(name)) for name in self.named_flags())
        return flags and all(allowed.holds(state.get(name)) for name, allowed in self.others.items())

    def named_flags(self) -> list[str]:
        """The booleans that it says something about."""
        return [name for name, place in self.space.places.items() if self.barred >> place & ANY]

    def example(self) -> dict[str, Value] | None:
        """A lead in it, NULL (left out) wherever it may be; None where it is empty."""
        if self.is_empty:
            return None
        found = {name: self.allowed(name).example() for name in self.named_flags()}
        found |= {name: allowed.example() for name, allowed in self.others.items()}
        return {name: value for name, value in found.items() if value is not None}

    def _all_barred(self, barred: int) -> int:
        return barred & (barred >> 1) & (barred >> 2) & self.space.ones


def _met(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    return one | {name: one[name].meet(allowed) if name in one else allowed for name, allowed in other.items()}


def _all_met(sets: list[Any]) -> Any:
    """What all of them allow; met in pairs, so that many points cost no more than their number times its digits."""
    while len(sets) > 1:
        met = [one.meet(other) for one, other in zip(sets[::2], sets[1::2], strict=False)]
        sets = met + sets[len(sets) - len(sets) % 2 :]
    return sets[0]


def _inside(one: Any, other: Any) -> bool:
    return bool(one.within(other))


class Space:
    """The properties that boxes are about, and what NULL means to their literals.

    A property that the model does not know is one that is always NULL: EQUALS never holds on it, NOT_EQUALS always.

    Attributes:
        places: where a boolean's three bits stand.
        ones: the lowest bit of every place.
    """

    __slots__ = ("_properties", "null_passes", "ones", "places")

    def __init__(self, properties: Mapping[str, Property], null_semantics: str = words.PLATFORM) -> None:
        self._properties = properties
        self.null_passes = null_semantics == words.PLATFORM
        self.places: dict[str, int] = {}
        self.ones = 0
        for name, about in properties.items():
            if about.type == words.BOOLEAN:
                self._place(name)

    def box(self, conditions: Iterable[Condition]) -> Box:
        """The firing set of a conjunction; linear in it."""
        barred = 0
        parts: dict[str, list[Numbers | Texts]] = {}
        for condition in conditions:
            about = self._properties.get(condition.property_id)
            if about is None:
                barred |= self._bar(condition.property_id, self._unknown(condition))
            elif about.type == words.BOOLEAN:
                barred |= self._bar(condition.property_id, self._boolean(condition))
            else:
                allowed = self._number(condition) if about.type == words.NUMBER else self._text(condition)
                parts.setdefault(condition.property_id, []).append(allowed)
        return Box(self, barred, {name: _all_met(sets) for name, sets in parts.items()})

    def state_box(self, state: State) -> Box:
        """The box of the one lead with these values of boolean properties; other properties are left open."""
        barred = 0
        for name, value in state.items():
            barred |= self._bar(name, NULL if value is None else TRUE if value is True else FALSE)
        return Box(self, barred)

    def anything(self, property_id: str) -> Flags | Numbers | Texts:
        """All that a property may be."""
        about = self._properties.get(property_id)
        if about is None:
            return Flags(NULL)
        if about.type == words.BOOLEAN:
            return Flags()
        return Numbers() if about.type == words.NUMBER else Texts()

    def _place(self, name: str) -> int:
        if name not in self.places:
            place = 3 * len(self.places)
            self.places[name] = place
            self.ones |= 1 << place
        return self.places[name]

    def _bar(self, name: str, mask: int) -> int:
        return (ANY & ~mask) << self._place(name)

    def _negative(self) -> int:
        """NULL's bit where a negative literal passes it."""
        return NULL if self.null_passes else 0

    def _boolean(self, condition: Condition) -> int:
        operator, value = condition.operator, condition.value
        if operator == words.EQUALS:
            return 0 if not isinstance(value, bool) else TRUE if value else FALSE
        if operator == words.NOT_EQUALS:
            rest = FALSE | TRUE if not isinstance(value, bool) else FALSE if value else TRUE
            return rest | self._negative()
        return {words.IS_SET: FALSE | TRUE, words.IS_NOT_SET: NULL}.get(operator, 0)

    def _unknown(self, condition: Condition) -> int:
        if condition.operator == words.NOT_EQUALS:
            return self._negative()
        return NULL if condition.operator == words.IS_NOT_SET else 0

    def _number(self, condition: Condition) -> Numbers:
        operator, value = condition.operator, condition.value
        if operator in {words.IS_SET, words.IS_NOT_SET}:
            return Numbers(null=False) if operator == words.IS_SET else Numbers(0, 0)
        negative = operator == words.NOT_EQUALS
        if not isinstance(value, int | float) or isinstance(value, bool):
            return Numbers(null=self.null_passes) if negative else Numbers(0, 0, null=False)
        if negative:
            return Numbers(holes=frozenset((value,)), null=self.null_passes)
        if operator == words.EQUALS:
            return Numbers(value, value, low_open=False, high_open=False, null=False)
        closed = operator.endswith("OR_EQUAL")
        if operator.startswith("GREATER"):
            return Numbers(value, low_open=not closed, null=False)
        return Numbers(high=value, high_open=not closed, null=False)

    def _text(self, condition: Condition) -> Texts:
        operator, value = condition.operator, condition.value
        if operator in {words.IS_SET, words.IS_NOT_SET}:
            return Texts(null=False) if operator == words.IS_SET else Texts(frozenset())
        if operator == words.NOT_EQUALS:
            barred = frozenset((value,)) if isinstance(value, str) else frozenset()
            return Texts(barred=barred, null=self.null_passes)
        wanted = operator == words.EQUALS and isinstance(value, str)
        return Texts(frozenset((value,)) if wanted and isinstance(value, str) else frozenset(), null=False)


def space_of(model: Model, null_semantics: str | None = None) -> Space:
    """The space of a model's boxes, under its own NULLs or others."""
    return Space(model.properties, null_semantics or model.runtime.null_semantics)
