"""Laws of /think: schema and checks agree, defaults pass, what was just written is fresh, prompts hold one user."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from mindloop.observer.canvas.reading import parse_canvas
from mindloop.observer.cognition.distilled import read_shape
from mindloop.observer.cognition.render import render
from mindloop.observer.cognition.staleness import staleness
from mindloop.observer.cognition.validity import is_plain_id, problems
from mindloop.observer.names import display_name
from mindloop.observer.packet.manifest import OtherCanvases, violations
from mindloop.observer.provenance.quotes import registry
from mindloop.protocol.questions import AnswerRefused
from mindloop.skills.think.begun import ThinkImpossible
from mindloop.skills.think.judging import JUDGING, document_of
from mindloop.skills.think.question import question_of
from mindloop.store import schemas
from mindloop.store.documents import yaml_text
from mindloop.store.errors import WrongInput
from mindloop.store.settings import Settings
from tests.helpers.growth_states import fresh, recorded
from tests.helpers.skill_workspace import at, canvas_text, wallet_of
from tests.helpers.thinking import answer, fear

NOW = at("2026-02-20T09:00:00Z")
HASH = "ab" * 32
VALUES = st.one_of(st.none(), st.booleans(), st.integers(0, 120), st.just(1.0), st.text(max_size=5), st.just([]))
WORDS = st.one_of(
    VALUES, st.sampled_from(["evidence_backed", "exploratory", "pmf", "identity", "probe_gap", HASH, "a b"])
)
FEARS = st.builds(
    lambda base, changed: {**base, **changed},
    st.sampled_from([fear(HASH), fear(None)]),
    st.dictionaries(
        st.sampled_from([*fear(HASH), "id", "non_goal_constraint", "exit_signal", "more"]), WORDS, max_size=2
    ),
)
TARGETS = st.builds(
    lambda changed: {"fear_id": "FEAR-ann-1", "approach": "ask", **changed},
    st.dictionaries(st.sampled_from(["fear_id", "approach", "pattern_preference", "more"]), WORDS, max_size=2),
)
TAGS = st.one_of(VALUES, st.lists(st.one_of(WORDS, st.sampled_from(["daily", "A", "a", "x" * 33])), max_size=7))
ANSWERS = st.fixed_dictionaries(
    {"user": st.sampled_from(["ann", "ann", "ann", None, 7])},
    optional={
        "fears": st.one_of(VALUES, st.lists(st.one_of(VALUES, FEARS, FEARS), max_size=3)),
        "steering_targets": st.one_of(VALUES, st.lists(st.one_of(VALUES, TARGETS, TARGETS), max_size=3)),
        "behavior_tags": TAGS,
        "more": VALUES,
    },
)
NAMES = st.one_of(st.sampled_from(["ann", "Ann B", "ñandú", "papa-flavio", "0123", "雪"]), st.text(max_size=12))
SCORES = st.sampled_from(["", '{"rank": 3, "og_score": 41.5}', "og_score: 7\n", "no score at all\n=== X ==="])
GROWTHS = st.sampled_from([None, fresh(), recorded()])
ENRICHED = st.one_of(st.none(), st.sampled_from(["2026-02-11T14:23:00Z", "2026-02-11", "yesterday", "no"]))


@settings(deadline=None, max_examples=400)
@given(ANSWERS)
def test_an_answer_is_read_where_it_follows_the_schema(said: dict[str, Any]) -> None:
    """Nothing the schema allows is refused for its shape, nothing it forbids is read."""
    try:
        read_shape(json.dumps(said), "ann")
        read = True
    except AnswerRefused:
        read = False

    assert read == (schemas.problems(said, "think-answer") == [])


@settings(deadline=None, max_examples=300)
@given(st.one_of(st.text(max_size=40), ANSWERS.map(json.dumps)))
def test_any_answer_is_taken_or_refused(raw: str) -> None:
    """Whatever comes, an answer makes a valid sidecar or is refused in one line; nothing else happens."""
    item = asked("ann", "she left", "", None, None)
    try:
        document = document_of(item, JUDGING.check(item, raw), "claude", NOW)
    except AnswerRefused as refused:
        assert len(refused.message.splitlines()) == 1  # noqa: PT017 - both ends are what is tested
    else:
        require_sidecar(document, "ann")


def asked(
    user: str, body: str, score: str, growth: Any, enriched: str | None, *, records: bool = True
) -> dict[str, Any]:
    """The item of one user's question."""
    header = {"last_enriched": enriched} if enriched else {}
    canvas = parse_canvas("grimoires/observer/canvas/x-canvas.md", canvas_text(user, body=body, **header))
    others = OtherCanvases(["x-canvas.md", "y-canvas.md"], [canvas.wallet, wallet_of("y")], [user, "y"])
    known: Any = [{"content_hash": HASH, "canvas_target": user}] if records else []
    question = question_of(
        canvas=canvas,
        registry=registry(canvas.body, known),
        records=known,
        score_raw=score,
        growth=growth,
        settings=Settings({}),
        others=others,
    )
    own = ("x-canvas.md", canvas.wallet, user)
    assert violations(question.gap.packet(), own, others, hashes=set(question.facts["verified"])) == []
    return json.loads(json.dumps(question.item("think-2026-02-20-001")))


def require_sidecar(document: dict[str, Any], user: str) -> None:
    """It is valid, its file reads back equal, and every fear reaches the writer."""
    get = Settings({}).get
    limits = {
        key: get(f"observer.cognition.{name}")
        for key, name in (("max_fears", "max_fears_per_user"), ("fear_types", "fear_types"))
    }
    assert problems(document, user, **limits) == []
    assert yaml_text(document, "cognition", "x.yaml")
    shown = render(document)
    assert all(f"id: {json.dumps(one['id'], ensure_ascii=False)}" in shown for one in document["fears"])


def named(name: str) -> str | None:
    """A user's name, or None where it is none that fears could carry."""
    try:
        user = display_name(name)
    except WrongInput:
        return None
    return user if is_plain_id(f"FEAR-{user}-1") else None


@settings(deadline=None, max_examples=150)
@given(NAMES, st.text(max_size=60), SCORES, GROWTHS, ENRICHED, st.booleans())
def test_what_was_just_written_is_fresh(
    name: str, body: str, score: str, growth: Any, enriched: str | None, records: bool
) -> None:
    """Any question's default passes its checks; against the same inputs its sidecar has no reason to be stale."""
    user = named(name)
    if user is None or "\0" in body or ".md" in body:
        return
    item = asked(user, body, score, growth, enriched, records=records)
    document = document_of(item, JUDGING.check(item, item["default"]), "claude", NOW)

    require_sidecar(document, user)
    assert staleness(document, enriched, growth, score, default_limit=3) == []
    assert document["stale_after_cycles"] == (3 if records else 1)


@settings(deadline=None, max_examples=100)
@given(
    st.sampled_from(["y-canvas.md", wallet_of("y"), wallet_of("y").upper().replace("X", "x"), "x-canvas.md"]),
    st.text(max_size=20),
)
def test_nobody_elses_file_or_wallet_gets_into_a_prompt(planted: str, around: str) -> None:
    """A canvas that names another's file or wallet, or its own file again, has no question."""
    body = f"{around.replace(chr(0), '')} {planted} "
    try:
        asked("ann", body, "", None, None)
        refused = ""
    except ThinkImpossible as impossible:
        refused = impossible.reason

    assert refused == "prompt_manifest_violation"


@settings(deadline=None, max_examples=100)
@given(st.lists(st.sampled_from([fear(HASH), fear(None), fear(None, type="pmf", priority=7)]), max_size=8))
def test_an_answer_is_taken_whole_or_not_at_all(fears: list[dict[str, Any]]) -> None:
    """Either every fear stands in the sidecar, in the answer's order, or none does."""
    item = asked("ann", "she left", "", None, None, records=False)
    item["verified"] = [HASH]
    try:
        value = JUDGING.check(item, json.dumps(answer("ann", *fears)))
    except AnswerRefused:
        assert len(fears) > 5 or not any(one["class"] == "exploratory" for one in fears)
    else:
        assert [one["priority"] for one in value.fears] == [one["priority"] for one in fears]
