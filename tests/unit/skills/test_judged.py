"""Taking the answers of a skill that asks one question an item."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from mindloop.protocol.gap import Gap
from mindloop.protocol.questions import AnswerRefused, Question, stage_run
from mindloop.protocol.run_files import file_answer, read_answer, read_head
from mindloop.skills.judged import Judging, answer_now, resume
from mindloop.store.errors import Malformed, Negative, Unreadable
from mindloop.store.workspace import Workspace
from tests.helpers.skill_workspace import at, held_lock

if TYPE_CHECKING:
    from pathlib import Path

    from mindloop.protocol.run_files import RunPlace
    from mindloop.store.transaction import Transaction

NOW = at("2026-02-20T09:00:00Z")
RUN = "toy-2026-02-20-001"


def check(item: dict[str, Any], raw: str) -> str:
    """Any answer but one that says no."""
    if raw.startswith("no"):
        raise AnswerRefused("word: expected another one", "Say it again.")
    return f"{item['fact']} {raw}"


def apply(tx: Transaction, item: dict[str, Any], value: str, host: str, now: object) -> str:
    """Write the value down, unless something is in the way."""
    if value.endswith("late"):
        raise AnswerRefused("it is too late", "Begin again.")
    if value.endswith("broken"):
        raise Malformed("notes/x: damaged", "Mend it.")
    if value.endswith("shut"):
        raise Unreadable("notes/x: could not open it", "Open it.")
    tx.write(f"notes/{item['slug']}.txt", f"{value} ({host})")
    return f"{item['user']} is noted"


TOY = Judging("toy", scopes=lambda item: (f"user:{item['slug']}",), check=check, apply=apply)


@pytest.fixture
def place(tmp_path: Path) -> RunPlace:
    """A run in which three items wait."""
    workspace = Workspace(str(tmp_path))
    questions = [
        Question(
            Gap(item, "?", schema="think-answer", default="yes"), user=item.upper(), judge="x", facts={"fact": "f"}
        )
        for item in ("ann", "bob", "cem")
    ]
    with workspace.transaction("agent:researcher") as tx:
        return stage_run(tx, "researcher", "toy", NOW, questions)


@pytest.fixture
def workspace(tmp_path: Path, place: RunPlace) -> Workspace:
    """Its workspace."""
    return Workspace(str(tmp_path))


def test_resume_takes_what_is_filed_and_leaves_the_rest(workspace: Workspace, place: RunPlace) -> None:
    """One applied, one refused, one without an answer: the first changes a file, the last still waits."""
    file_answer(workspace, RUN, "ann", "yes", "claude")
    file_answer(workspace, RUN, "bob", "no thanks", "claude")
    judged = resume(workspace, TOY, RUN, NOW)

    assert judged.done == [
        {"user": "ANN", "item": "ann", "outcome": "done", "told": "ANN is noted"},
        {"user": "BOB", "item": "bob", "outcome": "refused", "told": "refused: word: expected another one"},
    ]
    assert (judged.open, judged.busy, judged.warnings, judged.state) == (["cem"], [], [], "open")
    assert workspace.read_text("notes/ann.txt") == "f yes (claude)"
    assert not workspace.exists("notes/bob.txt")
    assert read_head(workspace, place)["done"] == {"ann": "done", "bob": "refused"}


def test_an_item_is_taken_once(workspace: Workspace) -> None:
    """A second resume does nothing, and the last item completes the run."""
    for item in ("ann", "bob", "cem"):
        file_answer(workspace, RUN, item, "yes", "claude")
    first, second = resume(workspace, TOY, RUN, NOW), resume(workspace, TOY, RUN, NOW)

    assert [entry["item"] for entry in first.done] == ["ann", "bob", "cem"]
    assert (first.state, second.state, second.done) == ("complete", "complete", [])


def test_applying_may_refuse_too(workspace: Workspace, place: RunPlace) -> None:
    """An answer that checks and cannot be applied settles its item as refused and changes nothing."""
    file_answer(workspace, RUN, "ann", "late", "claude")
    judged = resume(workspace, TOY, RUN, NOW)

    assert judged.done[0]["outcome"] == "refused"
    assert judged.done[0]["told"] == "refused: it is too late"
    assert not workspace.exists("notes/ann.txt")


@pytest.mark.parametrize("raw", ["broken", "shut"])
def test_a_file_in_the_way_leaves_the_item_open(workspace: Workspace, raw: str) -> None:
    """What is wrong with the workspace is told, and the answer is taken once it is mended."""
    file_answer(workspace, RUN, "ann", raw, "claude")
    file_answer(workspace, RUN, "bob", "yes", "claude")
    judged = resume(workspace, TOY, RUN, NOW)

    assert [entry["item"] for entry in judged.done] == ["bob"]
    assert judged.open == ["ann", "cem"]
    assert len(judged.warnings) == 1
    assert judged.warnings[0].startswith("ann: left open: notes/x: ")


def test_a_held_lock_leaves_its_item_open(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others are taken; the busy one is named and waits."""
    monkeypatch.setenv("MINDLOOP_LOCK_TIMEOUT", "0.05")
    for item in ("ann", "bob"):
        file_answer(workspace, RUN, item, "yes", "claude")
    with held_lock(workspace.root, "user:ann"):  # type: ignore[arg-type]  # a path as text does
        judged = resume(workspace, TOY, RUN, NOW)

    assert [entry["item"] for entry in judged.done] == ["bob"]
    assert judged.busy == ["ann"]
    assert resume(workspace, TOY, RUN, NOW).done[0]["item"] == "ann"


def test_a_damaged_packet_leaves_its_item_open(workspace: Workspace, place: RunPlace) -> None:
    """A prompt that is not the one that was asked with takes no answer."""
    file_answer(workspace, RUN, "ann", "yes", "claude")
    text = workspace.read_text(place.item("ann")) or ""
    with workspace.transaction(place.scope) as tx:
        tx.write(place.item("ann"), text.replace('"?"', '"!"'))
    judged = resume(workspace, TOY, RUN, NOW)

    assert judged.done == []
    assert "is not the one that was assembled" in judged.warnings[0]


def test_answer_now_checks_and_applies_at_once(workspace: Workspace, place: RunPlace) -> None:
    """The answer is filed, applied and settled together."""
    taken = answer_now(workspace, TOY, RUN, "ann", "yes", host="person", now=NOW)

    assert taken == {"user": "ANN", "item": "ann", "outcome": "done", "told": "ANN is noted"}
    assert workspace.read_text("notes/ann.txt") == "f yes (person)"
    assert (read_answer(workspace, place, "ann") or {})["raw"] == "yes"
    assert read_head(workspace, place)["done"] == {"ann": "done"}


@pytest.mark.parametrize("raw", ["no", "late"])
def test_a_refused_answer_changes_nothing_at_once(workspace: Workspace, place: RunPlace, raw: str) -> None:
    """Whether the check or the applying refuses it: no file, no answer, and the item still waits."""
    with pytest.raises(AnswerRefused):
        answer_now(workspace, TOY, RUN, "ann", raw, host="person", now=NOW)

    assert read_answer(workspace, place, "ann") is None
    assert read_head(workspace, place)["done"] == {}
    assert not workspace.exists("notes/ann.txt")
    answer_now(workspace, TOY, RUN, "ann", "yes", host="person", now=NOW)


def test_an_item_that_is_through_takes_no_answer(workspace: Workspace) -> None:
    """A second answer at once is refused and changes nothing."""
    answer_now(workspace, TOY, RUN, "ann", "yes", host="person", now=NOW)
    with pytest.raises(Negative, match="does not wait"):
        answer_now(workspace, TOY, RUN, "ann", "yes again", host="person", now=NOW)

    assert workspace.read_text("notes/ann.txt") == "f yes (person)"


def test_another_skills_run_is_refused(workspace: Workspace) -> None:
    """An answer never meets the checks of another question."""
    other = Judging("other", scopes=TOY.scopes, check=check, apply=apply)
    said = "a run of 'toy', expected one of 'other'"
    with pytest.raises(Negative, match=said):
        resume(workspace, other, RUN, NOW)
    with pytest.raises(Negative, match=said):
        answer_now(workspace, other, RUN, "ann", "yes", host="person", now=NOW)


def test_no_such_run_or_item(workspace: Workspace) -> None:
    """Both are said, and nothing is made."""
    with pytest.raises(Negative, match="is not in this workspace"):
        resume(workspace, TOY, "toy-2026-02-20-009", NOW)
    with pytest.raises(Negative, match="no packet for 'eve'"):
        answer_now(workspace, TOY, RUN, "eve", "yes", host="person", now=NOW)
