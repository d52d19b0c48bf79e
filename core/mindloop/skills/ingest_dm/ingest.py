"""/ingest-dm: what one user said in an export of direct messages, into the index and onto the user's canvas.

The export is read before any lock is taken. Everything that changes is one change: the records, the canvas, the outcome
of the message that was replied to, and the run whose one question a judge answers later.
"""

from __future__ import annotations

from mindloop.observer.canvas.edit import insert_quotes, new_canvas, quote_lines
from mindloop.observer.canvas.parse import parse_canvas
from mindloop.observer.canvas.reading import check_length, load_canvases
from mindloop.observer.exports.stamps import Stamps
from mindloop.observer.intake.messages import hear
from mindloop.observer.intake.repeated import OurWords
from mindloop.observer.layout import layout_of
from mindloop.observer.lines import counted, excerpt, one_line
from mindloop.observer.names import display_name, fold, slug
from mindloop.observer.provenance.bulk import Index, Source
from mindloop.observer.provenance.own_canvas import (
    attribution,
    canvas_of,
    check_found,
    check_wallet,
    extended,
    proven,
)
from mindloop.skills.ingest_dm import SKILL
from mindloop.skills.ingest_dm.ours import sent_to
from mindloop.store.clock import stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from datetime import datetime

    from mindloop.observer.canvas.reading import Canvas
    from mindloop.observer.exports.reading import Export
    from mindloop.observer.intake.messages import Heard
    from mindloop.observer.packet.manifest import OtherCanvases
    from mindloop.observer.provenance.bulk import Disputed
    from mindloop.observer.provenance.said import Said
    from mindloop.store.transaction import Transaction
    from mindloop.store.workspace import Workspace

_FIELDS = ("updated", "last_enriched")
_MARGIN = 4_096
"""Bytes of a canvas that are left free, so that its header can still be rewritten."""
_NAME_LIMIT = 200


class Wanted:
    """What one ingestion is asked for.

    Attributes:
        user: whose words, as a name.
        wallet: the user's wallet; fills an empty one, never replaces another.
        sender: the user's name in the export, where it is another one.
        operator: our own name in the export.
        zone: the time zone of stamps without one, a name like ``Europe/Berlin``.
        order: ``dmy`` or ``mdy`` for dates that can be read both ways.
        responds_to: id of the message that the user replied to.
        quality: how much the reply says: ``high``, ``medium``, ``low``.
        ask: whether a judge is asked which quotes matter.
    """

    __slots__ = ("ask", "operator", "order", "quality", "responds_to", "sender", "user", "wallet", "zone")

    def __init__(
        self,
        user: str,
        *,
        wallet: str | None = None,
        sender: str | None = None,
        operator: str | None = None,
        zone: str | None = None,
        order: str | None = None,
        responds_to: str | None = None,
        quality: str | None = None,
        ask: bool = True,
    ) -> None:
        self.user = display_name(user)
        self.wallet = wallet
        self.sender = sender
        self.operator = operator
        self.zone = zone
        self.order = order
        self.responds_to = responds_to
        self.quality = quality
        self.ask = ask


class Ingested:
    """What came of it.

    Attributes:
        user, path: whose canvas, and where it is or would be.
        created: whether the canvas is new.
        heard: what the export said.
        new: quotes that the index took; better: known ones of which it knows the time better now; replies: records of
            words that are known, or taken anyhow, but answer a message of ours, by its token; again: records of such
            words that were said again since a message of ours that waits for a reply.
        shown: quotes put on the canvas.
        thread: the conversation that the records of what was taken name, or None where nothing was.
        packet: reference of the question, ``packet:RUN/ITEM``, or None; ``run`` its run.
        outcome: what became of the message that was replied to: ``responded``, or None.
        notes: what was left out, not understood or not done, a sentence each.
    """

    __slots__ = (
        "again",
        "better",
        "created",
        "heard",
        "new",
        "notes",
        "outcome",
        "packet",
        "path",
        "replies",
        "run",
        "shown",
        "thread",
        "user",
    )

    def __init__(self, user: str, path: str, heard: Heard) -> None:
        self.user = user
        self.path = path
        self.heard = heard
        self.created = False
        self.new = 0
        self.better = 0
        self.replies = 0
        self.again = 0
        self.shown = 0
        self.thread: str | None = None
        self.run: str | None = None
        self.packet: str | None = None
        self.outcome: str | None = None
        self.notes = list(heard.notes)


def ingest(workspace: Workspace, export: Export, name: str, wanted: Wanted, now: datetime) -> Ingested:
    """Ingest an export for one user; a second time with the same export changes nothing.

    Args:
        workspace: where it goes.
        export: the opened export.
        name: base name of its file, for the records.
        wanted: what is asked for.
        now: the instant of the command.

    Raises:
        WrongInput: no such sender, a wallet that is none or another one, an id that is none, an unknown zone.
        InvalidCanvas: the user's canvas cannot be read; nothing is changed.
    """
    check_wallet(wanted.wallet)
    if wanted.responds_to is not None or wanted.quality is not None:
        from mindloop.skills.ingest_dm.reply import check_reply  # growth is read only where a reply may be in it

        check_reply(wanted.responds_to, wanted.quality)
    stamps = Stamps(zone=wanted.zone, order=wanted.order, now=now)
    notes: list[str] = []
    sent = OurWords(dated=sent_to(workspace, wanted.user, notes))
    heard = hear(
        export,
        stamps,
        user=wanted.user,
        sender=wanted.sender,
        operator=wanted.operator,
        sent=sent,
        known=lambda: _others_known(workspace, wanted.user),
    )
    heard.notes += notes
    others = None
    if wanted.ask and heard.said:
        from mindloop.observer.packet.others import others_of

        others = others_of(workspace)
    asking = () if others is None else (f"agent:{workspace.settings.get('agent')}",)
    with workspace.transaction(*asking, "research", f"user:{slug(wanted.user)}") as tx:
        return _Ingestion(tx, wanted, now).run(heard, one_line(name, _NAME_LIMIT), others)


def _others_known(workspace: Workspace, user: str) -> set[str]:
    """The folded names of all other users: whoever has a canvas or records."""
    from mindloop.observer.provenance.by_user import lines_by_user

    data = workspace.read(layout_of(workspace).provenance_index) or b""
    canvases = {fold(one.user_guess) for one in load_canvases(workspace)}
    return (canvases | lines_by_user(data).keys()) - {fold(user)}


class _Ingestion:
    """One ingestion under its locks."""

    __slots__ = ("canvas", "now", "path", "tx", "user", "wanted")

    def __init__(self, tx: Transaction, wanted: Wanted, now: datetime) -> None:
        self.tx = tx
        self.wanted = wanted
        self.now = now
        self.canvas = canvas_of(tx, wanted.user)
        self.user = self.canvas.user if self.canvas else wanted.user
        self.path = self.canvas.path if self.canvas else layout_of(tx).canvas(slug(wanted.user))

    def run(self, heard: Heard, name: str, others: OtherCanvases | None) -> Ingested:
        """Stage all of it."""
        done = Ingested(self.user, self.path, heard)
        new = self._index(done, heard, name)
        canvas = self._write_canvas(done, new, heard.platform.label)
        if self.wanted.responds_to:
            from mindloop.skills.ingest_dm.reply import record_reply

            done.outcome, notes = record_reply(
                self.tx, self.user, self.wanted.responds_to, self.wanted.quality, heard=heard, now=self.now
            )
            done.notes += notes
        if new and others is not None and canvas is not None:
            from mindloop.skills.ingest_dm.asking import ask

            ask(self.tx, done, canvas, new, heard.platform.label, others, self.now)
        return done

    def _index(self, done: Ingested, heard: Heard, name: str) -> list[Said]:
        """Put into the index what it does not know; return what is new, oldest first."""
        platform = heard.platform
        thread = f"thread-{platform.thread}-{slug(self.user)}-{heard.day}"
        source = Source(self.user, platform.source_type, SKILL, name, thread, self.now)
        index = Index(self.tx, self.user)
        gate = index.gate(heard.said, lambda: self._waiting_since(done))
        taken = {id(one) for one in gate.taken}
        index.add(source, (one for one in heard.said if id(one) in taken))
        done.new, done.better, done.replies = len(gate.new), len(gate.better), len(gate.replies)
        done.again = len(gate.again)
        done.thread = thread if taken else None
        if gate.disputed:
            done.notes.append(_dispute(gate.disputed, layout_of(self.tx).provenance_index))
        fresh = {id(one) for one in gate.new}
        return [one for one in heard.said if id(one) in fresh]

    def _waiting_since(self, done: Ingested) -> list[str]:
        from mindloop.skills.ingest_dm.reply import waiting_since

        return waiting_since(self.tx, self.user, done.notes)

    def _write_canvas(self, done: Ingested, new: list[Said], label: str) -> Canvas | None:
        """Put the newest of the new quotes onto the canvas; return the canvas as it will be."""
        if not new:
            return self._with_wallet()
        known = self.canvas
        text = (
            extended(self.tx, known, self.wanted.wallet, self.now, _FIELDS)
            if known
            else new_canvas(self.user, self.wanted.wallet, stamp(self.now), SKILL, stamp(self.now))
        )
        standing = proven(known) if known else set()
        quotes = self._fitting([one for one in new if one.digest not in standing], len(text.encode()), label, done)
        if known and not quotes:
            return self._with_wallet()
        text = insert_quotes(text, [lines for _, lines in quotes])
        check_length(self.tx, self.path, len(text.encode()))
        check_found(known, self.path, text, [one.digest for one, _ in quotes])
        self.tx.write(self.path, text)
        done.created, done.shown = known is None, len(quotes)
        return parse_canvas(self.path, text)

    def _with_wallet(self) -> Canvas | None:
        """Fill an empty wallet even where nothing new was said."""
        if self.canvas and self.wanted.wallet and not self.canvas.wallet:
            self.tx.write(self.path, extended(self.tx, self.canvas, self.wanted.wallet, self.now))
        elif self.canvas and self.wanted.wallet:
            extended(self.tx, self.canvas, self.wanted.wallet, self.now, ())
        return self.canvas

    def _fitting(self, new: list[Said], size: int, label: str, done: Ingested) -> list[tuple[Said, list[str]]]:
        """Choose the newest that the canvas may hold, and say how many stay in the index alone."""
        settings = self.tx.settings
        room = int(settings.get("observer.canvas_max_bytes")) - size - _MARGIN
        most = int(settings.get("observer.ingest.max_quotes"))
        chosen: list[tuple[Said, list[str]]] = []
        for one in reversed(new[-most:] if most else []):
            lines = quote_lines(one.text, attribution(label, one.moment), one.digest)
            room -= sum(len(line.encode()) + 2 for line in lines) + 2
            if room < 0:
                break
            chosen.append((one, lines))
        left = len(new) - len(chosen)
        if left:
            done.notes.append(
                f"{counted(left, 'older quote')} in the index alone: the canvas takes {most} of one export (setting "
                "observer.ingest.max_quotes), and no more than observer.canvas_max_bytes allows"
            )
        return chosen[::-1]


def _dispute(found: Disputed, index: str) -> str:
    """Say of how many quotes the same stamp is read to another time than is on record, and of one how."""
    written, then = excerpt(found.said.raw or "", 40), excerpt(found.moment, 20)
    return (
        f"{counted(len(found.digests), 'known quote')} would get another time now, by the same stamp: {written!r} is "
        f"{then} on record, and {found.said.moment} as it is read now (--tz, --date-order); the record stays. If it is "
        f"wrong, correct source_timestamp of {excerpt(found.record, 80)} in {index}"
    )
