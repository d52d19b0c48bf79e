"""Where a run lies on disk, and the few reads and writes that hooks need.

``agents/<agent>/session/runs/<run>.json`` is the head: skill, flags, where it stands. ``runs/<run>/<item>.json`` holds
one item's packet (the exact prompt and its hash) and what its answer is checked against; ``runs/<run>/answers/`` holds
the raw answers. Hooks import this module for every subagent call, so it imports nothing slow.
"""

from __future__ import annotations

from mindloop.store.digest import sha256_hex
from mindloop.store.errors import Malformed, Negative, NewerSchema, WrongInput
from mindloop.store.lazy_patterns import CompiledLater

with CompiledLater():  # those of the decoder in pure Python
    import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from mindloop.store.files import Files
    from mindloop.store.transaction import Transaction
    from mindloop.store.workspace import Workspace

SCHEMA = 1
AGENTS_DIR = "agents"
RUNS = "session/runs"
_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")
_NAME_LIMIT = 80
_NEW_RUN = "Begin a new run: follow_up.py begin"
STATES = BEGINNING, OPEN, COMPLETE = "beginning", "open", "complete"


def runs_dir(agent: str) -> str:
    """Folder of an agent's runs, relative to the workspace."""
    return f"{AGENTS_DIR}/{checked_name(agent, 'agent')}/{RUNS}"


def checked_name(name: str, what: str) -> str:
    """Return ``name`` where it can stand in a path; raise WrongInput where it cannot."""
    if not name or len(name) > _NAME_LIMIT or not _NAME_CHARACTERS.issuperset(name):
        message = f"{what} {name[:_NAME_LIMIT]!r}: expected 1 to {_NAME_LIMIT} of a-z, 0-9, '-' and '_'"
        raise WrongInput(message, "Take the name from what begin printed.")
    return name


def known_host(name: object) -> str:
    """Who answered, where that is a name that can stand in what is written; ``unknown`` otherwise."""
    try:
        return checked_name(str(name), "host")
    except WrongInput:
        return "unknown"


def packet_reference(run: str, item: str) -> str:
    """How a packet is named to a conversation, which hands it on to a judge."""
    return f"packet:{run}/{item}"


class RunPlace:
    """A run's place: the agent that owns it and its id."""

    __slots__ = ("agent", "run")

    def __init__(self, agent: str, run: str) -> None:
        self.agent = agent
        self.run = run

    @property
    def scope(self) -> str:
        """The lock scope that guards the run."""
        return f"agent:{self.agent}"

    @property
    def head(self) -> str:
        """Path of the head."""
        return f"{runs_dir(self.agent)}/{self.run}.json"

    @property
    def folder(self) -> str:
        """Folder of the items."""
        return f"{runs_dir(self.agent)}/{self.run}"

    @property
    def answers(self) -> str:
        """Folder of the raw answers."""
        return f"{self.folder}/answers"

    def item(self, item: str) -> str:
        """Path of one item."""
        return f"{self.folder}/{checked_name(item, 'user')}.json"

    def answer(self, item: str) -> str:
        """Path of one item's raw answer."""
        return f"{self.answers}/{checked_name(item, 'user')}.json"


def find_run(workspace: Workspace, run: str) -> RunPlace:
    """Find the agent that owns ``run``.

    Raises:
        Negative: no agent of this workspace has such a run.
    """
    checked_name(run, "run")
    for agent in agents(workspace):
        place = RunPlace(agent, run)
        if workspace.exists(place.head):
            return place
    raise Negative(f"run {run!r} is not in this workspace", "List the runs with: follow_up.py status")


def agents(workspace: Workspace) -> list[str]:
    """Names of the agents that have a folder here, sorted."""
    names = workspace.folders(AGENTS_DIR)
    return [name for name in names if _NAME_CHARACTERS.issuperset(name)]


def all_runs(workspace: Workspace) -> list[RunPlace]:
    """Every run of every agent, oldest name first."""
    return [
        RunPlace(agent, name.removesuffix(".json"))
        for agent in agents(workspace)
        for name in workspace.names(runs_dir(agent), ".json")
        if _NAME_CHARACTERS.issuperset(name.removesuffix(".json"))
    ]


def read_head(workspace: Files, place: RunPlace) -> dict[str, Any]:
    """A run's head: ``state``, ``started_at``, ``waiting`` and ``done`` by item, ``skipped`` with reasons.

    Raises:
        Negative: there is none.
        Malformed: it does not parse, or it has not the shape of a head.
        NewerSchema: a later version wrote it.
    """
    head = read_object(workspace, place.head)
    if head is None:
        raise Negative(f"run {place.run!r} is gone", "List the runs with: follow_up.py status")
    wrong = head_problems(head)
    if wrong:
        hint = "Begin a new run: follow_up.py begin; this file can be removed."
        raise Malformed(f"{place.head}: {'; '.join(wrong)}", hint)
    return head


def begun_head(workspace: Files, place: RunPlace, skill: str) -> dict[str, Any]:
    """The head of a run of ``skill`` that can be resumed.

    Raises:
        Negative: there is no such run, it is another skill's, or its begin was interrupted.
        Malformed: the head does not parse.
    """
    head = read_head(workspace, place)
    if head.get("skill") != skill:
        message = f"run {place.run!r} is a run of {head.get('skill')!r:.40}, expected one of {skill!r}"
        raise Negative(message, f"See which command goes on with it: follow_up.py status {place.run}")
    if head["state"] == BEGINNING:
        raise Negative(f"run {place.run!r}: its begin was interrupted, nobody waits in it", "Begin again.")
    return head


def head_problems(head: dict[str, Any]) -> list[str]:
    """What a head lacks for anybody to show or resume its run, a clause each."""
    found = []
    if head.get("state") not in STATES:
        found.append(f"state is {head.get('state')!r:.60}, expected one of {', '.join(STATES)}")
    for key, kind, name in (("waiting", dict, "an object"), ("done", dict, "an object"), ("skipped", list, "a list")):
        value = head.get(key)
        if not isinstance(value, kind):
            found.append(f"{key} is {'missing' if value is None else f'a {type(value).__name__}'}, expected {name}")
    found += [
        f"{key} is a {type(head[key]).__name__}, expected an object"
        for key in ("flags", "thinking")
        if not isinstance(head.get(key, {}), dict)
    ]
    return found or _text_problems(head)


def _text_problems(head: dict[str, Any]) -> list[str]:
    texts = [
        head.get("started_at"),
        *head["waiting"].values(),
        *head["done"].values(),
        *head.get("thinking", {}).values(),
    ]
    for entry in head["skipped"]:
        texts += [entry.get("user"), entry.get("reason")] if isinstance(entry, dict) else [None]
    return [] if all(isinstance(text, str) for text in texts) else ["started_at, users and reasons are not all texts"]


def read_item(workspace: Files, place: RunPlace, item: str) -> dict[str, Any]:
    """One item of a run, its packet's hash checked.

    Raises:
        Negative: the run has no such item.
        Malformed: the file does not parse, or its prompt is not the one that was assembled.
    """
    found = read_object(workspace, place.item(item))
    if found is None:
        raise Negative(
            f"run {place.run!r} has no packet for {item!r}", f"See who waits: follow_up.py status {place.run}"
        )
    if found.get("slug") != item:
        raise Malformed(f"{place.item(item)}: it is the packet of {found.get('slug')!r:.80}", _NEW_RUN)
    if prompt_hash(str(found.get("prompt", ""))) != found.get("sha256"):
        message = f"{place.item(item)}: the packet is not the one that was assembled (its hash differs)"
        raise Malformed(message, _NEW_RUN)
    return found


def read_answer(workspace: Files, place: RunPlace, item: str) -> dict[str, Any] | None:
    """The filed answer ``{schema, user, host, raw, replaced?}``, or None where none is filed yet."""
    return read_object(workspace, place.answer(item))


def answered_items(workspace: Workspace, place: RunPlace) -> set[str]:
    """Items whose raw answer is filed."""
    return {name.removesuffix(".json") for name in workspace.names(place.answers, ".json")}


def read_packet(workspace: Workspace, run: str, item: str) -> bytes:
    """The exact prompt bytes of one item of a run."""
    return str(read_item(workspace, find_run(workspace, run), item)["prompt"]).encode("utf-8")


def file_answer(workspace: Workspace, run: str, item: str, raw: str, host: str) -> str:
    """File the raw answer of one item; what it is worth is decided when the run resumes.

    Filing the same bytes again changes nothing. A different answer takes the place of the first one, which is kept
    in the file, as long as the item has not been resumed.

    Args:
        workspace: where the run lies.
        run: the run's id.
        item: the item's name (a user's slug).
        raw: what the judge returned, unchanged.
        host: who answered: ``claude-code``, ``claude``, ``rehearsal``, ``person``.

    Returns:
        One line that says what happened.

    Raises:
        Negative: no such run or item, the item is resumed already, or the run's begin did not come to its end.
    """
    place = find_run(workspace, run)
    read_item(workspace, place, item)
    with workspace.transaction(place.scope) as tx:
        head = read_head(tx, place)
        if item in head["done"]:
            raise Negative(f"{item!r} of {run!r} is resumed already; its answer stays as it is", "Begin a new run.")
        if item not in head["waiting"]:
            raise Negative(f"{item!r} does not wait in {run!r}; nothing would come of an answer", "Begin a new run.")
        before = _earlier_answer(tx, place, item)
        if before is not None and before.get("raw") == raw:
            return f"{item}: this answer is filed already"
        record: dict[str, Any] = {"schema": SCHEMA, "user": item, "host": host, "raw": raw}
        if before is not None:
            earlier = before.get("replaced", [])
            record["replaced"] = [*(earlier if isinstance(earlier, list) else [earlier]), before.get("raw", "")]
        write_object(tx, place.answer(item), record)
    return f"{item}: answer filed" if before is None else f"{item}: answer filed in place of an earlier one"


def _earlier_answer(tx: Transaction, place: RunPlace, item: str) -> dict[str, Any] | None:
    """The answer that is filed already; one that does not parse is set aside, byte for byte, to make room."""
    try:
        return read_answer(tx, place, item)
    except NewerSchema:
        raise
    except Malformed:
        tx.write(f"{place.answer(item)}.damaged", tx.read(place.answer(item)) or b"")
        return None


def write_object(tx: Transaction, path: str, value: dict[str, Any]) -> None:
    """Stage a JSON object; ASCII on disk, so that no text of a user can fail to encode."""
    tx.write(path, (json.dumps(value, separators=(",", ":")) + "\n").encode("ascii"))


def prompt_hash(prompt: str) -> str:
    """SHA-256 of the prompt's UTF-8 bytes, lowercase hex."""
    return sha256_hex(prompt.encode("utf-8", "surrogatepass"))


def read_object(workspace: Files, path: str) -> dict[str, Any] | None:
    """A JSON object of a run, or None where there is no such file.

    Raises:
        Malformed: it does not parse, or is no object.
        NewerSchema: a later version wrote it.
    """
    data = workspace.read(path)
    if data is None:
        return None
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"{path}: expected a JSON object, found: {error}", "Run: doctor.py") from None
    if not isinstance(value, dict):
        raise Malformed(f"{path}: expected a JSON object, found {type(value).__name__}", "Run: doctor.py")
    if not isinstance(value.get("schema"), int) or value["schema"] > SCHEMA:
        raise NewerSchema(
            f"{path}: schema {value.get('schema')!r}, this version reads up to {SCHEMA}", "Update mindloop."
        )
    return value
