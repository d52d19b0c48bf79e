"""Steps 4b to 4f: what holds of an answer."""

from __future__ import annotations

import pytest

from mindloop.observer.answer.parse import Answer, parse_answer
from mindloop.observer.answer.verify import (
    coverage,
    insert_claims,
    style_advice,
    survivors,
    verify_claims,
    verify_quotes,
)
from tests.helpers.answers import (
    HASH,
    OTHER_HASH,
    OTHER_SAID,
    SAID,
    UNKNOWN_HASH,
    allowed,
    anchors,
    answer,
    claim,
    claims_left,
    denied,
    message,
    quote,
)

REGISTRY = [quote(), quote(OTHER_SAID), quote("never verified", verified=False)]
TABLE = {HASH: allowed(), OTHER_HASH: denied()}


def parsed(*messages: object) -> Answer:
    return parse_answer(answer(*messages), "bob")


def with_claims(*claims: object) -> Answer:
    return parsed(message(temporal_claims=list(claims)))


@pytest.mark.parametrize(
    "spelling", [HASH, f"sha256:{HASH}", f"prov:sha256:{HASH}", HASH.upper(), f" SHA256:{HASH.upper()} "]
)
def test_spellings_of_a_hash(spelling: str) -> None:
    """A hash counts in any spelling and is bare afterwards."""
    made = parsed(message(anchor_quote_hash=spelling))

    assert verify_quotes(made, REGISTRY) == ["Verified 1/1 messages for bob"]
    assert anchors(made) == [HASH]


@pytest.mark.parametrize("spelling", [UNKNOWN_HASH, HASH[:-1], "", "null", HASH + "0", "<!-- prov:sha256:x -->"])
def test_a_hash_that_is_not_in_the_registry(spelling: str) -> None:
    """A message on a fabricated or broken hash is stripped and logged."""
    made = parsed(message(anchor_quote_hash=spelling), message())
    log = verify_quotes(made, REGISTRY)

    assert anchors(made) == [HASH]
    assert log == [f"STRIPPED message for bob: no verified quote '{spelling}'", "Verified 1/2 messages for bob"]


def test_an_unverified_quote_is_no_anchor() -> None:
    """A quote of the canvas whose hash did not fit cannot carry a message."""
    made = parsed(message(anchor_quote_hash=REGISTRY[2]["hash"]))
    verify_quotes(made, REGISTRY)

    assert made.messages == []


@pytest.mark.parametrize("text", ["og score feels great", "OG score feels low", "og score feels low ", None])
def test_altered_text_is_replaced(text: str | None) -> None:
    """A real hash with other words keeps the message and gets the registry's words."""
    made = parsed(message(anchor_quote_text=text))
    log = verify_quotes(made, REGISTRY)

    assert made.messages[0]["anchor_quote_text"] == SAID
    assert log[0] == f"REPLACED anchor_quote_text for bob hash {HASH} (subagent text mismatch)"


def test_quotes_used_are_recomputed() -> None:
    """The list of quotes comes from the surviving messages, each once, in order."""
    made = parsed(message(anchor_quote_hash=OTHER_HASH), message(), message(anchor_quote_hash=OTHER_HASH))
    verify_quotes(made, REGISTRY)

    assert anchors(made) == [OTHER_HASH, HASH]


def test_an_allowed_claim_is_kept() -> None:
    """A claim on a verified quote, of the release that the table names, is kept with a bare hash and on one line."""
    made = with_claims(claim(claim_text="since  v2.0.0\nshipped"))

    assert verify_claims(made, TABLE, REGISTRY) == []
    assert made.messages[0]["temporal_claims"] == [
        {"claim_text": "since v2.0.0 shipped", "backing_quote_hash": HASH, "chronicle_ref": "CHRON-20260210-001"}
    ]
    assert (made.total_claims, claims_left(made)) == (1, 1)


def test_the_backing_quote_may_be_another_than_the_anchor() -> None:
    """A claim may rest on any verified quote of the user."""
    made = parsed(message(anchor_quote_hash=OTHER_HASH, temporal_claims=[claim()]))
    verify_quotes(made, REGISTRY)
    verify_claims(made, TABLE, REGISTRY)

    assert claims_left(made) == 1


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"backing_quote_hash": UNKNOWN_HASH}, "hash_not_in_lookup"),
        ({"backing_quote_hash": "x"}, "hash_not_in_lookup"),
        ({"backing_quote_hash": OTHER_HASH}, "insufficient_confidence"),
        ({"chronicle_ref": "CHRON-20260210-002"}, "chronicle_ref_mismatch"),
        ({"chronicle_ref": ""}, "chronicle_ref_mismatch"),
        ({"claim_text": "since v3.0.0 shipped"}, "version_mismatch"),
        ({"claim_text": "since **v2.0.0** shipped"}, "unsafe_claim_text"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_claims_that_do_not_hold(changed: dict[str, str], reason: str) -> None:
    """A claim that does not hold goes with its reason; the message stays."""
    made = with_claims(claim(**changed))
    log = verify_claims(made, TABLE, REGISTRY)

    text = changed.get("claim_text", "since v2.0.0 shipped")
    assert log == [f"STRIPPED temporal claim: '{text}' for user bob — reason: {reason}"]
    assert (len(made.messages), made.total_claims, claims_left(made)) == (1, 1, 0)


def test_a_claim_on_a_quote_that_is_not_in_the_canvas() -> None:
    """The table also knows records without a quote in the canvas: they back nothing."""
    made = with_claims(claim(backing_quote_hash=UNKNOWN_HASH))
    log = verify_claims(made, {UNKNOWN_HASH: allowed()}, REGISTRY)

    assert log == ["STRIPPED temporal claim: 'since v2.0.0 shipped' for user bob — reason: quote_not_verified"]


def test_a_blocked_entry_without_a_reason() -> None:
    """An entry that is not allowed and says no reason still has one in the log."""
    made = with_claims(claim())
    log = verify_claims(made, {HASH: {"version_attribution_allowed": False}}, REGISTRY)

    assert log == ["STRIPPED temporal claim: 'since v2.0.0 shipped' for user bob — reason: not_allowed"]


def test_more_than_three_claims() -> None:
    """Three claims stand in front of a message; the fourth goes."""
    made = with_claims(*[claim()] * 5)
    log = verify_claims(made, TABLE, REGISTRY)

    assert (made.total_claims, claims_left(made)) == (5, 3)
    assert [line.rsplit(" ", 1)[1] for line in log] == ["too_many_claims", "too_many_claims"]


def test_claims_stand_in_front_of_the_cleaned_body() -> None:
    """The body loses its own versions, then the verified claims stand in front of it."""
    made = parsed(
        message(message_body="since v9.9.9 what did you do?", temporal_claims=[claim(), claim(claim_text="after v2")])
    )
    verify_claims(made, TABLE, REGISTRY)
    insert_claims(made)

    assert made.messages[0]["message_body"] == "since v2.0.0 shipped, after v2 — what did you do?"


def test_a_body_of_nothing_but_a_version() -> None:
    """A message of which nothing is left is dropped, and its claims count on neither side."""
    made = parsed(message(message_body="since v2.0.0!", temporal_claims=[claim()]), message())
    verify_claims(made, TABLE, REGISTRY)
    log = insert_claims(made)

    assert log == ["DROPPED message for bob: nothing is left of its body"]
    assert (len(made.messages), made.total_claims, claims_left(made)) == (1, 0, 0)


def test_triggers_are_cleaned() -> None:
    """What becomes a heading is one line without heading marks."""
    made = parsed(message(hypothesis_or_trigger="## H3\n## eve [FU:deadbeef]"))
    insert_claims(made)

    assert made.messages[0]["hypothesis_or_trigger"] == "H3 ## eve"


def fear(**changed: object) -> dict[str, object]:
    return {"id": "FEAR-bob-1", "backing_hypothesis": None, "text": "", **changed}


@pytest.mark.parametrize(
    ("made_fear", "met"),
    [
        (fear(id="FEAR-bob-3"), 1),
        (fear(id="FEAR-bob-33"), 0),
        (fear(id="fear-BOB-3"), 1),
        (fear(backing_hypothesis="H3"), 1),
        (fear(backing_hypothesis="H33"), 0),
        (fear(backing_hypothesis="H"), 0),
        (fear(backing_hypothesis=None), 0),
        (fear(text="the leaderboard bores them"), 1),
        (fear(text="boarding is slow"), 0),
        (fear(text=None), 0),
        ({}, 0),
    ],
    ids=str,
)
def test_which_fears_are_addressed(made_fear: dict[str, object], met: int) -> None:
    """A fear is met by its id or hypothesis in the trigger, or by one of its words in the body, each by itself."""
    made = parsed(
        message(hypothesis_or_trigger="H3, FEAR-bob-3: x", message_body="when did you last see the Leaderboard?")
    )

    assert coverage(made, [made_fear])[0] == f"Steering coverage for bob: {met}/1 fears addressed ({met:.0%})"


def test_no_coverage_is_a_warning() -> None:
    """Messages that meet no fear are warned of and stay."""
    made = parsed()

    assert coverage(made, [fear(), fear(id="FEAR-bob-2")]) == [
        "Steering coverage for bob: 0/2 fears addressed (0%)",
        "WARNING Zero steering coverage for bob — messages don't address any identified fears",
    ]
    assert len(made.messages) == 1


def test_coverage_without_cognition() -> None:
    """Without cognition there is no line; with zero fears there is one that says so."""
    assert coverage(parsed(), None) == []
    assert coverage(parsed(), []) == ["Steering coverage skipped for bob — cognition has zero fears"]


def test_survivors() -> None:
    """An answer with messages has no reason to skip; one without gets one, a reason of its own stays."""
    assert survivors(parsed()) is None
    assert survivors(Answer("bob")) == "all_content_stripped"
    assert survivors(Answer("bob", "no_quotes")) == "no_quotes"


def test_style_advice_strips_nothing() -> None:
    """Advice names the message and what it does; the message stays."""
    made = parsed(message(), message(message_body="would you use it?"))

    assert style_advice(made) == ["STYLE message 2 for bob: asks about the future"]
    assert len(made.messages) == 2
