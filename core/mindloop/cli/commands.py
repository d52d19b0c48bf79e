"""The commands: name, module, one line of help. A module's ``main(argv) -> int`` is the whole contract."""

from __future__ import annotations

COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("mindloop.cli.init", "make a workspace: mindloop.yaml, world/, agents/, grimoires/"),
    "canvas": ("mindloop.cli.canvas", "observe a quote, ingest an export, list and show users"),
    "provenance": ("mindloop.cli.provenance", "hash, ingest and verify what users said"),
    "chronicle": ("mindloop.cli.chronicle", "add releases and query them"),
    "follow_up": ("mindloop.cli.follow_up", "begin, packet, answer, resume, status"),
    "growth": ("mindloop.cli.growth", "what growth knows of a user"),
    "cognition": ("mindloop.cli.cognition", "what a user may be afraid of: begin, packet, answer, resume, show"),
    "drive": ("mindloop.cli.drive", "run a skill to its end without a person"),
    "fu_conformance": ("mindloop.cli.fu_conformance", "check, prove, simulate and mend follow-up sequences"),
    "doctor": ("mindloop.cli.doctor", "read everything, report what is wrong, change nothing"),
}
