"""The canvas that a user's quotes go to: which file it is, what may be rewritten in it, whether it shows its quotes."""

from __future__ import annotations

from mindloop.observer.canvas.parse import Canvas, parse_canvas
from mindloop.observer.canvas.reading import CanvasFile, load_canvas, load_canvases
from mindloop.observer.canvas.sections import open_fence
from mindloop.observer.layout import layout_of
from mindloop.observer.lines import excerpt
from mindloop.observer.names import fold, slug
from mindloop.observer.provenance.quotes import blockquotes, proven_text
from mindloop.observer.wallets import digits, is_wallet
from mindloop.store import front_matter
from mindloop.store.clock import DAY_LENGTH, stamp
from mindloop.store.errors import StoreFailure, WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from mindloop.store.transaction import Transaction


def check_wallet(wallet: str | None) -> None:
    """Raise WrongInput for a wallet that is none."""
    if wallet is not None and not is_wallet(wallet):
        raise WrongInput(f"the wallet is {excerpt(wallet, 60)!r}", "Write it as 0x and 40 hex digits.")


def canvas_of(tx: Transaction, name: str) -> Canvas | None:
    """Find a user's canvas: the file that our own writers would make, else whatever file names the user.

    Raises:
        InvalidCanvas: it cannot be read; it is left alone.
        WrongInput: the file that would be made is a template or somebody else's.
        StoreFailure: the disk refuses, so that nobody knows whose canvas it is.
    """
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


def extended(
    tx: Transaction, canvas: Canvas, wallet: str | None, now: datetime, fields: Iterable[str] = ("updated",)
) -> str:
    """Return the canvas text with its dates, and its wallet where it had none, rewritten in place.

    Raises:
        WrongInput: the canvas has another wallet.
    """
    text = front_matter.set_scalars(tx.read_text(canvas.path) or "", dict.fromkeys(fields, stamp(now)))
    known = digits(canvas.wallet)
    if wallet is None or (known and known == digits(wallet)):
        return text
    if canvas.wallet is not None:
        raise WrongInput(
            f"{canvas.path}: the wallet is {excerpt(canvas.wallet, 60)}, not {wallet}",
            "Correct the canvas by hand if the user has a new wallet.",
        )
    return front_matter.set_scalar(text, "wallet", wallet)


def attribution(source: str, moment: str | None, otherwise: str = "undated") -> str:
    """Return what stands under a quote: where it was said, and the day, or ``otherwise`` where nobody knows it."""
    return f"{excerpt(source, 90)}, {moment[:DAY_LENGTH] if moment else otherwise}"


def check_found(known: Canvas | None, path: str, text: str, digests: Iterable[str]) -> None:
    """Refuse a canvas that would hide one of its new quotes.

    Args:
        known: the canvas as it was, or None for a new one.
        path: where it goes.
        text: the canvas as it would be.
        digests: bare hashes that it has to prove.

    Raises:
        WrongInput: a quote would not be found again; where a code fence is open, its line is named.
    """
    if proven(parse_canvas(path, text)).issuperset(digests):
        return
    line = open_fence(known.body) if known else None
    why = f": the code fence of line {known.body_line + line - 1} is never closed" if known and line else ""
    raise WrongInput(f"{path}: the quote would not be found again{why}", "Correct the canvas first.")


def proven(canvas: Canvas) -> set[str]:
    """Return the bare hashes that a canvas proves."""
    return {one.declared for one in blockquotes(canvas.body) if one.declared and proven_text(one) is not None}
