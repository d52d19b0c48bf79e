"""The rehearsal host."""

from __future__ import annotations

from mindloop.hosts.rehearsal import RehearsalHost


def test_every_gap_gets_its_default() -> None:
    """The rehearsal asks nobody and says what the gap's own default says."""
    assert RehearsalHost().fill("a prompt", "{}\n") == "{}\n"
    assert RehearsalHost.name == "rehearsal"
