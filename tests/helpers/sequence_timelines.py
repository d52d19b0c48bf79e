"""Damaged models and random timelines within the assumptions of a proof, from a seed."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from tests.helpers.sequences import STAMPS, STOPS, a_follow_up, a_property, base_model

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from mindloop.sequence.model import Model

    Document = dict[str, Any]

NAMES = (*STAMPS, *STOPS, "vip")
OPERATORS = ("EQUALS", "NOT_EQUALS", "IS_SET", "IS_NOT_SET", "GREATER_THAN")
MINUTES = (None, 0, 1, 15, 20, 21, 30, 33, 34, 35, 48, 50, 120, 1405, 1410, 1436, 1439, 1440, 2880, -5)


def wide_model() -> Document:
    """M0 with a property beside the funnel and a second follow-up in its second stage."""
    made = base_model()
    made["properties"].append(a_property("vip"))
    made["followUps"].append(a_follow_up("e1_90", 1, 90, 95))
    return made


def _literal(r: random.Random, made: Document) -> None:
    conditions = r.choice(made["followUps"])["propertyConditions"]
    if conditions and r.random() < 0.6:
        conditions.pop(r.randrange(len(conditions)))
    elif conditions and r.random() < 0.7:
        key, values = r.choice([("operator", OPERATORS), ("value", (True, False, "true", 1)), ("propertyId", NAMES)])
        r.choice(conditions)[key] = r.choice(values)
    else:
        conditions.append({"propertyId": r.choice(NAMES), "operator": r.choice(OPERATORS[:2]), "value": True})


def _clock(r: random.Random, made: Document) -> None:
    one = r.choice(made["followUps"])
    choices: dict[str, tuple[Any, ...]] = {
        "delayTriggerPropertyId": (*NAMES, None, None, "gone"),
        "delayMinutesAfterPropertySet": MINUTES,
        "minMinutesSinceLastInbound": MINUTES,
        "maxAgeMinutes": (10, 60, 2000),
        "activeFrom": (0, 30, "2026-02-01T10:00:00Z"),
        "repeat": (
            {"intervalMinutes": 60},
            {"intervalMinutes": 25, "maxRepeats": 2},
            {"intervalMinutes": 700, "maxRepeats": 3},
        ),
    }
    key = r.choice(["delayMinutesAfterPropertySet", "minMinutesSinceLastInbound", *choices])
    one[key] = r.choice(choices[key])


def _flag(r: random.Random, made: Document) -> None:
    choices: dict[str, tuple[Any, ...]] = {
        "checkUntilMatch": (False,),
        "terminalValue": (False, None, "x"),
        "includeInLlm": (False,),
        "earlyFalse": (True,),
        "setBy": ("AGENT", "INTEGRATION", "HUMAN"),
        "type": ("STRING", "NUMBER"),
    }
    key = r.choice(list(choices))
    r.choice(made["properties"])[key] = r.choice(choices[key])


def _engine(r: random.Random, made: Document) -> None:
    choices: dict[str, tuple[Any, ...]] = {
        "runnerTickMinutes": (1, 3, 5, 7, 10),
        "evaluatorBatchMinutes": (1, 10, 30, 90),
        "evaluatorRunMinutes": (0, 2, 11, 45),
        "agentReplyMinutes": (0, 2, 9),
        "minStaggerMinutes": (1, 5, 15, 30),
        "setAtPolicy": ("FIRST_WRITE", "EVERY_WRITE"),
        "needsAttentionPolicy": ("LEAD_SPOKE_LAST",),
        "nullSemantics": ("SQL_STRICT",),
        "noInboundPolicy": ("ALLOW",),
        "sendsPerTick": ("ONE_PER_LEAD",),
        "quietHours": ({"start": "20:00", "end": "08:00", "tz": "LEAD"}, {"start": "20:00", "end": "08:00"}),
    }
    key = r.choice(list(choices))
    made["runtime"][key] = r.choice(choices[key])


def _whole(r: random.Random, made: Document) -> None:
    one = r.choice(made["followUps"])
    what = r.randrange(7)
    if what == 0:
        one["active"] = False
    elif what == 1:
        reason = {"id": f"r{len(made['dropOutReasons'])}", "agentOutcome": r.choice(["REPLY", "NO_RESPONSE"])}
        made["dropOutReasons"].append(reason | {"stopPropertyId": r.choice([None, "vip", "gone"])})
    elif what == 2 and len(made["stops"]) == len(STOPS):
        made["stops"].append({"propertyId": r.choice(["vip", "gone"])})
    elif what == 3:
        one["stageId"] = r.choice(["s0", "s1", "s2", "nowhere"])
    elif what == 4:
        names = r.sample(NAMES, 2)
        limits = [{"propertyId": name, "operator": "EQUALS", "value": True} for name in names]
        made["contactLimits"] = [{"id": "l", "propertyConditions": limits[: r.randint(1, 2)]}]
    elif what == 5:
        one["channel"] = r.choice(["INSTAGRAM", "WEB", None])
    elif len(made["properties"]) > 2:
        made["properties"].remove(r.choice(made["properties"]))


def _held(r: random.Random, made: Document) -> None:
    """Quiet hours, caps, repeats, ages and zones, alone or together."""
    night = {
        "start": r.choice(["20:00", "07:10", "07:30", "00:00", "12:00"]),
        "end": "08:00",
        "tz": r.choice(["LEAD", "AGENT"]),
        "onUnknownTz": r.choice(["BLOCK", "SEND"]),
        "release": r.choice(["FLUSH", "COLLAPSE"]),
    }
    while True:
        if r.random() < 0.6:
            made["runtime"]["quietHours"] = night
        if r.random() < 0.3:
            made["agent"]["maxFollowUpsPerLeadPer24h"] = r.choice([1, 2, 3, 5, 9])
        if r.random() < 0.3:
            made["agent"]["minMinutesBetweenFollowUps"] = r.choice([1, 10, 30, 60, 700, 1400])
        if r.random() < 0.3:
            repeat = {"intervalMinutes": r.choice([25, 60, 400, 700, 800]), "maxRepeats": r.choice([1, 2, 3])}
            r.choice(made["followUps"])["repeat"] = repeat
        if r.random() < 0.3:
            r.choice(made["followUps"])["maxAgeMinutes"] = r.choice([1, 3, 4, 9, 60, 700, 730, 2000])
        made["agent"]["timezone"] = r.choice(["UTC", "Asia/Kathmandu", "America/New_York", None])
        if r.random() < 0.8:
            return


def held(r: random.Random) -> Document:
    """A sound model that holds messages up by itself."""
    made = sound(r)
    _held(r, made)
    return made


DAMAGES: tuple[Callable[[random.Random, Document], None], ...] = (_literal, _literal, _clock, _flag, _engine, _whole)


def damaged(r: random.Random, most: int = 4) -> Document:
    """The wide model with one to ``most`` things changed, for the worse or not."""
    made = copy.deepcopy(wide_model())
    for _ in range(r.randint(1, most)):
        r.choice(DAMAGES)(r, made)
    return made


def sound(r: random.Random, *, near: bool = False) -> Document:
    """A conformant model of another shape: other engine facts, offsets, silences.

    Where ``near``, distances and silences lie around what is just enough, on either side.
    """
    made = wide_model()
    tick, batch = r.choice([1, 3, 5, 7, 10]), r.choice([1, 5, 10, 30, 60])
    run, reply = r.choice([0, 1, 2, 7]), r.choice([0, 2, 5])
    stagger = r.choice([1, 10, 15, 30])
    made["runtime"] |= {
        "runnerTickMinutes": tick,
        "evaluatorBatchMinutes": batch,
        "evaluatorRunMinutes": run,
        "agentReplyMinutes": reply,
        "minStaggerMinutes": stagger,
        "sendsPerTick": r.choice(["ALL", "ONE_PER_LEAD"]),
        "noInboundPolicy": r.choice(["BLOCK", "ALLOW"]),
        "needsAttentionPolicy": r.choice(["EXPLICIT", "LEAD_SPOKE_LAST"]),
    }
    last: dict[str, tuple[int, int]] = {}
    for one in made["followUps"]:
        offset, silence = last.get(one["stageId"], (r.randint(1, 60), r.randint(0, 9) + reply + batch + run))
        one |= {"delayMinutesAfterPropertySet": offset, "minMinutesSinceLastInbound": silence}
        step = stagger + (r.randint(-tick, tick) if near else tick + r.randint(0, 40))
        last[one["stageId"]] = (offset + step, silence + step + r.randint(0, 9))
        one["minMinutesSinceLastInbound"] -= r.randint(0, 4) if near else 0
    for one in made["properties"]:
        one["setBy"] = r.choice(["EVALUATOR", "EVALUATOR", "INTEGRATION"])
        one["earlyFalse"] = r.random() < 0.2
    return made


def timeline(r: random.Random, model: Model, horizon: int = 900) -> Document:
    """A lead who writes at random, advances, skips, drops out; whatever happens was caused by a message.

    What is beside the funnel is so from the beginning, nothing is taken back, nothing holds messages up.
    """
    events: list[Document] = []
    reply, batch = model.runtime.agent_reply, model.runtime.evaluator_batch
    answered = model.runtime.needs_attention_policy == "LEAD_SPOKE_LAST"
    waits = [one.silence for one in model.follow_ups if one.silence and 0 < one.silence < horizon] or [30]
    rare, minute = r.choice([0.1, 0.4, 0.8]), r.randint(0, 40)
    if model.runtime.set_at_policy == "TRUE_TRANSITION":
        no = r.sample((*STAMPS, *STOPS), r.choice([0, 0, 3, 6]))
        events += [{"t": minute, "type": "TRUTH", "propertyId": name, "value": False} for name in no]
    first = True
    while minute < horizon and len(events) < 40:
        delay = r.randint(0, reply)
        if r.random() < 0.5:
            delay, minute = reply, -(-minute // batch) * batch + max(1, batch - reply) + r.choice([0, 1, 1, 1])
        events.append({"t": minute, "type": "INBOUND"})
        if answered:
            events.append({"t": minute, "type": "AGENT_OUT"})
        if first or r.random() < rare:
            name = STAMPS[0] if first else r.choice(STAMPS if r.random() < 0.8 else STOPS)
            events.append({"t": minute + delay, "type": "TRUTH", "propertyId": name, "value": True})
        first = False
        minute += r.choice([r.randint(1, 20), r.randint(1, 200), max(1, r.choice(waits) + r.randint(-12, 12))])
    kinds = {one.id: one.type for one in model.properties.values()}
    events = [one for one in events if kinds.get(one.get("propertyId", ""), "BOOLEAN") == "BOOLEAN"]
    lead: Document = {"id": "l1", "events": sorted(events, key=lambda one: int(one["t"]))}
    if r.random() < 0.3 and "vip" in model.properties and model.properties["vip"].type == "BOOLEAN":
        lead["properties"] = {"vip": r.random() < 0.7}
    made: Document = {"horizonMinutes": horizon, "leads": [lead]}
    zone = r.choice(["UTC", "UTC", "Asia/Kathmandu", "Pacific/Honolulu", None])
    if zone:
        lead["timezone"] = zone
    if model.runtime.quiet_hours or model.agent.max_per_24h or model.agent.min_between:
        made["horizonMinutes"] = horizon + r.choice([0, 1440, 4320])
        made["epoch"] = f"2026-01-05T{r.randrange(24):02d}:{r.randrange(60):02d}:00Z"
    if any(isinstance(one.active_from, str) for one in model.follow_ups):
        made["epoch"] = "2026-03-02T00:00:00Z"
    return made
