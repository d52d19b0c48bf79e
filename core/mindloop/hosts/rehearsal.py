"""The host that needs no model: every gap gets its default."""

from __future__ import annotations


class RehearsalHost:
    """Shows the whole way of an answer without asking anybody; whatever it fills is labelled as such."""

    name = "rehearsal"

    def fill(self, prompt: str, default: str) -> str:  # noqa: ARG002 - the interface of a host
        """Return ``default`` as it is."""
        return default
