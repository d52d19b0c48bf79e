"""Runs a timeline, finds in it what is wrong, and makes it small: few events, early minutes, a short horizon."""

from __future__ import annotations

import copy

from mindloop.sequence import words
from mindloop.sequence.scenario import scenario_of
from mindloop.sequence.simulator.engine import simulate
from mindloop.sequence.simulator.explain import explain
from mindloop.store.errors import MindloopError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from typing import Any

    from mindloop.sequence.model import Model
    from mindloop.sequence.simulator.engine import Timeline

    Document = dict[str, Any]
    Shows = dict[str, Any]
    Look = Callable[["Ran"], Shows | None]

LEAD = "l1"
_SMALL = 24
"""Follow-ups up to which a timeline is made small against the whole set, not against those that it is about."""
_MOST_RUNS = 160
_MOST_STEPS = 100_000
"""Minutes at which something happens beyond which a timeline is not run."""


class Ran:
    """A timeline that was run, with what it came from."""

    __slots__ = ("document", "model", "timeline")

    def __init__(self, model: Model, document: Document, timeline: Timeline) -> None:
        self.model = model
        self.document = document
        self.timeline = timeline

    def first(self, follow_up: str, since: int = 0) -> int | None:
        """The minute of its first message from a minute on."""
        minutes = (one["t"] for one in self.timeline.sends if one["followUp"] == follow_up)
        return next((minute for minute in minutes if minute >= since), None)

    def inbounds(self) -> list[int]:
        """The minutes at which the lead wrote."""
        return [one["t"] for one in self.document["leads"][0]["events"] if one["type"] == "INBOUND"]


class Attempt:
    """A timeline that should show something, and how to see it.

    Attributes:
        document: a scenario.
        look: what it shows, or None.
        firm: whether its events mean something only together, so that none is moved or left out.
    """

    __slots__ = ("document", "firm", "look")

    def __init__(self, document: Document, look: Look, *, firm: bool = False) -> None:
        self.document = document
        self.look = look
        self.firm = firm


def shown(model: Model, attempts: Iterable[Attempt], involved: Collection[str]) -> dict[str, Any] | None:
    """Run attempts until one shows what it should.

    Args:
        model: the set of workflows.
        attempts: timelines, the most telling first.
        involved: the follow-ups they are about; a large set is run without the others first.

    Returns:
        ``{"scenario": document, "shows": {"class"|"silent"|"sends": ..., "t", "lead", "followUps"}}``, or None.
    """
    few = model if len(model.follow_ups) <= _SMALL else with_only(model, involved)
    for attempt in attempts:
        for used in (few,) if few is model else (few, model):
            if looked(used, attempt.document, attempt.look) is None:
                continue
            for document in (_small(used, attempt), attempt.document):
                shows = looked(model, document, attempt.look)
                if shows is not None:
                    return {"scenario": document, "shows": shows}
    return None


def looked(model: Model, document: Document, look: Look) -> Shows | None:
    """What a timeline shows; None where it does not, or cannot be run."""
    ran = run(model, document)
    return look(ran) if ran is not None else None


def run(model: Model, document: Document) -> Ran | None:
    """Run a scenario; None where the model has something that no engine can run, or too much would happen."""
    if _steps(model, document) > _MOST_STEPS:
        return None
    try:
        return Ran(model, document, simulate(model, scenario_of(document).scenario))
    except MindloopError:
        return None


def _steps(model: Model, document: Document) -> int:
    horizon = int(document["horizonMinutes"])
    policy = (document.get("runtime") or {}).get("setAtPolicy", model.runtime.set_at_policy)
    batches = horizon // model.runtime.evaluator_batch if policy == words.EVERY_WRITE else 0
    repeats = [one.repeat.interval for one in model.follow_ups if one.is_live and one.repeat]
    return batches + sum(horizon // max(interval, model.runtime.runner_tick) for interval in repeats)


def with_only(model: Model, follow_ups: Collection[str]) -> Model:
    """The set without the others."""
    made = copy.copy(model)
    made.follow_ups = [one for one in model.follow_ups if one.id in follow_ups]
    made.raw = {**model.raw, "followUps": [one for one in model.raw["followUps"] if one["id"] in follow_ups]}
    return made


# What a timeline can show.


def of_class(names: Collection[str], *follow_ups: str) -> Look:
    """An event of one of these classes about these follow-ups."""

    def look(ran: Ran) -> Shows | None:
        for event in ran.timeline.events:
            if event["class"] in names and set(follow_ups) <= set(event["followUps"]):
                return {key: event[key] for key in ("class", "t", "lead", "followUps")}
        return None

    return look


def sent(*follow_ups: str, since: int = 0, before: int | None = None, why: str = "") -> Look:
    """A message of each of these follow-ups within some minutes."""

    def look(ran: Ran) -> Shows | None:
        found = {one: ran.first(one, since) for one in follow_ups}
        minutes = [minute for minute in found.values() if minute is not None]
        if len(minutes) < len(found) or (before is not None and max(minutes) >= before):
            return None
        sends = [{"t": minute, "followUp": one} for one, minute in sorted(found.items(), key=lambda pair: pair[1] or 0)]
        told: Shows = {"sends": sends, "t": max(minutes), "lead": LEAD, "followUps": list(follow_ups)}
        return told | {"why": why} if why else told

    return look


def silent(*follow_ups: str, owed: bool = True) -> Look:
    """None of these follow-ups goes out; where ``owed``, though the lead should have got one."""

    def look(ran: Ran) -> Shows | None:
        if any(one["followUp"] in follow_ups for one in ran.timeline.sends):
            return None
        for event in ran.timeline.events:
            if event["class"] == "SILENT_NO_FIRE" and set(event["followUps"]) & set(follow_ups):
                told = {"silent": event["reason"], "cause": event["cause"]}
                return told | {key: event[key] for key in ("t", "lead", "followUps")}
        return None if owed else _not_owed(ran, follow_ups)

    return look


def _not_owed(ran: Ran, follow_ups: tuple[str, ...]) -> Shows:
    told: Shows = {"silent": "NO_FOLLOW_UP", "t": ran.document["horizonMinutes"], "lead": LEAD, "followUps": []}
    if not follow_ups:
        return told
    found = explain(ran.model, scenario_of(ran.document).scenario, LEAD, follow_ups[0])
    last = found.blocks[-1] if found.blocks else {"reason": "NO_LOOK", "from": 0}
    return told | {"silent": last["reason"], "t": last["from"], "followUps": [follow_ups[0]]}


# Making it small.


class _Shrinking:
    """A timeline that becomes smaller as long as it shows something still."""

    __slots__ = ("_attempt", "_left", "_model", "document")

    def __init__(self, model: Model, attempt: Attempt) -> None:
        self._model = model
        self._attempt = attempt
        self._left = _MOST_RUNS
        self.document = copy.deepcopy(attempt.document)

    def shows(self) -> Shows | None:
        """What it shows now."""
        return looked(self._model, self.document, self._attempt.look)

    def take(self, document: Document) -> None:
        """Take a smaller one if it shows what it should."""
        self._left -= 1
        if self._left >= 0 and looked(self._model, document, self._attempt.look) is not None:
            self.document = document

    @property
    def lead(self) -> Document:
        """The one lead."""
        found: Document = self.document["leads"][0]
        return found

    def with_lead(self, **changes: Any) -> Document:
        """A copy in which the lead is another."""
        lead = {key: value for key, value in {**self.lead, **changes}.items() if value != {}}
        return {**self.document, "leads": [lead]}


def _small(model: Model, attempt: Attempt) -> Document:
    made = _Shrinking(model, attempt)
    if not attempt.firm:
        _fewer(made)
        _earlier(made)
    _shorter(made, model)
    return made.document


def _fewer(made: _Shrinking) -> None:
    for at in reversed(range(len(made.lead["events"]))):
        events = made.lead["events"]
        made.take(made.with_lead(events=events[:at] + events[at + 1 :]))
    for name in made.lead.get("properties", {}):
        rest = {key: value for key, value in made.lead.get("properties", {}).items() if key != name}
        made.take(made.with_lead(properties=rest))


def _earlier(made: _Shrinking) -> None:
    for at in range(len(made.lead["events"])):
        for minute in _tries(made.lead["events"][at]["t"]):
            events = made.lead["events"]
            if minute < events[at]["t"]:
                moved = [*events[:at], {**events[at], "t": minute}, *events[at + 1 :]]
                made.take(made.with_lead(events=sorted(moved, key=lambda one: int(one["t"]))))


def _tries(minute: int) -> Iterator[int]:
    """0, then ever nearer to where it is."""
    yield 0
    step = minute // 2
    while step > 0:
        yield minute - step
        step //= 2


def _shorter(made: _Shrinking, model: Model) -> None:
    shows = made.shows()
    if shows is None:
        return
    runtime = model.runtime
    more = runtime.evaluator_batch + runtime.evaluator_run + runtime.runner_tick if "silent" in shows else 0
    if shows["t"] + more < made.document["horizonMinutes"]:
        made.take({**made.document, "horizonMinutes": shows["t"] + more})
