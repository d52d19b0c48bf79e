"""The commands of /observe, /ingest-dm and /think on users of a big workspace, with work to do, to be timed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from mindloop.protocol.run_files import file_answer, find_run, read_item
from mindloop.skills.ingest_dm.ingest import Wanted, ingest
from mindloop.skills.think.begin import begin
from mindloop.store.clock import now
from tests.helpers.big_workspace import user_of
from tests.helpers.direct_messages import opened, said
from tests.helpers.restored import Restored

if TYPE_CHECKING:
    from mindloop.store.workspace import Workspace

QUOTE = "nobody ever told me what the numbers stand for"


def calls(workspace: Workspace, folder: Path) -> dict[str, tuple[str, list[str], Any]]:
    """Script, arguments and standard input of each call, by its name; each has the same to do every time."""
    user, other = user_of(8), user_of(9)
    known = said("the page froze twice", author=("1", user, user))
    old, new = str(folder / "known.json"), str(folder / "new.json")
    Path(old).write_bytes(known)
    Path(new).write_bytes(said("and it froze again", author=("1", user, user)))
    ingest(workspace, opened(known), "known.json", Wanted(user, ask=False), now())
    told, filed = _ingested(workspace, 9), _ingested(workspace, 10)
    thought, distilled = _thinking(workspace, 9), _thinking(workspace, 10)
    for run, whose in ((filed, user_of(10)), (distilled, user_of(10))):
        file_answer(workspace, run, whose, _default(workspace, run, whose), "bench")
    again = Restored(folder)

    def answering(run: str) -> Restored:
        return Restored(folder, _default(workspace, run, other).encode())

    return {
        "canvas.py observe": ("canvas.py", ["observe", "--user", user], Restored(folder, QUOTE.encode())),
        "canvas.py observe --ask": (
            "canvas.py",
            ["observe", "--ask", "--user", user],
            Restored(folder, QUOTE.encode()),
        ),
        "canvas.py ingest, nothing new": ("canvas.py", ["ingest", old, "--user", user], again),
        "canvas.py ingest, one message": ("canvas.py", ["ingest", new, "--user", user, "--no-ask"], again),
        "canvas.py ingest, with a question": ("canvas.py", ["ingest", new, "--user", user], again),
        "canvas.py packet": ("canvas.py", ["packet", told, other], again),
        "canvas.py answer": ("canvas.py", ["answer", told, other], answering(told)),
        "canvas.py resume": ("canvas.py", ["resume", filed], again),
        "cognition.py begin, one user": ("cognition.py", ["begin", "--user", user_of(4)], again),
        "cognition.py packet": ("cognition.py", ["packet", thought, other], again),
        "cognition.py answer": ("cognition.py", ["answer", thought, other], answering(thought)),
        "cognition.py resume": ("cognition.py", ["resume", distilled], again),
    }


def _ingested(workspace: Workspace, number: int) -> str:
    """A run of one question about what a user said."""
    user = user_of(number)
    export = opened(said("it broke twice", author=("2", user, user)))
    return str(ingest(workspace, export, "dm.json", Wanted(user), now()).run)


def _thinking(workspace: Workspace, number: int) -> str:
    """A run of one question about a user."""
    place = begin(workspace, now(), user=user_of(number)).place
    assert place is not None
    return place.run


def _default(workspace: Workspace, run: str, item: str) -> str:
    return str(read_item(workspace, find_run(workspace, run), item)["default"])
