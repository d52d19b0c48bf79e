"""Runs a scenario against a model: from one minute at which something can change to the next, lead by lead (spec 3).

Nothing but what happens to a lead decides about it, so leads go one after another; what the runner looks at in vain is
counted by arithmetic. The order inside a minute is fixed: events, what the evaluator writes, the runner, delivery.
"""

from __future__ import annotations

from mindloop.sequence import scenario as given
from mindloop.sequence import words
from mindloop.sequence.loading import Names
from mindloop.sequence.simulator import classes, terms
from mindloop.sequence.simulator.changes import phases, runtime_of
from mindloop.sequence.simulator.clock import Quiet, Ticks
from mindloop.sequence.simulator.evaluator import freezes, goes_on, land, read_batch
from mindloop.sequence.simulator.lead import Lead, happen, mute_by_limits, next_write, write
from mindloop.sequence.simulator.limits import refuse_endless, refuse_odd_values
from mindloop.sequence.simulator.runner import Runner, Tally
from mindloop.sequence.simulator.terms import NEVER
from mindloop.store.errors import WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from mindloop.sequence.model import Model, Value
    from mindloop.sequence.scenario import LeadGiven, Scenario
    from mindloop.sequence.simulator.plan import Plan

    Happening = tuple[int, str, str, Value]

MOST_STEPS = 20_000_000
"""Minutes at which something happens, over all leads; a model that repeats every minute for years stops here."""
MOST_MESSAGES = 2_000_000


class Timeline:
    """What came of it, sorted by minute, lead, follow-up; ``as_document`` is what is printed."""

    __slots__ = ("counts", "events", "sends", "silent")

    def __init__(self) -> None:
        self.sends: list[dict[str, Any]] = []
        self.events: list[dict[str, Any]] = []
        self.silent: list[dict[str, Any]] = []
        self.counts: dict[str, int] = {}

    def as_document(self) -> dict[str, Any]:
        """The four parts, in their fixed order."""
        return {"sends": self.sends, "events": self.events, "silent": self.silent, "counts": self.counts}


def simulate(model: Model, scenario: Scenario) -> Timeline:
    """Run a scenario.

    Returns:
        Sends (every message, reached or not), events (what was wrong with them), silent (who should have got what and
        did not, with the reason that blocked most looks), counts (runs = looks, attempts, messages, reached).

    Raises:
        Malformed: an event names what the model has not, a value has another type than its property, or an instant
            is none.
        WrongInput: more happens than anybody can read.
    """
    refuse_odd_values(model, scenario)
    engine = Engine(model, scenario)
    refuse_endless(engine.phases, scenario, MOST_MESSAGES)
    timeline = Timeline()
    for lead_given in sorted(scenario.leads, key=lambda one: one.id):
        _gather(timeline, engine, engine.run(lead_given))
    timeline.sends.sort(key=lambda one: (one["t"], one["lead"], one["followUp"]))
    timeline.events.sort(key=lambda one: (one["t"], one["lead"], one["class"], one["followUps"]))
    timeline.counts = engine.counts()
    return timeline


class Engine:
    """A scenario that is set up; ``run`` takes one lead through it."""

    __slots__ = ("_global", "_horizon", "_names", "_quiet", "_runner", "_steps", "phases", "scenario", "tally", "ticks")

    def __init__(self, model: Model, scenario: Scenario, *, keep_looking: bool = False) -> None:
        self.scenario = scenario
        self.phases = phases(model, scenario)
        self.ticks = Ticks(self.first.runtime.runner_tick, scenario.faults.outages)
        self.tally = Tally()
        self._names = Names(model.properties)
        self._global = list(self._happenings(scenario.events))
        hours = runtime_of(model, scenario).quiet_hours
        self._quiet = Quiet(hours, scenario.epoch, scenario.horizon) if hours else None
        self._horizon = scenario.horizon
        self._runner = Runner(self.ticks, scenario.faults, self.tally, keep_looking=keep_looking)
        self._steps = 0

    @property
    def first(self) -> Plan:
        """The plan at minute 0."""
        return self.phases[0][1]

    @property
    def last(self) -> Plan:
        """The plan at the horizon."""
        return self.phases[-1][1]

    @property
    def end(self) -> int:
        """The first minute that is not run."""
        return self._horizon + 1

    def run(self, lead_given: LeadGiven) -> Lead:
        """Take a lead from minute 0 to the horizon."""
        lead = self._lead(lead_given)
        walk = _Walk(self, lead, sorted([*self._global, *self._happenings(lead_given.events)], key=lambda one: one[0]))
        while (now := walk.next_minute()) <= self._horizon:
            walk.minute(now, self._runner)
            self._steps += 1
            if self._steps > MOST_STEPS or self.tally.messages > MOST_MESSAGES:
                hint = "Shorten the horizon, take fewer leads, or bound what repeats."
                raise WrongInput(f"more than {MOST_MESSAGES} messages or {MOST_STEPS} minutes of change", hint)
        return lead

    def counts(self) -> dict[str, int]:
        """Runs, attempts, messages, reached; runs are ticks times live follow-ups, less looks that were not made."""
        ends = [*(start for start, _ in self.phases[1:]), self.end]
        looks = sum(
            self.ticks.count(start, end) * plan.live_count for (start, plan), end in zip(self.phases, ends, strict=True)
        )
        tally = self.tally
        runs = looks * len(self.scenario.leads) * self.scenario.faults.runners - tally.skipped
        return {"runs": runs, "attempts": tally.attempts, "messages": tally.messages, "reached": tally.reached}

    def _happenings(self, events: list[given.Event]) -> Iterator[Happening]:
        for one in events:
            if one.type not in given.OF_THE_ENGINE:
                yield one.t, one.type, self._names.resolve(one.property_id or ""), one.value

    def _lead(self, lead_given: LeadGiven) -> Lead:
        """A lead at minute 0, with the values that it comes with."""
        plan = self.first
        quiet = self._quiet.spans(lead_given.timezone, plan.agent_zone) if self._quiet else []
        lead = Lead(lead_given, len(plan.rules), quiet)
        for name, value in lead_given.properties.items():
            property_id = self._names.resolve(name)
            if value is None:
                continue
            lead.truth[property_id] = value
            if value is True:
                lead.arrived[property_id] = 0
            known = plan.properties.get(property_id)
            if known is not None:
                write(lead, plan, property_id, value, 0)
                if known.set_by == words.EVALUATOR and freezes(known, value):
                    lead.frozen.add(property_id)
        return lead


class _Walk:
    """One lead on its way: where it stands in its events, the phases and the batches."""

    __slots__ = ("_batch", "_event", "_events", "_lead", "_phase", "_phases", "_plan")

    def __init__(self, engine: Engine, lead: Lead, events: list[Happening]) -> None:
        self._lead = lead
        self._events = [*events, (NEVER, "", "", None)]
        self._event = 0
        self._phases = engine.phases
        self._phase = 0
        self._plan = engine.first
        self._batch = 0

    def next_minute(self) -> int:
        """The next minute at which anything about the lead can change."""
        lead = self._lead
        following = self._phases[self._phase + 1][0] if self._phase + 1 < len(self._phases) else NEVER
        looked = min(lead.wake, default=NEVER)
        return min(self._events[self._event][0], following, self._batch, next_write(lead), looked)

    def minute(self, now: int, runner: Runner) -> None:
        """All that happens in a minute, in its order."""
        lead = self._lead
        changed = self._change_phase(now) or now == 0
        changed = self._let_happen(now) or changed
        if self._batch == now:
            self._start_batch(now)
        while next_write(lead) == now:
            changed = land(lead, self._plan) or changed
        if changed:
            if self._plan.limits:
                mute_by_limits(lead, self._plan)
            runner.wake(lead, self._plan, now)
        if min(lead.wake, default=NEVER) == now:
            runner.tick(lead, self._plan, now)

    def _change_phase(self, now: int) -> bool:
        changed = False
        while self._phase + 1 < len(self._phases) and self._phases[self._phase + 1][0] == now:
            self._phase += 1
            self._plan = self._phases[self._phase][1]
            self._lead.conditions = [None] * len(self._plan.rules)
            self._lead.stages = None
            self._ask_for_batch(now)
            changed = True
        return changed

    def _let_happen(self, now: int) -> bool:
        changed = False
        while self._events[self._event][0] == now:
            if happen(self._lead, self._plan, self._events[self._event]):
                self._ask_for_batch(now)
            self._event += 1
            changed = True
        return changed

    def _ask_for_batch(self, now: int) -> None:
        every = self._plan.runtime.evaluator_batch
        self._batch = min(self._batch, -(-now // every) * every)

    def _start_batch(self, now: int) -> None:
        read_batch(self._lead, self._plan, now)
        self._batch = now + self._plan.runtime.evaluator_batch if goes_on(self._lead, self._plan) else NEVER


def _gather(timeline: Timeline, engine: Engine, lead: Lead) -> None:
    ids = [rule.id for rule in engine.last.rules]
    for at, index, _, failure in lead.sent:
        status = terms.OK if failure is None else terms.FAILED
        timeline.sends.append({"t": at, "lead": lead.id, "followUp": ids[index], "status": status, "reason": failure})
    stagger = engine.first.runtime.min_stagger
    for at, name, involved in [*lead.found, *classes.bursts(lead.sent, ids, stagger)]:
        timeline.events.append({"t": at, "lead": lead.id, "class": name, "followUps": list(involved)})
    for index, looks in enumerate(lead.looks):
        if not lead.had[index]:
            _silence(
                timeline, engine, lead, index, classes.dominant(looks, engine.ticks.count, engine.end, entitled=True)
            )


def _silence(timeline: Timeline, engine: Engine, lead: Lead, index: int, blocked: tuple[int, str] | None) -> None:
    """Note that a lead never got what it should have got."""
    if blocked is None:
        return
    first, reason = blocked
    follow_up = engine.last.rules[index].id
    more = {"reason": str(reason), "cause": classes.cause(lead, engine.last, reason)}
    silent = {"t": first, "lead": lead.id, "class": terms.SILENT_NO_FIRE, "followUps": [follow_up]}
    timeline.events.append(silent | more)
    timeline.silent.append({"lead": lead.id, "followUp": follow_up} | more)
