"""The walk over a step table: order, skips, questions, and whose trouble an error is."""

import pytest

from mindloop.protocol.gap import Gap
from mindloop.protocol.step import EACH, ONCE, STOP, Ask, Done, Skip, Step
from mindloop.protocol.walk import Table, walk
from mindloop.store.errors import Busy, StoreFailure, WrongInput


def noting(seen: list[str], name: str, outcome: object):
    def run(_context: object, *_item: object) -> object:
        seen.append(name)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return run


def steps(seen: list[str], *outcomes: object) -> tuple[Step, ...]:
    return tuple(Step(f"2{letter}", "", noting(seen, letter, o)) for letter, o in zip("abcdef", outcomes, strict=False))


def test_steps_run_in_order_and_leave_their_notes() -> None:
    """A walk that nothing stops is Done, with one note for each step that had something to say."""
    seen: list[str] = []

    walked = walk(steps(seen, Done("first"), Done(), Done("third")), None, {}, "item")

    assert seen == ["a", "b", "c"]
    assert walked.notes == ["2a first", "2c third"]
    assert isinstance(walked.outcome, Done)


def test_a_skip_ends_the_walk_at_its_step() -> None:
    """No step after a skip runs, and the walk says where it ended."""
    seen: list[str] = []

    walked = walk(steps(seen, Done(), Skip("no_triggers", "nothing"), Done()), None, {}, "item")

    assert seen == ["a", "b"]
    assert (walked.at, walked.outcome.reason, walked.notes) == ("2b", "no_triggers", ["2b nothing"])


def test_a_question_ends_the_walk_until_it_is_answered() -> None:
    """Ask carries the gap out of the walk."""
    gap = Gap("ann", "what now?", schema="x", default="{}")

    walked = walk(steps([], Ask(gap), Done()), None, {}, "item")

    assert walked.outcome.gap is gap


def test_a_step_that_does_not_apply_is_passed_over() -> None:
    """`runs_when` sees the run's flags and nothing else."""
    seen: list[str] = []
    step = Step("1", "", noting(seen, "a", Done()), runs_when=lambda flags: flags["deep"])

    walk((step,), None, {"deep": False}, "item")

    assert seen == []


@pytest.mark.parametrize(
    "error", [WrongInput("bad header", "Mend it."), ValueError("surprise")], ids=["ours", "surprise"]
)
def test_an_error_costs_one_item_its_place_and_no_more(error: Exception) -> None:
    """A fail-open step turns any error into that item's skip, under the step's own reason."""
    step = Step("2a", "", noting([], "a", error), failure="invalid_canvas")

    walked = walk((step,), None, {}, "item")

    assert walked.outcome.reason == "invalid_canvas"
    assert str(error).splitlines()[0] in walked.outcome.detail


@pytest.mark.parametrize(
    "error", [Busy("held", "Wait."), StoreFailure("disk full", "Free some space.")], ids=["busy", "disk"]
)
def test_a_full_disk_or_a_held_lock_is_nobodys_skip(error: Exception) -> None:
    """What concerns the whole workspace is not booked on one item."""
    with pytest.raises(type(error)):
        walk((Step("2a", "", noting([], "a", error)),), None, {}, "item")


def test_a_stop_step_ends_the_run_with_its_error() -> None:
    """A step marked STOP lets its error through."""
    with pytest.raises(WrongInput, match="missing"):
        walk((Step("0", "", noting([], "a", WrongInput("missing", "Add it.")), scope=ONCE, on_error=STOP),), None, {})


def test_a_table_knows_its_three_parts() -> None:
    """Leading and trailing steps run once, the lane between runs for each item, from and up to any step."""
    table = Table(
        "demo",
        tuple(
            Step(name, "", noting([], name, Done()), scope=scope)
            for name, scope in [("0", ONCE), ("2a", EACH), ("2b", EACH), ("4a", EACH), ("5", ONCE)]
        ),
    )

    assert [step.id for step in table.leading()] == ["0"]
    assert [step.id for step in table.lane()] == ["2a", "2b", "4a"]
    assert [step.id for step in table.lane(start="2b", stop="4a")] == ["2b"]
    assert [step.id for step in table.trailing()] == ["5"]


def test_a_table_in_another_order_is_refused() -> None:
    """A step for each item cannot follow the steps that run after the last one."""
    with pytest.raises(ValueError, match="once, each, once"):
        Table(
            "demo", tuple(Step(str(i), "", noting([], "", Done()), scope=s) for i, s in enumerate([EACH, ONCE, EACH]))
        )


def test_a_gap_shows_its_evidence_below_its_question() -> None:
    """The packet is the question, then the evidence; a question that holds its evidence stands alone."""
    assert Gap("g", "ask", schema="x", default="", evidence="seen").packet() == "ask\nseen"
    assert Gap("g", "ask", schema="x", default="").packet() == "ask"
