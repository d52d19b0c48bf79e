"""``fu_conformance.py insert-stage``: a new stage and the retrofit of every earlier one, as one change."""

from __future__ import annotations

import os

from mindloop.cli.fu_files import content, document_in
from mindloop.cli.fu_output import (
    JSON,
    TEXT,
    add_format,
    counted,
    emit_lines,
    fitting,
    operation_line,
    payload_line,
)
from mindloop.cli.fu_target import add_target, written
from mindloop.cli.output import emit_json
from mindloop.cli.parsing import parser
from mindloop.sequence.findings import listed
from mindloop.sequence.shown import plain
from mindloop.store.errors import WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator
    from typing import Any

    from mindloop.sequence.insert_stage import Insertion

_MOST = 12
_EXAMPLES = """examples:
  fu_conformance.py insert-stage fu-model.json s1b --after s1 --stamp docs_uploaded --offsets 45,180
  fu_conformance.py insert-stage fu-model.json '{"id": "s1b", "entryStampId": "docs_uploaded"}' --after s1
  fu_conformance.py insert-stage fu-model.json stage.yaml --first --apply"""


def insert_stage(argv: list[str]) -> int:
    """Show or write a model with one more stage."""
    from mindloop.sequence.insert_stage import insert_stage as inserted
    from mindloop.sequence.loading import load_model

    chosen = _parsed(argv)
    stage = _stage(chosen)
    before = content(chosen.model, "model")
    made = inserted(load_model(before, chosen.model).model, stage, chosen.after)
    changed = bool(made.operations)
    target, lost = written(chosen, before, made.document, changed=changed, refused=bool(made.differs))
    if chosen.format == JSON:
        emit_json(
            {
                "exists": made.exists,
                "operations": made.operations,
                "payloads": [one.as_json() for one in made.payloads],
                "retrofitted": made.retrofitted,
                "notes": made.notes,
                "differs": made.differs or None,
                "written": target,
                "commentsLost": bool(lost),
            }
        )
        return 1 if made.differs else 0
    state = f"written to {target}" if target else "nothing was written (--apply or -o FILE writes)"
    many = counted(len(made.retrofitted), "earlier follow-up")
    emit_lines(
        [
            f"{chosen.model}: {counted(len(made.operations), 'operation')}, {many} retrofitted; {state}",
            *([lost] if lost else []),
            *fitting(_blocks(made), full=chosen.full),
        ],
        full=chosen.full,
    )
    return 1 if made.differs else 0


def _parsed(argv: list[str]) -> Namespace:
    options = parser(
        "fu_conformance.py insert-stage", "A new stage, and the retrofit of every earlier one, in one go.", _EXAMPLES
    )
    options.add_argument("model", metavar="MODEL", help="the model, JSON or YAML")
    options.add_argument("stage", metavar="STAGE", help="an id, a JSON object, or a .json or .yaml file with one")
    place = options.add_mutually_exclusive_group(required=True)
    place.add_argument("--after", metavar="S", help="the id of the stage behind which it comes")
    place.add_argument("--first", action="store_true", help="before all others")
    options.add_argument("--stamp", metavar="P", help="the entry stamp, where STAGE is an id; made where it is missing")
    options.add_argument("--offsets", metavar="MIN,MIN", help="one new follow-up for each, where STAGE is an id")
    options.add_argument("--label", help="where STAGE is an id")
    options.add_argument("--terminal", action="store_true", help="no follow-ups are expected, where STAGE is an id")
    add_target(options, "the new model")
    add_format(options, TEXT, JSON)
    return options.parse_args(argv)


def _stage(chosen: Namespace) -> Any:
    given = chosen.stage
    flags = {"--stamp": chosen.stamp, "--offsets": chosen.offsets, "--label": chosen.label}
    is_file = given.lower().endswith((".json", ".yaml", ".yml")) or os.sep in given
    if given.lstrip().startswith("{") or is_file:
        said = [name for name, value in flags.items() if value is not None]
        if said:
            raise WrongInput(f"{said[0]} belongs to a stage that is named by its id", "Write it into the object.")
        return document_in(given, "stage") if is_file else _inline(given)
    if not chosen.stamp:
        raise WrongInput(f"the stage {given[:80]!r} has no entry stamp", "Give --stamp PROPERTY.")
    made: dict[str, Any] = {"id": given, "entryStampId": chosen.stamp, "offsets": _minutes(chosen.offsets)}
    if chosen.label:
        made["label"] = chosen.label
    return made | ({"terminal": True} if chosen.terminal else {})


def _inline(text: str) -> object:
    from mindloop.sequence.document import read_document

    return read_document(text.encode("utf-8", "surrogatepass"), "the stage")


def _minutes(text: str | None) -> list[int]:
    try:
        return [int(one) for one in text.split(",")] if text else []
    except ValueError:
        message = f"--offsets {text[:80]!r}: expected whole minutes with commas between them"  # type: ignore[index]
        raise WrongInput(message, "For example: --offsets 45,180") from None


def _blocks(made: Insertion) -> Iterator[list[str]]:
    for line in made.notes:
        yield [plain(line, 300)]
    if made.retrofitted:
        yield [f"retrofitted: {listed(made.retrofitted, _MOST)}"]
    for operation in made.operations:
        yield [operation_line(operation)]
    for payload in made.payloads:
        yield [payload_line(payload)]
