"""The report's facts: sums over users, what fades, who is silent, what several users share."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from mindloop.observer.growth.outcome import apply_outcome
from mindloop.observer.growth.report import report
from mindloop.observer.growth.report_tables import headline, percent, plain, tables
from mindloop.observer.growth.state import clone, new_growth
from mindloop.store.settings import Settings
from tests.helpers import growth_states as made

NOW = made.NOW
SETTINGS = Settings({"observer": {"growth": {"enabled": True, "silence_gate_days": 7}}})
PROBE, WHY = "where is the gap?", "why stop?"


def user(name: str, *outcomes: tuple[str, str | None], body: str = PROBE, days: float = 3, host: str = "claude") -> Any:
    """A user with one batch, a message an outcome; ``pending`` ones stay so."""
    at = NOW - timedelta(days=days)
    said: Any = {"user": name, "slug": name, "messages": [made.message(body=body) for _ in outcomes], "host": host}
    state, _ = made.record_batch(new_growth(name, None, at), said, at.date().isoformat(), at)
    for number, (outcome, quality) in enumerate(outcomes, 1):
        identity = f"fu-{at.date().isoformat()}-{name}-1-{number}"
        if outcome != "pending":
            state, _ = apply_outcome(state, identity, outcome, quality, at + timedelta(hours=20))
    return clone(state)


def facts(*states: Any, stopped: Any = (), settings: Settings = SETTINGS, **more: Any) -> dict[str, Any]:
    return report(list(states), list(stopped), settings, NOW, **more)


def test_counters_of_users_are_added_before_anything_is_derived() -> None:
    """One answer of one user and none of four of another is a fifth, not the mean of two rates."""
    found = facts(
        user("ann", ("responded", "high")), user("bob", *[("silence", None)] * 4, ("unknown", None), ("pending", None))
    )
    (row,) = found["patterns"]

    assert row == {
        "pattern": "probe_gap",
        "users": 2,
        "users_with_outcome": 2,
        "used": 7,
        "answered": 1,
        "silent": 4,
        "waiting": 1,
        "unsent": 1,
        "response_rate": 0.2,
        "signal_quality": 1.0,
        "effectiveness": 20,
        "verdict": "mixed",
    }


@pytest.mark.parametrize(
    ("outcomes", "verdict"),
    [
        ([("responded", "high")], "undecided"),
        ([("responded", "high"), ("unknown", None)], "undecided"),
        ([("responded", "high"), ("responded", None)], "effective"),
        ([("responded", "low")], "undecided"),
        ([("silence", None)], "undecided"),
        ([("silence", None), ("silence", None)], "ineffective"),
        ([("responded", "low"), ("silence", None)], "mixed"),
        ([("pending", None)], "undecided"),
    ],
)
def test_verdicts(outcomes: list[tuple[str, str | None]], verdict: str) -> None:
    """Pending messages and a single outcome prove nothing; the thresholds are those of the packets."""
    assert facts(user("ann", *outcomes))["patterns"][0]["verdict"] == verdict


def test_a_single_outcome_proves_no_score() -> None:
    """It stands below what is proven, is early, and shows a dash; programs get the number."""
    once, often = user("ann", ("responded", "high")), user("bob", *[("responded", "low")] * 2, body=WHY)
    found = facts(once, often)
    table = next(table for table in tables(found) if table.title == "Which questions work")

    assert [(row["pattern"], row["effectiveness"]) for row in found["patterns"]] == [
        ("challenge_assumption", 50),
        ("probe_gap", 100),
    ]
    assert [row[-2:] for row in table.rows] == [["50", "mixed"], ["-", "early"]]


@pytest.mark.parametrize(
    ("waiting", "line"),
    [
        ({"replies": 1, "users": 1}, "1 reply to confirm for 1 user (growth.py list)"),
        ({"replies": 1200, "users": 2}, "1,200 replies to confirm for 2 users (growth.py list)"),
    ],
)
def test_what_waits_for_a_person_comes_first_and_the_next_step_last(waiting: dict[str, int], line: str) -> None:
    """Right below the title, and again as what to do."""
    found = facts(user("ann", ("pending", None)), to_confirm=waiting)

    assert headline(found)[1] == line
    assert tables(found)[-1].notes == [
        "growth.py list, then growth.py confirm USER MATCH or growth.py reject USER MATCH"
    ]
    assert headline({**found, "user": "ann"})[1] == f"{line.partition(' for')[0]} (growth.py list USER)"


def test_the_next_step_follows_from_what_is_open() -> None:
    """Replies to bring in, messages to write, files to look at; nothing where the headline says how it begins."""
    for states, more, step in [
        ([user("ann", ("pending", None))], {}, "when a reply came in: canvas.py ingest FILE"),
        ([user("ann", ("responded", None))], {}, "follow_up.py begin writes"),
        ([], {"unreadable": 2}, "doctor.py says more"),
    ]:
        (last,) = tables(facts(*states, **more))[-1].notes
        assert last.startswith(step)
    assert tables(facts()) == []


def test_what_cannot_be_read_is_not_nothing() -> None:
    """Of one user and of everybody."""
    assert headline(facts(user="ann", unreadable=1))[1] == "What growth knows of ann cannot be read."
    assert headline(facts(unreadable=2))[1] == "What growth knows of 2 users cannot be read."


def test_a_rehearsed_message_was_never_sent() -> None:
    """It is neither open nor silent, and nobody is waited for."""
    found = facts(user("ann", ("pending", None), host="rehearsal"))

    assert (found["messages"]["waiting"], found["messages"]["unsent"]) == (0, 1)
    assert found["silence"]["waiting"] == []


def test_who_is_waited_for_and_until_when() -> None:
    """Pending messages count from the oldest; a silence gates from the newest; the stopped are marked."""
    found = facts(
        user("ann", ("pending", None), days=3),
        user("bob", ("silence", None), days=5),
        user("eve", ("pending", None), ("pending", None), days=9),
        user("zoe", ("silence", None), days=9),
        stopped=[{"user": "Eve", "reason": "declined", "since": "2026-02-10T00:00:00Z", "problem": ""}],
    )

    assert found["silence"] == {
        "gate_days": 7,
        "waiting": [
            waits("eve", 2, 0, "2026-02-05T09:30:00Z", 9, None, stopped=True),
            waits("bob", 0, 1, "2026-02-09T09:30:00Z", 5, "2026-02-16"),
            waits("ann", 1, 0, "2026-02-11T09:30:00Z", 3, "2026-02-18"),
        ],
    }


def waits(
    user: str, pending: int, silent: int, since: str, days: int, opens: str | None, *, stopped: bool = False
) -> dict[str, Any]:
    """A row of who is waited for."""
    return {
        "user": user,
        "pending": pending,
        "silent": silent,
        "since": since,
        "days": days,
        "next_message_from": opens,
        "stopped": stopped,
    }


def test_without_a_gate_only_open_messages_are_waited_for() -> None:
    """A silence that gates nobody is no news; nobody is told when to write next."""
    off = Settings({"observer": {"growth": {"silence_gate_days": None}}})
    found = facts(user("ann", ("pending", None)), user("bob", ("silence", None)), settings=off)["silence"]

    assert found["gate_days"] is None
    assert [(one["user"], one["next_message_from"]) for one in found["waiting"]] == [("ann", None)]


def test_what_users_share_needs_enough_of_them_with_outcomes() -> None:
    """Two users with an outcome and one who was only asked are not three."""
    two = [user("ann", ("responded", "high")), user("bob", ("silence", None))]
    asked, third = user("eve", ("pending", None)), user("zoe", ("responded", None))

    assert facts(*two, asked)["shared_patterns"] == {"min_users": 3, "patterns": []}
    (row,) = facts(*two, asked, third)["shared_patterns"]["patterns"]
    assert (row["pattern"], row["users_with_outcome"], row["answered"], row["silent"]) == ("probe_gap", 3, 2, 1)
    assert facts(*two, third, user="ann")["shared_patterns"]["patterns"] == []


def fading(name: str, decay: str, cycles: int) -> Any:
    state = user(name)
    known: Any = {**made.hypothesis(), "decay_state": decay, "cycles_without_evidence": cycles}
    state["hypotheses"] = [{"last_evidence_date": None, **known}]
    return state


def test_what_fades_comes_first_and_what_is_active_is_only_counted() -> None:
    """Stale before decaying, the longest quiet first; of one user every hypothesis is told."""
    everybody = [fading("ann", "active", 1), fading("bob", "decaying", 3), fading("eve", "stale", 6)]
    found = facts(*everybody, fading("zoe", "decaying", 5))["hypotheses"]

    assert [(one["user"], one["decay_state"]) for one in found["listed"]] == [
        ("eve", "stale"),
        ("zoe", "decaying"),
        ("bob", "decaying"),
    ]
    assert found["counts"] == {"stale": 1, "decaying": 2, "active": 1}
    assert len(facts(everybody[0], user="ann")["hypotheses"]["listed"]) == 1


def test_late_and_quick_replies_are_counted_of_what_is_kept() -> None:
    """Twenty hours are within 48; a reply after the silence is late; a reply before its question is neither."""
    quick, late, odd = (
        user("ann", ("responded", None)),
        user("bob", ("silence", None)),
        user("eve", ("responded", None)),
    )
    late, _ = apply_outcome(late, made.identifiers(late)[0], "responded", None, NOW)
    odd["follow_ups"][0]["message_ids"][0]["response_date"] = "2026-01-01"
    sums = facts(quick, clone(late), odd)["messages"]

    assert sums["answered_late"] == 1
    assert sums["within_48_hours"] == {"answered": 1, "of": 3, "rate": 0.3333}


def test_a_rating_beyond_reason_lifts_no_score_beyond_100() -> None:
    """A file that was edited by hand cannot make the report fail."""
    state = user("ann", ("responded", "high"))
    state["question_patterns"]["probe_gap"]["signal_quality_sum"] = float("inf")

    assert facts(state)["patterns"][0]["effectiveness"] == 100


def test_the_report_as_text() -> None:
    """Headline, tables with aligned numbers, sentences for what is not there; the same for a pipe every time."""
    shown = facts(user("ann", ("responded", "high"), ("pending", None)), user("bob", ("silence", None), body=WHY))

    assert plain(headline(shown), tables(shown), None) == TEXT


TEXT = """\
Growth of 2 users on 2026-02-14
3 messages: 1 answered, 1 silent, 1 open

Replies
  answered         50%  1 of 2
  within 48 hours  50%  1 of 2 (goal: more than 40%)

Which questions work
  question              used  replies  silent  open  reply rate  score
  probe_gap                2        1       0     1        100%      -  early
  challenge_assumption     1        0       1     0          0%      -  early
  score: reply rate and quality of the replies; works from 60, poor below 20, early before 2 outcomes
  not used yet: verify_action, explore_motivation, surface_unspoken, test_commitment, follow_breadcrumb

What fades
  0 hypotheses: 0 active, 0 decaying, 0 stale

Who has not answered yet
  user  open  silent  since          for  next message from
  ann      1       0  2026-02-11  3 days  2026-02-18
  bob      0       1  2026-02-11  3 days  2026-02-18
  silence gate: no message within 7 days of an unanswered one

What holds for 3 users or more
  no question has outcomes from 3 users yet

Next
  when a reply came in: canvas.py ingest FILE, growth.py match --all; or growth.py match USER with its text"""


def test_nothing_is_said_plainly() -> None:
    """Without any growth the report says how it begins; with growth off it says that too."""
    nothing = facts(settings=Settings({}))

    assert headline(nothing) == [
        "Growth of 0 users on 2026-02-14",
        "Growth knows nothing yet. It begins with the first batch of messages: follow_up.py begin",
        "Growth is off here (observer.growth.enabled): nothing new is recorded.",
    ]
    assert tables(nothing) == []
    assert headline(facts(user="ann"))[1].startswith("Growth knows nothing of ann yet.")


def test_shares_are_whole_percentages() -> None:
    """Where there is no share there is a dash, not a zero."""
    assert [percent(one) for one in (None, 0.0, 0.3333, 0.666, 1.0)] == ["-", "0%", "33%", "67%", "100%"]
