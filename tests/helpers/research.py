"""A small workspace with research in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindloop.store.workspace import Workspace

if TYPE_CHECKING:
    from pathlib import Path

CHRONICLE = "grimoires/mining/chronicle"
FOLLOW_UPS = "grimoires/observer/follow-ups"
INDEX = "grimoires/observer/chronicle/index.jsonl"


def research_workspace(root: Path, files: dict[str, str] | None = None) -> Workspace:
    """A workspace at ``root`` with the given files (relative path to text)."""
    (root / "mindloop.yaml").write_text("schema: 1\n", encoding="utf-8")
    for rel, text in (files or {}).items():
        path = root / rel
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8"))
    return Workspace(str(root))


def entry(name: str, start: str, title: str = "Version two", extra: str = "") -> str:
    """The text of a chronicle entry."""
    return (
        f"---\nid: {name}\ntaxonomy: system.app.released\ntitle: {title}\n"
        f"time:\n  start: {start}\n  end: null\nconfidence: exact\n{extra}---\n\nNotes.\n"
    )
