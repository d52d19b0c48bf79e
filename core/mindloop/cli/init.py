"""``init.py``: make a workspace. Repeatable; nothing that is there is overwritten."""

from __future__ import annotations

import os

from mindloop.observer.layout import Layout, layout_of
from mindloop.protocol.run_files import runs_dir
from mindloop.store.atomic import make_dirs
from mindloop.store.errors import WrongInput
from mindloop.store.resources import read_resource, resource
from mindloop.store.workspace import Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.store.transaction import Transaction

MARKER = "mindloop.yaml"
SAMPLE = "sample"


def main(argv: list[str]) -> int:
    """Make or complete the workspace and say what was made."""
    from mindloop.cli.output import emit, emit_json
    from mindloop.cli.parsing import add_json, parser

    options = parser("init.py", "Make a workspace: mindloop.yaml, world/, agents/, grimoires/. Overwrites nothing.")
    options.add_argument("--root", default=".", metavar="DIR", help="where (default: the current folder)")
    options.add_argument("--sample", action="store_true", help="add the sample users, quotes and releases")
    add_json(options)
    chosen = options.parse_args(argv)
    workspace = _place(chosen.root)
    made = make(workspace, sample=chosen.sample)
    if chosen.json:
        emit_json({"root": workspace.root, "made": made})
        return 0
    emit(f"workspace {workspace.root}: {_told(made)}")
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


def make(workspace: Workspace, *, sample: bool = False) -> list[str]:
    """Make what is missing of a workspace; return the paths that were made.

    Args:
        workspace: the place; it need not have a marker yet.
        sample: copy the shipped sample data too, file by file, where there is none of that name.
    """
    made = []
    if not workspace.exists(MARKER):
        # The marker comes first: a command that is killed below leaves a workspace that init can complete.
        with workspace.transaction("world") as tx:
            tx.write(MARKER, _marker_text())
        made.append(MARKER)
    layout = layout_of(workspace)
    made += _make_folders(workspace, layout)
    with workspace.transaction("world", "research") as tx:
        if not tx.exists(layout.provenance_index):
            tx.write(layout.provenance_index, b"")
            made.append(layout.provenance_index)
        if sample:
            made += _copy_sample(tx)
    if sample:
        _derive(workspace)
    return made


def _marker_text() -> str:
    return read_resource("config/workspace.yaml").replace("STORE-ID", os.urandom(8).hex())


def _make_folders(workspace: Workspace, layout: Layout) -> list[str]:
    agent = workspace.settings.get("agent")
    wanted = [
        "world",
        runs_dir(agent),
        layout.canvas_dir,
        layout.follow_ups_dir,
        layout.growth_dir,
        layout.cognition_dir,
        layout.scores_dir,
        layout.chronicle_index.rpartition("/")[0],
        layout.chronicle_dir,
        layout.provenance_index.rpartition("/")[0],
    ]
    missing = [folder for folder in wanted if not workspace.is_dir(folder)]
    for folder in missing:
        make_dirs(workspace.path(folder))
    return [f"{folder}/" for folder in missing]


def _copy_sample(tx: Transaction) -> list[str]:
    made = []
    home = resource(SAMPLE)
    for folder, _, names in sorted(os.walk(home)):
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), home)
            if "/" in path and _copy(tx, path):
                made.append(path)
    return made


def _copy(tx: Transaction, path: str) -> bool:
    data = read_resource_bytes(f"{SAMPLE}/{path}")
    before = tx.read(path)
    if before is None or before == b"":
        tx.write(path, data)
        return bool(data) or before is None
    if not path.endswith("index.jsonl"):
        return False
    known = set(before.splitlines())
    fresh = [line for line in data.split(b"\n") if line and line not in known]
    if fresh:
        tx.append(path, b"".join(line + b"\n" for line in fresh))
    return bool(fresh)


def read_resource_bytes(name: str) -> bytes:
    """A shipped file's bytes."""
    with open(resource(name), "rb") as file:
        return file.read()


def _derive(workspace: Workspace) -> None:
    from mindloop.observer.chronicle.releases import rebuild_index

    with workspace.transaction("research") as tx:
        rebuild_index(tx)
