"""When a follow-up is due: anchor, offset, silence gate, repeats (sections 5, 6, 9), and what engines make of it."""

from __future__ import annotations

from itertools import pairwise

from mindloop.sequence.findings import Finding, named
from mindloop.sequence.rules.budget import repeats
from mindloop.sequence.rules.collisions import collision
from mindloop.sequence.rules.registry import beyond, doctrine
from mindloop.sequence.words import BOOLEAN, ERROR, EVALUATOR, WARN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindloop.sequence.model import Property
    from mindloop.sequence.rules.facts import Facts, Seen


@doctrine(
    "R4",
    "OWN_STAGE_ANCHOR",
    "2.4",
    fix="Set delayTriggerPropertyId to the entry stamp of the stage.",
)
def own_stage_anchor(facts: Facts) -> Iterator[Finding]:
    """The clock of a follow-up starts when the lead enters its stage."""
    for seen in facts.seen:
        anchor = seen.follow_up.anchor
        if seen.own is not None and anchor != seen.own:
            yield Finding(
                seen.id,
                f"{seen.pointer}/delayTriggerPropertyId" if anchor else seen.pointer,
                f"{named(seen.id)} is anchored to {named(anchor) if anchor else 'nothing'}{_effect(facts, seen)}; "
                f"expected its own entry stamp {named(seen.own)}",
                f"Set delayTriggerPropertyId of {named(seen.id)} to {named(seen.own)}.",
                involved=[seen.id],
                detail={"set": {"delayTriggerPropertyId": seen.own}},
            )


def _effect(facts: Facts, seen: Seen) -> str:
    anchor = seen.follow_up.anchor
    if anchor is None:
        return ", so no clock of its own staggers it"
    about = facts.properties.get(anchor)
    if about is not None and about.type != BOOLEAN:
        return ", whose clock starts anew with every value"
    roles = {
        "stop": ", a stop: it never fires",
        "downstream": ", the entry stamp of a later stage: it never fires",
        "upstream": ", an earlier stage's entry stamp: its time may be long over when the lead enters",
    }
    return roles.get(facts.role(seen, anchor), "")


@doctrine(
    "R5",
    "STAGGER_OFFSETS",
    "5",
    fix="Give each follow-up of a stage an offset of its own.",
)
def stagger_offsets(facts: Facts) -> Iterator[Finding]:
    """Every follow-up has an offset, and those of one stage differ by at least the stagger."""
    for seen in facts.seen:
        if seen.follow_up.anchor and seen.offset <= 0:
            yield _no_offset(facts, seen)
    for one, other in _neighbours(facts):
        if not one.follow_up.anchor or not other.follow_up.anchor:
            continue
        gap = other.offset - one.offset
        if gap < facts.runtime.min_stagger:
            yield _too_close(facts, one, other, gap)


def _no_offset(facts: Facts, seen: Seen) -> Finding:
    came = seen.follow_up.offset
    return Finding(
        seen.id,
        f"{seen.pointer}/delayMinutesAfterPropertySet" if came is not None else seen.pointer,
        f"{named(seen.id)} has {'no offset' if came is None else f'the offset {came}'}, so it is due at the next tick; "
        "expected minutes after its anchor",
        f"Set delayMinutesAfterPropertySet of {named(seen.id)} to {facts.runtime.min_stagger} or more, unlike its "
        "neighbours'.",
        involved=[seen.id],
    )


def _too_close(facts: Facts, one: Seen, other: Seen, gap: int) -> Finding:
    least = facts.runtime.min_stagger
    came = f"the same offset of {other.offset} minutes" if gap == 0 else f"offsets {gap} minutes apart"
    return Finding(
        other.id,
        f"{other.pointer}/delayMinutesAfterPropertySet" if other.follow_up.offset is not None else other.pointer,
        f"{named(one.id)} and {named(other.id)} of one stage have {came}; expected {least} or more between them",
        f"Set delayMinutesAfterPropertySet of {named(other.id)} to {max(one.offset, 0) + least} or more.",
        severity=ERROR if gap == 0 else WARN,
        involved=[other.id, one.id],
        detail={"gap": gap, "set": {"delayMinutesAfterPropertySet": max(one.offset, 0) + least}},
    )


def _neighbours(facts: Facts) -> Iterator[tuple[Seen, Seen]]:
    """The follow-ups of each stage that stand next to each other by offset."""
    for seens in facts.of_stage.values():
        yield from pairwise(sorted(seens, key=lambda seen: (seen.offset, seen.silence, seen.id)))


@doctrine(
    "R6",
    "SILENCE_GATE",
    "2.4",
    fix="Set minMinutesSinceLastInbound.",
)
def silence_gate(facts: Facts) -> Iterator[Finding]:
    """A follow-up waits until the lead has been silent for a while."""
    for seen in facts.seen:
        came = seen.follow_up.silence
        if came is None or came <= 0:
            least = facts.runtime.lag
            yield Finding(
                seen.id,
                f"{seen.pointer}/minMinutesSinceLastInbound" if came is not None else seen.pointer,
                f"{named(seen.id)} has {'no silence gate' if came is None else f'a silence gate of {came}'}; expected "
                "minutes since the lead's last message, so it may break into a live conversation",
                f"Set minMinutesSinceLastInbound of {named(seen.id)} to {max(least, 1)} or more.",
                involved=[seen.id],
                detail={"set": {"minMinutesSinceLastInbound": max(least, 1)}},
            )


@doctrine(
    "R30",
    "REPEAT_BOUNDED",
    "7",
    fix="Set repeat.maxRepeats or maxAgeMinutes.",
)
def repeat_bounded(facts: Facts) -> Iterator[Finding]:
    """A follow-up that repeats ends some day, even if no stop flips."""
    for seen in facts.seen:
        repeat = seen.follow_up.repeat
        if repeat and repeat.max_repeats is None and seen.follow_up.max_age is None:
            yield Finding(
                seen.id,
                f"{seen.pointer}/repeat",
                f"{named(seen.id)} repeats every {repeat.interval} minutes without an end; expected a bound, "
                "or it chases "
                "for ever who never answers",
                f"Set maxRepeats in repeat of {named(seen.id)}, for example 2, or maxAgeMinutes.",
                involved=[seen.id],
            )


@beyond(
    "X1",
    "SILENCE_STAGGER",
    ERROR,
    fix="Raise the later follow-up's silence gate by the gap of the offsets.",
)
def silence_stagger(facts: Facts) -> Iterator[Finding]:
    """Silence gates of one stage differ as offsets do, or a lead who keeps writing gets its follow-ups at once."""
    least = facts.runtime.min_stagger
    for one, other in _neighbours(facts):
        bound = spacing(one, other)
        if bound >= least:
            continue
        wanted = one.silence + least
        yield Finding(
            other.id,
            f"{other.pointer}/minMinutesSinceLastInbound",
            f"{named(one.id)} and {named(other.id)} may go out {max(bound, 0)} minutes apart (offsets {one.offset} and "
            f"{other.offset}, silence {one.silence} and {other.silence}) if the lead writes on; expected "
            f"{least} or more",
            f"Set minMinutesSinceLastInbound of {named(other.id)} to {wanted} or more, and its offset to "
            f"{one.offset + least} or more.",
            involved=[other.id, one.id],
            detail={"bound": bound, "set": {"minMinutesSinceLastInbound": wanted}},
        )


def spacing(one: Seen, other: Seen) -> int:
    """Minutes that lie between two follow-ups of a stage at least, before rounding to ticks.

    A follow-up without an anchor has its silence gate alone.
    """
    silence = other.silence - one.silence
    if not one.follow_up.anchor or not other.follow_up.anchor:
        return silence
    return min(other.offset - one.offset, silence)


@beyond(
    "X2",
    "SILENCE_COVERS_LAG",
    ERROR,
    fix="Raise the silence gate to the lag: agent's reply, evaluator's batch and its run.",
)
def silence_covers_lag(facts: Facts) -> Iterator[Finding]:
    """The silence gate outlasts the lag of stamping, so whatever the last message caused is stamped first."""
    lag = facts.runtime.lag
    for seen in facts.seen:
        if 0 < seen.silence < lag:
            yield Finding(
                seen.id,
                f"{seen.pointer}/minMinutesSinceLastInbound",
                f"{named(seen.id)} waits {seen.silence} minutes after the last message, and what that message "
                "caused is "
                f"stamped within {lag}; expected {lag} or more, or it overtakes a stop or an advance",
                f"Set minMinutesSinceLastInbound of {named(seen.id)} to {lag} or more.",
                involved=[seen.id],
                detail={"lag": lag, "set": {"minMinutesSinceLastInbound": lag}},
            )


@beyond(
    "X8",
    "SETAT_SENSITIVITY",
    WARN,
    fix="Use a boolean with checkUntilMatch, terminalValue true and no early false.",
)
def set_at_sensitivity(facts: Facts) -> Iterator[Finding]:
    """An anchor starts its clock at the same minute whatever the engine takes for 'set'."""
    anchors = dict.fromkeys(seen.follow_up.anchor for seen in facts.seen if seen.follow_up.anchor)
    for name in anchors:
        about = facts.properties.get(name or "")
        why = _clock_moves(about) if about else ""
        if about and why:
            users = [seen.id for seen in facts.seen if seen.follow_up.anchor == name]
            yield Finding(
                about.id,
                about.pointer,
                f"the clock of {len(users)} follow-ups starts with {named(about.id)}, {why}; expected an "
                "anchor for which "
                "first write, last write and the turn to true are one minute",
                f"Set checkUntilMatch to true and terminalValue to true on {named(about.id)}, and let nothing write an "
                "early false.",
                involved=users,
            )


def _clock_moves(about: Property) -> str:
    if about.type != BOOLEAN:
        return f"a {about.type} that may be written again and again"
    if about.early_false:
        return "which is written false before it turns true"
    if about.set_by == EVALUATOR and not (about.check_until_match and about.terminal_value is True):
        return "which the evaluator does not latch on true"
    return ""


@beyond(
    "X9",
    "REPEAT_COLLISION",
    WARN,
    fix="Change an interval or an offset so that the two series keep apart.",
)
def repeat_collision(facts: Facts) -> Iterator[Finding]:
    """Repeats of one stage keep the stagger from each other."""
    for seens in facts.of_stage.values():
        ordered = sorted((seen for seen in seens if seen.follow_up.anchor), key=lambda seen: (seen.offset, seen.id))
        for at, other in enumerate(ordered):
            hit = next(filter(None, (_collides(facts, one, other) for one in ordered[:at])), None)
            if hit:
                yield hit


def _collides(facts: Facts, one: Seen, other: Seen) -> Finding | None:
    least = facts.runtime.min_stagger
    if not one.follow_up.repeat and not other.follow_up.repeat:
        return None
    times = collision(_series(one), _series(other), least)
    if times is None:
        return None
    return Finding(
        other.id,
        f"{other.pointer}/repeat" if other.follow_up.repeat else other.pointer,
        f"{named(one.id)} is due {times[0]} and {named(other.id)} {times[1]} minutes after their anchor; "
        f"expected {least} "
        "or more between any two sends of a stage",
        f"Change the interval or the offset of {named(other.id)} so that it keeps {least} minutes from "
        f"{named(one.id)}.",
        involved=[other.id, one.id],
        detail={"due": list(times)},
    )


def _series(seen: Seen) -> tuple[int, int, int | None]:
    """First minute, interval, how often again; an age bound counts as the repeats that fit into it."""
    repeat = seen.follow_up.repeat
    return seen.offset, repeat.interval if repeat else 1, repeats(seen.follow_up)


@beyond(
    "X10",
    "TICK_RESOLUTION",
    WARN,
    fix="Make the gap a tick or more.",
)
def tick_resolution(facts: Facts) -> Iterator[Finding]:
    """Gaps of one stage are no finer than the runner's tick."""
    tick = facts.runtime.runner_tick
    for one, other in _neighbours(facts):
        gaps = {"offset": other.offset - one.offset, "silence": other.silence - one.silence}
        fine = [f"{word} gap {gap}" for word, gap in gaps.items() if 0 < gap < tick]
        if fine:
            yield Finding(
                other.id,
                other.pointer,
                f"{named(one.id)} and {named(other.id)} have {' and '.join(fine)}, finer than the runner's "
                f"tick of {tick} "
                "minutes; expected a tick or more, or both go out in one tick",
                f"Move {named(other.id)} by {tick} minutes or more.",
                involved=[other.id, one.id],
                detail=gaps,
            )
