"""Checks of the canvases: whether they can be used, what is left of their template, whether their quotes verify."""

from __future__ import annotations

from mindloop.observer.canvas.reading import load_canvases
from mindloop.observer.canvas.sections import visible_rows
from mindloop.observer.layout import layout_of
from mindloop.observer.names import fold
from mindloop.observer.wallets import digits
from mindloop.store.checkup import INFO, WARNING, Finding, refused
from mindloop.store.errors import MindloopError
from mindloop.store.lazy_patterns import when_used
from mindloop.store.second_reader import interop_problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindloop.observer.canvas.reading import Canvas, CanvasFile
    from mindloop.store.checkup import Look

_QUOTE_LINE = when_used(r" {0,3}>")
_TEMPLATE = when_used(
    r"\{\{[^{}\n]{0,80}\}\}|\[prov:PLACEHOLDER\]|prov:sha256:PLACEHOLDER"
    r"|\*\*Confidence\*\*:[ \t]*Low[ \t]*\|[ \t]*Medium"
)


def canvases_of(look: Look) -> list[CanvasFile]:
    """Return all canvas files, read once an examination."""
    return look.once("canvases", load_canvases)


def check_canvases(look: Look) -> Iterator[Finding]:
    """Report canvases that cannot be used (a second one of a user is one of them), and what was passed over."""
    for one in canvases_of(look):
        if one.error:
            yield refused(one.error, one.path)
        for remark in one.canvas.remarks if one.canvas else ():
            # What concerns one line of the body costs a trigger; what concerns the header costs the user's place.
            yield Finding(INFO if remark.line else WARNING, one.path, remark.line, remark.text)


def check_shared_wallets(look: Look) -> Iterator[Finding]:
    """Mention a wallet that several canvases name: their scores are the same."""
    owners: dict[str, list[Canvas]] = {}
    for one in canvases_of(look):
        key = digits(one.canvas.wallet) if one.canvas else None
        if one.canvas and key:
            owners.setdefault(key, []).append(one.canvas)
    for first, *others in owners.values():
        if others:
            names = ", ".join(other.user for other in others[:5])
            yield Finding(INFO, first.path, None, f"the wallet of {first.user} is that of {names} too")


def check_template_rests(look: Look) -> Iterator[Finding]:
    """Mention placeholders that nobody filled in."""
    for one in canvases_of(look):
        found = list(template_rests(one.canvas)) if one.canvas else []
        if found:
            line, text = found[0]
            more = f" and {len(found) - 1} more" if len(found) > 1 else ""
            yield Finding(INFO, one.path, line, f"left of the template: {text}{more}")


def template_rests(canvas: Canvas) -> Iterator[tuple[int, str]]:
    """Yield (line of the file, placeholder) for each one outside fenced code and quotes: people may say braces."""
    for row in visible_rows(canvas.body):
        if row and not _QUOTE_LINE.match(row.text):
            for match in _TEMPLATE.finditer(row.text):
                yield canvas.body_line + row.number - 1, match.group()


def check_headers(look: Look) -> Iterator[Finding]:
    """Mention headers that other tools read differently; mindloop reads what is written."""
    for rel in _notes(look):
        try:
            text = look.ws.read_text(rel)
        except MindloopError:
            continue  # reported where the file is read
        problem = interop_problem(text or "")
        if problem:
            yield Finding(INFO, rel, None, problem)


def _notes(look: Look) -> Iterator[str]:
    yield from (one.path for one in canvases_of(look) if one.canvas)
    layout = layout_of(look.ws)
    limit = int(look.ws.settings.get("observer.canvas_max_bytes"))
    for rel in look.ws.tree(layout.chronicle_dir, ".md"):
        if (look.ws.size(rel) or 0) <= limit:
            yield rel


def known_users(look: Look) -> dict[str, str]:
    """Return folded name to display name of everybody who has a canvas, usable or not."""
    files = canvases_of(look)
    return {fold(one.user_guess): one.canvas.user if one.canvas else one.user_guess for one in files}
