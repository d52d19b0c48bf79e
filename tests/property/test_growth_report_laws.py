"""Laws of the silence gate, of stops and of the growth report, over states that anybody could have left."""

from __future__ import annotations

import itertools
import re
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from mindloop.cli.growth_tables import bar, fitted
from mindloop.observer.growth.metrics import QUALITY
from mindloop.observer.growth.outcome import TRANSITIONS, apply_outcome
from mindloop.observer.growth.patterns import PATTERNS
from mindloop.observer.growth.report import report
from mindloop.observer.growth.report_tables import (
    Bar,
    Table,
    escaped,
    headline,
    markdown,
    plain,
    tables,
    width,
)
from mindloop.observer.growth.silence import gating, may_gate
from mindloop.observer.growth.state import clone, messages, new_growth
from mindloop.observer.stops.record import REASONS, is_stopped, resumed, stopped
from mindloop.store import strict_yaml
from mindloop.store.settings import Settings
from tests.helpers import growth_states as made

NOW = datetime(2026, 2, 14, 9, 30, tzinfo=UTC)
BODIES = ["where is it?", "did you?", "why?", "what made you look?", "next time?", "hm", "behind that?"]
HOSTS = ["claude", "rehearsal"]


@st.composite
def states(draw: st.DrawFn) -> Any:
    """A user's growth after some batches and outcomes, each message sent within sixty days before or after NOW."""
    name = draw(st.sampled_from(["ann", "bob", "eve", "zoe"]))
    state = new_growth(name, None, NOW)
    for _ in range(draw(st.integers(0, 4))):
        at = NOW + timedelta(minutes=draw(st.integers(-60 * 24 * 60, 24 * 60)))
        said: Any = {
            "user": name,
            "slug": name,
            "messages": [made.message(body=body) for body in draw(st.lists(st.sampled_from(BODIES), max_size=3))],
            "host": draw(st.sampled_from(HOSTS)),
        }
        state, _ = made.record_batch(state, said, at.date().isoformat(), at, hypotheses=[made.hypothesis()])
    for _batch, message in list(messages(state)):
        for outcome in draw(st.lists(st.sampled_from(["responded", "silence", "unknown"]), max_size=2)):
            before = next(one["outcome"] for _, one in messages(state) if one["id"] == message["id"])
            if outcome in TRANSITIONS[before]:
                quality = draw(st.sampled_from([*QUALITY, None])) if outcome == "responded" else None
                state, _ = apply_outcome(state, message["id"], outcome, quality, NOW)
    return state


# --- the silence gate -------------------------------------------------------------------------------------------------


@given(state=states(), days=st.integers(1, 40))
def test_what_the_bytes_rule_out_the_parser_would_not_find(state: Any, days: int) -> None:
    """The quick look over the bytes never lets a user through whom the gate holds back."""
    data = strict_yaml.dump(dict(state)).encode()

    assert may_gate(data, days, NOW) or gating(clone(state), days, NOW) is None


@given(
    sent=st.sampled_from(["null", "2026-02-14T09:00:00Z", "'2026-02-13'", "soon", "2026-02-14T09:00:00+14:00"]),
    outcome=st.sampled_from(["pending", '"silence"', "'pending'", '"\\x70ending"', "responded"]),
    style=st.sampled_from(["{%s, %s}", "{%s ,  %s}", "\n      %s\n      %s"]),
    key=st.sampled_from(["sent_at: ", "'sent_at': ", '"sent_at":   ', "sent_at:\n          "]),
)
def test_hand_made_files_are_not_overlooked(sent: str, outcome: str, style: str, key: str) -> None:
    """Flow style, quotes, escapes and line breaks: what the parser reads, the quick look over the bytes expects."""
    message = style % (f"outcome: {outcome}", f"{key}{sent}")
    text = (
        "schema_version: 1\nuser: ann\nnext_batch_seq: 2\nfollow_ups:\n"
        f"- batch_date: 2026-02-14\n  batch_seq: 1\n  message_ids:\n  - {message}\n"
    )
    loaded: Any = strict_yaml.load(text)
    for batch in loaded["follow_ups"]:
        batch["message_ids"] = [{"id": "fu-2026-02-14-ann-1-1", **one} for one in batch["message_ids"]]

    assert may_gate(text.encode(), 3, NOW) or gating(clone(loaded), 3, NOW) is None


@given(state=states(), days=st.integers(1, 40), later=st.integers(0, 60))
def test_the_gate_opens_by_itself(state: Any, days: int, later: int) -> None:
    """As time passes the gate only opens; so many days after the last message it is open."""
    known = clone(state)
    if gating(known, days, NOW) is None:
        assert gating(known, days, NOW + timedelta(days=later)) is None
    assert gating(known, days, NOW + timedelta(days=days + 1)) is None


# --- stops ------------------------------------------------------------------------------------------------------------


@given(st.lists(st.sampled_from([*REASONS, "resume"]), max_size=8))
def test_a_stop_remembers_every_reason_it_ever_had(acts: list[str]) -> None:
    """History and the stop that stands are the reasons in their order, each with ends that meet its neighbours'."""
    stop: Any = None
    told: list[str] = []
    for number, act in enumerate(acts):
        now = NOW + timedelta(days=number)
        if act != "resume":
            if not (stop and is_stopped(stop) and stop["reason"] == act):
                told.append(act)
            stop = stopped(stop, "ann", act, now)
        elif stop is not None:
            stop = resumed(stop, now)
        assert is_stopped(stop) == (bool(told) and act != "resume")
    history = stop["history"] if stop else []
    standing = [stop["reason"]] if is_stopped(stop) else []

    assert [one["reason"] for one in history] + standing == told
    assert all(one["from"] <= one["until"] for one in history)
    assert all(one["until"] <= two["from"] for one, two in itertools.pairwise(history))


# --- the report -------------------------------------------------------------------------------------------------------


@given(st.lists(states(), max_size=5), st.sampled_from([None, 7]))
def test_the_numbers_of_a_report_add_up(found: list[Any], gate: int | None) -> None:
    """Every message that was used is answered, silent, open or never sent; scores and rates keep their bounds."""
    settings = Settings({"observer": {"growth": {"silence_gate_days": gate}}})
    facts = report([clone(one) for one in found], [], settings, NOW)
    sums = facts["messages"]
    real = sum(one["outcome"] == "pending" and "host" not in b for state in found for b, one in messages(state))

    assert sums["used"] == sum(1 for state in found for _ in messages(state))
    assert sums["waiting"] == real
    for row in [*facts["patterns"], sums]:
        assert row["used"] == row["answered"] + row["silent"] + row["waiting"] + row["unsent"]
        assert row["response_rate"] is None or 0 <= row["response_rate"] <= 1
    assert all(0 <= row["effectiveness"] <= 100 and row["pattern"] in PATTERNS for row in facts["patterns"])
    assert sums["within_48_hours"]["answered"] <= sums["within_48_hours"]["of"]
    assert facts["messages"] == report([clone(one) for one in reversed(found)], [], settings, NOW)["messages"]


@given(st.lists(states(), max_size=6), st.integers(300, 3000))
def test_a_short_report_is_short_and_says_what_it_left_out(found: list[Any], budget: int) -> None:
    """Either it fits, or every table is down to its last row; rows that are hidden are counted."""
    facts = report([clone(one) for one in found], [], Settings({}), NOW)
    lines, shown = headline(facts), tables(facts)
    whole, short = plain(lines, shown, None), plain(lines, shown, budget)
    rows = len([line for line in whole.splitlines() if line.startswith("  ")])
    hidden = sum(int(number) for number in re.findall(r"\(\+(\d+) more", short))
    kept = len([line for line in short.splitlines() if line.startswith("  ")]) - len(re.findall(r"\(\+", short))

    assert rows == kept + hidden
    assert len(short.encode()) <= budget or hidden == sum(max(0, len(table.rows) - 1) for table in shown)


NASTY = st.text(max_size=60) | st.sampled_from(
    ["[x](http://y)", "| a | b |", "<script>", "`\\`", "![i](u)", "\x1b[31m"]
)


@given(NASTY, NASTY)
@example("a|b", "www.example.org")
def test_no_text_leaves_its_cell(name: str, title: str) -> None:
    """Whatever a name or title holds, a Markdown table keeps its shape, and no bracket, tag or backtick is bare."""
    state = clone(new_growth(name or "x", None, NOW))
    known: Any = {**made.hypothesis(title=title), "decay_state": "stale", "cycles_without_evidence": 9}
    state["hypotheses"] = [{"last_evidence_date": None, **known}]
    facts = report([state], [{"user": name, "reason": "declined", "since": title, "problem": ""}], Settings({}), NOW)
    text = markdown(headline(facts), tables(facts), None)

    for line in text.split("\n"):
        bare = re.sub(r"\\.", "", line)
        assert not re.search(r"[\[\]<>`*_~]", bare), line
        if line.startswith("|"):
            assert bare.count("|") in (4, 6), line
    assert len(text.splitlines()) == len(text.split("\n"))


@given(st.text(alphabet=st.characters(min_codepoint=32, max_codepoint=126)))
def test_escaped_text_is_the_text(text: str) -> None:
    """Taking the backslashes of the escapes away gives back what was written."""
    assert re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", escaped(text)) == text


@given(st.floats(-1, 2) | st.none(), st.integers(1, 40))
def test_a_bar_has_its_length(share: float | None, cells: int) -> None:
    """As many cells as asked for, full at 1, empty at 0, never longer where the share is smaller."""
    drawn = bar(share, cells)

    assert len(drawn) == cells
    assert bar(1.0, cells) == "█" * cells
    assert bar(0.0, cells) == bar(None, cells) == "░" * cells
    assert share is None or drawn.count("░") >= bar(min(2.0, share + 0.1), cells).count("░")


@given(st.lists(st.tuples(st.integers(0, 60), st.booleans()), min_size=1, max_size=9), st.integers(10, 120))
def test_columns_fit_where_they_can(columns: list[tuple[int, bool]], available: int) -> None:
    """No column grows, none that holds numbers shrinks, and the whole fits unless every word is cut to the least."""
    natural, elastic = [one for one, _ in columns], [one for _, one in columns]
    widths = fitted(natural, elastic, available)

    assert all(new <= old for new, old in zip(widths, natural, strict=True))
    assert all(new == old for new, old, soft in zip(widths, natural, elastic, strict=True) if not soft)
    assert sum(widths) <= available or all(new <= 6 for new, soft in zip(widths, elastic, strict=True) if soft)


@given(
    st.lists(st.lists(st.sampled_from(["a", "名前", "ñandú", "n\u0303", "🙂", ""]), min_size=2, max_size=2), min_size=1)
)
def test_plain_columns_stand_below_each_other(names: list[list[str]]) -> None:
    """Wide characters and combining marks do not move the column at the right."""
    rows: list[list[str | Bar]] = [[" ".join(one), "|"] for one in names]
    lines = plain([], [Table("t", ["name", "x"], rows, [])], None).splitlines()[2:]
    bars = [line for line in lines if line.endswith("|")]

    assert len(bars) == len(names)
    assert len({width(line) for line in bars}) == 1
