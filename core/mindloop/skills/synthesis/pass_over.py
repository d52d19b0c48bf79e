"""The pass over all users: one question about what they share, in a run of its own (--synthesize).

The judge gets computed vectors, never a canvas. Whatever goes wrong here costs the synthesis and nothing else.
"""

from __future__ import annotations

from mindloop.observer.canvas.reading import load_canvases, matches
from mindloop.observer.layout import layout_of
from mindloop.observer.provenance.index import load_index
from mindloop.observer.provenance.quotes import registry
from mindloop.observer.synthesis.question import default_answer, prompt
from mindloop.observer.synthesis.render import COGNITION, FOLLOW_UPS
from mindloop.observer.synthesis.vectors import Source, feature_vectors
from mindloop.protocol.gap import Gap
from mindloop.protocol.questions import Question, stage_run
from mindloop.protocol.run_files import read_item
from mindloop.skills.synthesis import JUDGE, SKILL
from mindloop.skills.synthesis.linked import ITEM
from mindloop.skills.synthesis.sidecars import Sidecars, is_recent
from mindloop.store.clock import parse_instant
from mindloop.store.errors import Malformed, MindloopError, Unreadable
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime
    from typing import Any

    from mindloop.observer.canvas.reading import Canvas, CanvasFile
    from mindloop.protocol.run_files import RunPlace
    from mindloop.store.transaction import Transaction
    from mindloop.store.workspace import Workspace

    Chosen = list[tuple[Canvas, dict[str, Any] | None]]
    Scores = dict[str, dict[str, str]]

__all__ = ["COGNITION", "FOLLOW_UPS", "MAX_FILLED", "MAX_USERS", "stage_synthesis"]

MAX_USERS = 300
"""Vectors in one prompt, which then has about 100,000 characters; who was enriched last goes first."""
MAX_FILLED = 10
"""Users without recent cognition who are compared all the same, by their canvas alone, where cognition is compared."""

_SCORE = when_used(r"(?:\A|, )(rank|og|nft|onchain) (-?[0-9]{1,15}(?:\.[0-9]{1,15})?)(?=,|\Z)")


def stage_synthesis(
    tx: Transaction,
    workspace: Workspace,
    now: datetime,
    *,
    target: str = FOLLOW_UPS,
    user: str | None = None,
    files: Sequence[CanvasFile] | None = None,
    part_of: RunPlace | None = None,
    notes: list[str] | None = None,
) -> RunPlace | None:
    """Stage a run with one question about all users: item ``all``, judge ``synthesis-writer``.

    Args:
        tx: where it is staged; it holds the scope ``agent:<agent>`` of the agent whose run it becomes.
        workspace: what is read; an in-memory view for a dry run.
        now: the instant of the command.
        target: ``follow-ups`` compares all users whose canvas parses; ``cognition`` those who were thought about in
            the last fourteen days, and up to ten others.
        user: compare this user alone (``--canvas``), which is nobody to compare with.
        files: the canvases, where they were read already.
        part_of: the follow-up run whose fresh scores count.
        notes: takes a sentence for each thing to be told: users left out, sidecars not used, why there is no question.

    Returns:
        The run; its packet is ``packet:RUN/all``. None where there is nothing to ask.

    Raises:
        StoreFailure: the canvas folder or the provenance index cannot be read; nothing is staged.
    """
    told = notes if notes is not None else []
    least = int(workspace.settings.get("observer.synthesis.min_users_for_pattern"))
    found = load_canvases(workspace) if files is None else files
    canvases = [one.canvas for one in found if one.canvas and (not user or matches(one, user))]
    chosen = _chosen(workspace, canvases, now, target, told) if len(canvases) >= least else []
    if len(chosen) < least:
        came = len(chosen) or len(canvases)
        told.append(f"no synthesis: {came} users to compare, at least {least} are needed for a pattern")
        return None
    scores = {canvas.slug: _fresh_scores(tx, part_of, canvas.slug) for canvas, _ in chosen} if part_of else {}
    question = _question(workspace, chosen, scores, least, target)
    flags = {"target": target, "part_of": part_of.run if part_of else None}
    return stage_run(tx, _agent_of(tx), SKILL, now, [question], flags=flags)


def _agent_of(tx: Transaction) -> str:
    """Whose run it becomes: the agent whose lock is held, whatever the setting says by now."""
    names = (scope.removeprefix("agent:") for scope in tx.scopes if scope.startswith("agent:"))
    return next(names, str(tx.settings.get("agent")))


def _chosen(workspace: Workspace, canvases: list[Canvas], now: datetime, target: str, told: list[str]) -> Chosen:
    """Whom to compare, with their sidecars: the last enriched first, as many as fit."""
    sidecars = Sidecars(workspace)
    ranked = sorted(canvases, key=lambda canvas: (-_moment(canvas), canvas.slug))
    if target == FOLLOW_UPS:
        kept: Chosen = [(canvas, sidecars.of(canvas)) for canvas in ranked[:MAX_USERS]]
        left_out = len(ranked) - len(kept)
    else:
        kept, left_out = _thought_about(sidecars, ranked, now)
    told += sidecars.notes
    if left_out:
        told.append(f"users left out of the synthesis, those who were enriched longest ago: {left_out}")
    return kept


def _moment(canvas: Canvas) -> float:
    instant = parse_instant(canvas.updated) or parse_instant(canvas.last_enriched)
    return instant.timestamp() if instant else 0.0


def _thought_about(sidecars: Sidecars, ranked: list[Canvas], now: datetime) -> tuple[Chosen, int]:
    """Users with recent cognition, filled up with a few others; an old sidecar is not looked into any further."""
    recent: Chosen = []
    others: list[Canvas] = []
    for canvas in ranked:
        cognition = sidecars.of(canvas)
        if cognition is not None and is_recent(cognition, now):
            recent.append((canvas, cognition))
        else:
            others.append(canvas)
    kept = [*recent, *((canvas, None) for canvas in others[:MAX_FILLED])][:MAX_USERS]
    return kept, len(ranked) - len(kept)


def _question(workspace: Workspace, chosen: Chosen, scores: Scores, least: int, target: str) -> Question:
    verified = _QuoteCounts(workspace)
    sources = [
        Source(
            canvas,
            verified.of(canvas),
            features=(cognition or {}).get("synthesis_features"),
            scores=scores.get(canvas.slug),
        )
        for canvas, cognition in chosen
    ]
    vectors = feature_vectors(sources, _canvas_texts(workspace))
    names = {canvas.slug: canvas.user for canvas, _ in chosen}
    facts = {"target": target, "users": dict(sorted(names.items())), "min_users": least}
    gap = Gap(ITEM, prompt(vectors, least), schema="synthesis-answer", default=default_answer(vectors, least))
    return Question(gap, user=f"{len(names)} users", judge=JUDGE, facts=facts)


class _QuoteCounts:
    """Counts the verified quotes of canvases; the provenance index is read only where it decides."""

    __slots__ = ("_index",)

    def __init__(self, workspace: Workspace) -> None:
        strict = workspace.settings.get("observer.provenance.strict")
        self._index = load_index(workspace) if strict else None

    def of(self, canvas: Canvas) -> int:
        records = self._index.for_user(canvas.user) if self._index else []
        found = registry(canvas.body, records, strict=self._index is not None)
        return sum(quote["hash_verified"] for quote in found)


def _canvas_texts(workspace: Workspace) -> Iterator[str]:
    """Every canvas file, those too that do not parse; what the system refuses, or is too large, nobody has read."""
    folder, limit = layout_of(workspace).canvas_dir, int(workspace.settings.get("observer.canvas_max_bytes"))
    for name in workspace.names(folder, ".md"):
        try:
            data = workspace.read(f"{folder}/{name}", limit) or b""
        except (Malformed, Unreadable):
            continue
        yield data.decode("utf-8", "replace")


def _fresh_scores(tx: Transaction, run: RunPlace, slug: str) -> dict[str, str]:
    """The scores that a follow-up run got for a user, from what it keeps of them; empty where it has nothing."""
    try:
        line = read_item(tx, run, slug).get("score_line")
    except MindloopError:
        return {}
    return dict(_SCORE.findall(line)) if isinstance(line, str) else {}
