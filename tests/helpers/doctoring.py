"""The sample as a workspace, what doctor says of it, and proof that a look left no trace."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mindloop.cli.app import _speak_utf8, run
from mindloop.skills.setup import make
from mindloop.store.workspace import Workspace

if TYPE_CHECKING:
    import pytest

INDEX = "grimoires/mining/provenance/index.jsonl"
CHRONICLE_INDEX = "grimoires/observer/chronicle/index.jsonl"
CANVASES = "grimoires/observer/canvas"
GROWTH = "grimoires/observer/growth"
COGNITION = "grimoires/observer/cognition"
FOLLOW_UPS = "grimoires/observer/follow-ups"
RUNS = "agents/researcher/session/runs"


@cache
def _made(*, sample: bool) -> str:
    root = tempfile.mkdtemp(prefix="mindloop-doctor-")
    import atexit

    atexit.register(shutil.rmtree, root, ignore_errors=True)
    make(Workspace(root), sample=sample)
    return root


def sample_workspace(place: Path, *, sample: bool = True) -> Path:
    """A new workspace at ``place``: the sample, or an empty one."""
    shutil.copytree(_made(sample=sample), place, symlinks=True)
    return place


def footprint(root: Path) -> dict[str, object]:
    """Every name below a folder with its kind, bytes, mode and time of change."""
    found: dict[str, object] = {}
    for folder, folders, files in os.walk(root):
        for name in [".", *folders, *files]:
            path = os.path.join(folder, name)
            status = os.lstat(path)
            content = Path(path).read_bytes() if os.path.isfile(path) and not os.path.islink(path) else None
            found[os.path.relpath(path, root)] = (status.st_mode, status.st_mtime_ns, status.st_size, content)
    return found


class Doctor:
    """Runs the command in this process, as the launcher does."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self._capsys = capsys
        monkeypatch.setenv("MINDLOOP_ROOT", str(root))
        monkeypatch.setenv("MINDLOOP_NOW", "2026-02-20T09:00:00Z")

    def say(self, *argv: str) -> tuple[int, str, str]:
        """Exit code, stdout, stderr."""
        self._capsys.readouterr()
        _speak_utf8()
        code = run("doctor", argv)
        captured = self._capsys.readouterr()
        return code, captured.out, captured.err

    def findings(self, *severities: str) -> list[dict[str, Any]]:
        """The findings of these severities, by default errors and warnings."""
        _code, out, err = self.say("--json")
        assert err == ""
        wanted = severities or ("error", "warning")
        return [one for one in json.loads(out)["findings"] if one["severity"] in wanted]

    def new(self, before: list[dict[str, Any]], *severities: str) -> list[tuple[str, str | None, int | None]]:
        """(rule, path, line) of the findings that ``before`` has not."""
        return [(one["rule"], one["path"], one["line"]) for one in self.findings(*severities) if one not in before]
