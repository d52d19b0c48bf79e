"""``fu_conformance.py``: check, prove, simulate, mend and measure follow-up sequences; no workspace is needed."""

from __future__ import annotations

import sys

from mindloop.store.errors import WrongInput

PROG = "fu_conformance.py"
VERBS = {
    "check": ("MODEL", "which rules are violated, where, how to mend it (the default)"),
    "prove": ("MODEL", "what holds for every lead, under which assumptions; a timeline for what does not"),
    "simulate": ("MODEL SCENARIO", "what is sent, minute by minute, what is wrong with it, and why"),
    "explain": ("MODEL SCENARIO", "why one follow-up did or did not go out to one lead"),
    "patch": ("MODEL", "the least change after which no ERROR is left"),
    "insert-stage": ("MODEL STAGE", "a new stage, and the retrofit of every earlier one"),
    "diff": ("MODEL LIVE", "where the platform differs from the model"),
    "measure": ("MODEL MESSAGES.csv", "who was owed a follow-up, who got one, whom it reached"),
    "matrix": ("MODEL", "which follow-up excludes what; as a page with a simulated timeline too"),
}
_MODULES = {
    "check": ("fu_check", "check"),
    "prove": ("fu_prove", "prove"),
    "simulate": ("fu_simulate", "simulate"),
    "explain": ("fu_simulate", "explain"),
    "patch": ("fu_patch", "patch"),
    "insert-stage": ("fu_insert", "insert_stage"),
    "diff": ("fu_diff", "diff"),
    "measure": ("fu_measure", "measure"),
    "matrix": ("fu_matrix", "matrix"),
}


def main(argv: list[str]) -> int:
    """Run one subcommand; without one, ``check``.

    Raises:
        WrongInput: nothing was given.
    """
    if argv and argv[0] in {"-h", "--help"}:
        sys.stdout.write(_help())
        return 0
    if not argv:
        message = f"{PROG}: expected a model, or one of {', '.join(VERBS)}; got nothing"
        raise WrongInput(message, f"See: {PROG} --help")
    name, rest = (argv[0], argv[1:]) if argv[0] in VERBS else ("check", argv)
    from importlib import import_module

    module, function = _MODULES[name]
    return int(getattr(import_module(f"mindloop.cli.{module}"), function)(rest))


def _help() -> str:
    rows = "".join(f"  {name:<13} {given:<19} {line}\n" for name, (given, line) in VERBS.items())
    return (
        f"usage: {PROG} [subcommand] MODEL [arguments]\n\n{rows}\n"
        "Models and scenarios are JSON or YAML. Exit: 0 yes or done, 1 an ERROR, a refuted obligation, drift or\n"
        "nothing found, 2 a wrong call or input, 3 a fault of ours.\n"
        f"{PROG} <subcommand> --help explains one.\n"
    )
