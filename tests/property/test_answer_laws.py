"""Laws of checking a writer's answer."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from mindloop.observer.answer.rehearsal import default_answer
from mindloop.observer.answer.text import BODY_LIMIT, sendable_body
from tests.helpers.answers import (
    HASH,
    OTHER_HASH,
    UNKNOWN_HASH,
    anchors,
    case,
    checked,
    claim,
    claims_left,
    message,
    quote,
)

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=40)
PIECES = (
    "[FU: [FU:deadbeef] [ FU : x ] # ## v2.0.0 since release shipped v2 . a ` ** _ <!-- --> > "
    "\u200d \u200b \u202e \U0001f469 \x00 \ud83d"
)
SCRAPS = st.lists(
    st.one_of(st.sampled_from([*PIECES.split(" "), " ", "\n", "\r", "\u2028"]), st.text(max_size=5)), max_size=14
).map("".join)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=8,
)
HASHES = st.sampled_from([HASH, f"sha256:{HASH}", HASH.upper(), OTHER_HASH, UNKNOWN_HASH, "", "x"])
CLAIMS = st.fixed_dictionaries(
    {
        "claim_text": st.one_of(st.sampled_from(["since v2.0.0 shipped", "since v3 shipped", "since then"]), SCRAPS),
        "backing_quote_hash": HASHES,
        "chronicle_ref": st.sampled_from(["CHRON-20260210-001", "x"]),
    }
)
MESSAGES = st.fixed_dictionaries(
    {
        "hypothesis_or_trigger": SCRAPS,
        "anchor_quote_hash": HASHES,
        "anchor_quote_text": SCRAPS,
        "message_body": SCRAPS,
        "temporal_claims": st.one_of(st.lists(st.one_of(CLAIMS, JSON), max_size=5), JSON),
    }
)
ANSWERS = st.fixed_dictionaries(
    {
        "user": st.sampled_from(["bob", "bob", "BOB", "eve"]),
        "scary_questions": st.one_of(st.lists(SCRAPS, max_size=5), JSON),
        "messages": st.lists(st.one_of(MESSAGES, MESSAGES, JSON), max_size=4),
        "quotes_used": JSON,
        "skip_reason": st.one_of(st.none(), st.none(), st.none(), SCRAPS),
    }
)
REASONS = {
    None,
    "subagent_parse_error",
    "all_content_stripped",
    "no_triggers",
    "no_quotes",
    "all_hypotheses_high_confidence",
}


@settings(max_examples=300, deadline=None)
@given(st.one_of(ANY_TEXT, JSON.map(json.dumps), ANSWERS.map(json.dumps)))
def test_no_answer_raises(raw: str) -> None:
    """Whatever a writer returns, the outcome is messages or a reason of the list, and every log line is a line."""
    made = checked(raw, case(fears=[{"id": "FEAR-bob-1", "text": "they left"}]))

    assert made.skip_reason in REASONS
    assert (made.skip_reason is None) == bool(made.messages) or made.skip_reason in REASONS - {None}
    for line in made.log:
        assert len(line.splitlines()) == 1
        assert line.encode("utf-8")


@settings(max_examples=400, deadline=None)
@given(ANSWERS.map(lambda record: json.dumps(record | {"user": "bob", "skip_reason": None})))
def test_what_survives_is_verified(raw: str) -> None:
    """Every surviving message shows a registry text under its hash, and only claims that the table allows."""
    known = case()
    texts = {one["hash"]: one["quote_text"] for one in known["registry"]}
    made = checked(raw, known)

    for one in made.messages:
        assert one["anchor_quote_text"] == texts[one["anchor_quote_hash"]]
        for kept in one["temporal_claims"]:
            assert (kept["backing_quote_hash"], kept["chronicle_ref"]) == (HASH, "CHRON-20260210-001")
        assert one["message_body"].startswith(", ".join(kept["claim_text"] for kept in one["temporal_claims"]))
    assert len(made.messages) <= made.total_quotes
    assert claims_left(made) <= made.total_claims
    assert set(anchors(made)) <= set(texts)


@settings(max_examples=300, deadline=None)
@given(ANSWERS.map(lambda record: json.dumps(record | {"user": "bob", "skip_reason": None})))
def test_what_survives_is_clean(raw: str) -> None:
    """No surviving text holds a token, a heading mark at a line's start, or what cannot be encoded or seen."""
    made = checked(raw, case())

    for one in made.messages:
        lines = one["message_body"].splitlines()
        assert not any(re.match(r"#+(\s|$)", line) for line in lines)
        assert len(one["hypothesis_or_trigger"].splitlines()) == 1
        for text in (one["message_body"], one["hypothesis_or_trigger"]):
            assert re.search(r"\[\s*fu\s*:", text, re.IGNORECASE) is None
            assert re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\ud800-\udfff]", text) is None
    assert len(made.scary_questions) <= 3
    assert all(len(question.splitlines()) == 1 for question in made.scary_questions)


@settings(max_examples=400, deadline=None)
@given(SCRAPS)
def test_cleaning_a_body_twice_is_cleaning_it_once(text: str) -> None:
    """A cleaned body is a fixed point and bounded."""
    once = sendable_body(text)

    assert sendable_body(once) == once
    assert not any(re.match(r"#+(\s|$)", line) for line in once.splitlines())
    assert len(once) <= BODY_LIMIT


@settings(max_examples=200, deadline=None)
@given(
    ANY_TEXT.filter(bool),
    st.lists(st.tuples(st.text(min_size=1, max_size=20), st.booleans()), max_size=4),
    st.lists(
        st.fixed_dictionaries({"kind": st.just("gap"), "hypothesis_id": st.sampled_from([None, "H1"]), "text": SCRAPS}),
        max_size=2,
    ),
)
def test_the_rehearsal_always_passes(user: str, texts: list[tuple[str, bool]], triggers: list[Any]) -> None:
    """For any user, quotes and triggers the rehearsal's answer passes: one labelled message, or no quotes."""
    user = user.encode("utf-8", "replace").decode("utf-8")
    quotes = [quote(text, verified=verified) for text, verified in texts]
    made = checked(default_answer(user, quotes, triggers), case(user=user, registry=quotes))

    if any(verified for _, verified in texts):
        assert made.skip_reason is None
        assert [one["message_body"][:11] for one in made.messages] == ["[rehearsal]"]
    else:
        assert made.skip_reason == "no_quotes"


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from([HASH, OTHER_HASH, UNKNOWN_HASH]), max_size=8), st.integers(0, 4))
def test_totals_add_up(hashes: list[str], claims: int) -> None:
    """Totals are those of the answer: what is kept and what is stripped add up to them."""
    made_messages = [message(anchor_quote_hash=one, temporal_claims=[claim()] * claims) for one in hashes]
    made = checked(json.dumps({"user": "bob", "messages": made_messages}), case())
    kept = sum(one != UNKNOWN_HASH for one in hashes)

    assert (made.total_quotes, len(made.messages)) == (len(hashes), kept)
    assert (made.total_claims, claims_left(made)) == (kept * claims, kept * min(claims, 3))
