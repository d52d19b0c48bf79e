"""A host: who fills a gap."""

from __future__ import annotations

from typing import Protocol


class Host(Protocol):
    """Answers one gap at a time; it sees the packet and nothing else.

    ``name`` is written wherever the answer goes. ``fill`` returns the raw answer, whose worth is checked later, and
    raises a MindloopError where there is none.
    """

    name: str

    def fill(self, prompt: str, default: str) -> str:
        """Return the raw answer to ``prompt``; ``default`` is the gap's fail-safe answer."""
        ...
