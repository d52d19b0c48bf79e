"""The prompt about many users."""

from __future__ import annotations

import json

from mindloop.observer.synthesis.answer import parse_findings
from mindloop.observer.synthesis.question import default_answer, prompt

VECTORS = [{"user": name, "quote_count": 2} for name in ("ann", "bob", "cem", "dee")]


def test_each_vector_is_one_line_of_json() -> None:
    """In their own section, in the order given."""
    section = prompt(VECTORS, 3).partition("=== FEATURES")[2].partition("\n=== ")[0]

    assert [json.loads(line) for line in section.splitlines() if line.startswith("{")] == VECTORS


def test_the_numbers_of_the_question_are_the_settings_own() -> None:
    """How many users there are, and how many must share something."""
    text = prompt(VECTORS, 7)

    assert "(COMPUTED DATA, 4 USERS)" in text
    assert "A pattern is only what at least 7 users share" in text
    assert "each once, at least 7 (one in\n  lifecycle_transitions)" in text
    assert "{vectors}" not in text
    assert "{min_users}" not in text


def test_a_value_with_a_placeholder_stays_what_it_is() -> None:
    """The template is filled in one pass."""
    assert '{"user": "{vectors}"}' in prompt([{"user": "{vectors}"}], 3)


def test_the_prompt_is_plain_ascii() -> None:
    """Whatever a vector holds."""
    assert prompt([{"user": "z\u00fc\u2028"}], 3).isascii()


def test_the_default_is_valid_and_says_what_it_is() -> None:
    """The rehearsal's answer passes the checks that a judge's has to pass."""
    findings = parse_findings(default_answer(VECTORS, 3), ["ann", "bob", "cem", "dee"], 3)

    assert findings.lists["shared_hypotheses"] == [
        ("[rehearsal] no model looked at these users", ["ann", "bob", "cem"])
    ]
    assert findings.dropped == 0
