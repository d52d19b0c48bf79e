"""Keeps the trace of a fault of our own where a person can find it."""

from __future__ import annotations

import os


def keep_trace(command: str, error: BaseException) -> str:
    """Write the trace to a new file in the temporary folder; return its path, or why there is none."""
    import tempfile
    import traceback

    text = "".join(traceback.format_exception(error))
    try:
        handle, path = tempfile.mkstemp(prefix=f"mindloop-{command}-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as problem:
        return f"no file ({problem.strerror}); its last line: {text.strip().splitlines()[-1]}"
    return path
