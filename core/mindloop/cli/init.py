"""``init.py``: make a workspace. Repeatable; nothing that is there is overwritten."""

from __future__ import annotations

import os

from mindloop.skills.setup import advice_for, make, make_client_settings
from mindloop.store.atomic import make_dirs
from mindloop.store.errors import WrongInput
from mindloop.store.workspace import Workspace


def main(argv: list[str]) -> int:
    """Make or complete the workspace and say what was made."""
    from mindloop.cli.isolation import isolation_problem
    from mindloop.cli.output import emit, emit_json, note
    from mindloop.cli.parsing import add_json, parser

    options = parser("init.py", "Make a workspace: mindloop.yaml, world/, agents/, grimoires/. Overwrites nothing.")
    options.add_argument("--root", default=".", metavar="DIR", help="where (default: the current folder)")
    options.add_argument("--sample", action="store_true", help="add the sample users, quotes and releases")
    add_json(options)
    chosen = options.parse_args(argv)
    workspace = _place(chosen.root)
    made = make(workspace, sample=chosen.sample)
    settings = make_client_settings(workspace)
    made += [settings] if settings else []
    problem = isolation_problem(workspace.root)
    advice = [*([problem] if problem else []), *advice_for(workspace)]
    if chosen.json:
        emit_json({"root": workspace.root, "made": made, "isolation": problem, "advice": advice})
        return 0
    emit(f"workspace {workspace.root}: {_told(made)}")
    for line in advice:
        note(f"mindloop: {line}")
    if not chosen.sample:
        emit("next: canvas.py observe --user NAME   (a quote on standard input), then follow_up.py begin")
    return 0


def _told(made: list[str]) -> str:
    if not made:
        return "complete already, nothing changed"
    return f"made {len(made)} paths" if len(made) > 6 else "made " + ", ".join(made)


def _place(root: str) -> Workspace:
    path = os.path.abspath(root)
    if os.path.exists(path) and not os.path.isdir(path):
        message = f"--root {root!r}: expected a folder, found a file"
        raise WrongInput(message, "Name a folder; it is made where it is missing.")
    make_dirs(path)
    return Workspace(os.path.realpath(path))
