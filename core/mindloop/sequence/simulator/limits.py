"""What is refused before a scenario is run: values of a wrong type, and repeats that nobody could read to the end."""

from __future__ import annotations

import json

from mindloop.sequence import scenario as given
from mindloop.sequence import words
from mindloop.sequence.keys import escaped
from mindloop.sequence.loading import Names
from mindloop.sequence.shown import plain
from mindloop.store.errors import Malformed, WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindloop.sequence.model import Model
    from mindloop.sequence.scenario import Scenario
    from mindloop.sequence.simulator.plan import Plan

_MOST_PROBLEMS = 20
_EXPECTED = {words.BOOLEAN: "true or false", words.NUMBER: "a number", words.STRING: "text", words.DATE: "a date"}


def refuse_odd_values(model: Model, scenario: Scenario) -> None:
    """Hold what is said to be so against the types of the model's properties.

    Raises:
        Malformed: a value is of another type; the message has its pointer, what came and what was expected.
    """
    found = list(_odd_values(model, scenario))
    if found:
        more = f"; and {len(found) - _MOST_PROBLEMS} more" if len(found) > _MOST_PROBLEMS else ""
        message = "the scenario: " + "; ".join(found[:_MOST_PROBLEMS]) + more
        raise Malformed(message, "Write the value in the type that the model gives the property.")


def _odd_values(model: Model, scenario: Scenario) -> Iterator[str]:
    names = Names(model.properties)
    for name, value, pointer in _values(scenario):
        about = model.properties.get(names.resolve(name))
        if about is not None and value is not None and not _is_of(value, about.type):
            came = plain(json.dumps(value, ensure_ascii=False), 60)
            yield f"{pointer}: found {came}, expected {_EXPECTED[about.type]} for {plain(about.id, 60)} ({about.type})"


def _values(scenario: Scenario) -> Iterator[tuple[str, object, str]]:
    for event in scenario.events:
        if event.type == given.TRUTH:
            yield event.property_id or "", event.value, f"{event.pointer}/value"
    for lead in scenario.leads:
        for name, value in lead.properties.items():
            yield name, value, f"{lead.pointer}/properties/{escaped(name)}"
        for event in lead.events:
            if event.type == given.TRUTH:
                yield event.property_id or "", event.value, f"{event.pointer}/value"


def _is_of(value: object, kind: str) -> bool:
    if kind == words.BOOLEAN or isinstance(value, bool):
        return isinstance(value, bool) and kind == words.BOOLEAN
    if kind == words.NUMBER:
        return isinstance(value, int | float)
    return isinstance(value, str) or kind == words.DATE


def refuse_endless(phases: list[tuple[int, Plan]], scenario: Scenario, most: int) -> None:
    """Bound what repeats before anything is run.

    Raises:
        WrongInput: the repeats alone could come to more than ``most`` messages; the message names the worst of them.
    """
    could: dict[str, int] = {}
    ends = [*(start for start, _ in phases[1:]), scenario.horizon + 1]
    for (start, plan), end in zip(phases, ends, strict=True):
        for rule in plan.rules:
            if rule.live and rule.interval is not None:
                every = max(rule.interval, plan.runtime.runner_tick, 1)
                span = end - start if rule.max_age is None else min(end - start, rule.max_age)
                times = 1 + max(span, 0) // every
                bound = times if rule.max_repeats is None else min(times, 1 + rule.max_repeats)
                could[rule.id] = could.get(rule.id, 0) + bound * len(scenario.leads)
    if sum(could.values()) > most:
        worst = max(could, key=lambda one: could[one])
        message = (
            f"{plain(worst)} repeats: up to {could[worst]} messages to {len(scenario.leads)} leads until minute"
            f" {scenario.horizon}; more than {most} messages are not simulated"
        )
        raise WrongInput(message, "Give its repeat a maxRepeats or a longer interval, or shorten horizonMinutes.")
