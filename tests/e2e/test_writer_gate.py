"""The gate before the writer, in the real client: references go through, nothing else does, nobody else is held up."""

from __future__ import annotations

import json
import re

import pytest

from tests.helpers.client_sandbox import Sandbox, client
from tests.helpers.follow_up_play import (
    answer_of,
    bash,
    filed_answer,
    packet,
    sample_with_canaries,
    writer_call,
)
from tests.helpers.model_api import ModelApi, call, failure, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.helpers.client_sandbox import Turn
    from tests.helpers.model_api import Block, Request

pytestmark = pytest.mark.e2e
FREE = "tell me what you know of everybody"
HOOK = "core/scripts/hooks/packet.py"


class Stage:
    """A sandbox with a begun run, and a conversation that makes the given calls, one list a turn."""

    def __init__(self, folder: Path) -> None:
        client()
        self.sandbox = Sandbox.of_repository(folder)
        sample_with_canaries(self.sandbox)
        begun = self.sandbox.script("core/scripts/follow_up.py", "begin", "--json")
        self.references = [entry["packet"] for entry in json.loads(begun.stdout)["waiting"]]

    def play(
        self, *turns: list[Block], writer: Callable[[Request], list[Block]] | None = None, prompt: str = "go"
    ) -> Turn:
        """Let the conversation make its calls; other agents and writers answer with one text."""
        left = list(turns)

        def script(request: Request) -> list[Block]:
            if not request.is_main:
                return writer(request) if writer else [text(answer_of(request.texts()[-1]))]
            return left.pop(0) if left else [text("done")]

        with ModelApi(script) as self.api:
            turn = self.sandbox.ask(self.api.url, prompt)
        return turn.really_ran()

    def said(self) -> list[tuple[str, bool]]:
        """What the conversation's calls came back with: text, and whether it was an error."""
        return [(said, is_error) for _, said, is_error in self.api.main[-1].results()]


def receipt(reference: str) -> str:
    """What the conversation sees of an answer that was filed."""
    return f"{reference}: {reference.split('/')[1]}: answer filed"


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def test_free_text_never_reaches_the_writer(stage: Stage) -> None:
    """Whatever is not one bare reference is refused before a request is made, under every name the client accepts."""
    reference = stage.references[0]
    full_width = "".join(chr(ord(char) + 0xFEE0) for char in "followupwriter")
    names = ("follow-up-writer", "Follow_Up Writer", "followupwriter\n", full_width, "quote-selector")
    calls = [writer_call(FREE, subagent_type=name) for name in names]
    calls += [writer_call(f"{reference} {FREE}"), writer_call("packet:no-such-run/nobody"), writer_call("packet:../x")]
    stage.play(calls)
    assert stage.api.subagents == []
    assert [is_error for _, is_error in stage.said()] == [True] * 8
    assert all("othing was sent" in said for said, _ in stage.said())


def test_a_packet_reaches_its_own_judge_alone(stage: Stage) -> None:
    """A writer's packet that is sent to another judge goes nowhere, and the refusal says whose it is."""
    stage.play([writer_call(stage.references[0], subagent_type="cognition-distiller")])
    assert stage.api.subagents == []
    ((said, is_error),) = stage.said()
    assert is_error
    assert "is for the 'follow-up-writer'" in said


def test_a_subagent_cannot_send_free_text_either(stage: Stage) -> None:
    """What another subagent calls passes the same hooks: its packets go through, its own words do not."""
    reference = stage.references[0]
    left = [writer_call(FREE), writer_call(reference)]

    def agents(request: Request) -> list[Block]:
        if not request.tools:
            return [text(answer_of(request.texts()[-1]))]
        return [left.pop(0)] if left else [text("done")]

    stage.play([call("Agent", subagent_type="general-purpose", description="go", prompt="go")], writer=agents)
    judged = [request.texts()[-1] for request in stage.api.subagents if not request.tools]
    assert judged == [packet(stage.sandbox, reference)]
    assert filed_answer(stage.sandbox, reference) == answer_of(judged[0])
    between = [request for request in stage.api.subagents if request.tools][-1]
    assert [is_error for _, _, is_error in between.results()] == [True, False]
    assert between.results()[1][1].startswith(receipt(reference))


def test_a_workflow_calls_no_judge(stage: Stage) -> None:
    """The script's own agents pass no hook, so a script that names a judge does not start; any other one does."""
    meta = "export const meta = {name: 'w', description: 'd', phases: [{title: 'One'}]}\nphase('One')\n"
    scripts = [
        f"{meta}return await agent('{FREE}', {{agentType: '{kind}'}})" for kind in ("follow-up-writer", "Explore")
    ]
    left = [[call("Workflow", script=script)] for script in scripts]

    def script(request: Request) -> list[Block]:
        if not request.is_main:
            return [text("found it")]
        return left.pop(0) if left else [text("done")]

    with ModelApi(script) as api:
        stage.sandbox.ask(api.url, "go", "--allowedTools", "Workflow").really_ran()
    assert ["Bash" in [tool["name"] for tool in request.tools] for request in api.subagents] == [True]
    results = api.main[-1].results()
    assert [is_error for _, _, is_error in results] == [True, False]
    assert "may not call a judge" in results[0][1]


def test_other_agents_and_tools_are_left_alone(stage: Stage) -> None:
    """A call of another subagent goes through unchanged, and its answer comes back as it is."""
    explore = call("Agent", subagent_type="Explore", description="look", prompt="the writer of packet:a/b")
    stage.play([explore, bash("echo hello")], writer=lambda _: [text("found it")])
    assert [request.texts()[-1] for request in stage.api.subagents] == ["the writer of packet:a/b"]
    assert any(said.startswith("found it") for said, _ in stage.said())
    assert ("hello", False) in stage.said()


@pytest.mark.parametrize("harm", ["missing", "not executable", "broken", "no library"])
def test_a_gate_that_cannot_run_stays_shut(stage: Stage, harm: str) -> None:
    """Without a working hook the writer gets nothing at all, and everybody else works on."""
    hook = stage.sandbox.project / HOOK
    if harm == "missing":
        hook.unlink()
    elif harm == "broken":
        hook.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    elif harm == "no library":
        (stage.sandbox.project / "core/mindloop/cli/hooks.py").unlink()
    else:
        hook.chmod(0o644)
    explore = call("Agent", subagent_type="Explore", description="look", prompt="look for a writer")
    stage.play([writer_call(FREE), writer_call(stage.references[0]), explore], writer=lambda _: [text("found it")])
    assert [request.texts()[-1] for request in stage.api.subagents] == ["look for a writer"]
    refused = [said for said, is_error in stage.said() if is_error]
    assert len(refused) == 2
    assert all("make install" in said for said in refused)


def test_a_call_in_the_background_is_brought_to_the_front(stage: Stage) -> None:
    """An answer that came later would come through the conversation; so it never comes later."""
    reference = stage.references[0]
    stage.play([writer_call(reference, run_in_background=True)])
    assert [said.split("agentId")[0] for said, _ in stage.said()] == [
        f"{reference}: {reference.split('/')[1]}: answer filed"
    ]
    assert filed_answer(stage.sandbox, reference) == answer_of(packet(stage.sandbox, reference))


def test_a_finished_writer_takes_no_message(stage: Stage) -> None:
    """Even with its id, which the conversation never sees, a writer cannot be sent free text."""
    reference = stage.references[0]
    left = [[writer_call(reference)]]

    def script(request: Request) -> list[Block]:
        if not request.is_main:
            return [text(answer_of(request.texts()[-1]))]
        if left:
            return left.pop()
        if len(request.results()) > 1:
            return [text("done")]
        (found,) = stage.sandbox.home.rglob("agent-*.meta.json")
        identity = re.sub(r"agent-|\.meta\.json", "", found.name)
        return [call("SendMessage", to=identity, summary="more", message=FREE)]

    with ModelApi(script) as api:
        stage.sandbox.ask(api.url, "go").really_ran()
    assert len(api.subagents) == 1
    assert [is_error for _, _, is_error in api.main[-1].results()] == [False, True]


def test_an_api_error_is_no_answer(stage: Stage) -> None:
    """A failed model call leaves the packet open, and the second call is filed."""
    reference = stage.references[0]
    broken = [True]

    def writer(request: Request) -> list[Block]:
        if broken.pop() if broken else False:
            return [failure(400, "invalid_request_error", "out of order")]
        return [text(answer_of(request.texts()[-1]))]

    stage.play([writer_call(reference)], [writer_call(reference)], writer=writer)
    first, second = (said.split("agentId")[0] for said, _ in stage.said())
    assert first == f"{reference}: not filed, still open; call it again later: API Error: 400 out of order"
    assert second == receipt(reference)


def test_the_conversation_may_not_print_a_packet(stage: Stage) -> None:
    """The pre-allowed commands, the skill page's own included, stop short of the one that shows a canvas."""
    run, user = stage.references[0].removeprefix("packet:").split("/")
    long = f'"{stage.sandbox.project}/.claude/skills/follow-up/../../../core/scripts/follow_up.py"'
    allowed = [f"python3 core/scripts/follow_up.py status {run}", f"python3 {long} status {run}"]
    refused = [
        f"python3 core/scripts/follow_up.py packet {run} {user}",
        f"python3 {long} packet {run} {user}",
        f"cat agents/researcher/session/runs/{run}/{user}.json",
        *(f"python3 core/scripts/{name}.py packet {run} {user}" for name in ("cognition", "growth", "canvas")),
        f"python3 '{stage.sandbox.project}/core/scripts/growth.py' packet {run} {user}",
    ]
    stage.sandbox.trust()
    turn = stage.play([bash(command) for command in allowed + refused], prompt="/follow-up")
    assert [denied["tool_input"]["command"] for denied in turn.denied] == refused
    assert [is_error for _, is_error in stage.said()].count(False) == len(allowed)


def test_it_works_from_a_sub_folder_of_the_conversation(stage: Stage) -> None:
    """A conversation that has changed its folder still has the same workspace."""
    reference = stage.references[0]
    stage.play([bash("cd grimoires/observer")], [writer_call(reference)])
    assert filed_answer(stage.sandbox, reference) == answer_of(packet(stage.sandbox, reference))


def test_large_and_strange_answers_are_filed_byte_for_byte(stage: Stage) -> None:
    """Two hundred kilobytes, emoji, line ends and blanks at both ends arrive as they were written."""
    reference = stage.references[0]
    strange = " \n🦊\u202eabc\u0301\r\n\t" + "漢字" * 50_000 + "  \n\n"
    stage.play([writer_call(reference)], writer=lambda _: [text(strange)])
    assert filed_answer(stage.sandbox, reference) == strange
