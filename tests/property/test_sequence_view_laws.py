"""Laws of the views: whatever names and timelines hold, a page stays one page and a log stays a log."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from mindloop.sequence import sarif
from mindloop.sequence.findings import Finding
from mindloop.sequence.loading import model_of
from mindloop.sequence.matrix import WRONG, matrix_of
from mindloop.sequence.page import page
from mindloop.sequence.rules.table import RULES
from mindloop.sequence.shown import aligned, cell, html, plain
from mindloop.store.errors import Malformed
from tests.helpers.pages import Page
from tests.helpers.sarif_schema import problems
from tests.helpers.sequences import base_model

TEXTS = st.text(
    st.one_of(st.sampled_from("<>&\"'`|*_[]()\\{}0-!\n\t\x00\x1b\u202e\u2028\ud800/%:.#"), st.characters()), max_size=20
)
NAMES = TEXTS.filter(bool)
TIMELINES = st.fixed_dictionaries(
    {
        "sends": st.lists(
            st.fixed_dictionaries(
                {
                    "t": st.integers(0, 5000),
                    "lead": TEXTS,
                    "followUp": TEXTS,
                    "status": st.sampled_from(["OK", "FAILED"]),
                    "reason": st.one_of(st.none(), TEXTS),
                }
            ),
            max_size=6,
        ),
        "events": st.lists(
            st.fixed_dictionaries(
                {"t": st.integers(0, 5000), "lead": TEXTS, "class": TEXTS, "followUps": st.lists(TEXTS, max_size=2)}
            ),
            max_size=4,
        ),
        "silent": st.lists(st.fixed_dictionaries({"lead": TEXTS, "followUp": TEXTS, "reason": TEXTS}), max_size=3),
    }
)
FOUND = st.tuples(
    st.sampled_from(["R1", "R2", "K1", "??"]), TEXTS, TEXTS, TEXTS, st.sampled_from(["ERROR", "WARN", "INFO", ""])
)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.floats(), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=6,
)


@settings(max_examples=200, deadline=None)
@given(NAMES, TEXTS, TIMELINES)
def test_a_page_is_well_formed_and_runs_nothing(name: str, label: str, timeline: dict[str, Any]) -> None:
    """Any names and any timeline: elements nest, nothing can be run or loaded, the text is what a file can hold."""
    document = base_model()
    document["agent"]["name"] = label
    document["followUps"][0]["id"] = name if name not in {"e0_120", "e1_30", "e2_60"} else "x"
    document["stages"][1]["label"] = label
    document["stops"].append({"propertyId": "!" + name})
    text = page(matrix_of(model_of(document).model), timeline)
    read = Page(text)
    assert read.problems == []
    assert set(read.tags) <= Page.ALLOWED
    assert not [one for _, one, _ in read.attributes if one.startswith("on") or one in {"src", "srcset", "style"}]
    text.encode()


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.sampled_from(["sends", "events", "silent", "counts"]), JSON))
def test_any_json_is_drawn_or_refused(timeline: dict[str, Any]) -> None:
    """What is no timeline is refused at its pointer; nothing else can happen."""
    try:
        text = page(matrix_of(model_of(base_model()).model), timeline)
    except Malformed as refused:
        place = refused.message
    else:
        place = "/"
        assert Page(text).problems == []
    assert place.startswith("/")


@settings(max_examples=100, deadline=None)
@given(st.lists(FOUND, max_size=5), JSON, TEXTS)
def test_a_log_always_keeps_to_the_standard(found: list[tuple[str, ...]], witness: Any, artifact: str) -> None:
    """Any findings about any file: the structure holds and the bytes are stable."""
    findings = []
    for rule, target, message, fix, severity in found:
        one = Finding(target, "/followUps/0", message, fix, rule=rule, severity=severity)
        one.witness = witness
        findings.append(one)
    log = sarif.sarif(findings, RULES, artifact, "1")
    text = sarif.as_text(log)
    assert problems(json.loads(text)) == []
    assert text == sarif.as_text(sarif.sarif(findings, RULES, artifact, "1"))


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 7), st.sampled_from(["drop", "flip", "value"])), max_size=4)
)
def test_a_matrix_is_wrong_exactly_where_a_literal_was_touched(edits: list[tuple[int, int, str]]) -> None:
    """Dropped, turned or mistyped conditions of M0 each show in their own cell, and no other cell changes."""
    document = base_model()
    touched = set()
    for at, number, edit in edits:
        literals = document["followUps"][at]["propertyConditions"]
        if number >= len(literals) or (at, literals[number]["propertyId"]) in touched:
            continue
        touched.add((at, literals[number]["propertyId"]))
        if edit == "drop":
            literals.pop(number)
        elif edit == "flip":
            literals[number]["operator"] = "EQUALS" if literals[number]["operator"] == "NOT_EQUALS" else "NOT_EQUALS"
        else:
            literals[number]["value"] = "true"
    made = matrix_of(model_of(document).model)
    wrong = {
        (at, column.property_id)
        for at, line in enumerate(made.lines)
        for column, word in zip(made.columns, line.words, strict=True)
        if word in WRONG
    }
    assert wrong == touched


@given(TEXTS, st.integers(1, 30))
def test_shown_text_is_one_visible_line(text: str, limit: int) -> None:
    """Within its limit, without anything that moves a cursor or turns a line; in mark-up, without mark-up."""
    assert len(plain(text, limit)) <= limit
    assert plain(text, limit).isprintable()
    assert not set("<>\"'") & set(html(text))
    assert Page(f"<p>{html(text)}</p>").tags == ["p"]
    assert all(cell(text)[at - 1] == "\\" for at, char in enumerate(cell(text)) if char in "|<`*[")


@given(st.lists(st.tuples(NAMES.map(plain), NAMES.map(plain)), min_size=1, max_size=5))
def test_columns_are_aligned(rows: list[tuple[str, str]]) -> None:
    """The second column starts at one place in every line, and no line ends in blanks."""
    width = max(len(first) for first, _ in rows)
    for line, (first, second) in zip(aligned(rows), rows, strict=True):
        assert line == f"{first:<{width}}  {second}".rstrip()
