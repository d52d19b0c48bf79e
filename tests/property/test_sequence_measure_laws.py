"""Laws of the measurement: it agrees with the simulator, reads anything, and depends on nothing but the rows."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from mindloop.sequence.loading import model_of
from mindloop.sequence.measure import measure
from mindloop.sequence.scenario import scenario_of
from mindloop.sequence.simulator.engine import simulate
from mindloop.store.errors import Malformed, WrongInput
from tests.helpers.sequences import STAMPS, STOPS, base_model, inbound, truth

HORIZON = 600
MODEL = model_of(base_model()).model
GATES = (*STAMPS, *STOPS)
GATE = st.sampled_from(GATES)
NEAR = st.one_of(st.integers(0, 30).map(lambda at: at * 5), st.integers(0, 150))
"""Minutes, ticks often: what falls together is what goes wrong."""
FIELDS = st.one_of(
    st.sampled_from(
        ["l1", "l2", "", "e0_20", "e1_30", "zz", "5", "50", "-1", "OK", "FAILED", "COMPLETED", "in", "true"]
    ),
    st.sampled_from(["false", "welcome_sent", "bad_fit", "2026-11-30T10:00:00Z", "2026-11-30T10:00", "NULL", "1e9"]),
    st.text(max_size=6),
)
HEADERS = st.lists(
    st.one_of(st.sampled_from(["lead", "workflow", "t", "status", "direction", "prop", "value"]), st.text(max_size=4)),
    max_size=6,
)
ROWS = st.lists(st.lists(FIELDS, max_size=6), max_size=8)
CLEAN = st.tuples(
    st.sampled_from(["l1", "l2", "l3"]),
    st.sampled_from(["e0_20", "e0_120", "e1_30", "e2_60", "", "zz"]),
    st.integers(0, 400).map(str),
    st.sampled_from(["OK", "FAILED", "PENDING"]),
    st.sampled_from(["in", "out"]),
)
STAMPED = st.tuples(
    st.sampled_from(["l1", "l2", "l3"]),
    st.sampled_from([*GATES, "mood"]),
    st.sampled_from(["true", "false", ""]),
    st.integers(0, 400).map(str),
)


def written(rows: list[Any], separator: str = ",", line_end: str = "\n") -> bytes:
    """Rows as CSV."""
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator=line_end).writerows(rows)
    return out.getvalue().encode("utf-8", "surrogatepass")


def by_integration() -> dict[str, Any]:
    """M0 whose properties are written in the minute in which they become true."""
    made = base_model()
    for one in made["properties"]:
        one["setBy"] = "INTEGRATION"
    return made


@settings(max_examples=250, deadline=None)
@given(
    st.lists(NEAR, max_size=4), st.tuples(st.sampled_from(STAMPS), NEAR), st.lists(st.tuples(GATE, NEAR), max_size=3)
)
def test_in_a_conformant_set_exactly_those_who_are_owed_something_get_it(
    wrote: list[int], entered: tuple[str, int], left: list[tuple[str, int]]
) -> None:
    """The simulator sends from a stage if and only if the measurement says that the lead was owed one."""
    turned = [entered, *left]
    model = model_of(by_integration()).model
    events = [*inbound(*wrote), *(truth(minute, one) for one, minute in turned)]
    scenario = scenario_of({"horizonMinutes": HORIZON, "leads": [{"id": "l1", "events": events}]}).scenario
    timeline = simulate(model, scenario).as_document()
    messages = [("lead", "workflow", "t", "status", "direction"), ("l1", "", HORIZON, "OK", "out")]
    messages += [("l1", "", minute, "OK", "in") for minute in wrote]
    messages += [("l1", one["followUp"], one["t"], one["status"], "out") for one in timeline["sends"]]
    stamps = [("lead", "prop", "value", "t"), *(("l1", one, "true", minute) for one, minute in turned)]
    found = measure(model, [written(messages)], [written(stamps)])
    for one in found.stages:
        assert one.unsent == 0
        assert one.unentitled_sent == 0
        assert one.after_exit == 0
    assert sum(one.sends for one in found.stages) == timeline["counts"]["messages"]
    assert sum(one.sends - one.failed for one in found.stages) == timeline["counts"]["reached"]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.binary(max_size=60), max_size=4), st.lists(st.binary(max_size=60), max_size=3), st.booleans())
def test_any_bytes_are_measured_or_refused(messages: list[bytes], more: list[bytes], with_header: bool) -> None:
    """Whatever the files hold, the outcome is a result or an error that names the file; never a traceback."""
    headers = [b"lead,workflow,t,status\n", b"lead,prop,value,t\n", b"lead,workflow,t\n"] if with_header else [b""] * 3
    try:
        found = measure(MODEL, [headers[0], *messages], [headers[1], *more], [headers[2], *more])
    except Malformed as refused:
        said = refused.message and refused.hint
    else:
        json.dumps(found.as_json())
        said = found.as_text()
    assert said


@settings(max_examples=150, deadline=None)
@given(HEADERS, ROWS, HEADERS, ROWS)
def test_any_table_is_measured_or_refused(
    header: list[str], rows: list[list[str]], stamp_header: list[str], stamps: list[list[str]]
) -> None:
    """So it is for tables whose fields nearly fit; a result keeps its sums and can be printed."""
    tables = (
        written([header or ["lead", "workflow", "t", "status"], *rows]),
        written([stamp_header or ["lead", "prop", "value", "t"], *stamps]),
    )
    try:
        found = measure(MODEL, [tables[0]], [tables[1]])
    except WrongInput:
        return
    for one in found.stages:
        counts = one.as_json(with_stamps=True)
        assert sum(counts["table"].values()) == found.leads
        assert all(count >= 0 for count in counts["table"].values())
        assert counts["reached"] <= counts["sent"] <= found.leads
    text = found.as_text() + found.as_markdown()
    text.encode()
    assert all(char.isprintable() or char == "\n" for char in text)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(CLEAN, max_size=12),
    st.lists(STAMPED, max_size=8),
    st.randoms(use_true_random=False),
    st.sampled_from([",", ";", "\t"]),
    st.sampled_from(["\n", "\r\n"]),
    st.integers(1, 40),
)
def test_order_separators_line_ends_and_cuts_change_nothing(
    messages: list[Any], stamps: list[Any], shuffler: Any, separator: str, line_end: str, size: int
) -> None:
    """The same rows, shuffled, written otherwise and cut anywhere, give the same result."""
    message_header, stamp_header = ("lead", "workflow", "t", "status", "direction"), ("lead", "prop", "value", "t")
    plain = measure(MODEL, [written([message_header, *messages])], [written([stamp_header, *stamps])]).as_json()
    for rows in (messages, stamps):
        shuffler.shuffle(rows)
    data = b"\xef\xbb\xbf" + written([message_header, *messages], separator, line_end)
    cut = [data[at : at + size] for at in range(0, len(data), size)]
    assert measure(MODEL, cut, [written([stamp_header, *stamps], separator, line_end)]).as_json() == plain


@settings(max_examples=100, deadline=None)
@given(st.lists(CLEAN, max_size=12), st.lists(STAMPED, max_size=8), st.integers(0, 30))
def test_runs_never_change_a_coverage(messages: list[Any], stamps: list[Any], looks: int) -> None:
    """However many runs there are, entitled, sent and reached stay what they are."""
    tables = [
        written([("lead", "workflow", "t", "status", "direction"), *messages]),
        written([("lead", "prop", "value", "t"), *stamps]),
    ]
    runs = [("lead", "workflow", "t", "status", "reason"), *[("l1", "e0_20", "50", "COMPLETED", "CAP")] * looks]
    without_runs = measure(MODEL, [tables[0]], [tables[1]])
    with_runs = measure(MODEL, [tables[0]], [tables[1]], [written(runs)])
    for one, other in zip(without_runs.stages, with_runs.stages, strict=True):
        assert one.rates() == other.rates()
        for count in ("entered", "entitled", "sent", "reached"):
            assert getattr(one, count) == getattr(other, count)
    assert with_runs.over_count is not None
    assert with_runs.over_count.completed == looks
