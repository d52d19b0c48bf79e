"""How it is told that no model was asked: the host that stands in files, the label in front of made-up words."""

from __future__ import annotations

REHEARSAL = "rehearsal"
"""The name of the rehearsal host (``hosts.rehearsal``): what it answered was said by nobody, and nobody is sent it."""
LABEL = "[rehearsal]"
"""What every text of a rehearsal starts with."""
