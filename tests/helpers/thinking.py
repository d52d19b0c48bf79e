"""Answers of a distiller, and /think on the small workspaces of the skill tests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mindloop.observer.names import slug
from mindloop.protocol.run_files import file_answer
from mindloop.skills.judged import answer_now, resume
from mindloop.skills.think.begin import begin
from mindloop.skills.think.judging import JUDGING
from mindloop.store.documents import read_yaml
from tests.helpers.skill_workspace import NOW, SkillWorkspace, at

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Self

    from mindloop.skills.judged import Judged
    from mindloop.skills.think.begun import Begun

SIDECARS = "grimoires/observer/cognition"


def fear(digest: str | None, **changed: Any) -> dict[str, Any]:
    """One fear as a distiller writes it: evidence-backed on a hash, exploratory without one."""
    made = {
        "class": "evidence_backed" if digest else "exploratory",
        "type": "trust_erosion",
        "text": "the badge never came back, and nobody noticed",
        "backing_hypothesis": None,
        "backing_quote_hash": f"sha256:{digest}" if digest else None,
        "evidence_plan": None if digest else "ask for the last visit",
        "invalidation_signal": "a badge was shown to somebody since",
        "confidence_impact": "trust falls",
        "priority": 1,
    }
    return {**made, **changed}


def answer(user: str, *fears: dict[str, Any], **changed: Any) -> dict[str, Any]:
    """A distiller's answer with one steering target a fear."""
    targets = [
        {"fear_id": f"FEAR-{user}-{number}", "approach": "ask for the last visit", "pattern_preference": "probe_gap"}
        for number in range(1, len(fears) + 1)
    ]
    return {"user": user, "fears": list(fears), "steering_targets": targets, "behavior_tags": ["daily"], **changed}


def backed(user: str, digest: str, **changed: Any) -> str:
    """An answer with two fears on one quote, which an established user's must have."""
    return json.dumps(answer(user, fear(digest), fear(digest, type="pmf", priority=2), **changed))


def explored(user: str, **changed: Any) -> str:
    """An answer with one exploratory fear, which a bootstrap's must have."""
    return json.dumps(answer(user, fear(None), **changed))


class ThinkWorkspace(SkillWorkspace):
    """A workspace under test, thought about."""

    @classmethod
    def over(cls, root: Path, now: str = NOW) -> Self:
        """The same on a workspace that is there already."""
        made = cls.__new__(cls)
        made.root, made.now = root, now
        return made

    def think(self, *, now: str | None = None, dry_run: bool = False, **flags: Any) -> Begun:
        """Begin a run of /think."""
        return begin(self.ws.in_memory() if dry_run else self.ws, at(now or self.now), **flags)

    def answer_now(
        self, run: str, user: str, raw: str, *, host: str = "claude", now: str | None = None
    ) -> dict[str, str]:
        """Answer one user at once."""
        return answer_now(self.ws, JUDGING, run, slug(user), raw, host=host, now=at(now or self.now))

    def take(self, run: str, *, now: str | None = None) -> Judged:
        """Take what is filed."""
        return resume(self.ws, JUDGING, run, at(now or self.now))

    def file_as(self, run: str, user: str, raw: str, host: str = "claude-code") -> str:
        """File an answer without looking at it."""
        return file_answer(self.ws, run, slug(user), raw, host)

    def sidecar(self, user: str) -> dict[str, Any] | None:
        """A user's sidecar, typed, or None."""
        return read_yaml(self.ws, f"{SIDECARS}/{slug(user)}.yaml", "cognition")
