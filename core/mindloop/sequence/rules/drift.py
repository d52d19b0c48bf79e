"""The model against what the platform runs (sections 3 and 11): what differs, what a partial update tore off."""

from __future__ import annotations

from mindloop.sequence.findings import Finding, listed, named
from mindloop.sequence.rules.facts import Facts
from mindloop.sequence.rules.gates import exclude_all_downstream, missing_downstream
from mindloop.sequence.rules.registry import beyond, doctrine
from mindloop.sequence.words import ERROR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from typing import Any

    from mindloop.sequence.model import FollowUp, Property
    from mindloop.sequence.rules.facts import Seen

_SHOWN = 6


@doctrine(
    "R28",
    "RETROFIT_DRIFT",
    "3",
    fix="Write the follow-up in full, as the model has it.",
)
def retrofit_drift(facts: Facts) -> Iterator[Finding]:
    """What the platform runs is the model, and no follow-up is older than a stage it must exclude."""
    for seen in facts.seen:
        yield from _stale(facts, seen)
    if facts.live is None:
        return
    behind = {one.target: one for one in exclude_all_downstream(Facts(facts.live))}
    for finding in _differences(facts):
        cause = behind.get(finding.target)
        if cause is not None:
            cause.rule, cause.severity = "R2", cause.severity or ERROR
            cause.message = f"on the platform: {cause.message}"
            finding.evidence.append(cause)
        yield finding


def _stale(facts: Facts, seen: Seen) -> Iterator[Finding]:
    edited = _instant(seen.follow_up.updated_at)
    if edited is None:
        return
    for stage in missing_downstream(facts, seen):
        made = _instant(stage.created_at)
        if made is not None and edited < made:
            yield Finding(
                seen.id,
                f"{seen.pointer}/updatedAt",
                f"{named(seen.id)} was last edited before the stage {named(stage.id)} was made and does not "
                "exclude it; "
                f"expected {named(stage.entry_stamp_id)} NOT_EQUALS true in every earlier follow-up",
                f"Add {named(stage.entry_stamp_id)} NOT_EQUALS true to {named(seen.id)}.",
                involved=[seen.id],
            )


def _instant(stamp: str | None) -> datetime | None:
    from datetime import UTC, datetime

    try:
        found = datetime.fromisoformat(stamp or "")
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _differences(facts: Facts) -> Iterator[Finding]:
    live = facts.live
    if live is None:
        return
    here = {one.id: one for one in facts.model.follow_ups}
    there = {one.id: one for one in live.follow_ups}
    for name, one in here.items():
        other = there.get(name)
        if other is None:
            yield _one_sided(one, "is in the model and not on the platform", "Write it to the platform in full")
        else:
            yield from _told(name, one.pointer, _changes(_row(one), _row(other)))
    for name, other in there.items():
        if name not in here:
            yield _one_sided(
                other, "runs on the platform and is not in the model", "Add it to the model, or switch it off"
            )
    for key, about in facts.properties.items():
        if key in live.properties:
            yield from _told(key, about.pointer, _changes(_flags(about), _flags(live.properties[key])))


def _one_sided(one: FollowUp, what: str, fix: str) -> Finding:
    return Finding(one.id, one.pointer, f"{named(one.id)} {what}; expected both to agree", f"{fix}: {named(one.id)}.")


def _told(name: str, pointer: str, changes: list[str]) -> Iterator[Finding]:
    if changes:
        more = f"; and {len(changes) - _SHOWN} more" if len(changes) > _SHOWN else ""
        yield Finding(
            name,
            pointer,
            f"{named(name)} differs on the platform: {'; '.join(changes[:_SHOWN])}{more}; expected what the model says",
            f"Write {named(name)} to the platform in full, with every condition and flag of the model.",
            detail={"changes": changes},
        )


def _row(one: FollowUp) -> dict[str, Any]:
    repeat = (one.repeat.interval, one.repeat.max_repeats) if one.repeat else None
    return {
        "type": one.type,
        "stageId": one.stage_id,
        "active": one.active,
        "conditions": frozenset(str(condition) for condition in one.conditions),
        "delayTriggerPropertyId": one.anchor,
        "delayMinutesAfterPropertySet": one.offset,
        "minMinutesSinceLastInbound": one.silence,
        "channel": one.channel,
        "destination.kind": one.destination.kind,
        "destination.templateId": one.destination.template_id,
        "destination.fallbackTemplateId": one.destination.fallback_template_id,
        "repeat": repeat,
        "activeFrom": one.active_from,
        "maxAgeMinutes": one.max_age,
    }


def _flags(about: Property) -> dict[str, Any]:
    return {
        "type": about.type,
        "setBy": about.set_by,
        "checkUntilMatch": about.check_until_match,
        "terminalValue": about.terminal_value,
        "includeInLlm": about.include_in_llm,
    }


def _changes(here: dict[str, Any], there: dict[str, Any]) -> list[str]:
    found = []
    for key, wanted in here.items():
        came = there[key]
        if key == "conditions":
            found += [f"without {_quoted(one)}" for one in sorted(wanted - came)]
            found += [f"with {_quoted(one)}" for one in sorted(came - wanted)]
        elif came != wanted or type(came) is not type(wanted):
            found.append(f"{key} {_quoted(came)} instead of {_quoted(wanted)}")
    return found


def _quoted(value: object) -> str:
    text = str(value)
    return text if text.isprintable() and len(text) <= 200 else named(text)


@beyond(
    "X16",
    "FULL_REPLACE_PATCH",
    ERROR,
    fix="Write the whole object.",
)
def full_replace_patch(facts: Facts) -> Iterator[Finding]:
    """A write names every condition and every flag: what it leaves out is gone."""
    there = {one.id: one for one in facts.live.follow_ups} if facts.live else {}
    for seen in facts.seen:
        other = there.get(seen.id)
        torn = _torn_off(seen.follow_up, other) if other else []
        if torn:
            yield Finding(
                seen.id,
                seen.pointer,
                f"on the platform {named(seen.id)} has lost {listed(torn)}, as a partial update does; expected "
                "whole writes",
                f"Write {named(seen.id)} to the platform again with all {len(seen.follow_up.conditions)} "
                "conditions and every "
                "field of the model.",
                detail={"lost": torn},
            )


def _torn_off(one: FollowUp, other: FollowUp) -> list[str]:
    pairs = {
        "propertyConditions": (one.conditions, other.conditions),
        "delayTriggerPropertyId": (one.anchor, other.anchor),
        "delayMinutesAfterPropertySet": (one.offset, other.offset),
        "minMinutesSinceLastInbound": (one.silence, other.silence),
    }
    return [key for key, (here, there) in pairs.items() if here and not there]
