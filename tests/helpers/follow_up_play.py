"""The parts that a model plays in /follow-up, scripted: the conversation and the writers."""

from __future__ import annotations

import json
import re

from tests.helpers.model_api import call, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.helpers.client_sandbox import Sandbox
    from tests.helpers.model_api import Block, Request

WRITER = "follow-up-writer"
REFERENCE = re.compile(r"packet:[\w-]+/[\w-]+")
CANVASES = "grimoires/observer/canvas"
_COMMAND = re.compile(r"^python3 .*follow_up\.py\" begin$", re.MULTILINE)
_AT_ONCE = 10


def writer_call(prompt: str, **more: object) -> Block:
    """The Agent call that the skill page asks for."""
    return call("Agent", **{"subagent_type": WRITER, "description": "packet", "prompt": prompt, **more})


def bash(command: str) -> Block:
    """A shell command of the conversation."""
    return call("Bash", command=command, description="a command of the skill page")


def answer_of(prompt: str, mark: str = "") -> str:
    """A writer's JSON on the first quote of the packet's registry; ``mark`` stands in the message."""
    user = re.search(r"^User: (.*)$", prompt, re.MULTILINE)
    quote = re.search(r'"hash": *"((?:sha256:)?[0-9a-f]{64})"', prompt)
    assert user, "a packet names its user"
    assert quote, "a packet has a registry"
    said = {"hypothesis_or_trigger": "H1", "anchor_quote_hash": quote[1], "anchor_quote_text": "as in the registry"}
    message = {**said, "message_body": f"what did you do the last time? {mark}".strip(), "temporal_claims": []}
    answer = {
        "user": user[1],
        "scary_questions": ["did it ever matter?"],
        "messages": [message],
        "quotes_used": [quote[1]],
        "skip_reason": None,
    }
    return json.dumps(answer, ensure_ascii=False) + "\n"


class Play:
    """A model that does what the skill page says: begin, one writer a packet, resume, report.

    Attributes:
        references: the packets that ``begin`` printed, in order.
    """

    def __init__(self, writer: Callable[[Request], list[Block]]) -> None:
        self.references: list[str] = []
        self._writer = writer
        self._command = ""
        self._asked = 0

    def __call__(self, request: Request) -> list[Block]:
        """The reply to one request."""
        if request.is_subagent:
            return self._writer(request)
        return self._converse(request) if request.is_main else [text("a title")]

    def _converse(self, request: Request) -> list[Block]:
        results = request.results()
        if not results:
            found = _COMMAND.search("\n".join(request.texts()))
            assert found, "the skill page holds the command"
            self._command = found[0]
            return [bash(self._command)]
        if len(results) == 1:
            self.references = list(dict.fromkeys(REFERENCE.findall(results[0][1])))
        batch = self.references[self._asked : self._asked + _AT_ONCE]
        if batch:
            self._asked += len(batch)
            return [writer_call(reference) for reference in batch]
        if "resume" not in self._command:
            run = self.references[0].removeprefix("packet:").split("/")[0]
            self._command = self._command.replace('" begin', f'" resume {run}')
            return [bash(self._command)]
        return [text("the batch is written")]


class Person:
    """What nobody else's request may hold: marks that were put into a user's files, and what is theirs anyway."""

    def __init__(self, path: Path, number: int) -> None:
        self.path = path
        self.slug = path.name.removesuffix(".md").removesuffix("-canvas")
        self.canary = f"kanarie-{number:02}-{'xq'[number % 2]}{number * 7919}"
        wallet = re.search(r"0x[0-9a-fA-F]{40}", path.read_text(encoding="utf-8"))
        self.own = [self.canary, path.name, *([wallet[0]] if wallet else [])]


def sample_with_canaries(sandbox: Sandbox) -> list[Person]:
    """Make the sample workspace in the sandbox's project and put a canary into every canvas."""
    made = sandbox.script("core/scripts/init.py", "--sample")
    assert made.returncode == 0, made.stderr
    people = []
    for number, path in enumerate(sorted((sandbox.project / CANVASES).glob("*.md")), 1):
        person = Person(path, number)
        early = f"\nNote to self: {person.canary}\n\n## ".encode()  # some packets hold the beginning of a canvas only
        path.write_bytes(path.read_bytes().replace(b"\n## ", early, 1))
        people.append(person)
    return people


def packet(sandbox: Sandbox, reference: str) -> str:
    """The packet of a reference, from the run's file."""
    run, item = reference.removeprefix("packet:").split("/")
    (path,) = sandbox.project.glob(f"agents/*/session/runs/{run}/{item}.json")
    return str(json.loads(path.read_text(encoding="utf-8"))["prompt"])


def filed_answer(sandbox: Sandbox, reference: str) -> str | None:
    """The raw answer of a reference as it was filed, or None where none is."""
    run, item = reference.removeprefix("packet:").split("/")
    for path in sandbox.project.glob(f"agents/*/session/runs/{run}/answers/{item}.json"):
        return str(json.loads(path.read_text(encoding="utf-8"))["raw"])
    return None
