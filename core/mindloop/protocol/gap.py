"""A gap: one question of judgment, with the evidence it needs, and a safe default."""

from __future__ import annotations


class Gap:
    """One question for a judge.

    Attributes:
        id: names the gap within its run; safe in a path.
        ask: the instructions for exactly this question. A gap whose evidence stands inside its instructions (the
            follow-up packet does) gives the whole text here and no evidence.
        evidence: what the judge needs, bounded; shown below the instructions.
        schema: name of the answer's JSON Schema in ``config/schemas``: the published contract. What checks an answer on
            the way in is quick code of the skill's own; a law holds the two together.
        default: the fail-safe answer, as a judge would write it; the rehearsal host gives it.
    """

    __slots__ = ("ask", "default", "evidence", "id", "schema")

    def __init__(self, id: str, ask: str, *, schema: str, default: str, evidence: str = "") -> None:
        self.id = id
        self.ask = ask
        self.evidence = evidence
        self.schema = schema
        self.default = default

    def packet(self) -> str:
        """The exact text that a judge gets."""
        return f"{self.ask}\n{self.evidence}" if self.evidence else self.ask
