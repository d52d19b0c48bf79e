"""Laws of matching and of what a classification may change, over random users, replies and answers."""

from __future__ import annotations

import json
import unicodedata
from datetime import timedelta
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mindloop.observer.canonical import content_hash
from mindloop.observer.growth.classify import read_classification, shape_problem
from mindloop.observer.growth.confidence import take_evidence
from mindloop.observer.growth.evidence import evidence_of
from mindloop.observer.growth.matching import OPEN_OUTCOMES, Matcher, Signal, signal_of_text
from mindloop.observer.growth.outcome import apply_outcome
from mindloop.observer.growth.packet import default_answer, question_text
from mindloop.observer.growth.proposals import added, completed, confirmed, new_proposals, pending
from mindloop.observer.growth.state import LEVELS, clone, messages
from mindloop.observer.lines import shows_something
from mindloop.observer.names import fold
from mindloop.observer.provenance.by_user import lines_by_user, mark_of, unseen
from mindloop.protocol.questions import AnswerRefused
from mindloop.store import records, strict_yaml
from mindloop.store.clock import parse_instant, stamp
from mindloop.store.documents import yaml_text
from mindloop.store.errors import WrongInput
from mindloop.store.schemas import problems, typed
from tests.helpers.growth_states import DAY, NOW, fresh, hypothesis, message, record_batch, result

LAWFUL = settings(deadline=None, max_examples=150)
REASONS = ["H1: Trust in badges", "H2: Rising prices matter", "H1: Badges", "a promise", "H1: Trust in badges today"]
BATCHES = st.lists(st.lists(st.sampled_from(REASONS), min_size=1, max_size=3), min_size=1, max_size=4)
OUTCOMES = st.lists(st.sampled_from(["pending", "silence", "unknown", "responded"]), min_size=12, max_size=12)
WORDS = st.lists(
    st.sampled_from(
        ["trust", "badges", "Prices!", "rising", "matter", "today", "hm", "[FU:deadbeef]", "TOKEN0", "TOKEN3"]
    ),
    min_size=1,
    max_size=6,
)
WHENS = st.one_of(
    st.none(), st.integers(-3, 9).map(lambda days: stamp(NOW + timedelta(days=days))[:10]),
    st.integers(-9, 300).map(lambda hours: stamp(NOW + timedelta(hours=hours))),
)  # fmt: skip
TEXTS = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=300)


def history(batches: list[list[str]], outcomes: list[str]) -> Any:
    """A user with so many batches, a day apart, and what became of their messages."""
    state = fresh()
    for number, reasons in enumerate(batches):
        made = result(*(message(reason) for reason in reasons))
        at = NOW + timedelta(days=number)
        state, _ = record_batch(state, made, DAY, at, hypotheses=[hypothesis(1), hypothesis(2)])
    for (_, sent), outcome in zip(list(messages(state)), outcomes, strict=False):
        if outcome != "pending":
            state, _ = apply_outcome(state, sent["id"], outcome, None, NOW + timedelta(days=5))
    return state


def reply(state: Any, words: list[str], when: str | None, thread: str | None = None) -> Signal:
    tokens = [sent["token"] for _, sent in messages(state)]
    text = " ".join(f"[FU:{tokens[int(one[5:]) % len(tokens)]}]" if one.startswith("TOKEN") else one for one in words)
    return signal_of_text(text, when, thread)


@LAWFUL
@given(BATCHES, OUTCOMES, WORDS, WHENS)
def test_only_open_messages_that_came_before_are_proposed(batches, outcomes, words, when):
    """Whatever rule fires: the message waits, and was not written after the reply; the state is left alone."""
    state = history(batches, outcomes)
    before = clone(state)
    signal = reply(state, words, when)
    found, notes = Matcher(state).propose(signal, NOW)
    assert state == before
    sent = {one["id"]: one for _, one in messages(state)}
    for match in found:
        one = sent[match["follow_up_id"]]
        assert one["outcome"] in OPEN_OUTCOMES
        assert match["follow_up_token"] == one["token"]
        written = parse_instant(one["sent_at"])
        assert written is not None
        if signal.said_at and signal.by_day:
            assert written.date() <= signal.said_at.date()
        elif signal.said_at:
            assert written <= signal.said_at
        assert signal.said_at or match["match_type"] != "temporal"
    assert all("xabbu" not in note and "FU:" not in note for note in notes)


@LAWFUL
@given(BATCHES, OUTCOMES, WORDS, WHENS)
def test_a_reply_is_matched_in_one_way(batches, outcomes, words, when):
    """One kind a reply; several that are no tokens are guesses; the order of rules holds."""
    state = history(batches, outcomes)
    signal = reply(state, words, when)
    found, _ = Matcher(state).propose(signal, NOW)
    kinds = {match["match_type"] for match in found}
    assert len(kinds) <= 1
    assert len({match["id"] for match in found}) == len(found)
    if len(found) > 1:
        assert kinds <= {"token", "ambiguous"}
    if kinds == {"token"}:
        assert {match["follow_up_token"] for match in found} <= signal.tokens
    assert kinds != {"token"} or signal.tokens
    sure = {"token": "high", "thread": "high", "keyword": "medium", "temporal": "low", "ambiguous": "low"}
    assert all(match["match_confidence"] == sure[match["match_type"]] for match in found)


@LAWFUL
@given(BATCHES, OUTCOMES, st.lists(st.tuples(WORDS, WHENS), max_size=5))
def test_matching_twice_adds_nothing(batches, outcomes, replies):
    """Proposals are idempotent, survive their file, and a confirmed reply leaves no open guess of its own."""
    state = history(batches, outcomes)
    matcher = Matcher(state)
    document = new_proposals("xabbu")
    for words, when in replies:
        document, _ = added(document, matcher.propose(reply(state, words, when), NOW)[0])
    again = document
    for words, when in replies:
        again, new = added(again, matcher.propose(reply(state, words, when), NOW)[0])
        assert new == []
    assert again == document
    back = typed(strict_yaml.load(yaml_text(document, "proposed-matches", "x"), "x"), "proposed-matches", "x")
    assert completed(back) == document
    for match in list(document["matches"]):
        after, _ = confirmed(document, [match["id"]], NOW)
        left = [one for one in pending(after) if one["signal_id"] == match["signal_id"]]
        assert all(one["match_type"] != "ambiguous" for one in left)


@LAWFUL
@given(st.text(max_size=120), WHENS)
def test_any_text_is_a_signal_or_wrong_input(text, when):
    """Nothing else is raised, and a match of it names the words by their hash."""
    try:
        signal = signal_of_text(text, when)
    except WrongInput:
        return
    found, _ = Matcher(history([["H1: Trust in badges"]], [])).propose(signal, NOW)
    assert {(match["signal_id"], match["status"]) for match in found} <= {(content_hash(text), "pending")}


# --- the classification -----------------------------------------------------------------------------------------------

VALUES = st.one_of(st.none(), st.booleans(), st.integers(0, 9), st.text(max_size=5), st.just([]), st.just({}))
ANSWERS = st.fixed_dictionaries(
    {},
    optional={
        "direction": st.one_of(VALUES, st.sampled_from(["supports", "refutes", "neutral"])),
        "strength": st.one_of(VALUES, st.sampled_from(["high", "medium", "low"])),
        "quote_span": st.one_of(VALUES, st.integers(195, 205).map(lambda count: "x" * count)),
        "rationale": st.one_of(VALUES, st.just("r" * 400)),
        "more": VALUES,
    },
)


@settings(deadline=None, max_examples=400)
@given(ANSWERS)
def test_shape_and_schema_agree(answer):
    """Nothing the published schema allows is refused by its shape, nothing it forbids is read."""
    assert (shape_problem(answer) is None) == (problems(answer, "growth-answer") == [])


@LAWFUL
@given(ANSWERS, TEXTS, st.sampled_from(["claude", "person", "rehearsal"]))
def test_what_is_read_of_an_answer_can_be_kept(answer, signal, host):
    """A span that stands in the reply, bounded and one of the schema's; anything else is refused, never raised."""
    try:
        read = read_classification(json.dumps(answer), signal)
    except AnswerRefused:
        return
    assert read["quote_span"] in unicodedata.normalize("NFC", signal)
    made = evidence_of(read, signal_id="a" * 64, hypothesis_id="H1", host=host, now=NOW)
    state = history([["H1: Badges"]], ["responded"])
    name = next(messages(state))[1]["id"]
    after, _ = take_evidence(state, name, made, NOW)
    assert problems(after, "growth") == []


@LAWFUL
@given(TEXTS)
def test_the_default_fits_every_reply(signal):
    """Whatever was said that anybody can see, the rehearsal's answer is read."""
    assume(shows_something(signal[:100]))
    read = read_classification(default_answer(signal), signal)
    assert (read["direction"], read["strength"]) == ("neutral", "low")


@LAWFUL
@given(st.text(max_size=200), st.text(max_size=200), st.text(max_size=60), st.text(max_size=60))
def test_no_text_leaves_its_section(signal, question, reason, said):
    """A packet has its six section marks at line starts, its canvas once, and a UTF-8 form, whatever the texts hold."""
    text = question_text(
        user="ann", canvas_basename="ann-canvas.md", hypothesis=reason, question=question, signal=signal, said=said
    )
    starts = [line for line in text.splitlines() if line.lstrip().startswith("===")]
    assert len(starts) == 5
    assert text.encode("utf-8")
    assert text.count("ann-canvas.md") == 1 + sum(
        part.count("ann-canvas.md") for part in (signal, question, reason, said)
    )


DIRECTIONS = st.lists(
    st.tuples(st.sampled_from(["supports", "refutes", "neutral"]), st.sampled_from(["high", "medium", "low"])),
    max_size=6,
)


@LAWFUL
@given(DIRECTIONS)
def test_a_cycle_moves_a_confidence_by_one_level_at_most(said):
    """However many replies were judged since the last batch."""
    state = history([["H1: Badges"]], ["responded"])
    name = next(messages(state))[1]["id"]
    before = LEVELS.index(state["hypotheses"][0]["confidence"])
    for direction, strength in said:
        read = {"direction": direction, "strength": strength, "quote_span": "x", "rationale": ""}
        made = evidence_of(read, signal_id="a" * 64, hypothesis_id="H1", host="claude", now=NOW)
        state, _ = take_evidence(state, name, made, NOW)
    assert abs(LEVELS.index(state["hypotheses"][0]["confidence"]) - before) <= 1


# --- the index by user ------------------------------------------------------------------------------------------------

NAMES = st.one_of(
    st.sampled_from(["bob", "Bob", "bobby", "@bob", 'q"uote', "back\\slash", "zoë", "canvas_target"]), TEXTS
)
RECORDS = st.fixed_dictionaries(
    {"content_hash": st.text("abc", max_size=3)},
    optional={
        "canvas_target": st.one_of(NAMES, VALUES),
        "text": st.one_of(TEXTS, st.just('"canvas_target":"bob"')),
        "more": st.fixed_dictionaries({"canvas_target": NAMES}),
    },
)
STYLES = st.sampled_from(
    [{"separators": (",", ":")}, {"separators": (", ", ": ")}, {"separators": (",", ":"), "ensure_ascii": False}]
)


@LAWFUL
@given(st.lists(st.tuples(RECORDS, STYLES), max_size=8), st.binary(max_size=20).filter(lambda raw: b"\n" not in raw))
def test_the_quick_look_finds_what_parsing_finds(kept, junk):
    """Line by line the same users as a full parse says, in any spelling of JSON, beside any broken line."""
    lines = [json.dumps(record, **style).encode("utf-8", "surrogatepass") for record, style in kept]
    wanted: dict[str, list[bytes]] = {}
    for raw in lines:
        record, _ = records.parse(raw)
        target = record.get("canvas_target") if record else None
        if isinstance(target, str) and fold(target):
            wanted.setdefault(fold(target), []).append(raw)
    found = lines_by_user(b"\n".join([junk, *lines]))
    assert {user: held for user, held in found.items() if held} == wanted


@LAWFUL
@given(st.lists(st.integers(0, 5), min_size=1, max_size=8), st.integers(1, 8))
def test_nothing_new_is_ever_missed(numbers, seen):
    """With any cursor of an index that only grew, exactly the later lines are read."""
    lines = [json.dumps({"canvas_target": "ann", "n": n, "at": place}).encode() for place, n in enumerate(numbers)]
    seen = min(seen, len(lines))
    assert [one["at"] for one in unseen(lines, seen, mark_of(lines[seen - 1]))] == list(range(seen, len(lines)))
    assert content_hash("x") not in {mark_of(one) for one in lines}
