"""What a whole batch makes of the sample workspace, user by user, when the rehearsal host answers."""

from __future__ import annotations

import json
from pathlib import Path

SAMPLE = Path(__file__).parents[2] / "core" / "sample"
OBSERVER = SAMPLE / "grimoires" / "observer"
CANVASES = "grimoires/observer/canvas"
INDEX = SAMPLE / "grimoires" / "mining" / "provenance" / "index.jsonl"

MESSAGES = {
    "brinepot": 1,
    "hoshi_no_neko": 1,
    "ledgerlark": 1,
    "mossgate": 3,
    "oatmilk_oracle": 1,
    "papa-quokka": 1,
    "tallowby": 1,
    "zaytun99": 1,
    "ñandú": 1,
}
"""User to how many messages the batch has for them."""

SKIPPED = {
    "copperwren": "prompt_manifest_violation",
    "driftpenny": "all_hypotheses_high_confidence",
    "juniper_jot": "subagent_parse_error",
    "kettlebird": "score_api_error",
    "quietloom": "no_triggers",
    "sable/smoke": "invalid_canvas",
    "saltmarsh7": "no_verified_quotes",
    "wickandwax": "all_content_stripped",
}
"""User to the reason why the batch has nothing for them; every reason of the orchestrator is here."""


def index_lines() -> list[str]:
    """The lines of the sample's provenance index."""
    return INDEX.read_text(encoding="utf-8").splitlines()


def records(user: str | None = None) -> list[dict[str, object]]:
    """The sample's provenance records, or those of one user."""
    parsed = [json.loads(line) for line in index_lines()]
    return [record for record in parsed if user is None or record["canvas_target"] == user]


def canvas_texts() -> dict[str, str]:
    """File name to text of every canvas."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted((OBSERVER / "canvas").iterdir())}
