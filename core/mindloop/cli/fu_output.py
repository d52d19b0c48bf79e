"""How what is found about sequences is told: blocks of lines that fit a screen, and the words of --format."""

from __future__ import annotations

from mindloop.cli.output import BUDGET, emit, note, safe
from mindloop.sequence.findings import listed, named
from mindloop.sequence.shown import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterable, Sequence
    from typing import Any

    from mindloop.sequence.findings import Finding
    from mindloop.sequence.payloads import Payload

TEXT, JSON, MARKDOWN, SARIF, HTML, CSV = "text", "json", "markdown", "sarif", "html", "csv"
_LONGEST_LINE = 400
_VALUE = 120
_WHOLE = 2_048
"""Bytes of everything that is told without --full."""
_WARNINGS = 320
_TAIL = 40
_told = [0]


def add_format(options: ArgumentParser, *formats: str) -> None:
    """``--format``, the first of the formats if nothing is said; ``--json`` is short for ``--format json``.

    It is called once a command, so the bytes that are told begin to count here.
    """
    _told[0] = 0
    shown = "|".join(formats)
    options.add_argument(
        "--format", choices=formats, default=formats[0], metavar=shown, help=f"(default: {formats[0]})"
    )
    if JSON in formats:
        options.add_argument("--json", dest="format", action="store_const", const=JSON, help="same as --format json")
    options.add_argument("--full", action="store_true", help="all of the text, however long")


def fitting(blocks: Iterable[Sequence[str]], *, full: bool, budget: int = BUDGET) -> list[str]:
    """The lines of the first blocks that fit into the budget of bytes, at least one block; then how many are left."""
    lines: list[str] = []
    every = list(blocks)
    for at, block in enumerate(every):
        cut = list(block) if full else [_cut(line) for line in block]
        budget -= sum(len(safe(line).encode()) + 1 for line in cut)
        if at and budget < 0 and not full:
            return [*lines, f"(+{len(every) - at} more: --full shows all)"]
        lines += cut
    return lines


def _cut(line: str) -> str:
    return line if len(line) <= _LONGEST_LINE else f"{line[: _LONGEST_LINE - 1]}…"


def emit_lines(lines: Iterable[str], *, full: bool) -> None:
    """Print them; without ``full`` no more than fit into 2 KB together with the warnings."""
    for line in list(lines) if full else _within(list(lines), _WHOLE - _told[0]):
        emit(line)


def warn(lines: Sequence[str]) -> None:
    """The first of many warnings on stderr, then how many more there are; they count against the 2 KB."""
    for line in _within([f"mindloop: {line}" for line in lines], _WARNINGS) if lines else ():
        note(line)
        _told[0] += _size(line)


def _within(lines: list[str], room: int) -> list[str]:
    """The lines if they fit; else the first of them, each cut, and how many more there are."""
    if sum(map(_size, lines)) <= room:
        return lines
    room -= _TAIL
    shown: list[str] = []
    for line in lines:
        cut = _cut_to(line, min(room, _LONGEST_LINE) - 1)
        if _size(cut) > room or not cut:
            break
        room -= _size(cut)
        shown.append(cut)
    hidden = len(lines) - len(shown)
    return [*shown, f"(+{hidden} more: --full shows all)" if hidden else "(cut: --full shows all)"]


def _cut_to(line: str, size: int) -> str:
    data = safe(line).encode("utf-8", "backslashreplace")
    return safe(line) if len(data) <= size else data[: max(size - 3, 0)].decode("utf-8", "ignore") + "…"


def _size(line: str) -> int:
    return len(safe(line).encode("utf-8", "backslashreplace")) + 1


def whole(text: str) -> None:
    """Print a document that ends with its own line end, byte for byte."""
    import sys

    sys.stdout.write(text)


def counted(count: int, word: str, words: str = "") -> str:
    """``1 lead``, ``2 leads``."""
    return f"{count} {word if count == 1 else words or word + 's'}"


def in_json(finding: Finding) -> dict[str, Any]:
    """A finding for programs."""
    from mindloop.sequence.check import rule_name

    return {
        "rule": finding.rule,
        "name": rule_name(finding.rule),
        "severity": finding.severity,
        "target": finding.target,
        "message": finding.message,
        "fix": finding.fix,
        "witness": finding.witness,
        "pointer": finding.pointer,
        "state": finding.state,
        "evidence": [in_json(one) for one in finding.evidence],
    }


def operation_line(operation: dict[str, Any]) -> str:
    """An operation of a patch: what, where, and the value as far as it fits."""
    import json

    value = f" {json.dumps(operation['value'], ensure_ascii=False)}" if "value" in operation else ""
    moved = f" from {operation['from']}" if "from" in operation else ""
    shown = value if len(value) <= _VALUE else f"{value[: _VALUE - 1]}…"
    return plain(f"{operation['op']} {operation['path']}{moved}{shown}", _LONGEST_LINE)


def payload_line(payload: Payload) -> str:
    """A write of the platform: the tool, the object, how much of it there is."""
    conditions = payload.arguments.get("propertyConditions")
    many = f"{counted(len(conditions), 'condition')}, " if isinstance(conditions, list) else ""
    return f"write in full: {payload.tool} {named(payload.target)} ({many}{counted(len(payload.arguments), 'key')})"


def seen(shows: dict[str, Any]) -> str:
    """What a timeline that was run showed: when, what kind, of which follow-ups."""
    what = shows.get("class") or ("silent" if "silent" in shows else "sent")
    why = f" ({plain(shows.get('cause') or shows.get('why'))})" if shows.get("cause") or shows.get("why") else ""
    return f"minute {shows['t']}, {what} {listed(shows.get('followUps', []))}{why}"
