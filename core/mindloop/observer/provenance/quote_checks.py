"""Checks of the quotes on canvases: whether their words are what was hashed, and what proves nothing yet."""

from __future__ import annotations

from mindloop.observer.canvas.checks import canvases_of
from mindloop.observer.lines import excerpt
from mindloop.observer.provenance.checks import index_of
from mindloop.observer.provenance.verification import verify
from mindloop.store.checkup import ERROR, INFO, WARNING, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from mindloop.observer.provenance.verification import QuoteVerdict
    from mindloop.store.checkup import Look


def check_quotes(look: Look) -> Iterator[Finding]:
    """Report quotes whose words are not what was hashed; count those without a proof or without a record."""
    by_file: dict[str, list[QuoteVerdict]] = {}
    for quote in verify(canvases_of(look), index_of(look)):
        by_file.setdefault(quote.path, []).append(quote)
    for path, quotes in by_file.items():
        for quote in quotes:
            if quote.status == "mismatch":
                shown = excerpt(quote.text, 60)
                yield Finding(ERROR, path, quote.line, f"the quote {shown!r} does not fit its hash: {quote.hint}")
        yield from _counted(path, quotes)


def _counted(path: str, quotes: list[QuoteVerdict]) -> Iterator[Finding]:
    unmarked = [quote for quote in quotes if quote.status == "unmarked"]
    if unmarked:
        known = sum(bool(quote.hint) for quote in unmarked)
        aside = f"; the index knows {known} of them, `provenance.py verify` prints the comments to add" if known else ""
        what = f"{_number(unmarked)} without a provenance comment{aside}"
        yield Finding(INFO, path, unmarked[0].line, what)
    unknown = [quote for quote in quotes if quote.status == "verified" and not quote.in_index]
    for quote in unknown:
        if quote.elsewhere:
            yield Finding(WARNING, path, quote.line, quote.hint)
    nowhere = [quote for quote in unknown if not quote.elsewhere]
    if nowhere:
        yield Finding(INFO, path, nowhere[0].line, f"{_number(nowhere)} proved by their hash, and in no index record")


def _number(quotes: list[QuoteVerdict]) -> str:
    return "1 quote" if len(quotes) == 1 else f"{len(quotes)} quotes"
