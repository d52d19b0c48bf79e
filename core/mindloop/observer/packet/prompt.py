"""The packet: the exact prompt that one isolated writer gets about one user (follow-up, steps 2h and 3).

The prompt text lives in ``core/config/gaps/follow-up.md``. It is cut at its placeholders once, and the parts are joined
in one pass: a canvas that holds ``{score_snapshot}`` or any other brace stays the text it is.
"""

from __future__ import annotations

import json
import re

from mindloop.observer.lines import SURROGATE, one_line
from mindloop.observer.sanitizer import neutralize_sections
from mindloop.store.resources import read_resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from mindloop.observer.types import GrowthSummary, Quote, TemporalEntry

TEMPLATE = "config/gaps/follow-up.md"
# Fixed by the source document, so not ours to improve: the names of the sections ("TRUSTED DATA" over the score
# snapshot, too, though it is neutralised like everything else), the field name quote_preview for the full text, the
# bounds 20 and 60 of the sentence on patterns (the lists above it are made at < 20 and >= 60), and quotes_used in the
# answer, which is asked for and recomputed. The limits of the last section are those that the answer's checks enforce.

_LINE_LIMIT = 300
_MARK = re.compile(r"^\{\{([#/])(growth|cognition)\}\}\n|\{([a-z_]+)\}", re.MULTILINE)
_JSON_LINE_BREAKS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}


class PacketParts:
    """What one user's prompt is made of; all of it is treated as untrusted, the score snapshot like the rest.

    Attributes:
        user: display name.
        canvas_basename: file name of the user's canvas, ``bob-canvas.md``.
        canvas_body: the canvas, as it stands in the file.
        score_snapshot: what the score command printed, unparsed.
        quotes: the whole registry; only verified entries reach the prompt.
        temporal: what each hash may claim, by bare hash.
        chronicle: summaries of releases, one text.
        prior: earlier follow-ups of this user; empty when there are none.
        growth: the growth summary, or None where growth is off or has nothing yet.
        cognition: rendered fears and steering targets, or None.
    """

    __slots__ = (
        "canvas_basename",
        "canvas_body",
        "chronicle",
        "cognition",
        "growth",
        "prior",
        "quotes",
        "score_snapshot",
        "temporal",
        "user",
    )

    def __init__(
        self,
        *,
        user: str,
        canvas_basename: str,
        canvas_body: str,
        score_snapshot: str,
        quotes: list[Quote],
        temporal: Mapping[str, TemporalEntry],
        chronicle: str = "",
        prior: str = "",
        growth: GrowthSummary | None = None,
        cognition: str | None = None,
    ) -> None:
        self.user = user
        self.canvas_basename = canvas_basename
        self.canvas_body = canvas_body
        self.score_snapshot = score_snapshot
        self.quotes = quotes
        self.temporal = temporal
        self.chronicle = chronicle
        self.prior = prior
        self.growth = growth
        self.cognition = cognition


def assemble(parts: PacketParts, template: str | None = None) -> str:
    """Return the prompt of one user; it always has a UTF-8 form.

    Args:
        parts: the user's data.
        template: the prompt text with its placeholders; the shipped one by default.

    Growth or cognition of None leave their section out, down to the last byte. Lines of untrusted text that look like
    the start of a section (``===``) are made harmless; halves of surrogate pairs become U+FFFD.
    """
    values = _values(parts)
    hidden = {name for name in ("growth", "cognition") if getattr(parts, name) is None}
    out: list[str] = []
    section = ""
    for literal, mark, name in _pieces(template):
        if section not in hidden:
            out.append(literal)
        if mark:
            section = name if mark == "#" else ""
        elif name and section not in hidden:
            out.append(values[name])
    return "".join(out)


_shipped: list[tuple[str, str, str]] = []


def _pieces(template: str | None) -> list[tuple[str, str, str]]:
    """Return the template as (text before, "#" or "/" or "", name); the shipped one is cut once a process."""
    if template is not None:
        return _cut(template)
    if not _shipped:
        _shipped.extend(_cut(read_resource(TEMPLATE)))
    return _shipped


def _cut(template: str) -> list[tuple[str, str, str]]:
    pieces, at = [], 0
    for match in _MARK.finditer(template):
        mark, section, placeholder = match.groups()
        pieces.append((template[at : match.start()], mark or "", section or placeholder))
        at = match.end()
    pieces.append((template[at:], "", ""))
    return pieces


def _values(parts: PacketParts) -> dict[str, str]:
    values = {
        "user": _line(parts.user),
        "canvas_basename": _one_name(parts.canvas_basename),
        "canvas_body": _untrusted(parts.canvas_body),
        "score_snapshot": _untrusted(parts.score_snapshot),
        "verified_quotes_json": _json(verified_entries(parts.quotes)),
        "temporal_lookup_json": _json(temporal_entries(parts.temporal)),
        "chronicle_summaries": _untrusted(parts.chronicle),
        "user_prior_followups": _untrusted(parts.prior) or "(none)",
        "cognition": _untrusted(parts.cognition or ""),
    }
    if parts.growth is not None:
        values |= _growth_values(parts.growth)
    return values


def verified_entries(quotes: list[Quote]) -> list[dict[str, str | None]]:
    """Return the registry as the writer sees it: verified quotes only, in its order, ``sha256:`` in front."""
    return [
        {
            "hash": f"sha256:{quote['hash']}",
            "quote_preview": quote["quote_text"],
            "confidence": quote["confidence"],
            "source_timestamp": quote["source_timestamp"],
        }
        for quote in quotes
        if quote["hash_verified"]
    ]


def temporal_entries(temporal: Mapping[str, TemporalEntry]) -> dict[str, dict[str, object]]:
    """Return the temporal table as the writer sees it: sorted by hash, ``sha256:`` in front, fields in one order."""
    fields = ("version_attribution_allowed", "chronicle_ref", "release_name", "reason")
    return {
        f"sha256:{key}": {name: _flat(entry.get(name)) for name in fields if name in entry}
        for key, entry in sorted(temporal.items())
    }


def _flat(value: object) -> object:
    return _line(value) if isinstance(value, str) else value


def _growth_values(growth: GrowthSummary) -> dict[str, str]:
    pending = [f"{item['id']}: {item['hypothesis']} (sent {item['sent_at']})" for item in growth["pending_followups"]]
    return {
        "decay_warnings": _bullets(growth["decay_warnings"], "None — all hypotheses receiving evidence."),
        "excluded_hypotheses": _bullets(growth["excluded_hypotheses"], "None."),
        "effective_patterns": _line(", ".join(growth["effective_patterns"])) or "insufficient data",
        "ineffective_patterns": _line(", ".join(growth["ineffective_patterns"])) or "insufficient data",
        "pending_followups": _bullets(pending, "No outstanding follow-ups."),
        "score_changes": _score_changes(growth["score_delta"]),
    }


def _bullets(lines: list[str], nothing: str) -> str:
    return "\n".join(f"- {_line(line)}" for line in lines) or nothing


def _score_changes(delta: list[dict[str, object]] | None) -> str:
    if not delta:
        return "No significant score changes."
    changes = "\n".join(
        f"- {_line(change['dim'])}: {_number(change['from'])}→{_number(change['to'])} ({_number(change['diff'], '+')})"
        for change in delta
    )
    return f"{changes}\nSuggests continued engagement."


def _number(value: object, sign: str = "") -> str:
    return f"{value:{sign}g}" if isinstance(value, int | float) else _line(value)


def _line(value: object) -> str:
    return _whole(one_line(str(value), _LINE_LIMIT))


def _one_name(name: str) -> str:
    """Keep a file name on its line; where that changes the name, the manifest's own check refuses the prompt."""
    return _whole(" ".join(name.splitlines()))


def _untrusted(text: str) -> str:
    return _whole(neutralize_sections(text)).strip("\n")


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return _whole(text.translate(_JSON_LINE_BREAKS))


def _whole(text: str) -> str:
    """Replace halves of surrogate pairs, which no encoder takes."""
    return text if text.isascii() else SURROGATE.sub("\ufffd", text)
