"""The simulator again, the slow way: every minute, every lead, every follow-up. The fast one is held against it.

It shares the values of a loaded model and scenario with the fast one and nothing else.
"""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from mindloop.sequence.loading import Names, model_of
from mindloop.sequence.model import Runtime

if TYPE_CHECKING:
    from mindloop.sequence.model import Condition, FollowUp, Model
    from mindloop.sequence.scenario import Scenario

ENGINE = ("ACTIVATE", "DEACTIVATE", "CONFIG_CHANGE")


class _SlowLead:
    """One lead's state."""

    def __init__(self, given: Any) -> None:
        self.given = given
        self.value: dict[str, Any] = {}
        self.set_at: dict[str, int] = {}
        self.frozen: set[str] = set()
        self.truth: dict[str, Any] = {}
        self.entered: dict[str, int] = {}
        self.flying: list[tuple[int, dict[str, Any]]] = []
        self.last_inbound: int | None = None
        self.attention = self.muted = self.dropped = False
        self.marks: dict[str, list[int]] = {}
        self.collapsed: set[str] = set()
        self.keys: set[tuple[str, int]] = set()
        self.messages: list[tuple[int, str, str, str | None]] = []
        self.blocks: dict[str, list[str]] = {}
        self.first_block: dict[str, int] = {}
        self.held_until: int | None = None


class _SlowSimulator:
    """Runs minute by minute."""

    def __init__(self, model: Model, scenario: Scenario) -> None:
        self.model = model
        self.raw = model.raw
        self.scenario = scenario
        self.names = Names(model.properties)
        runtime = {**(model.raw.get("runtime") or {}), **scenario.runtime}
        self.rt = Runtime(runtime)
        self.leads = [_SlowLead(one) for one in sorted(scenario.leads, key=lambda one: one.id)]
        self.counts = {"runs": 0, "attempts": 0, "messages": 0, "reached": 0}
        self.sends: list[dict[str, Any]] = []
        self.events: list[dict[str, Any]] = []
        self.silent: list[dict[str, Any]] = []
        self.off: set[str] = set()

    def run(self) -> dict[str, Any]:
        for lead in self.leads:
            self.begin(lead)
        for minute in range(self.scenario.horizon + 1):
            self.change_config(minute)
            for lead in self.leads:
                self.happen(lead, minute)
                self.evaluate(lead, minute)
                self.limit(lead)
                if self.is_tick(minute):
                    self.tick(lead, minute)
        for lead in self.leads:
            self.finish(lead)
        self.sends.sort(key=lambda one: (one["t"], one["lead"], one["followUp"]))
        unique = {(one["t"], one["lead"], one["class"], tuple(one["followUps"])): one for one in self.events}
        self.events = [unique[key] for key in sorted(unique)]
        return {"sends": self.sends, "events": self.events, "silent": self.silent, "counts": self.counts}

    # the set of workflows

    def change_config(self, minute: int) -> None:
        ordered = [self.scenario.events, *(lead.given.events for lead in self.leads)]
        for event in [one for events in ordered for one in events if one.t == minute and one.type in ENGINE]:
            self.apply(event)
            self.model = model_of(self.raw).model

    def apply(self, event: Any) -> None:
        entries = self.raw.get("followUps", [])
        active = {one["id"] for one in entries if one.get("active", True)}
        if event.type == "CONFIG_CHANGE" and event.follow_up_id is None:
            self.edit("properties", self.names.resolve(event.property_id), event.changes)
        elif event.type == "CONFIG_CHANGE":
            self.edit("followUps", event.follow_up_id, event.changes)
        elif event.follow_up_id is not None:
            self.edit("followUps", event.follow_up_id, {"active": event.type == "ACTIVATE"})
        elif event.type == "ACTIVATE":
            wanted = self.off or {one["id"] for one in entries}
            self.off = set()
            for one in entries:
                self.edit("followUps", one["id"], {"active": one["id"] in wanted})
        else:
            self.off = active or self.off
            for one in entries:
                self.edit("followUps", one["id"], {"active": False})

    def edit(self, section: str, entry_id: str, fields: dict[str, Any]) -> None:
        entries = [{**one, **fields} if one["id"] == entry_id else one for one in self.raw[section]]
        self.raw = {**self.raw, section: entries}

    # leads

    def begin(self, lead: _SlowLead) -> None:
        for name, value in lead.given.properties.items():
            property_id = self.names.resolve(name)
            if value is None:
                continue
            lead.truth[property_id] = value
            if value is True:
                lead.entered[property_id] = 0
            if property_id in self.model.properties:
                self.write(lead, property_id, value, 0)
                if self.model.properties[property_id].set_by == "EVALUATOR":
                    self.freeze(lead, property_id, value)

    def happen(self, lead: _SlowLead, minute: int) -> None:
        for event in [*self.scenario.events, *lead.given.events]:
            if event.t == minute and event.type not in ENGINE:
                self.one_event(lead, event, minute)

    def one_event(self, lead: _SlowLead, event: Any, minute: int) -> None:
        spoke_last = self.rt.needs_attention_policy == "LEAD_SPOKE_LAST"
        if event.type == "INBOUND":
            lead.last_inbound = minute
            lead.attention = lead.attention or spoke_last
        elif event.type == "AGENT_OUT":
            lead.dropped = False
            lead.attention = lead.attention and not spoke_last
        elif event.type == "NEEDS_ATTENTION":
            lead.attention = event.value
        elif event.type == "MUTE":
            lead.muted = event.value
        elif event.type == "NO_RESPONSE":
            lead.dropped = True
        else:
            self.learn(lead, self.names.resolve(event.property_id), event.value, minute)

    def learn(self, lead: _SlowLead, property_id: str, value: Any, minute: int) -> None:
        known = self.model.properties.get(property_id)
        was = lead.truth.pop(property_id, None)
        if value is not None:
            lead.truth[property_id] = value
        late = known is not None and known.set_by == "EVALUATOR"
        if value is not True and was is True and late and lead.entered[property_id] >= minute + self.rt.evaluator_run:
            lead.entered.pop(property_id)
        if value is True and was is not True:
            stamped = minute
            if late:
                while stamped % self.rt.evaluator_batch:
                    stamped += 1
                stamped += self.rt.evaluator_run
            lead.entered[property_id] = stamped
        if known is not None and known.set_by in {"INTEGRATION", "SYSTEM", "HUMAN"}:
            self.write(lead, property_id, value, minute)

    def write(self, lead: _SlowLead, property_id: str, value: Any, minute: int) -> None:
        old = lead.value.pop(property_id, None)
        if value is None:
            lead.set_at.pop(property_id, None)
            return
        lead.value[property_id] = value
        moved = {
            "EVERY_WRITE": True,
            "FIRST_WRITE": property_id not in lead.set_at,
            "TRUE_TRANSITION": not identical(old, value),
        }[self.rt.set_at_policy]
        if moved and self.rt.set_at_policy == "TRUE_TRANSITION" and not value:
            lead.set_at.pop(property_id, None)
        elif moved:
            lead.set_at[property_id] = minute

    def freeze(self, lead: _SlowLead, property_id: str, value: Any) -> None:
        known = self.model.properties[property_id]
        if not known.check_until_match or identical(value, known.terminal_value):
            lead.frozen.add(property_id)

    def evaluate(self, lead: _SlowLead, minute: int) -> None:
        if minute % self.rt.evaluator_batch == 0:
            answers = {}
            for known in self.model.properties.values():
                answer = lead.truth.get(known.id, False if known.early_false else None)
                if known.set_by == "EVALUATOR" and known.include_in_llm and answer is not None:
                    answers[known.id] = answer
            lead.flying.append((minute + self.rt.evaluator_run, answers))
        for due, answers in list(lead.flying):
            if due == minute:
                lead.flying.remove((due, answers))
                for property_id, answer in answers.items():
                    if property_id not in lead.frozen:
                        self.write(lead, property_id, answer, minute)
                        self.freeze(lead, property_id, answer)

    def limit(self, lead: _SlowLead) -> None:
        for one in self.model.contact_limits:
            if one.active and all(self.verdict(lead, each) is True for each in one.conditions):
                lead.muted = True

    def verdict(self, lead: _SlowLead, one: Condition) -> bool | None:
        value = lead.value.get(one.property_id)
        if one.operator in {"IS_SET", "IS_NOT_SET"}:
            return (value is None) == (one.operator == "IS_NOT_SET")
        if value is None:
            return True if one.operator == "NOT_EQUALS" and self.rt.null_semantics == "PLATFORM" else None
        if one.operator in {"EQUALS", "NOT_EQUALS"}:
            return identical(value, one.value) == (one.operator == "EQUALS")
        if bool in {type(value), type(one.value)} or str in {type(value), type(one.value)} or one.value is None:
            return False
        return {
            "GREATER_THAN": value > one.value,
            "GREATER_OR_EQUAL": value >= one.value,
            "LESS_THAN": value < one.value,
            "LESS_OR_EQUAL": value <= one.value,
        }[one.operator]

    # the runner

    def is_tick(self, minute: int) -> bool:
        down = any(start <= minute < end for start, end in self.scenario.faults.outages)
        return minute % self.rt.runner_tick == 0 and not down

    def next_tick(self, minute: int) -> int:
        while not self.is_tick(minute):
            minute += 1
        return minute

    def is_quiet(self, lead: _SlowLead, minute: int) -> bool:
        hours = self.rt.quiet_hours
        if hours is None:
            return False
        agent = self.model.agent.timezone
        name = agent if hours.tz == "AGENT" else lead.given.timezone or agent
        try:
            zone = ZoneInfo(name or "")
        except (KeyError, ValueError, OSError):
            return hours.on_unknown_tz == "BLOCK"
        local = (self.scenario.epoch + timedelta(minutes=minute)).astimezone(zone)
        now = f"{local.hour:02}:{local.minute:02}"
        if hours.start <= hours.end:
            return hours.start <= now < hours.end
        return now >= hours.start or now < hours.end

    def quiet_end(self, lead: _SlowLead, minute: int) -> int:
        while self.is_quiet(lead, minute) and minute <= self.scenario.horizon:
            minute += 1
        return minute

    def follow_ups(self) -> list[FollowUp]:
        return sorted(self.model.follow_ups, key=lambda one: one.id)

    def tick(self, lead: _SlowLead, minute: int) -> None:
        only = self.kept(lead, minute)
        for one in self.follow_ups():
            if one.is_live:
                self.counts["runs"] += self.scenario.faults.runners
            reason = self.blocked(lead, one, minute)
            if reason is None and only is not None and one is not only:
                lead.marks.setdefault(one.id, []).append(minute)
                lead.collapsed.add(one.id)
                reason = "QUIET_HOURS"
            if reason is not None:
                if reason == "QUIET_HOURS" and one.id not in lead.collapsed:
                    lead.held_until = self.quiet_end(lead, minute)
                self.note(lead, one, minute, reason)
            elif self.send(lead, one, minute):
                break

    def kept(self, lead: _SlowLead, minute: int) -> FollowUp | None:
        held = lead.held_until
        if held is None or minute < held:
            return None
        lead.held_until = None
        if self.rt.quiet_hours is None or self.rt.quiet_hours.release != "COLLAPSE" or self.next_tick(held) != minute:
            return None
        ready = [one for one in self.follow_ups() if self.blocked(lead, one, minute) is None]
        ready.sort(key=lambda one: (self.due(lead, one) or 0, one.offset or 0, one.id))
        return ready[-1] if ready else None

    def entry_of(self, one: FollowUp) -> str | None:
        stage = self.model.stage(one.stage_id)
        return stage.entry_stamp_id if stage else None

    def due(self, lead: _SlowLead, one: FollowUp) -> int | None:
        found = []
        clock = one.anchor or self.entry_of(one)
        if clock in lead.set_at:
            found.append(lead.set_at[clock] + ((one.offset or 0) if one.anchor else 0))
        if (one.silence or 0) > 0 and lead.last_inbound is not None:
            found.append(lead.last_inbound + (one.silence or 0))
        return max(found, default=None)

    def blocked(self, lead: _SlowLead, one: FollowUp, minute: int) -> str | None:
        return (
            self.switched_off(lead, one, minute)
            or self.failing(lead, one)
            or self.waiting(lead, one, minute)
            or self.had(lead, one, minute)
            or self.held(lead, one, minute)
        )

    def switched_off(self, lead: _SlowLead, one: FollowUp, minute: int) -> str | None:
        if not one.is_live:
            return "INACTIVE"
        if one.active_from is not None:
            since = lead.set_at.get(one.anchor or self.entry_of(one) or "")
            if minute < one.active_from or (since is not None and since < one.active_from):
                return "INACTIVE"
        if lead.attention:
            return "NEEDS_ATTENTION"
        return "MUTED" if lead.muted else None

    def failing(self, lead: _SlowLead, one: FollowUp) -> str | None:
        for each in one.conditions:
            if self.verdict(lead, each) is not True:
                value = lead.value.get(each.property_id)
                return f"CONDITION:{each.property_id}:{each.operator}:{written(value)}"
        return None

    def waiting(self, lead: _SlowLead, one: FollowUp, minute: int) -> str | None:
        if one.anchor is not None:
            if one.anchor not in lead.set_at:
                return "ANCHOR_UNSET"
            if minute < lead.set_at[one.anchor] + (one.offset or 0):
                return "ANCHOR_WAIT"
        silence = one.silence or 0
        if silence > 0 and lead.last_inbound is None and self.rt.no_inbound_policy == "BLOCK":
            return "NO_INBOUND"
        if silence > 0 and lead.last_inbound is not None and minute - lead.last_inbound < silence:
            return "SILENCE_WAIT"
        return None

    def had(self, lead: _SlowLead, one: FollowUp, minute: int) -> str | None:
        marks = lead.marks.get(one.id, [])
        if not marks:
            return None
        if one.repeat is None:
            return "QUIET_HOURS" if one.id in lead.collapsed else "ALREADY_SENT"
        if one.repeat.max_repeats is not None and len(marks) >= 1 + one.repeat.max_repeats:
            return "REPEAT_DONE"
        return "REPEAT_WAIT" if minute < marks[-1] + one.repeat.interval else None

    def held(self, lead: _SlowLead, one: FollowUp, minute: int) -> str | None:
        due = self.due(lead, one)
        if one.max_age is not None and due is not None and minute - due > one.max_age:
            return "TOO_OLD"
        if self.capped(lead, minute):
            return "CAP"
        return "QUIET_HOURS" if self.is_quiet(lead, minute) else None

    def capped(self, lead: _SlowLead, minute: int) -> bool:
        times = [one[0] for one in lead.messages]
        agent = self.model.agent
        if agent.min_between and any(minute - one < agent.min_between for one in times):
            return True
        return agent.max_per_24h is not None and sum(minute - one < 1440 for one in times) >= agent.max_per_24h

    def note(self, lead: _SlowLead, one: FollowUp, minute: int, reason: str) -> None:
        if reason != "INACTIVE" and self.entitled(lead, one, minute):
            lead.blocks.setdefault(one.id, []).append(reason)
            lead.first_block.setdefault(one.id, minute)

    def entitled(self, lead: _SlowLead, one: FollowUp, minute: int) -> bool:
        stage = self.model.stage(one.stage_id)
        if stage is None or lead.muted or lead.dropped or stage.entry_stamp_id not in lead.entered:
            return False
        later = [each.entry_stamp_id for each in self.model.downstream(stage.id)]
        if any(is_true(lead, each) for each in [*later, *self.model.stop_ids]):
            return False
        silence = one.silence or 0
        if silence > 0 and lead.last_inbound is None and self.rt.no_inbound_policy == "BLOCK":
            return False
        quiet_enough = silence <= 0 or lead.last_inbound is None or minute - lead.last_inbound >= silence
        return quiet_enough and minute >= lead.entered[stage.entry_stamp_id] + (one.offset or 0)

    # sending

    def send(self, lead: _SlowLead, one: FollowUp, minute: int) -> bool:
        faults = self.scenario.faults
        key = (one.id, len(lead.marks.get(one.id, [])))
        crashed = minute in {self.next_tick(each) for each in faults.crashes}
        for _ in range(faults.runners):
            self.counts["attempts"] += 1
            if not (faults.once_key and key in lead.keys):
                self.message(lead, one, minute, again=key in lead.keys)
            lead.keys.add(key)
        if not (crashed and faults.policy == "AT_LEAST_ONCE"):
            lead.marks.setdefault(one.id, []).append(minute)
        return crashed or self.rt.sends_per_tick == "ONE_PER_LEAD"

    def message(self, lead: _SlowLead, one: FollowUp, minute: int, *, again: bool) -> None:
        failure = self.deliver(lead, one, minute)
        for name in self.classes(lead, one, minute, failure, again=again):
            self.events.append({"t": minute, "lead": lead.given.id, "class": name, "followUps": [one.id]})
        lead.messages.append((minute, one.id, one.stage_id, failure))
        self.counts["messages"] += 1
        self.counts["reached"] += failure is None
        self.sends.append(
            {
                "t": minute,
                "lead": lead.given.id,
                "followUp": one.id,
                "status": "OK" if failure is None else "FAILED",
                "reason": failure,
            }
        )

    def deliver(self, lead: _SlowLead, one: FollowUp, minute: int) -> str | None:
        errors = self.scenario.faults.delivery_errors
        if not lead.given.reachable:
            return "131026"
        for key in ((lead.given.id, one.id), (lead.given.id, None)):
            if key in errors:
                return errors[key]
        channel = one.channel or next(iter(self.model.agent.channels), "WHATSAPP")
        if one.destination.kind == "WHATSAPP_TEMPLATE" and channel == "WHATSAPP":
            return self.template(lead, one.destination.template_id)
        fresh = lead.last_inbound is not None and minute < lead.last_inbound + self.rt.window
        if fresh or channel in {"WEB", "OTHER"}:
            return None
        if channel == "WHATSAPP" and one.destination.fallback_template_id in self.model.templates:
            return self.template(lead, one.destination.fallback_template_id)
        return "MESSAGE_WINDOW_EXPIRED"

    def template(self, lead: _SlowLead, template_id: str | None) -> str | None:
        found = self.model.templates.get(template_id or "")
        if found is None or found.status != "APPROVED":
            return "132001"
        if len({(one.component, one.name) for one in found.params}) < len(found.params):
            return "132000"
        for one in found.params:
            source = self.names.resolve(one.source) if one.source else None
            value = lead.value.get(source) if source in self.model.properties else one.source
            if value in {None, ""} and not one.fallback:
                return "131008"
        return None

    def classes(self, lead: _SlowLead, one: FollowUp, minute: int, failure: str | None, *, again: bool) -> list[str]:
        found = []
        later = [each.entry_stamp_id for each in self.model.downstream(one.stage_id)]
        if any(lead.value.get(each) is True for each in later):
            found.append("CROSS_STAGE")
        elif any(lead.truth.get(each) is True for each in later):
            found.append("LAG_CROSS")
        found += self.stopped(lead)
        found += ["WINDOW_FAIL"] if failure in {"MESSAGE_WINDOW_EXPIRED", "131047"} else []
        found += ["TEMPLATE_FAIL"] if failure in {"131008", "132000", "132001"} else []
        found += ["DUPLICATE"] if again else []
        earlier = sum(each[1] == one.id for each in lead.messages)
        if one.repeat is not None and earlier:
            most = one.repeat.max_repeats
            if (most is None and one.max_age is None) or (most is not None and earlier > most):
                found.append("REPEAT_OVERRUN")
        return found + (["CAP_BREACH"] if self.capped(lead, minute) else [])

    def stopped(self, lead: _SlowLead) -> list[str]:
        if lead.dropped:
            return ["POST_STOP"]
        lag = False
        for stop in self.model.stop_ids:
            known = self.model.properties.get(stop)
            if lead.value.get(stop) is True:
                return ["POST_STOP"]
            if lead.truth.get(stop) is True:
                alive = known is not None and known.set_by == "EVALUATOR" and known.include_in_llm
                if not alive or stop in lead.frozen:
                    return ["POST_STOP"]
                lag = True
        return ["LAG_POST_STOP"] if lag else []

    # the end

    def finish(self, lead: _SlowLead) -> None:
        for stage in self.model.stages:
            self.burst(lead, [one for one in lead.messages if one[2] == stage.id])
        for one in self.follow_ups():
            if one.id in lead.blocks and not any(each[1] == one.id for each in lead.messages):
                reason = Counter(lead.blocks[one.id]).most_common(1)[0][0]
                more = {"reason": reason, "cause": self.cause(lead, reason)}
                self.silent.append({"lead": lead.given.id, "followUp": one.id} | more)
                place = {"t": lead.first_block[one.id], "lead": lead.given.id}
                self.events.append(place | {"class": "SILENT_NO_FIRE", "followUps": [one.id]} | more)

    def burst(self, lead: _SlowLead, messages: list[tuple[int, str, str, str | None]]) -> None:
        groups: list[list[tuple[int, str, str, str | None]]] = []
        for one in messages:
            if groups and one[0] - groups[-1][-1][0] < self.rt.min_stagger:
                groups[-1].append(one)
            else:
                groups.append([one])
        for group in groups:
            names = sorted({one[1] for one in group})
            if len(names) > 1:
                place = {"t": group[-1][0], "lead": lead.given.id}
                self.events.append(place | {"class": "SAME_STAGE_BURST", "followUps": names})

    def cause(self, lead: _SlowLead, reason: str) -> str:
        if not reason.startswith("CONDITION:"):
            return reason
        property_id = reason.split(":")[1]
        known = self.model.properties.get(property_id)
        if known is None:
            return "UNKNOWN_PROPERTY"
        value = lead.truth.get(property_id)
        if value is not None and value != lead.value.get(property_id):
            if property_id in lead.frozen:
                return "FROZEN"
            if known.set_by == "EVALUATOR" and not known.include_in_llm:
                return "PIPELINE_OFF"
            if known.set_by == "AGENT":
                return "NOT_WRITTEN"
        return "NULL" if reason.endswith(":NULL") else "CONDITION"


def identical(one: Any, other: Any) -> bool:
    """Equal, and both booleans or neither."""
    return one == other and (type(one) is bool) == (type(other) is bool)


def written(value: Any) -> str:
    """A value as JSON has it, and NULL."""
    if value is None or isinstance(value, bool):
        return {None: "NULL", True: "true", False: "false"}[value]
    return f'"{value}"' if isinstance(value, str) else str(value)


def is_true(lead: _SlowLead, property_id: str) -> bool:
    """True in truth or as stamped."""
    return lead.truth.get(property_id) is True or lead.value.get(property_id) is True


def slow_simulate(model: Model, scenario: Scenario) -> dict[str, Any]:
    """The timeline's document, the slow way."""
    return _SlowSimulator(model, scenario).run()
