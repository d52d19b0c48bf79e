"""How much memory a command has at its highest, told by the command itself.

Linux counts the memory of the process that starts another one into the figure that ``wait4`` gives for the other: a
test that has grown would measure itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_MEASURED = """
import os, sys
leave = os._exit

def tell(code):
    with open("/proc/self/status") as status:
        peak = next(line.split()[1] for line in status if line.startswith("VmHWM"))
    with open(sys.argv[0], "w") as file:
        file.write(peak)
    leave(code)

os._exit = tell
place, path = sys.argv[1:3]
sys.argv = [place, *sys.argv[3:]]
sys.path.insert(0, os.path.dirname(path))
with open(path, encoding="utf-8") as file:
    exec(compile(file.read(), path, "exec"), {"__name__": "__main__", "__file__": path})
"""


def telling(python: str, place: Path, command: list[str]) -> list[str]:
    """The call that runs a file of core/scripts and writes its peak to ``place`` when it leaves."""
    return [python, "-c", _MEASURED, str(place), *command]


def peak_told(place: Path) -> float:
    """The peak that was written, in megabytes of 1,024 kilobytes."""
    return int(place.read_text("utf-8")) / 1024
