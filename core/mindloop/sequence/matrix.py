"""The exclusion matrix: each follow-up against the stamps and stops that must keep it silent (sections 2 to 4).

A cell says in a word whether the condition that belongs there is there; what is wrong is in capitals.
"""

from __future__ import annotations

from mindloop.sequence import words
from mindloop.sequence.funnel import in_order
from mindloop.sequence.shown import aligned, cell, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindloop.sequence.model import Condition, FollowUp, Model, Stage

ENTRY, PRESENT, NOTHING, REQUIRED = "entry", "excluded", "·", "required"
NO_ENTRY, MISSING, INVERTED, NULL_UNSAFE = "NO ENTRY", "MISSING", "INVERTED", "NULL-UNSAFE"
WRONG_VALUE, UPSTREAM, AT_ODDS = "WRONG VALUE", "UPSTREAM", "AT ODDS"

MEANINGS = {
    ENTRY: "own entry stamp EQUALS true, as it must be",
    PRESENT: "NOT_EQUALS true, as it must be",
    NOTHING: "nothing is needed here",
    REQUIRED: "an earlier stage's stamp EQUALS true: leads who skipped that stage get nothing",
    NO_ENTRY: "no condition own entry stamp EQUALS true: fires for leads who never entered (R1)",
    MISSING: "no exclusion: a lead who moved on, or was stopped, is still followed up (R2, R3)",
    INVERTED: "EQUALS true or NOT_EQUALS false: fires for those who must be left alone (R34)",
    NULL_UNSAFE: "EQUALS false: nobody who has no value gets anything (R7)",
    WRONG_VALUE: "a value or operator that a boolean cannot satisfy or always does (R33)",
    UPSTREAM: "excludes its own or an earlier stamp, which stays true: never fires (R20)",
    AT_ODDS: "the right condition, and another one beside it that contradicts or repeats it (R17)",
}
"""Every word of a cell, and what it means."""
WRONG = (NO_ENTRY, MISSING, INVERTED, NULL_UNSAFE, WRONG_VALUE, UPSTREAM, AT_ODDS)
"""The words that say that something is wrong."""
STAMP, STOP = "stamp", "stop"
_WIDEST = 160
"""Characters of a line above which the columns of a text are numbered instead of named."""


class Column:
    """A property that gates: the entry stamp of a stage, or a stop (a property that is both is a stamp)."""

    __slots__ = ("is_stop", "kind", "property_id", "stage_ids")

    def __init__(self, property_id: str, kind: str, stage_ids: list[str], *, is_stop: bool) -> None:
        self.property_id = property_id
        self.kind = kind
        self.stage_ids = stage_ids
        self.is_stop = is_stop


class Line:
    """A follow-up and the word of each column."""

    __slots__ = ("follow_up", "stage", "words")

    def __init__(self, follow_up: FollowUp, stage: Stage | None, found: list[str]) -> None:
        self.follow_up = follow_up
        self.stage = stage
        self.words = found

    @property
    def label(self) -> str:
        """The follow-up's id, and why it does not run where it does not."""
        one = self.follow_up
        if one.type != words.FOLLOW_UP:
            return f"{one.id} ({one.type})"
        return one.id if one.active else f"{one.id} (inactive)"


class Matrix:
    """Follow-ups, in the order of their stages, against columns: stamps in the order of the funnel, then stops."""

    __slots__ = ("agent", "columns", "lines")

    def __init__(self, agent: str, columns: list[Column], lines: list[Line]) -> None:
        self.agent = agent
        self.columns = columns
        self.lines = lines

    def counts(self) -> dict[str, int]:
        """How often each wrong word stands in the lines of follow-ups that run, where it does at all."""
        live = [word for line in self.lines if line.follow_up.is_live for word in line.words]
        return {word: live.count(word) for word in WRONG if word in live}

    def verdict(self) -> str:
        """One sentence."""
        counts = self.counts()
        if not self.lines:
            return "no follow-ups"
        if not counts:
            return "every follow-up has its entry stamp and every exclusion"
        return "wrong cells: " + ", ".join(f"{count} {word}" for word, count in counts.items())

    def used(self) -> list[str]:
        """The words that occur, in the order of `MEANINGS`."""
        there = {word for line in self.lines for word in line.words}
        return [word for word in MEANINGS if word in there]

    def as_text(self) -> str:
        """Aligned columns for a terminal or a pipe; where they do not fit they are numbered and listed below."""
        named = [plain(one.property_id, 40) for one in self.columns]
        lines = aligned(list(self._rows(named)))
        if lines and len(max(lines, key=len)) > _WIDEST:
            lines = aligned(list(self._rows([str(at + 1) for at in range(len(named))])))
            lines += ["", *(f"{at + 1:>4}  {one.kind:<5}  {named[at]}" for at, one in enumerate(self.columns))]
        legend = aligned([(word, MEANINGS[word]) for word in self.used()])
        return "\n".join([*lines, "", *legend, "", self.verdict(), ""])

    def _rows(self, names: list[str]) -> Iterator[list[str]]:
        yield ["stage", "follow-up", *names]
        for line in self.lines:
            yield [plain(line.follow_up.stage_id, 24), plain(line.label, 40), *line.words]

    def as_markdown(self) -> str:
        """A table, a legend and the verdict."""
        head = ["stage", "follow-up", *(f"{cell(one.property_id, 60)} ({one.kind})" for one in self.columns)]
        rows = [
            [cell(line.follow_up.stage_id), cell(line.label), *(f"**{w}**" if w in WRONG else w for w in line.words)]
            for line in self.lines
        ]
        table = [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]
        legend = [f"- {f'**{word}**' if word in WRONG else word}: {cell(MEANINGS[word])}" for word in self.used()]
        title = f"# Exclusion matrix of {cell(self.agent)}" if self.agent else "# Exclusion matrix"
        return "\n".join([title, "", *table, "", *legend, "", f"{cell(self.verdict(), 400)}.", ""])


def matrix_of(model: Model) -> Matrix:
    """Lay out every follow-up of a model, those that do not run too."""
    stages = in_order(model)
    columns = list(_columns(model, stages))
    place = {stage.id: at for at, stage in enumerate(stages)}
    ordered = sorted(model.follow_ups, key=lambda one: place.get(one.stage_id, len(place)))
    lines = [_line(model, one, columns) for one in ordered]
    return Matrix(model.agent.name or model.agent.id, columns, lines)


def _columns(model: Model, stages: list[Stage]) -> Iterator[Column]:
    stops = set(model.stop_ids)
    stamps: dict[str, list[str]] = {}
    for stage in stages:
        stamps.setdefault(stage.entry_stamp_id, []).append(stage.id)
    for property_id, stage_ids in stamps.items():
        yield Column(property_id, STAMP, stage_ids, is_stop=property_id in stops)
    for property_id in dict.fromkeys(model.stop_ids):
        if property_id not in stamps:
            yield Column(property_id, STOP, [], is_stop=True)


def _line(model: Model, follow_up: FollowUp, columns: list[Column]) -> Line:
    stage = model.stage(follow_up.stage_id)
    later = {one.entry_stamp_id for one in model.downstream(follow_up.stage_id)}
    own = stage.entry_stamp_id if stage else None
    earlier = {
        one.entry_stamp_id
        for one in model.stages
        if stage and any(after.id == stage.id for after in model.downstream(one.id))
    }
    by_property: dict[str, list[Condition]] = {}
    for condition in follow_up.conditions:
        by_property.setdefault(condition.property_id, []).append(condition)
    found = []
    for column in columns:
        literals = by_property.get(column.property_id, [])
        if column.property_id == own:
            found.append(_entry(literals))
        elif column.is_stop or column.property_id in later:
            found.append(_exclusion(literals))
        else:
            found.append(_other(literals, is_earlier=column.property_id in earlier))
    return Line(follow_up, stage, found)


def _entry(literals: list[Condition]) -> str:
    kinds = [_kind(one) for one in literals]
    if kinds == [(words.EQUALS, True)]:
        return ENTRY
    if (words.EQUALS, True) in kinds:
        return UPSTREAM if (words.NOT_EQUALS, True) in kinds else AT_ODDS
    if (words.NOT_EQUALS, True) in kinds:
        return UPSTREAM
    return WRONG_VALUE if kinds and all(value is None for _, value in kinds) else NO_ENTRY


def _exclusion(literals: list[Condition]) -> str:
    kinds = [_kind(one) for one in literals]
    right = (words.NOT_EQUALS, True)
    if not kinds:
        return MISSING
    if right in kinds:
        return PRESENT if all(kind == right for kind in kinds) else AT_ODDS
    if (words.EQUALS, False) in kinds:
        return NULL_UNSAFE
    if any(kind in kinds for kind in ((words.EQUALS, True), (words.NOT_EQUALS, False))):
        return INVERTED
    return WRONG_VALUE


def _other(literals: list[Condition], *, is_earlier: bool) -> str:
    kinds = [_kind(one) for one in literals]
    if not kinds:
        return NOTHING
    if (words.NOT_EQUALS, True) in kinds and is_earlier:
        return UPSTREAM
    if (words.EQUALS, True) in kinds:
        return REQUIRED
    return PRESENT if (words.NOT_EQUALS, True) in kinds else WRONG_VALUE


def _kind(literal: Condition) -> tuple[str, bool | None]:
    """Operator and boolean value; None for a value that is none, or an operator that takes none."""
    equal = literal.operator in {words.EQUALS, words.NOT_EQUALS}
    return literal.operator, literal.value if equal and isinstance(literal.value, bool) else None
