"""Reading the chronicle: one Markdown note a release, the only source on releases (follow-up, step 1)."""

from __future__ import annotations

import re

from mindloop.observer.layout import layout_of
from mindloop.observer.lines import clean_line, one_line
from mindloop.store import front_matter
from mindloop.store.clock import parse_instant, stamp
from mindloop.store.errors import MindloopError, StoreFailure, WrongInput
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from mindloop.observer.types import Release
    from mindloop.store.files import Files

RELEASED = "system.app.released"
AS_A_DATE = "Write it as 2026-02-11 or 2026-02-11T14:23:00Z."
ENTRY_LIMIT = 1_000_000
ID_LENGTH = 120
_TITLE_LENGTH = 160
_SUMMARY_LENGTH = 240
_HEADING = when_used(r"^#[ \t]+(.*)$", re.MULTILINE)
_SECTION_MARK = when_used("={3,}")


def title_line(text: str) -> str:
    """A title as prompts and files show it: one line, nothing in it that could look like a section of a prompt."""
    return _SECTION_MARK.sub("==", one_line(text, _TITLE_LENGTH))


def summary_line(text: str) -> str:
    """A summary likewise, a little longer."""
    return _SECTION_MARK.sub("==", one_line(text, _SUMMARY_LENGTH))


def load_releases(source: Files, *, complete: bool = False) -> tuple[list[Release], list[str]]:
    """Every release of the chronicle, by start and id, with a warning for each entry that cannot be used.

    Entries of another taxonomy than ``system.app.released…`` are no releases and are passed over in silence.

    Args:
        source: where the entries are.
        complete: for those who write what they derive: an entry that the disk refuses to read is not a missing one.

    Raises:
        StoreFailure: with ``complete``, where the disk refuses.
    """
    releases: list[Release] = []
    warnings: list[str] = []
    for rel in source.tree(layout_of(source).chronicle_dir, ".md"):
        try:
            release = read_entry(source.read_text(rel, ENTRY_LIMIT) or "", rel)
        except MindloopError as error:
            if complete and isinstance(error, StoreFailure):
                raise
            warnings.append(f"{error.message}; the entry is left out")
            continue
        if release is not None:
            releases.append(release)
    return in_order(releases), warnings + _shared_ids(releases)


def in_order(releases: Iterable[Release]) -> list[Release]:
    """The releases by start and id."""
    return sorted(releases, key=lambda release: (release["start"], release["id"]))


def _shared_ids(releases: Iterable[Release]) -> list[str]:
    places: dict[str, list[str]] = {}
    for release in releases:
        places.setdefault(release["id"], []).append(release["source"])
    return [f"{', '.join(rels)}: the same id {name!r}" for name, rels in places.items() if len(rels) > 1]


def read_entry(text: str, rel: str) -> Release | None:
    """The release that an entry describes; None where it is about something else.

    Raises:
        WrongInput: the entry is a release and lacks an id or a start, or its front matter is broken.
    """
    meta, body = front_matter.parse(text, rel)
    taxonomy = clean_line(str(meta.get("taxonomy") or ""))
    if not taxonomy.startswith(RELEASED):
        return None
    name = one_line(str(meta.get("id") or ""), ID_LENGTH)
    if not name:
        raise WrongInput(f"{rel}: a release without an id", "Add a line `id:` to its header.")
    time = meta.get("time")
    start = parse_instant(text_at(time, "start"))
    if start is None:
        raise WrongInput(
            f"{rel}: time.start is {text_at(time, 'start')!r}; expected a date or an ISO 8601 instant", AS_A_DATE
        )
    end = parse_instant(text_at(time, "end"))
    return {
        "id": name,
        "taxonomy": taxonomy,
        "title": _title(meta, body, name),
        "start": stamp(start),
        "end": stamp(end) if end else None,
        "confidence": clean_line(str(meta["confidence"])) if meta.get("confidence") else None,
        "source": rel,
        "url": clean_line(str(meta["url"])) if meta.get("url") else None,
        "summary": _summary(meta, body),
    }


def text_at(time: object, key: str) -> str | None:
    """A text field of ``time``, whatever the file holds there."""
    value = time.get(key) if isinstance(time, dict) else None
    return value if isinstance(value, str) else None


def _title(meta: dict[str, object], body: str, name: str) -> str:
    heading = _HEADING.search(body)
    given = meta.get("title")
    candidates = (given if isinstance(given, str) else "", heading.group(1) if heading else "", name)
    return next(filter(None, map(title_line, candidates)), "release")


def _summary(meta: dict[str, object], body: str) -> str:
    """The entry's own summary, else the first line of its text."""
    given = meta.get("summary")
    if not isinstance(given, str):
        lines = (line.strip() for line in body.split("\n"))
        given = next((line for line in lines if line and not line.startswith("#")), "")
    return summary_line(given)
