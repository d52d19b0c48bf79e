"""A call takes its instant once: midnight may pass while it works, and nothing that it writes is of two days."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Any, Self

import pytest

from mindloop.store import clock
from tests.helpers.big_growth import Rows
from tests.helpers.big_workspace import make_big_workspace
from tests.helpers.command_line import call
from tests.helpers.judged_calls import calls
from tests.helpers.restored import Restored

if TYPE_CHECKING:
    from pathlib import Path

LAST = datetime(2031, 12, 31, 23, 59, 59, tzinfo=UTC)
OLD, NEW = "2031-12-31", "2032-01-01"
COMMANDS = (
    *("growth.py sent", "growth.py confirm", "growth.py confirm, with a question", "growth.py reject"),
    *("growth.py answer", "growth.py stop", "growth.py resume", "growth.py match, something new"),
    *("canvas.py observe", "canvas.py observe --ask", "canvas.py ingest, one message"),
    *("canvas.py ingest, with a question", "canvas.py answer", "canvas.py resume"),
    *("cognition.py begin, one user", "cognition.py answer", "cognition.py resume", "follow_up.py begin"),
)
NO_MOMENT = frozenset(("growth.py sent", "growth.py reject"))
"""What writes no moment of its own, or only one that a person gave."""


class Passing(datetime):
    """A clock that goes on by two seconds whenever somebody looks."""

    looks = 0

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        """One second before midnight at first."""
        cls.looks += 1
        moment = LAST + timedelta(seconds=2 * (cls.looks - 1))
        return cls.fromtimestamp(moment.timestamp(), tz)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A workspace in which each command has work, the calls, and what puts it back."""
    root = tmp_path_factory.mktemp("midnight")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _descriptor: None)
        workspace = make_big_workspace(str(root), 12, 240)
        made = {**Rows(workspace, root, 6, 7).calls, **calls(workspace, root)}
        call("growth", "stop", "user00005", "declined", MINDLOOP_ROOT=str(root))
    token = made["growth.py sent"][1][2]
    more = {
        "growth.py match, something new": ("growth.py", ["match", "user00006"], f"me too [FU:{token}]".encode()),
        "growth.py stop": ("growth.py", ["stop", "user00004", "declined"], b""),
        "growth.py resume": ("growth.py", ["resume", "user00005"], b""),
        "follow_up.py begin": ("follow_up.py", ["begin", "--canvas", "user00002"], b""),
    }
    plain = {what: (name, argv, getattr(given, "given", given)) for what, (name, argv, given) in made.items()}
    return root, {**plain, **more}, Restored(root)


def changed(root: Path, before: dict[Path, bytes]) -> str:
    """The names and the text of all that is new in files of data, as one text."""
    told = []
    for path in (one for folder in ("grimoires", "agents") for one in (root / folder).rglob("*") if one.is_file()):
        old, new = before.get(path, b"").decode().splitlines(), path.read_bytes().decode().splitlines()
        told += [str(path.relative_to(root))] if path not in before else []
        told += [line for line in new if line not in old]
    return "\n".join(told)


@pytest.mark.parametrize("what", COMMANDS)
def test_a_call_writes_dates_of_one_day(place: Any, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """Names, headers, records and runs are of the day on which the call began, even where it ends on the next."""
    root, known, restored = place
    restored.next()
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    name, argv, given = known[what]
    monkeypatch.setattr(clock, "datetime", Passing)
    monkeypatch.setattr(Passing, "looks", 0)

    came = call(name.removesuffix(".py"), *argv, stdin=given, MINDLOOP_ROOT=str(root))

    assert came.code == 0, came.err
    text = changed(root, before)
    assert text
    assert NEW not in text + came.out
    assert OLD in text or what in NO_MOMENT
    assert Passing.looks <= 1
