"""``fu_conformance.py check``: which rules a model violates, where, and how to mend it."""

from __future__ import annotations

from mindloop.cli.fu_files import document_in, loaded_model
from mindloop.cli.fu_output import JSON, MARKDOWN, SARIF, TEXT, add_format, emit_lines, fitting, in_json, seen, whole
from mindloop.cli.output import emit_json
from mindloop.cli.parsing import parser
from mindloop.sequence.check import ABOUT_THE_DOCUMENT, Checked, examine, rule_name
from mindloop.sequence.shown import cell, plain
from mindloop.sequence.words import DOCTRINE, ERROR, PROFILES, SEVERITIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from mindloop.sequence.findings import Finding
    from mindloop.sequence.model import Model, Waiver

_SHOWN, _SHOWN_OF_LARGE, _LARGE = 20, 5, 100
_EXAMPLES = """examples:
  fu_conformance.py check grimoires/sequences/fu-model.json
  fu_conformance.py check fu-model.json --profile strict --format sarif > findings.sarif
  fu_conformance.py check fu-model.json --live exported-workflows.json"""


def check(argv: list[str]) -> int:
    """Run the rules; 1 where an ERROR stands."""
    from mindloop.store.clock import day, now

    options = parser("fu_conformance.py check", "Which rules a model violates, where, and how to mend it.", _EXAMPLES)
    options.add_argument("model", metavar="MODEL", help="the model, JSON or YAML; - is standard input")
    options.add_argument("--profile", choices=PROFILES, default=DOCTRINE, help="strict adds the X rules")
    options.add_argument("--live", metavar="LIVE", help="what the platform runs, exported: drift is an ERROR (R28)")
    add_format(options, TEXT, JSON, SARIF, MARKDOWN)
    chosen = options.parse_args(argv)
    found = loaded_model(chosen.model)
    live = _live(found.model, chosen.live) if chosen.live else None
    checked = examine(found.model, profile=chosen.profile, today=day(now()), live=live, warnings=found.warnings)
    _show(found.model, checked, every=chosen.full)
    _FORMATS[chosen.format](chosen, found.model, checked)
    return 1 if checked.failed else 0


def _show(model: Model, checked: Checked, *, every: bool) -> None:
    """Give the first ERRORs, or with --full all that stands, a timeline that was run; fewer in a large set."""
    most = _SHOWN if len(model.follow_ups) < _LARGE else _SHOWN_OF_LARGE
    wanted = checked.findings if every else [one for one in checked.findings if one.severity == ERROR][:most]
    if wanted:
        from mindloop.sequence.witness import attach_witnesses

        attach_witnesses(model, wanted)


def _live(model: Model, path: str) -> Model:
    from mindloop.sequence.live import live_model

    return live_model(model, document_in(path, "export"))


def _counts(findings: list[Finding]) -> dict[str, int]:
    return {severity: sum(one.severity == severity for one in findings) for severity in SEVERITIES}


def _verdict(chosen: Any, checked: Checked) -> str:
    counts = [f"{many} {severity}" for severity, many in _counts(checked.findings).items() if many]
    waived = f", {len(checked.waived)} waived" if checked.waived else ""
    return f"{chosen.model}: {', '.join(counts) or 'nothing found'}{waived} (profile {chosen.profile})"


def _text(chosen: Any, _model: Model, checked: Checked) -> None:
    rows = [_block(one) for one in checked.findings] + [_waived(*pair) for pair in checked.waived]
    emit_lines([_verdict(chosen, checked), *fitting(rows, full=chosen.full)], full=chosen.full)


def _block(finding: Finding) -> list[str]:
    lines = [f"{finding.severity} {finding.rule} {rule_name(finding.rule)} {plain(finding.pointer)}"]
    lines.append(f"  {finding.message}")
    if finding.evidence:
        lines.append(f"  so: {', '.join(sorted({f'{one.rule} {rule_name(one.rule)}' for one in finding.evidence}))}")
    if finding.witness:
        lines.append(f"  run and seen: {seen(finding.witness['shows'])}; --json has the timeline")
    return [*lines, f"  fix: {finding.fix}"]


def _waived(finding: Finding, waiver: Waiver) -> list[str]:
    until = f"until {waiver.expires}: {plain(waiver.reason)}"
    return [f"waived {finding.rule} {rule_name(finding.rule)} {plain(finding.pointer)} {until}"]


def _json(chosen: Any, _model: Model, checked: Checked) -> None:
    emit_json(
        {
            "ok": not checked.failed,
            "profile": chosen.profile,
            "counts": _counts(checked.findings),
            "findings": [in_json(one) for one in checked.findings],
            "waived": [
                {**in_json(one), "reason": waiver.reason, "expires": waiver.expires} for one, waiver in checked.waived
            ],
        }
    )


def _sarif(chosen: Any, _model: Model, checked: Checked) -> None:
    from mindloop import __version__
    from mindloop.sequence.rules.table import RULES
    from mindloop.sequence.sarif import as_text, sarif

    rules = [rule for rule in RULES if chosen.profile in rule.severities]
    log = sarif(
        checked.findings,
        rules,
        chosen.model,
        __version__,
        profile=chosen.profile,
        others=ABOUT_THE_DOCUMENT,
        waived=checked.waived,
    )
    whole(as_text(log))


def _markdown(chosen: Any, _model: Model, checked: Checked) -> None:
    whole("\n".join(_page(chosen, checked)) + "\n")


def _page(chosen: Any, checked: Checked) -> Iterator[str]:
    yield "# Conformance of follow-ups"
    yield ""
    yield f"{cell(_verdict(chosen, checked), 400)}."
    if checked.findings:
        yield ""
        yield "| severity | rule | about | what came and what was expected | fix |"
        yield "| --- | --- | --- | --- | --- |"
    for one in checked.findings:
        about = f"{cell(one.target)} `{_plain(one.pointer)}`"
        rule = f"{one.rule} {rule_name(one.rule)}"
        yield f"| {one.severity} | {rule} | {about} | {cell(one.message, 600)} | {cell(one.fix, 600)} |"
    for finding, waiver in checked.waived:
        yield ""
        until = f"until {cell(waiver.expires)}: {cell(waiver.reason, 400)}"
        yield f"Waived: {finding.rule} for {cell(finding.target)} {until}"


def _plain(pointer: str) -> str:
    return "".join(char for char in pointer if char.isalnum() or char in "/~_-.")


_FORMATS = {TEXT: _text, JSON: _json, SARIF: _sarif, MARKDOWN: _markdown}
