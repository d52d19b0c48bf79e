"""Taking the answer about a user's direct messages: values noted, skeleton hypotheses added, chosen quotes shown."""

from __future__ import annotations

from mindloop.observer.canvas.edit import insert_quotes, note_values, quote_lines
from mindloop.observer.canvas.reading import check_length, load_canvas
from mindloop.observer.canvas.skeleton import add_hypotheses
from mindloop.observer.intake.answer import Selection, parse_selection
from mindloop.observer.lines import counted
from mindloop.observer.names import fold
from mindloop.observer.provenance.own_canvas import attribution, check_found, proven
from mindloop.observer.rehearsed import REHEARSAL
from mindloop.protocol.questions import AnswerRefused
from mindloop.skills.ingest_dm import SKILL
from mindloop.skills.judged import Judging
from mindloop.store import front_matter
from mindloop.store.clock import day, stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from typing import Any

    from mindloop.observer.canvas.reading import Canvas
    from mindloop.observer.types import ProvenanceRecord
    from mindloop.store.transaction import Transaction

    Item = dict[str, Any]


def _scopes(item: Item) -> tuple[str, ...]:
    return "research", f"user:{item['slug']}"


def _check(item: Item, raw: str) -> Selection:
    return parse_selection(raw, str(item["user"]), frozenset(item["quotes"]))


def _apply(tx: Transaction, item: Item, selection: Selection, host: str, now: datetime) -> str:
    canvas = _canvas(tx, item)
    path, before = canvas.path, tx.read_text(canvas.path) or ""
    standing = proven(canvas)
    records = _missing(tx, canvas, set(selection.chosen) - standing)
    text = insert_quotes(before, [_lines(one, str(item["source"])) for one in records])
    rehearsed = host == REHEARSAL
    text, ids = add_hypotheses(path, text, selection.skeletons, day(now), REHEARSAL if rehearsed else "")
    text = note_values(text, selection.values, replace=not rehearsed)
    if text != before:
        text = front_matter.set_scalar(text, "updated", stamp(now))
        check_length(tx, path, len(text.encode()))
        check_found(canvas, path, text, standing.union(one["content_hash"] for one in records))
        tx.write(path, text)
    return _told(selection, ids, len(records))


def _canvas(tx: Transaction, item: Item) -> Canvas:
    """The canvas that was asked about, as it is now."""
    found = load_canvas(tx, str(item["canvas"]))
    if found and found.error:
        raise found.error
    if found is None or found.canvas is None or fold(found.canvas.user) != fold(str(item["user"])):
        raise AnswerRefused(
            f"{item['canvas']} is not the canvas of {item['user']} any more", "Ingest the export again for this user."
        )
    return found.canvas


def _missing(tx: Transaction, canvas: Canvas, digests: Iterable[str]) -> list[ProvenanceRecord]:
    """The records of quotes that only the index has, oldest first; what it does not know with its text is left out."""
    wanted = set(digests)
    if not wanted:
        return []
    from mindloop.observer.provenance.index import load_user
    from mindloop.observer.provenance.quotes import best_records

    known = best_records(load_user(tx, canvas.user).for_user(canvas.user))
    records = [known[digest] for digest in wanted if digest in known and known[digest].get("text")]
    return sorted(records, key=lambda one: (one.get("source_timestamp") or "~", one["content_hash"]))


def _lines(record: ProvenanceRecord, source: str) -> list[str]:
    digest = record["content_hash"]
    return quote_lines(record["text"], attribution(source, record.get("source_timestamp")), digest)


def _told(selection: Selection, ids: list[str], shown: int) -> str:
    high = sum(value == "high" for value in selection.values.values())
    parts = [f"{counted(len(selection.values), 'quote')} marked, {high} of them high"]
    parts.append(f"hypotheses added: {', '.join(ids)}" if ids else "no hypothesis added")
    there = len(selection.skeletons) - len(ids)
    parts += [f"{there} on the canvas already"] if there else []
    parts += [f"{counted(shown, 'quote')} put on the canvas"] if shown else []
    left_out = f"{selection.dropped} left out of the answer: not of this packet, or not as it asks"
    parts += [left_out] if selection.dropped else []
    return "; ".join(parts)


JUDGING = Judging(SKILL, scopes=_scopes, check=_check, apply=_apply)
