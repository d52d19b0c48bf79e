"""Where the user research keeps its files, relative to the workspace (follow-up, directory map)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.store.files import Files

DEFAULT_ROOT = "observer"


class Layout:
    """Paths below ``grimoires/``; ``root`` names the folder that holds canvases and follow-ups.

    Slugs come from ``names.slug``: never a name as a user wrote it.
    """

    __slots__ = ("root",)

    def __init__(self, root: str = DEFAULT_ROOT) -> None:
        self.root = f"grimoires/{root}"

    @property
    def canvas_dir(self) -> str:
        """Folder of the user truth canvases."""
        return f"{self.root}/canvas"

    @property
    def follow_ups_dir(self) -> str:
        """Folder of the batch files."""
        return f"{self.root}/follow-ups"

    @property
    def growth_dir(self) -> str:
        """Folder of the growth states."""
        return f"{self.root}/growth"

    @property
    def cognition_dir(self) -> str:
        """Folder of the cognition sidecars."""
        return f"{self.root}/cognition"

    @property
    def stops_dir(self) -> str:
        """Folder of the stops: users whom nobody writes to for now."""
        return f"{self.root}/stops"

    @property
    def scores_dir(self) -> str:
        """Folder that the shipped score reader looks into."""
        return f"{self.root}/scores"

    @property
    def rehearsal_dir(self) -> str:
        """Folder of scripted answers for the rehearsal host."""
        return f"{self.root}/rehearsal"

    @property
    def chronicle_index(self) -> str:
        """The derived release index; it can be deleted at any moment."""
        return f"{self.root}/chronicle/index.jsonl"

    @property
    def chronicle_dir(self) -> str:
        """Folder of the release entries, the source of the index."""
        return "grimoires/mining/chronicle"

    @property
    def provenance_index(self) -> str:
        """The append-only index of everything that users said."""
        return "grimoires/mining/provenance/index.jsonl"

    def canvas(self, slug: str) -> str:
        """The canvas that our own writers make for a user."""
        return f"{self.canvas_dir}/{slug}-canvas.md"

    def growth(self, slug: str) -> str:
        """A user's growth state."""
        return f"{self.growth_dir}/{slug}.yaml"

    def proposals(self, slug: str) -> str:
        """The replies that may belong to a user's messages, for a person to confirm."""
        return f"{self.growth_dir}/{slug}.proposed_matches.yaml"

    def stop(self, slug: str) -> str:
        """Why and since when nobody writes to a user."""
        return f"{self.stops_dir}/{slug}.yaml"

    def cognition(self, slug: str) -> str:
        """A user's cognition sidecar."""
        return f"{self.cognition_dir}/{slug}.yaml"

    def rehearsal(self, slug: str) -> str:
        """A user's scripted rehearsal answer."""
        return f"{self.rehearsal_dir}/{slug}.txt"

    def batch(self, day: str) -> str:
        """The batch file of a day, ``YYYY-MM-DD``."""
        return f"{self.follow_ups_dir}/{day}.md"

    def follow_up_synthesis(self, day: str) -> str:
        """What the users of a follow-up run share, ``YYYY-MM-DD``."""
        return f"{self.follow_ups_dir}/{day}-synthesis.md"

    def cognition_synthesis(self, day: str) -> str:
        """What the users that were thought about share, ``YYYY-MM-DD``."""
        return f"{self.cognition_dir}/synthesis-{day}.md"


def layout_of(files: Files) -> Layout:
    """The paths of a workspace, whose observer folder is a setting (``observer.root``)."""
    return Layout(str(files.settings.get("observer.root")))
