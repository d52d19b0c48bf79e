"""Checking a writer's answer against what is known: quotes, claims, bodies, coverage (follow-up, steps 4b to 4f).

Nothing the writer says about its own work counts. Each function takes out of the answer what does not hold, and returns
the log lines that say what and why.
"""

from __future__ import annotations

import re

from mindloop.observer.answer.log import LogLine, told
from mindloop.observer.answer.mom_test import lint
from mindloop.observer.answer.text import claim_problem, clean_trigger, sendable_body
from mindloop.observer.canonical import norm_hash
from mindloop.observer.growth.patterns import topic_tags
from mindloop.observer.json_answer import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from mindloop.observer.answer.parse import Answer
    from mindloop.observer.types import Claim, Message, Quote, TemporalEntry

ALL_STRIPPED = "all_content_stripped"
MAX_CLAIMS = 3
"""Claims in front of one message; more would bury it."""


def verify_quotes(answer: Answer, registry: Iterable[Quote]) -> list[str]:
    """Keep the messages whose anchor is a verified quote; show the registry's text, never the writer's (step 4b)."""
    known = {quote["hash"]: quote for quote in registry if quote["hash_verified"] and quote["hash"]}
    kept: list[tuple[Message, int]] = []
    log: list[str] = []
    for message, asked in zip(answer.messages, answer.asked_claims, strict=True):
        digest = norm_hash(message["anchor_quote_hash"])
        quote = known.get(digest) if digest else None
        if digest is None or quote is None:
            line = f"STRIPPED message for {answer.user}: no verified quote"
            log.append(LogLine(f"{line} '{shown(message['anchor_quote_hash'])}'", line))
            continue
        if message["anchor_quote_text"] != quote["quote_text"]:
            log.append(told(f"REPLACED anchor_quote_text for {answer.user} hash {digest} (subagent text mismatch)"))
        kept.append(({**message, "anchor_quote_hash": digest, "anchor_quote_text": quote["quote_text"]}, asked))
    answer.keep(kept)
    log.append(f"Verified {len(kept)}/{answer.total_quotes} messages for {answer.user}")
    return log


def verify_claims(answer: Answer, temporal: Mapping[str, TemporalEntry], registry: Iterable[Quote]) -> list[str]:
    """Keep the claims that the release windows allow (step 4c).

    The backing quote must be a verified quote of this user (it may be another than the anchor), allowed in the temporal
    table, and of exactly the release that the claim names; the claim's words may name no other version.
    """
    verified = {quote["hash"] for quote in registry if quote["hash_verified"]}
    log: list[str] = []
    for message in answer.messages:
        claims: list[Claim] = []
        for claim in message["temporal_claims"]:
            reason = _objection(claim, temporal, verified) or ("too_many_claims" if len(claims) == MAX_CLAIMS else "")
            if reason:
                log.append(_stripped(claim, reason, answer.user))
            else:
                claims.append(_plain(claim))
        message["temporal_claims"] = claims
    return log


def _stripped(claim: Claim, reason: str, user: str) -> LogLine:
    end = f"for user {user} — reason: {reason}"
    text = f"STRIPPED temporal claim: '{shown(claim['claim_text'])}' {end}"
    return LogLine(text, f"STRIPPED temporal claim {end}")


def _objection(claim: Claim, temporal: Mapping[str, TemporalEntry], verified: set[str | None]) -> str:
    digest = norm_hash(claim["backing_quote_hash"])
    entry = temporal.get(digest) if digest else None
    if entry is None:
        return "hash_not_in_lookup"
    if entry["version_attribution_allowed"] is not True:
        return entry.get("reason") or "not_allowed"
    if digest not in verified:
        return "quote_not_verified"
    if entry.get("chronicle_ref") != claim["chronicle_ref"]:
        return "chronicle_ref_mismatch"
    return claim_problem(claim["claim_text"], claim["chronicle_ref"], entry.get("release_name", ""))


def _plain(claim: Claim) -> Claim:
    return {
        "claim_text": " ".join(claim["claim_text"].split()),
        "backing_quote_hash": norm_hash(claim["backing_quote_hash"]) or "",
        "chronicle_ref": claim["chronicle_ref"],
    }


def insert_claims(answer: Answer) -> list[str]:
    """Clean the bodies and put the verified claims in front of them (step 4d).

    Whatever names a version in a body goes; a message of which nothing is left is dropped, and its claims count no
    longer. Then the claims stand in front: ``since v2.0.0 shipped — did you look at your score again?``
    """
    kept: list[tuple[Message, int]] = []
    log: list[str] = []
    for message, asked in zip(answer.messages, answer.asked_claims, strict=True):
        body = sendable_body(message["message_body"])
        if body:
            kept.append((_finished(message, body), asked))
        else:
            log.append(told(f"DROPPED message for {answer.user}: nothing is left of its body"))
    answer.keep(kept)
    return log


def _finished(message: Message, body: str) -> Message:
    prefix = ", ".join(claim["claim_text"] for claim in message["temporal_claims"])
    return {
        **message,
        "hypothesis_or_trigger": clean_trigger(message["hypothesis_or_trigger"]),
        "message_body": f"{prefix} — {body}" if prefix else body,
    }


def coverage(answer: Answer, fears: Sequence[Mapping[str, Any]] | None) -> list[str]:
    """Say how many fears the messages address (step 4f); advice, nothing is stripped.

    Args:
        answer: what survived.
        fears: the fears of the cognition file; None where there is none.
    """
    user, messages = answer.user, answer.messages
    if fears is None:
        return []
    if not fears:
        return [f"Steering coverage skipped for {user} — cognition has zero fears"]
    met = sum(any(_addresses(message, fear) for message in messages) for fear in fears)
    log = [f"Steering coverage for {user}: {met}/{len(fears)} fears addressed ({met / len(fears):.0%})"]
    if not met and messages:
        log.append(told(f"WARNING Zero steering coverage for {user} — messages don't address any identified fears"))
    return log


def style_advice(answer: Answer) -> list[str]:
    """Say where the messages go against the Mom Test; advice, nothing is stripped."""
    return [
        f"STYLE message {number} for {answer.user}: {advice}"
        for number, message in enumerate(answer.messages, start=1)
        for advice in lint(message["message_body"], message["anchor_quote_text"])
    ]


def survivors(answer: Answer) -> str | None:
    """Return why nothing can be sent, or None when there are messages (step 4e); sets the answer's skip reason."""
    if answer.skip_reason is None and not answer.messages:
        answer.skip_reason = ALL_STRIPPED
    return answer.skip_reason


def _addresses(message: Message, fear: Mapping[str, Any]) -> bool:
    trigger = message["hypothesis_or_trigger"]
    if _has_word(trigger, fear.get("id")) or _has_word(trigger, fear.get("backing_hypothesis")):
        return True
    return any(_has_word(message["message_body"], tag) for tag in topic_tags(str(fear.get("text") or "")))


def _has_word(text: str, word: object) -> bool:
    """Tell whether a word stands in a text by itself: H1 does not stand in H12."""
    if not isinstance(word, str) or not word:
        return False
    return re.search(rf"(?<!\w){re.escape(word.casefold())}(?!\w)", text.casefold()) is not None
