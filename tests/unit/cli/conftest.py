"""The commands' tests are about what is said and written, not about power loss: the crash suite has the real fsync."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(autouse=True)
def _quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)
    for name in ("MINDLOOP_ROOT", "MINDLOOP_NOW", "MINDLOOP_OBSERVER_ROOT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MINDLOOP_LOCK_TIMEOUT", "0.05")
