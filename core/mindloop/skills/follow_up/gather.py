"""Steps 0 and 1: what must be there, and the metadata that all users share."""

from __future__ import annotations

from mindloop.observer.batch.prior import batch_index
from mindloop.observer.canvas.reading import load_canvases, matches
from mindloop.observer.chronicle.releases import load_index as load_chronicle_index
from mindloop.observer.chronicle.releases import load_releases
from mindloop.observer.chronicle.temporal import Windows
from mindloop.observer.packet.others import others_of
from mindloop.observer.provenance.index import load_index
from mindloop.protocol.step import Done
from mindloop.skills.scores import score_command
from mindloop.store import reach
from mindloop.store.errors import StoreFailure, WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.observer.canvas.reading import CanvasFile
    from mindloop.observer.types import Release, ReleaseRecord
    from mindloop.protocol.step import Ask, Skip
    from mindloop.skills.follow_up.case import FollowUp


_MAKE = "Make the folders with: init.py"


def check_dependencies(context: FollowUp) -> Done | Skip | Ask:
    """Step 0: name everything that is missing, at once; nothing is written where something is."""
    missing = _missing(context)
    if missing:
        message = "the batch cannot start; missing: " + "; ".join(what for what, _ in missing)
        raise WrongInput(message, " ".join(dict.fromkeys(hint for _, hint in missing)))
    for path in (context.layout.batch(context.day), context.layout.growth("any")):
        reach.require(context.workspace.root, path)  # said now, not after the writers were paid
    return Done("all required paths are there")


def _missing(context: FollowUp) -> list[tuple[str, str]]:
    """What is missing, and what to do about each."""
    workspace, layout = context.workspace, context.layout
    found = []
    if not workspace.exists(layout.provenance_index):
        found.append((f"{layout.provenance_index} (the provenance index)", _MAKE))
    if not workspace.is_dir(layout.chronicle_dir):
        found.append((f"{layout.chronicle_dir}/ (the release chronicle)", _MAKE))
    if score_command(workspace) is None:
        command = workspace.settings.get("observer.score_api.command")
        hint = "Make that command executable, or correct observer.score_api.command in mindloop.yaml."
        found.append((f"{command} (the score API command, executable)", hint))
    if not workspace.is_dir(layout.canvas_dir) or not workspace.names(layout.canvas_dir, ".md"):
        found.append((f"{layout.canvas_dir}/*.md (at least one canvas)", "Add a first canvas with: canvas.py observe"))
    if not workspace.is_dir(layout.follow_ups_dir):
        found.append((f"{layout.follow_ups_dir}/ (the output folder)", _MAKE))
    return found


def load_shared(context: FollowUp) -> Done | Skip | Ask:
    """Step 1: canvases, releases, the index of earlier batches, the provenance index."""
    workspace = context.workspace
    context.files = load_canvases(workspace)
    context.selected = _selected(context)
    releases, warnings = _releases(context)
    context.windows = Windows(releases)
    context.chronicle_index, index_warnings = _chronicle_index(context)
    context.batches = batch_index(workspace)
    context.warnings += [*warnings, *index_warnings, *context.batches.problems]
    context.index = load_index(workspace)
    context.warnings += context.index.problems
    context.others = others_of(workspace, context.files)
    return Done(f"{len(context.files)} canvases, {len(releases)} releases")


def _releases(context: FollowUp) -> tuple[list[Release], list[str]]:
    """The releases; where the folder cannot be read there are none, so that no claim about a version stands."""
    try:
        return load_releases(context.workspace)
    except StoreFailure as error:
        return [], [f"no release is known, no message may name one: {error.message}"]


def _chronicle_index(context: FollowUp) -> tuple[list[ReleaseRecord] | None, list[str]]:
    try:
        return load_chronicle_index(context.workspace)
    except StoreFailure as error:
        return None, [f"packets go without release notes: {error.message}"]


def _selected(context: FollowUp) -> list[CanvasFile]:
    wanted = context.flags.get("canvas")
    if not wanted:
        return context.files
    chosen = [file for file in context.files if matches(file, wanted)]
    if not chosen:
        message = f"--canvas {wanted!r}: no canvas of that user or file name in {context.layout.canvas_dir}/"
        raise WrongInput(message, "List the users with: canvas.py list")
    return chosen
