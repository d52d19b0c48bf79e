"""The prompt about many users: their vectors and nothing else (--synthesize)."""

from __future__ import annotations

import json

from mindloop.observer.rehearsed import LABEL
from mindloop.store.lazy_patterns import when_used
from mindloop.store.resources import read_resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mindloop.observer.synthesis.vectors import Vector

TEMPLATE = "config/gaps/synthesis.md"
_PLACEHOLDER = when_used(r"\{(min_users|user_count|vectors)\}")


def prompt(vectors: list[Vector], min_users: int) -> str:
    """The exact text that the judge gets, ASCII; a function of the vectors alone.

    Args:
        vectors: one a user, in the order in which they are shown.
        min_users: how many users must share something before it is called a pattern.
    """
    values = {
        "min_users": str(min_users),
        "user_count": str(len(vectors)),
        "vectors": "\n".join(json.dumps(vector, separators=(", ", ": ")) for vector in vectors),
    }
    return _PLACEHOLDER.sub(lambda mark: values[mark[1]], read_resource(TEMPLATE))


def default_answer(vectors: list[Vector], min_users: int) -> str:
    """The rehearsal's answer: valid, says what it is, claims nothing."""
    users = [vector["user"] for vector in vectors[:min_users]]
    entry = {"text": f"{LABEL} no model looked at these users", "users": users}
    answer = {
        "shared_hypotheses": [entry],
        "convergent_complaints": [],
        "behavioral_clusters": [],
        "lifecycle_transitions": [],
    }
    return json.dumps(answer)
