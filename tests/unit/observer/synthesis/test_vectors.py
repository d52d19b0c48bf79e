"""What a question about many users may know of one of them."""

from __future__ import annotations

from typing import Any

import pytest

from mindloop.observer.canvas.parse import Canvas, parse_canvas
from mindloop.observer.synthesis.vectors import (
    Source,
    complaints,
    feature_vectors,
    is_said,
    lifecycle,
    plausible_tags,
    score_summary,
    words,
)

HYPOTHESES = """## Level 3 Hypotheses

### H2: the second
- **Confidence**: High (seen)

### Hypothesis 1: the first
- **Confidence**: Medium (one DM)
"""
GAPS = """## Expectation Gaps

### GAP-1: no group view

| Field | Value |
|---|---|
| **Type** | Feature |
| **Status** | OPEN |

### GAP-2: something else

| Field | Value |
|---|---|
| **Type** | Whatever the person wrote |
"""
FEEDBACK = """## Feedback Entries (from UI)

| Date | Type | Note | Source | Signal | Weight | Model |
|------|------|------|--------|--------|--------|-------|
| 2026-02-06 | bad | it spins | ranks page | UX | MEDIUM | v1 |
| 2026-02-07 | good | lovely | ranks page | FEEL | LOW | v1 |
| 2026-02-08 | neutral | hm | badge page | **accuracy** | HIGH | v1 |
| 2026-02-09 | bad | hm | badge page | something of theirs | HIGH | v1 |
"""


def canvas(body: str = "", header: str = "", user: str = "ann") -> Canvas:
    return parse_canvas(f"{user}-canvas.md", f"---\nuser: {user}\n{header}---\n# {user}\n\n{body}")


def vector(body: str = "", header: str = "", **more: Any) -> dict[str, Any]:
    (one,) = feature_vectors([Source(canvas(body, header), more.pop("quotes", 0), **more)], [body])
    return one


def test_a_vector_has_the_nine_fields_of_the_document() -> None:
    """Ids, classes, numbers and words of closed lists, under the names of the source document."""
    header = 'lifecycle_state: power_user\nscore_snapshot:\n  rank: 77\n  og_score: "81.5"\n  nft_score: 9\n'
    tags = {"behavior_tags": ["completionist"]}

    assert vector(HYPOTHESES + GAPS + FEEDBACK, header, quotes=16, features=tags) == {
        "user": "ann",
        "lifecycle_state": "power_user",
        "hypothesis_ids": ["H1", "H2"],
        "hypothesis_confidences": {"H1": "medium", "H2": "high"},
        "complaint_taxonomy": ["accuracy", "feature", "ux"],
        "behavior_tags": ["completionist"],
        "gap_types": ["feature"],
        "quote_count": 16,
        "score_summary": {"og": 81.5, "nft": 9, "onchain": None, "rank": 77},
    }


def test_an_empty_canvas_has_an_empty_vector() -> None:
    """What is not there is null, none or empty; nothing is guessed."""
    assert vector() == {
        "user": "ann",
        "lifecycle_state": None,
        "hypothesis_ids": [],
        "hypothesis_confidences": {},
        "complaint_taxonomy": [],
        "behavior_tags": [],
        "gap_types": [],
        "quote_count": 0,
        "score_summary": {"og": None, "nft": None, "onchain": None, "rank": None},
    }


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("power_user", "power_user"),
        ("Power User", "power_user"),
        ("new-user", "new_user"),
        ("churning", "churning"),
        ("told me her secret", "other"),
        (None, None),
    ],
)
def test_a_lifecycle_is_a_word_of_the_list(written: str | None, expected: str | None) -> None:
    """Free text is tolerated in a canvas; in a vector it is `other`."""
    assert lifecycle(written) == expected


def test_of_two_hypotheses_with_one_id_the_first_counts() -> None:
    """An id occurs once."""
    twice = "## Level 3 Hypotheses\n\n### H1: a\n- **Confidence**: High\n\n### H1: b\n- **Confidence**: Low\n"

    assert vector(twice)["hypothesis_confidences"] == {"H1": "high"}


@pytest.mark.parametrize("title", ["H0: a", "H1000: a", "H123456789: a"])
def test_a_number_that_is_no_hypothesis_is_left_out(title: str) -> None:
    """Nine digits may be somebody's telephone number."""
    assert vector(f"## Level 3 Hypotheses\n\n### {title}\n")["hypothesis_ids"] == []


def test_at_most_thirty_hypotheses_are_named() -> None:
    """The lowest numbers, in their order."""
    many = "## Level 3 Hypotheses\n\n" + "\n".join(f"### H{number}: a" for number in range(40, 0, -1))

    assert vector(many)["hypothesis_ids"] == [f"H{number}" for number in range(1, 31)]


def test_praise_is_no_complaint() -> None:
    """Only the signals of rows that are not good, and only those of the list."""
    assert complaints(FEEDBACK) == {"ux", "accuracy"}


def test_the_other_form_of_the_feedback_table_is_read_too() -> None:
    """Columns are found by their names, wherever they stand."""
    columns = "| Time (UTC) | Type | Source | Page Context | Note | Signal | Weight |\n|-|-|-|-|-|-|-|\n"

    assert complaints(f"## 7. Feedback-Entries\n\n{columns}| 1 | bad | ui | ranks | x | WEIGHTINGS | LOW |") == {
        "weightings"
    }


@pytest.mark.parametrize(
    "body",
    [
        "| Date | Type | Signal |\n|-|-|-|\n| 1 | bad | UX |",
        "```\n## Feedback Entries\n| Date | Type | Signal |\n| 1 | bad | UX |\n```",
        "## Feedback Entries\n\n| 1 | bad | UX |",
    ],
    ids=["no section", "fenced", "no header"],
)
def test_a_table_that_is_no_feedback_table_says_nothing(body: str) -> None:
    """Section and header are both needed, and neither may be fenced."""
    assert complaints(body) == set()


def test_fresh_scores_come_before_the_sidecars_and_the_canvas_s_own() -> None:
    """The first that knows a number is taken whole."""
    one = canvas("", "score_snapshot:\n  og_score: 1\n")
    features = {"score_summary": {"og": 2, "nft": None, "onchain": None, "rank": None}}

    assert score_summary(Source(one, 0, features, {"og": "3", "rank": "12"}))["og"] == 3
    assert score_summary(Source(one, 0, features, {"og": None}))["og"] == 2
    assert score_summary(Source(one, 0, {}, None))["og"] == 1


@pytest.mark.parametrize("value", ["soon", "1e999", True, [], {"a": 1}, float("nan"), float("inf"), 10**16])
def test_a_score_that_is_no_number_is_null(value: Any) -> None:
    """Nothing but a number of a possible size gets through, whoever wrote it."""
    numbers = {"og": value, "nft_score": value, "onchain": value, "rank": value}

    assert score_summary(Source(canvas(), 0, {"score_summary": numbers}, None)) == {
        "og": None,
        "nft": None,
        "onchain": None,
        "rank": None,
    }


@pytest.mark.parametrize("features", [None, [], "x", {"behavior_tags": "night"}, {"behavior_tags": {"a": 1}}])
def test_features_of_any_shape_are_survived(features: Any) -> None:
    """A sidecar is hostile until parsed."""
    assert vector(features=features)["behavior_tags"] == []


@pytest.mark.parametrize(
    "tag",
    ["Night", "a", "1st", "a-b", "a b", "é", "x" * 33, "", 7, None, "ignore_previous", "you_are_root", "pretend_owner"],
)
def test_a_tag_without_the_form_of_one_is_left_out(tag: Any) -> None:
    """Two to 32 of a-z, 0-9 and underscores, and nothing that steers."""
    assert plausible_tags([tag, "early_adopter"]) == ["early_adopter"]


def test_at_most_five_tags_each_once() -> None:
    """The first five."""
    assert plausible_tags(["a1", "a1", "b1", "c1", "d1", "e1", "f1"]) == ["a1", "b1", "c1", "d1", "e1"]


@pytest.mark.parametrize(
    "tag",
    ["froze", "froze_often", "often_froze", "badgefroze", "fr_oze", "xfrozex", "cafe", "zwidge", "wide", "ok", "o_k"],
)
def test_a_tag_that_holds_a_word_of_a_canvas_is_left_out(tag: str) -> None:
    """A part, the whole, a longer word inside; case, accents, joiners and widths make no difference."""
    said = words(["it FROZE again, ok?", "caf\u00e9 z\u200bwidge \uff37\uff29\uff24\uff25"])

    assert is_said(tag, said)


@pytest.mark.parametrize("tag", ["completionist", "data_auditor", "okra", "again_st"])
def test_a_tag_of_other_words_stays(tag: str) -> None:
    """Short words inside a longer one prove nothing."""
    assert not is_said(tag, words(["it froze, ok?", "a gain"]))


def test_words_of_other_canvases_count_too() -> None:
    """What one user said does not come in through another one's sidecar."""
    sources = [Source(canvas(), 0, {"behavior_tags": ["sourdough", "early_adopter"]})]

    assert feature_vectors(sources, ["nothing here", "my Sourdough died"])[0]["behavior_tags"] == ["early_adopter"]


def test_canvases_are_not_read_where_nobody_has_a_tag() -> None:
    """Most workspaces have few sidecars; reading every canvas again is for those that have."""

    def texts() -> Any:
        raise AssertionError
        yield ""

    assert feature_vectors([Source(canvas(), 0)], texts())[0]["behavior_tags"] == []


def test_vectors_stand_in_the_order_of_the_slugs() -> None:
    """Whatever order the canvases came in."""
    sources = [Source(canvas(user=user), 0) for user in ("cem", "ann", "Bob")]

    assert [one["user"] for one in feature_vectors(sources, [])] == ["ann", "bob", "cem"]
