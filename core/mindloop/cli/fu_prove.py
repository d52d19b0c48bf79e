"""``fu_conformance.py prove``: what holds for every lead, under which assumptions, and a timeline for what does not."""

from __future__ import annotations

from mindloop.cli.fu_files import model_in
from mindloop.cli.fu_output import JSON, TEXT, add_format, emit_lines, fitting
from mindloop.cli.output import emit_json
from mindloop.cli.parsing import parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_EXAMPLES = """examples:
  fu_conformance.py prove fu-model.json
  fu_conformance.py prove fu-model.json --json > proof.json"""


def prove(argv: list[str]) -> int:
    """Decide the obligations P1 to P9; 1 where one is refuted."""
    from mindloop.store.clock import day, now

    options = parser("fu_conformance.py prove", "What holds for every lead, whatever happens to it.", _EXAMPLES)
    options.add_argument("model", metavar="MODEL", help="the model, JSON or YAML")
    add_format(options, TEXT, JSON)
    chosen = options.parse_args(argv)
    from mindloop.sequence.proof import prove as decided

    model = model_in(chosen.model)
    made = decided(model, today=day(now()))
    document = made.as_json()
    if chosen.format == JSON:
        emit_json(document)
    else:
        emit_lines(fitting(_blocks(document), full=chosen.full))
    return 0 if document["ok"] else 1


def _blocks(document: dict[str, Any]) -> Iterator[list[str]]:
    raise NotImplementedError
