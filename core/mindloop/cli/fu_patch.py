"""``fu_conformance.py patch``: the least change that mends a model; written only where ``--apply`` says so."""

from __future__ import annotations

from mindloop.cli.fu_files import content, overwrite
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
from mindloop.cli.output import emit_json
from mindloop.cli.parsing import parser
from mindloop.sequence.shown import plain
from mindloop.sequence.words import DOCTRINE, PROFILES
from mindloop.store.errors import WrongInput

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
    from mindloop.sequence.document import document_text
    from mindloop.sequence.loading import load_model
    from mindloop.sequence.patch import patch as mended
    from mindloop.store.clock import day, now

    options = parser("fu_conformance.py patch", "The least change after which no ERROR is left.", _EXAMPLES)
    options.add_argument("model", metavar="MODEL", help="the model, JSON or YAML")
    where = options.add_mutually_exclusive_group()
    where.add_argument("--apply", action="store_true", help="write it into MODEL; without this nothing is written")
    where.add_argument("-o", dest="output", metavar="FILE", help="write the mended model there")
    options.add_argument("--drop-comments", action="store_true", help="with --apply: comments of YAML may be lost")
    options.add_argument("--profile", choices=PROFILES, default=DOCTRINE, help="strict mends X1, X2 and R25 too")
    add_format(options, TEXT, JSON)
    chosen = options.parse_args(argv)
    before = content(chosen.model, "model")
    made = mended(load_model(before, chosen.model).model, today=day(now()), profile=chosen.profile)
    target = chosen.output or (chosen.model if chosen.apply and made.operations else None)
    lost = comments_lost(before, chosen.model, target, drop=chosen.drop_comments) if made.operations else ""
    written = bool(target)
    if target:
        same = is_same(target, chosen.model)
        overwrite(target, before if same else None, document_text(made.document, before, target))
    if chosen.format == JSON:
        emit_json(
            {
                "operations": made.operations,
                "payloads": [one.as_json() for one in made.payloads],
                "unresolved": [one.as_json() for one in made.unresolved],
                "applied": written,
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


def comments_lost(before: bytes, name: str, target: str | None, *, drop: bool) -> str:
    """A sentence where comments of YAML will not survive, empty where there are none.

    Raises:
        WrongInput: they would be lost in the file itself, and nobody said that they may be.
    """
    from mindloop.sequence.document import loses_comments

    if not loses_comments(before, name):
        return ""
    if target and is_same(target, name) and not drop:
        message = f"{name}: its comments would be lost, nothing was written"
        raise WrongInput(message, "Add --drop-comments, or write elsewhere with -o FILE.")
    where = f"not kept in {target}" if target else "lost when it is written (--apply needs --drop-comments)"
    return f"{name}: comments of YAML are not part of the model and are {where}"


def is_same(one: str, other: str) -> bool:
    """Whether two paths name one file."""
    import os

    return os.path.realpath(one) == os.path.realpath(other)


def _blocks(made: Patch) -> Iterator[list[str]]:
    for left in made.unresolved:
        yield [f"left: {left.rule} {plain(left.pointer)}: {left.message}", f"  {left.decide}"]
    for operation in made.operations:
        yield [operation_line(operation)]
    for payload in made.payloads:
        yield [payload_line(payload)]
