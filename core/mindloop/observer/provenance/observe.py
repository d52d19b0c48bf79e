"""Recording what a user said: the quote in the canvas and the record in the index, in one change."""

from __future__ import annotations

from mindloop.observer.canvas.edit import insert_quote, new_canvas, quote_lines
from mindloop.observer.canvas.reading import check_length
from mindloop.observer.layout import layout_of
from mindloop.observer.names import display_name, slug
from mindloop.observer.provenance import index as provenance
from mindloop.observer.provenance.own_canvas import attribution, canvas_of, check_found, check_wallet, extended, proven
from mindloop.observer.provenance.record import make_record
from mindloop.store.clock import day, stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from mindloop.observer.canvas.reading import Canvas
    from mindloop.observer.types import ProvenanceRecord
    from mindloop.store.transaction import Transaction


class Observed:
    """What was recorded.

    Attributes:
        path: the canvas, relative to the workspace.
        record: the index record, with its id.
        created: whether the canvas is new.
    """

    __slots__ = ("created", "path", "record")

    def __init__(self, path: str, record: ProvenanceRecord, *, created: bool) -> None:
        self.path = path
        self.record = record
        self.created = created


def add_quote(  # noqa: PLR0917 - what a person says in one command
    tx: Transaction,
    user: str,
    quote: str,
    wallet: str | None,
    context: str | None,
    date: str | None,
    now: datetime,
) -> Observed:
    """Record a quote of a user; the transaction must hold the scopes ``research`` and ``user:<slug>``.

    Args:
        tx: where it is staged.
        user: who said it.
        quote: the words, exactly.
        wallet: the user's wallet; fills an empty one, never replaces another.
        context: where it was said, for the attribution.
        date: when it was said, ISO 8601 date or time; None where nobody knows.
        now: the instant of the command.

    Raises:
        Duplicate: this user's quote is in the index already; nothing is staged.
        WrongInput: an unsafe name, no text, a wallet that is none or another one, a date that is none.
        InvalidCanvas: the user's canvas cannot be read; it is left alone.
        StoreFailure: the disk refuses, so that nobody knows whose canvas it is.
    """
    name = display_name(user)
    check_wallet(wallet)
    known = canvas_of(tx, name)
    record = _record(known.user if known else name, quote, date, now)
    path = known.path if known else layout_of(tx).canvas(slug(name))
    text = extended(tx, known, wallet, now) if known else new_canvas(name, wallet, stamp(now))
    changed = _with_quote(known, text, record, _source(context, record, now))
    if changed is not None:
        check_length(tx, path, len(changed.encode()))
        check_found(known, path, changed, [record["content_hash"]])
    written = provenance.ingest(tx, record)
    if changed is not None:
        tx.write(path, changed)
    return Observed(path, written, created=known is None)


def _record(name: str, quote: str, date: str | None, now: datetime) -> ProvenanceRecord:
    return make_record(
        name,
        quote,
        source_type="manual_quote",
        ingested_by="observe",
        now=now,
        timestamp=date,
        raw_source_ref=f"observe-{slug(name)}-{day(now)}",
    )


def _with_quote(known: Canvas | None, text: str, record: ProvenanceRecord, attribution: str) -> str | None:
    """Return the text with the quote in it; None where the canvas has the quote already."""
    digest = record["content_hash"]
    if known and digest in proven(known):
        return None
    return insert_quote(text, quote_lines(record["text"], attribution, digest))


def _source(context: str | None, record: ProvenanceRecord, now: datetime) -> str:
    return attribution(context or "quote", record.get("source_timestamp"), f"observed {day(now)}")
