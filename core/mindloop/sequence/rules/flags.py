"""Properties: types, who sets them, and the flags that quietly disable a sequence (sections 2, 7 and 9)."""

from __future__ import annotations

from mindloop.sequence.boxes import is_of_type
from mindloop.sequence.findings import Finding, listed, literal, named, valued
from mindloop.sequence.rules.registry import beyond, doctrine
from mindloop.sequence.words import (
    AGENT,
    BOOLEAN,
    CONVERTED,
    EQUALS,
    ERROR,
    EVALUATOR,
    INFO,
    NUMBER,
    ORDERED,
    WARN,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindloop.sequence.model import Condition, Property
    from mindloop.sequence.rules.facts import Facts, Seen


@doctrine(
    "R8",
    "GATE_TYPE",
    "9",
    fix="Make a boolean of its own and keep the text as a note.",
)
def gate_type(facts: Facts) -> Iterator[Finding]:
    """What gates a follow-up is a boolean or a number; stamps and stops are booleans."""
    for about in facts.known_gates:
        if facts.wrong_type(about):
            binary = facts.is_binary(about.id)
            yield Finding(
                about.id,
                f"{about.pointer}/type",
                f"{named(about.id)} gates follow-ups as a {about.type}; expected a BOOLEAN"
                + ("" if binary else " or a NUMBER")
                + ", no condition can rely on anything else",
                f"Make a BOOLEAN that the evaluator sets in place of {named(about.id)} and keep "
                f"{named(about.id)} as a note.",
                detail={"type": about.type},
            )


@doctrine(
    "R9",
    "STOP_CHECK_UNTIL_MATCH",
    "9",
    fix="Set checkUntilMatch true and terminalValue true on every write of the property.",
)
def stop_check_until_match(facts: Facts) -> Iterator[Finding]:
    """A stop that the evaluator sets is checked until it is true."""
    for name in facts.stops:
        about = facts.properties.get(name)
        if about and _freezes(about):
            yield _not_latched(
                about, "the stop", "then it never fires and who converted or declined is chased for ever"
            )


@doctrine(
    "R25",
    "STAMP_CHECK_UNTIL_MATCH",
    "9",
    WARN,
    ERROR,
    fix="Set checkUntilMatch true and terminalValue true on every write of the property.",
)
def stamp_check_until_match(facts: Facts) -> Iterator[Finding]:
    """A stamp that the evaluator sets is checked until it is true."""
    for name in facts.stamps:
        about = facts.properties.get(name)
        if about and name not in facts.stops and _freezes(about):
            yield _not_latched(
                about, "the entry stamp", "then its stage never starts and earlier stages never stop for that lead"
            )


def _freezes(about: Property) -> bool:
    return about.set_by == EVALUATOR and not (about.check_until_match and about.terminal_value is True)


def _not_latched(about: Property, what: str, so: str) -> Finding:
    key = "terminalValue" if about.check_until_match else "checkUntilMatch"
    came = f"terminalValue {valued(about.terminal_value)}" if about.check_until_match else "no checkUntilMatch"
    return Finding(
        about.id,
        f"{about.pointer}/{key}",
        f"{what} {named(about.id)} has {came}; expected checkUntilMatch true with terminalValue true, an early "
        "false may "
        f"freeze: {so}",
        f"Set checkUntilMatch to true and terminalValue to true on {named(about.id)}, on every write.",
        detail={"set": {"checkUntilMatch": True, "terminalValue": True}},
    )


@doctrine(
    "R10",
    "EVALUATOR_PIPELINE_ON",
    "9",
    fix="Turn includeInLlm on.",
)
def evaluator_pipeline_on(facts: Facts) -> Iterator[Finding]:
    """The evaluator fills what the evaluator sets: includeInLlm is on for every gate."""
    for about in facts.known_gates:
        if about.set_by == EVALUATOR and not about.include_in_llm:
            yield Finding(
                about.id,
                f"{about.pointer}/includeInLlm",
                f"{named(about.id)} is set by the evaluator and has includeInLlm false, so it is never written: "
                f"{_what_stands_still(facts, about.id)}; expected true",
                f"Set includeInLlm to true on {named(about.id)}.",
                detail={"set": {"includeInLlm": True}},
            )


def _what_stands_still(facts: Facts, name: str) -> str:
    told = []
    if name in facts.stamps:
        stages = [stage.id for stage in facts.stamps[name]]
        told.append(f"the stage {listed(stages)} stays silent and earlier stages chase for ever")
    if name in facts.stops:
        told.append("the stop never works")
    return ", and ".join(told) or "the conditions on it stay as they are"


@doctrine(
    "R22",
    "EVALUATOR_SETS_GATES",
    "2",
    fix="Let the evaluator set it, or an integration where the platform stores the fact.",
)
def evaluator_sets_gates(facts: Facts) -> Iterator[Finding]:
    """Stamps and stops are set by the evaluator or an integration, never by the conversational agent."""
    claimed = set(facts.model.agent.claims_agent_sets)
    for about in facts.known_gates:
        if not facts.is_binary(about.id) or not (about.set_by == AGENT or about.id in claimed):
            continue
        who = "is set by the agent" if about.set_by == AGENT else "is marked by the agent, as its prompt claims"
        yield Finding(
            about.id,
            f"{about.pointer}/setBy",
            f"{named(about.id)} {who}, and the agent writes no property; expected the evaluator or an "
            "integration, or it "
            "is never set",
            f"Set setBy of {named(about.id)} to EVALUATOR (INTEGRATION where another system knows it) and take "
            "the claim "
            "out of the prompt.",
        )


@doctrine(
    "R26",
    "DEFAULT_IS_NOT_DATA",
    "2",
    WARN,
    fix="Write NOT_EQUALS true; a default value is metadata.",
)
def default_is_not_data(facts: Facts) -> Iterator[Finding]:
    """A default fills no row, so EQUALS false finds nobody through it."""
    for seen in facts.seen:
        for one in seen.follow_up.conditions:
            about = facts.properties.get(one.property_id)
            if about and one.operator == EQUALS and one.value is False and about.default_value is False:
                yield Finding(
                    seen.id,
                    one.pointer,
                    f"{named(seen.id)} has {literal(about.id, EQUALS, value=False)} and {named(about.id)} has "
                    "the default false, "
                    "which populates no row; expected a literal that lets NULL pass",
                    f"Write {literal(about.id, 'NOT_EQUALS', value=True)} in {named(seen.id)}.",
                    involved=[seen.id],
                )


@doctrine(
    "R27",
    "CONTEXT_FLAG_CONFUSION",
    "9",
    INFO,
    fix="Turn includeInLlm on; includeInAgentContext is presentation.",
)
def context_flag_confusion(facts: Facts) -> Iterator[Finding]:
    """What shows a value to the agent is includeInAgentContext; what fills it is includeInLlm."""
    for about in facts.known_gates:
        if about.set_by == EVALUATOR and not about.include_in_llm and about.include_in_agent_context:
            yield Finding(
                about.id,
                f"{about.pointer}/includeInAgentContext",
                f"{named(about.id)} is shown to the agent and not filled by the evaluator: the wrong switch "
                "was turned; "
                "expected includeInLlm true",
                f"Set includeInLlm to true on {named(about.id)}; includeInAgentContext may be either.",
            )


@doctrine(
    "R33",
    "VALUE_TYPE",
    "9",
    fix="Write the value in the type of the property.",
)
def value_type(facts: Facts) -> Iterator[Finding]:
    """Operator and value of a condition are of the property's type; ``"true"`` is not ``true``."""
    for seen in facts.seen:
        for one in seen.follow_up.conditions:
            if facts.mismatched(one):
                yield _mistyped(facts, seen.id, one)
    for limit in facts.model.contact_limits:
        for one in limit.conditions if limit.active else ():
            if facts.mismatched(one):
                yield _mistyped(facts, limit.id, one)


def _mistyped(facts: Facts, target: str, condition: Condition) -> Finding:
    about = facts.properties[condition.property_id]
    text = literal(condition.property_id, condition.operator, condition.value)
    ordered = condition.operator in ORDERED and about.type != NUMBER
    effect = "lets everyone pass" if condition.operator == "NOT_EQUALS" else "never holds"
    fix = "EQUALS or NOT_EQUALS with true or false" if about.type == BOOLEAN else "a number"
    wanted = f"a {about.type} value" if not ordered else f"an operator for a {about.type}"
    return Finding(
        target,
        condition.pointer,
        f"{named(target)} has {text} on a {about.type}, which {effect}; expected {wanted}",
        f"Write {named(condition.property_id)} in {named(target)} with {fix}, for example "
        f"{literal(condition.property_id, condition.operator if not ordered else EQUALS, _in_type(condition, about))}.",
        involved=[target],
        detail={"type": about.type},
    )


def _in_type(condition: Condition, about: Property) -> object:
    if about.type == BOOLEAN:
        return str(condition.value).strip().casefold() not in {"false", "no", "0", "0.0"}
    return condition.value if is_of_type(condition.value, NUMBER) else 1


@doctrine(
    "R36",
    "NUMBER_GATE_NULL",
    "2",
    WARN,
    fix="Use a boolean for it, or a terminal value that fulfils the condition.",
)
def number_gate_null(facts: Facts) -> Iterator[Finding]:
    """A number gate lets NULL through somewhere else, and its latch does not stop short of it."""
    for seen in facts.seen:
        for one in seen.follow_up.conditions:
            about = facts.properties.get(one.property_id)
            if about and about.type == NUMBER and not facts.wrong_type(about) and not facts.mismatched(one):
                yield from _number_gate(facts, seen, one, about)


def _number_gate(facts: Facts, seen: Seen, condition: Condition, about: Property) -> Iterator[Finding]:
    text = literal(condition.property_id, condition.operator, condition.value)
    told = []
    if condition.operator in ORDERED and about.null_rate:
        told.append(f"never holds on NULL ({about.null_rate:.0%} of leads)")
    target = about.terminal_value
    if about.check_until_match and is_of_type(target, NUMBER):
        allowed = facts.space.box([condition]).allowed(about.id)
        if not allowed.holds(target):
            told.append(f"may stay unfulfilled, as the value freezes at its terminal value {valued(target)}")
    if told:
        yield Finding(
            seen.id,
            condition.pointer,
            f"{named(seen.id)} has {text}, which {' and '.join(told)}; expected a gate that NULL and the latch "
            "leave open",
            f"Make a boolean for {text} and gate {named(seen.id)} on it, or set a terminal value that fulfils it.",
            involved=[seen.id],
        )


@beyond(
    "X13",
    "TERMINAL_FROM_INTEGRATION",
    WARN,
    fix="Let the integration that stores the fact set the property.",
)
def terminal_from_integration(facts: Facts) -> Iterator[Finding]:
    """A conversion is taken from the system that knows it, not read from the conversation."""
    for name, stop in facts.stops.items():
        about = facts.properties.get(name)
        if about and stop.meaning == CONVERTED and about.set_by == EVALUATOR:
            yield Finding(
                about.id,
                f"{about.pointer}/setBy",
                f"the conversion {named(about.id)} is read from the conversation by the evaluator; expected "
                "the integration "
                "that stores it, a payment on a web page leaves no message to read",
                f"Set setBy of {named(about.id)} to INTEGRATION and write it from the system that knows.",
            )
