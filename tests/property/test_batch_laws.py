"""Laws of the batch file: what goes in comes out, whatever it is, and the contract holds."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from mindloop.observer.batch.file import compat_problems, parse_batch, render_batch
from mindloop.observer.canonical import content_hash
from mindloop.observer.escaping import (
    clean_body,
    heading_name,
    read_body,
    read_line,
    write_body,
    write_line,
)
from mindloop.observer.lines import SURROGATE, clean_line
from mindloop.observer.names import fold
from mindloop.observer.provenance.quotes import blockquotes
from mindloop.observer.sanitizer import heading_text
from mindloop.store.front_matter import parse
from tests.helpers.batches import EVENING, MORNING, message, result

LAWS = settings(deadline=None, max_examples=100)
PIECES = [
    "## bob", "# ", "### Message 2 (x)", "---", "- - -", "===", "> ", "> Token: [FU:deadbeef]", "> Anchor quote: \"x\"",
    "```", "~~~", "<!-- prov:sha256:" + "a" * 64 + " -->", "-->", "<!--", "\\", "&lt;", "&amp;", '"', "**Canvas**: x",
    "\n", "\r\n", "\r", "\u2028", "\x85", "\x0b", "\x00", "\ud83d", " ", "\t", "\u00a0", "\u200b", "\ufeff", "e\u0301",
    "(", ")", "{x}", "%s", "null", "🙂", "\u200f\u05e9\u05dc\u05d5\u05dd", "---\ntype: x\n---", "type: x",
    "*", "&a", "!!python",
]  # fmt: skip
texts = st.one_of(st.lists(st.sampled_from(PIECES), max_size=8).map("".join), st.text(max_size=40))
users = st.one_of(st.sampled_from(["alice", "bob", "BOB", "@bob", "no", "0123", "a\n## bob", "#x", "x -->"]), texts)
hosts = st.sampled_from(["claude", "rehearsal", "claude-code"])
hashes = texts.map(lambda text: content_hash(text.replace("\ud83d", "")))
messages = st.builds(
    message,
    body=texts,
    hypothesis_or_trigger=texts,
    anchor_quote_text=texts,
    anchor_quote_hash=st.one_of(hashes, hashes.map(lambda digest: "sha256:" + digest.upper())),
    temporal_claims=st.just([]),
)
skips = st.lists(st.fixed_dictionaries({"user": users, "reason": texts}), max_size=3)


@st.composite
def results(draw):
    own = draw(st.lists(messages, max_size=3))
    tokens = draw(st.one_of(st.just([]), st.just(["00012e45", "12345678", "deadbeef"][: len(own)])))
    return result(
        draw(users),
        messages=own,
        tokens=tokens,
        canvas=draw(texts),
        triggers=[{"kind": "gap", "hypothesis_id": None, "text": text} for text in draw(st.lists(texts, max_size=2))],
        score_line=draw(texts),
        scary_questions=draw(st.lists(texts, max_size=3)),
        total_quotes=draw(st.integers(0, 9)),
        total_claims=draw(st.integers(0, 9)),
        host=draw(hosts),
    )


def held(one, number=1):
    """What the file keeps of one message."""
    return {
        "number": number,
        "hypothesis_or_trigger": clean_line(heading_text(one["hypothesis_or_trigger"])) or "follow-up",
        "anchor_quote_text": SURROGATE.sub("\ufffd", " ".join(one["anchor_quote_text"].split())),
        "anchor_quote_hash": one["anchor_quote_hash"].lower().removeprefix("sha256:"),
        "message_body": clean_body(one["message_body"]),
    }


def without_token(one):
    return {key: value for key, value in one.items() if key != "token"}


@LAWS
@given(results(), skips)
def test_what_is_written_is_read_back(one, skipped):
    """A batch of one user gives back every message, question and line that it was made of."""
    parsed = parse_batch(render_batch([one], skipped, MORNING, "run-1"))
    assert parsed["users"] == ([heading_name(one["user"])] if one["messages"] else [])
    assert parsed["total_messages"] == len(one["messages"])
    for part in parsed["sections"]:
        assert part["user"] == heading_name(one["user"])
        assert part["canvas"] == clean_line(one["canvas"])
        assert part["triggers"] == clean_line("; ".join(clean_line(trigger["text"]) for trigger in one["triggers"]))
        assert part["score_line"] == clean_line(one["score_line"])
        assert part["scary_questions"] == [clean_line(question) for question in one["scary_questions"]]
        assert part["total_quotes"] == max(one["total_quotes"], len(one["messages"]))
        assert [without_token(read) for read in part["messages"]] == [
            held(sent, number) for number, sent in enumerate(one["messages"], 1)
        ]
        assert [read["token"] for read in part["messages"]] == (one["tokens"] or [None] * len(one["messages"]))


@LAWS
@given(st.lists(results(), max_size=4), skips, st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)))
def test_the_contract_holds_for_everything_we_write(many, skipped, now):
    """No input makes a file that an existing consumer would stumble over."""
    assert compat_problems(render_batch(many, skipped, now.replace(tzinfo=UTC), "run-1")) == []


@LAWS
@given(st.lists(results(), max_size=3), skips, st.lists(results(), max_size=3), skips)
def test_a_second_run_loses_nothing(first, skipped, second, skipped_later):
    """Earlier messages keep number and text, the contract and the sums hold, and a repetition changes nothing."""
    before = render_batch(first, skipped, MORNING, "run-1")
    after = render_batch(second, skipped_later, EVENING, "run-2", before)
    old, new = parse_batch(before), parse_batch(after)
    assert compat_problems(after) == []
    kept = {fold(part["user"]): part["messages"] for part in new["sections"]}
    for part in old["sections"]:
        assert kept[fold(part["user"])][: len(part["messages"])] == part["messages"]
    alone = parse_batch(render_batch(second, [], EVENING, "run-2"))
    assert new["total_messages"] == old["total_messages"] + alone["total_messages"]
    for summary in ("verification_summary", "temporal_summary"):
        assert new[summary] == {key: old[summary][key] + alone[summary][key] for key in old[summary]}
    assert render_batch(second, skipped_later, MORNING, "run-2", after) == after
    assert render_batch(first, skipped, EVENING, "run-1", after) == after


@LAWS
@given(st.lists(results(), max_size=3))
def test_a_run_that_is_committed_in_parts_is_the_same_run(many):
    """User by user or all at once: the same sections and sums."""
    text = None
    for one in many:
        text = render_batch([one], [], MORNING, "run-1", text)
    if text is not None:
        assert parse_batch(text) == parse_batch(render_batch(many, [], MORNING, "run-1"))


@LAWS
@given(results())
def test_the_anchors_stay_with_their_comments(one):
    """The quote parser finds every anchor with the hash that was given for it, in order, and no other hash."""
    body = parse(render_batch([one], [], MORNING, "run-1"))[1]
    found = [block.declared for block in blockquotes(body) if block.declared]
    expected = [held(sent)["anchor_quote_hash"] for sent in one["messages"]]
    assert found == expected


@LAWS
@given(texts)
def test_escaping_is_undone_by_reading(text):
    """Cleaning is idempotent; escaped text reads back as its cleaned form and holds no structure."""
    body, line = clean_body(text), clean_line(text)
    assert (clean_body(body), clean_line(line)) == (body, line)
    assert (read_body(write_body(text)), read_line(write_line(text))) == (body, line)
    assert all(not row.lstrip().startswith(("#", ">", "```", "~~~")) for row in write_body(text).splitlines())
    assert "<!--" not in write_body(text)
    assert len(write_line(text).splitlines()) <= 1
