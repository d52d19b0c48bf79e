"""What a workspace and a transaction have in common: files to be read by their workspace-relative path."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from mindloop.store.settings import Settings

    class Files(Protocol):
        """A workspace, or a transaction that shows what is staged in it."""

        @property
        def settings(self) -> Settings:
            """The settings of the workspace."""

        def read(self, rel: str, limit: int | None = None) -> bytes | None:
            """Return the bytes of a file, or None."""

        def read_text(self, rel: str, limit: int | None = None) -> str | None:
            """Return the text of a file, or None."""

        def exists(self, rel: str) -> bool:
            """Tell whether a file or folder is there."""

        def is_dir(self, rel: str) -> bool:
            """Tell whether a folder is there."""

        def size(self, rel: str) -> int | None:
            """Return the bytes of a file, or None."""

        def names(self, rel_dir: str, suffix: str = "") -> list[str]:
            """Return the sorted names of the files of a folder."""

        def tree(self, rel_dir: str, suffix: str = "") -> list[str]:
            """Return the sorted workspace paths of all files under a folder."""

        def folders(self, rel_dir: str) -> list[str]:
            """Return the sorted names of the folders in a folder."""
