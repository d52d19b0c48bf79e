"""Laws of the growth functions, over random histories of one user."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from mindloop.observer.cognition.staleness import cycle_index, growth_hash
from mindloop.observer.growth.cycle import advance_cycle
from mindloop.observer.growth.outcome import apply_outcome
from mindloop.observer.growth.patterns import PATTERNS, classify_question_pattern, hypothesis_ids, topic_tags
from mindloop.observer.growth.record import MESSAGE_ID, reserve
from mindloop.observer.growth.sending import find_message, was_sent
from mindloop.observer.growth.state import clone, stale_ids
from mindloop.observer.growth.summary import summary
from mindloop.store import strict_yaml
from mindloop.store.clock import parse_instant
from mindloop.store.errors import WrongInput
from tests.helpers.growth_states import DAY, NOW, FakeSettings, fresh, hypothesis, message, record_batch, result

BODIES = ["did you look?", "where is it?", "why?", "you said so", "will you come back?"]
REASONS = ["H1: Trust", "H2 and H1", "GAP-1: badge", "a promise"]
MESSAGES = st.lists(st.builds(message, st.sampled_from(REASONS), st.sampled_from(BODIES)), min_size=1, max_size=3)
SCORES = st.none() | st.integers(0, 100) | st.floats(0, 100)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("record"), MESSAGES),
        st.tuples(st.just("advance"), st.fixed_dictionaries({"og_score": SCORES, "nft_score": SCORES})),
        st.tuples(
            st.just("outcome"),
            st.tuples(st.integers(0, 99), st.sampled_from(["responded", "silence", "unknown"]), st.booleans()),
        ),
        st.tuples(st.just("wait"), st.integers(0, 20)),
    ),
    max_size=25,
)
LAWFUL = settings(deadline=None, max_examples=150)
HYPOTHESES = [hypothesis(1), hypothesis(2)]


def _walk(steps, kept=10):
    """Every state of a history, with the instant after it; each step is checked to leave its argument alone."""
    state, now = fresh(), NOW
    for kind, what in steps:
        before = clone(state)
        if kind == "record":
            after, _tokens = record_batch(state, result(*what), DAY, now, max_batches=kept, hypotheses=HYPOTHESES)
        elif kind == "advance":
            after = advance_cycle(state, FakeSettings(), now, what, HYPOTHESES)
        elif kind == "outcome":
            after = _with_outcome(state, *what, now)
        else:
            after = state
            now += timedelta(days=what)
        assert state == before
        now += timedelta(seconds=1)
        state = after
        yield state, now


def _with_outcome(state, index, outcome, rated, now):
    ids = [item["id"] for batch in state["follow_ups"] for item in batch["message_ids"]]
    if not ids:
        return state
    quality = "medium" if rated and outcome == "responded" else None
    return apply_outcome(state, ids[index % len(ids)], outcome, quality, now)[0]


def _tally(state):
    """What the counters must be, counted from the messages themselves."""
    names = {"responded": "responded_count", "silence": "silence_count", "unknown": "unknown_count"}
    found = {}
    for batch in state["follow_ups"]:
        for item in batch["message_ids"]:
            counts = found.setdefault(item["question_pattern"], dict.fromkeys(("times_used", *names.values()), 0))
            counts["times_used"] += 1
            if item["outcome"] in names:
                counts[names[item["outcome"]]] += 1
    return found


@LAWFUL
@given(STEPS)
def test_counters_agree_with_the_messages(steps):
    """While nothing is pruned, every counter is what counting the messages gives."""
    for state, _now in _walk(steps, kept=99):
        counted = {
            name: {key: counters[key] for key in ("times_used", "responded_count", "silence_count", "unknown_count")}
            for name, counters in state["question_patterns"].items()
        }
        assert counted == _tally(state)


@LAWFUL
@given(STEPS, st.integers(-1, 4))
def test_pruning_keeps_the_newest_and_loses_no_count(steps, kept):
    """Retention never changes what patterns were used, and sequence numbers never repeat."""
    all_states = [state for state, _now in _walk(steps, kept=99)]
    pruned_states = [state for state, _now in _walk([step for step in steps if step[0] != "outcome"], kept=kept)]
    for state in pruned_states:
        seqs = [batch["batch_seq"] for batch in state["follow_ups"]]
        assert seqs == list(range(state["next_batch_seq"] - len(seqs), state["next_batch_seq"]))
        assert len(seqs) <= max(1, kept)
    if all_states and pruned_states:
        used = [{name: item["times_used"] for name, item in states[-1]["question_patterns"].items()} for states in
                (all_states, pruned_states)]  # fmt: skip
        assert used[0] == used[1]


def _told(state):
    """What growth knows of messages that were sent, of hypotheses and scores; ids and numbers of batches aside."""
    sent = [batch for batch in state["follow_ups"] if "host" not in batch]
    outcomes = [{**one, "id": "", "token": ""} for batch in sent for one in batch["message_ids"]]
    moves = [delta["changes"] for delta in state["score_deltas"]]
    rates = {name: one["silence_count"] for name, one in state["question_patterns"].items() if one["silence_count"]}
    learned = growth_hash(state), cycle_index(state), state["last_cycle_at"], summary(state)["score_delta"]
    return outcomes, moves, rates, state["hypotheses"], state["last_scores"], learned


@LAWFUL
@given(STEPS, st.integers(1, 5), st.randoms(use_true_random=False))
def test_rehearsals_age_nothing(steps, kept, chance):
    """A history with rehearsals anywhere in it teaches, decays, silences and keeps what it does without them."""
    real, both, now = fresh(), fresh(), NOW
    for kind, what in steps:
        for _ in range(chance.randrange(3)):
            both, _tokens = record_batch(both, {**result(), "host": "rehearsal"}, DAY, now, max_batches=kept)
        if kind == "record":
            real, _tokens = record_batch(real, result(*what), DAY, now, max_batches=kept, hypotheses=HYPOTHESES)
            both, _tokens = record_batch(both, result(*what), DAY, now, max_batches=kept, hypotheses=HYPOTHESES)
        elif kind == "advance":
            real = advance_cycle(real, FakeSettings(), now, what, HYPOTHESES)
            both = advance_cycle(both, FakeSettings(), now, what, HYPOTHESES)
        elif kind == "wait":
            now += timedelta(days=what)
        now += timedelta(seconds=1)
        assert _told(both) == _told(real)
        seqs = [batch["batch_seq"] for batch in both["follow_ups"]]
        assert seqs == sorted(set(seqs))
        assert all(seq < both["next_batch_seq"] for seq in seqs)


@LAWFUL
@given(STEPS)
def test_scores_and_rates_stay_in_their_range(steps):
    """Rates lie between 0 and 1, the score between 0 and 100, and summarising never raises."""
    for state, _now in _walk(steps):
        for counters in state["question_patterns"].values():
            assert 0 <= counters["response_rate"] <= 1
            assert 0 <= counters["avg_signal_quality"] <= 1
            assert 0 <= counters["effectiveness_score"] <= 100
        assert summary(state)["excluded_hypotheses"] == stale_ids(state)


@LAWFUL
@given(STEPS, st.fixed_dictionaries({"og_score": SCORES, "nft_score": SCORES}))
def test_advancing_twice_is_advancing_once(steps, snapshot):
    """However often a user is skipped, one recorded batch is one cycle."""
    state, now = fresh(), NOW
    for state, now in _walk(steps):  # noqa: B007 - only the last is needed
        pass
    once = advance_cycle(state, FakeSettings(), now, snapshot, HYPOTHESES)
    assert advance_cycle(once, FakeSettings(), now, snapshot, HYPOTHESES) == once


@LAWFUL
@given(STEPS, MESSAGES, st.integers(1, 3))
def test_recording_alone_teaches_nothing(steps, messages, kept):
    """The hash that a cognition sidecar is compared with does not move when a batch is recorded or pruned."""
    state, now = fresh(), NOW
    for state, now in _walk(steps):  # noqa: B007 - only the last is needed
        pass
    after, _tokens = record_batch(state, result(*messages), DAY, now, max_batches=kept)
    assert growth_hash(after) == growth_hash(state)


@LAWFUL
@given(STEPS, MESSAGES)
def test_reserved_ids_are_the_recorded_ones_and_new(steps, messages):
    """Ids can be printed before they are recorded, are well formed, and no earlier message has one of them."""
    state = fresh()
    for state, _now in _walk(steps):  # noqa: B007 - only the last is needed
        pass
    reserved = reserve(state, "xabbu", len(messages), DAY)
    after, tokens = record_batch(state, result(*messages), DAY, NOW)
    assert [token for _id, token in reserved] == tokens
    assert [item["id"] for item in after["follow_ups"][-1]["message_ids"]] == [
        identifier for identifier, _token in reserved
    ]
    assert all(MESSAGE_ID.fullmatch(identifier) for identifier, _token in reserved)
    earlier = {item["id"] for batch in state["follow_ups"] for item in batch["message_ids"]}
    assert earlier & {identifier for identifier, _token in reserved} == set()


@LAWFUL
@given(st.text(max_size=60), st.text(max_size=60))
def test_a_message_always_has_one_of_the_seven_patterns(body, trigger):
    """Classifying never fails and never invents a pattern."""
    assert classify_question_pattern(body, trigger) in PATTERNS


@LAWFUL
@given(st.text(st.one_of(st.sampled_from("H1-_ :.a"), st.characters(exclude_categories=())), max_size=80))
def test_tags_and_ids_are_stable(text):
    """Tags are few, long, unique, and tags of themselves; ids have one spelling."""
    tags = topic_tags(text)
    assert len(tags) == len(set(tags)) <= 5
    assert all(len(tag) > 3 and len(tag.split()) == 1 for tag in tags)
    ids = hypothesis_ids(text)
    assert hypothesis_ids(" ".join(ids)) == ids


WORDS = st.text(max_size=40) | st.text(st.sampled_from("0123456789-T:.Z+ \n\x85\u2028\ufeff\ud800'#-"), max_size=24)
NAIVE = NOW.replace(tzinfo=None)
TIMES = st.datetimes(NAIVE - timedelta(days=3), NAIVE + timedelta(days=12)) | st.datetimes()
WHENS = TIMES.map(lambda when: f"{when.isoformat()}Z") | TIMES.map(lambda when: str(when.date())) | WORDS


@LAWFUL
@given(WORDS, WHENS)
def test_what_a_person_says_of_a_message_is_kept_exactly_or_refused(thread, at):
    """Any text: taken whole, the same after it was written and read, and no news the second time; or a mistake."""
    state, _tokens = record_batch(fresh(), result(message()), DAY, NOW, max_batches=10)
    before, name = clone(state), state["follow_ups"][0]["message_ids"][0]["id"]
    try:
        after = was_sent(state, name, NOW + timedelta(days=9), thread=thread, at=at)
    except WrongInput:
        after = None
    assert state == before
    if after is not None:
        read = clone(strict_yaml.load(strict_yaml.dump(after)))
        found = find_message(read, name)[1]
        assert found["thread_id"] == thread
        assert NOW - timedelta(days=2) < parse_instant(found["sent_at"]) <= NOW + timedelta(days=10)
        assert was_sent(read, name, NOW + timedelta(days=9), thread=thread, at=at) is read
