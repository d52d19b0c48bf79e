"""Who gets a follow-up: the literals of a stage's gate (follow-up-sequences, sections 1 to 4 and 9)."""

from __future__ import annotations

from mindloop.sequence.boxes import TRUE, Flags
from mindloop.sequence.findings import Finding, listed, literal, named
from mindloop.sequence.rules.facts import OTHER, OWN, STOP, UPSTREAM
from mindloop.sequence.rules.registry import doctrine
from mindloop.sequence.words import EQUALS, ERROR, INFO, NOT_EQUALS, WARN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from mindloop.sequence.model import Condition, Stage
    from mindloop.sequence.rules.facts import Facts, Seen


@doctrine(
    "R1",
    "ENTRY_GATE",
    "2.1",
    fix="Add the entry stamp of the stage EQUALS true; NOT_EQUALS false lets through who never entered.",
)
def entry_gate(facts: Facts) -> Iterator[Finding]:
    """A follow-up fires only for leads who entered its stage: entry stamp EQUALS true."""
    for seen in facts.seen:
        if seen.own is None or seen.own in seen.requires:
            continue
        came = _on(seen, seen.own)
        yield Finding(
            seen.id,
            seen.pointer,
            f"{named(seen.id)} has {came}; expected {literal(seen.own, EQUALS, value=True)}, "
            "so it may reach leads who never entered the stage, or never fire",
            f"{_instead(seen, seen.own)} {literal(seen.own, EQUALS, value=True)} {_to(seen)}.",
            state=_state(seen, seen.own, value=None),
            involved=[seen.id],
            detail={"add": [_literal(seen.own, EQUALS)]},
        )


@doctrine(
    "R2",
    "EXCLUDE_ALL_DOWNSTREAM",
    "2.2",
    fix="Add NOT_EQUALS true for the entry stamp of every later stage, in every follow-up of every earlier stage.",
)
def exclude_all_downstream(facts: Facts) -> Iterator[Finding]:
    """A follow-up excludes the entry stamp of every later stage, not only of the next."""
    for seen in facts.seen:
        missing = missing_downstream(facts, seen)
        direct = [stage for stage in missing if not _kept_out_otherwise(facts, seen, stage)]
        if direct:
            yield _not_excluded(seen, direct)
        indirect = [stage for stage in missing if stage not in direct]
        if indirect:
            yield _excluded_indirectly(seen, indirect)


def missing_downstream(facts: Facts, seen: Seen) -> list[Stage]:
    """The later stages whose stamp a follow-up does not exclude, and about whose literal no other rule speaks."""
    if not seen.stage:
        return []
    silent = seen.excludes | seen.wrong | {seen.own}
    return [stage for stage in facts.model.downstream(seen.stage.id) if stage.entry_stamp_id not in silent]


def _kept_out_otherwise(facts: Facts, seen: Seen, stage: Stage) -> bool:
    """Whether nobody who is in the later stage can be in the box, though nothing names its stamp as it should."""
    if not _may_be_true(seen, stage.entry_stamp_id):
        return True
    has_others = bool(facts.of_stage[stage.id]) and not seen.box.is_empty
    return has_others and stage.id not in facts.overlaps.get(seen.id, {})


def _not_excluded(seen: Seen, stages: list[Stage]) -> Finding:
    stamps = [stage.entry_stamp_id for stage in stages]
    return Finding(
        seen.id,
        seen.pointer,
        f"{named(seen.id)} does not exclude the later {_stages(stages)} ({listed(stamps)}); expected "
        "NOT_EQUALS true on "
        "each, so leads who advanced are still chased for an earlier stage",
        _add_all(seen, stamps),
        state=_state(seen, stamps[0], value=True),
        involved=[seen.id],
        detail={"add": [_literal(stamp, NOT_EQUALS) for stamp in stamps], "stages": [stage.id for stage in stages]},
    )


def _excluded_indirectly(seen: Seen, stages: list[Stage]) -> Finding:
    stamps = [stage.entry_stamp_id for stage in stages]
    return Finding(
        seen.id,
        seen.pointer,
        f"{named(seen.id)} excludes the later {_stages(stages)} only indirectly: other conditions keep the two "
        f"apart today, expected NOT_EQUALS true on {listed(stamps)}",
        _add_all(seen, stamps),
        severity=WARN,
        detail={"add": [_literal(stamp, NOT_EQUALS) for stamp in stamps], "stages": [stage.id for stage in stages]},
    )


@doctrine(
    "R3",
    "EXCLUDE_EVERY_STOP",
    "2.3",
    fix="Add NOT_EQUALS true for every stop to every follow-up.",
)
def exclude_every_stop(facts: Facts) -> Iterator[Finding]:
    """Every follow-up of every stage excludes every stop."""
    for seen in facts.seen:
        silent = seen.excludes | seen.wrong | {seen.own}
        missing = [name for name in facts.stops if name not in silent]
        for names, severity in _by_severity(seen, missing):
            yield _stop_not_excluded(seen, names, severity)


def _by_severity(seen: Seen, missing: list[str]) -> Iterator[tuple[list[str], str]]:
    passing = [name for name in missing if _may_be_true(seen, name)]
    indirect = [name for name in missing if name not in passing]
    if passing:
        yield passing, ERROR
    if indirect:
        yield indirect, WARN


def _stop_not_excluded(seen: Seen, names: list[str], severity: str) -> Finding:
    so = "so who is stopped is still chased" if severity == ERROR else "it is excluded by another literal only"
    return Finding(
        seen.id,
        seen.pointer,
        f"{named(seen.id)} has no NOT_EQUALS true on {_plural('stop', names)} {listed(names)}; expected one on every "
        f"stop, {so}",
        _add_all(seen, names),
        severity=severity,
        state=_state(seen, names[0], value=True) if severity == ERROR else None,
        involved=[seen.id],
        detail={"add": [_literal(name, NOT_EQUALS) for name in names]},
    )


@doctrine(
    "R7",
    "NULL_SAFE_EXCLUSION",
    "2",
    fix="Write NOT_EQUALS true instead of EQUALS false.",
)
def null_safe_exclusion(facts: Facts) -> Iterator[Finding]:
    """An exclusion is NOT_EQUALS true: EQUALS false never holds where the property has no row."""
    for seen in facts.seen:
        for condition in seen.follow_up.conditions:
            if condition.operator == EQUALS and condition.value is False and not facts.mismatched(condition):
                yield from _blind_to_null(facts, seen, condition)


def _blind_to_null(facts: Facts, seen: Seen, condition: Condition) -> Iterator[Finding]:
    name = condition.property_id
    role = facts.role(seen, name)
    if role in {OWN, UPSTREAM} or name not in facts.properties:
        return
    rate = facts.properties[name].null_rate
    lost = f"{rate:.0%} of leads" if rate is not None else "81% to 98% of leads for a usual boolean"
    yield Finding(
        seen.id,
        condition.pointer,
        f"{named(seen.id)} has {literal(name, EQUALS, value=False)}, which never holds on NULL and loses "
        f"{lost}; expected "
        f"{literal(name, NOT_EQUALS, value=True)}"
        + ("" if role != OTHER else " unless only an explicit false is meant"),
        f"Write {literal(name, NOT_EQUALS, value=True)} in {named(seen.id)}, or waive it where an explicit "
        "false is meant."
        if role == OTHER
        else f"Write {literal(name, NOT_EQUALS, value=True)} in {named(seen.id)}.",
        severity=WARN if role == OTHER else "",
        state=_state(seen, name, value=None, force=True),
        involved=[seen.id],
        detail={"replace": [_literal(name, NOT_EQUALS)], "nullRate": rate},
    )


@doctrine(
    "R16",
    "CONDITIONS_PRESENT",
    "1",
    fix="Restore the whole array of conditions: an update replaces it, it does not merge.",
)
def conditions_present(facts: Facts) -> Iterator[Finding]:
    """An active follow-up has conditions; without any it fires for everyone."""
    for seen in facts.seen:
        if not seen.follow_up.conditions:
            yield Finding(
                seen.id,
                seen.pointer,
                f"{named(seen.id)} is active and has no condition; expected the gate of its stage, so it fires "
                "for everyone",
                f"Restore the whole array of {named(seen.id)}: {_whole_gate(facts, seen)}.",
                state={},
                involved=[seen.id],
            )


@doctrine(
    "R20",
    "NO_UPSTREAM_EXCLUSION",
    "3",
    fix="Remove the condition; a later stage excludes nothing above it.",
)
def no_upstream_exclusion(facts: Facts) -> Iterator[Finding]:
    """A follow-up excludes neither its own entry stamp nor an earlier one: those stay true."""
    for seen in facts.seen:
        for condition in seen.follow_up.conditions:
            keeps_out = (condition.operator, condition.value) in {(NOT_EQUALS, True), (EQUALS, False)}
            if not keeps_out or not isinstance(condition.value, bool):
                continue
            role = facts.role(seen, condition.property_id)
            if role in {OWN, UPSTREAM}:
                yield _excludes_above(seen, condition, role)


def _excludes_above(seen: Seen, condition: Condition, role: str) -> Finding:
    whose = "its own entry stamp" if role == OWN else "an earlier stage's entry stamp"
    return Finding(
        seen.id,
        condition.pointer,
        f"{named(seen.id)} has {condition_text(condition)} on {whose}, which stays true; expected no exclusion at or "
        "above its stage, so it never fires" + ("" if role == OWN else " but for leads who skipped a stage"),
        f"Remove {condition_text(condition)} from {named(seen.id)}.",
        state=_state(seen, condition.property_id, value=True, force=True),
        involved=[seen.id],
        detail={"remove": [condition.pointer]},
    )


@doctrine(
    "R34",
    "INVERTED_POLARITY",
    "2",
    fix="Write NOT_EQUALS true.",
)
def inverted_polarity(facts: Facts) -> Iterator[Finding]:
    """An exclusion keeps out who is true: neither EQUALS true nor NOT_EQUALS false does."""
    for seen in facts.seen:
        for condition in seen.follow_up.conditions:
            if facts.inverted(seen, condition) and not facts.mismatched(condition):
                yield _inverted(facts, seen, condition)


def _inverted(facts: Facts, seen: Seen, condition: Condition) -> Finding:
    name = condition.property_id
    what = "a stop" if facts.role(seen, name) == STOP else "the entry stamp of a later stage"
    effect = "chases only" if condition.operator == EQUALS else "lets through"
    return Finding(
        seen.id,
        condition.pointer,
        f"{named(seen.id)} has {condition_text(condition)} on {what}, which {effect} those it should keep out; "
        f"expected {literal(name, NOT_EQUALS, value=True)}",
        f"Write {literal(name, NOT_EQUALS, value=True)} in {named(seen.id)}.",
        state=_state(seen, name, value=True, force=True),
        involved=[seen.id],
        detail={"replace": [_literal(name, NOT_EQUALS)]},
    )


@doctrine(
    "R35",
    "ONE_STAGE_PER_FU",
    "1",
    fix="Require the entry stamp of its own stage alone, or correct stageId.",
)
def one_stage_per_follow_up(facts: Facts) -> Iterator[Finding]:
    """The conditions of a follow-up are the gate of one stage, the one it names."""
    for seen in facts.seen:
        others = [name for name in facts.stamps if name in seen.requires and name != seen.own]
        if not others or not seen.stage:
            continue
        if seen.own not in seen.requires:
            yield _gate_of_another(facts, seen, others)
        elif all(facts.role(seen, name) == UPSTREAM for name in others):
            yield _needs_earlier_too(seen, others)
        else:
            yield _two_stages(seen, [name for name in others if facts.role(seen, name) != UPSTREAM])


def _gate_of_another(facts: Facts, seen: Seen, others: list[str]) -> Finding:
    stages = [stage.id for name in others for stage in facts.stamps[name]]
    return Finding(
        seen.id,
        seen.pointer,
        f"{named(seen.id)} says stage {named(seen.follow_up.stage_id)}, but its conditions are the gate of "
        f"{listed(stages)}; expected the two to agree",
        f"Set stageId of {named(seen.id)} to {named(stages[-1])}, or write the gate of "
        f"{named(seen.follow_up.stage_id)}.",
        detail={"stages": stages},
    )


def _two_stages(seen: Seen, others: list[str]) -> Finding:
    return Finding(
        seen.id,
        seen.pointer,
        f"{named(seen.id)} requires {listed(others)} EQUALS true beside its own {named(seen.own or '')}; expected the "
        "entry stamp of one stage",
        f"Remove EQUALS true on {listed(others)} from {named(seen.id)}, or split it into one follow-up a stage.",
        detail={"stamps": others},
    )


def _needs_earlier_too(seen: Seen, others: list[str]) -> Finding:
    return Finding(
        seen.id,
        seen.pointer,
        f"{named(seen.id)} requires the earlier {listed(others)} EQUALS true as well; expected its own entry stamp "
        "alone, so leads who skipped ahead get nothing",
        f"Remove EQUALS true on {listed(others)} from {named(seen.id)}.",
        severity=INFO,
        detail={"stamps": others},
    )


def condition_text(condition: Condition) -> str:
    """A condition for a sentence."""
    return literal(condition.property_id, condition.operator, condition.value)


def whole_gate(facts: Facts, seen: Seen) -> list[dict[str, Any]]:
    """Every literal that a follow-up of that stage must have: entry, later stages, stops."""
    if not seen.stage:
        return []
    out = [stage.entry_stamp_id for stage in facts.model.downstream(seen.stage.id)] + list(facts.stops)
    unique = dict.fromkeys(name for name in out if name != seen.own)
    return [_literal(seen.stage.entry_stamp_id, EQUALS), *(_literal(name, NOT_EQUALS) for name in unique)]


def _whole_gate(facts: Facts, seen: Seen) -> str:
    every = whole_gate(facts, seen)
    return (
        "; ".join(literal(one["propertyId"], one["operator"], value=True) for one in every) or "the gate of its stage"
    )


def _literal(name: str, operator: str) -> dict[str, Any]:
    return {"propertyId": name, "operator": operator, "value": True}


def _may_be_true(seen: Seen, name: str) -> bool:
    allowed = seen.box.allowed(name)
    return bool(allowed.mask & TRUE) if isinstance(allowed, Flags) else True


def _state(seen: Seen, name: str, *, value: bool | None, force: bool = False) -> dict[str, Any] | None:
    """A lead in the follow-up's box with that value; with ``force`` the value may be what keeps the lead out."""
    found = seen.example()
    if found is None or not (force or seen.box.allowed(name).holds(value)):
        return None
    rest = {each: given for each, given in found.items() if each != name}
    return rest if value is None else rest | {name: value}


def _on(seen: Seen, name: str) -> str:
    here = [condition_text(one) for one in seen.follow_up.on(name)]
    return f"only {' and '.join(here[:3])} on its entry stamp" if here else "no condition on its entry stamp"


def _instead(seen: Seen, name: str) -> str:
    here = seen.follow_up.on(name)
    return f"Write, instead of {condition_text(here[0])}," if here else "Add"


def _to(seen: Seen) -> str:
    return f"to {named(seen.id)}" if not seen.follow_up.on(seen.own or "") else f"in {named(seen.id)}"


def _add_all(seen: Seen, names: Iterable[str]) -> str:
    return f"Add to {named(seen.id)}: {'; '.join(literal(name, NOT_EQUALS, value=True) for name in names)}."


def _stages(stages: list[Stage]) -> str:
    return f"{_plural('stage', stages)} {listed(stage.id for stage in stages)}"


def _plural(word: str, many: list[Any]) -> str:
    return word if len(many) == 1 else f"{word}s"
