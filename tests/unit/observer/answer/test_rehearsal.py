"""The rehearsal's answer."""

from __future__ import annotations

import json

from mindloop.observer.answer.rehearsal import default_answer
from tests.helpers.answers import (
    HASH,
    SAID,
    case,
    checked,
    quote,
)


def test_rehearsal_answer() -> None:
    """The rehearsal's answer is one labelled message on the first verified quote, and passes unchanged."""
    raw = default_answer(
        "bob",
        [quote("unverified", verified=False), quote(), quote("later")],
        [{"kind": "hypothesis", "hypothesis_id": "H3", "text": "Customize\nprofile"}],
    )
    made = checked(raw, case())

    assert made.skip_reason is None
    assert made.messages == [
        {
            "hypothesis_or_trigger": "H3: Customize profile",
            "anchor_quote_hash": HASH,
            "anchor_quote_text": SAID,
            "message_body": "[rehearsal] you said the words quoted above. tell me about the last time that happened: "
            "what did you do next, and what came of it?",
            "temporal_claims": [],
        }
    ]
    assert all(question.startswith("[rehearsal] ") for question in made.scary_questions)
    assert made.log == ["Verified 1/1 messages for bob"]


def test_rehearsal_without_a_quote() -> None:
    """Without a verified quote the rehearsal skips like a writer would."""
    assert checked(default_answer("bob", [quote(verified=False)], []), case()).skip_reason == "no_quotes"


def test_rehearsal_names_the_trigger_once() -> None:
    """A trigger that names its hypothesis already is not named again; without triggers the label stands."""
    named = default_answer("bob", [quote()], [{"kind": "hypothesis", "hypothesis_id": "H3", "text": "H3: Profile"}])
    unnamed = default_answer("bob", [quote()], [{"kind": "gap", "hypothesis_id": None, "text": "GAP-1: x"}])

    assert [json.loads(raw)["messages"][0]["hypothesis_or_trigger"] for raw in (named, unnamed)] == [
        "H3: Profile",
        "GAP-1: x",
    ]
    assert json.loads(default_answer("bob", [quote()], []))["messages"][0]["hypothesis_or_trigger"] == "[rehearsal]"
