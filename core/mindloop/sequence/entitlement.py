"""Who was owed a follow-up: when it fell due, when the lead left the stage (follow-up-sequences, section 8).

Seconds everywhere; an instant that never comes is None.
"""

from __future__ import annotations

from bisect import bisect_right

from mindloop.sequence import words
from mindloop.sequence.instants import MINUTE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mindloop.sequence.model import FollowUp, Model, Stage

    Times = dict[int, int]


class History:
    """What the property history says: per property and lead the first true, and the first write of any value.

    Attributes:
        first_true: property id to lead to instant.
        first_write: the same for values that are not NULL; kept where the model's setAt policy asks for it.
        inbound: lead to the instants at which it wrote, in order; None where the export does not tell.
    """

    __slots__ = ("_later", "_live", "_stops", "first_true", "first_write", "inbound", "model")

    def __init__(self, model: Model) -> None:
        self.model = model
        gates = {*(stage.entry_stamp_id for stage in model.stages), *model.stop_ids}
        gates.update(one.anchor for one in model.follow_ups if one.anchor)
        self.first_true: dict[str, Times] = {gate: {} for gate in sorted(gates)}
        self.first_write: dict[str, Times] = {gate: {} for gate in self.first_true}
        self.inbound: dict[int, Sequence[int]] | None = None
        self._stops: Times = {}
        self._later = {
            stage.id: [self.first_true[later.entry_stamp_id] for later in model.downstream(stage.id)]
            for stage in model.stages
        }
        self._live = {stage.id: model.of_stage(stage.id) for stage in model.stages}

    def settle(self) -> None:
        """Call it when all stamps are read, before anything is asked."""
        for stop in self.model.stop_ids:
            for lead, at in self.first_true[stop].items():
                self._stops[lead] = min(at, self._stops.get(lead, at))

    def exits(self, stage: Stage, lead: int) -> int | None:
        """The first downstream stamp or stop of a lead: from then on nothing of the stage may be sent."""
        found = self._stops.get(lead)
        for stamped in self._later[stage.id]:
            at = stamped.get(lead)
            if at is not None and (found is None or at < found):
                found = at
        return found

    def due(self, stage: Stage, lead: int) -> int | None:
        """The first tick at which one of the stage's live follow-ups is due to a lead that has entered."""
        dues = [self._due(one, stage, lead) for one in self._live[stage.id]]
        return min((at for at in dues if at is not None), default=None)

    def _due(self, follow_up: FollowUp, stage: Stage, lead: int) -> int | None:
        start = self.first_true[stage.entry_stamp_id].get(lead)
        if start is None:
            return None
        if follow_up.anchor:
            anchor = self._set_at(follow_up.anchor, lead)
            if anchor is None:
                return None
            start = max(start, anchor + (follow_up.offset or 0) * MINUTE)
        return self._silent_from(lead, start, (follow_up.silence or 0) * MINUTE)

    def _set_at(self, property_id: str, lead: int) -> int | None:
        by_first_write = self.model.runtime.set_at_policy == words.FIRST_WRITE
        return (self.first_write if by_first_write else self.first_true)[property_id].get(lead)

    def _silent_from(self, lead: int, start: int, silence: int) -> int | None:
        """The first tick from ``start`` on at which the lead has been silent for long enough."""
        tick = self.model.runtime.runner_tick * MINUTE
        at = _rounded_up(start, tick)
        if not silence or self.inbound is None:
            return at
        inbound = self.inbound.get(lead, ())
        for since in self._candidates(inbound, at):
            at = max(at, _rounded_up(since + silence, tick))
            following = bisect_right(inbound, since)
            if following == len(inbound) or inbound[following] > at:
                return at
        return None

    def _candidates(self, inbound: Sequence[int], at: int) -> Iterator[int]:
        """The last inbound before ``at``, then each later one; without any, the policy decides."""
        first = bisect_right(inbound, at)
        if not first and self.model.runtime.no_inbound_policy != words.BLOCK:
            yield -(1 << 60)
        yield from inbound[max(first - 1, 0) :]


def _rounded_up(seconds: int, tick: int) -> int:
    return -(-seconds // tick) * tick
