"""Recording what a user said: the quote in the canvas and the record in the index, in one change."""

from __future__ import annotations

from mindloop.observer.canvas.edit import insert_quote, new_canvas, quote_lines
from mindloop.observer.canvas.parse import Canvas, parse_canvas
from mindloop.observer.canvas.reading import CanvasFile, check_length, load_canvas, load_canvases
from mindloop.observer.canvas.sections import open_fence
from mindloop.observer.layout import layout_of
from mindloop.observer.lines import excerpt
from mindloop.observer.names import display_name, fold, slug
from mindloop.observer.provenance import index as provenance
from mindloop.observer.provenance.quotes import blockquotes, proven_text
from mindloop.observer.wallets import digits, is_wallet
from mindloop.store import front_matter
from mindloop.store.clock import DAY_LENGTH, day, stamp
from mindloop.store.errors import StoreFailure, WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

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
    _check_wallet(wallet)
    known = _canvas_of(tx, name)
    record = _record(known.user if known else name, quote, date, now)
    path = known.path if known else layout_of(tx).canvas(slug(name))
    text = _extended(tx, known, wallet, now) if known else new_canvas(name, wallet, stamp(now))
    changed = _with_quote(known, text, record, _attribution(context, record, now))
    if changed is not None:
        check_length(tx, path, len(changed.encode()))
        _check_found(known, path, changed, record["content_hash"])
    written = provenance.ingest(tx, record)
    if changed is not None:
        tx.write(path, changed)
    return Observed(path, written, created=known is None)


def _record(name: str, quote: str, date: str | None, now: datetime) -> ProvenanceRecord:
    return provenance.make_record(
        name,
        quote,
        source_type="manual_quote",
        ingested_by="observe",
        now=now,
        timestamp=date,
        raw_source_ref=f"observe-{slug(name)}-{day(now)}",
    )


def _check_wallet(wallet: str | None) -> None:
    if wallet is not None and not is_wallet(wallet):
        raise WrongInput(f"the wallet is {excerpt(wallet, 60)!r}", "Write it as 0x and 40 hex digits.")


def _canvas_of(tx: Transaction, name: str) -> Canvas | None:
    """Find the user's canvas: the file that our writers would make, else whatever file names the user."""
    own = layout_of(tx).canvas(slug(name))
    if tx.exists(own):
        return _usable(load_canvas(tx, own), own, name)
    key = fold(name)
    found = load_canvases(tx)
    mine = [one for one in found if fold(one.user_guess) == key]
    mine.sort(key=lambda one: one.canvas is None)
    if not mine:
        _refuse_unread(found)
    return _usable(mine[0], mine[0].path, name) if mine else None


def _refuse_unread(found: list[CanvasFile]) -> None:
    """Stop where the disk refused to read a canvas: it may be the user's, who would get a second one."""
    for one in found:
        if one.error is not None and isinstance(one.error.__cause__, StoreFailure):
            raise one.error.__cause__


def _usable(one: CanvasFile | None, path: str, name: str) -> Canvas:
    if one is not None and one.error is not None:
        raise one.error
    if one is None or one.canvas is None:
        raise WrongInput(f"{path} is a template, expected the canvas of {name}", "Rename the template.")
    if fold(one.canvas.user) != fold(name):
        raise WrongInput(
            f"{path} is the canvas of {one.canvas.user}, expected that of {name}",
            f"Rename the file after its user, or correct its header to user: {name}",
        )
    return one.canvas


def _extended(tx: Transaction, canvas: Canvas, wallet: str | None, now: datetime) -> str:
    """Return the canvas text with its date, and its wallet where it had none, rewritten in place."""
    text = tx.read_text(canvas.path) or ""
    text = front_matter.set_scalar(text, "updated", stamp(now))
    known = digits(canvas.wallet)
    if wallet is None or (known and known == digits(wallet)):
        return text
    if canvas.wallet is not None:
        raise WrongInput(
            f"{canvas.path}: the wallet is {excerpt(canvas.wallet, 60)}, not {wallet}",
            "Correct the canvas by hand if the user has a new wallet.",
        )
    return front_matter.set_scalar(text, "wallet", wallet)


def _attribution(context: str | None, record: ProvenanceRecord, now: datetime) -> str:
    said = record.get("source_timestamp")
    when = said[:DAY_LENGTH] if said else f"observed {day(now)}"
    return f"{excerpt(context or 'quote', 90)}, {when}"


def _with_quote(known: Canvas | None, text: str, record: ProvenanceRecord, attribution: str) -> str | None:
    """Return the text with the quote in it; None where the canvas has the quote already."""
    digest = record["content_hash"]
    if known and _proves(known, digest):
        return None
    return insert_quote(text, quote_lines(record["text"], attribution, digest))


def _check_found(known: Canvas | None, path: str, text: str, digest: str) -> None:
    """Refuse a canvas that would hide its new quote."""
    if _proves(parse_canvas(path, text), digest):
        return
    line = open_fence(known.body) if known else None
    why = f": the code fence of line {known.body_line + line - 1} is never closed" if known and line else ""
    raise WrongInput(f"{path}: the quote would not be found again{why}", "Correct the canvas first.")


def _proves(canvas: Canvas, digest: str) -> bool:
    return any(one.declared == digest and proven_text(one) is not None for one in blockquotes(canvas.body))
