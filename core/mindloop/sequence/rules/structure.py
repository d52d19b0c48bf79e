"""The set as a whole: names, stages, stops, reasons, claims of agent and metrics (sections 1, 3, 4, 7, 8, 9)."""

from __future__ import annotations

from mindloop.sequence.findings import Finding, listed, named
from mindloop.sequence.loading import folded
from mindloop.sequence.rules.registry import beyond, doctrine
from mindloop.sequence.words import BOOLEAN, CONVERTED, FOLLOW_UP, INFO, LEAD_SPOKE_LAST, NO_RESPONSE, RESCUE, WARN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindloop.sequence.model import Reason, Stage
    from mindloop.sequence.rules.facts import Facts

MESSAGES = "messages.source_workflow_id"


@doctrine(
    "R12",
    "NEEDS_ATTENTION_CAP",
    "9",
    WARN,
    fix="Lower the expectation, clear the flag by a process, or use another route.",
)
def needs_attention_cap(facts: Facts) -> Iterator[Finding]:
    """needs_attention blocks every follow-up, a rescue too, exactly where the lead spoke last."""
    for seen in facts.seen:
        if seen.follow_up.purpose == RESCUE:
            yield Finding(
                seen.id,
                f"{seen.pointer}/purpose",
                f"{named(seen.id)} is to rescue leads who spoke last, and needs_attention blocks exactly "
                "those; expected a "
                "nudge",
                f"Make {named(seen.id)} a NUDGE, or clear needs_attention by a process before it is due.",
                involved=[seen.id],
            )
    if facts.runtime.needs_attention_policy == LEAD_SPOKE_LAST and facts.seen:
        yield Finding(
            facts.agent,
            "/runtime/needsAttentionPolicy",
            "needs_attention is raised whenever the lead spoke last, so no follow-up reaches those leads; expected by "
            "this policy",
            "Count the reach of this set without leads who spoke last.",
            severity=INFO,
        )


@doctrine(
    "R13",
    "DROPOUT_HAS_BOOLEAN_STOP",
    "7.2",
    fix="Make the boolean, put it among the stops, and exclude it in every follow-up.",
)
def dropout_has_boolean_stop(facts: Facts) -> Iterator[Finding]:
    """Every way to drop out has a boolean stop that the evaluator sets."""
    for reason in facts.model.reasons:
        if reason.agent_outcome != NO_RESPONSE:
            yield from _without_stop(facts, reason)


@doctrine(
    "R14",
    "NO_RESPONSE_IS_NOT_A_STOP",
    "7.1",
    fix="Make the boolean, put it among the stops, and exclude it in every follow-up.",
)
def no_response_is_not_a_stop(facts: Facts) -> Iterator[Finding]:
    """The agent's silence sets no property: what it stands for has a boolean stop."""
    silent = [reason for reason in facts.model.reasons if reason.agent_outcome == NO_RESPONSE]
    for reason in silent:
        yield from _without_stop(facts, reason)
    if not silent and facts.seen:
        yield Finding(
            facts.agent,
            "/dropOutReasons",
            "no drop-out reason covers NO_RESPONSE; expected one each for hostile, converted and off-topic "
            "leads, whom the "
            "agent leaves without an answer and nothing stops",
            "Add drop-out reasons with agentOutcome NO_RESPONSE and the stop that each of them sets.",
        )


def _without_stop(facts: Facts, reason: Reason) -> Iterator[Finding]:
    name = reason.stop_property_id
    if name and name not in facts.properties:
        return
    about = facts.properties.get(name or "")
    if not name or about is None:
        came = "has no stop"
    elif about.type != BOOLEAN:
        came = f"has the {about.type} {named(name)} for a stop"
    elif name not in facts.stops:
        came = f"names {named(name)}, which is not among the stops"
    else:
        return
    wanted = named(name) if about is not None and about.type == BOOLEAN and name else "a new BOOLEAN"
    yield Finding(
        reason.id,
        f"{reason.pointer}/stopPropertyId" if name else reason.pointer,
        f"the drop-out reason {named(reason.id)} ({reason.agent_outcome}) {came}; expected a boolean stop, so "
        "these leads "
        "are chased on",
        f"Put {wanted} among the stops, name it in {named(reason.id)}, and add it NOT_EQUALS true to every follow-up.",
        detail={"stop": name},
    )


@doctrine(
    "R15",
    "WORKFLOW_TYPE",
    "1",
    fix="Correct the type, or take the workflow out of the follow-ups.",
)
def workflow_type(facts: Facts) -> Iterator[Finding]:
    """A follow-up is a workflow of type FOLLOW_UP."""
    for one in facts.model.follow_ups:
        if one.type != FOLLOW_UP:
            yield Finding(
                one.id,
                f"{one.pointer}/type",
                f"{named(one.id)} is of type {named(one.type)}; expected FOLLOW_UP, so it does not count as a "
                "follow-up",
                f"Set type of {named(one.id)} to FOLLOW_UP, or move it out of followUps.",
            )


@doctrine(
    "R21",
    "KNOWN_PROPERTY",
    "",
    fix="Add the property to properties, or correct the name.",
)
def known_property(facts: Facts) -> Iterator[Finding]:
    """Every property, stage that is named exists."""
    for name, uses in _unknown_uses(facts).items():
        near = _near(name, list(facts.properties))
        yield Finding(
            name,
            uses[0][1],
            f"{named(name)} is named by {_places(uses)} and is no property; expected an id, codename or label in "
            "properties. It reads as NULL: EQUALS never holds, NOT_EQUALS always, a stop stops nobody",
            (f"Write {named(near)}, or add" if near else "Add") + f" {named(name)} to properties.",
            detail={"pointers": [pointer for _, pointer in uses]},
        )
    for one in facts.model.follow_ups:
        if one.stage_id not in facts.stages:
            yield Finding(
                one.id,
                f"{one.pointer}/stageId",
                f"{named(one.id)} is of the stage {named(one.stage_id)}, which is none; expected one of "
                f"{listed(facts.stages)}",
                f"Correct stageId of {named(one.id)}, or add the stage.",
            )


def _unknown_uses(facts: Facts) -> dict[str, list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for name, who, pointer in _uses(facts):
        if name not in facts.properties:
            found.setdefault(name, []).append((who, pointer))
    return found


def _uses(facts: Facts) -> Iterator[tuple[str, str, str]]:
    """Every reference to a property: its name, who makes it, where."""
    model = facts.model
    for stage in model.stages:
        yield stage.entry_stamp_id, stage.id, f"{stage.pointer}/entryStampId"
    for stop in model.stops:
        yield stop.property_id, "the stops", f"{stop.pointer}/propertyId"
    for reason in model.reasons:
        for name, key in ((reason.stop_property_id, "stopPropertyId"), (reason.note_property_id, "notePropertyId")):
            if name:
                yield name, reason.id, f"{reason.pointer}/{key}"
    for one in model.follow_ups:
        if one.anchor:
            yield one.anchor, one.id, f"{one.pointer}/delayTriggerPropertyId"
    owners = [(one.id, one.conditions) for one in model.follow_ups]
    owners += [(one.id, one.conditions) for one in model.contact_limits]
    for name, conditions in owners:
        for condition in conditions:
            yield condition.property_id, name, condition.pointer


def _places(uses: list[tuple[str, str]]) -> str:
    return ", ".join(
        one if one == "the stops" else named(one) for one in list(dict.fromkeys(who for who, _ in uses))[:6]
    )


def _near(name: str, names: list[str]) -> str:
    from difflib import get_close_matches

    return next(iter(get_close_matches(name, names, 1)), "")


@doctrine(
    "R21b",
    "ALIAS_COLLISION",
    "",
    WARN,
    fix="Rename one of them, or make them one.",
)
def alias_collision(facts: Facts) -> Iterator[Finding]:
    """No two properties go by one name."""
    first: dict[str, str] = {}
    for about in facts.properties.values():
        names = [name for name in (about.id, about.codename, about.label) if name and folded(name)]
        clash = next((name for name in names if first.get(folded(name), about.id) != about.id), None)
        for name in names:
            first.setdefault(folded(name), about.id)
        if clash:
            other = first[folded(clash)]
            yield Finding(
                about.id,
                about.pointer,
                f"{named(about.id)} and {named(other)} both go by {named(clash)}; expected one name for one property",
                f"Rename one of them, or use {named(other)} everywhere.",
                detail={"other": other},
            )


@doctrine(
    "R23",
    "STAMP_STOP_ROLE",
    "4",
    fix="Mark the stage terminal and drop its follow-ups, or split the property.",
)
def stamp_stop_role(facts: Facts) -> Iterator[Finding]:
    """No property is a stop and the entry stamp of a stage with follow-ups."""
    for stage in facts.model.stages:
        names = [seen.id for seen in facts.of_stage[stage.id]]
        if stage.entry_stamp_id in facts.stops and names:
            yield Finding(
                stage.id,
                f"{stage.pointer}/entryStampId",
                f"{named(stage.entry_stamp_id)} is a stop and the entry stamp of {named(stage.id)}, which has "
                "the follow-ups "
                f"{listed(names)}: they want it true and not true; expected one role",
                f"Mark {named(stage.id)} terminal and remove {listed(names)}, or use another property for one "
                "of the roles.",
                involved=names,
            )


@doctrine(
    "R24",
    "UNIQUE_STAGE_KEYS",
    "3",
    fix="Give each stage its own order and entry stamp.",
)
def unique_stage_keys(facts: Facts) -> Iterator[Finding]:
    """No two stages share an order or an entry stamp."""
    orders: dict[int, Stage] = {}
    stamps: dict[str, Stage] = {}
    for stage in facts.model.stages:
        if stage.order is not None:
            other = orders.setdefault(stage.order, stage)
            if other is not stage:
                yield _shared(stage, other, "order", str(stage.order))
        other = stamps.setdefault(stage.entry_stamp_id, stage)
        if other is not stage:
            yield _shared(stage, other, "entryStampId", named(stage.entry_stamp_id))


def _shared(stage: Stage, other: Stage, key: str, value: str) -> Finding:
    return Finding(
        stage.id,
        f"{stage.pointer}/{key}",
        f"{named(stage.id)} has the {key} {value}, as {named(other.id)} has; expected one of its own, what "
        "lies downstream "
        "is undefined",
        f"Give {named(stage.id)} another {key}.",
        detail={"other": other.id},
    )


@doctrine(
    "R29",
    "AGENT_DOES_NOT_FOLLOW_UP",
    "1",
    WARN,
    fix="Take the request out of the prompt and make a follow-up of it.",
)
def agent_does_not_follow_up(facts: Facts) -> Iterator[Finding]:
    """The conversational agent has no part in the timing of follow-ups."""
    if facts.model.agent.asks_agent_to_follow_up:
        yield Finding(
            facts.agent,
            "/agent/promptFlags/asksAgentToFollowUp",
            "the prompt asks the agent to follow up, which it cannot; expected follow-ups to be workflows",
            "Take it out of the prompt and add a follow-up with that timing.",
        )


@doctrine(
    "R31",
    "MEASURE_SOURCE",
    "8",
    WARN,
    fix="Count messages.source_workflow_id per lead and stage.",
)
def measure_source(facts: Facts) -> Iterator[Finding]:
    """Sends are counted from messages, per lead and stage."""
    for metric in facts.model.metrics:
        told = []
        if metric.source != MESSAGES:
            told.append(f"reads {metric.source}, where each look of the runner counts")
        if metric.grain != "LEAD_STAGE":
            told.append(f"counts by {metric.grain}, which says nothing about who ever got one")
        if told:
            yield Finding(
                metric.id,
                metric.pointer,
                f"the metric {named(metric.id)} {' and '.join(told)}; expected {MESSAGES} by LEAD_STAGE",
                f"Set source of {named(metric.id)} to {MESSAGES} and grain to LEAD_STAGE.",
            )


@beyond(
    "X14",
    "CONTACT_LIMIT_CONSISTENCY",
    WARN,
    fix="Gate the limit on a stop that is not revocable and not a text.",
)
def contact_limit_consistency(facts: Facts) -> Iterator[Finding]:
    """A permanent mute hangs on what is permanent, and a converted lead is muted or excluded."""
    limits = [limit for limit in facts.model.contact_limits if limit.active]
    stamps = {stage.entry_stamp_id for stage in facts.model.stages} - set(facts.stops)
    for limit in limits:
        if not limit.conditions:
            yield Finding(
                limit.id,
                f"{limit.pointer}/propertyConditions",
                f"{named(limit.id)} has no conditions: it mutes every contact for good, and no follow-up goes out to "
                "anyone; expected a stop that is not revocable",
                f"Restore the full condition array of {named(limit.id)}, or remove it.",
            )
        for one in limit.conditions:
            about = facts.properties.get(one.property_id)
            stop = facts.stops.get(one.property_id)
            came = "which can be taken back" if stop and stop.revocable else ""
            if one.property_id in stamps:
                came = "which every lead of its stage has: its follow-ups go out to no one"
            if about and facts.wrong_type(about):
                came = f"a {about.type}"
            if came:
                yield Finding(
                    limit.id,
                    one.pointer,
                    f"{named(limit.id)} mutes a contact for good on {named(one.property_id)}, {came}; expected "
                    "a boolean "
                    "that stays",
                    f"Gate {named(limit.id)} on a stop that is not revocable.",
                )
    yield from _converted_and_chased(facts, {one.property_id for limit in limits for one in limit.conditions})


def _converted_and_chased(facts: Facts, muted: set[str]) -> Iterator[Finding]:
    for name, stop in facts.stops.items():
        chasing = [seen.id for seen in facts.seen if name not in seen.excludes and name != seen.own]
        if stop.meaning == CONVERTED and name not in muted and chasing:
            yield Finding(
                name,
                stop.pointer,
                f"a lead with {named(name)} is neither muted nor excluded by {listed(chasing)}; expected one "
                "of the two",
                f"Add {named(name)} NOT_EQUALS true to {listed(chasing)}, or a contact limit on it.",
                involved=chasing,
            )
