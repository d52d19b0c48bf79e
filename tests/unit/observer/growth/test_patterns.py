"""Question patterns, topic tags and hypothesis ids."""

from __future__ import annotations

import pytest

from mindloop.observer.growth.patterns import (
    PATTERNS,
    STOP_WORDS,
    classify_question_pattern,
    hypothesis_ids,
    topic_tags,
)

SOURCE_STOP_WORDS = {
    *("the", "and", "for", "are", "but", "not", "you", "all", "any", "can", "had", "her", "was", "one", "our", "out"),
    *("day", "has", "his", "how", "its", "may", "new", "now", "old", "see", "way", "who", "did", "get", "let", "say"),
    *("she", "too", "use", "about", "been", "from", "have", "just", "like", "more", "only", "some", "than", "that"),
    *("them", "then", "they", "this", "very", "what", "when", "will", "with", "also", "back"),
}


def test_the_stop_words_are_those_of_the_source_document():
    """Replies are matched with the same list, so not a word may differ."""
    assert STOP_WORDS == SOURCE_STOP_WORDS


def test_the_seven_patterns_in_their_order():
    """The order decides where several phrases occur."""
    assert list(PATTERNS) == [
        "probe_gap",
        "verify_action",
        "challenge_assumption",
        "explore_motivation",
        "surface_unspoken",
        "test_commitment",
        "follow_breadcrumb",
    ]


@pytest.mark.parametrize(
    ("body", "trigger", "pattern"),
    [
        ("it's still not showing, right?", "H1", "probe_gap"),
        ("Did You look at the tab?", "H1", "verify_action"),
        ("what if nobody looks?", "H1", "challenge_assumption"),
        ("what drives you there?", "H1", "explore_motivation"),
        ("what's the part nobody hears?", "H1", "surface_unspoken"),
        ("what do you do next time?", "H1", "test_commitment"),
        ("you said it was quiet", "H1", "follow_breadcrumb"),
        ("how come?", "H1", "follow_breadcrumb"),
        ("", "", "follow_breadcrumb"),
    ],
)
def test_each_pattern_has_its_phrases(body, trigger, pattern):
    """One phrase is enough, whatever its case; none is a breadcrumb."""
    assert classify_question_pattern(body, trigger) == pattern


@pytest.mark.parametrize(
    ("body", "trigger", "pattern"),
    [
        ("you went to singapore, how was it?", "H1", "probe_gap"),
        ("why do you go there?", "H1", "challenge_assumption"),
        ("how was it?", "GAP-DATA-001: badge", "probe_gap"),
        ("what’s the worst of it?", "H1", "surface_unspoken"),
        ("what aren’t you telling me?", "H1", "surface_unspoken"),
        ("did you notice the gap?", "H1", "probe_gap"),
    ],
)
def test_quirks_that_stay(body, trigger, pattern):
    """Substrings, order and the trigger's own words decide: counters of old batches were made by these rules."""
    assert classify_question_pattern(body, trigger) == pattern


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("H3: Customize profile", ["customize", "profile"]),
        ("", []),
        ("the and for you", []),
        ("this about that, from when", ["that"]),
        ("trust, trust TRUST; Trust!", ["trust"]),
        ("about: badges", ["about", "badges"]),
        ("(rank)", ["rank"]),
        ("“rank” rank’s «badge»", ["rank", "rank's".replace("'", "’"), "badge"]),
        ("one1 two2 three3 four4 five5 six6 seven7", ["one1", "two2", "three3", "four4", "five5"]),
        ("'abc' cats", ["cats"]),
        ("🦊🦊🦊🦊 👨‍👩‍👧‍👦 badge🔥️", ["badge"]),
        ("排行榜分数 ÜBERTRAGEN", ["排行榜分数", "übertragen"]),
        ("हिन्दी काम", ["हिन्दी"]),
    ],
)
def test_topic_tags(text, tags):
    """Long words without stop words and edge punctuation, each once, five at most."""
    assert topic_tags(text) == tags


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("H3: Customize profile", ["H3"]),
        ("H1 and H12, again H1", ["H1", "H12"]),
        ("H1_2", ["H1"]),
        ("GRAPH2 paH3 éH4 3H5", []),
        ("Hypothesis 6", []),
        ("H-5: old spelling", ["H5"]),
        ("H07", ["H7"]),
        ("(H2)/H3-H4_H5", ["H2", "H3", "H4", "H5"]),
        ("h1 H٣", []),
        ("H" + "9" * 30, []),
        ("new feedback", []),
    ],
)
def test_hypothesis_ids(text, ids):
    """Ids are H and a number with no letter or digit before; each is named once, in one spelling."""
    assert hypothesis_ids(text) == ids
