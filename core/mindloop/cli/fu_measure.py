"""``fu_conformance.py measure``: coverage by entitlement, never by counting sends in a window."""

from __future__ import annotations

from contextlib import ExitStack

from mindloop.cli.fu_files import chunks, model_in
from mindloop.cli.fu_output import CSV, JSON, MARKDOWN, TEXT, add_format, emit_lines, fitting, whole
from mindloop.cli.output import emit_json
from mindloop.cli.parsing import parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.sequence.measured import Measured

_EXAMPLES = """MESSAGES: lead, workflow (empty where none sent it), t, status. STAMPS: lead, prop, value, t.
examples:
  fu_conformance.py measure fu-model.json messages.csv --stamps property-history.csv
  fu_conformance.py measure fu-model.json messages.csv --stamps history.csv --runs workflow-runs.csv
  fu_conformance.py measure fu-model.json messages.csv --stamps history.csv --format csv > leads.csv"""

_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Begins a formula in a spreadsheet, in either width."""


def measure(argv: list[str]) -> int:
    """Count; 1 where the tables speak of no lead at all."""
    from mindloop.sequence.measure import measure as measured

    options = parser(
        "fu_conformance.py measure", "Who was owed a follow-up of each stage, who got one, whom it reached.", _EXAMPLES
    )
    options.add_argument("model", metavar="MODEL", help="the model, JSON or YAML")
    options.add_argument("messages", metavar="MESSAGES.csv", help="the messages, not the runs")
    options.add_argument("--stamps", metavar="CSV", help="the property history: without it nobody knows who was owed")
    options.add_argument("--runs", metavar="CSV", help="the runner's looks: by how much they over-count, what blocked")
    add_format(options, TEXT, JSON, MARKDOWN, CSV)
    chosen = options.parse_args(argv)
    model = model_in(chosen.model)
    with ExitStack() as files:
        messages = chunks(chosen.messages, "messages as CSV", files)
        stamps = chunks(chosen.stamps, "a property history as CSV", files) if chosen.stamps else None
        runs = chunks(chosen.runs, "runs as CSV", files) if chosen.runs else None
        found = measured(model, messages, stamps, runs)
    if chosen.format == JSON:
        emit_json({**found.as_json(), **({"rows": list(found.rows())} if chosen.full else {})})
    elif chosen.format == MARKDOWN:
        whole(found.as_markdown())
    elif chosen.format == CSV:
        _rows(found)
    else:
        emit_lines(fitting([[line] for line in found.as_text().splitlines()], full=chosen.full), full=chosen.full)
    return 0 if found.leads or found.set_aside else 1


def _rows(found: Measured) -> None:
    """A row for each lead of each stage."""
    import csv
    import sys

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("stage", "lead", "entered", "exit", "entitled", "sent", "reached"))
    for row in found.rows():
        writer.writerow([_word(value) for value in row.values()])


def _word(value: object) -> object:
    """A cell: no spreadsheet takes it for a formula, and it is one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return "" if value is None else value
    shown = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in value)
    risky = value.lstrip()[:1] in _FORMULA or not value[:1].isprintable()
    return f"'{shown}" if risky and value else shown
