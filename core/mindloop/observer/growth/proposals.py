"""Proposed matches as a value: added once, found by any of their names, confirmed or rejected by a person."""

from __future__ import annotations

from mindloop.store.clock import stamp
from mindloop.store.digest import sha256_hex
from mindloop.store.errors import Negative, WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from datetime import datetime
    from typing import Any

    from mindloop.observer.types import Proposals, ProposedMatch

STATUSES = PENDING, CONFIRMED, REJECTED = "pending", "confirmed", "rejected"
KINDS = {
    "token": ("sure", "the reply carries the token of the message"),
    "thread": ("sure", "it came right after our line with the token, or in the thread that growth.py sent named"),
    "keyword": ("likely", "it shares words with what the message is about"),
    "temporal": ("guess", "it came within two days, and only one message waited"),
    "ambiguous": ("guess", "several messages fit as well; choose the one that it answers"),
}
"""Kinds of match, the best first: in one word how sure each is, and what it means."""
PRESELECTED = ("token", "thread")
"""Kinds of match that are right unless somebody made a mistake: chosen for the person beforehand."""
PENDING_AT_MOST = 500
"""Pending proposals that one user's file holds: nobody looks through more, and the file stays readable."""
SHORTEST_REFERENCE = 4
SPELLINGS = "A token looks like [FU:75d2f0ef], FU:75d2f0ef or 75d2f0ef"
_ID_DIGITS = 16
_LISTED = 5
_LIST = "See them with: growth.py list USER"


def kinds() -> str:
    """The kinds of match, a line each, for whoever reads a help text."""
    rows = "".join(f"  {kind:<10}{sure:<8}{meaning}\n" for kind, (sure, meaning) in KINDS.items())
    return f"how a reply was matched:\n{rows}"


def bare_reference(text: str) -> str:
    """What a person calls a message or match by, in lower case; a token without ``FU:`` and brackets."""
    return text.strip().lower().removeprefix("[").removesuffix("]").strip().removeprefix("fu:").strip()


def match_id(signal_id: str, follow_up_id: str) -> str:
    """The id of a match: the same wherever it is proposed."""
    return sha256_hex(f"{signal_id}\n{follow_up_id}".encode("utf-8", "surrogatepass"))[:_ID_DIGITS]


def new_proposals(user: str) -> Proposals:
    """The proposals of a user whom nothing was proposed for yet."""
    return {"schema_version": 1, "user": user, "records_seen": 0, "last_record_seen": None, "matches": []}


def completed(document: Any) -> Proposals:
    """A copy with every field that this version asks for; fields of later versions are copied too.

    Files of other tools have no ids: an id follows from signal and message.
    """
    made: Proposals = {**new_proposals(document["user"]), **document}
    made["matches"] = [_completed(match) for match in document.get("matches", [])]
    return made


def _completed(match: Any) -> ProposedMatch:
    blank: Any = {
        "id": match_id(match["signal_id"], match["follow_up_id"]),
        "match_type": match["match_type"],
        "match_confidence": "low",
        "signal_id": match["signal_id"],
        "signal_timestamp": None,
        "evidence_snippet": "",
        "follow_up_id": match["follow_up_id"],
        "follow_up_token": "",
        "proposed_at": "",
        "status": match["status"],
        "confirmed_at": None,
    }
    whole: Any = {**blank, **match}
    made: ProposedMatch = whole
    return made


def pending(document: Proposals) -> list[ProposedMatch]:
    """What waits for a person, in the order in which it was proposed."""
    return [match for match in document["matches"] if match["status"] == PENDING]


def preselected(document: Proposals) -> list[ProposedMatch]:
    """Pending matches that are certain unless somebody made a mistake."""
    return [match for match in pending(document) if match["match_type"] in PRESELECTED]


def added(document: Proposals, matches: Iterable[ProposedMatch]) -> tuple[Proposals, list[ProposedMatch]]:
    """The document with those matches that it has in no state yet (a signal and a message meet once), and these."""
    known = {(match["signal_id"], match["follow_up_id"]) for match in document["matches"]}
    new = []
    for match in matches:
        pair = match["signal_id"], match["follow_up_id"]
        if pair not in known:
            known.add(pair)
            new.append(match)
    return _with(document, [*document["matches"], *new]), new


def improved(document: Proposals, matches: Iterable[ProposedMatch]) -> tuple[Proposals, list[ProposedMatch]]:
    """The document in which pending matches have a better kind where one is found now, and these.

    What a person confirmed or rejected stays as it was then; id and time of a match stay too.
    """
    order = list(KINDS)
    better = {match["id"]: match for match in matches}
    changed: list[ProposedMatch] = []

    def moved(match: ProposedMatch) -> ProposedMatch:
        now = better.get(match["id"])
        if (
            now is None
            or match["status"] != PENDING
            or order.index(now["match_type"]) >= order.index(match["match_type"])
        ):
            return match
        changed.append({**match, "match_type": now["match_type"], "match_confidence": now["match_confidence"]})
        return changed[-1]

    after = _each(document, moved)
    return (after, changed) if changed else (document, changed)


def look_again(document: Proposals) -> Proposals:
    """The document of a user whose replies are all looked at by the next match, the known ones too."""
    return {**document, "records_seen": 0, "last_record_seen": None}


def found(document: Proposals, reference: str, status: str = PENDING) -> ProposedMatch:
    """The one match that is meant by an id's first characters, a token or a message id.

    Args:
        document: the user's proposals.
        reference: four or more characters of an id, a token in any spelling, or ``fu-…``.
        status: where several are meant, those of this status count first.

    Raises:
        WrongInput: it means several, or is too short to mean one.
        Negative: it means none.
    """
    wanted = bare_reference(reference)
    if len(wanted) < SHORTEST_REFERENCE:
        expected = f"{SHORTEST_REFERENCE} or more characters of its id, or a token"
        raise WrongInput(f"{reference[:80]!r} names no match: expected {expected}", f"{SPELLINGS}. {_LIST}")
    meant = [match for match in document["matches"] if _is_named(match, wanted)]
    if not meant:
        raise Negative(f"no match of {document['user']!r} is named {reference[:80]!r}", f"{SPELLINGS}. {_LIST}")
    first = [match for match in meant if match["status"] == status]
    if len(first or meant) > 1:
        ids = ", ".join(match["id"] for match in (first or meant)[:_LISTED])
        raise WrongInput(f"{reference[:80]!r} names {len(first or meant)} matches: {ids}", "Give more of the id.")
    return (first or meant)[0]


def _is_named(match: ProposedMatch, wanted: str) -> bool:
    return (
        match["id"].startswith(wanted)
        or match["follow_up_token"].lower() == wanted
        or match["follow_up_id"].lower() == wanted
    )


def confirmed(document: Proposals, chosen: Iterable[str], now: datetime) -> tuple[Proposals, list[ProposedMatch]]:
    """Confirm matches; what else was guessed of the same signals is rejected.

    A signal that was ambiguous is a reply to the message that a person chose, and to no other that it was guessed for.

    Args:
        document: the user's proposals.
        chosen: ids of the matches.
        now: when they were confirmed.

    Returns:
        The new document, and the matches that were rejected by it.
    """
    wanted = set(chosen)
    signals = {match["signal_id"] for match in document["matches"] if match["id"] in wanted}
    rejected_now = [
        match
        for match in pending(document)
        if match["id"] not in wanted and match["match_type"] == "ambiguous" and match["signal_id"] in signals
    ]
    out = {match["id"] for match in rejected_now}

    def moved(match: ProposedMatch) -> ProposedMatch:
        if match["id"] in wanted:
            return {**match, "status": CONFIRMED, "confirmed_at": stamp(now)}
        return {**match, "status": REJECTED} if match["id"] in out else match

    return _each(document, moved), rejected_now


def rejected(document: Proposals, chosen: Iterable[str]) -> Proposals:
    """Reject matches, named by their ids."""
    wanted = set(chosen)
    return _each(document, lambda match: {**match, "status": REJECTED} if match["id"] in wanted else match)


def _each(document: Proposals, moved: Callable[[ProposedMatch], ProposedMatch]) -> Proposals:
    return _with(document, [moved(match) for match in document["matches"]])


def _with(document: Proposals, matches: list[ProposedMatch]) -> Proposals:
    return {**document, "matches": matches}
