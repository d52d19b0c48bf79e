"""One strict JSON object, or a refusal that holds no word of the judge's."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindloop.observer.json_answer import LIMIT, NotAnObject, kind, read_object, require_user
from mindloop.protocol.questions import AnswerRefused

PLAIN = '{"user": "bob", "n": 1}'


def refusal(raw: str, **more: int) -> NotAnObject:
    with pytest.raises(NotAnObject) as caught:
        read_object(raw, **more)
    return caught.value


def test_a_twin_among_many_keys_is_named() -> None:
    """The key that comes twice is named for a log, wherever it stands."""
    keys = [f'"k{number}":0' for number in range(15_000)]

    found = refusal("{" + ",".join([*keys, '"k14999":1']) + "}")

    assert found.detail == 'key "k14999" occurs twice in one object'


@pytest.mark.parametrize(
    "raw",
    [PLAIN, f"\ufeff{PLAIN}", f"\n {PLAIN}\n", f"```json\n{PLAIN}\n```", f"```\r\n{PLAIN}\r\n```\n"],
    ids=["plain", "bom", "blank lines", "fence", "fence, CRLF"],
)
def test_wrappings_come_off(raw: str) -> None:
    """A byte order mark, white space and one surrounding fence are nothing of the answer's."""
    assert read_object(raw) == {"user": "bob", "n": 1}


@pytest.mark.parametrize("raw", ["", "no", f"Sure: {PLAIN}", f"{PLAIN} bye", PLAIN + PLAIN, PLAIN[:-1], "[" * 9_999])
def test_what_is_not_json_is_refused(raw: str) -> None:
    """Text around the object, two objects, half an object and bottomless nesting are refused."""
    assert refusal(raw).reason.startswith("it is not JSON")


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("[]", "it is a list, expected one JSON object"),
        ("null", "it is null or missing, expected one JSON object"),
        ('"x"', "it is a text, expected one JSON object"),
        ("3", "it is a number, expected one JSON object"),
        ('{"a": NaN}', "NaN is no JSON number"),
        ('{"a": [-Infinity]}', "-Infinity is no JSON number"),
    ],
)
def test_what_is_no_object_is_refused(raw: str, reason: str) -> None:
    """Any other value, and numbers that JSON has not, are refused with what came."""
    assert refusal(raw).reason == reason
    assert refusal(raw).message == f"the answer was refused: {reason}"


def test_a_key_twice_is_named_only_in_the_detail() -> None:
    """The key is the judge's word, so the message does without it."""
    found = refusal('{"user": "bob", "more": [{"secret": 1, "secret": 2}]}')

    assert found.reason == "a key occurs twice in one object"
    assert found.detail == 'key "secret" occurs twice in one object'
    assert "secret" not in found.message


def test_the_limit_counts_bytes() -> None:
    """An answer of the limit is read; one byte more is refused, and a character counts as its bytes."""
    assert read_object(PLAIN.ljust(LIMIT)) == {"user": "bob", "n": 1}
    assert refusal(PLAIN.ljust(LIMIT + 1)).reason == "it has 200001 bytes, at most 200000 are read"
    assert refusal("é" * 6, limit=11).reason == "it has 12 bytes, at most 11 are read"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "null or missing"),
        (True, "true or false"),
        (0, "a number"),
        ("", "a text"),
        ([], "a list"),
        ({}, "an object"),
    ],
)
def test_kinds_have_names(value: object, words: str) -> None:
    """What came is said without showing it."""
    assert kind(value) == words


def test_an_answer_is_about_its_user() -> None:
    """Another spelling of the name is the same user; another name is refused and not shown."""
    require_user({"user": "BOB"}, "bob")
    with pytest.raises(AnswerRefused) as other:
        require_user({"user": "eve"}, "bob")
    with pytest.raises(AnswerRefused) as missing:
        require_user({}, "bob")

    assert other.value.message == '"user" is another one, expected "bob"'
    assert missing.value.message == '"user" is null or missing, expected the text "bob"'


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=4), st.sampled_from(["", "\ufeff", "```json\n"]))
def test_every_object_comes_back(value: dict[str, object], wrapping: str) -> None:
    """What a judge wrote as one object is read as that object, in any of the wrappings."""
    end = "\n```" if "`" in wrapping else ""

    assert read_object(f"{wrapping}{json.dumps(value)}{end}") == value


@given(st.text(st.characters(), max_size=60))
def test_any_text_is_read_or_refused(raw: str) -> None:
    """No text does anything else than come back as an object or be refused, with one line."""
    try:
        value: object = read_object(raw)
    except NotAnObject as error:
        value = error.message.splitlines()

    assert isinstance(value, dict) or len(value) == 1  # type: ignore[arg-type]
