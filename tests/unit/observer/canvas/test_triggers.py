"""Whether a user is written to, and why."""

from __future__ import annotations

from datetime import date

import pytest

from mindloop.observer.canvas.parse import Canvas, parse_canvas
from mindloop.observer.canvas.triggers import drop_stale, find_triggers, skip_reason

TODAY = date(2026, 2, 14)
LOW = "## Level 3 Hypotheses\n### H1: checks daily\n- **Confidence**: Low\n"
HIGH = "## Level 3 Hypotheses\n### H1: checks daily\n- **Confidence**: High\n"
QUOTE = "## Quotes Library\n> gm\n"


def canvas(body: str, **meta: str) -> Canvas:
    header = "".join(f"{key}: {value}\n" for key, value in meta.items())
    return parse_canvas("grimoires/observer/canvas/bob-canvas.md", f"---\nuser: bob\n{header}---\n{body}")


def kinds(body: str, last: str | None = "2026-02-13", **meta: str) -> list[tuple[str, str | None]]:
    return [(found["kind"], found["hypothesis_id"]) for found in find_triggers(canvas(body, **meta), TODAY, last)]


def promise(day: str, status: str = "PENDING") -> str:
    head = "## Future Promises\n| Promise | Date | Follow-up Trigger | Status |\n|-|-|-|-|\n"
    return f"{head}| x | {day} | y | {status} |\n"


def test_open_hypothesis() -> None:
    """A hypothesis below high is a reason and carries its id."""
    assert kinds(LOW) == [("hypothesis", "H1")]


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        ("2026-02-10", [("promise", None)]),
        ("2026-02-11", []),
        ("2026-02-12", []),
        ("2026-02-10T23:59:00-05:00", []),
        ("2026-02-20", []),
        ("soon", []),
        ("-", []),
    ],
)
def test_promise_age(day: str, expected: list[tuple[str, None]]) -> None:
    """A promise is asked about from the fourth day on; exactly three days are not more than three."""
    assert kinds(promise(day)) == expected


def test_redeemed_promise() -> None:
    """A validated promise is no reason, an unvalidated one is."""
    assert [kinds(promise("2026-01-01", status)) for status in ("**VALIDATED**", "UNVALIDATED")] == [
        [],
        [("promise", None)],
    ]


@pytest.mark.parametrize(
    ("updated", "last", "fires"),
    [
        ("2026-02-12T10:00:00Z", "2026-02-12T09:00:00Z", True),
        ("2026-02-12T10:00:00Z", "2026-02-12T10:00:00Z", False),
        ("2026-02-12T10:00:00+02:00", "2026-02-12T09:00:00Z", False),
        ("2026-02-12", "2026-02-12T09:00:00Z", False),
        ("2026-02-12T10:00:00Z", "2026-02-12", False),
        ("2026-02-13", "2026-02-12T09:00:00Z", True),
        ("2026-02-12 10:00:00", "2026-02-12T09:00:00Z", True),
        ("lately", "2026-02-12", False),
        ("2026-02-13", "lately", False),
    ],
)
def test_feedback_since_the_last_batch(updated: str, last: str, fires: bool) -> None:
    """A canvas that changed later is a reason; days are compared where either side is only a day."""
    assert kinds(QUOTE, last, updated=f'"{updated}"') == [("feedback", None)] * fires


@pytest.mark.parametrize(
    ("body", "fires"), [(QUOTE, True), (QUOTE + HIGH, False), ("no quote\n", False), ("```\n> gm\n```\n", False)]
)
def test_first_feedback(body: str, fires: bool) -> None:
    """Never written to: a quote is a reason, unless all hypotheses are closed."""
    assert kinds(body, None) == [("feedback", None)] * fires


@pytest.mark.parametrize(
    ("status", "fires"), [("IDENTIFIED", True), ("OPEN", False), ("FILED", False), ("identified", False)]
)
def test_gap_status(status: str, fires: bool) -> None:
    """Exactly IDENTIFIED is a reason."""
    assert kinds(f"## Expectation Gaps\n### GAP-1: x\n**Status**: {status}\n") == [("gap", None)] * fires


def test_order_and_text() -> None:
    """Reasons come in one order, each as one line."""
    body = LOW + promise("2026-02-01") + "## Expectation Gaps\n### GAP-1: slow\n**Status**: IDENTIFIED\n" + QUOTE
    found = find_triggers(canvas(body, updated='"2026-02-14"'), TODAY, "2026-02-13")
    assert [trigger["text"] for trigger in found] == [
        "H1: checks daily",
        "promise of 2026-02-01: x",
        "feedback of 2026-02-14 since the follow-up of 2026-02-13",
        "gap: GAP-1: slow",
    ]


@pytest.mark.parametrize(
    ("body", "reason"),
    [(HIGH, "all_hypotheses_high_confidence"), ("", "no_triggers"), (QUOTE, "no_triggers")],
)
def test_skip_reason(body: str, reason: str) -> None:
    """Without a reason to write, closed hypotheses are told from none at all."""
    assert skip_reason(canvas(body)) == reason


def test_stale_hypotheses_drop_out() -> None:
    """Stale ids are matched in any spelling; reasons without a hypothesis stay."""
    found = find_triggers(canvas(LOW + "### H2: y\n" + QUOTE), TODAY, None)
    assert [trigger["hypothesis_id"] for trigger in drop_stale(found, ["H-1"])] == ["H2", None]
