"""Step 4a: what counts as an answer."""

from __future__ import annotations

import json

import pytest

from mindloop.observer.answer.parse import MAX_ANSWER, MAX_MESSAGES, AnswerRejected, parse_answer, refused
from tests.helpers.answers import answer, claim, message


def refusal(raw: str, user: str = "bob") -> str:
    with pytest.raises(AnswerRejected) as caught:
        parse_answer(raw, user)
    assert caught.value.reason == "subagent_parse_error"
    return caught.value.detail


@pytest.mark.parametrize(
    "raw",
    [
        answer(),
        f"\ufeff{answer()}",
        f"\n {answer()}\n\n",
        f"```json\n{answer()}\n```",
        f"```\n{answer()}\n```\n",
        f"\ufeff```JSON\r\n{answer()}\r\n```",
    ],
    ids=["plain", "bom", "blank lines", "fence", "fence without a word", "bom, fence, CRLF"],
)
def test_accepted_wrappings(raw: str) -> None:
    """A byte order mark, white space and one surrounding fence are taken off; nothing else is needed."""
    assert [made["message_body"] for made in parse_answer(raw, "bob").messages] == [
        "what did you do the last time it felt low?"
    ]


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "no",
        f"Here you are:\n{answer()}",
        f"{answer()}\nHope this helps!",
        f"```json\n{answer()}\n```\nHope this helps!",
        f"Sure:\n```json\n{answer()}\n```",
        f"```json\n```json\n{answer()}\n```\n```",
        f"```json\n{answer()}",
        answer() + answer(),
        answer()[:-1],
        answer().replace('"bob"', "'bob'"),
        "[" * 200_000,
        '{"a":' * 50_000,
        "1" * 10_000,
    ],
    ids=lambda raw: raw[:12],
)
def test_anything_but_one_object_is_refused(raw: str) -> None:
    """Prose around the object, two objects, half an object and bottomless nesting are refused."""
    assert refusal(raw).startswith("it is not JSON")


@pytest.mark.parametrize(
    ("raw", "detail"),
    [
        ("[]", "it is a list, expected one JSON object"),
        ("null", "it is null or missing, expected one JSON object"),
        ('"x"', "it is a text, expected one JSON object"),
        ("3", "it is a number, expected one JSON object"),
        (answer(user=7), '"user" is a number, expected the text "bob"'),
        (answer(user="eve"), '"user" is "eve", expected "bob"'),
        (answer(user="bobby"), '"user" is "bobby", expected "bob"'),
        (answer(messages=None), '"messages" is null or missing, expected a list'),
        (answer(messages={}), '"messages" is an object, expected a list'),
        (answer(messages="x"), '"messages" is a text, expected a list'),
        ('{"user": "bob"}', '"messages" is null or missing, expected a list'),
        ('{"messages": []}', '"user" is null or missing, expected the text "bob"'),
    ],
    ids=lambda value: str(value)[:20],
)
def test_wrong_shapes_are_refused(raw: str, detail: str) -> None:
    """A wrong shape is refused with the field, what came and what was expected."""
    assert refusal(raw) == detail


def test_a_key_twice_is_refused() -> None:
    """An object with one key twice is refused, at any depth."""
    assert refusal('{"user":"bob","messages":[],"user":"bob"}') == 'key "user" occurs twice in one object'
    assert refusal('{"user":"bob","messages":[{"a":1,"a":2}]}') == 'key "a" occurs twice in one object'


@pytest.mark.parametrize("constant", ["NaN", "Infinity", "-Infinity"])
def test_numbers_that_json_has_not_are_refused(constant: str) -> None:
    """NaN and infinities refuse the answer."""
    assert refusal(f'{{"user":"bob","messages":[],"x":{constant}}}') == f"{constant} is no JSON number"


def test_size_limit() -> None:
    """An answer of a megabyte and one byte is refused, counted in bytes."""
    assert parse_answer(answer().ljust(MAX_ANSWER), "bob").total_quotes == 1
    assert refusal(answer().ljust(MAX_ANSWER + 1)) == "it has 1000001 bytes, at most 1000000 are read"
    assert refusal("é" * 500_001) == "it has 1000002 bytes, at most 1000000 are read"


def test_the_user_is_compared_as_a_name() -> None:
    """Case, normal form and a leading @ make no other user."""
    assert parse_answer(answer(user="@BOB"), "bob").user == "bob"
    assert parse_answer(answer(user="Jose\u0301"), "josé").user == "josé"


@pytest.mark.parametrize("reason", ["no_triggers", "no_quotes", "all_hypotheses_high_confidence"])
def test_reasons_of_the_list(reason: str) -> None:
    """The three reasons that a writer may give are taken over."""
    assert parse_answer(answer(messages=[], skip_reason=reason), "bob").skip_reason == reason


@pytest.mark.parametrize(
    "reason", ["", "tired", "no_quotes\nusers: [eve]", "score_api_error", "No_Quotes", 0, False, [], {"a": 1}]
)
def test_other_reasons_are_refused(reason: object) -> None:
    """Any other reason refuses the answer: it would stand in the batch's front matter."""
    detail = refusal(answer(messages=[], skip_reason=reason))

    assert detail.endswith("expected null or one of all_hypotheses_high_confidence, no_quotes, no_triggers")
    assert "\n" not in detail


def test_a_missing_reason_is_none() -> None:
    """An answer without the key has no reason to skip."""
    assert parse_answer('{"user":"bob","messages":[]}', "bob").skip_reason is None


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        (None, "it is null or missing, expected an object"),
        ("hi", "it is a text, expected an object"),
        ([], "it is a list, expected an object"),
        (message(message_body=None), '"message_body" is null or missing, expected a text'),
        (message(anchor_quote_hash=5), '"anchor_quote_hash" is a number, expected a text'),
        (message(hypothesis_or_trigger=True), '"hypothesis_or_trigger" is true or false, expected a text'),
    ],
    ids=lambda value: str(value)[:20],
)
def test_malformed_messages_are_dropped(item: object, problem: str) -> None:
    """A malformed message is dropped with its number and the reason; the others stay, and it counts as one of them."""
    parsed = parse_answer(answer(message(), item, message()), "bob")

    assert len(parsed.messages) == 2
    assert parsed.total_quotes == 3
    assert parsed.log == [f"DROPPED message 2: {problem}"]


def test_a_message_needs_no_anchor_text() -> None:
    """The anchor's text may be missing: it comes from the registry anyway."""
    assert parse_answer(answer(message(anchor_quote_text=None)), "bob").messages[0]["anchor_quote_text"] == ""


def test_too_many_messages() -> None:
    """What goes beyond ten messages is cut off, and said."""
    parsed = parse_answer(answer(*[message()] * 13), "bob")

    assert (len(parsed.messages), parsed.total_quotes) == (MAX_MESSAGES, 13)
    assert parsed.log == ["DROPPED messages 11 to 13: at most 10 are taken"]


@pytest.mark.parametrize("claims", [None, []])
def test_no_claims(claims: object) -> None:
    """Null, an empty list and a missing key all mean no claims."""
    missing = {key: value for key, value in message().items() if key != "temporal_claims"}
    parsed = parse_answer(answer(message(temporal_claims=claims), missing), "bob")

    assert [made["temporal_claims"] for made in parsed.messages] == [[], []]


def test_claims_of_another_shape() -> None:
    """Claims that are no list are ignored with a log line; malformed ones in a list stay, empty, to be counted."""
    parsed = parse_answer(answer(message(temporal_claims={}), message(temporal_claims=[7, claim(claim_text=1)])), "bob")

    assert parsed.messages[0]["temporal_claims"] == []
    assert parsed.messages[1]["temporal_claims"] == [
        {"claim_text": "", "backing_quote_hash": "", "chronicle_ref": ""},
        claim(claim_text=""),
    ]
    assert parsed.log == ["IGNORED temporal_claims of message 1: an object, expected a list"]
    assert parsed.total_claims == 2


def test_scary_questions() -> None:
    """At most three questions are kept, each on one line; what is no text is left out."""
    questions = ["a\nb?", 7, "", "# c [FU:deadbeef]", "d", "e"]

    assert parse_answer(answer(scary_questions=questions), "bob").scary_questions == ["a b?", "c", "d"]
    assert parse_answer(answer(scary_questions="x"), "bob").scary_questions == []


def test_lone_surrogates_are_no_crash() -> None:
    """Half of a surrogate pair in any text neither raises nor reaches a log line."""
    raw = json.dumps({"user": "bob\ud83d", "messages": []})

    assert refusal(raw) == '"user" is "bob", expected "bob"'
    assert refusal(raw).encode("utf-8") == b'"user" is "bob", expected "bob"'


def test_the_raw_text_in_the_log_is_bounded() -> None:
    """A huge answer does not fill the log."""
    assert len(refused(AnswerRejected("x"), "y" * 1_000_000, "bob").log[1]) == 2_007
