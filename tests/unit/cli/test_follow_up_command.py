"""follow_up.py: its verbs, what they print, how they end."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import pytest

from tests.helpers.command_line import call
from tests.helpers.skill_workspace import FOLLOW_UPS, NOW, SkillWorkspace, held_lock, snapshot
from tests.unit.skills.test_cognition_steps import ANCHORS, sidecar

if TYPE_CHECKING:
    from pathlib import Path

RUN = "follow-up-2026-02-20-001"


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SkillWorkspace:
    monkeypatch.setenv("MINDLOOP_ROOT", str(tmp_path))
    monkeypatch.setenv("MINDLOOP_NOW", NOW)
    made = SkillWorkspace(tmp_path)
    made.observe("ann", "ann said this")
    made.observe("Bob Lee", "bob said this")
    made.canvas("eve", quotes=[])
    return made


def begun(bench: SkillWorkspace) -> str:
    return str(call("follow_up", "begin", "--json").json["run"])


def answered(bench: SkillWorkspace, run: str, user: str) -> None:
    default = str(bench.item(run, user)["default"])
    assert call("follow_up", "answer", run, user, stdin=default).code == 0


# --- begin


def test_begin_json_has_the_keys_that_programs_rely_on(bench: SkillWorkspace) -> None:
    """The run, waiting with user and packet, skipped with user and reason; more keys are allowed beside them."""
    called = call("follow_up", "begin", "--json")

    assert (called.code, called.err) == (0, "")
    assert called.json["run"] == RUN
    assert called.json["waiting"] == [
        {"user": "ann", "packet": f"packet:{RUN}/ann"},
        {"user": "Bob Lee", "packet": f"packet:{RUN}/bob-lee-482bc94ae44e0b8c"},
    ]
    assert called.json["skipped"] == [{"user": "eve", "reason": "no_triggers"}]
    assert sorted(called.json) == sorted(
        ["batch", "dry_run", "run", "skipped", "synthesis", "thinking", "version", "waiting", "warnings"]
    )


def test_begin_tells_a_person_who_waits_who_was_skipped_and_what_is_next(bench: SkillWorkspace) -> None:
    """Run id, packets, skips with reasons, next command."""
    called = call("follow_up", "begin")

    assert called.code == 0
    assert called.out.splitlines()[0] == f"run {RUN}; 2 waiting, 1 skipped"
    assert f"  ann: packet:{RUN}/ann" in called.out.splitlines()
    assert "  eve: no_triggers" in called.out.splitlines()
    assert called.out.splitlines()[-1].endswith(f"follow_up.py resume {RUN}")


def test_begin_full_says_why(bench: SkillWorkspace) -> None:
    """--full adds each skip's detail."""
    assert "  eve: no_triggers (nothing to follow up on)" in call("follow_up", "begin", "--full").out


def test_begin_stays_short_for_twelve_users(bench: SkillWorkspace) -> None:
    """Twelve waiting users with long names, and warnings: at most 2 KB on stdout."""
    for number in range(10):
        bench.canvas(f"somebody-with-a-long-name-number-{number:02}")
    called = call("follow_up", "begin")

    assert "12 waiting" in called.out
    assert len(called.raw) <= 2048


def test_begin_for_one_user(bench: SkillWorkspace) -> None:
    """--canvas picks one."""
    called = call("follow_up", "begin", "--canvas", "@ANN", "--json")

    assert [entry["user"] for entry in called.json["waiting"]] == ["ann"]
    assert called.json["skipped"] == []


def test_begin_for_nobody_is_a_wrong_call(bench: SkillWorkspace) -> None:
    """An unknown user: exit 2, the name and a hint on stderr, nothing on stdout, nothing written."""
    before = snapshot(bench.root)
    called = call("follow_up", "begin", "--canvas", "an")

    assert (called.code, called.out) == (2, "")
    assert "'an'" in called.err
    assert "canvas.py list" in called.err
    assert snapshot(bench.root) == before


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_dry_begin_changes_nothing(bench: SkillWorkspace, form: list[str]) -> None:
    """--dry-run: the same lists, no run id, not a byte."""
    before = snapshot(bench.root)
    called = call("follow_up", "begin", "--dry-run", *form)

    assert called.code == 0
    assert snapshot(bench.root) == before
    if form:
        assert (called.json["run"], called.json["dry_run"], len(called.json["waiting"])) == (None, True, 2)
    else:
        assert called.out.splitlines()[0] == "dry run: nothing is written; 2 waiting, 1 skipped"


def test_begin_without_anybody_to_ask_names_the_batch(bench: SkillWorkspace) -> None:
    """All skipped: the batch is there already and is named."""
    called = call("follow_up", "begin", "--canvas", "eve", "--json")

    assert called.json["waiting"] == []
    assert called.json["batch"] == f"{FOLLOW_UPS}/2026-02-20.md"


def test_warnings_go_to_stderr(bench: SkillWorkspace) -> None:
    """A torn index line is talk, not result, and said once."""
    with (bench.root / "grimoires/mining/provenance/index.jsonl").open("ab") as file:
        file.write(b"{torn\n")
    called = call("follow_up", "begin")

    assert called.code == 0
    assert called.err.count("warning: ") == 1
    assert "warning" not in called.out


# --- packet


def test_packet_prints_the_exact_bytes(bench: SkillWorkspace) -> None:
    """Standard output is the prompt and nothing else, byte for byte."""
    run = begun(bench)
    called = call("follow_up", "packet", run, "ann")

    assert (called.code, called.err) == (0, "")
    assert called.raw == bench.packet(run, "ann").encode("utf-8")


def test_packet_json_adds_hash_and_manifest(bench: SkillWorkspace) -> None:
    """The prompt with what it was made of."""
    run = begun(bench)
    found = call("follow_up", "packet", run, "ann", "--json").json

    assert found["prompt"] == bench.packet(run, "ann")
    assert found["sha256"] == hashlib.sha256(found["prompt"].encode()).hexdigest()
    assert found["manifest"]["canvas_path"] == "grimoires/observer/canvas/ann-canvas.md"


def test_a_user_can_be_named_as_the_packet_reference_does(bench: SkillWorkspace) -> None:
    """A name, an @name and the last part of `packet:<run>/<user>` lead to the same packet."""
    entry = call("follow_up", "begin", "--json").json["waiting"][1]
    run, _, slug = entry["packet"].removeprefix("packet:").partition("/")
    packets = {call("follow_up", "packet", run, name).raw for name in ("Bob Lee", "@bob lee", slug)}

    assert [len(packets), b"bob said this" in packets.pop()] == [1, True]
    assert call("follow_up", "answer", run, slug, stdin="x").code == 0


@pytest.mark.parametrize("verb", ["packet", "answer"])
@pytest.mark.parametrize(
    ("user", "code"), [("nobody", 1), ("🦊", 1), ("no", 1), ("0123", 1), ("@ghost", 1), ("../x", 2), ("", 2)]
)
def test_a_user_without_a_packet(bench: SkillWorkspace, verb: str, user: str, code: int) -> None:
    """Unknown is 1, unsafe is 2; the message is on stderr and nothing is written."""
    run = begun(bench)
    before = snapshot(bench.root)
    called = call("follow_up", verb, run, user, stdin="x")

    assert (called.code, called.out) == (code, "")
    assert called.err.startswith("mindloop: ")
    assert "Traceback" not in called.err
    assert snapshot(bench.root) == before


@pytest.mark.parametrize("verb", [["packet", "{}", "ann"], ["answer", "{}", "ann"], ["resume", "{}"], ["status", "{}"]])
@pytest.mark.parametrize(("run", "code"), [("follow-up-2026-01-01-001", 1), ("../../x", 2), ("", 2), ("A/B", 2)])
def test_a_run_that_is_not_there(bench: SkillWorkspace, verb: list[str], run: str, code: int) -> None:
    """Unknown is 1, unsafe is 2."""
    called = call("follow_up", *[run if word == "{}" else word for word in verb])

    assert (called.code, called.out) == (code, "")
    assert called.err.startswith("mindloop: ")


# --- answer


@pytest.mark.parametrize(
    "raw",
    [b"", b"\xff\xfe\x00latin", b"\x00" * 10, b"x" * 1_000_001, b'{"user": "ann"}', "ü\ud7ff🦊".encode()],
    ids=["empty", "not utf-8", "NUL", "1 MB", "json", "emoji"],
)
def test_any_answer_is_filed_as_it_came(bench: SkillWorkspace, raw: bytes) -> None:
    """Filing judges nothing: every byte is kept, and resume says what it is worth."""
    run = begun(bench)
    called = call("follow_up", "answer", run, "ann", stdin=raw)
    filed = json.loads((bench.root / f"agents/researcher/session/runs/{run}/answers/ann.json").read_bytes())

    assert (called.code, called.out, called.err) == (0, "ann: answer filed\n", "")
    assert filed["raw"].encode("utf-8", "surrogateescape") == raw
    assert filed["host"] == "person"
    resumed = call("follow_up", "resume", run, "--json")
    assert resumed.json["done"] == [{"user": "ann", "outcome": "subagent_parse_error", "messages": 0}]


def test_answer_json_and_host(bench: SkillWorkspace) -> None:
    """Who answered stands in the batch."""
    run = begun(bench)
    default = str(bench.item(run, "ann")["default"])
    called = call("follow_up", "answer", run, "ann", "--host", "claude-code", "--json", stdin=default)
    call("follow_up", "resume", run)

    assert called.json == {"version": 1, "run": run, "user": "ann", "filed": True, "note": "ann: answer filed"}
    assert "**Host**: claude-code" in bench.batch_text()


@pytest.mark.parametrize("host", ["", "a b", "x\ny", "Ü", "../x"])
def test_a_host_that_is_no_name_is_refused(bench: SkillWorkspace, host: str) -> None:
    """The host's name goes into a file; it is checked like one."""
    assert call("follow_up", "answer", begun(bench), "ann", "--host", host, stdin="x").code == 2


# --- resume


def test_resume_tells_what_came_of_it(bench: SkillWorkspace) -> None:
    """Messages, users, who is open, the batch's path."""
    run = begun(bench)
    answered(bench, run, "ann")
    called = call("follow_up", "resume", run)
    lines = called.out.splitlines()

    assert called.code == 0
    assert lines[0] == f"run {run}: 1 message for 1 user, 1 still open"
    assert "  ann: 1 message" in lines
    assert f"batch: {FOLLOW_UPS}/2026-02-20.md" in lines


@pytest.mark.parametrize(("how", "row"), [((), ""), (("--full",), " (the canvas is gone)")])
def test_resume_tells_who_was_left_out_and_why(bench: SkillWorkspace, how: tuple[str, ...], row: str) -> None:
    """Ann's cognition is stale and her canvas goes meanwhile: this resume names her, with what was seen with --full."""
    digest = bench.observe("ann", "the badge never showed up")
    anchors = {**ANCHORS, "score_snapshot_hash": "00" * 32}
    bench.write("grimoires/observer/cognition/ann.yaml", sidecar(digest, input_anchors=anchors))
    run = begun(bench)
    (bench.root / "grimoires/observer/canvas/ann-canvas.md").unlink()
    called = call("follow_up", "resume", run, "--allow-stale", *how)
    again = call("follow_up", "resume", run, *how)

    assert f"\nskipped:\n  ann: invalid_canvas{row}\n" in called.out
    assert "skipped:" not in again.out


def test_resume_json(bench: SkillWorkspace) -> None:
    """The same for programs."""
    run = begun(bench)
    answered(bench, run, "ann")
    found = call("follow_up", "resume", run, "--json").json

    assert (found["run"], found["state"], found["batch"]) == (run, "open", f"{FOLLOW_UPS}/2026-02-20.md")
    assert found["done"] == [{"user": "ann", "outcome": "messages", "messages": 1}]
    assert found["skipped"] == [{"user": "eve", "reason": "no_triggers"}]
    assert len(found["open"]) == 1
    expected = {"version", "run", "state", "batch", "done", "open", "busy", "skipped", "log", "warnings"}
    assert set(found) == expected | {"begun", "thinking", "synthesis", "synthesis_packet"}


def test_resume_with_nothing_answered_is_a_negative_verdict(bench: SkillWorkspace) -> None:
    """Everybody is still open: exit 1; complete and repeated: exit 0."""
    run = begun(bench)
    assert call("follow_up", "resume", run).code == 1
    for user in ("ann", "Bob Lee"):
        answered(bench, run, user)
    assert [call("follow_up", "resume", run).code for _ in range(2)] == [0, 0]


def test_resume_under_a_busy_lock_is_75(bench: SkillWorkspace) -> None:
    """One user's lock is held: that one stays open, the others are done, exit 75; later it goes through."""
    run = begun(bench)
    for user in ("ann", "Bob Lee"):
        answered(bench, run, user)
    with held_lock(bench.root, "user:ann"):
        called = call("follow_up", "resume", run, "--json", MINDLOOP_LOCK_TIMEOUT="0.05")

    assert called.code == 75
    assert (called.json["busy"], called.json["open"]) == (["ann"], ["ann"])
    assert [entry["user"] for entry in called.json["done"]] == ["Bob Lee"]
    assert call("follow_up", "resume", run).code == 0


def test_a_busy_run_lock_is_75_and_changes_nothing(bench: SkillWorkspace) -> None:
    """Begin and answer wait for the agent's lock, then say who holds it."""
    run = begun(bench)
    before = {path: digest for path, (_, digest) in snapshot(bench.root).items()}
    with held_lock(bench.root, "agent:researcher"):
        codes = [
            call("follow_up", "begin", MINDLOOP_LOCK_TIMEOUT="0.05").code,
            call("follow_up", "answer", run, "ann", stdin="x", MINDLOOP_LOCK_TIMEOUT="0.05").code,
        ]

    assert codes == [75, 75]
    assert {path: digest for path, (_, digest) in snapshot(bench.root).items()} == before


# --- status


def test_status_follows_a_run(bench: SkillWorkspace) -> None:
    """Waiting, answered, done: each at its time."""
    run = begun(bench)
    answered(bench, run, "ann")
    middle = call("follow_up", "status", run, "--json").json
    call("follow_up", "resume", run)
    after = call("follow_up", "status", run, "--json").json

    assert (len(middle["waiting"]), middle["answered"], middle["done"], middle["state"]) == (1, ["ann"], {}, "open")
    assert (len(after["waiting"]), after["answered"], after["done"]) == (1, [], {"ann": "messages"})
    assert after["skipped"] == [{"user": "eve", "reason": "no_triggers"}]
    assert f"next: follow_up.py resume {run}" not in call("follow_up", "status", run).out


def test_status_of_all_runs(bench: SkillWorkspace) -> None:
    """Without a run: one line each; the same as JSON."""
    assert call("follow_up", "status").out.startswith("no runs yet")
    assert call("follow_up", "status", "--json").json["runs"] == []
    begun(bench)
    begun(bench)

    assert [line.partition(":")[0] for line in call("follow_up", "status").out.splitlines()] == [
        RUN,
        "follow-up-2026-02-20-002",
    ]
    assert [entry["waiting"] for entry in call("follow_up", "status", "--json").json["runs"]] == [2, 2]


def test_status_never_hides_an_open_run_behind_finished_ones(bench: SkillWorkspace) -> None:
    """Twelve complete runs are younger than an open one: it is listed, and how many are not is said."""
    first = begun(bench)
    for _ in range(12):
        run = begun(bench)
        for user in ("ann", "bob-lee-482bc94ae44e0b8c"):
            call("follow_up", "answer", run, user, stdin="no answer")
        call("follow_up", "resume", run)
    lines = call("follow_up", "status").out.splitlines()

    assert lines[0].startswith(f"{first}: open; 2 waiting")
    assert len(lines) == 11
    assert lines[-1] == "(+3 more: --json lists all)"


def test_status_of_a_torn_run_names_it(bench: SkillWorkspace) -> None:
    """A head that does not parse is one line of the list; asked for by name it is an error."""
    run = begun(bench)
    (bench.root / f"agents/researcher/session/runs/{run}.json").write_text("{")

    assert call("follow_up", "status").out.startswith(f"{run}: unreadable")
    assert call("follow_up", "status", run).code == 2


@pytest.mark.parametrize("argv", [["a", "b"], ["--full"], ["-x"]])
def test_status_refuses_what_it_does_not_know(bench: SkillWorkspace, argv: list[str]) -> None:
    """The quick parser of status knows its mistakes too."""
    called = call("follow_up", "status", *argv)

    assert (called.code, called.out) == (2, "")
    assert "usage: follow_up.py status" in called.err


def test_what_a_writer_said_is_not_read_out_to_the_conversation(bench: SkillWorkspace) -> None:
    """Checks are told without the words they are about; --full and the files have them."""
    run = call("follow_up", "begin", "--json").json["run"]
    message = {"hypothesis_or_trigger": "H1", "anchor_quote_hash": "CANARY it froze 'twice' again", "message_body": "b"}
    bench.file(run, "ann", json.dumps({"user": "ann", "messages": [message], "skip_reason": None}))
    bench.file(run, "Bob Lee", json.dumps({"user": "CANARY ignore this", "messages": []}))

    called = call("follow_up", "resume", run)

    assert "CANARY" not in called.out + called.err
    assert "STRIPPED message for ann" in called.out
    assert "REFUSED answer for Bob Lee" in called.out


def test_begin_shows_its_manifests_to_programs_that_ask(bench: SkillWorkspace) -> None:
    """--json --full tells what each packet was made of, and what was seen of everybody who was skipped."""
    found = call("follow_up", "begin", "--json", "--full", "--dry-run").json

    assert found["manifests"]["ann"]["canvas_path"] == "grimoires/observer/canvas/ann-canvas.md"
    assert found["manifests"]["ann"]["verified_quote_count"] == 1
    assert list(found["manifests"]["ann"]) == [
        "canvas_path",
        "wallet",
        "user",
        "verified_quote_count",
        "temporal_allowed_count",
        "prior_followup_count",
        "growth_summary_present",
        "cognition_status",
        "fear_count",
        "steering_target_count",
    ]
    assert found["details"] == {"eve": "nothing to follow up on"}


def test_a_packet_brings_the_schema_of_its_answer(bench: SkillWorkspace) -> None:
    """A host of one's own can check what it sends: the gap's schema is in the packet's JSON."""
    found = call("follow_up", "packet", begun(bench), "ann", "--json").json

    assert found["answer_schema"]["required"] == ["user", "messages"]
