"""A workspace: its folders, its marker, and the sample data. Repeatable; nothing that is there is overwritten."""

from __future__ import annotations

import os

from mindloop.observer.layout import layout_of
from mindloop.protocol.run_files import runs_dir
from mindloop.store import locate, reach
from mindloop.store.atomic import make_dirs
from mindloop.store.errors import MindloopError
from mindloop.store.resources import pack_file, read_resource, resource, resource_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.store.transaction import Transaction
    from mindloop.store.workspace import Workspace

SAMPLE = "sample"
CLIENT_SETTINGS = ".claude/settings.json"
_PRIVATE = "/.mindloop/ /agents/ /grimoires/ /world/ /mindloop.yaml"
SEQUENCES = "grimoires/sequences"
MODELS = (f"{SEQUENCES}/fu-model-m0.json", f"{SEQUENCES}/fu-model-language-school.json")
"""What somebody who models follow-ups starts from; a workspace that has models keeps its own."""
IGNORED = ".mindloop/.gitignore"  # locks and journals are this machine's alone


def make(workspace: Workspace, *, sample: bool = False) -> list[str]:
    """Make what is missing of a workspace; return the paths that were made.

    Args:
        workspace: the place; it need not have a marker yet.
        sample: copy the shipped sample data too, file by file, where there is none of that name.

    Raises:
        Malformed: a link leads out of the place; nothing was made then, on neither side of it.
    """
    _require_reach(workspace, sample=sample)
    made = []
    if not workspace.exists(locate.MARKER):
        # The marker comes first: a command that is killed below leaves a workspace that init can complete.
        with workspace.transaction("world") as tx:
            tx.write(locate.MARKER, _marker_text())
        made.append(locate.MARKER)
    made += _make_folders(workspace)
    layout = layout_of(workspace)
    with workspace.transaction("world", "research") as tx:
        if not tx.exists(IGNORED):
            tx.write(IGNORED, "*\n")
        if not tx.exists(layout.provenance_index):
            tx.write(layout.provenance_index, b"")
            made.append(layout.provenance_index)
        if sample:
            made += _copy_sample(tx)
        elif not workspace.names(SEQUENCES, ".json"):
            made += [path for path in MODELS if _copy(tx, path)]
    if sample:
        _derive(workspace)
    return made


def make_client_settings(workspace: Workspace) -> str | None:
    """Write what a conversation in this folder needs of the client's settings; return the path, or None.

    A file that is there stays as it is, byte for byte, and so does a ``.claude`` that leads elsewhere.
    """
    path = workspace.path(CLIENT_SETTINGS)
    home = os.path.dirname(path)
    if os.path.lexists(path) or (os.path.lexists(home) and (os.path.islink(home) or not os.path.isdir(home))):
        return None
    with workspace.transaction("world") as tx:
        tx.write(CLIENT_SETTINGS, _client_settings())
    return CLIENT_SETTINGS


def advice_for(workspace: Workspace) -> list[str]:
    """What a person should still write into files that are theirs, one line each."""
    import json

    advice = []
    present = _denied(_content(workspace, CLIENT_SETTINGS))
    lacking = [json.dumps(rule) for rule in _denied(pack_file(CLIENT_SETTINGS)) if rule not in present]
    if lacking:
        what = "so that no conversation opens a packet, add to permissions.deny of"
        advice.append(f"{what} {CLIENT_SETTINGS}: {', '.join(lacking)}")
    is_ignored = b"grimoires" in _content(workspace, ".gitignore")
    if os.path.lexists(workspace.path(".git")) and not is_ignored:
        advice.append(f"so that research is not committed by accident, add to .gitignore: {_PRIVATE}")
    return advice


def _content(workspace: Workspace, rel: str) -> bytes:
    """A file of the project; one that cannot be read counts as empty, for it is none of ours."""
    try:
        return workspace.read(rel) or b""
    except MindloopError:
        return b""


def _denied(settings: bytes | None) -> list[str]:
    """What settings of the client deny; nothing where they make no sense."""
    import json

    try:
        rules = json.loads(settings or b"{}")["permissions"]["deny"]
    except (ValueError, RecursionError, LookupError, TypeError):
        return []
    return [rule for rule in rules if isinstance(rule, str)] if isinstance(rules, list) else []


def _client_settings() -> str:
    """What of the pack's own settings holds in every folder: the isolation switches, and what nobody may read."""
    import json

    switches = {"includeGitInstructions": False, "autoMemoryEnabled": False}
    denied = _denied(pack_file(CLIENT_SETTINGS))
    return json.dumps({**switches, **({"permissions": {"deny": denied}} if denied else {})}, indent=2) + "\n"


def _marker_text() -> str:
    return read_resource("config/workspace.yaml").replace("STORE-ID", os.urandom(8).hex())


def _require_reach(workspace: Workspace, *, sample: bool) -> None:
    """Refuse a place in which links would lead what is made here to somewhere else."""
    planned = workspace.in_memory()  # which folders there will be is said by the marker that will be there
    if not planned.exists(locate.MARKER):
        with planned.transaction("world") as tx:
            tx.write(locate.MARKER, _marker_text())
    for folder in [*_folders(planned), *(_sample_folders() if sample else [])]:
        reach.require(workspace.root, folder)


def _sample_folders() -> list[str]:
    home = resource(SAMPLE)
    return [os.path.relpath(folder, home) for folder, _, names in sorted(os.walk(home)) if names and folder != home]


def _folders(workspace: Workspace) -> list[str]:
    layout = layout_of(workspace)
    return [
        "world",
        runs_dir(workspace.settings.get("agent")),
        layout.canvas_dir,
        layout.follow_ups_dir,
        layout.growth_dir,
        layout.cognition_dir,
        layout.scores_dir,
        layout.chronicle_index.rpartition("/")[0],
        layout.chronicle_dir,
        layout.provenance_index.rpartition("/")[0],
    ]


def _make_folders(workspace: Workspace) -> list[str]:
    missing = [folder for folder in _folders(workspace) if not workspace.is_dir(folder)]
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
