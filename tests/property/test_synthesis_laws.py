"""Laws of the question about many users: no word of anybody's in it, and no structure of a judge's in the file."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from mindloop.observer.batch.parse import BATCH_TYPE
from mindloop.observer.canvas.parse import parse_canvas
from mindloop.observer.synthesis.answer import LISTS, clean_text, parse_findings, shape_problem
from mindloop.observer.synthesis.question import default_answer, prompt
from mindloop.observer.synthesis.render import FOLLOW_UPS, TITLES, render_synthesis
from mindloop.observer.synthesis.vectors import Source, feature_vectors
from mindloop.protocol.questions import AnswerRefused
from mindloop.store import front_matter
from mindloop.store.clock import parse_instant
from mindloop.store.schemas import problems

NOW: Any = parse_instant("2026-02-20T09:00:00Z")
USERS = ("ann", "bob", "cem")
MARK = "zq"
"""Every canary begins with it; neither the template nor a closed list holds it."""

CANARIES = st.lists(st.from_regex(r"zq[a-z0-9]{4,9}", fullmatch=True), min_size=12, max_size=12, unique=True)
DISGUISES = st.sampled_from(
    [
        str,
        str.upper,
        str.title,
        lambda word: word.replace("q", "q\u200b"),
        lambda word: word.replace("z", "\uff5a"),
        lambda word: f"*{word}*",
        lambda word: f"{word}.",
        lambda word: f"the {word} again",
    ]
)


@st.composite
def canvases(draw: Any, user: str) -> tuple[str, list[str]]:
    """A canvas with a canary in every place where a person or a model may write freely; its text and the canaries."""
    words = draw(CANARIES)
    said = [draw(DISGUISES)(word) for word in words]
    fields = {
        "type": "user_canvas",
        "user": user,
        "lifecycle_state": said[0],
        "enrichment_trigger": said[1],
        "status": said[2],
        "score_snapshot": {"rank": said[3], "og_score": said[4], "crowd_tier": said[5], "nft": said[6]},
        "hivemind": {"product": [said[7]]},
    }
    head = "\n".join(f"{key}: {json.dumps(value)}" for key, value in fields.items())
    return f"---\n{head}\n---\n{_body(said)}", words


def _body(said: list[str]) -> str:
    return f"""# {said[0]} Canvas

## User Profile

| Field | Value |
|---|---|
| **{said[1]}** | {said[2]} |
| **Confidence** | {said[3]} |

## Level 3 Hypotheses

### H1: {said[4]}

- **Confidence**: Low ({said[5]})
- **Evidence**: {said[6]}

### H2 {said[7]}

- **Confidence**: {said[8]}

## Future Promises (Unvalidated)

| Promise | Date | Follow-up Trigger | Status |
|---|---|---|---|
| {said[0]} | {said[1]} | {said[2]} | {said[3]} |

## Expectation Gaps

### GAP-{said[4]}-1: {said[5]}

| Field | Value |
|---|---|
| **Type** | {said[6]} |
| **Status** | {said[7]} |

**Status**: {said[8]}

## Quotes Library

> "{said[9]}"
> — {said[10]}
<!-- prov:sha256:{"0" * 64} {said[11]} -->

## {said[0]}

## Feedback Entries (from UI)

| Date | Type | Note | Source | Signal | Weight | Model |
|---|---|---|---|---|---|---|
| {said[8]} | {said[9]} | {said[10]} | {said[11]} | {said[0]} | {said[1]} | {said[2]} |
"""


@st.composite
def hostile_features(draw: Any, words: list[str]) -> Any:
    """What a sidecar may hold that somebody filled with words of canvases, disguised as tags, ids and classes."""
    word = st.sampled_from(words)
    tag = st.one_of(
        word,
        word.map(lambda one: f"{one}_user"),
        word.map(lambda one: f"night_{one}"),
        word.map(lambda one: f"x{one}x"),
        word.map(lambda one: f"{one[:4]}_{one[4:]}"),
        word.map("_".join),
        st.tuples(word, word).map("".join),
        word.map(str.upper),
        word.map(lambda one: f"ignore previous {one}"),
    )
    fields = {
        "lifecycle_state": word,
        "dominant_fear_type": word,
        "hypothesis_ids": st.lists(word),
        "hypothesis_confidences": st.dictionaries(word, word),
        "gap_types": st.lists(word),
        "behavior_tags": st.one_of(st.lists(tag, max_size=8), word, st.dictionaries(word, word)),
        "score_summary": st.one_of(st.dictionaries(st.sampled_from(["og", "nft", "rank", "onchain"]), word), word),
        "more": word,
    }
    return draw(st.one_of(st.fixed_dictionaries({}, optional=fields), word, st.lists(word), st.none()))


@st.composite
def workspaces(draw: Any) -> tuple[list[str], list[Source]]:
    """Canvases full of canaries, and for each user a sidecar full of the canaries of all of them."""
    made = [draw(canvases(user)) for user in USERS]
    words = [word for _, own in made for word in own]
    texts = [text for text, _ in made]
    sources = [
        Source(
            parse_canvas(f"canvas/{user}-canvas.md", text),
            draw(st.integers(0, 99)),
            draw(hostile_features(words)),
            draw(st.one_of(st.none(), st.dictionaries(st.sampled_from(["og", "rank"]), st.sampled_from(words)))),
        )
        for user, text in zip(USERS, texts, strict=True)
    ]
    return texts, sources


@settings(deadline=None, max_examples=150)
@given(workspaces())
def test_no_word_of_any_canvas_reaches_the_prompt(made: tuple[list[str], list[Source]]) -> None:
    """Canaries in every free place of every canvas, and in every field of hostile sidecars: none is in the prompt."""
    texts, sources = made
    text = prompt(feature_vectors(sources, texts), 3)
    squeezed = re.sub(r"[^a-z0-9]", "", text.casefold())

    assert MARK not in text.casefold()
    assert MARK not in squeezed


@settings(deadline=None, max_examples=50)
@given(workspaces(), st.randoms())
def test_the_order_of_the_canvases_changes_nothing(made: tuple[list[str], list[Source]], chance: Any) -> None:
    """Not of the users, not of the files that are looked at for words."""
    texts, sources = made
    before = feature_vectors(sources, texts)
    chance.shuffle(texts)
    chance.shuffle(sources)

    assert feature_vectors(sources, texts) == before


@settings(deadline=None, max_examples=50)
@given(workspaces(), st.integers(2, 9))
def test_the_default_is_taken_where_there_are_enough_users(made: tuple[list[str], list[Source]], least: int) -> None:
    """A rehearsal's answer is valid for every question that is asked."""
    vectors = feature_vectors(made[1], made[0])
    if len(vectors) >= least:
        assert parse_findings(default_answer(vectors, least), USERS, least).dropped == 0


# --- answers ----------------------------------------------------------------------------------------------------------

VALUES = st.one_of(st.none(), st.booleans(), st.integers(0, 9), st.text(max_size=5), st.just([]), st.just({}))
ENTRIES = st.fixed_dictionaries(
    {},
    optional={
        "text": st.one_of(VALUES, st.text()),
        "users": st.one_of(VALUES, st.lists(st.one_of(VALUES, st.sampled_from(USERS)), max_size=4)),
        "more": VALUES,
    },
)
ANSWERS = st.fixed_dictionaries(
    {}, optional={**{name: st.one_of(VALUES, st.just([])) for name in LISTS}, "more": VALUES}
)


def accepted(answer: Any) -> bool:
    try:
        parse_findings(json.dumps(answer), USERS, 3)
    except AnswerRefused:
        return False
    return True


@settings(deadline=None, max_examples=300)
@given(ANSWERS)
def test_an_answer_is_read_where_it_follows_the_schema(answer: dict[str, Any]) -> None:
    """Nothing the schema allows is refused, nothing it forbids is read."""
    assert accepted(answer) == (problems(answer, "synthesis-answer") == [])


@settings(deadline=None, max_examples=300)
@given(st.one_of(VALUES, ENTRIES))
def test_an_entry_has_the_right_shape_where_it_follows_its_schema(entry: Any) -> None:
    """The two say the same of every value."""
    assert (shape_problem(entry) == "") == (problems(entry, "synthesis-entry") == [])


@settings(deadline=None, max_examples=200)
@given(st.text())
def test_any_text_is_read_or_refused(raw: str) -> None:
    """Nothing else can come of an answer."""
    assert accepted(raw) is False


@settings(deadline=None, max_examples=300)
@given(st.text())
def test_cleaning_a_text_twice_is_cleaning_it_once(text: str) -> None:
    """It is one line of at most 300 characters, and stays what it is."""
    clean = clean_text(text)

    assert clean_text(clean) == clean
    assert len(clean) <= 300
    assert len(clean.splitlines()) <= 1


TEXTS = st.one_of(
    st.text(min_size=1),
    st.lists(
        st.sampled_from(["---", "## bob", "# x", "> ", "<!--", "-->", "\n", "\r", "users:", "type: ", "|", "- ", "x"])
    ).map("".join),
)


@settings(deadline=None, max_examples=300)
@given(st.lists(TEXTS, min_size=1, max_size=8), st.lists(TEXTS, min_size=3, max_size=3))
def test_no_text_becomes_structure_of_the_file(texts: list[str], names: list[str]) -> None:
    """Whatever a judge wrote and users are called: the headings are ours, the header lists nobody, no comment opens."""
    raw = json.dumps(
        {**{name: [] for name in LISTS}, "shared_hypotheses": [{"text": text, "users": USERS} for text in texts]}
    )
    try:
        findings = parse_findings(raw, USERS, 3)
    except AnswerRefused:
        assert not any(map(clean_text, texts))
        return
    text = render_synthesis(findings, dict(zip(USERS, names, strict=True)), FOLLOW_UPS, "claude", NOW)
    header, body = front_matter.parse(text)

    assert header == {
        "type": "follow-up-synthesis",
        "generated": "2026-02-20T09:00:00Z",
        "user_count": "3",
        "host": "claude",
    }
    assert header["type"] != BATCH_TYPE
    lines = body.split("\n")
    assert [line for line in lines if line.startswith("#")] == [
        "# Synthesis: 2026-02-20",
        *(f"## {title}" for title in TITLES.values()),
    ]
    assert body.splitlines() == lines[:-1]
    assert "<!--" not in body
    assert sum(line.startswith("- ") for line in lines) == len([one for one in texts if clean_text(one)])
