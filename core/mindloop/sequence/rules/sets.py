"""Boxes against boxes: can a follow-up fire, can two at once, does anybody fall between them (sections 1, 3, 8)."""

from __future__ import annotations

from mindloop.sequence.boxes import TRUE, Flags
from mindloop.sequence.findings import Finding, listed, literal, named
from mindloop.sequence.rules.facts import OTHER, OWN, UPSTREAM
from mindloop.sequence.rules.gates import missing_downstream
from mindloop.sequence.rules.registry import doctrine
from mindloop.sequence.words import BOOLEAN, NOT_EQUALS, ORDERED, SQL_STRICT, TRUE_TRANSITION, WARN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindloop.sequence.model import Condition, Stage
    from mindloop.sequence.rules.facts import Facts, Seen


@doctrine(
    "R17",
    "SATISFIABLE",
    "2",
    fix="Remove the literal that contradicts another one.",
)
def satisfiable(facts: Facts) -> Iterator[Finding]:
    """There is a lead for whom the conditions of a follow-up hold and its anchor is set."""
    for seen in facts.seen:
        empty = seen.box.empty_properties()
        told = [name for name in empty if name not in _explained(facts, seen)]
        if told:
            yield _contradiction(seen, told)
        elif not empty and _anchor_shut_out(facts, seen):
            yield _never_anchored(seen)


def _explained(facts: Facts, seen: Seen) -> set[str]:
    """Properties whose contradiction is another rule's: unknown, of a wrong type, inverted."""
    return {
        one.property_id
        for one in seen.follow_up.conditions
        if one.property_id not in facts.properties
        or facts.wrong_type(facts.properties[one.property_id])
        or facts.mismatched(one)
        or facts.inverted(seen, one)
    }


def _contradiction(seen: Seen, names: list[str]) -> Finding:
    here = [one for one in seen.follow_up.conditions if one.property_id == names[0]]
    texts = " and ".join(literal(one.property_id, one.operator, one.value) for one in here[:4])
    more = f" (so do {listed(names[1:])})" if len(names) > 1 else ""
    return Finding(
        seen.id,
        here[-1].pointer,
        f"{named(seen.id)} asks for {texts}, which no value fulfils{more}; expected literals that can hold together, "
        "so it never fires",
        f"Remove one of {texts} from {named(seen.id)}.",
        involved=[seen.id],
        detail={"properties": names},
    )


def _anchor_shut_out(facts: Facts, seen: Seen) -> bool:
    """Whether the conditions keep out everybody whose anchor is set; not where another rule says so already."""
    anchor = seen.follow_up.anchor
    about = facts.properties.get(anchor or "")
    if anchor is None or about is None or about.type != BOOLEAN:
        return False
    if facts.role(seen, anchor) in {OWN, UPSTREAM}:
        return False
    allowed = seen.box.allowed(anchor)
    mask = allowed.mask if isinstance(allowed, Flags) else TRUE
    return not mask & TRUE if facts.runtime.set_at_policy == TRUE_TRANSITION else not mask & ~1


def _never_anchored(seen: Seen) -> Finding:
    anchor = seen.follow_up.anchor or ""
    return Finding(
        seen.id,
        f"{seen.pointer}/delayTriggerPropertyId",
        f"{named(seen.id)} waits for {named(anchor)} to be set and excludes everybody for whom it is; expected "
        "an anchor "
        "that its conditions let through, so it never fires",
        f"Anchor {named(seen.id)} to {named(seen.own or 'the entry stamp of its stage')}.",
        involved=[seen.id],
        detail={"anchor": anchor},
    )


@doctrine(
    "R18",
    "STAGES_DISJOINT",
    "3",
    fix="Exclude the later stage's entry stamp in the earlier stage's follow-up.",
)
def stages_disjoint(facts: Facts) -> Iterator[Finding]:
    """No lead can be in the boxes of two follow-ups of different stages."""
    for seen in facts.seen:
        bad = _bad_literals(facts, seen) if seen.id in facts.overlaps else ()
        hit = [name for name in facts.overlaps.get(seen.id, ()) if facts.stages[name].entry_stamp_id not in bad]
        missing = {stage.id for stage in missing_downstream(facts, seen)} if hit else ()
        known = [name for name in hit if name in missing]
        for names in [known, *([name] for name in hit if name not in missing)]:
            if names:
                yield _overlap(facts, seen, [facts.stages[name] for name in names])


def _bad_literals(facts: Facts, seen: Seen) -> set[str]:
    """Properties on which the follow-up has a literal that R33 or R34 names: the overlap is theirs."""
    return {one.property_id for one in seen.follow_up.conditions if facts.mismatched(one) or facts.inverted(seen, one)}


def _overlap(facts: Facts, seen: Seen, stages: list[Stage]) -> Finding:
    """Of the stages that one missing exclusion each explains there is one finding, of any other stage its own."""
    found = facts.overlaps[seen.id]
    others = [other.id for stage in stages for other in found[stage.id]]
    state = (seen.box & found[stages[0].id][0].box).example() or {}
    later = stages[0] in facts.model.downstream(seen.follow_up.stage_id)
    stamps = [stage.entry_stamp_id for stage in stages]
    if later and stamps[0] not in seen.excludes:
        fix = f"Add {'; '.join(literal(stamp, NOT_EQUALS, value=True) for stamp in stamps)} to {named(seen.id)}."
    else:
        fix = f"Give {named(seen.id)} and {listed(others)} conditions that cannot hold together."
    shown = ", ".join(f"{named(name)}={_shown(value)}" for name, value in sorted(state.items())) or "nothing set"
    word = "stage" if len(stages) == 1 else "stages"
    return Finding(
        seen.id,
        seen.pointer,
        f"{named(seen.id)} and {listed(others)} of {word} {listed(stage.id for stage in stages)} fire for one lead, "
        f"for example with {shown}; expected stages that share no lead",
        fix,
        state=state,
        involved=[seen.id, *others],
        detail={"stages": [stage.id for stage in stages]},
    )


def _shown(value: object) -> str:
    return {True: "true", False: "false"}.get(value, "") if isinstance(value, bool) else named(str(value))


@doctrine(
    "R19",
    "STAGE_COVERED",
    "1",
    WARN,
    fix="Add or activate a follow-up, or mark the stage terminal.",
)
def stage_covered(facts: Facts) -> Iterator[Finding]:
    """Every stage that is not terminal has an active follow-up that its leads can get."""
    for stage in facts.model.stages:
        seens = facts.of_stage[stage.id]
        if stage.terminal:
            continue
        if not seens:
            yield _no_follow_up(stage)
        elif stage.entry_stamp_id in facts.properties:
            yield from _nobody_reached(facts, stage, seens)


def _no_follow_up(stage: Stage) -> Finding:
    return Finding(
        stage.id,
        stage.pointer,
        f"stage {named(stage.id)} has no active follow-up of type FOLLOW_UP; expected at least one, so its "
        "leads are skipped",
        f"Add or activate a follow-up of {named(stage.id)}, or mark the stage terminal.",
    )


def _nobody_reached(facts: Facts, stage: Stage, seens: list[Seen]) -> Iterator[Finding]:
    """The lead who walked the funnel up to this stage and of whom nothing else is known."""
    state = {name: True for name in facts.upstream[stage.id] if name not in facts.stops} | {stage.entry_stamp_id: True}
    blocked = [(seen, _blocking(facts, seen, state)) for seen in seens]
    if any(not literals or _is_explained(facts, seen, literals) for seen, literals in blocked):
        return
    seen, literals = blocked[0]
    texts = "; ".join(literal(one.property_id, one.operator, one.value) for one in literals[:3])
    strict = facts.runtime.null_semantics == SQL_STRICT
    yield Finding(
        stage.id,
        stage.pointer,
        f"a lead who entered {named(stage.id)} and of whom nothing else is known gets none of its follow-ups "
        f"(in {named(seen.id)}: {texts}); expected one that reaches it" + (", NULL blocks here" if strict else ""),
        f"Add a follow-up of {named(stage.id)} without {texts}, or waive it where those leads are not meant.",
        state=dict(state),
        involved=[seen.id for seen in seens],
        detail={"blockedBy": [one.pointer for one in literals]},
    )


def _blocking(facts: Facts, seen: Seen, state: dict[str, bool]) -> list[Condition]:
    if not seen.box.empty_properties() and seen.box.holds(state):
        return []
    return [one for one in seen.follow_up.conditions if not facts.space.box([one]).holds(state)]


def _is_explained(facts: Facts, seen: Seen, literals: list[Condition]) -> bool:
    """Whether another rule names one of the literals, so that this is its consequence."""
    strict = facts.runtime.null_semantics == SQL_STRICT
    for one in literals:
        gate = facts.role(seen, one.property_id) != OTHER and not (strict and one.property_id in seen.excludes)
        own_excluded = facts.role(seen, one.property_id) in {OWN, UPSTREAM}
        if gate or own_excluded or one.property_id in seen.wrong or one.operator in ORDERED:
            return True
    return False
