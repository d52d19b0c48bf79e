"""/think in the real client: every distiller gets one user, and the conversation gets receipts."""

from __future__ import annotations

import pytest

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
    from pathlib import Path

    from tests.helpers.client_sandbox import Turn
    from tests.helpers.judge_play import Script

pytestmark = pytest.mark.e2e
MARK = "angst-kanarie"
COGNITION = "grimoires/observer/cognition"


def think(page: str) -> Script:
    """What the page says: begin, a distiller a packet, resume."""
    begin = command(page, "cognition.py", "begin")
    (said,) = yield [bash(begin)]
    yield from judge_calls("cognition-distiller", references(said))
    yield [bash(begin.replace('" begin', f'" resume {run_of(references(said)[0])}'))]


class Scene:
    """One whole /think over the sample users, and everything that was sent for it."""

    def __init__(self, folder: Path) -> None:
        client()
        self.sandbox = Sandbox.of_repository(folder)
        self.people = sample_with_canaries(self.sandbox)
        self.judge = Defaults(self.sandbox, "think", MARK)
        self.talk = Conversation(think, self.judge)
        with ModelApi(self.talk) as self.api:
            self.turn: Turn = self.sandbox.ask(self.api.url, "/think").really_ran()
        self.items = items(self.sandbox, "think")


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return Scene(tmp_path_factory.mktemp("wire"))


def test_every_packet_goes_byte_for_byte_to_one_distiller_without_tools(scene: Scene) -> None:
    """The page's own commands run unasked, and each packet is sent once, as `begin` assembled it."""
    assert scene.turn.denied == []
    assert len(scene.items) >= 12
    assert sorted(request.texts()[-1] for request in scene.api.subagents) == sorted(
        one["prompt"] for one in scene.items
    )
    assert all(request.tools == [] for request in scene.api.subagents)


def test_nothing_of_one_user_reaches_another_or_the_conversation(scene: Scene) -> None:
    """A canvas's canary, name and wallet are in the one request about its user, a distiller's words in none."""
    assert leaks(scene.api, scene.people, MARK) == []
    owners = {person.slug for person in scene.people for request in scene.api.subagents if request.holds(person.canary)}
    assert len(owners) == len(scene.items)


def test_what_the_client_prints_of_the_conversation_is_as_clean(scene: Scene) -> None:
    """Turns, tool results and the sum at the end hold neither a packet nor an answer."""
    kinds = {"assistant", "user", "result"}
    events = [event for event in scene.turn.events if event["type"] in kinds and not event.get("parent_tool_use_id")]
    marks = [MARK, *(person.canary for person in scene.people)]
    assert len(events) > len(scene.items)
    assert [mark for mark in marks if any(mark in str(event) for event in events)] == []


def test_every_answer_is_filed_as_it_was_given_and_taken(scene: Scene) -> None:
    """The conversation sees receipts; the sidecars hold the distillers' words and who they were."""
    assert answers(scene.sandbox, "think") == scene.judge.given
    receipts = [said for said in scene.talk.said if said.startswith("packet:")]
    assert len(receipts) == len(scene.items)
    assert all("answer filed" in receipt for receipt in receipts)
    for item in scene.items:
        sidecar = (scene.sandbox.project / COGNITION / f"{item['slug']}.yaml").read_text(encoding="utf-8")
        assert MARK in sidecar
        assert "host: claude-code" in sidecar
    assert f"{len(scene.items)} taken, 0 refused, 0 still open" in scene.talk.said[-1]
