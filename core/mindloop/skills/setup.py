"""A workspace: its folders, its marker, and the sample data. Repeatable; nothing that is there is overwritten."""

from __future__ import annotations

import os

from mindloop.observer.layout import Layout, layout_of
from mindloop.protocol.run_files import runs_dir
from mindloop.store import locate
from mindloop.store.atomic import make_dirs
from mindloop.store.resources import read_resource, resource, resource_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.store.transaction import Transaction
    from mindloop.store.workspace import Workspace

SAMPLE = "sample"
SEQUENCES = "grimoires/sequences"
MODELS = (f"{SEQUENCES}/fu-model-m0.json", f"{SEQUENCES}/fu-model-language-school.json")
"""What somebody who models follow-ups starts from; a workspace that has the folder keeps it as it is."""
IGNORED = ".mindloop/.gitignore"  # locks and journals are this machine's alone


def make(workspace: Workspace, *, sample: bool = False) -> list[str]:
    """Make what is missing of a workspace; return the paths that were made.

    Args:
        workspace: the place; it need not have a marker yet.
        sample: copy the shipped sample data too, file by file, where there is none of that name.
    """
    made = []
    if not workspace.exists(locate.MARKER):
        # The marker comes first: a command that is killed below leaves a workspace that init can complete.
        with workspace.transaction("world") as tx:
            tx.write(locate.MARKER, _marker_text())
        made.append(locate.MARKER)
    layout = layout_of(workspace)
    made += _make_folders(workspace, layout)
    with workspace.transaction("world", "research") as tx:
        if not tx.exists(IGNORED):
            tx.write(IGNORED, "*\n")
        if not tx.exists(layout.provenance_index):
            tx.write(layout.provenance_index, b"")
            made.append(layout.provenance_index)
        if sample:
            made += _copy_sample(tx)
        elif not workspace.is_dir(SEQUENCES):
            made += [path for path in MODELS if _copy(tx, path)]
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
    data = resource_bytes(f"{SAMPLE}/{path}")
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


def _derive(workspace: Workspace) -> None:
    from mindloop.observer.chronicle.releases import rebuild_index

    with workspace.transaction("research") as tx:
        rebuild_index(tx)
