"""The published JSON Schema of an answer and the code that checks answers accept the same."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from mindloop.observer.answer.parse import AnswerRejected, parse_answer
from mindloop.observer.intake.answer import is_hypothesis, is_value, parse_selection
from mindloop.protocol.questions import AnswerRefused
from mindloop.store.schemas import problems

USER = "ann"
VALUES = st.one_of(st.none(), st.booleans(), st.integers(0, 9), st.text(max_size=5), st.just([]), st.just({}))
SKIPS = st.one_of(VALUES, st.sampled_from(["no_triggers", "no_quotes", "all_hypotheses_high_confidence", "later"]))
MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "hypothesis_or_trigger": VALUES,
        "anchor_quote_hash": VALUES,
        "anchor_quote_text": VALUES,
        "message_body": VALUES,
        "temporal_claims": VALUES,
        "more": VALUES,
    },
)
ANSWERS = st.fixed_dictionaries(
    {},
    optional={
        "user": st.one_of(st.just(USER), st.none(), st.integers(0, 9)),
        "messages": st.one_of(VALUES, st.lists(st.one_of(VALUES, MESSAGES), max_size=3)),
        "skip_reason": SKIPS,
        "scary_questions": VALUES,
        "more": VALUES,
    },
)


def accepted(answer: dict[str, Any]) -> bool:
    try:
        parse_answer(json.dumps(answer), USER)
    except AnswerRejected:
        return False
    return True


@settings(deadline=None, max_examples=300)
@given(ANSWERS)
def test_an_answer_is_read_where_it_follows_the_schema(answer: dict[str, Any]) -> None:
    """Nothing the schema allows is refused, nothing it forbids is read."""
    assert accepted(answer) == (problems(answer, "follow-up-answer") == [])


@settings(deadline=None, max_examples=300)
@given(st.one_of(VALUES, MESSAGES))
def test_a_message_stays_where_it_follows_the_schema(message: Any) -> None:
    """Of the messages of an answer those of the right shape stay, and no others."""
    answer = parse_answer(json.dumps({"user": USER, "messages": [message]}), USER)

    assert len(answer.messages) == (problems(message, "follow-up-message") == [])


SELECTIONS = st.fixed_dictionaries(
    {},
    optional={
        "user": st.one_of(st.just(USER), st.none()),
        "quotes": st.one_of(VALUES, st.lists(VALUES, max_size=2)),
        "hypotheses": st.one_of(VALUES, st.lists(VALUES, max_size=2)),
        "more": VALUES,
    },
)
WORTH = st.fixed_dictionaries(
    {},
    optional={"hash": VALUES, "value": st.one_of(VALUES, st.sampled_from(["high", "medium", "low"])), "more": VALUES},
)
SUPPOSED = st.fixed_dictionaries(
    {},
    optional={
        "title": VALUES,
        "evidence": st.one_of(VALUES, st.lists(VALUES, max_size=2)),
        "unknown": VALUES,
        "more": VALUES,
    },
)


@settings(deadline=None, max_examples=300)
@given(SELECTIONS)
def test_a_selection_is_read_where_it_follows_the_schema(selection: dict[str, Any]) -> None:
    """Nothing the schema of a quote selector's answer allows is refused, nothing it forbids is read."""
    try:
        parse_selection(json.dumps(selection), USER, frozenset())
    except AnswerRefused:
        read = False
    else:
        read = True
    assert read == (problems(selection, "ingest-dm-answer") == [])


@settings(deadline=None, max_examples=300)
@given(st.one_of(VALUES, WORTH), st.one_of(VALUES, SUPPOSED))
def test_entries_of_a_selection_follow_their_schemas(worth: Any, supposed: Any) -> None:
    """An entry is taken for one where its schema says so, and nowhere else."""
    assert is_value(worth) == (problems(worth, "ingest-dm-quote") == [])
    assert is_hypothesis(supposed) == (problems(supposed, "ingest-dm-hypothesis") == [])
