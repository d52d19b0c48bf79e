"""Proves a set: nine obligations decided without running anything, and for what does not hold a timeline that was run.

What is promised holds for every lead and every timeline within the assumptions, which are part of the result. Where the
engine may work in more than one way, an obligation says under which other way its verdict would differ.
"""

from __future__ import annotations

from itertools import islice

from mindloop.sequence import words
from mindloop.sequence.findings import listed
from mindloop.sequence.proving.execution import shown
from mindloop.sequence.proving.obligations import CLAIMS, sensitive
from mindloop.sequence.proving.reach import AT_ONCE, Reach, written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from mindloop.sequence.model import Model
    from mindloop.sequence.proving.obligations import Claim, Refutation

_MOST_COUNTED = 1000
_MOST_TOLD = 20
_MOST_TRIED = 6
"""Refutations that are tried until a timeline shows one."""
_OF_STATES, _OF_CLOCKS = frozenset(("P1", "P2", "P3", "P8")), frozenset(("P1", "P3", "P4"))
"""What NULL matters to, and what 'set' matters to."""


class Obligation:
    """One of P1 to P9.

    Attributes:
        holds: for every lead and timeline within the assumptions.
        bound: numbers, and what they are; ``None`` in it is without end.
        depends_on: rules of the check whose findings refute it.
        refuted_by: what goes wrong, a sentence each; the first 20 of ``refutations``.
        witness: ``{"state", "followUps", "text", ...}`` of the one that is shown, or None.
        timeline: a scenario, made small, or None; ``shows`` is what it shows.
        reproduced: whether the simulator showed it.
        under: engine facts under which the verdict differs: ``{"nullSemantics"|...: value, "holds"}``.
        waived: waivers of rules that it depends on.
        premises: what it needs besides the assumptions of all: without them it is not claimed.
    """

    __slots__ = (
        "bound",
        "depends_on",
        "holds",
        "id",
        "name",
        "premises",
        "refutations",
        "refuted_by",
        "reproduced",
        "shows",
        "statement",
        "timeline",
        "under",
        "waived",
        "witness",
    )

    def __init__(self, claim: Claim, bound: dict[str, Any], refutations: list[Refutation]) -> None:
        self.id = claim.id
        self.name = claim.name
        self.statement = claim.statement
        self.depends_on = list(claim.depends_on)
        self.bound = bound
        self.holds = not refutations
        self.refutations = len(refutations)
        self.refuted_by = [one.text for one in refutations[:_MOST_TOLD]]
        self.witness: dict[str, Any] | None = None
        self.timeline: dict[str, Any] | None = None
        self.shows: dict[str, Any] | None = None
        self.reproduced = False
        self.under: list[dict[str, Any]] = []
        self.waived: list[dict[str, Any]] = []
        self.premises: list[str] = []

    def as_json(self) -> dict[str, Any]:
        """The parts in their fixed order."""
        return {
            "id": self.id,
            "name": self.name,
            "statement": self.statement,
            "holds": self.holds,
            "bound": self.bound,
            "dependsOn": self.depends_on,
            "refutations": self.refutations,
            "refutedBy": self.refuted_by,
            "witness": self.witness,
            "timeline": self.timeline,
            "shows": self.shows,
            "reproduced": self.reproduced,
            "under": self.under,
            "waived": self.waived,
            "premises": self.premises,
        }


class Proof:
    """What came of it.

    Attributes:
        obligations: P1 to P9.
        assumptions: what all of it rests on, a sentence each.
        conclusion: what follows for every lead, ``{"statement", "holds", "needs"}`` each; said where ``holds`` alone.
    """

    __slots__ = ("assumptions", "conclusion", "obligations")

    def __init__(self, obligations: list[Obligation], assumptions: list[str], conclusion: list[dict[str, Any]]) -> None:
        self.obligations = obligations
        self.assumptions = assumptions
        self.conclusion = conclusion

    @property
    def ok(self) -> bool:
        """Whether every obligation holds."""
        return all(one.holds for one in self.obligations)

    def as_json(self) -> dict[str, Any]:
        """The parts in their fixed order."""
        return {
            "ok": self.ok,
            "obligations": [one.as_json() for one in self.obligations],
            "assumptions": self.assumptions,
            "conclusion": self.conclusion,
        }


def prove(model: Model, *, today: str) -> Proof:
    """Decide P1 to P9.

    Args:
        model: any that loads.
        today: ``YYYY-MM-DD``, for waivers.
    """
    reach = Reach(model)
    obligations = [_decided(claim, reach) for claim in CLAIMS]
    for claim, one in zip(CLAIMS, obligations, strict=True):
        one.under = list(_under(claim, model, holds=one.holds))
        one.waived = list(_waived(model, one.depends_on, today))
        one.premises = list(_premises(model, one.id)) if one.holds else []
    return Proof(obligations, list(_assumptions(model)), list(_conclusion(reach, obligations)))


def refutations(model: Model) -> Iterator[tuple[str, Refutation]]:
    """Everything that refutes an obligation, with its id; for tests and tools that want all timelines."""
    reach = Reach(model)
    for claim in CLAIMS:
        for one in claim.refutations(reach):
            yield claim.id, one


def _decided(claim: Claim, reach: Reach) -> Obligation:
    found = list(islice(claim.refutations(reach), _MOST_COUNTED))
    made = Obligation(claim, claim.bound(reach), found)
    for one in found[:_MOST_TRIED]:
        ran = shown(reach.model, one.attempts(), one.follow_ups)
        if made.witness is None or ran is not None:
            made.witness = {"text": one.text, "followUps": one.follow_ups, "state": one.state} | one.detail
        if ran is not None:
            made.timeline, made.shows, made.reproduced = ran["scenario"], ran["shows"], True
            break
    return made


def _under(claim: Claim, model: Model, *, holds: bool) -> Iterator[dict[str, Any]]:
    """Other ways of the engine under which the verdict is another (X8, X18)."""
    runtime = model.runtime
    if claim.id in _OF_STATES:
        for semantics in (words.PLATFORM, words.SQL_STRICT):
            if semantics != runtime.null_semantics:
                yield from _differs(claim, Reach(model, semantics), "nullSemantics", semantics, holds=holds)
    if claim.id in _OF_CLOCKS and sensitive(Reach(model)):
        for policy in words.SET_AT_POLICIES:
            if policy != runtime.set_at_policy:
                yield from _differs(claim, Reach(model, None, policy), "setAtPolicy", policy, holds=holds)
    if claim.id == "P2":
        for attention in (words.EXPLICIT, words.LEAD_SPOKE_LAST):
            if attention != runtime.needs_attention_policy:
                reach = Reach(model, needs_attention=attention)
                yield from _differs(claim, reach, "needsAttentionPolicy", attention, holds=holds)


def _differs(claim: Claim, reach: Reach, fact: str, value: str, *, holds: bool) -> Iterator[dict[str, Any]]:
    other = next(claim.refutations(reach), None)
    if (other is None) != holds:
        yield {fact: value, "holds": other is None} | ({"text": other.text} if other else {})


def _premises(model: Model, id: str) -> Iterator[str]:
    """What the set itself may bring about and an obligation does not cover."""
    if id == "P4" and _caps_may_release(model):
        yield "The agent's own caps hold no message back and then let it go (X4)."
    if id == "P3" and _has_caps(model) and any(one.is_live and one.max_age is not None for one in model.follow_ups):
        yield "The agent's own caps hold no message back until it is too old."


def _caps_may_release(model: Model) -> bool:
    """Whether a cap may let two messages go closer together than the stagger."""
    agent = model.agent
    kept_apart = agent.max_per_24h == 1 or (agent.min_between or 0) >= model.runtime.min_stagger
    return _has_caps(model) and not kept_apart


def _has_caps(model: Model) -> bool:
    return bool(model.agent.max_per_24h or model.agent.min_between)


def _waived(model: Model, rules: Iterable[str], today: str) -> Iterator[dict[str, Any]]:
    for waiver in model.waivers:
        if waiver.rule in rules and waiver.expires >= today:
            yield {"rule": waiver.rule, "target": waiver.target, "expires": waiver.expires}


def _assumptions(model: Model) -> Iterator[str]:
    runtime = model.runtime
    yield "The evaluator does not miss: what is true in the conversation is answered true in the next batch."
    yield "A value is of its property's type, and what is true is not taken back."
    yield (
        "What advances, declines or converts a lead was caused by an inbound message in this chat; a payment on a web "
        "page is not, take such a fact from an integration (X13)."
    )
    yield f"What the agent does about a message it does within {runtime.agent_reply} minutes of it."
    yield (
        "Nothing holds a message up and then lets it go: needs_attention, an outage, a cap, a follow-up turned on, a "
        "condition beside the entry that turns true late (X4, X5)."
    )
    yield "Whoever drops out is stopped by the stop that its drop-out reason names."
    yield (
        f"The engine works as the model says: {runtime.null_semantics}, {runtime.set_at_policy}, "
        f"{runtime.needs_attention_policy}, a tick of {runtime.runner_tick} minutes, batches every "
        f"{runtime.evaluator_batch} that run {runtime.evaluator_run}."
    )
    if runtime.quiet_hours:
        yield "No clock is set back during quiet hours; that night they last longer."
    others = [one for one in dict.fromkeys(model.stop_ids) if written(model.properties.get(one)) == AT_ONCE]
    if others:
        yield f"Who writes {listed(others)} writes it in the minute in which it is so."


def _conclusion(reach: Reach, obligations: list[Obligation]) -> Iterator[dict[str, Any]]:
    """The theorem, part by part, each with the premises that it needs."""
    holds = {one.id: one.holds for one in obligations}
    holds["R2"] = all(reach.while_set(one, stamp) is None for one in reach.live for stamp in reach.later_stamps(one))
    holds["noRepeats"] = all(one.repeat is None for one in reach.live if len(reach.model.of_stage(one.stage_id)) > 1)
    holds["noQuietHours"] = reach.model.runtime.quiet_hours is None
    holds["noCaps"] = not _caps_may_release(reach.model)
    parts = (
        ("No follow-up goes to a lead for whom the entry of a later stage is stamped.", ("P1", "R2")),
        ("No follow-up goes to a lead for whom a stop is stamped.", ("P2",)),
        ("Late stamping lets none through either.", ("P1", "R2", "P2", "P6", "P9")),
        (
            "No two follow-ups of a stage reach a lead closer together than the stagger.",
            ("P4", "noRepeats", "noQuietHours", "noCaps"),
        ),
        ("Every message that goes out as free text arrives within the window.", ("P5",)),
        ("A lead gets a finite number of messages.", ("P7",)),
        ("Whoever is in a stage gets one of its follow-ups.", ("P3", "P8", "P9")),
    )
    for statement, needs in parts:
        yield {"statement": statement, "holds": all(holds[one] for one in needs), "needs": list(needs)}
