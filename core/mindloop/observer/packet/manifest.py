"""The manifest of a prompt and the checks that keep one user's data out of another's (follow-up, step 2h).

The checks run on every prompt against every canvas. What could name somebody is drawn out of the prompt once and looked
up in sets, so that 2,000 prompts against 2,000 canvases take seconds.
"""

from __future__ import annotations

import unicodedata

from mindloop.observer.names import fold
from mindloop.observer.wallets import DIGITS, digits
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from mindloop.observer.types import Quote, TemporalEntry

_SUFFIX = ".md"
_RUN = when_used(r"[\w.-]+")
_LONGEST_NAME = 255
_EDGE = frozenset("._-")
_ESCAPES = frozenset("nrtbf")
_HEX_RUN = when_used(r"[0-9A-Fa-f]{40,}")
_HEADING = when_used(r"##(?!#)\s+(.*?)\s*$")
_WIKI = when_used(r"\[\[([^\]|#\n]{1,300})")


def manifest(
    *,
    canvas_path: str,
    wallet: str | None,
    user: str,
    quotes: Iterable[Quote],
    temporal: Mapping[str, TemporalEntry],
    prior_followup_count: int,
    growth_summary_present: bool,
    cognition_status: str,
    fear_count: int = 0,
    steering_target_count: int = 0,
) -> dict[str, object]:
    """Return what a prompt was made of, for the audit log: counts and names, no text of the user's."""
    return {
        "canvas_path": canvas_path,
        "wallet": wallet,
        "user": user,
        "verified_quote_count": sum(1 for quote in quotes if quote["hash_verified"]),
        "temporal_allowed_count": sum(1 for entry in temporal.values() if entry["version_attribution_allowed"]),
        "prior_followup_count": prior_followup_count,
        "growth_summary_present": growth_summary_present,
        "cognition_status": cognition_status,
        "fear_count": fear_count,
        "steering_target_count": steering_target_count,
    }


class OtherCanvases:
    """The names, wallets and users of ALL canvases, prepared once; a prompt's own are left out when it is checked.

    Args:
        basenames: file names of all canvases, ``.md`` included.
        wallets: their wallets as written; empty, null and placeholder ones are ignored.
        users: their display names.
    """

    __slots__ = ("_basenames", "_lengths", "_users", "_wallets")

    def __init__(self, basenames: Iterable[str], wallets: Iterable[str | None], users: Iterable[str]) -> None:
        self._basenames = {unicodedata.normalize("NFC", name) for name in basenames}
        odd = (name for name in self._basenames if not _RUN.fullmatch(name))
        self._lengths = sorted({len(name) for name in odd})
        self._wallets = {body for body in map(digits, wallets) if body}
        self._users = {fold(user): user for user in users}

    def named(self, mention: Mention) -> Iterator[str]:
        """Yield the canvas files that a mention names."""
        for name in mention.candidates():
            if name in self._basenames:
                yield name
        for length in self._lengths:
            name = mention.ending(length)
            if name in self._basenames:
                yield name

    def is_canvas(self, basename: str) -> bool:
        """Tell whether there is a canvas file of that name."""
        return unicodedata.normalize("NFC", basename) in self._basenames

    def wallets_in(self, prompt: str, hashes: Collection[str] = ()) -> set[str]:
        """Return the bodies of known wallets that stand anywhere in the prompt, inside longer hex numbers too.

        Only ``hashes`` are not looked into, where they stand whole: somebody's wallet may begin like one.
        """
        runs = {run.lower() for run in _HEX_RUN.findall(prompt)}.difference(hashes)
        return {body for run in runs for body in _windows(run) if body in self._wallets}

    def user_of(self, heading: str) -> str | None:
        """Return the user whose name a heading is, or None."""
        return self._users.get(fold(heading))


def violations(
    prompt: str,
    own: tuple[str, str | None, str],
    others: OtherCanvases,
    prior: str = "",
    hashes: Collection[str] = (),
) -> list[str]:
    """Return what breaks the isolation of a prompt; empty when it may be sent.

    Args:
        prompt: the assembled prompt.
        own: base name, wallet and display name of the prompt's user.
        others: all canvases, the user's own among them.
        prior: the user's earlier follow-ups, as they went into the prompt.
        hashes: of the user's own quotes, bare: mindloop wrote them there, they are nobody's wallet.

    1. The own base name occurs exactly once. 2. No other base name occurs. 3. No other wallet occurs, in any spelling
    of its 40 hex digits. 4. The prior text has no second-level heading of another user.

    A base name counts where it stands by itself: letters, digits and ``._-`` beside it make it part of another name,
    unless what stands beside it is only punctuation at the edge of a word, as in ``see bob-canvas.md.`` Where two names
    fit one place, such as ``bob-canvas.md`` in ``_bob-canvas.md``, the user's own is meant.
    """
    basename, wallet, user = own
    return [
        *_basename_violations(prompt, unicodedata.normalize("NFC", basename), others),
        *_wallet_violations(wallet, others.wallets_in(prompt, hashes)),
        *_heading_violations(prior, user, others),
    ]


def wiki_mentions(prompt: str, own_basename: str, others: OtherCanvases) -> list[str]:
    """Return canvases that the prompt links to as ``[[canvas/name]]``: for the log, no violation."""
    stems = {match.rsplit("/", 1)[-1].strip() for match in _WIKI.findall(prompt)}
    names = sorted(f"{stem}{_SUFFIX}" for stem in stems)
    return [name for name in names if name != own_basename and others.is_canvas(name)]


class Mention:
    """A run of name characters in a prompt that may end the name of a canvas file."""

    __slots__ = ("end", "start", "text")

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text = text
        self.start = start
        self.end = end

    def candidates(self) -> Iterator[str]:
        """Yield the run, the run without the letter of an escape in front (line break), both without punctuation."""
        starts = [self.start]
        if self.start and self.text[self.start - 1] == "\\" and self.text[self.start] in _ESCAPES:
            starts.append(self.start + 1)
        for start in starts:
            run = self.text[start : self.end]
            first_letter = len(run) - len(run.lstrip("._-"))
            if len(run) - first_letter <= _LONGEST_NAME:
                for at in range(max(0, len(run) - _LONGEST_NAME), first_letter + 1):
                    yield run[at:]

    def ending(self, length: int) -> str:
        """Return the text of that length that ends here, longer than the run, from a boundary on; else nothing."""
        start = self.end - length
        fits = 0 <= start < self.start and _can_start(self.text, start)
        return self.text[start : self.end] if fits else ""

    def names(self, basename: str) -> bool:
        """Tell whether the mention names that file."""
        return basename in self.candidates() or self.ending(len(basename)) == basename


def _can_start(text: str, at: int) -> bool:
    """Tell whether a name can start at a place: no letter or digit before it, apart from those of an escape."""
    while at and text[at - 1] in _EDGE:
        at -= 1
    return not at or not text[at - 1].isalnum() or (text[at - 1] in _ESCAPES and text[at - 2 : at - 1] == "\\")


def _mentions(prompt: str) -> Iterator[Mention]:
    text = prompt if unicodedata.is_normalized("NFC", prompt) else unicodedata.normalize("NFC", prompt)
    at = text.find(_SUFFIX)
    while at >= 0:
        start = at
        while start and (text[start - 1].isalnum() or text[start - 1] in _EDGE):
            start -= 1
        match = _RUN.match(text, at)
        after = match.end() if match else at + 1
        yield Mention(text, start, start + len(text[start:after].rstrip("._-")))
        at = text.find(_SUFFIX, after)


def _basename_violations(prompt: str, basename: str, others: OtherCanvases) -> Iterator[str]:
    count = 0
    found: set[str] = set()
    for mention in _mentions(prompt):
        if mention.names(basename):
            count += 1
        else:
            found.update(others.named(mention))
    if count != 1:
        yield f"own_basename: {basename!a} occurs {count} times, expected exactly once"
    for name in sorted(found):
        yield f"other_basename: {name!a} occurs"


def _wallet_violations(wallet: str | None, found: Iterable[str]) -> Iterator[str]:
    own = digits(wallet)
    for body in sorted(found):
        if body != own:
            yield f"other_wallet: 0x{body} occurs"


def _heading_violations(prior: str, user: str, others: OtherCanvases) -> Iterator[str]:
    for heading in _headings(prior):
        other = others.user_of(heading)
        if other is not None and fold(other) != fold(user):
            yield f"other_heading: the prior section has a heading of {other!a}"


def _headings(text: str) -> Iterator[str]:
    if "##" not in text:
        return
    for line in text.splitlines():
        match = _HEADING.match(line)
        if match:
            yield match.group(1)


def _windows(run: str) -> Collection[str]:
    return [run[at : at + DIGITS] for at in range(len(run) - DIGITS + 1)]
