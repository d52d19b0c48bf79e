"""/observe with a question: one quote that a person gives, and what a judge makes of it, asked as for an export."""

from __future__ import annotations

from mindloop.observer.canvas.parse import parse_canvas
from mindloop.observer.lines import one_line
from mindloop.observer.names import display_name, slug
from mindloop.observer.packet.others import others_of
from mindloop.observer.provenance.observe import Observed, add_quote
from mindloop.observer.provenance.said import Said
from mindloop.skills.ingest_dm.asking import ask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from mindloop.store.workspace import Workspace

_SOURCE = "quote"
_SOURCE_LIMIT = 80


class Asked:
    """What was recorded, and what is asked about it.

    Attributes:
        seen: the quote's canvas and record.
        user: whose, as the canvas spells it.
        run, packet: the run and the reference of its question, ``packet:RUN/ITEM``; None where nothing may be asked.
        notes: why not.
    """

    __slots__ = ("notes", "packet", "run", "seen", "user")

    def __init__(self, seen: Observed) -> None:
        self.seen = seen
        self.user = str(seen.record["canvas_target"])
        self.run: str | None = None
        self.packet: str | None = None
        self.notes: list[str] = []


def observe_and_ask(  # noqa: PLR0917 - what a person says in one command
    workspace: Workspace,
    user: str,
    quote: str,
    wallet: str | None,
    context: str | None,
    date: str | None,
    now: datetime,
) -> Asked:
    """Record a quote as ``observe.add_quote`` does, and stage the question about it, in one change.

    Raises:
        Duplicate: this user's quote is in the index already; nothing is staged, nobody is asked.
        WrongInput, InvalidCanvas, StoreFailure: as ``add_quote``.
    """
    others = others_of(workspace)
    agent = str(workspace.settings.get("agent"))
    with workspace.transaction(f"agent:{agent}", "research", f"user:{slug(display_name(user))}") as tx:
        asked = Asked(add_quote(tx, user, quote, wallet, context, date, now))
        path, record = asked.seen.path, asked.seen.record
        said = Said(record["text"], record["source_timestamp"], record["source_timestamp_confidence"])
        canvas = parse_canvas(path, tx.read_text(path) or "")
        ask(tx, asked, canvas, [said], one_line(context or _SOURCE, _SOURCE_LIMIT), others, now)
    return asked
