"""Calls commands: in this process for most tests, as a process of its own where that is the point."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest.mock import patch

from mindloop.cli.app import run

REPOSITORY = Path(__file__).parents[2]
SCRIPTS = REPOSITORY / "core" / "scripts"


class Called:
    """What a command came to."""

    def __init__(self, code: int, out: bytes, err: bytes) -> None:
        self.code = code
        self.raw = out
        self.out = out.decode("utf-8", "backslashreplace")
        self.err = err.decode("utf-8", "backslashreplace")

    @property
    def json(self) -> dict[str, Any]:
        """The one object that --json printed."""
        value: dict[str, Any] = json.loads(self.raw)
        return value


def call(name: str, *argv: str, stdin: bytes | str = b"", **env: str) -> Called:
    """Run a command in this process; ``env`` is added to the environment."""
    data = stdin.encode("utf-8") if isinstance(stdin, str) else stdin
    out, err = io.BytesIO(), io.BytesIO()
    streams = {
        "stdin": io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"),
        "stdout": io.TextIOWrapper(out, encoding="utf-8", errors="backslashreplace", write_through=True),
        "stderr": io.TextIOWrapper(err, encoding="utf-8", errors="backslashreplace", write_through=True),
    }
    with patch.multiple(sys, **streams), patch.dict(os.environ, env):
        try:
            code = run(name, list(argv))
        except SystemExit as left:
            code = int(left.code or 0)
    return Called(code, out.getvalue(), err.getvalue())


def script(name: str, *argv: str, cwd: Path, stdin: bytes = b"", direct: bool = False, **env: str) -> Called:
    """Run a file of core/scripts in a folder, through python3 or by itself."""
    command = [str(SCRIPTS / name)] if direct else [sys.executable, str(SCRIPTS / name)]
    kept = {key: value for key, value in os.environ.items() if not key.startswith("MINDLOOP_")}
    done = subprocess.run(
        [*command, *argv], cwd=cwd, input=stdin, capture_output=True, env={**kept, **env}, timeout=60, check=False
    )
    return Called(done.returncode, done.stdout, done.stderr)
