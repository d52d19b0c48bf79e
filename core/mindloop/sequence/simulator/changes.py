"""The sets of workflows that hold one after another: follow-ups are switched, fields change, while leads go on."""

from __future__ import annotations

from mindloop.sequence import scenario as given
from mindloop.sequence.keys import canonical
from mindloop.sequence.loading import SCHEMA, Names, model_of
from mindloop.sequence.model import Runtime
from mindloop.sequence.simulator.plan import Plan
from mindloop.store.errors import Malformed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from mindloop.sequence.model import Model
    from mindloop.sequence.scenario import Event, Scenario

    Phases = list[tuple[int, Plan]]

_HINT = "Correct the event; `changes` holds fields of a follow-up (or of a property) as the model spells them."


def runtime_of(model: Model, scenario: Scenario) -> Runtime:
    """The model's engine with what the scenario says of it instead."""
    return Runtime({**(model.raw.get("runtime") or {}), **scenario.runtime}) if scenario.runtime else model.runtime


def phases(model: Model, scenario: Scenario) -> Phases:
    """Return (first minute, plan) in order; the first one is the model as it is.

    Raises:
        Malformed: an event names a follow-up or property that the model has not, or makes it a model that is none.
    """
    runtime = runtime_of(model, scenario)
    made = [(0, Plan(model, runtime, scenario.epoch))]
    document = _Document(model.raw)
    names = Names(model.properties)
    for minute, events in _by_minute(_engine_events(scenario)):
        if minute > scenario.horizon:
            break
        if sum(document.apply(event, names) for event in events):
            changed = model_of(document.raw, f"the scenario: after {events[-1].pointer}").model
            made.append((minute, Plan(changed, runtime, scenario.epoch)))
    return made


def _engine_events(scenario: Scenario) -> list[Event]:
    ordered = sorted(scenario.leads, key=lambda lead: lead.id)
    events: Iterable[Event] = [*scenario.events, *(one for lead in ordered for one in lead.events)]
    return sorted((one for one in events if one.type in given.OF_THE_ENGINE), key=lambda one: one.t)


def _by_minute(events: list[Event]) -> Iterator[tuple[int, list[Event]]]:
    at = 0
    while at < len(events):
        end = at
        while end < len(events) and events[end].t == events[at].t:
            end += 1
        yield events[at].t, events[at:end]
        at = end


class _Document:
    """The model's document as it changes; entries are replaced, never written to."""

    __slots__ = ("_off", "raw")

    def __init__(self, raw: dict[str, Any]) -> None:
        self.raw = raw
        self._off: set[str] = set()

    def apply(self, event: Event, names: Names) -> bool:
        """Let an event change the document; whether it did."""
        before = self.raw
        if event.type == given.CONFIG_CHANGE:
            self._change(event, names)
        elif event.follow_up_id is None:
            self._switch_all(on=event.type == given.ACTIVATE)
        else:
            self._edit("followUps", event.follow_up_id, event, {"active": event.type == given.ACTIVATE})
        return self.raw is not before

    def _change(self, event: Event, names: Names) -> None:
        section = "followUps" if event.follow_up_id else "properties"
        entry = event.follow_up_id or names.resolve(event.property_id or "")
        fields = canonical({section: [event.changes]}, SCHEMA)[0][section][0]
        if "id" in fields:
            raise Malformed(f"the scenario: {event.pointer}/changes/id: an id does not change", _HINT)
        self._edit(section, entry, event, fields)

    def _switch_all(self, *, on: bool) -> None:
        """The agent's own switch: on again means what was on before it was off; where nothing was, everything."""
        entries = self.raw.get("followUps", [])
        active = {one["id"] for one in entries if one.get("active", True)}
        wanted = (self._off or {one["id"] for one in entries}) if on else set()
        self._off = set() if on else (active or self._off)
        if wanted != active:
            self.raw = {**self.raw, "followUps": [{**one, "active": one["id"] in wanted} for one in entries]}

    def _edit(self, section: str, entry_id: str, event: Event, fields: dict[str, Any]) -> None:
        entries = self.raw.get(section, [])
        if not any(one["id"] == entry_id for one in entries):
            known = ", ".join(one["id"] for one in entries)[:200] or "none"
            raise Malformed(
                f"the scenario: {event.pointer}: no {entry_id[:80]!r} in {section}; there is {known}", _HINT
            )
        edited = [{**one, **fields} if one["id"] == entry_id else one for one in entries]
        if edited != entries:
            self.raw = {**self.raw, section: edited}
