"""``doctor.py``: reads everything, reports what is wrong, changes nothing unless told to."""

from __future__ import annotations

from mindloop.cli.doctor_fix import mend
from mindloop.cli.doctor_rules import examine
from mindloop.cli.output import emit, emit_json, progress_bar, within
from mindloop.cli.parsing import add_json, parser
from mindloop.store.checkup import ERROR, INFO, WARNING, Examined, Look
from mindloop.store.clock import now
from mindloop.store.errors import WrongInput
from mindloop.store.locate import find_root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any

    from mindloop.cli.doctor_fix import Mended
    from mindloop.cli.doctor_rules import Told

BUDGET = 1900
"""Bytes of findings that are printed without ``--full``."""
_ORDER = (ERROR, WARNING, INFO)
_LABEL = {ERROR: "error", WARNING: "warn ", INFO: "info "}
_EXAMPLES = """\
examples:
  doctor.py                 what is wrong here?
  doctor.py --fix           what would be mended, as diffs; asks at a terminal, changes nothing in a pipe
  doctor.py --fix --yes     mend it

Exit: 0 nothing is wrong (notes do not count), 1 findings, 2 no workspace. A canvas or a batch is never changed.
"""


def main(argv: list[str]) -> int:
    """Look, tell, and mend where that was asked for."""
    options = parser("doctor.py", "Read everything, report what is wrong, change nothing.", _EXAMPLES)
    options.add_argument("--fix", action="store_true", help="show each repair as a diff, then ask")
    options.add_argument("--yes", action="store_true", help="with --fix: make the repairs without asking")
    options.add_argument("--full", action="store_true", help="print everything")
    add_json(options)
    chosen = options.parse_args(argv)
    if chosen.yes and not chosen.fix:
        raise WrongInput("doctor.py: --yes says nothing without --fix", "See: doctor.py --help")
    root = find_root()
    told = _look(root)
    mended: list[Mended] = []
    if chosen.fix:
        mended = mend(root, told, lambda: _look(root), yes=chosen.yes, quiet=chosen.json, full=chosen.full)
        told = _look(root) if any(one.state == "done" for one in mended) else told
    _print(chosen, root, told, mended)
    return int(any(one.finding.severity != INFO for one in told))


def _look(root: str) -> list[Told]:
    progress, end = progress_bar()
    try:
        told = examine(Look(Examined(root), now()), progress=progress)
    finally:
        end()
    return sorted(told, key=lambda one: _ORDER.index(one.finding.severity))


def _print(chosen: Namespace, root: str, told: list[Told], mended: list[Mended]) -> None:
    if chosen.json:
        fixes = {"fixes": [one.as_json() for one in mended]} if chosen.fix else {}
        emit_json({"root": root, "findings": [_as_json(one) for one in told], **fixes})
        return
    lines = [_line(one) for one in told]
    emit("\n".join([*(lines if chosen.full else within(lines, BUDGET, len(lines))), _summary(told, fix=chosen.fix)]))


def _as_json(one: Told) -> dict[str, Any]:
    found = one.finding
    fix = found.fix.what if found.fix else None
    place = {"path": found.path or None, "line": found.line}
    return {"rule": one.rule, "severity": found.severity, **place, "what": found.what, "fix": fix}


def _line(one: Told) -> str:
    found = one.finding
    place = f"{found.path}:{found.line}" if found.line else found.path
    text = f"{place}: {found.what}" if place else found.what
    return f"{_LABEL[found.severity]} {' '.join(text.split())}{' [--fix]' if found.fix else ''}"


def _summary(told: list[Told], *, fix: bool) -> str:
    counts = {severity: sum(one.finding.severity == severity for one in told) for severity in _ORDER}
    if not counts[ERROR] + counts[WARNING]:
        notes = f" ({_many(counts[INFO], 'note')})" if counts[INFO] else ""
        return f"nothing is wrong{notes}"
    text = ", ".join(
        _many(counts[severity], word) for severity, word in zip(_ORDER, ("error", "warning", "note"), strict=True)
    )
    fixable = len({one.finding.fix.what for one in told if one.finding.fix})
    return f"{text}; {_many(fixable, 'repair')} possible: doctor.py --fix" if fixable and not fix else text


def _many(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"
