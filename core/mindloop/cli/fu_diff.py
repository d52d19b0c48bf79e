"""``fu_conformance.py diff``: where the platform differs from the model, and what brings it back."""

from __future__ import annotations

from mindloop.cli.fu_files import document_in, model_in
from mindloop.cli.fu_output import JSON, TEXT, add_format, counted, emit_lines, fitting, payload_line
from mindloop.cli.output import emit_json
from mindloop.cli.parsing import parser
from mindloop.sequence.shown import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindloop.sequence.diff import Diff

_EXAMPLES = """LIVE is another model, a list of workflow rows, or an object with workflows and customProperties.
examples:
  fu_conformance.py diff fu-model.json exported-workflows.json
  fu_conformance.py diff fu-model.json exported-workflows.json --json > writes.json"""


def diff(argv: list[str]) -> int:
    """Compare; 1 where they differ."""
    from mindloop.sequence.diff import diff as compared

    options = parser("fu_conformance.py diff", "Where the platform differs from the model (R28).", _EXAMPLES)
    options.add_argument("model", metavar="MODEL", help="the model, JSON or YAML")
    options.add_argument("live", metavar="LIVE", help="what the platform runs, exported as JSON or YAML")
    add_format(options, TEXT, JSON)
    chosen = options.parse_args(argv)
    made = compared(model_in(chosen.model), document_in(chosen.live, "export"))
    if chosen.format == JSON:
        emit_json(
            {
                "ok": not made.differences,
                "differences": [one.as_json() for one in made.differences],
                "operations": made.operations,
                "payloads": [one.as_json() for one in made.payloads],
            }
        )
    else:
        many = counted(len(made.differences), "difference")
        head = many if made.differences else "no difference"
        emit_lines(
            [f"{chosen.live} and {chosen.model}: {head}", *fitting(_blocks(made), full=chosen.full)], full=chosen.full
        )
    return 1 if made.differences else 0


def _blocks(made: Diff) -> Iterator[list[str]]:
    for finding in made.findings:
        yield [f"{finding.rule} {plain(finding.pointer)}", f"  {finding.message}"]
    for payload in made.payloads:
        yield [payload_line(payload)]
