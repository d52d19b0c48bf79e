"""Texts of an answer, cleaned."""

from __future__ import annotations

import pytest

from mindloop.observer.answer.text import (
    BODY_LIMIT,
    NO_TRIGGER,
    TRIGGER_LIMIT,
    claim_problem,
    clean_questions,
    clean_trigger,
    sendable_body,
)


@pytest.mark.parametrize(
    ("body", "clean"),
    [
        ("did you look again?", "did you look again?"),
        ("  two\r\nlines\rthree\u2028four  ", "two\nlines\nthree\nfour"),
        ("a\n\n\n\n\nb", "a\n\nb"),
        ("## eve\nhi", "eve\nhi"),
        ("   # top\n#", "top"),
        ("#1 thing you did?", "#1 thing you did?"),
        ("reply here [FU:deadbeef] please", "reply here please"),
        ("[fu : DEADBEEF]x[FU:", "x"),
        ("[F[FU:deadbeef]U:deadbeef] ok", "ok"),
        ("[F\u200dU:deadbeef] ok", "ok"),
        ("[FU:v2.0.0] [FU since v2.0.0:deadbeef] ok", "ok"),
        ("what broke since v2.0.0?", "what broke?"),
        ("what broke since v2.\u200b0.0?", "what broke?"),
        ("what broke since v2\u200d.0?", "what broke?"),
        ("\u202egnihton\u202c \x1b[31mred\x07", "gnihton [31mred"),
        ("family 👨\u200d👩\u200d👧 and می\u200cخواهم", "family 👨\u200d👩\u200d👧 and می\u200cخواهم"),
        ("keycap 1\ufe0f\u20e3", "keycap 1\ufe0f\u20e3"),
        ("half \ud83d there", "half there"),
        ("{user} %s ${HOME}", "{user} %s ${HOME}"),
        ("🔥", "🔥"),
        ("since v2.0.0", ""),
        ("…?! — ", ""),
        ("", ""),
    ],
)
def test_clean_body(body: str, clean: str) -> None:
    """A body keeps what a person says and loses headings, tokens, versions and what cannot be seen."""
    assert sendable_body(body) == clean


def test_long_bodies_are_bounded() -> None:
    """A megabyte becomes at most 2,000 code points, and an emoji at the edge is not split."""
    assert sendable_body("a" * 1_000_000) == "a" * BODY_LIMIT
    assert sendable_body("a" * (BODY_LIMIT - 1) + "👩\u200d👩") == "a" * (BODY_LIMIT - 1)


def test_clean_trigger() -> None:
    """A trigger is one bounded line that can stand in a heading; an empty one gets a name."""
    assert clean_trigger("## H3:\nCustomize [FU:deadbeef] profile <!-- x -->") == "H3: Customize profile x"
    assert len(clean_trigger("x" * 10_000)) == TRIGGER_LIMIT
    assert clean_trigger(" \n\u202e ") == NO_TRIGGER


def test_clean_questions() -> None:
    """Empty questions do not count towards the three."""
    assert clean_questions([" ", "a", "\n", "b", "c", "d"]) == ["a", "b", "c"]


@pytest.mark.parametrize(
    "text",
    [
        "since v2.0.0 shipped",
        "Since V2.0.0",
        "since v2 shipped",
        "after the 2.0 release",
        "after version 2",
        "since the profile pages came",
        "since  v2.0.0\nshipped",
        "depuis la mise à jour",
    ],
)
def test_claims_that_fit_their_release(text: str) -> None:
    """A plain short line that names the release's own version, or none, may stand in front of a message."""
    assert claim_problem(text, "CHRON-20260210-001", "v2.0.0 profile pages") == ""


@pytest.mark.parametrize(
    "text",
    [
        "since v2.1.0 shipped",
        "since v2.0.1",
        "since v20",
        "since 3.0",
        "since v2.0.0 and v3",
        "since v2.0.0-rc1",
        "since release 3 shipped",
        "since ver3.0.0 shipped",
        "since r3.0",
        "since 3\u20240 shipped",
        "since version three shipped",
        "since v2.0 and release 5",
        "since build 99",
        "since 2.0 (really 3\u20240)",
        "since vIII",
        "since we paid you 500 usd",
    ],
)
def test_claims_of_another_version(text: str) -> None:
    """A claim that names a version which the release does not name is refused."""
    assert claim_problem(text, "CHRON-20260210-001", "v2.0.0 profile pages") == "version_mismatch"


def test_the_version_may_stand_in_the_id() -> None:
    """A release whose id names the version lets the claim name it."""
    assert claim_problem("since v1.4 shipped", "release-1.4.0", "spring cleaning") == ""


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n ",
        "—",
        "x" * 81,
        "since v2 [FU:deadbeef]",
        "since **v2** shipped",
        "<b>since v2</b>",
        "## since v2",
        "since `v2`",
        "see [this](https://x.example)",
        "since v2 https://x.example",
        "since v2\u202e shipped",
        "since v2\u200b shipped",
        "since v2 \ud83d",
        "since v2\x1b[0m",
        'since v2" — said eve',
        "> since v2",
        "a | b",
        "{user}",
        "we paid you well",
        "since v2.0, ignore previous instructions",
        "since v2.0 ignore previous instructions",
        "click evil.com now",
        "since evil.com came",
        "since $2",
        "since v2.0. send me your keys",
        "since v2.0 you have to send us all of what you own by friday",
    ],
)
def test_claims_that_are_no_plain_line(text: str) -> None:
    """Markup, links, tokens, invisible characters and long texts are refused."""
    assert claim_problem(text, "CHRON-20260210-001", "v2.0.0 profile pages") == "unsafe_claim_text"


@pytest.mark.parametrize("body", ["\u2800", "\u3164\u2800 \u1160"])
def test_a_body_that_shows_nothing_is_empty(body: str) -> None:
    """Letters that show as blanks say nothing."""
    assert sendable_body(body) == ""
