"""Checks of the growth states and of the matches proposed for them: ids, tokens, counters that have to add up."""

from __future__ import annotations

from mindloop.observer.canvas.checks import known_users
from mindloop.observer.growth.files import SCHEMA
from mindloop.observer.growth.metrics import new_counters, recompute
from mindloop.observer.growth.proposals import CONFIRMED, match_id
from mindloop.observer.growth.reading import PROPOSALS
from mindloop.observer.layout import layout_of
from mindloop.observer.names import fold, slug
from mindloop.store.checkup import ERROR, INFO, WARNING, Finding, guarded
from mindloop.store.documents import read_yaml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from mindloop.observer.types import PatternCounters
    from mindloop.store.checkup import Look

_OUTCOMES = {"unknown": "unknown_count", "silence": "silence_count", "responded": "responded_count"}
_DERIVED = ("response_rate", "avg_signal_quality", "effectiveness_score")
_TOLERANCE = 0.011  # files of other tools round to two digits


def check_growth(look: Look) -> Iterator[Finding]:
    """Report growth states that cannot be used or that contradict themselves."""
    folder = layout_of(look.ws).growth_dir
    for name in look.ws.names(folder, ".yaml"):
        if not name.endswith(PROPOSALS):
            rel = f"{folder}/{name}"
            yield from guarded(rel, _state(look, rel))


def _state(look: Look, rel: str) -> Iterator[Finding]:
    state = read_yaml(look.ws, rel, "growth")
    if state is None:
        return
    yield from owner_findings(look, rel, state["user"])
    for sentence in (*batch_problems(state), *message_problems(state)):
        yield Finding(ERROR, rel, None, sentence)
    for sentence in counter_problems(state):
        yield Finding(WARNING, rel, None, sentence)


def owner_findings(look: Look, rel: str, user: str) -> Iterator[Finding]:
    """Yield what is wrong with a sidecar's name: it belongs to nobody known, or lies where nobody looks."""
    if f"{slug(user)}.yaml" != rel.rpartition("/")[2]:
        yield Finding(
            WARNING, rel, None, f"it is of {user!r:.80}, whose file is named {slug(user)}.yaml; nobody reads it"
        )
    elif fold(user) not in known_users(look):
        yield Finding(INFO, rel, None, f"{user!r:.80} has no canvas")


def batch_problems(state: dict[str, Any]) -> Iterator[str]:
    """Yield batches out of order, beyond the next number, or with another number of messages than they say."""
    last = 0
    for batch in state["follow_ups"]:
        seq, held = batch["batch_seq"], len(batch["message_ids"])
        if seq <= last:
            yield f"batch {seq} comes after batch {last}"
        if seq >= state["next_batch_seq"]:
            yield f"batch {seq} is not below next_batch_seq {state['next_batch_seq']}: its ids would be given out again"
        if batch.get("messages_sent", held) != held:
            yield f"batch {seq} says {batch['messages_sent']} messages and holds {held}"
        last = max(last, seq)


def message_problems(state: dict[str, Any]) -> Iterator[str]:
    """Yield ids and tokens that two messages share, and ids that are of another batch."""
    ids: set[str] = set()
    tokens: set[str] = set()
    for batch in state["follow_ups"]:
        start, middle = f"fu-{batch['batch_date']}-", f"-{batch['batch_seq']}-"
        for message in batch["message_ids"]:
            identity, token = message["id"], message["token"]
            if identity in ids:
                yield f"the message id {identity} is there twice; a reply could mean either"
            elif token in tokens:
                yield f"the token {token} is that of two messages; a reply could mean either"
            if not identity.startswith(start) or middle not in identity[len(start) - 1 :]:
                yield f"the message id {identity} is not of batch {batch['batch_seq']} of {batch['batch_date']}"
            ids.add(identity)
            tokens.add(token)


def counter_problems(state: dict[str, Any]) -> Iterator[str]:
    """Yield pattern counters that are less than what the kept messages show, or that contradict each other."""
    kept = _kept(state)
    patterns = state.get("question_patterns") or {}
    for pattern in sorted(set(patterns) | set(kept)):
        counters: Any = {**new_counters(), **patterns.get(pattern, {})}
        yield from (f"{pattern}: {sentence}" for sentence in _contradictions(counters))
        for key, count in sorted(kept.get(pattern, {}).items()):
            if counters[key] < count:
                yield f"{pattern}: {key} is {counters[key]}, the kept messages alone make {count}"


def _contradictions(counters: PatternCounters) -> Iterator[str]:
    told = counters["unknown_count"] + counters["silence_count"] + counters["responded_count"]
    if told > counters["times_used"]:
        yield f"{told} outcomes of {counters['times_used']} uses"
    if counters["signal_quality_count"] > counters["responded_count"]:
        yield f"{counters['signal_quality_count']} rated replies of {counters['responded_count']}"
    derived: Any = dict(counters)
    recompute(derived)
    for key in _DERIVED:
        here: Any = dict(counters)
        if abs(here[key] - derived[key]) > (1 if key == "effectiveness_score" else _TOLERANCE):
            yield f"{key} is {here[key]}, its counts give {round(derived[key], 3)}"


def _kept(state: dict[str, Any]) -> dict[str, dict[str, int]]:
    """Count the messages that are still kept, by pattern and counter."""
    found: dict[str, dict[str, int]] = {}
    for batch in state["follow_ups"]:
        for message in batch["message_ids"]:
            counts = found.setdefault(message.get("question_pattern") or "?", {})
            for key in ("times_used", _OUTCOMES.get(message["outcome"])):
                if key:
                    counts[key] = counts.get(key, 0) + 1
    found.pop("?", None)
    return found


def check_proposals(look: Look) -> Iterator[Finding]:
    """Report proposed matches that cannot be used, that nobody finds, or that growth contradicts."""
    folder = layout_of(look.ws).growth_dir
    for name in look.ws.names(folder, PROPOSALS):
        yield from guarded(f"{folder}/{name}", _proposals(look, f"{folder}/{name}"))


def _proposals(look: Look, rel: str) -> Iterator[Finding]:
    document: Any = read_yaml(look.ws, rel, SCHEMA)
    if document is None:
        return
    user = document["user"]
    if f"{slug(user)}{PROPOSALS}" != rel.rpartition("/")[2]:
        wanted = f"{slug(user)}{PROPOSALS}"
        yield Finding(WARNING, rel, None, f"it is of {user!r:.80}, whose file is named {wanted}; nobody reads it")
        return
    for sentence in match_problems(document):
        yield Finding(ERROR, rel, None, sentence)
    state: Any = read_yaml(look.ws, layout_of(look.ws).growth(slug(user)), "growth")
    if state is None:
        yield Finding(WARNING, rel, None, f"growth knows nothing of {user!r:.80}; none of it can be confirmed")
        return
    for sentence in disagreements(document, state):
        yield Finding(WARNING, rel, None, sentence)


def match_problems(document: Any) -> Iterator[str]:
    """Yield matches that stand there twice, whose id is another's, or that were confirmed at no time."""
    seen: set[tuple[str, str]] = set()
    for match in document.get("matches", []):
        pair = match["signal_id"], match["follow_up_id"]
        name = match_id(*pair)
        if pair in seen:
            yield f"the match {name} is there twice; a person would be asked twice"
        if match.get("id", name) != name:
            yield f"the match {match['id']} is {name} by its signal and message; it is found by neither"
        if (match["status"] == CONFIRMED) != bool(match.get("confirmed_at")):
            yield f"the match {name} is {match['status']} and says confirmed_at {match.get('confirmed_at')!r:.40}"
        seen.add(pair)


def disagreements(document: Any, state: Any) -> Iterator[str]:
    """Yield what growth knows otherwise: a token that is another message's, a confirmed reply that it did not get.

    A message that is no longer kept is nobody's fault; its matches just cannot be confirmed any more.
    """
    sent = {message["id"]: message for batch in state["follow_ups"] for message in batch["message_ids"]}
    for match in document.get("matches", []):
        message = sent.get(match["follow_up_id"])
        name = match_id(match["signal_id"], match["follow_up_id"])
        if message is None:
            continue
        if match.get("follow_up_token", message["token"]) != message["token"]:
            yield f"the match {name} has the token {match['follow_up_token']}, its message {message['token']}"
        if match["status"] == CONFIRMED and message["outcome"] != "responded":
            yield f"the match {name} is confirmed, and growth says {message['outcome']} of {message['id']}"
