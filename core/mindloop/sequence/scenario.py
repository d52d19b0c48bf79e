"""Reads a scenario: what happens to leads, minute by minute, and what goes wrong with the engine meanwhile.

Minute 0 is a fixed instant (``epoch``), which matters for quiet hours and for instants in a model alone. Events of the
scenario happen to every lead. Switching or changing a follow-up concerns the follow-up, whichever list it stands in.
"""

from __future__ import annotations

from datetime import UTC, datetime

from mindloop.sequence.document import read_document
from mindloop.sequence.keys import canonical
from mindloop.sequence.zones import zone_problems
from mindloop.store import schemas
from mindloop.store.errors import Malformed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

SCHEMA = "fu-scenario"
INBOUND, AGENT_OUT, TRUTH, NEEDS_ATTENTION, MUTE = "INBOUND", "AGENT_OUT", "TRUTH", "NEEDS_ATTENTION", "MUTE"
NO_RESPONSE, ACTIVATE, DEACTIVATE, CONFIG_CHANGE = "NO_RESPONSE", "ACTIVATE", "DEACTIVATE", "CONFIG_CHANGE"
OF_THE_ENGINE = frozenset((ACTIVATE, DEACTIVATE, CONFIG_CHANGE))
"""Events that change the set of workflows and not a lead."""

AT_MOST_ONCE, AT_LEAST_ONCE = "AT_MOST_ONCE", "AT_LEAST_ONCE"
EPOCH = "2026-01-05T00:00:00Z"
"""Minute 0 where a scenario names none: a Monday, midnight UTC."""
_YEARS = (1970, 2200)
_MOST_PROBLEMS = 20
_HINT = "Correct the scenario; core/config/schemas/fu-scenario.json says what it may hold."


class Event:
    """One thing that happens at a minute; ``value`` is true where none is given."""

    __slots__ = ("changes", "follow_up_id", "pointer", "property_id", "t", "type", "value")

    def __init__(self, given: dict[str, Any], pointer: str) -> None:
        self.t: int = int(given["t"])
        self.type: str = given["type"]
        self.property_id: str | None = given.get("propertyId")
        self.value: bool | int | float | str | None = given.get("value", True)
        self.follow_up_id: str | None = given.get("followUpId")
        self.changes: dict[str, Any] = given.get("changes") or {}
        self.pointer = pointer


class LeadGiven:
    """One lead as the scenario has it.

    Attributes:
        properties: values that the lead has at minute 0, by the name of the property.
    """

    __slots__ = ("events", "id", "pointer", "properties", "reachable", "timezone")

    def __init__(self, given: dict[str, Any], pointer: str) -> None:
        self.id: str = given["id"]
        self.timezone: str | None = given.get("timezone")
        self.reachable: bool = given.get("reachable", True)
        self.properties: dict[str, Any] = given.get("properties") or {}
        self.events = [Event(one, f"{pointer}/events/{at}") for at, one in enumerate(given.get("events", []))]
        self.pointer = pointer


class Faults:
    """What goes wrong with the engine.

    Attributes:
        runners: how many look at the same tick; more than one is a fault.
        once_key: whether the channel refuses a second message of the same lead, follow-up and repetition.
        crashes: minutes at whose tick a lead's first send is not followed by its mark.
        policy: whether the mark is written before the message (at most once) or after it (at least once).
        outages: (first minute, first minute after) in which no runner ticks.
        delivery_errors: code by (lead, follow-up); the follow-up is None for all of them.
    """

    __slots__ = ("crashes", "delivery_errors", "once_key", "outages", "policy", "runners")

    def __init__(self, given: dict[str, Any]) -> None:
        self.runners: int = int(given.get("runners", 1))
        self.once_key: bool = given.get("idempotencyKey", False)
        self.crashes: list[int] = [int(one) for one in given.get("crashBetweenSendAndMark", [])]
        self.policy: str = given.get("deliveryPolicy", AT_MOST_ONCE)
        self.outages = [(int(one["from"]), int(one["to"])) for one in given.get("outages", [])]
        self.delivery_errors: dict[tuple[str, str | None], str] = {}
        for one in given.get("deliveryErrors", []):
            self.delivery_errors.setdefault((one["lead"], one.get("followUp")), one["code"])


class Scenario:
    """Leads, what happens to them, and for how long one looks: minutes 0 to ``horizon``, both included."""

    __slots__ = ("epoch", "events", "faults", "horizon", "leads", "runtime")

    def __init__(self, given: dict[str, Any], epoch: datetime) -> None:
        self.horizon: int = int(given["horizonMinutes"])
        self.epoch = epoch
        self.runtime: dict[str, Any] = given.get("runtime") or {}
        self.faults = Faults(given.get("faults") or {})
        self.events = [Event(one, f"/events/{at}") for at, one in enumerate(given.get("events", []))]
        self.leads = [LeadGiven(one, f"/leads/{at}") for at, one in enumerate(given["leads"])]


class LoadedScenario:
    """A scenario, and what is odd about the document: ``(pointer, sentence)`` each."""

    __slots__ = ("scenario", "warnings")

    def __init__(self, scenario: Scenario, warnings: list[tuple[str, str]]) -> None:
        self.scenario = scenario
        self.warnings = warnings


def load_scenario(data: bytes, name: str) -> LoadedScenario:
    """Read a scenario from the bytes of its file, JSON or YAML.

    Raises:
        Malformed: it does not parse, has a wrong type somewhere, or misses what an event of its type needs; the message
            holds JSON pointers, what came and what was expected.
    """
    return scenario_of(read_document(data, name), name)


def scenario_of(document: object, name: str = "the scenario") -> LoadedScenario:
    """Make a scenario of a parsed document; raises as `load_scenario` does."""
    try:
        raw, warnings = canonical(document, SCHEMA)
    except Malformed as refused:
        raise Malformed(f"{name}: {refused.message}", refused.hint) from None
    _refuse(name, [f"{pointer or '/'}: {sentence}" for pointer, sentence in schemas.pointer_problems(raw, SCHEMA)])
    _refuse(name, list(_problems(raw)))
    return LoadedScenario(Scenario(raw, instant(raw.get("epoch") or EPOCH, f"{name}: /epoch")), warnings)


def instant(text: str, where: str) -> datetime:
    """A whole minute in UTC; without an offset it is UTC.

    Raises:
        Malformed: it is no instant, or far from any year in which leads are written to.
    """
    try:
        read = datetime.fromisoformat(text)
        made = (read if read.tzinfo else read.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):
        made = None
    if made is None or not _YEARS[0] <= made.year <= _YEARS[1]:
        message = f"{where}: found {text[:60]!r}, expected an instant like {EPOCH} from {_YEARS[0]} to {_YEARS[1]}"
        raise Malformed(message, _HINT)
    return made.replace(second=0, microsecond=0)


def _refuse(name: str, problems: list[str]) -> None:
    problems = list(dict.fromkeys(problems))
    if problems:
        more = f"; and {len(problems) - _MOST_PROBLEMS} more" if len(problems) > _MOST_PROBLEMS else ""
        raise Malformed(f"{name}: " + "; ".join(problems[:_MOST_PROBLEMS]) + more, _HINT)


def _problems(raw: dict[str, Any]) -> Iterator[str]:
    yield from _lacking(raw.get("events", []), "/events")
    first: dict[str, int] = {}
    for number, lead in enumerate(raw["leads"]):
        if lead["id"] in first:
            where = f"/leads/{number}/id"
            yield f"{where}: {lead['id'][:80]!r} is taken by /leads/{first[lead['id']]}, expected an id of its own"
        first.setdefault(lead["id"], number)
        yield from zone_problems(lead, f"/leads/{number}")
        yield from _lacking(lead.get("events", []), f"/leads/{number}/events")
        yield from _odd_values(lead.get("properties") or {}, f"/leads/{number}/properties")
    for number, outage in enumerate((raw.get("faults") or {}).get("outages", [])):
        if outage["from"] > outage["to"]:
            yield f"/faults/outages/{number}: it ends at {outage['to']}, expected {outage['from']} or later"


def _lacking(events: list[dict[str, Any]], pointer: str) -> Iterator[str]:
    for number, event in enumerate(events):
        kind = event["type"]
        if kind == TRUTH and not event.get("propertyId"):
            yield f"{pointer}/{number}: propertyId missing, expected the property that is so"
        if kind == CONFIG_CHANGE and not (event.get("followUpId") or event.get("propertyId")):
            yield f"{pointer}/{number}: followUpId missing, expected the follow-up (or propertyId) that changes"
        if kind == CONFIG_CHANGE and not event.get("changes"):
            yield f"{pointer}/{number}: changes missing, expected an object of the fields that change"
        flag = kind in {NEEDS_ATTENTION, MUTE}
        if flag and not isinstance(event.get("value", True), bool):
            yield f"{pointer}/{number}/value: found {str(event['value'])[:60]!r}, expected true or false"


def _odd_values(properties: dict[str, Any], pointer: str) -> Iterator[str]:
    for number, value in enumerate(properties.values()):
        if not isinstance(value, bool | int | float | str | None):
            kind = type(value).__name__
            yield f"{pointer}: its property {number + 1} holds a {kind}, expected a boolean, number, string or null"
