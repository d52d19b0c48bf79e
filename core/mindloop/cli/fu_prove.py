"""``fu_conformance.py prove``: what holds for every lead, under which assumptions, and a timeline for what does not."""

from __future__ import annotations

from mindloop.cli.fu_files import model_in
from mindloop.cli.fu_output import JSON, TEXT, add_format, emit_lines, fitting, seen
from mindloop.cli.output import emit_json
from mindloop.cli.parsing import parser
from mindloop.sequence.findings import listed, named
from mindloop.sequence.shown import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.sequence.proof import Obligation, Proof

_MOST = 2_000
"""Bytes of what is printed without --full, less the line that says what is left."""
_LONG = 300
_EXAMPLES = """examples:
  fu_conformance.py prove fu-model.json
  fu_conformance.py prove fu-model.json --json > proof.json"""


def prove(argv: list[str]) -> int:
    """Decide the obligations P1 to P9; 1 where one is refuted."""
    options = parser("fu_conformance.py prove", "What holds for every lead, whatever happens to it.", _EXAMPLES)
    options.add_argument("model", metavar="MODEL", help="the model, JSON or YAML")
    add_format(options, TEXT, JSON)
    chosen = options.parse_args(argv)
    from mindloop.sequence.proof import prove as decided
    from mindloop.store.clock import day, now

    made = decided(model_in(chosen.model), today=day(now()))
    if chosen.format == JSON:
        emit_json(made.as_json())
    else:
        emit_lines(_told(chosen.model, made, full=chosen.full), full=chosen.full)
    return 0 if made.ok else 1


def _told(name: str, made: Proof, *, full: bool) -> list[str]:
    """Verdict, obligations, and always the assumptions: no verdict is shown without them."""
    head = _verdict(name, made)
    assumptions = ["assuming:", *(f"  {plain(one, _LONG)}" for one in made.assumptions)]
    taken = sum(len(line.encode()) + 1 for line in (head, *assumptions))
    blocks = (_obligation(one, full=full) for one in _refuted_first(made))
    lines = [head, *fitting(blocks, full=full, budget=_MOST - taken), *assumptions]
    return [*lines, *_therefore(made)] if full else lines


def _verdict(name: str, made: Proof) -> str:
    refuted = [one.id for one in made.obligations if not one.holds]
    premises = [f"{one.id}: {premise}" for one in made.obligations for premise in one.premises]
    if not refuted and premises:
        first, last = made.obligations[0].id, made.obligations[-1].id
        return f"{name}: {first} to {last} hold only with these premises: {' '.join(premises)}"
    if not refuted:
        return f"{name}: {made.obligations[0].id} to {made.obligations[-1].id} hold for every lead and every timeline"
    return (
        f"{name}: {len(made.obligations) - len(refuted)} of {len(made.obligations)} hold; refuted: {', '.join(refuted)}"
    )


def _refuted_first(made: Proof) -> list[Obligation]:
    return sorted(made.obligations, key=lambda one: one.holds)


def _obligation(one: Obligation, *, full: bool) -> list[str]:
    numbers = ", ".join(f"{_words(name)} {_number(value)}" for name, value in one.bound.items())
    if one.holds:
        lines = [f"{one.id} {one.name} holds ({numbers})"]
    else:
        more = f" (and {one.refutations - 1} more)" if one.refutations > 1 else ""
        lines = [f"{one.id} {one.name} REFUTED: {plain(one.refuted_by[0], _LONG)}{more}"]
        what = f"run and seen: {seen(one.shows)}; --json has the timeline" if one.shows else "no timeline shows it"
        lines.append(f"  {what}")
    if full:
        lines.append(f"  {plain(one.statement, _LONG)}")
    lines += [f"  only if: {premise}" for premise in one.premises]
    lines += [f"  not so under {_fact(other)}" for other in one.under if one.holds]
    return lines + [f"  {plain(other['rule'])} is waived until {plain(other['expires'])}" for other in one.waived]


def _fact(under: dict[str, Any]) -> str:
    return ", ".join(f"{name} {plain(value)}" for name, value in under.items() if name not in {"holds", "text"})


def _words(name: str) -> str:
    return "".join(f" {char.lower()}" if char.isupper() else char for char in name)


def _number(value: object) -> str:
    if isinstance(value, list):
        return listed(str(one) for one in value)
    return "without end" if value is None else named(value) if isinstance(value, str) else str(value)


def _therefore(made: Proof) -> list[str]:
    follows = [f"  {one['statement']}" for one in made.conclusion if one["holds"]]
    return ["therefore:", *follows] if follows else []
