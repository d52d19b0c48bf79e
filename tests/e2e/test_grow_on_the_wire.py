"""/grow and /ingest-dm in the real client: a judge gets one user's words, the conversation gets receipts."""

from __future__ import annotations

import json
import re

import pytest

from mindloop.store import strict_yaml
from tests.helpers.client_sandbox import Sandbox, client
from tests.helpers.follow_up_play import bash, sample_with_canaries
from tests.helpers.judge_play import (
    Conversation,
    Defaults,
    answers,
    command,
    items,
    judge_calls,
    leaks,
    references,
    run_of,
)
from tests.helpers.model_api import ModelApi

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

    from tests.helpers.client_sandbox import Turn
    from tests.helpers.judge_play import Script

pytestmark = pytest.mark.e2e
MARK = "urteil-kanarie"
GROWTH = "grimoires/observer/growth"
LOG = "[2026-02-10 09:00] us: what did you do then?\n"


class Scene:
    """A sandbox with the sample users, and one conversation over them."""

    def __init__(self, folder: Path) -> None:
        client()
        self.sandbox = Sandbox.of_repository(folder)
        self.people = sample_with_canaries(self.sandbox)

    def play(
        self,
        prompt: str,
        script: Callable[[str], Script],
        skill: str,
        marked: Callable[[str], str] | None = None,
    ) -> None:
        """Run the conversation; each judge answers with its packet's default and a mark."""
        self.judge = Defaults(self.sandbox, skill, MARK, marked)
        self.talk = Conversation(script, self.judge)
        with ModelApi(self.talk) as self.api:
            self.turn: Turn = self.sandbox.ask(self.api.url, prompt).really_ran()
        self.items = items(self.sandbox, skill)

    def reply(self, slug: str) -> str:
        """Put a reply on file as an export would, with the token of a message that was left unanswered."""
        path = self.sandbox.project / GROWTH / f"{slug}.yaml"
        state: Any = strict_yaml.load(path.read_text(encoding="utf-8"), path.name)
        sent = [message for batch in state["follow_ups"] for message in batch["message_ids"]]
        token = next(message["token"] for message in sent if message["outcome"] in ("pending", "silence"))
        words = f"[FU:{token}] on sunday i opened it twice, {reply_mark(slug)}"
        done = self.sandbox.script(
            "core/scripts/provenance.py", "ingest", "--user", slug, "--source-type", "discord_dm", stdin=words
        )
        assert done.returncode == 0, done.stderr
        return reply_mark(slug)

    def asked(self) -> list[str]:
        """What the judges were sent, byte for byte, sorted."""
        assert all(request.tools == [] for request in self.api.subagents)
        return sorted(request.texts()[-1] for request in self.api.subagents)


def reply_mark(slug: str) -> str:
    """The canary of one user's reply."""
    return f"antwort-{slug}-kanarie"


def grow(page: str) -> Script:
    """What the page says: match, confirm what is sure, a classifier a reply, learn."""
    match = command(page, "growth.py", "match")
    base = match.removesuffix(" match")
    (_, listed) = yield [bash(f"{match} --all"), bash(f"{base} list")]
    sure = re.findall(r"^(\S+): \d+ waiting, [1-9]", listed, re.MULTILINE)
    confirmed = yield [bash(f"{base} confirm '{user}' --preselected") for user in sure]
    packets = [reference for said in confirmed for reference in references(said)]
    yield from judge_calls("reply-classifier", packets)
    yield [bash(f"{base} learn {run}") for run in dict.fromkeys(run_of(reference) for reference in packets)]


def test_a_classifier_gets_one_reply_and_the_conversation_gets_receipts(tmp_path: Path) -> None:
    """From match to learn nobody's words pass through the conversation, and no packet holds two users."""
    scene = Scene(tmp_path)
    marks = {slug: scene.reply(slug) for slug in ("ledgerlark", "mossgate", "oatmilk_oracle")}
    scene.play("/grow", grow, "grow")

    assert scene.turn.denied == []
    assert len(scene.items) == 3
    assert scene.asked() == sorted(item["prompt"] for item in scene.items)
    owners = [[slug for slug, mark in marks.items() if request.holds(mark)] for request in scene.api.subagents]
    assert sorted(owners) == [["ledgerlark"], ["mossgate"], ["oatmilk_oracle"]]
    assert leaks(scene.api, scene.people, MARK) == []
    assert [mark for request in scene.api.main for mark in marks.values() if request.holds(mark)] == []
    assert answers(scene.sandbox, "grow") == scene.judge.given
    for slug in marks:
        assert MARK in (scene.sandbox.project / GROWTH / f"{slug}.yaml").read_text(encoding="utf-8")


def ingest(page: str) -> Script:
    """What the page says: ingest, the selector, resume."""
    start = command(page, "canvas.py", "ingest")
    said = yield [bash(f"{start} 'dm {user}.txt' --user '{user}' --operator us --tz UTC") for user in ("ada", "kim")]
    packets = [reference for line in said for reference in references(line)]
    yield from judge_calls("quote-selector", packets)
    yield [bash(f"{start.removesuffix(' ingest')} resume {run_of(reference)}") for reference in packets]


def selected(packet: str) -> str:
    """A selector's answer: the packet's first quote matters, and a hypothesis stands on it."""
    found = re.search(r"\b[0-9a-f]{64}\b", packet)
    user = re.search(r"^User: (.*)$", packet, re.MULTILINE)
    assert found
    assert user
    hypothesis = {"title": MARK, "evidence": [found[0]], "unknown": "whether it lasts"}
    return json.dumps({"user": user[1], "quotes": [{"hash": found[0], "value": "high"}], "hypotheses": [hypothesis]})


def test_a_selector_gets_one_users_export_and_the_conversation_none(tmp_path: Path) -> None:
    """The export's words reach the canvas and the one selector, never the conversation."""
    scene = Scene(tmp_path)
    for user in ("ada", "kim"):
        words = f"{LOG}[2026-02-10 09:05] {user}: i wrote it down by hand, {reply_mark(user)}\n"
        (scene.sandbox.project / f"dm {user}.txt").write_text(words, encoding="utf-8")
    scene.play("/ingest-dm", ingest, "ingest-dm", selected)

    assert scene.turn.denied == []
    assert scene.asked() == sorted(item["prompt"] for item in scene.items)
    owners = [[user for user in ("ada", "kim") if request.holds(reply_mark(user))] for request in scene.api.subagents]
    assert sorted(owners) == [["ada"], ["kim"]]
    hidden = [MARK, reply_mark("ada"), reply_mark("kim"), *(person.canary for person in scene.people)]
    assert [mark for mark in hidden for request in scene.api.main if request.holds(mark)] == []
    assert [
        person.slug for person in scene.people for request in scene.api.subagents if request.holds(person.canary)
    ] == []
    assert answers(scene.sandbox, "ingest-dm") == {"ada": scene.judge.given["ada"], "kim": scene.judge.given["kim"]}
    for user in ("ada", "kim"):
        canvas = scene.sandbox.project / f"grimoires/observer/canvas/{user}-canvas.md"
        assert reply_mark(user) in canvas.read_text(encoding="utf-8")
        assert f": {MARK}" in canvas.read_text(encoding="utf-8")


def observe(page: str) -> Script:
    """What the page says: the words in a heredoc, nothing of them in the command's own line."""
    start = command(page, "canvas.py", "observe")
    delimiter = re.search(r"<<'(\w+)'", page)
    assert delimiter
    yield [bash(f"{start} --user 'kim' <<'{delimiter[1]}'\n{QUOTE}\n{delimiter[1]}")]


QUOTE = """it's "odd": $(touch owned) `touch owned` $HOME; ! a\\b 🦊"""


def test_a_quote_reaches_the_canvas_as_it_was_said(tmp_path: Path) -> None:
    """Quote marks, dollars, backticks and a backslash are words, and the page's own command runs unasked."""
    scene = Scene(tmp_path)
    scene.talk = Conversation(observe, lambda _: [])
    with ModelApi(scene.talk) as api:
        turn = scene.sandbox.ask(api.url, "/observe").really_ran()
    assert turn.denied == []
    assert not (scene.sandbox.project / "owned").exists()
    canvas = scene.sandbox.project / "grimoires/observer/canvas/kim-canvas.md"
    assert canvas.exists(), scene.talk.said
    verified = scene.sandbox.script("core/scripts/provenance.py", "verify", "--user", "kim")
    assert verified.returncode == 0, verified.stderr
    hashed = scene.sandbox.script("core/scripts/provenance.py", "hash", stdin=QUOTE)
    assert hashed.stdout.strip() in canvas.read_text(encoding="utf-8")
