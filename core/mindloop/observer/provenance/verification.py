"""Checking every quote of every canvas against its hash and the index (``provenance.py verify``)."""

from __future__ import annotations

from mindloop.observer.canonical import content_hash
from mindloop.observer.canvas.reading import load_canvases, matches
from mindloop.observer.lines import excerpt
from mindloop.observer.provenance.drift import drift_hint
from mindloop.observer.provenance.index import load_index
from mindloop.observer.provenance.quotes import blockquotes, proven_text
from mindloop.store.errors import WrongInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.observer.canvas.reading import Canvas, CanvasFile
    from mindloop.observer.provenance.index import ProvenanceIndex
    from mindloop.observer.provenance.quotes import Blockquote
    from mindloop.store.workspace import Workspace


class Finding:
    """What is known of one quote.

    Attributes:
        user, path, line: whose it is and where it starts in the file, from 1.
        status: ``verified``, ``mismatch``, ``unmarked``, or ``unreadable`` for a whole canvas.
        hash: the declared hash, or None.
        text: the quote on one line, cut to 120 characters.
        hint: what to know or do, or empty.
    """

    __slots__ = ("hash", "hint", "line", "path", "status", "text", "user")

    def __init__(self, user: str, path: str, line: int, status: str) -> None:
        self.user = user
        self.path = path
        self.line = line
        self.status = status
        self.hash: str | None = None
        self.text = ""
        self.hint = ""


def verify(workspace: Workspace, user: str | None = None) -> list[Finding]:
    """Check all quotes, or those of one user.

    Returns:
        One finding a quote, in the order of files and lines; a canvas that does not parse is one finding.

    Raises:
        WrongInput: there is no canvas of that user.
    """
    files = load_canvases(workspace)
    chosen = [one for one in files if user is None or matches(one, user)]
    if user is not None and not chosen:
        raise WrongInput(f"no canvas of {excerpt(user, 80)!r}", "`canvas list` shows whose there are.")
    index = load_index(workspace, keep_text=True)
    return [finding for one in chosen for finding in _file(one, index)]


def _file(one: CanvasFile, index: ProvenanceIndex) -> list[Finding]:
    if one.canvas is None:
        finding = Finding(one.user_guess, one.path, 1, "unreadable")
        finding.hint = one.error.message if one.error else ""
        return [finding]
    return verify_canvas(one.canvas, index)


def verify_canvas(canvas: Canvas, index: ProvenanceIndex) -> list[Finding]:
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


def _quote(canvas: Canvas, block: Blockquote, known: _Known) -> Finding:
    proven = proven_text(block)
    finding = Finding(canvas.user, canvas.path, canvas.body_line + block.line - 1, _status(block, proven))
    finding.hash = block.declared
    finding.text = excerpt(block.display if proven is None else proven, 120)
    finding.hint = _HINTS[finding.status](block, known)
    return finding


def _status(block: Blockquote, proven: str | None) -> str:
    if block.declared is None:
        return "unmarked"
    return "mismatch" if proven is None else "verified"


def _verified_hint(block: Blockquote, known: _Known) -> str:
    digest = block.declared or ""
    if digest in known.hashes:
        return ""
    others = known.index.others_with(digest, known.user)
    elsewhere = f"; it is there for {', '.join(excerpt(one, 64) for one in others[:3])}" if others else ""
    return f"the index has no such record for {known.user}{elsewhere}"


def _mismatch_hint(block: Blockquote, known: _Known) -> str:
    hint = drift_hint(block.display, known.records)
    return hint or "the text is not what was hashed; copy it again from its source"


def _unmarked_hint(block: Blockquote, known: _Known) -> str:
    readings = map(content_hash, block.readings()) if known.hashes else ()
    digest = next((one for one in readings if one in known.hashes), None)
    return f"known to the index; to mark it, add below it: <!-- prov:sha256:{digest} -->" if digest else ""


_HINTS = {"verified": _verified_hint, "mismatch": _mismatch_hint, "unmarked": _unmarked_hint}
