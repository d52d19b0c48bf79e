"""A timeline of one lead in the making: what happens when, so that values are stamped when they should be."""

from __future__ import annotations

from datetime import datetime, timedelta

from mindloop.sequence import words
from mindloop.sequence.proving.bounds import up
from mindloop.sequence.proving.execution import LEAD
from mindloop.sequence.proving.reach import AT_ONCE, NEVER, written
from mindloop.sequence.scenario import EPOCH, instant
from mindloop.sequence.zones import zone_named
from mindloop.store.errors import MindloopError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.sequence.model import FollowUp, Model, Value

_DAY = 1440
_MOST_MINUTES = 52_560_000


class Story:
    """What happens to a lead.

    Attributes:
        begin: the first minute at which stamps count for all of the follow-ups it is about.
        runtime: engine facts that differ from the model's.
    """

    __slots__ = ("_about", "_aligned", "_events", "_rows", "begin", "model", "runtime")

    def __init__(self, model: Model, *about: FollowUp, **runtime: Any) -> None:
        self.model = model
        self.runtime = runtime
        self._about = about
        self._events: list[dict[str, Any]] = []
        self._rows: dict[str, Any] = {}
        self._aligned: tuple[int, str] | None = None
        since = [one.active_from for one in about if isinstance(one.active_from, int)]
        self.begin = max([0, *since])

    def event(self, minute: int, kind: str, **more: Any) -> None:
        """Anything that happens."""
        self._events.append({"t": max(minute, 0), "type": kind, **more})

    def inbound(self, minute: int) -> None:
        """The lead writes, and where that matters the agent answers."""
        self.event(minute, "INBOUND")
        if self.model.runtime.needs_attention_policy == words.LEAD_SPOKE_LAST:
            self.event(minute, "AGENT_OUT")

    def truth(self, minute: int, property_id: str, value: Value) -> None:
        """From that minute on something is so."""
        self.event(minute, "TRUTH", propertyId=property_id, value=value)

    def state(self, minute: int, values: dict[str, Any], *, rows: bool = False) -> None:
        """These values become the lead's: by what happens, or as rows that the lead comes with.

        What is never written can only have been there before.
        """
        limited = {one.property_id for limit in self.model.contact_limits for one in limit.conditions}
        for name, value in values.items():
            known = self.model.properties.get(name)
            before = rows or written(known) == NEVER or (minute == 0 and name in limited)
            if known is not None and before:
                self._rows[name] = value
            else:
                self.truth(minute, name, value)

    def stamped(self, minute: int, property_id: str, value: Value) -> int:
        """A value is stamped at that minute or the next that it can be; returns which."""
        at = self.next_stamp(minute, property_id)
        how = written(self.model.properties.get(property_id))
        if how == NEVER:
            self._rows[property_id] = value
        else:
            self.truth(at if how == AT_ONCE else at - self.model.runtime.evaluator_run, property_id, value)
        return at

    def next_stamp(self, minute: int, property_id: str) -> int:
        """The first minute from one on at which a value can be stamped."""
        how = written(self.model.properties.get(property_id))
        runtime = self.model.runtime
        if how == NEVER:
            return 0
        minute = max(minute, 0)
        if how == AT_ONCE:
            return minute
        return up(max(minute - runtime.evaluator_run, 0), runtime.evaluator_batch) + runtime.evaluator_run

    def align(self, minute: int, edge: str) -> None:
        """Let quiet hours ``end`` or ``start`` at that minute, where there are any."""
        self._aligned = (minute, edge)

    @property
    def last(self) -> int:
        """The minute of the last event."""
        return max((one["t"] for one in self._events), default=0)

    def patience(self) -> int:
        """Minutes after the last event within which whatever it leads to has happened."""
        runtime, agent = self.model.runtime, self.model.agent
        waits = max([0, *(max(one.offset or 0, one.silence or 0) for one in self._about)])
        held = (2 * _DAY if runtime.quiet_hours else 0) + 2 * (agent.min_between or 0)
        held += 2 * _DAY if agent.max_per_24h else 0
        return waits + held + 2 * (runtime.evaluator_batch + runtime.evaluator_run + runtime.runner_tick)

    def document(self, more: int = 0) -> dict[str, Any]:
        """The scenario; ``more`` minutes are waited beyond the usual."""
        horizon = min(self.last + self.patience() + more, _MOST_MINUTES)
        lead: dict[str, Any] = {"id": LEAD}
        made: dict[str, Any] = {"horizonMinutes": horizon}
        if self.runtime:
            made["runtime"] = dict(self.runtime)
        epoch = self._epoch()
        if epoch:
            made["epoch"] = epoch
        quiet = self.model.runtime.quiet_hours
        if quiet and quiet.tz == "LEAD":
            lead["timezone"] = "UTC"
        if self._rows:
            lead["properties"] = dict(self._rows)
        lead["events"] = sorted(self._events, key=lambda one: int(one["t"]))
        return made | {"leads": [lead]}

    def _epoch(self) -> str | None:
        """An instant for minute 0: after every activeFrom, and with quiet hours where they should be."""
        quiet = self.model.runtime.quiet_hours
        since = [one.active_from for one in self._about if isinstance(one.active_from, str)]
        if not quiet and not since:
            return None
        try:
            day = max([instant(EPOCH, "epoch"), *(instant(one, "activeFrom") for one in since)])
        except MindloopError:
            return None
        if since:
            day = day.replace(hour=0, minute=0) + timedelta(days=1)
        if quiet and self._aligned:
            hours, minutes = (quiet.end if self._aligned[1] == "end" else quiet.start).split(":")
            shift = int(hours) * 60 + int(minutes) - self._aligned[0] - self._offset(day)
            day += timedelta(minutes=shift % _DAY)
        return day.strftime("%Y-%m-%dT%H:%M:%SZ")

    def _offset(self, day: datetime) -> int:
        """Minutes by which the clock that quiet hours follow is ahead of UTC."""
        quiet = self.model.runtime.quiet_hours
        if quiet is None or quiet.tz == "LEAD":
            return 0
        zone = zone_named(self.model.agent.timezone)
        ahead = day.astimezone(zone).utcoffset() if zone else None
        return int(ahead.total_seconds() // 60) if ahead else 0
