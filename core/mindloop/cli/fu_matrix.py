"""``fu_conformance.py matrix``: which follow-up excludes what, as text, Markdown, or a page that stands alone."""

from __future__ import annotations

from mindloop.cli.fu_files import model_in, scenario_in
from mindloop.cli.fu_output import HTML, MARKDOWN, TEXT, add_format, emit_lines, fitting, whole
from mindloop.cli.parsing import parser
from mindloop.store.errors import WrongInput

_EXAMPLES = """examples:
  fu_conformance.py matrix fu-model.json
  fu_conformance.py matrix fu-model.json --format html --scenario scenario.yaml > follow-ups.html"""


def matrix(argv: list[str]) -> int:
    """Show the matrix; 1 where the model has no follow-ups."""
    from mindloop.sequence.matrix import matrix_of

    options = parser("fu_conformance.py matrix", "Which follow-up excludes what; missing cells are marked.", _EXAMPLES)
    options.add_argument("model", metavar="MODEL", help="the model, JSON or YAML")
    options.add_argument("--scenario", metavar="SCENARIO", help="with --format html: draw what comes of it below")
    add_format(options, TEXT, MARKDOWN, HTML)
    chosen = options.parse_args(argv)
    if chosen.scenario and chosen.format != HTML:
        raise WrongInput("--scenario is drawn on a page", "Add --format html, or call simulate.")
    model = model_in(chosen.model)
    made = matrix_of(model)
    if chosen.format == HTML:
        from mindloop.sequence.page import page
        from mindloop.sequence.simulator.engine import simulate

        drawn = simulate(model, scenario_in(chosen.scenario)).as_document() if chosen.scenario else None
        whole(page(made, drawn))
    elif chosen.format == MARKDOWN:
        whole(made.as_markdown())
    else:
        lines = made.as_text().rstrip("\n").split("\n")
        emit_lines(
            [f"{chosen.model}: {made.verdict()}", *fitting([[line] for line in lines[:-2]], full=chosen.full)],
            full=chosen.full,
        )
    return 0 if made.lines else 1
