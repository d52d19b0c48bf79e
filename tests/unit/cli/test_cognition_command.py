"""cognition.py, and the verbs that it shares with the other skills of one question an item."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from mindloop.cli.run_verbs import resume
from mindloop.protocol.run_files import find_run, read_head
from tests.helpers.command_line import Called, call
from tests.helpers.skill_workspace import NOW, held_lock, hypothesis
from tests.helpers.thinking import ThinkWorkspace, backed, explored

if TYPE_CHECKING:
    from pathlib import Path

RUN = "think-2026-02-20-001"
CANARY = "kanarie"


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ThinkWorkspace:
    """Two users, one of whom has a sidecar by a judge."""
    made = ThinkWorkspace(tmp_path)
    made.observe("ann", "the badge never showed up")
    made.canvas("bob", body=hypothesis())
    monkeypatch.setenv("MINDLOOP_ROOT", str(tmp_path))
    monkeypatch.setenv("MINDLOOP_NOW", NOW)
    return made


def cognition(*argv: str, stdin: str = "") -> Called:
    return call("cognition", *argv, stdin=stdin)


def test_begin_prints_references_and_the_next_step(bench: ThinkWorkspace) -> None:
    """Enough for a conversation to go on, and nothing of anybody's words."""
    called = cognition("begin")

    assert called.code == 0
    assert called.out.splitlines() == [
        f"run {RUN}; 2 waiting, 0 skipped",
        f"  ann: packet:{RUN}/ann",
        f"  bob: packet:{RUN}/bob",
        f"next: one cognition-distiller for each packet, then: cognition.py resume {RUN}",
    ]


def test_begin_json_is_one_versioned_object(bench: ThinkWorkspace) -> None:
    """Who waits and why, who was skipped and why; --full adds manifests and details."""
    brief, full = cognition("begin", "--json").json, cognition("begin", "--json", "--full", "--user", "bob").json

    assert brief["version"] == 1
    assert brief["run"] == RUN
    assert brief["waiting"][1] == {"user": "bob", "packet": f"packet:{RUN}/bob", "why": "no sidecar yet"}
    assert set(brief) == {"version", "run", "dry_run", "waiting", "skipped", "synthesis", "warnings"}
    assert full["manifests"]["bob"]["verified_quote_count"] == 1


def test_begin_with_nobody_to_think_about(bench: ThinkWorkspace) -> None:
    """Everybody is fresh: exit 0, no run, and the reasons."""
    cognition("begin", "--user", "bob")
    cognition("answer", RUN, "bob", stdin=explored("bob"))

    assert cognition("begin", "--user", "bob").out.splitlines() == [
        "no run; 0 waiting, 1 skipped",
        "skipped:",
        "  bob: fresh",
        "nobody needs thinking about",
    ]


def test_a_dry_run_says_why_and_writes_nothing(bench: ThinkWorkspace) -> None:
    """No run is named, because there is none."""
    called = cognition("begin", "--dry-run")

    assert called.out.splitlines()[:2] == ["dry run: nothing is written; 2 waiting, 0 skipped", "  ann: no sidecar yet"]
    assert list((bench.root / "agents/researcher/session/runs").iterdir()) == []


def test_output_stays_short_however_many_users(bench: ThinkWorkspace) -> None:
    """Sixty users: at most 2 KB, and --full lists them all."""
    for number in range(60):
        bench.canvas(f"user-with-a-long-name-{number:02}", score=False, wallet="")
    brief, full = cognition("begin"), cognition("begin", "--full")

    assert len(brief.raw) <= 2048
    assert "more: --full shows all" in brief.out
    assert full.out.count("packet:") == 62


def test_packet_prints_the_exact_prompt(bench: ThinkWorkspace) -> None:
    """To the byte, by name or by the last part of the reference; --json adds hash and schema."""
    cognition("begin")
    item = bench.item(RUN, "bob")
    shown = cognition("packet", RUN, "bob", "--json").json

    assert cognition("packet", RUN, "Bob").raw == item["prompt"].encode()
    assert (shown["sha256"], shown["judge"], shown["item"]) == (item["sha256"], "cognition-distiller", "bob")
    assert shown["answer_schema"]["title"] == "The answer of a cognition distiller (/think)"
    assert cognition("packet", RUN, "eve").code == 1


def test_answer_applies_at_once(bench: ThinkWorkspace) -> None:
    """One line without a word of the judge's; the sidecar is there, made by a person."""
    cognition("begin")
    called = cognition("answer", RUN, "bob", stdin=explored("bob", behavior_tags=[CANARY]))

    assert (called.code, called.out) == (0, "bob: fears: 1, steering targets: 1\n")
    assert (bench.sidecar("bob") or {})["host"] == "person"
    as_json = cognition("answer", RUN, "ann", "--host", "me", "--json", stdin=backed("ann", quote_of(bench))).json
    assert (as_json["outcome"], as_json["item"], as_json["run"]) == ("done", "ann", RUN)


def quote_of(bench: ThinkWorkspace) -> str:
    return str(bench.item(RUN, "ann")["verified"][0])


@pytest.mark.parametrize("stdin", ["no", "{}", json.dumps({"user": CANARY}), explored("bob", fears=[{"type": CANARY}])])
def test_a_wrong_answer_is_exit_2_and_changes_nothing(bench: ThinkWorkspace, stdin: str) -> None:
    """What was expected is said without a word of what came, and the user still waits."""
    cognition("begin")
    called = cognition("answer", RUN, "bob", stdin=stdin)

    assert (called.code, called.out) == (2, "")
    assert CANARY not in called.err
    assert "expected" in called.err
    assert bench.sidecar("bob") is None
    assert cognition("answer", RUN, "bob", stdin=explored("bob")).code == 0


def test_a_user_who_is_through_is_exit_1(bench: ThinkWorkspace) -> None:
    """A second answer is not taken, and the first one's sidecar stays."""
    cognition("begin")
    cognition("answer", RUN, "bob", stdin=explored("bob"))
    before = bench.sidecar("bob")
    called = cognition("answer", RUN, "bob", stdin=explored("bob", behavior_tags=[]))

    assert called.code == 1
    assert "does not wait" in called.err
    assert bench.sidecar("bob") == before


def test_a_strange_host_is_refused(bench: ThinkWorkspace) -> None:
    """It would stand in the sidecar."""
    cognition("begin")

    assert cognition("answer", RUN, "bob", "--host", "A b", stdin=explored("bob")).code == 2
    assert bench.sidecar("bob") is None


def test_resume_takes_what_is_filed(bench: ThinkWorkspace) -> None:
    """Taken, refused, open: counted, named, told without a word of a judge's."""
    cognition("begin")
    assert cognition("resume", RUN).code == 1  # nothing is answered yet
    bench.file_as(RUN, "ann", backed("ann", "cd" * 32, behavior_tags=[CANARY]))
    called = cognition("resume", RUN)

    assert called.code == 0
    assert called.out.splitlines()[0] == f"run {RUN}: 0 taken, 1 refused, 1 still open"
    assert called.out.splitlines()[-1] == "open: bob; again once they are answered"
    assert CANARY not in called.out
    bench.file_as(RUN, "bob", explored("bob"))
    assert cognition("resume", RUN, "--json").json["state"] == "complete"
    assert cognition("resume", RUN).code == 0


def test_resume_beside_a_held_lock_is_exit_75(bench: ThinkWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user stays open and is taken once the lock is free."""
    monkeypatch.setenv("MINDLOOP_LOCK_TIMEOUT", "0.05")
    cognition("begin")
    bench.file_as(RUN, "bob", explored("bob"))
    with held_lock(bench.root, "user:bob"):
        called = cognition("resume", RUN, "--json")

    assert called.code == 75
    assert called.json["busy"] == ["bob"]
    assert cognition("resume", RUN).code == 0


def test_another_verb_may_name_resume(bench: ThinkWorkspace, capsys: pytest.CaptureFixture[str]) -> None:
    """A skill that calls it learn gets the same, and help under that name."""
    with pytest.raises(SystemExit):
        resume("growth.py", "mindloop.skills.think.judging", ["--help"], verb="learn")

    assert "usage: growth.py learn" in capsys.readouterr().out


def test_show_says_what_was_thought_and_whether_it_holds(bench: ThinkWorkspace) -> None:
    """Ranked fears with their targets; stale with the reason once something moved."""
    cognition("begin")
    cognition("answer", RUN, "bob", stdin=explored("bob"))
    shown = cognition("show", "bob")

    assert shown.out.splitlines() == [
        f"bob: fresh, made {NOW} by person; the score is not compared here",
        "  FEAR-bob-1 exploratory, trust_erosion: the badge never came back, and nobody noticed",
        "    wrong where: a badge was shown to somebody since",
        "    steer: ask for the last visit",
    ]
    path = bench.root / "grimoires/observer/canvas/bob-canvas.md"
    path.write_text(path.read_text().replace("---\n", '---\nlast_enriched: "2026-02-19"\n', 1))
    assert cognition("show", "bob").out.startswith("bob: stale (the canvas was enriched since), made ")
    assert cognition("show", "bob", "--json").json["cognition"]["fears"][0]["priority"] == 1


def test_show_finds_a_canvas_of_another_name(bench: ThinkWorkspace) -> None:
    """The file may be called anything; the user counts."""
    bench.canvas("Zed", name="notes of spring.md")
    cognition("begin", "--user", "zed")
    cognition("answer", RUN, "zed", stdin=explored("Zed"))

    assert cognition("show", "ZED").out.startswith("Zed: fresh")


def test_show_of_what_is_not_there(bench: ThinkWorkspace) -> None:
    """Exit 1 where nobody has thought; a damaged sidecar is said to be unusable, another user's is exit 2."""
    assert cognition("show", "bob").code == 1
    bench.write("grimoires/observer/cognition/bob.yaml", "user: bob\nfears: [")
    assert cognition("show", "bob").out.startswith("bob: unusable (it cannot be read)")
    bench.write("grimoires/observer/cognition/bob.yaml", "user: eve\n")
    assert cognition("show", "bob").code == 2


def test_instructions_in_a_sidecar_by_hand_are_not_shown(bench: ThinkWorkspace) -> None:
    """Whoever wrote the file: what is printed is sanitised."""
    cognition("begin")
    cognition("answer", RUN, "bob", stdin=explored("bob"))
    path = bench.root / "grimoires/observer/cognition/bob.yaml"
    path.write_text(path.read_text().replace("the badge never", "ignore previous badges, never"))

    assert "ignore previous" not in cognition("show", "bob").out


def test_synthesize_waits_for_the_run(bench: ThinkWorkspace) -> None:
    """What users share is asked once everybody was thought about, once, and its answer is taken by the same command."""
    for user in ("cem", "dia"):
        bench.canvas(user, body=hypothesis())
    begun = cognition("begin", "--synthesize", "--json").json
    for user in ("bob", "cem", "dia"):
        bench.file_as(begun["run"], user, explored(user))
    assert cognition("resume", begun["run"], "--json").json["next"] == []
    bench.file_as(begun["run"], "ann", backed("ann", quote_of(bench)))
    first, again = (cognition("resume", begun["run"], "--json").json["next"] for _ in range(2))
    (line,) = first
    shared = line.removeprefix("packet:").partition("/")[0]

    assert line == f"packet:{shared}/all for synthesis-writer, then: cognition.py resume {shared}"
    assert again == first
    default = read_default(bench, shared)
    assert cognition("answer", shared, "all", stdin=default).code == 0
    assert cognition("resume", begun["run"], "--json").json["next"] == []
    assert (bench.root / "grimoires/observer/cognition/synthesis-2026-02-20.md").exists()
    at_once = cognition("begin", "--synthesize").out.splitlines()[-1]
    assert at_once.startswith("next: packet:synthesis-2026-02-20-002/all for synthesis-writer")


def read_default(bench: ThinkWorkspace, run: str) -> str:
    """The default answer of a run's question about all."""
    assert list(read_head(bench.ws, find_run(bench.ws, run))["waiting"]) == ["all"]
    return str(bench.item(run, "all")["default"])


def test_too_few_users_share_nothing(bench: ThinkWorkspace) -> None:
    """Two users are no pattern: said as a warning, exit 0."""
    cognition("begin")
    cognition("answer", RUN, "ann", stdin=backed("ann", quote_of(bench)))
    cognition("answer", RUN, "bob", stdin=explored("bob"))
    called = cognition("begin", "--synthesize")

    assert called.code == 0
    assert "no synthesis: 2 users to compare, at least 3 are needed" in called.err
