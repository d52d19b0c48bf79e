"""An export that does not fit into the memory that the command may have."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from mindloop.skills.setup import make
from mindloop.store.workspace import Workspace
from tests.helpers.big_export import write_big_export
from tests.helpers.peak_memory import peak_told, telling

COMMAND = Path(__file__).parents[3] / "core" / "scripts" / "canvas.py"
MESSAGES = 60_000
SIZE, PEAK = 200_000_000, 200_000 / 1024
"""Bytes of the export; megabytes that the process may have in memory at its highest."""


def test_an_export_is_streamed(tmp_path: Path) -> None:
    """200 MB of a conversation, our questions with their tokens among it, pass through less than 200 MB of memory."""
    export, root, out = tmp_path / "dm.json", tmp_path / "ws", tmp_path / "out"
    assert write_big_export(export, MESSAGES, shared=True, padding=2_900, token="deadbeef") > SIZE
    make(Workspace(str(root)))
    peak = tmp_path / "peak"
    argv = telling(sys.executable, peak, [str(COMMAND), "ingest", str(export), "--user", "bob", "--json"])
    actions = [(os.POSIX_SPAWN_OPEN, 1, str(out), os.O_WRONLY | os.O_CREAT, 0o644)]
    environment = {**os.environ, "MINDLOOP_ROOT": str(root), "MINDLOOP_NOW": "2026-11-30T09:00:00Z"}
    pid = os.posix_spawn(sys.executable, argv, environment, file_actions=actions)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    came = json.loads(out.read_text("utf-8"))
    assert (came["entries"], came["own"], came["new"], came["complete"]) == (
        MESSAGES,
        MESSAGES // 2,
        MESSAGES // 2,
        True,
    )
    records = (root / "grimoires/mining/provenance/index.jsonl").read_text("utf-8").splitlines()
    assert sum('"prompt_tokens":["deadbeef"]' in record for record in records) == MESSAGES // 2_000
    assert peak_told(peak) < PEAK
