"""Checking every quote of every canvas against its hash and the index (``provenance.py verify``)."""

from __future__ import annotations

from mindloop.observer.canonical import content_hash
from mindloop.observer.canvas.reading import matches
from mindloop.observer.lines import excerpt
from mindloop.observer.provenance.drift import drift_hint
from mindloop.observer.provenance.quotes import blockquotes, proven_text
from mindloop.store.errors import WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.observer.canvas.reading import Canvas, CanvasFile
    from mindloop.observer.provenance.index import ProvenanceIndex
    from mindloop.observer.provenance.quotes import Blockquote


class QuoteVerdict:
    """What is known of one quote.

    Attributes:
        user, path, line: whose it is and where it starts in the file, from 1.
        status: ``verified``, ``mismatch``, ``unmarked``, or ``unreadable`` for a whole canvas.
        hash: the declared hash, or None.
        text: the quote on one line, cut to 120 characters.
        hint: what to know or do, or empty.
        in_index: whether the index has a record of this user with the declared hash.
        elsewhere: other users, folded, who have such a record where this one has none.
    """

    __slots__ = ("elsewhere", "hash", "hint", "in_index", "line", "path", "status", "text", "user")

    def __init__(self, user: str, path: str, line: int, status: str) -> None:
        self.user = user
        self.path = path
        self.line = line
        self.status = status
        self.hash: str | None = None
        self.text = ""
        self.hint = ""
        self.in_index = False
        self.elsewhere: list[str] = []


def verify(files: list[CanvasFile], index: ProvenanceIndex, user: str | None = None) -> list[QuoteVerdict]:
    """Check all quotes, or those of one user.

    Args:
        files: all canvases, as ``load_canvases`` read them.
        index: the provenance index, loaded with its texts for drift hints.
        user: whose quotes; everybody's where it is None.

    Returns:
        One verdict a quote, in the order of files and lines; a canvas that does not parse is one verdict.

    Raises:
        WrongInput: there is no canvas of that user.
    """
    chosen = [one for one in files if user is None or matches(one, user)]
    if user is not None and not chosen:
        raise WrongInput(f"no canvas of {excerpt(user, 80)!r}", "See whose there are: canvas.py list")
    return [verdict for one in chosen for verdict in _file(one, index)]


def _file(one: CanvasFile, index: ProvenanceIndex) -> list[QuoteVerdict]:
    if one.canvas is None:
        verdict = QuoteVerdict(one.user_guess, one.path, 1, "unreadable")
        verdict.hint = one.problem
        return [verdict]
    return verify_canvas(one.canvas, index)


def verify_canvas(canvas: Canvas, index: ProvenanceIndex) -> list[QuoteVerdict]:
    """Check the quotes of one canvas; ``index`` must have been loaded with its texts for drift hints."""
    known = _Known(canvas.user, index)
    return [_quote(canvas, block, known) for block in blockquotes(canvas.body)]


class _Known:
    """A user's records, looked up once a canvas."""

    __slots__ = ("hashes", "index", "records", "user")

    def __init__(self, user: str, index: ProvenanceIndex) -> None:
        self.user = user
        self.index = index
        self.records = index.for_user(user)
        self.hashes = {record["content_hash"] for record in self.records}


def _quote(canvas: Canvas, block: Blockquote, known: _Known) -> QuoteVerdict:
    proven = proven_text(block)
    verdict = QuoteVerdict(canvas.user, canvas.path, canvas.body_line + block.line - 1, _status(block, proven))
    verdict.hash = block.declared
    verdict.text = excerpt(block.display if proven is None else proven, 120)
    verdict.in_index = block.declared in known.hashes
    if verdict.status == "verified" and not verdict.in_index:
        verdict.elsewhere = known.index.others_with(block.declared or "", known.user)
    verdict.hint = _hint(verdict, block, known)
    return verdict


def _status(block: Blockquote, proven: str | None) -> str:
    if block.declared is None:
        return "unmarked"
    return "mismatch" if proven is None else "verified"


def _hint(verdict: QuoteVerdict, block: Blockquote, known: _Known) -> str:
    if verdict.status == "verified":
        return _verified_hint(verdict)
    return _mismatch_hint(block, known) if verdict.status == "mismatch" else _unmarked_hint(block, known)


def _verified_hint(verdict: QuoteVerdict) -> str:
    if verdict.in_index:
        return ""
    others = ", ".join(excerpt(one, 64) for one in verdict.elsewhere[:3])
    return f"the index has no such record for {verdict.user}" + (f"; it is there for {others}" if others else "")


def _mismatch_hint(block: Blockquote, known: _Known) -> str:
    hint = drift_hint(block.display, known.records)
    return hint or "the text is not what was hashed; copy it again from its source"


def _unmarked_hint(block: Blockquote, known: _Known) -> str:
    readings = map(content_hash, block.readings()) if known.hashes else ()
    digest = next((one for one in readings if one in known.hashes), None)
    return f"known to the index; to mark it, add below it: <!-- prov:sha256:{digest} -->" if digest else ""
