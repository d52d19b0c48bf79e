"""Why a user gets no messages: every reason, their order, and that nobody else loses anything by it (follow-up, 2)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from mindloop.skills.follow_up.table import FOLLOW_UP
from mindloop.store.errors import Malformed, WrongInput
from tests.helpers.skill_workspace import (
    CANVASES,
    FOLLOW_UPS,
    INDEX,
    SCORES,
    SkillWorkspace,
    answer,
    hypothesis,
    message,
    reasons,
    snapshot,
    waiting,
    wallet_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

HIGH = hypothesis(confidence="High")


@pytest.fixture
def bench(tmp_path: Path) -> SkillWorkspace:
    return SkillWorkspace(tmp_path)


def no_triggers(bench: SkillWorkspace, user: str = "eve") -> None:
    """A canvas without hypotheses, promises, gaps and quotes."""
    bench.canvas(user, quotes=[])


def all_high(bench: SkillWorkspace, user: str = "eve") -> None:
    """Nothing is left to validate."""
    bench.canvas(user, body=HIGH)


def no_quotes(bench: SkillWorkspace, user: str = "eve") -> None:
    """An open hypothesis, no quote with a hash."""
    bench.canvas(user, quotes=[], body=hypothesis() + '\n> "said, but never recorded"\n')


def no_score(bench: SkillWorkspace, user: str = "eve") -> None:
    """The score command knows nothing of the wallet."""
    bench.canvas(user, score=False)


def violation(bench: SkillWorkspace, user: str = "eve") -> None:
    """The canvas names its own file once more."""
    bench.canvas(user, body=f"notes in {user}-canvas.md")


def broken_header(bench: SkillWorkspace, user: str = "eve") -> None:
    """Front matter that is no YAML."""
    bench.write(f"{CANVASES}/{user}-canvas.md", f'---\nuser: "{user}\nwallet: [\n---\n\ntext\n')


SKIPS = [
    (no_triggers, "no_triggers"),
    (all_high, "all_hypotheses_high_confidence"),
    (no_quotes, "no_verified_quotes"),
    (no_score, "score_api_error"),
    (violation, "prompt_manifest_violation"),
    (broken_header, "invalid_canvas"),
]


@pytest.mark.parametrize(("spoil", "reason"), SKIPS, ids=[reason for _, reason in SKIPS])
def test_each_reason_of_begin_skips_one_user_and_no_other(bench: SkillWorkspace, spoil: Callable, reason: str) -> None:
    """The spoiled user is reported with the reason and a detail; the users before and after wait as ever."""
    bench.observe("ann", "ann said this")
    bench.observe("zoe", "zoe said this")
    spoil(bench)
    begun = bench.begin()

    assert reasons(begun) == {"eve": reason}
    assert waiting(begun) == ["ann", "zoe"]
    assert begun.skipped[0]["detail"]


@pytest.mark.parametrize(("spoil", "reason"), SKIPS, ids=[reason for _, reason in SKIPS])
def test_where_everybody_is_skipped_the_batch_is_written_at_once(
    bench: SkillWorkspace, spoil: Callable, reason: str
) -> None:
    """Nobody to ask: begin ends the run and leaves an empty batch with the reason."""
    spoil(bench)
    begun = bench.begin()
    batch = bench.batch()

    assert begun.batch == f"{FOLLOW_UPS}/2026-02-20.md"
    assert (batch["users"], batch["total_messages"], batch["sections"]) == ([], 0, [])
    assert batch["skipped_users"] == [{"user": "eve", "reason": reason}]
    assert bench.resume(begun.place.run).state == "complete"


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("not json", "subagent_parse_error"),
        (answer("eve", message("00" * 32)), "all_content_stripped"),
        (answer("eve", skip_reason="no_quotes"), "no_quotes"),
    ],
)
def test_each_reason_of_resume_skips_one_user_and_no_other(bench: SkillWorkspace, raw: str, reason: str) -> None:
    """An answer that comes to nothing costs its own user alone."""
    for user in ("ann", "eve", "zoe"):
        bench.observe(user, f"{user} said this")
    run = bench.begin().place.run
    bench.default_answers(run, "ann", "zoe")
    bench.file(run, "eve", raw)
    resumed = bench.resume(run)
    batch = bench.batch()

    assert resumed.skipped == [{"user": "eve", "reason": reason}]
    assert batch["users"] == ["ann", "zoe"]
    assert batch["skipped_users"] == [{"user": "eve", "reason": reason}]
    assert resumed.state == "complete"


def spoiled(bench: SkillWorkspace, **parts: object) -> str:
    """The reason of one user whose canvas has several things wrong."""
    bench.canvas("eve", **parts)  # type: ignore[arg-type]  # a test may spoil a part
    return reasons(bench.begin())["eve"]


VIOLATING = "\n\nnotes in eve-canvas.md\n"


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"quotes": [], "score": False, "body": VIOLATING}, "no_triggers"),
        ({"quotes": [], "score": False, "body": HIGH + VIOLATING}, "all_hypotheses_high_confidence"),
        ({"quotes": [], "score": False, "body": hypothesis() + VIOLATING}, "no_verified_quotes"),
        ({"score": False, "body": hypothesis() + VIOLATING}, "score_api_error"),
        ({"body": hypothesis() + VIOLATING}, "prompt_manifest_violation"),
    ],
)
def test_of_several_reasons_the_earliest_gate_counts(bench: SkillWorkspace, parts: dict, reason: str) -> None:
    """First triggers, then quotes, score, manifest: the order in which the steps are walked."""
    assert spoiled(bench, **parts) == reason


def test_a_user_whose_triggers_are_all_stale_is_skipped_before_the_manifest_is_looked_at(bench: SkillWorkspace) -> None:
    """After the growth filter nothing is left to ask: no_triggers, although the canvas would violate the manifest."""
    high = hypothesis(2, "done", "High").replace("## Level 3 Hypotheses\n\n", "")
    bench.canvas("eve", body=hypothesis())
    bench.full_run(now="2026-02-12T09:00:00Z")
    growth = bench.root / "grimoires/observer/growth/eve.yaml"
    growth.write_text(growth.read_text("utf-8").replace("cycles_without_evidence: 0", "cycles_without_evidence: 5"))
    bench.canvas("eve", body=hypothesis() + high + VIOLATING)
    begun = bench.begin()

    assert begun.skipped == [{"user": "eve", "reason": "no_triggers", "detail": "all triggers are stale"}]


# --- invalid canvases


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x-canvas.md", "---\ntype: user_canvas\nuser: ../x\n---\n"),
        ("y-canvas.md", "---\ntype: user_canvas\nuser: '..'\n---\n"),
        ("z-canvas.md", "---\nuser: &a [*a]\n---\n"),
        ("b-canvas.md", "---\nuser: bob\nuser: rob\n---\n"),
        ("n-canvas.md", "---\nuser: nul\n---\n\x00\n"),
        ("l-canvas.md", b"---\nuser: latin\n---\n\xe9\n"),
        ("big-canvas.md", b"---\nuser: big\n---\n" + b"x" * 4_100_000),
        ("bomb-canvas.md", "---\na: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\nuser: bomb\n---\n"),
    ],
    ids=["climbing", "dots", "alias", "twice", "nul", "latin1", "4 MB", "bomb"],
)
def test_a_canvas_that_cannot_be_used_is_one_invalid_canvas(
    bench: SkillWorkspace, name: str, text: str | bytes
) -> None:
    """Whatever is wrong with one file, its neighbours are not touched by it."""
    bench.observe("ann", "ann said this")
    bench.write(f"{CANVASES}/{name}", text)
    begun = bench.begin()

    assert waiting(begun) == ["ann"]
    assert list(reasons(begun).values()) == ["invalid_canvas"]


def test_of_two_canvases_for_one_user_the_suffixed_one_counts(bench: SkillWorkspace) -> None:
    """`bob.md` beside `bob-canvas.md` is invalid_canvas; bob is asked once."""
    bench.canvas("bob")
    bench.canvas("Bob", name="bob.md")
    begun = bench.begin()

    assert waiting(begun) == ["bob"]
    assert [(entry["reason"], entry["detail"].split(":")[0]) for entry in begun.skipped] == [
        ("invalid_canvas", f"{CANVASES}/bob.md")
    ]


@pytest.mark.parametrize("user", ["no", "null", "0123", "1e5", "@bob", "🦊", "ñandú", "O'Neil", "a.b", "Will", "true"])
def test_an_odd_name_is_a_name(bench: SkillWorkspace, user: str) -> None:
    """YAML's words, numbers, an @, emoji, accents: begun, answered, in the batch under its own name."""
    bench.observe(user, "I said something")
    shown = user.removeprefix("@")
    resumed = bench.full_run()

    assert resumed.done == [{"user": shown, "outcome": "messages", "messages": 1}]
    assert [section["user"] for section in bench.batch()["sections"]] == [shown]
    assert bench.growth(shown)["user"] == shown


# --- unexpected errors


EACH_BEFORE_ASKING = [step.id for step in FOLLOW_UP.lane(stop="4a")]


@pytest.mark.parametrize("step_id", EACH_BEFORE_ASKING)
def test_a_surprise_in_any_step_costs_one_user(
    bench: SkillWorkspace, monkeypatch: pytest.MonkeyPatch, step_id: str
) -> None:
    """An exception that nobody foresaw, in whatever step, becomes a skip of the one user with its text as detail."""
    for user in ("ann", "eve", "zoe"):
        bench.observe(user, f"{user} said this")
    step = next(step for step in FOLLOW_UP.steps if step.id == step_id)
    real = step.run

    def exploding(context: object, case) -> object:
        if case.file.user_guess == "eve":
            raise ZeroDivisionError("surprise")
        return real(context, case)

    monkeypatch.setattr(step, "run", exploding)
    begun = bench.begin()

    assert waiting(begun) == ["ann", "zoe"]
    assert [(entry["user"], entry["detail"]) for entry in begun.skipped] == [("eve", "ZeroDivisionError: surprise")]
    assert begun.skipped[0]["reason"] == step.failure


@pytest.mark.parametrize("step_id", [step.id for step in FOLLOW_UP.lane(start="4a")])
@pytest.mark.parametrize("error", [RuntimeError("surprise"), Malformed("surprise", "Mend it.")], ids=["bug", "ours"])
def test_a_surprise_while_an_answer_is_checked_costs_one_user(
    bench: SkillWorkspace, monkeypatch: pytest.MonkeyPatch, step_id: str, error: Exception
) -> None:
    """The same for the steps that check answers."""
    for user in ("ann", "eve", "zoe"):
        bench.observe(user, f"{user} said this")
    step = next(step for step in FOLLOW_UP.steps if step.id == step_id)
    real = step.run

    def exploding(context: object, one) -> object:
        if one.dossier["user"] == "eve":
            raise error
        return real(context, one)

    run = bench.begin().place.run
    bench.default_answers(run, "ann", "eve", "zoe")
    monkeypatch.setattr(step, "run", exploding)
    resumed = bench.resume(run)

    assert resumed.skipped == [{"user": "eve", "reason": step.failure}]
    assert bench.batch()["users"] == ["ann", "zoe"]


def test_a_torn_item_file_leaves_its_user_open_and_the_others_done(bench: SkillWorkspace) -> None:
    """A dossier that was damaged on disk is reported; everybody else gets their messages."""
    for user in ("ann", "eve", "zoe"):
        bench.observe(user, f"{user} said this")
    begun = bench.begin()
    bench.default_answers(begun.place.run, "ann", "eve", "zoe")
    path = bench.root / begun.place.item("eve")
    path.write_bytes(path.read_bytes()[:100])
    resumed = bench.resume(begun.place.run)

    assert bench.batch()["users"] == ["ann", "zoe"]
    assert (resumed.open, resumed.state) == (["eve"], "open")
    assert [warning.partition(": agents/")[0] for warning in resumed.warnings] == ["eve: left open"]


def test_a_torn_answer_file_costs_one_user(bench: SkillWorkspace) -> None:
    """The same for a filed answer that no longer parses."""
    for user in ("ann", "eve", "zoe"):
        bench.observe(user, f"{user} said this")
    begun = bench.begin()
    bench.default_answers(begun.place.run, "ann", "eve", "zoe")
    (bench.root / begun.place.answer("eve")).write_text("{")
    resumed = bench.resume(begun.place.run)

    assert bench.batch()["users"] == ["ann", "zoe"]
    assert resumed.open == ["eve"]


@pytest.mark.parametrize(
    "text", ["schema_version: 1\nuser: [", "schema_version: 99\nuser: eve\n"], ids=["torn", "newer"]
)
def test_a_growth_file_that_cannot_be_read_costs_its_user_growth_only(bench: SkillWorkspace, text: str) -> None:
    """The packet goes out without a growth section, with a warning; the file is left as it was."""
    bench.observe("eve", "eve said this")
    path = bench.write("grimoires/observer/growth/eve.yaml", text)
    begun = bench.begin()

    assert waiting(begun) == ["eve"]
    assert any("growth" in warning and "eve" in warning for warning in begun.warnings)
    bench.default_answers(begun.place.run, "eve")
    resumed = bench.resume(begun.place.run)
    assert bench.batch()["users"] == ["eve"]
    assert any("growth" in warning and "eve" in warning for warning in resumed.warnings)
    assert path.read_text() == text


@pytest.mark.parametrize("text", ["schema_version: 1\nuser: [", "schema_version: 1\nuser: somebody_else\n", "7\n"])
def test_a_cognition_file_that_cannot_be_used_is_left_out(bench: SkillWorkspace, text: str) -> None:
    """A bad sidecar costs its user the sidecar, nothing else; the log says why."""
    bench.observe("eve", "eve said this")
    bench.write("grimoires/observer/cognition/eve.yaml", text)
    begun = bench.begin()

    assert waiting(begun) == ["eve"]
    item = bench.item(begun.place.run, "eve")
    assert item["manifest"]["cognition_status"] == "missing"
    assert "=== COGNITION STATE" not in item["prompt"]
    assert any("cognition not used" in line for line in item["log"])


def test_a_corrupt_index_line_is_a_warning(bench: SkillWorkspace) -> None:
    """A torn line in the shared index is reported with its number; every good record counts."""
    digest = bench.observe("ann", "ann said this")
    index = bench.root / INDEX
    index.write_bytes(b'{"torn": \n' + index.read_bytes() + b'{"canvas_target": "\\ud83d"')
    begun = bench.begin()

    assert waiting(begun) == ["ann"]
    assert bench.item(begun.place.run, "ann")["registry"][0]["hash"] == digest
    assert bench.item(begun.place.run, "ann")["registry"][0]["in_index"] is True
    assert any("1" in warning and INDEX in warning for warning in begun.warnings)


# --- the error table


MISSING = {
    "provenance index": INDEX,
    "chronicle": "grimoires/mining/chronicle",
    "canvas": CANVASES,
    "follow-up": FOLLOW_UPS,
}


def remove(root: Path, rel: str) -> None:
    """Take a file, or a folder with all in it, out of the workspace."""
    path = root / rel
    for folder, _, names in os.walk(path, topdown=False):
        for name in names:
            os.unlink(os.path.join(folder, name))
        os.rmdir(folder)
    if path.is_file():
        path.unlink()


@pytest.mark.parametrize("rel", MISSING.values(), ids=MISSING.keys())
@pytest.mark.parametrize("dry_run", [False, True])
def test_a_missing_dependency_aborts_the_batch(bench: SkillWorkspace, rel: str, dry_run: bool) -> None:
    """One required path is gone: an error that names it, and not a byte is written."""
    bench.observe("ann", "ann said this")
    remove(bench.root, rel)
    before = snapshot(bench.root)

    with pytest.raises(WrongInput, match=rel):
        bench.begin(dry_run=dry_run)
    assert snapshot(bench.root) == before


def test_all_missing_dependencies_are_named_at_once(bench: SkillWorkspace) -> None:
    """One message for all of them, the score command included."""
    with (bench.root / "mindloop.yaml").open("a") as file:
        file.write("  score_api:\n    command: nowhere/score.sh\n")
    for rel in MISSING.values():
        remove(bench.root, rel)

    with pytest.raises(WrongInput) as caught:
        bench.begin()
    assert [part for part in [*MISSING.values(), "nowhere/score.sh"] if part not in str(caught.value)] == []


def test_a_folder_without_canvases_is_a_missing_dependency(bench: SkillWorkspace) -> None:
    """The canvas folder must hold at least one `.md`."""
    with pytest.raises(WrongInput, match=r"at least one canvas"):
        bench.begin()


def test_a_score_command_that_cannot_be_executed_is_missing(bench: SkillWorkspace) -> None:
    """A file without the executable bit is no command."""
    bench.observe("ann", "ann said this")
    bench.write("tools/score.sh", "#!/bin/sh\necho {}\n").chmod(0o644)
    with (bench.root / "mindloop.yaml").open("a") as file:
        file.write("  score_api:\n    command: tools/score.sh\n")

    with pytest.raises(WrongInput, match=r"tools/score\.sh"):
        bench.begin()


def scoring(bench: SkillWorkspace, script: str, timeout: str = "5") -> str:
    """The detail of ann's skip under a score command of this script, or "" where she waits."""
    bench.observe("ann", "ann said this")
    bench.write("tools/score.sh", "#!/bin/sh\n" + script).chmod(0o755)
    with (bench.root / "mindloop.yaml").open("a") as file:
        file.write(f"  score_api:\n    command: tools/score.sh\n    timeout_seconds: {timeout}\n")
    begun = bench.begin()
    assert reasons(begun) in ({}, {"ann": "score_api_error"})
    return begun.skipped[0]["detail"] if begun.skipped else ""


@pytest.mark.parametrize(
    ("script", "detail"),
    [
        ("echo broken >&2; exit 7\n", "the score API ended with 7: broken"),
        ("exit 0\n", "the score API printed nothing"),
        ("printf '  \\n'\n", "the score API printed nothing"),
        ("exec sleep 30\n", "the score API did not answer within 0.2 s"),
    ],
)
def test_each_failure_of_the_score_command_is_a_score_api_error(
    bench: SkillWorkspace, script: str, detail: str
) -> None:
    """Exit code, empty output, time-out: skipped, and the detail says which."""
    assert scoring(bench, script, "0.2" if "sleep" in script else "5") == detail


def test_the_score_command_gets_an_argument_list(bench: SkillWorkspace) -> None:
    """`profile <wallet> --format snapshot`, and what it prints stands in the packet."""
    assert scoring(bench, 'printf "args=%s|%s|%s|%s|%s" "$#" "$@"\n') == ""
    run = bench.begin(now="2026-02-20T10:00:00Z").place.run

    assert f"args=4|profile|{wallet_of('ann')}|--format|snapshot" in bench.packet(run, "ann")


@pytest.mark.parametrize("wallet", ["", "0x12", "$(touch pwned)", "0x" + "g" * 40, "0x...", "../../etc/passwd"])
def test_a_wallet_that_is_none_never_reaches_the_command(bench: SkillWorkspace, wallet: str) -> None:
    """A missing or odd wallet is a score_api_error; no process is started for it."""
    bench.write("tools/score.sh", "#!/bin/sh\ntouch called\necho {}\n").chmod(0o755)
    with (bench.root / "mindloop.yaml").open("a") as file:
        file.write("  score_api:\n    command: tools/score.sh\n")
    bench.canvas("eve", wallet=wallet)

    assert reasons(bench.begin()) == {"eve": "score_api_error"}
    assert [name for name in ("called", "pwned") if (bench.root / name).exists()] == []


def test_scores_of_many_users_go_to_the_right_ones(bench: SkillWorkspace) -> None:
    """Fetched by several threads: each packet holds its own user's snapshot."""
    users = [f"user{number:02}" for number in range(12)]
    for number, user in enumerate(users):
        bench.canvas(user)
        bench.score(wallet_of(user), rank=1000 + number)
    remove(bench.root, f"{SCORES}/{wallet_of(users[5])}.json")
    begun = bench.begin()

    assert reasons(begun) == {"user05": "score_api_error"}
    for number, user in enumerate(users):
        if user != "user05":
            assert f'"rank": {1000 + number}' in bench.packet(begun.place.run, user)
