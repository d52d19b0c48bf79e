"""Settings of all tests."""

from __future__ import annotations

import os

from hypothesis import settings

# A run of the suite decides on a change, so it tries the same examples each time; MINDLOOP_FUZZ=1 looks for new ones.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("new", deadline=None)
settings.load_profile("new" if os.environ.get("MINDLOOP_FUZZ") else "same")
