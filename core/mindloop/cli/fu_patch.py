"""``fu_conformance.py patch``: the least change that mends a model; written only where ``--apply`` says so."""

from __future__ import annotations

from mindloop.cli.fu_files import content
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
from mindloop.sequence.shown import plain
from mindloop.sequence.words import DOCTRINE, PROFILES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindloop.sequence.patch import Patch

_EXAMPLES = """examples:
  fu_conformance.py patch fu-model.json
  fu_conformance.py patch fu-model.json --apply
  fu_conformance.py patch fu-model.json --json > patch.json"""


def patch(argv: list[str]) -> int:
    """Show or apply what mends a model; 1 where an ERROR is left that needs a decision."""
    from mindloop.sequence.loading import load_model
    from mindloop.sequence.patch import patch as mended
    from mindloop.store.clock import day, now

    options = parser("fu_conformance.py patch", "The least change after which no ERROR is left.", _EXAMPLES)
    options.add_argument("model", metavar="MODEL", help="the model, JSON or YAML")
    add_target(options, "the mended model")
    options.add_argument("--profile", choices=PROFILES, default=DOCTRINE, help="strict mends X1, X2 and R25 too")
    add_format(options, TEXT, JSON)
    chosen = options.parse_args(argv)
    before = content(chosen.model, "model")
    made = mended(load_model(before, chosen.model).model, today=day(now()), profile=chosen.profile)
    target, lost = written(chosen, before, made.document, changed=bool(made.operations))
    if chosen.format == JSON:
        emit_json(
            {
                "operations": made.operations,
                "payloads": [one.as_json() for one in made.payloads],
                "unresolved": [one.as_json() for one in made.unresolved],
                "applied": bool(target),
                "commentsLost": bool(lost),
            }
        )
    else:
        state = f"written to {target}" if target else "nothing was written (--apply or -o FILE writes)"
        head = (
            f"{counted(len(made.operations), 'operation')}, {counted(len(made.unresolved), 'decision')} left; {state}"
        )
        emit_lines(
            [f"{chosen.model}: {head}", *([lost] if lost else []), *fitting(_blocks(made), full=chosen.full)],
            full=chosen.full,
        )
    return 1 if made.unresolved else 0


def _blocks(made: Patch) -> Iterator[list[str]]:
    for left in made.unresolved:
        yield [f"left: {left.rule} {plain(left.pointer)}: {left.message}", f"  {left.decide}"]
    for operation in made.operations:
        yield [operation_line(operation)]
    for payload in made.payloads:
        yield [payload_line(payload)]
