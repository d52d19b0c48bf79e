"""Why a follow-up did or did not go out to one lead: what each look said, where that changed, what blocked most."""

from __future__ import annotations

from difflib import get_close_matches

from mindloop.sequence.simulator import classes, terms
from mindloop.sequence.simulator.engine import Engine
from mindloop.store.errors import WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from mindloop.sequence.model import Model
    from mindloop.sequence.scenario import Scenario
    from mindloop.sequence.simulator.lead import Lead


class Explanation:
    """What became of one follow-up for one lead.

    Attributes:
        fired: (minute, status, reason) of each message.
        blocks: for each stretch of looks that said the same: from, to (its last look), reason, by_null, looks.
        dominant: the block that held most looks while the lead should have got it, with its cause; where the lead was
            never due any, the one that held most looks at all. None where it fired.
        asked: what the look at or before the minute asked about said; None where no minute was asked about.
    """

    __slots__ = ("asked", "blocks", "dominant", "fired", "follow_up", "lead")

    def __init__(self, lead: str, follow_up: str) -> None:
        self.lead = lead
        self.follow_up = follow_up
        self.fired: list[dict[str, Any]] = []
        self.blocks: list[dict[str, Any]] = []
        self.dominant: dict[str, Any] | None = None
        self.asked: dict[str, Any] | None = None

    def as_document(self) -> dict[str, Any]:
        """The parts in their fixed order."""
        return {
            "lead": self.lead,
            "followUp": self.follow_up,
            "fired": self.fired,
            "at": self.asked,
            "blocks": self.blocks,
            "dominant": self.dominant,
        }


def explain(model: Model, scenario: Scenario, lead: str, follow_up: str, at: int | None = None) -> Explanation:
    """Say whether and when a follow-up went out to a lead, and which gate was the first that did not let it.

    Args:
        model: the set of workflows.
        scenario: what happens.
        lead: the lead's id.
        follow_up: the follow-up's id.
        at: a minute to be told about besides, or None.

    Raises:
        WrongInput: there is no such lead or follow-up, or the minute lies outside the scenario.
    """
    given = {one.id: one for one in scenario.leads}
    _must_be(lead, given, "lead")
    _must_be(follow_up, [one.id for one in model.follow_ups], "follow-up")
    if at is not None and not 0 <= at <= scenario.horizon:
        raise WrongInput(f"minute {at}: the scenario has minutes 0 to {scenario.horizon}", "Ask about one of them.")
    engine = Engine(model, scenario, keep_looking=True)
    went = engine.run(given[lead])
    index = next(rule.index for rule in engine.last.rules if rule.id == follow_up)
    made = Explanation(lead, follow_up)
    made.fired = list(_fired(went, index))
    made.blocks = list(_blocks(engine, went, index))
    if not made.fired:
        made.dominant = _dominant(engine, went, index)
    if at is not None:
        made.asked = _asked(made, at)
    return made


def _must_be(name: str, known: Iterable[str], what: str) -> None:
    names = list(known)
    if name not in names:
        near = get_close_matches(name, names, 3) or sorted(names)[:8]
        raise WrongInput(f"no {what} {name[:80]!r}", f"There is: {', '.join(near)[:300] or 'none'}")


def _fired(lead: Lead, index: int) -> Iterator[dict[str, Any]]:
    for minute, which, _, failure in lead.sent:
        if which == index:
            status = terms.OK if failure is None else terms.FAILED
            yield {"t": minute, "status": status, "reason": failure}


def _blocks(engine: Engine, lead: Lead, index: int) -> Iterator[dict[str, Any]]:
    looks = lead.looks[index]
    for at, (tick, reason, entitled) in enumerate(looks):
        end = looks[at + 1][0] if at + 1 < len(looks) else engine.end
        count = engine.ticks.count(tick, end)
        if reason is not None and count:
            yield {
                "from": tick,
                "to": engine.ticks.last(end),
                "reason": str(reason),
                "byNull": getattr(reason, "by_null", False),
                "entitled": entitled,
                "looks": count,
            }


def _dominant(engine: Engine, lead: Lead, index: int) -> dict[str, Any] | None:
    looks = lead.looks[index]
    entitled = classes.dominant(looks, engine.ticks.count, engine.end, entitled=True)
    found = entitled or classes.dominant(looks, engine.ticks.count, engine.end, entitled=False)
    if found is None:
        return None
    _, reason = found
    return {
        "reason": str(reason),
        "byNull": getattr(reason, "by_null", False),
        "cause": classes.cause(lead, engine.last, reason),
        "entitled": entitled is not None,
    }


def _asked(made: Explanation, at: int) -> dict[str, Any]:
    """The last look at or before a minute: a message, or a block; neither where the runner had not looked yet."""
    sent = [one for one in made.fired if one["t"] <= at]
    blocked = [one for one in made.blocks if one["from"] <= at]
    if sent and (not blocked or blocked[-1]["from"] <= sent[-1]["t"]):
        return {"t": sent[-1]["t"], "fired": True, "reason": None, "byNull": False}
    if not blocked:
        return {"t": None, "fired": False, "reason": None, "byNull": False}
    last = blocked[-1]
    return {"t": min(at, last["to"]), "fired": False, "reason": last["reason"], "byNull": last["byNull"]}
