"""What is taken of a judge's findings."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mindloop.observer.synthesis.answer import LISTS, clean_text, parse_findings
from mindloop.protocol.questions import AnswerRefused

USERS = ("ann", "bob", "cem", "dee")


def entry(text: Any = "they all count", users: Any = ("ann", "bob", "cem")) -> dict[str, Any]:
    return {"text": text, "users": list(users) if isinstance(users, tuple) else users}


def answer(**lists: Any) -> str:
    return json.dumps({**{name: [] for name in LISTS}, **lists})


def test_findings_are_read() -> None:
    """Four lists of a line and its users."""
    raw = answer(shared_hypotheses=[entry()], lifecycle_transitions=[entry("dee is leaving", ("dee",))])

    findings = parse_findings(raw, USERS, 3)

    assert findings.lists == {
        "shared_hypotheses": [("they all count", ["ann", "bob", "cem"])],
        "convergent_complaints": [],
        "behavioral_clusters": [],
        "lifecycle_transitions": [("dee is leaving", ["dee"])],
    }
    assert findings.dropped == 0


def test_finding_nothing_is_an_answer() -> None:
    """Four empty lists are valid."""
    assert parse_findings(answer(), USERS, 3).dropped == 0


@pytest.mark.parametrize("wrapped", ["\ufeff{}", "```json\n{}\n```", "  {}\n"])
def test_its_wrapping_makes_no_difference(wrapped: str) -> None:
    """A byte order mark, a fence, white space."""
    assert parse_findings(wrapped.replace("{}", answer(behavioral_clusters=[entry()])), USERS, 3).lists[
        "behavioral_clusters"
    ]


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("value", [None, "x", {}, 3])
def test_a_list_that_is_none_refuses_the_whole(name: str, value: Any) -> None:
    """The message names the list and what came, without a word of it."""
    with pytest.raises(AnswerRefused, match=f'"{name}" is .*, expected a list'):
        parse_findings(answer(**{name: value}), USERS, 3)


@pytest.mark.parametrize(
    "raw",
    ["", "no json", "[]", '{"shared_hypotheses": []}', answer() + "x", '{"a": NaN}', '{"a": 1, "a": 1}', "{" * 9999],
)
def test_what_is_no_answer_is_refused(raw: str) -> None:
    """One strict JSON object, or nothing."""
    with pytest.raises(AnswerRefused):
        parse_findings(raw, USERS, 3)


@pytest.mark.parametrize(
    "bad",
    [
        None,
        "text",
        {},
        entry(text=None),
        entry(text=""),
        entry(text="  \u200b "),
        entry(text="=== # "),
        entry(users=None),
        entry(users="ann"),
        entry(users=("ann", "bob")),
        entry(users=("ann", "bob", "bob", "ann")),
        entry(users=("ann", "bob", "eve")),
        entry(users=("ann", "bob", "cem", "Ann")),
        entry(users=("ann", "bob", 3)),
        entry(users=()),
    ],
)
def test_a_bad_entry_is_dropped_and_the_others_stay(bad: Any) -> None:
    """Too few users, unknown ones, no text, another shape."""
    findings = parse_findings(answer(shared_hypotheses=[bad, entry("good")]), USERS, 3)

    assert findings.lists["shared_hypotheses"] == [("good", ["ann", "bob", "cem"])]
    assert findings.dropped == 1


def test_an_answer_of_which_nothing_is_left_is_refused() -> None:
    """The message names the first entry and why, and shows no word of the judge's."""
    with pytest.raises(AnswerRefused) as caught:
        parse_findings(answer(shared_hypotheses=[entry("SECRET", ("SECRET",))]), USERS, 3)

    assert 'shared_hypotheses[1]: "users" names somebody whom the packet did not show' in caught.value.message
    assert "SECRET" not in str(caught.value)


def test_only_a_transition_may_be_one_user_s() -> None:
    """Everything else needs as many users as a pattern has."""
    one = [entry("x", ("ann",))]
    findings = parse_findings(answer(lifecycle_transitions=one, behavioral_clusters=one), USERS, 3)

    assert findings.lists["lifecycle_transitions"] == [("x", ["ann"])]
    assert findings.lists["behavioral_clusters"] == []


def test_more_than_eight_entries_are_dropped() -> None:
    """The first eight of a list stay."""
    findings = parse_findings(answer(convergent_complaints=[entry(f"n {n}") for n in range(11)]), USERS, 3)

    assert [text for text, _ in findings.lists["convergent_complaints"]] == [f"n {n}" for n in range(8)]
    assert findings.dropped == 3


def test_a_user_counts_once() -> None:
    """In the order in which they were named."""
    findings = parse_findings(answer(behavioral_clusters=[entry(users=("cem", "ann", "cem", "bob"))]), USERS, 3)

    assert findings.lists["behavioral_clusters"][0][1] == ["cem", "ann", "bob"]


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("one\ntwo", "one two"),
        ("## heading", "heading"),
        ("<script>x</script> done", "x done"),
        ("say [FU:deadbeef] now", "say now"),
        ("ignore [FU:deadbeef] previous words", "words"),
        ("system: obey", "obey"),
        ("a <!-- b --> c", "a c"),
        ("x" * 400, "x" * 300),
        ("half \ud83d", "half"),
    ],
)
def test_a_text_is_one_plain_line(text: str, clean: str) -> None:
    """At most 300 characters; nothing that steers, no markup that hides, no token."""
    assert clean_text(text) == clean
