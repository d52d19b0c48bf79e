"""/follow-up in the real client: what really goes over the wire, to whom."""

from __future__ import annotations

import pytest

from tests.helpers.client_sandbox import REPOSITORY, Sandbox, client
from tests.helpers.follow_up_play import Play, answer_of, bash, filed_answer, packet, sample_with_canaries
from tests.helpers.judge_play import Conversation, Defaults, command, items, judge_calls, leaks, packets_by_judge
from tests.helpers.model_api import ModelApi, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from tests.helpers.client_sandbox import Turn
    from tests.helpers.follow_up_play import Person
    from tests.helpers.judge_play import Script
    from tests.helpers.model_api import Block, Request

pytestmark = pytest.mark.e2e
ANSWER_MARK = "antwort-kanarie"
WAITING = 11


class Scene:
    """One whole /follow-up over the sample users, and everything that was sent for it."""

    def __init__(self, folder: Path) -> None:
        client()
        self.sandbox = Sandbox.of_repository(folder)
        self.people = sample_with_canaries(self.sandbox)
        self.play = Play(_writer)
        with ModelApi(self.play) as self.api:
            self.turn: Turn = self.sandbox.ask(self.api.url, "/follow-up").really_ran()
        self.packets = {reference: packet(self.sandbox, reference) for reference in self.play.references}

    def owner(self, request: Request) -> Person:
        """The one person whose packet a writer's request carries."""
        found = [person for person in self.people if request.holds(person.canary)]
        assert len(found) == 1, [person.slug for person in found]
        return found[0]


def _writer(request: Request) -> list[Block]:
    return [text(answer_of(request.texts()[-1], ANSWER_MARK))]


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return Scene(tmp_path_factory.mktemp("wire"))


def test_every_waiting_user_gets_one_writer(scene: Scene) -> None:
    """The skill page's own commands run unasked, and each packet is written once."""
    assert scene.turn.denied == []
    assert len(scene.play.references) == WAITING
    assert len(scene.api.subagents) == WAITING


def test_a_writer_gets_its_packet_byte_for_byte(scene: Scene) -> None:
    """What the writer reads is what `begin` assembled, to the last line end."""
    sent = [request.texts()[-1].encode() for request in scene.api.subagents]
    assert sorted(sent) == sorted(prompt.encode() for prompt in scene.packets.values())


def test_a_writer_has_no_tools(scene: Scene) -> None:
    """The request says so itself."""
    assert [request.body["tools"] for request in scene.api.subagents] == [[]] * WAITING


def test_a_writer_gets_nothing_beside_its_packet_and_the_date(scene: Scene) -> None:
    """No git status, no memory, no list of skills; the other text block is the client's own."""
    for request in scene.api.subagents:
        reminder, _ = request.texts()
        assert "# currentDate" in reminder
        assert request.texts("system") == []
        for foreign in ("gitStatus", "MEMORY.md", "claudeMd", "skills are available"):
            assert not request.holds(foreign), foreign


def test_nothing_of_one_user_reaches_another(scene: Scene) -> None:
    """Canary, file name and wallet of A occur in no request about B, its prior section included."""
    assert len({scene.owner(request).slug for request in scene.api.subagents}) == WAITING
    for request in scene.api.subagents:
        owner = scene.owner(request)
        for other in scene.people:
            leaked = [mark for mark in other.own if request.holds(mark)]
            assert other is owner or leaked == [], (owner.slug, other.slug)


def test_the_conversation_never_holds_a_canvas_or_an_answer(scene: Scene) -> None:
    """Neither what goes in nor what comes out of a writer passes through the main model."""
    assert len(scene.api.main) >= 4
    for request in scene.api.main:
        assert not request.holds(ANSWER_MARK)
        for person in scene.people:
            assert [mark for mark in person.own if request.holds(mark)] == [], person.slug


def test_what_the_client_prints_of_the_conversation_is_as_clean(scene: Scene) -> None:
    """Turns, tool results and the sum at the end hold no packet; the client reports writers in events of their own."""
    kinds = {"assistant", "user", "result"}
    events = [event for event in scene.turn.events if event["type"] in kinds]
    printed = [str(event) for event in events if not event.get("parent_tool_use_id")]
    assert len(printed) > WAITING
    marks = [ANSWER_MARK, *(person.canary for person in scene.people)]
    assert [mark for mark in marks if any(mark in event for event in printed)] == []


def test_every_answer_is_filed_as_it_was_given(scene: Scene) -> None:
    """The hook files the raw text; the conversation sees a receipt in its place."""
    for reference, prompt in scene.packets.items():
        assert filed_answer(scene.sandbox, reference) == answer_of(prompt, ANSWER_MARK)
    receipts = [said for _, said, _ in scene.api.main[-1].results() if said.startswith("packet:")]
    assert len(receipts) == WAITING
    assert all("answer filed" in receipt and "SendMessage with to: ''" in receipt for receipt in receipts)


def test_the_batch_is_written(scene: Scene) -> None:
    """What the writers said stands in the day's batch, for every user who waited."""
    *_, batch = sorted((scene.sandbox.project / "grimoires/observer/follow-ups").glob("2*.md"))
    assert batch.read_text(encoding="utf-8").count(ANSWER_MARK) == WAITING


def test_only_the_model_api_was_spoken_to(scene: Scene) -> None:
    """Apart from the client's look whether anybody is there, every request is a request for a message."""
    assert set(scene.api.strangers) <= {("HEAD", "/")}


def follow_up(page: str) -> Script:
    """What the page says: begin, each packet to its judge, resume, until nothing new is printed."""
    begin = command(page, "follow_up.py", "begin")
    (said,) = yield [bash(f"{begin} --synthesize")]
    run = said.split()[1].rstrip(";")
    while asked := packets_by_judge(said, "follow-up-writer"):
        for judge, packets in asked.items():
            yield from judge_calls(judge, packets)
        (said,) = yield [bash(begin.replace('" begin', f'" resume {run}'))]


def test_a_stale_user_is_thought_about_first_and_what_all_share_is_asked_last(tmp_path: Path) -> None:
    """Distiller, writers and the synthesis-writer each get their own packet, and the conversation gets none of it."""
    client()
    sandbox = Sandbox.of_repository(tmp_path)
    people = sample_with_canaries(sandbox)
    (stale,) = [person for person in people if person.slug == "mossgate"]
    canvas = stale.path.read_text(encoding="utf-8")
    stale.path.write_text(
        canvas.replace("last_enriched:", "last_enriched: 2026-11-01T10:00:00Z #", 1), encoding="utf-8"
    )
    asked: list[tuple[str, Request]] = []
    defaults = {skill: Defaults(sandbox, skill, ANSWER_MARK) for skill in ("think", "synthesis")}

    def judge(request: Request) -> list[Block]:
        (item,) = [one for one in items(sandbox, "*") if one.get("prompt") == request.texts()[-1]]
        skill = item["run"].partition("-2")[0]
        asked.append((skill, request))
        return defaults[skill](request) if skill in defaults else _writer(request)

    with ModelApi(Conversation(follow_up, judge)) as api:
        turn = sandbox.ask(api.url, "/follow-up").really_ran()

    assert turn.denied == []
    skills = [skill for skill, _ in asked]
    assert (skills[0], skills[-1]) == ("think", "synthesis")
    assert (skills.count("follow-up"), len(skills)) == (WAITING, WAITING + 2)
    assert all(request.tools == [] for request in api.subagents)
    assert asked[0][1].holds(stale.canary)
    shared = asked[-1][1]
    assert [mark for person in people for mark in person.own if shared.holds(mark)] == []
    api.requests.remove(shared)
    assert leaks(api, people, ANSWER_MARK) == []
    written = sandbox.project / "grimoires/observer"
    assert ANSWER_MARK in (written / "cognition/mossgate.yaml").read_text(encoding="utf-8")
    (synthesis,) = (written / "follow-ups").glob("*-synthesis.md")
    assert ANSWER_MARK in synthesis.read_text(encoding="utf-8")


@pytest.mark.skipif(not (REPOSITORY / ".git").exists(), reason="this is no git checkout")
def test_a_fresh_clone_that_nobody_trusted_yet_works(tmp_path: Path) -> None:
    """What a newcomer has: the last commit, no answer to any question, a space in the folder's name."""
    client()
    sandbox = Sandbox.of_repository(tmp_path, clone=True)
    assert sandbox.script("core/scripts/init.py", "--sample").returncode == 0
    with ModelApi(Play(_writer)) as api:
        turn = sandbox.ask(api.url, "/follow-up").really_ran()
    assert turn.denied == []
    assert [request.body["tools"] for request in api.subagents] == [[]] * WAITING
