"""Users with messages that wait for replies, and the one story that proposals, growth and runs have to tell."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mindloop.observer.growth.files import load_proposals
from mindloop.observer.growth.reading import load_user
from mindloop.observer.growth.state import messages
from mindloop.protocol.run_files import all_runs, read_head, read_item
from mindloop.store.workspace import Workspace
from tests.helpers import command_faults as lab
from tests.helpers.skill_workspace import SkillWorkspace, hypothesis

if TYPE_CHECKING:
    from pathlib import Path

RUN = "grow-2026-02-20-001"
SAID = "2026-02-12T08:00:00Z"
REPLY = "I checked the ranks twice last night"
ANSWER = json.dumps(
    {"direction": "supports", "strength": "high", "quote_span": "checked the ranks twice", "rationale": "they did"}
)


def workspace(root: Path, *users: str) -> SkillWorkspace:
    """Users with one message each, sent on the eleventh."""
    skill = SkillWorkspace(root)
    lab.quick_scores(root)
    for user in users:
        skill.canvas(user, body=hypothesis())
    skill.full_run(now="2026-02-11T09:00:00Z")
    return skill


def sent(skill: SkillWorkspace, user: str) -> Any:
    """The user's first message."""
    state = load_user(skill.ws, user)
    assert state is not None
    return state["follow_ups"][0]["message_ids"][0]


def reply(skill: SkillWorkspace, user: str, words: str = REPLY) -> str:
    """A reply with the token of that message."""
    return f"{words} [FU:{sent(skill, user)['token']}]"


def require_one_story(root: Path) -> None:
    """Replies are those that were confirmed, evidence is of the items that were taken, and the counters add up."""
    files = Workspace(str(root))
    taken = {
        read_item(files, place, item)["follow_up_id"]
        for place in all_runs(files)
        for item, outcome in read_head(files, place)["done"].items()
        if place.run.startswith("grow-") and outcome == "done"
    }
    judged = set()
    documents, problems = load_proposals(files)
    assert problems == []
    for document in documents:
        state = load_user(files, document["user"])
        assert state is not None
        matches = document["matches"]
        pairs = [(match["signal_id"], match["follow_up_id"]) for match in matches]
        assert len(set(pairs)) == len(pairs)
        answered = {message["id"] for _, message in messages(state) if message["outcome"] == "responded"}
        assert answered == {match["follow_up_id"] for match in matches if match["status"] == "confirmed"}
        evidence = {message["id"]: message["match_evidence"] for _, message in messages(state)}
        judged |= {name for name, one in evidence.items() if one and one["classified_by"] != "person"}
        counted = sum(counters["responded_count"] for counters in state["question_patterns"].values())
        assert counted == len(answered)
        rated = sum(counters["signal_quality_count"] for counters in state["question_patterns"].values())
        assert rated == sum(message["signal_quality"] is not None for _, message in messages(state))
    assert judged == taken
