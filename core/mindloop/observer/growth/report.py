"""What growth learned of all users, or of one, as plain facts: which questions work, what fades, who is silent.

Counters of several users are added up before anything is derived from them, so that a user who was asked once does not
weigh as much as one who was asked ten times.
"""

from __future__ import annotations

from datetime import timedelta

from mindloop.observer.growth.metrics import (
    RESOLVED_AT_LEAST,
    is_effective,
    is_ineffective,
    new_counters,
    recompute,
    resolved,
)
from mindloop.observer.growth.silence import gating, opens, sent_at, unanswered
from mindloop.observer.growth.state import GrowthPolicy, is_rehearsal, messages
from mindloop.observer.names import fold
from mindloop.store.clock import parse_instant, stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from mindloop.observer.growth.state import SettingsLike
    from mindloop.observer.types import GrowthState, PatternCounters

SOON = timedelta(hours=48)
GOAL = 0.4
"""More than this part of the messages should be answered within ``SOON``."""
EFFECTIVE, INEFFECTIVE, UNDECIDED, MIXED = "effective", "ineffective", "undecided", "mixed"
_STATES = ("stale", "decaying", "active")
_SUMS = (
    "times_used",
    "unknown_count",
    "silence_count",
    "responded_count",
    "signal_quality_sum",
    "signal_quality_count",
)


def report(
    states: Sequence[GrowthState],
    stopped: Sequence[dict[str, Any]],
    settings: SettingsLike,
    now: datetime,
    *,
    user: str | None = None,
    to_confirm: Mapping[str, int] | None = None,
    unreadable: int = 0,
) -> dict[str, Any]:
    """Gather the facts.

    Args:
        states: completed states (``state.clone``) of the users that the report is about.
        stopped: who is stopped: ``user``, ``reason``, ``since``, ``problem``.
        settings: the workspace's.
        now: the instant of the report.
        user: the one user it is about, or None for everybody; then every hypothesis is told, not only what fades, and
            nothing about what users share.
        to_confirm: ``replies`` that wait for a person, of how many ``users``.
        unreadable: states that could not be used, and are not in ``states``.

    Returns:
        JSON values; texts are as the files hold them, so whoever shows them has to escape them.
    """
    least = settings.get("observer.synthesis.min_users_for_pattern")
    patterns = _patterns(states)
    return {
        "as_of": stamp(now),
        "user": user,
        "growth_enabled": bool(settings.get("observer.growth.enabled")),
        "users": len(states),
        "unreadable": unreadable,
        "to_confirm": dict(to_confirm or {"replies": 0, "users": 0}),
        "messages": _totals(states, patterns),
        "patterns": patterns,
        "hypotheses": _hypotheses(states, settings, everything=user is not None),
        "silence": _silence(states, stopped, settings, now),
        "stopped": list(stopped),
        "shared_patterns": {"min_users": least, "patterns": [] if user else _shared(patterns, least)},
    }


# --- questions --------------------------------------------------------------------------------------------------------


def _patterns(states: Iterable[GrowthState]) -> list[dict[str, Any]]:
    """One row a question pattern that was used, the most effective first, those with few outcomes last."""
    sums: dict[str, PatternCounters] = {}
    spread: dict[str, list[int]] = {}
    unsent: dict[str, int] = {}
    for state in states:
        for name, counters in state["question_patterns"].items():
            _add(sums.setdefault(name, new_counters()), counters)
            users = spread.setdefault(name, [0, 0])
            users[0] += counters["times_used"] > 0
            users[1] += resolved(counters) > 0
        for batch, message in messages(state):
            if is_rehearsal(batch) and message["outcome"] == "pending":
                name = message["question_pattern"]
                unsent[name] = unsent.get(name, 0) + 1
    rows = [_pattern(name, sums[name], spread[name], unsent.get(name, 0)) for name in sums if sums[name]["times_used"]]
    return sorted(rows, key=_place)


def _place(row: dict[str, Any]) -> tuple[bool, int, int, str]:
    return row["verdict"] == UNDECIDED, -row["effectiveness"], -row["used"], row["pattern"]


def _add(total: PatternCounters, more: PatternCounters) -> None:
    summed: Any = total
    other: Any = more
    for key in _SUMS:
        summed[key] += other[key]
    # A rating is at most 1: a file that says otherwise must not lift a score above 100, or to infinity.
    summed["signal_quality_sum"] = min(summed["signal_quality_sum"], summed["signal_quality_count"])


def _pattern(name: str, counters: PatternCounters, users: list[int], rehearsed: int) -> dict[str, Any]:
    recompute(counters)
    unsent = counters["unknown_count"] + rehearsed
    return {
        "pattern": name,
        "users": users[0],
        "users_with_outcome": users[1],
        "used": counters["times_used"],
        "answered": counters["responded_count"],
        "silent": counters["silence_count"],
        "waiting": max(0, counters["times_used"] - resolved(counters) - unsent),
        "unsent": unsent,
        "response_rate": round(counters["response_rate"], 4) if resolved(counters) else None,
        "signal_quality": round(counters["avg_signal_quality"], 4) if counters["signal_quality_count"] else None,
        "effectiveness": counters["effectiveness_score"],
        "verdict": _verdict(counters),
    }


def _verdict(counters: PatternCounters) -> str:
    if resolved(counters) < RESOLVED_AT_LEAST:
        return UNDECIDED
    if is_effective(counters):
        return EFFECTIVE
    return INEFFECTIVE if is_ineffective(counters) else MIXED


def _shared(patterns: list[dict[str, Any]], least: int) -> list[dict[str, Any]]:
    """What holds across users: patterns that so many of them answered or were silent about."""
    return [row for row in patterns if row["users_with_outcome"] >= least]


def _totals(states: Iterable[GrowthState], patterns: list[dict[str, Any]]) -> dict[str, Any]:
    totals: dict[str, Any] = {
        key: sum(row[key] for row in patterns) for key in ("used", "answered", "silent", "waiting", "unsent")
    }
    outcomes = totals["answered"] + totals["silent"]
    totals["response_rate"] = round(totals["answered"] / outcomes, 4) if outcomes else None
    late = soon = kept = 0
    for state in states:
        for batch, message in messages(state):
            if message["outcome"] not in ("responded", "silence") or is_rehearsal(batch):
                continue
            kept += 1
            late += bool(message["late_response"])
            sent, replied = sent_at(batch, message), parse_instant(message["response_date"] or "")
            soon += sent is not None and replied is not None and timedelta() <= replied - sent <= SOON
    totals["answered_late"] = late
    totals["within_48_hours"] = {"answered": soon, "of": kept, "rate": round(soon / kept, 4) if kept else None}
    return totals


# --- hypotheses -------------------------------------------------------------------------------------------------------


def _hypotheses(states: Iterable[GrowthState], settings: SettingsLike, *, everything: bool) -> dict[str, Any]:
    policy = GrowthPolicy(settings)
    counts = dict.fromkeys(_STATES, 0)
    rows = []
    for state in states:
        for known in state["hypotheses"]:
            decay = known["decay_state"]
            counts[decay] = counts.get(decay, 0) + 1
            if everything or decay != "active":
                rows.append({"user": state["user"], **_hypothesis(known)})
    order = {name: place for place, name in enumerate(_STATES)}
    rows.sort(key=lambda row: (order.get(row["decay_state"], 0), -row["cycles_without_evidence"], row["user"]))
    return {
        "counts": counts,
        "cycles_to_decaying": policy.to_decaying,
        "cycles_to_stale": policy.to_stale,
        "listed": rows,
    }


def _hypothesis(known: Any) -> dict[str, Any]:
    keys = ("id", "title", "confidence", "decay_state", "cycles_without_evidence", "last_evidence_date")
    return {key: known[key] for key in keys}


# --- silence ----------------------------------------------------------------------------------------------------------


def _silence(
    states: Iterable[GrowthState], stopped: Sequence[dict[str, Any]], settings: SettingsLike, now: datetime
) -> dict[str, Any]:
    days = settings.get("observer.growth.silence_gate_days")
    away = {fold(one["user"]) for one in stopped}
    rows = [row for state in states if (row := _waited_for(state, days, now))]
    for row in rows:
        row["stopped"] = fold(row["user"]) in away
    rows.sort(key=lambda row: (row["since"], row["user"]))
    return {"gate_days": days, "waiting": rows}


def _waited_for(state: GrowthState, days: int | None, now: datetime) -> dict[str, Any] | None:
    """Since when a user owes an answer, and until when nobody writes to them for that; None where neither is so."""
    found = list(unanswered(state))
    pending = [one for one in found if one.outcome == "pending"]
    gate = gating(state, days, now) if days is not None else None
    if not pending and gate is None:
        return None
    since = min(one.sent for one in pending) if pending else max(one.sent for one in found)
    return {
        "user": state["user"],
        "pending": len(pending),
        "silent": len(found) - len(pending),
        "since": stamp(since),
        "days": max(0, (now - since).days),
        "next_message_from": opens(gate, days) if gate and days is not None else None,
    }
