"""Growth for many users of a big workspace, replies to it, and the commands around one user's replies, to be timed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mindloop.observer.canonical import content_hash
from mindloop.observer.growth.files import write_state
from mindloop.observer.growth.reading import load_user
from mindloop.observer.growth.record import record_batch
from mindloop.observer.growth.state import messages, new_growth
from mindloop.observer.layout import Layout
from mindloop.skills.grow.confirm import confirm
from mindloop.skills.grow.match import match_everybody, match_text
from mindloop.store.clock import now, stamp
from tests.helpers.big_workspace import user_of
from tests.helpers.growth_states import days, hypothesis, message, result
from tests.helpers.restored import Restored

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from mindloop.store.workspace import Workspace

TOPICS = ("H1: Stops looking when numbers do not move", "H2: Trusts friends more than badges")
GROUP = 64


def give_growth(workspace: Workspace, users: Iterable[int], batches: int = 3) -> None:
    """Let users have so many batches of two messages, the last one three days after ``growth_states.NOW``."""
    numbers = list(users)
    for start in range(0, len(numbers), GROUP):
        group = [user_of(number) for number in numbers[start : start + GROUP]]
        with workspace.transaction(*(f"user:{user}" for user in group)) as tx:
            for user in group:
                write_state(tx, _state(user, batches))


def _state(user: str, batches: int) -> Any:
    state = new_growth(user, None, days(0))
    known = [hypothesis(1, TOPICS[0][4:]), hypothesis(2, TOPICS[1][4:])]
    made = result(*(message(topic) for topic in TOPICS), slug=user)
    for number in range(batches):
        at = days(3 - batches + number)
        state, _ = record_batch(state, made, stamp(at)[:10], at, max_batches=10, hypotheses=known)
    return state


def add_replies(workspace: Workspace, users: Iterable[int], mark: str) -> None:
    """Append one new record a user to the index: words that fit one topic."""
    lines = []
    for number in users:
        words = f"{mark}: my friends told me, one trusts them and no badges, {number}"
        record = {
            "record_id": f"prov-{mark}-{number}",
            "content_hash": content_hash(words),
            "source_type": "discord_dm",
            "source_timestamp": "2026-02-18T10:00:00Z",
            "source_timestamp_confidence": "exact",
            "canvas_target": user_of(number),
            "ingested_by": "ingest-dm",
            "ingested_at": "2026-02-18T11:00:00Z",
            "text": words,
        }
        lines.append(json.dumps(record, separators=(",", ":")) + "\n")
    with open(workspace.path(Layout().provenance_index), "a", encoding="utf-8") as file:
        file.write("".join(lines))


class Rows:
    """The commands of /grow on two users: script, arguments and standard input of each, by its name, in ``calls``.

    One user's reply waits for a person, the other's was confirmed and waits for its judge.
    """

    def __init__(self, workspace: Workspace, folder: Path, waiting: int, asked: int) -> None:
        give_growth(workspace, (waiting, asked), 1)
        user, other = user_of(waiting), user_of(asked)
        text = self._pasted(workspace, user)
        self._pasted(workspace, other)
        done = confirm(workspace, other, [], now(), preselected=True)
        run, item = str(done.run), done.packets[0].rpartition("/")[2]
        settled = self._settled(workspace, asked + 1)
        match_everybody(workspace, now())  # so that nothing is new in the rows
        verdict = ("--direction", "supports", "--strength", "high")
        said = {"direction": "supports", "strength": "high", "quote_span": "my friends", "rationale": "behavior"}
        again = Restored(folder)
        commands: dict[str, tuple[list[str], Any]] = {
            "sent": (["sent", user, self._token(workspace, user), "--thread", "dm"], again),
            "match": (["match", user], Restored(folder, text.encode())),
            "match --all": (["match", "--all"], b""),
            "list": (["list", user], b""),
            "confirm": (["confirm", user, "--preselected", *verdict], again),
            "confirm, with a question": (["confirm", user, "--preselected"], again),
            "reject": (["reject", user, self._token(workspace, user)], again),
            "packet": (["packet", run, item], b""),
            "answer": (["answer", run, item], Restored(folder, json.dumps(said).encode())),
            "learn": (["learn", settled], b""),
        }
        self.calls = {f"growth.py {what}": ("growth.py", argv, given) for what, (argv, given) in commands.items()}

    def _pasted(self, workspace: Workspace, user: str) -> str:
        text = f"i asked my friends [FU:{self._token(workspace, user)}]"
        match_text(workspace, user, text, now())
        return text

    def _token(self, workspace: Workspace, user: str) -> str:
        state = load_user(workspace, user)
        assert state is not None
        return next(messages(state))[1]["token"]

    def _settled(self, workspace: Workspace, number: int) -> str:
        """A run whose one answer was taken: what learning finds nothing to do in."""
        from mindloop.protocol.run_files import find_run, read_item
        from mindloop.skills.grow.judging import JUDGING
        from mindloop.skills.judged import answer_now

        give_growth(workspace, (number,), 1)
        self._pasted(workspace, user_of(number))
        done = confirm(workspace, user_of(number), [], now(), preselected=True)
        item = done.packets[0].rpartition("/")[2]
        raw = str(read_item(workspace, find_run(workspace, str(done.run)), item)["default"])
        answer_now(workspace, JUDGING, str(done.run), item, raw, host="claude", now=now())
        return str(done.run)
