"""A conversation that follows a skill page, written down as it goes, and judges that answer with their gaps' defaults.

A script is a generator: it yields the calls of one turn and is sent what they came back with.
"""

from __future__ import annotations

import json
import re

from tests.helpers.model_api import call, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path
    from typing import Any

    from tests.helpers.client_sandbox import Sandbox
    from tests.helpers.follow_up_play import Person
    from tests.helpers.model_api import Block, ModelApi, Request

    Script = Generator[list[Block], list[str], None]

AT_ONCE = 10
_REFERENCE = re.compile(r"packet:[\w-]+/[\w-]+")
_FOR = re.compile(r"(packet:[\w-]+/[\w-]+)(?: for ([a-z-]+))?")


class Conversation:
    """The model of a whole session.

    Args:
        script: gets the text of the skill page and makes the calls that it asks for.
        judge: answers a subagent's request.

    Attributes:
        said: what every call came back with, in order.
    """

    def __init__(self, script: Callable[[str], Script], judge: Callable[[Request], list[Block]]) -> None:
        self.said: list[str] = []
        self._script = script
        self._judge = judge
        self._running: Script | None = None

    def __call__(self, request: Request) -> list[Block]:
        """The reply to one request."""
        if request.is_subagent:
            return self._judge(request)
        if not request.is_main:
            return [text("a title")]
        try:
            return self._next(request)
        except StopIteration:
            return [text("done")]

    def _next(self, request: Request) -> list[Block]:
        if self._running is None:
            self._running = self._script("\n".join(request.texts()))
            return next(self._running)
        results = [said for _, said, _ in request.results()]
        new, self.said = results[len(self.said) :], results
        return self._running.send(new)


def command(page: str, script: str, verb: str) -> str:
    """The command of a page that runs ``script`` with ``verb``, as the page spells it."""
    found = re.search(rf'^python3 ".*{re.escape(script)}" {verb}\b', page, re.MULTILINE)
    assert found, f"the page holds no command {script} {verb}"
    return found[0]


def references(said: str) -> list[str]:
    """The packets that a command printed, in order."""
    return list(dict.fromkeys(_REFERENCE.findall(said)))


def packets_by_judge(said: str, default: str) -> dict[str, list[str]]:
    """The packets that a command printed, by the judge that stands behind each; ``default`` where none does."""
    found: dict[str, list[str]] = {}
    for reference, judge in _FOR.findall(said):
        found.setdefault(judge or default, []).append(reference)
    return found


def run_of(reference: str) -> str:
    """The run of a reference."""
    return reference.removeprefix("packet:").split("/")[0]


def judge_calls(judge: str, packets: list[str]) -> Script:
    """Turns that call ``judge`` once for each packet, ten a turn."""
    for start in range(0, len(packets), AT_ONCE):
        yield [
            call("Agent", subagent_type=judge, description="packet", prompt=reference)
            for reference in packets[start : start + AT_ONCE]
        ]


def items(sandbox: Sandbox, skill: str) -> list[dict[str, Any]]:
    """Every item of a skill's runs."""
    paths = sorted(sandbox.project.glob(f"agents/*/session/runs/{skill}-*/*.json"))
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


def answers(sandbox: Sandbox, skill: str) -> dict[str, str]:
    """Item to raw answer, as it was filed."""
    paths: list[Path] = sorted(sandbox.project.glob(f"agents/*/session/runs/{skill}-*/answers/*.json"))
    return {path.stem: str(json.loads(path.read_text(encoding="utf-8"))["raw"]) for path in paths}


class Defaults:
    """A judge whose answer to a packet is the packet's default with ``mark`` in the place of what a rehearsal says.

    Where a default says nothing, ``marked`` makes the answer from the packet.

    Attributes:
        given: the answers so far, by item.
    """

    def __init__(self, sandbox: Sandbox, skill: str, mark: str, marked: Callable[[str], str] | None = None) -> None:
        self._marked = marked
        self.given: dict[str, str] = {}
        self._sandbox = sandbox
        self._skill = skill
        self._mark = mark

    def __call__(self, request: Request) -> list[Block]:
        """The answer to the packet that the request carries."""
        asked = request.texts()[-1]
        (item,) = [item for item in items(self._sandbox, self._skill) if item["prompt"] == asked]
        default = re.sub(r"\[rehearsal\][^\"]*", self._mark, item["default"])
        self.given[item["slug"]] = self._marked(asked) if self._marked else default
        assert self._mark in self.given[item["slug"]], "a default says that it is one"
        return [text(self.given[item["slug"]])]


def leaks(api: ModelApi, people: list[Person], mark: str) -> list[str]:
    """What stands where it must not: a judge's words or a user's in the conversation, two users in one packet."""
    found = []
    for request in api.main:
        marks = [mark, *(own for person in people for own in person.own)]
        found += [f"the conversation holds {one}" for one in marks if request.holds(one)]
    for request in api.subagents:
        held = [person.slug for person in people if any(request.holds(own) for own in person.own)]
        found += [f"one request holds {held}"] if len(held) != 1 else []
    return found
