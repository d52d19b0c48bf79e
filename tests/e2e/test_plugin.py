"""The pack as a plugin in somebody's project, in the real client: installed from git, run offline, never changed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from mindloop.store import strict_yaml
from tests.e2e.test_grow_on_the_wire import MARK as JUDGED
from tests.e2e.test_grow_on_the_wire import grow, ingest, observe, selected
from tests.e2e.test_think_on_the_wire import think
from tests.helpers import git_server
from tests.helpers.client_sandbox import REPOSITORY, client
from tests.helpers.follow_up_play import (
    Play,
    answer_of,
    bash,
    filed_answer,
    packet,
    sample_with_canaries,
    writer_call,
)
from tests.helpers.judge_play import Conversation, Defaults, answers, command, items
from tests.helpers.model_api import ModelApi, call, text
from tests.helpers.plugin_sandbox import PluginSandbox

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.helpers.client_sandbox import Turn
    from tests.helpers.judge_play import Script
    from tests.helpers.model_api import Block, Request

pytestmark = pytest.mark.e2e
ANSWER_MARK = "antwort-kanarie"
GIT_MARK, MEMORY_MARK = "kanarie-of-git-status.txt", "kanarie-of-the-memory"
WAITING = 11
WRITERS = ("mindloop:follow-up-writer", "follow-up-writer")
TAKEN = r"\b(\d+) taken, 0 refused, 0 still open"
FREE = "tell me what you know of everybody"
MANIFESTS = REPOSITORY / ".claude-plugin"
JUDGES = [path.stem for path in sorted((REPOSITORY / ".claude/agents").iterdir())]


def ready(folder: Path) -> PluginSandbox:
    """A project in which the plugin is installed from git, with its packages and the sample users."""
    client()
    sandbox = PluginSandbox(folder)
    sandbox.install_from_git()
    sandbox.link_packages()
    return sandbox


def remember(sandbox: PluginSandbox) -> None:
    """Give the client what it would add by itself: an untracked file for git status, a memory of the project."""
    (sandbox.project / GIT_MARK).write_text("x", encoding="utf-8")
    slug = re.sub(r"[^A-Za-z0-9]", "-", str(sandbox.project))
    memory = sandbox.home / ".claude/projects" / slug / "memory"
    memory.mkdir(parents=True)
    (memory / "MEMORY.md").write_text(MEMORY_MARK, encoding="utf-8")


class Scene:
    """One whole /mindloop:follow-up over the sample users; the writers are called by both of their names in turn."""

    def __init__(self, folder: Path) -> None:
        self.sandbox = ready(folder)
        self.before = self.sandbox.fingerprint()
        self.people = sample_with_canaries(self.sandbox)
        remember(self.sandbox)
        self.play = Play(lambda request: [text(answer_of(request.texts()[-1], ANSWER_MARK))])
        self.called: list[str] = []
        with ModelApi(self._script) as self.api:
            self.turn: Turn = self.sandbox.ask(self.api.url, "/mindloop:follow-up").really_ran()
        self.after = self.sandbox.fingerprint()
        self.packets = {reference: packet(self.sandbox, reference) for reference in self.play.references}

    def _script(self, request: Request) -> list[Block]:
        blocks = self.play(request)
        for block in blocks:
            if block.get("name") == "Agent":
                block["input"]["subagent_type"] = WRITERS[len(self.called) % 2]
                self.called.append(block["input"]["subagent_type"])
        return blocks


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    return Scene(tmp_path_factory.mktemp("plugin"))


# --- what the client says of the files


@pytest.mark.parametrize("name", ["plugin.json", "marketplace.json"])
def test_the_manifests_are_valid(tmp_path: Path, name: str) -> None:
    """The client's own check finds nothing, not even a warning."""
    client()
    ended = PluginSandbox(tmp_path).claude("plugin", "validate", "--strict", str(MANIFESTS / name))

    assert ended.returncode == 0, ended.stdout
    assert "warning" not in ended.stdout.lower()


def test_the_skills_and_agents_are_valid(tmp_path: Path) -> None:
    """The same check reads pages only in a plugin's usual folders: it finds nothing there either."""
    client()
    sandbox = PluginSandbox(tmp_path)
    usual = tmp_path / "usual"
    for kind in ("skills", "agents"):
        shutil.copytree(REPOSITORY / ".claude" / kind, usual / kind)
    (usual / ".claude-plugin").mkdir()
    manifest = json.loads((MANIFESTS / "plugin.json").read_text("utf-8"))
    for key in ("skills", "agents", "hooks"):
        del manifest[key]
    (usual / ".claude-plugin/plugin.json").write_text(json.dumps(manifest), encoding="utf-8")
    ended = sandbox.claude("plugin", "validate", "--strict", str(usual))

    assert ended.returncode == 0, ended.stdout
    assert "warning" not in ended.stdout.lower()


def test_it_is_installed_as_what_it_says(scene: Scene) -> None:
    """The client lists it, enabled and without an error, in a copy of its own, under the manifest's version."""
    (found,) = json.loads(scene.sandbox.claude("plugin", "list", "--json").stdout)
    manifest = json.loads((MANIFESTS / "plugin.json").read_text("utf-8"))

    assert (found["enabled"], found["version"], "errors" in found) == (True, manifest["version"], False)
    assert scene.sandbox.root.is_relative_to(scene.sandbox.home / ".claude/plugins/cache")
    assert not (scene.sandbox.root / ".venv").exists()


def test_the_client_offers_its_skills_and_judges(scene: Scene) -> None:
    """Every skill page and every agent file is there under the plugin's name."""
    (start,) = [event for event in scene.turn.events if event.get("subtype") == "init"]
    pages = {f"mindloop:{path.name}" for path in (REPOSITORY / ".claude/skills").iterdir()}

    assert pages <= set(start["slash_commands"])
    assert {f"mindloop:{judge}" for judge in JUDGES} <= set(start["agents"])


# --- a skill in somebody's project


def test_the_skill_runs_unasked_under_both_names_of_the_writer(scene: Scene) -> None:
    """No command and no call is refused, though nobody trusted the folder or allowed anything."""
    assert scene.turn.denied == []
    assert len(scene.play.references) == WAITING
    assert set(scene.called) == set(WRITERS)
    assert len(scene.api.subagents) == WAITING


def test_a_writer_gets_its_packet_byte_for_byte_and_no_tools(scene: Scene) -> None:
    """The plugin's hook puts the packet in the reference's place."""
    sent = [request.texts()[-1].encode() for request in scene.api.subagents]

    assert sorted(sent) == sorted(prompt.encode() for prompt in scene.packets.values())
    assert [request.body["tools"] for request in scene.api.subagents] == [[]] * WAITING


def test_a_writer_gets_nothing_of_the_project(scene: Scene) -> None:
    """The settings that init made keep out git status and memory, which this project has."""
    for request in scene.api.subagents:
        reminder, _ = request.texts()
        assert "# currentDate" in reminder
        assert request.texts("system") == []
        for foreign in (GIT_MARK, MEMORY_MARK, "gitStatus", "claudeMd", "skills are available"):
            assert not request.holds(foreign), foreign


def test_nothing_of_one_user_reaches_another_or_the_conversation(scene: Scene) -> None:
    """Canary, file name and wallet of a user are in that user's one request, and in no other of the whole turn."""
    for request in scene.api.requests:
        holders = [person for person in scene.people if any(request.holds(mark) for mark in person.own)]
        assert len(holders) == int(request.is_subagent), [person.slug for person in holders]
        assert request.is_subagent or not request.holds(ANSWER_MARK)


def test_every_answer_is_filed_and_becomes_the_batch(scene: Scene) -> None:
    """The plugin's other hook files the raw text; resume writes the batch into the project."""
    for reference, prompt in scene.packets.items():
        assert filed_answer(scene.sandbox, reference) == answer_of(prompt, ANSWER_MARK)
    *_, batch = sorted((scene.sandbox.project / "grimoires/observer/follow-ups").glob("2*.md"))
    assert batch.read_text(encoding="utf-8").count(ANSWER_MARK) == WAITING


def test_the_data_is_in_the_project_and_nothing_else(scene: Scene) -> None:
    """What was made there: the workspace's own folders, its marker, the client's settings."""
    made = {path.name for path in scene.sandbox.project.iterdir()} - {".git", GIT_MARK}

    assert made == {".claude", ".mindloop", "agents", "grimoires", "mindloop.yaml", "world"}
    assert [path.name for path in (scene.sandbox.project / ".claude").iterdir()] == ["settings.json"]


def test_no_byte_of_the_plugin_changed(scene: Scene) -> None:
    """Init, begin, the hooks, resume: not a file more, less or different below the plugin's folder."""
    assert len(scene.before) > 100
    assert scene.after == scene.before


def test_bytecode_is_kept_in_the_persons_own_folder(scene: Scene) -> None:
    """Commands and hooks compile once, outside the plugin."""
    kept = {path.name.split(".")[0] for path in (scene.sandbox.home / ".local/share/mindloop/pycache").rglob("*.pyc")}

    assert {"app", "hooks_packet", "hooks_answer", "walk"} <= kept


def test_only_the_model_api_was_spoken_to(scene: Scene) -> None:
    """Apart from the client's look whether anybody is there, every request is a request for a message."""
    assert set(scene.api.strangers) <= {("HEAD", "/")}


# --- the gate of a plugin


class Stage:
    """A plugin with a begun run in a project, and a conversation that makes the given calls."""

    def __init__(self, sandbox: PluginSandbox) -> None:
        self.sandbox = sandbox
        sample_with_canaries(sandbox)
        begun = self.sandbox.script("core/scripts/follow_up.py", "begin", "--json")
        self.references = [entry["packet"] for entry in json.loads(begun.stdout)["waiting"]]

    def play(self, *calls: Block, other: Callable[[Request], list[Block]] | None = None, **env: str) -> Turn:
        """Let the conversation make its calls in one message; subagents answer."""
        left = [list(calls)]

        def script(request: Request) -> list[Block]:
            if not request.is_main:
                return other(request) if other else [text(answer_of(request.texts()[-1]))]
            return left.pop() if left else [text("done")]

        with ModelApi(script) as self.api:
            return self.sandbox.ask(self.api.url, "go", **env).really_ran()

    def said(self) -> list[tuple[str, bool]]:
        """What the calls came back with: text, and whether it was an error."""
        return [(said, is_error) for _, said, is_error in self.api.main[-1].results()]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> PluginSandbox:
    """The plugin, installed once for all projects."""
    return ready(tmp_path_factory.mktemp("installed"))


@pytest.fixture
def stage(installed: PluginSandbox, tmp_path: Path) -> Stage:
    """A project of its own for each test."""
    installed.new_project(tmp_path)
    return Stage(installed)


def test_free_text_never_reaches_a_judge(stage: Stage) -> None:
    """Not under the plugin's name for it, not under the bare one, whichever judge it is."""
    names = [*(f"mindloop:{judge}" for judge in JUDGES), *JUDGES, "Mindloop:Follow_Up Writer"]
    stage.play(*(writer_call(FREE, subagent_type=name) for name in names))

    assert stage.api.subagents == []
    assert ["othing was sent" in said for said, is_error in stage.said() if is_error] == [True] * len(names)


def test_a_namesake_in_the_project_gets_no_packet(stage: Stage) -> None:
    """An agent of the project with the writer's bare name and every tool: the packet goes to the plugin's own."""
    agents = stage.sandbox.project / ".claude/agents"
    agents.mkdir()
    (agents / "follow-up-writer.md").write_text("---\nname: follow-up-writer\ndescription: x\n---\nmine\n", "utf-8")
    reference = stage.references[0]
    stage.play(writer_call(reference, subagent_type="follow-up-writer"))

    assert [request.body["tools"] for request in stage.api.subagents] == [[]]
    assert filed_answer(stage.sandbox, reference) == answer_of(packet(stage.sandbox, reference))


def test_other_agents_are_left_alone(stage: Stage) -> None:
    """A subagent that is none of the plugin's works in a project that has it."""
    explore = call("Agent", subagent_type="Explore", description="look", prompt="the writer of packet:a/b")
    stage.play(explore, other=lambda _: [text("found it")])

    assert [request.texts()[-1] for request in stage.api.subagents] == ["the writer of packet:a/b"]


@pytest.mark.parametrize("where", ["no settings", "local settings", "environment"])
def test_a_project_that_is_not_isolated_sends_nothing(stage: Stage, where: str) -> None:
    """The switches are gone, or turned back elsewhere: the gate says what to do, and the writer gets nothing."""
    home, env = stage.sandbox.project / ".claude", {}
    if where == "no settings":
        (home / "settings.json").unlink()
    elif where == "local settings":
        (home / "settings.local.json").write_text('{"autoMemoryEnabled": true}', encoding="utf-8")
    else:
        env = {"CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS": "0"}
    stage.play(*(writer_call(stage.references[0], subagent_type=name) for name in WRITERS), **env)

    assert stage.api.subagents == []
    assert [
        ("othing was sent" in said and "subagent's request" in said, is_error) for said, is_error in stage.said()
    ] == [(True, True)] * 2


def test_an_installed_gate_that_cannot_run_stays_shut(tmp_path: Path) -> None:
    """A damaged plugin: its judges get nothing, everybody else works on."""
    stage = Stage(ready(tmp_path))
    (stage.sandbox.root / "core/scripts/hooks/packet.py").unlink()
    explore = call("Agent", subagent_type="Explore", description="look", prompt="look for a writer")
    calls = [writer_call(stage.references[0], subagent_type=name) for name in WRITERS]
    stage.play(*calls, explore, other=lambda _: [text("found it")])

    assert [request.texts()[-1] for request in stage.api.subagents] == ["look for a writer"]
    refused = [said for said, is_error in stage.said() if is_error]
    assert len(refused) == 2
    assert all("Install the plugin again" in said for said in refused)


def test_the_conversation_may_not_print_a_packet(stage: Stage) -> None:
    """What init wrote into the project denies it, though the skill page allows the command."""
    run, user = stage.references[0].removeprefix("packet:").split("/")
    script = f'python3 "{stage.sandbox.root}/core/scripts/follow_up.py" packet {run} {user}'
    turn = stage.play(bash(script), bash(f"cat agents/researcher/session/runs/{run}/{user}.json"))

    assert len(turn.denied) == 2


# --- what is missing


def bare_environment(folder: Path) -> Path:
    """An interpreter without any package."""
    subprocess.run(["python3", "-m", "venv", "--without-pip", str(folder)], check=True)
    return folder


def test_missing_packages_are_said_with_the_command_that_installs_them(tmp_path: Path) -> None:
    """The conversation gets one message that names the plugin's own setup.py, and the plugin stays as it was."""
    client()
    sandbox = PluginSandbox(tmp_path)
    sandbox.install_from_git()
    before = sandbox.fingerprint()
    (sandbox.project / "mindloop.yaml").write_text("schema: 1\n", encoding="utf-8")
    page = sandbox.root / ".claude/skills/follow-up/../../../core/scripts/follow_up.py"
    left = [[bash(f'python3 "{page}" begin')]]
    bare = bare_environment(tmp_path / "bare")
    with ModelApi(lambda request: left.pop() if request.is_main and left else [text("done")]) as api:
        sandbox.ask(api.url, "/mindloop:follow-up", MINDLOOP_VENV=str(bare)).really_ran()
    ((_, said, is_error),) = api.main[-1].results()

    assert is_error
    assert "the Python package 'yaml' is missing" in said
    assert f"Install what mindloop needs with: python3 '{sandbox.root}/core/scripts/setup.py'" in said
    assert sandbox.fingerprint() == before


def test_a_project_without_a_workspace_is_told_how_to_make_one(installed: PluginSandbox, tmp_path: Path) -> None:
    """The message holds the whole command, wherever the client put the plugin."""
    installed.new_project(tmp_path)
    ended = installed.script("core/scripts/follow_up.py", "begin")

    assert ended.returncode == 2
    assert ended.stderr.endswith(f"make one here: python3 '{installed.root}/core/scripts/init.py'\n")


# --- the marketplace of this repository


@pytest.mark.parametrize("how", ["a folder", "an address"])
def test_this_repository_is_a_marketplace(tmp_path: Path, how: str) -> None:
    """Its own catalogue, as a person adds it: the skill runs to its end, and no file of the pack changes anywhere."""
    client()
    if how == "an address" and not git_server.is_there():
        pytest.skip("this git has no http-backend, so nothing can be served on loopback")
    sandbox = PluginSandbox(tmp_path)
    if how == "a folder":
        sandbox.install(sandbox.source, "mindloop")
    else:
        with git_server.GitServer(sandbox.bare().parent) as server:
            sandbox.install(f"{server.url}/pack.git", "mindloop")
    sandbox.link_packages()
    places = (sandbox.source, sandbox.home / ".claude/plugins/cache", sandbox.home / ".claude/plugins/marketplaces")
    before = sandbox.fingerprint(*places)
    sample_with_canaries(sandbox)
    play = Play(lambda request: [text(answer_of(request.texts()[-1], ANSWER_MARK))])
    with ModelApi(play) as api:
        turn = sandbox.ask(api.url, "/mindloop:follow-up").really_ran()

    assert turn.denied == []
    assert [request.body["tools"] for request in api.subagents] == [[]] * WAITING
    assert sandbox.fingerprint(*places) == before


# --- the other skills that ask


def _replies(sandbox: PluginSandbox) -> None:
    """One reply each of two users, with the token of a message that was left unanswered."""
    for slug in ("ledgerlark", "mossgate"):
        path = sandbox.project / f"grimoires/observer/growth/{slug}.yaml"
        state: Any = strict_yaml.load(path.read_text(encoding="utf-8"), path.name)
        sent = [message for batch in state["follow_ups"] for message in batch["message_ids"]]
        token = next(message["token"] for message in sent if message["outcome"] in ("pending", "silence"))
        words = f"[FU:{token}] on sunday i opened it twice, {slug}"
        flags = ("--user", slug, "--source-type", "discord_dm")
        assert sandbox.script("core/scripts/provenance.py", "ingest", *flags, stdin=words).returncode == 0


def _logs(sandbox: PluginSandbox) -> None:
    """A log of each of two new users."""
    for user in ("ada", "kim"):
        said = f"[2026-02-10 09:00] us: what did you do?\n[2026-02-10 09:05] {user}: i wrote it down by hand, {user}\n"
        (sandbox.project / f"dm {user}.txt").write_text(said, encoding="utf-8")


def _nothing(_sandbox: PluginSandbox) -> None:
    """The sample is enough."""


@pytest.mark.parametrize(
    ("skill", "script", "marked", "prepare"),
    [("think", think, None, _nothing), ("grow", grow, None, _replies), ("ingest-dm", ingest, selected, _logs)],
    ids=["think", "grow", "ingest-dm"],
)
def test_a_skill_that_asks_runs_in_a_foreign_project(
    installed: PluginSandbox,
    tmp_path: Path,
    skill: str,
    script: Callable[[str], Script],
    marked: Callable[[str], str] | None,
    prepare: Callable[[PluginSandbox], None],
) -> None:
    """Unasked, packet by packet byte for byte, without a tool; the answers are taken, the plugin is as it was."""
    installed.new_project(tmp_path)
    sample_with_canaries(installed)
    prepare(installed)
    before = installed.fingerprint()
    judge = Defaults(installed, skill, JUDGED, marked)
    talk = Conversation(script, judge)

    with ModelApi(talk) as api:
        turn = installed.ask(api.url, f"/mindloop:{skill}").really_ran()

    asked = items(installed, skill)
    assert turn.denied == []
    assert len(asked) >= 2
    assert sorted(request.texts()[-1] for request in api.subagents) == sorted(item["prompt"] for item in asked)
    assert [request.body["tools"] for request in api.subagents] == [[]] * len(asked)
    assert answers(installed, skill) == judge.given
    assert sum(int(count) for said in talk.said for count in re.findall(TAKEN, said)) == len(asked)
    assert [request for request in api.main if request.holds(JUDGED)] == []
    assert installed.fingerprint() == before


def check(page: str) -> Script:
    """The check of the shipped model, by the page's own command."""
    start = command(page, "fu_conformance.py", "check")
    yield [bash(f"{start} grimoires/sequences/fu-model-m0.json --json")]


@pytest.mark.parametrize(
    ("skill", "script", "proof"),
    [
        ("observe", observe, ("core/scripts/provenance.py", "verify", "--user", "kim")),
        ("follow-up-sequences", check, ("core/scripts/fu_conformance.py", "grimoires/sequences/fu-model-m0.json")),
    ],
    ids=["observe", "follow-up-sequences"],
)
def test_a_skill_that_asks_nobody_runs_there_too(
    installed: PluginSandbox, tmp_path: Path, skill: str, script: Callable[[str], Script], proof: tuple[str, ...]
) -> None:
    """The page's own command runs unasked, and what it leaves or says holds."""
    installed.new_project(tmp_path)
    sample_with_canaries(installed)
    before = installed.fingerprint()
    talk = Conversation(script, lambda _: [])

    with ModelApi(talk) as api:
        turn = installed.ask(api.url, f"/mindloop:{skill}").really_ran()

    assert turn.denied == []
    assert len(talk.said) == 1
    assert installed.script(*proof).returncode == 0
    assert ("made" if skill == "observe" else '"profile"') in talk.said[0], talk.said
    assert installed.fingerprint() == before
