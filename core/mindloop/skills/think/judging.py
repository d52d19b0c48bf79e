"""Takes a distiller's answer: checked against the question's facts, then written as the user's cognition sidecar."""

from __future__ import annotations

from mindloop.observer.cognition.distilled import Distilled, Known, held_against, read_shape
from mindloop.observer.cognition.features import dominant_type
from mindloop.observer.cognition.validity import SCHEMA_VERSION, problems_under
from mindloop.observer.cognition.wanted import Wanted
from mindloop.observer.layout import layout_of
from mindloop.observer.rehearsed import REHEARSAL
from mindloop.protocol.questions import AnswerRefused
from mindloop.skills.judged import Judging
from mindloop.skills.think import SKILL
from mindloop.skills.think.sidecar import read_sidecar
from mindloop.store.clock import stamp
from mindloop.store.documents import write_yaml
from mindloop.store.errors import Malformed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

    from mindloop.store.transaction import Transaction

    Item = dict[str, Any]

DAMAGED = ".damaged"
_SHAPE = {
    "verified": list,
    "hypotheses": list,
    "fear_types": list,
    "max_fears": int,
    "bootstrap": bool,
    "anchors": dict,
    "distilled_at_cycle_index": int,
    "stale_after_cycles": int,
    "features": dict,
}
_LISTS = ("verified", "hypotheses", "fear_types")
_NEW_RUN = "Begin a new run: cognition.py begin"


def scopes(item: Item) -> tuple[str, ...]:
    """The user's own lock guards the sidecar."""
    return (f"user:{item['slug']}",)


def check(item: Item, raw: str) -> Distilled:
    """Read an answer and hold it against the facts of its question.

    Raises:
        AnswerRefused: it is not taken; the message names the fields.
        Malformed: the item is none of /think's.
    """
    _require_facts(item)
    verified = item["verified"]
    limits = {"max_fears": item["max_fears"], "fear_types": item["fear_types"]}
    wanted = Wanted(bootstrap=item["bootstrap"], verified=len(verified), **limits)
    known = Known(wanted, verified=frozenset(verified), hypotheses=frozenset(item["hypotheses"]))
    user = str(item["user"])
    return held_against(read_shape(raw, user), user, known)


def _require_facts(item: Item) -> None:
    wrong = [key for key, kind in _SHAPE.items() if type(item.get(key)) is not kind]
    wrong += [key for key in _LISTS if key not in wrong and not all(isinstance(one, str) for one in item[key])]
    if wrong:
        raise Malformed(f"the question about {item['slug']}: {', '.join(wrong)} is not of its kind", _NEW_RUN)


def apply(tx: Transaction, item: Item, value: Distilled, host: str, now: datetime) -> str:
    """Stage the sidecar; what code knows better is put in by code, whatever the answer says of it.

    A sidecar that cannot be read is kept beside the new one, with ``.damaged`` behind its name.

    Raises:
        AnswerRefused: a rehearsal would replace what a judge made, or the settings allow these fears no longer.
        Malformed: the sidecar is another user's, or of a later version; nothing is staged.
    """
    user = str(item["user"])
    path = layout_of(tx).cognition(str(item["slug"]))
    document = document_of(item, value, host, now)
    wrong = problems_under(tx.settings, document, user)
    if wrong:
        fields = ", ".join(problem.split(":", 1)[0] for problem in wrong[:3])
        raise AnswerRefused(f"the settings changed since the question: {fields}", _NEW_RUN)
    earlier = read_sidecar(tx, path, user)
    if host == REHEARSAL and earlier and not earlier.is_rehearsed:
        raise AnswerRefused("a rehearsal does not replace what a judge made", "Answer with a model, or as a person.")
    if earlier and earlier.problem:
        tx.write(f"{path}{DAMAGED}", tx.read(path) or b"")
    write_yaml(tx, path, document, "cognition")
    return f"fears: {len(value.fears)}, steering targets: {len(value.targets)}"


def document_of(item: Item, value: Distilled, host: str, now: datetime) -> dict[str, Any]:
    """The document of ``cognition/<slug>.yaml`` (follow-up, step 2c.5 reads it)."""
    features = item["features"]
    return {
        "schema_version": SCHEMA_VERSION,
        "user": item["user"],
        "host": host,
        "generated_at": stamp(now),
        "distilled_at_cycle_index": item["distilled_at_cycle_index"],
        "stale_after_cycles": item["stale_after_cycles"],
        "input_anchors": item["anchors"],
        "fears": value.fears,
        "steering_targets": value.targets,
        "synthesis_features": {
            "lifecycle_state": features.get("lifecycle_state"),
            "dominant_fear_type": dominant_type(value.fears),
            "hypothesis_ids": features.get("hypothesis_ids", []),
            "hypothesis_confidences": features.get("hypothesis_confidences", {}),
            "gap_types": features.get("gap_types", []),
            "behavior_tags": value.tags,
            "score_summary": features.get("score_summary"),
        },
    }


JUDGING = Judging(SKILL, scopes=scopes, check=check, apply=apply)
