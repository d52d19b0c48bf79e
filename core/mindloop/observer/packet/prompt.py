"""The packet: the exact prompt that one isolated writer gets about one user (follow-up, steps 2h and 3).

The prompt text lives in ``core/config/gaps/follow-up.md``. It is cut at its placeholders once, and the parts are joined
in one pass: a canvas that holds ``{score_snapshot}`` or any other brace stays the text it is.
"""

from __future__ import annotations

from mindloop.observer.prompt_text import as_json, cut, filled, one_name, one_value, shipped, untrusted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from mindloop.observer.types import GrowthSummary, Quote, TemporalEntry

TEMPLATE = "config/gaps/follow-up.md"
# Fixed by the source document, so not ours to improve: the names of the sections ("TRUSTED DATA" over the score
# snapshot, too, though it is neutralised like everything else), the field name quote_preview for the full text, the
# bounds 20 and 60 of the sentence on patterns (the lists above it are made at < 20 and >= 60), and quotes_used in the
# answer, which is asked for and recomputed. The limits of the last section are those that the answer's checks enforce.


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
    hidden = {name for name in ("growth", "cognition") if getattr(parts, name) is None}
    return filled(shipped(TEMPLATE) if template is None else cut(template), _values(parts), hidden)


def _values(parts: PacketParts) -> dict[str, str]:
    values = {
        "user": one_value(parts.user),
        "canvas_basename": one_name(parts.canvas_basename),
        "canvas_body": untrusted(parts.canvas_body),
        "score_snapshot": untrusted(parts.score_snapshot),
        "verified_quotes_json": as_json(verified_entries(parts.quotes)),
        "temporal_lookup_json": as_json(temporal_entries(parts.temporal)),
        "chronicle_summaries": untrusted(parts.chronicle),
        "user_prior_followups": untrusted(parts.prior) or "(none)",
        "cognition": untrusted(parts.cognition or ""),
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
    return one_value(value) if isinstance(value, str) else value


def _growth_values(growth: GrowthSummary) -> dict[str, str]:
    pending = [f"{item['id']}: {item['hypothesis']} (sent {item['sent_at']})" for item in growth["pending_followups"]]
    return {
        "decay_warnings": _bullets(growth["decay_warnings"], "None — all hypotheses receiving evidence."),
        "excluded_hypotheses": _bullets(growth["excluded_hypotheses"], "None."),
        "effective_patterns": one_value(", ".join(growth["effective_patterns"])) or "insufficient data",
        "ineffective_patterns": one_value(", ".join(growth["ineffective_patterns"])) or "insufficient data",
        "pending_followups": _bullets(pending, "No outstanding follow-ups."),
        "score_changes": _score_changes(growth["score_delta"]),
    }


def _bullets(lines: list[str], nothing: str) -> str:
    return "\n".join(f"- {one_value(line)}" for line in lines) or nothing


def _score_changes(delta: list[dict[str, object]] | None) -> str:
    if not delta:
        return "No significant score changes."
    changes = "\n".join(_score_change(change) for change in delta)
    return f"{changes}\nSuggests continued engagement."


def _score_change(change: dict[str, object]) -> str:
    moved = f"{_number(change['from'])}→{_number(change['to'])}"
    return f"- {one_value(change['dim'])}: {moved} ({_number(change['diff'], '+')})"


def _number(value: object, sign: str = "") -> str:
    return f"{value:{sign}g}" if isinstance(value, int | float) else one_value(value)
