"""The smallest change after which no ERROR is left that can be mended without a decision; the rest, named.

Operations are RFC 6902 on the document as it is written. Every one stands for one finding: left out, it comes back.
"""

from __future__ import annotations

from mindloop.sequence.changes import as_written, changes, own_pointer
from mindloop.sequence.check import check
from mindloop.sequence.loading import model_of
from mindloop.sequence.payloads import payloads
from mindloop.sequence.pointers import apply, apply_in_place, copied, value_at
from mindloop.sequence.repairs import Draft, mend
from mindloop.sequence.words import DOCTRINE, ERROR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from mindloop.sequence.findings import Finding
    from mindloop.sequence.model import Model
    from mindloop.sequence.payloads import Payload

_ROUNDS = 20
"""A repair may lay open another finding; so many rounds, and one more for each follow-up."""
_EXCLUSIONS = frozenset(("R2", "R3", "R28"))
"""An exclusion is missing or only indirect, depending on the other conditions: those are mended first."""
_SPACING = "X1"
"""What lies how far behind what is known when every offset and silence gate is a number."""
_DECISIONS = {
    "R5": "Decide the offset of this follow-up: none that is free lies within the channel's window.",
    "R8": "Decide which boolean takes the place of this property, who sets it, and keep the text as a note.",
    "R11": "Decide whether the wait is shortened or which approved template is sent.",
    "R13": "Decide which boolean stop the evaluator sets for this reason, and add it to properties and stops.",
    "R14": "Decide which boolean stop the evaluator sets for this reason, and add it to properties and stops.",
    "R15": "Decide whether this is a follow-up (type FOLLOW_UP) or belongs out of followUps.",
    "R17": "Decide which of the conditions that contradict each other is meant.",
    "R18": "Decide what keeps these stages apart: which of them comes after the other, or another condition.",
    "R21": "Decide whether the property (or stage) is added or the name is a mistake.",
    "R22": "Decide who sets it: the evaluator, or an integration that knows the fact.",
    "R23": "Decide whether the property is a stop (terminal stage without follow-ups) or a stamp; split it otherwise.",
    "R24": "Decide the order of the stages, and the entry stamp that each of them has.",
    "R32": "Decide where the parameter's value comes from.",
    "R33": "Decide the value: this one cannot be read in the type of its property.",
    "R35": "Decide to which stage this follow-up belongs.",
    "W1": "Decide whether the waiver is renewed or the finding mended.",
}


class Unresolved:
    """An ERROR that needs somebody's decision.

    Attributes:
        rule: the rule's id.
        target: the id of what it is about.
        pointer: where it stands in the document after the patch, in the document's own spelling.
        message: what came and what was expected.
        decide: what has to be decided.
    """

    __slots__ = ("decide", "message", "pointer", "rule", "target")

    def __init__(self, finding: Finding, document: Any) -> None:
        self.rule = finding.rule
        self.target = finding.target
        self.pointer = own_pointer(document, finding.pointer)
        self.message = finding.message
        self.decide = _DECISIONS.get(finding.rule, finding.fix)

    def as_json(self) -> dict[str, str]:
        """The same as an object for ``--json``."""
        return {name: getattr(self, name) for name in ("rule", "target", "pointer", "message", "decide")}


class Patch:
    """What mends a model.

    Attributes:
        operations: RFC 6902, minimal, on the document as it is written.
        payloads: whole objects for the platform's write tools, one for each follow-up and property that changes.
        unresolved: ERRORs that are left because they need a decision; where there are any the exit code is 1.
        document: the document afterwards, keys in their order, unknown ones kept.
        model: the model afterwards.
    """

    __slots__ = ("document", "model", "operations", "payloads", "unresolved")

    def __init__(self, model: Model, document: Any, operations: list[dict[str, Any]]) -> None:
        self.operations = operations
        self.payloads: list[Payload] = []
        self.unresolved: list[Unresolved] = []
        self.document = document
        self.model = model

    def as_json(self) -> dict[str, Any]:
        """Operations, payloads and what is unresolved, for ``--json``."""
        return {
            "operations": self.operations,
            "payloads": [one.as_json() for one in self.payloads],
            "unresolved": [one.as_json() for one in self.unresolved],
        }


def patch(model: Model, *, today: str, profile: str = DOCTRINE) -> Patch:
    """Mend every ERROR whose repair is mechanical and list the others.

    Args:
        model: the model as it is; it is not changed.
        today: ``YYYY-MM-DD``, for waivers: what is waived is not touched.
        profile: ``doctrine``, or ``strict`` to mend what X1, X2 and R25 say too.
    """
    raw, left = _mended(model, today, profile)
    operations = as_written(model.written, changes(model.raw, raw))
    document = apply(model.written, operations)
    made = Patch(model_of(document).model, document, operations)
    made.payloads = payloads(model, made.model)
    made.unresolved = [Unresolved(finding, document) for finding in left]
    return made


def guarded(document: Any, operations: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The operations with a ``test`` of the value that is there before each one that changes or removes it.

    Args:
        document: what the operations were made for; on any other one a test fails and nothing is changed.
        operations: RFC 6902.
    """
    made, here = [], copied(document)
    for operation in operations:
        if operation["op"] in {"replace", "remove"}:
            path = operation["path"]
            made.append({"op": "test", "path": path, "value": copied(value_at(here, path))})
        made.append(operation)
        here = apply_in_place(here, operation)
    return made


def _mended(model: Model, today: str, profile: str) -> tuple[dict[str, Any], list[Finding]]:
    """The document in the canonical spelling after the last repair, and the ERRORs that none has mended."""
    now, left = model, _errors(model, today, profile)
    for _ in range(_ROUNDS + len(model.follow_ups)):
        raw = next((raw for batch in _batches(now, left) if (raw := _after(now, batch))), None)
        if raw is None:
            break
        now = model_of(raw).model
        left = _errors(now, today, profile)
    return now.raw, left


def _batches(model: Model, left: list[Finding]) -> Iterator[list[Finding]]:
    """What is mended together: a later batch only where no earlier one has anything to mend."""
    yield [one for one in left if one.rule not in _EXCLUSIONS and one.rule != _SPACING]
    yield [one for one in left if one.rule in _EXCLUSIONS]
    waiting = [one for one in left if one.rule == _SPACING]
    while near := _nearest(model, waiting):
        yield near
        waiting = [one for one in waiting if one not in near]


def _nearest(model: Model, findings: list[Finding]) -> list[Finding]:
    """Of every stage the finding about its earliest follow-ups: the later ones depend on what becomes of those."""
    first: dict[str, tuple[int, Finding]] = {}
    for finding in findings:
        one = model.follow_up(finding.target)
        if one is not None:
            offset = one.offset or 0
            first[one.stage_id] = min(
                first.get(one.stage_id, (offset, finding)), (offset, finding), key=lambda pair: pair[0]
            )
    return [finding for _, finding in first.values()]


def _after(model: Model, findings: list[Finding]) -> dict[str, Any] | None:
    """The document with these findings mended; None where that changes nothing."""
    draft = Draft(model, copied(model.raw))
    mend(draft, findings)
    return draft.raw if changes(model.raw, draft.raw) else None


def _errors(model: Model, today: str, profile: str) -> list[Finding]:
    return [one for one in check(model, profile=profile, today=today) if one.severity == ERROR]
