"""Makes a workspace of any size for measurements: canvases with quotes that verify, and a long provenance index."""

from __future__ import annotations

import json
import os

from mindloop.observer.canonical import content_hash
from mindloop.observer.chronicle.releases import rebuild_index
from mindloop.observer.layout import Layout
from mindloop.skills.setup import make
from mindloop.store.workspace import Workspace

RELEASES = [("v1.0 First light", "2025-11-01"), ("v1.4 Badge page", "2025-12-10"), ("v2.0 Quests", "2026-01-20")]

CANVAS = """---
type: user_canvas
user: "{user}"
wallet: "{wallet}"
lifecycle_state: power_user
schema_version: 2
created: 2026-01-05
updated: 2026-01-20T10:00:00Z
last_enriched: 2026-01-20T10:00:00Z
---

# {user} Canvas

## User Profile

| Field | Value |
|---|---|
| **Confidence** | Medium |

## Level 3 Hypotheses

### H1: Stops looking when numbers do not move

- **Confidence**: Low (single conversation)
- **Evidence**: [prov:PLACEHOLDER]

### Hypothesis 2: Trusts friends more than badges

- **Confidence**: Medium

## Future Promises (Unvalidated)

| Promise | Date | Follow-up Trigger |
|---|---|---|
| will try the quests | 2026-01-06 | ask after the weekend |

## Quotes Library

{quotes}
## Journey Fragments

{journey}
"""


def user_of(number: int) -> str:
    """The name of the n-th user."""
    return f"user{number:05d}"


def wallet_of(number: int) -> str:
    """The wallet of the n-th user."""
    return f"0x{number + 1:040x}"


def words_of(number: int, index: int) -> str:
    """What the n-th user said the i-th time."""
    return f"i looked at entry {index} of {number} twice and the number did not move, so i went back to my friends"


def make_big_workspace(root: str, canvases: int, records: int) -> Workspace:
    """Build the workspace below ``root``; each user has ``records // canvases`` records and five quotes."""
    os.makedirs(root, exist_ok=True)
    workspace = Workspace(root)
    make(workspace)
    layout = Layout()
    for number in range(canvases):
        _write(workspace, layout.canvas(user_of(number)), _canvas(number))
        score = {"rank": number + 1, "og_score": 41, "nft_score": 20.5, "onchain_score": 77, "crowd_tier": "devoted"}
        _write(workspace, f"{layout.scores_dir}/{wallet_of(number)}.json", json.dumps(score) + "\n")
    per_user = records // canvases
    lines = (_line(number, index) for number in range(canvases) for index in range(per_user))
    _write(workspace, layout.provenance_index, "".join(lines))
    for number, (title, start) in enumerate(RELEASES, 1):
        entry = (
            f"---\nid: CHRON-{number}\ntaxonomy: system.app.released\ntitle: {title}\ntime:\n  start: {start}\n---\n"
        )
        _write(workspace, f"{layout.chronicle_dir}/CHRON-{number}.md", entry)
    with workspace.transaction("research") as tx:
        rebuild_index(tx)
    return workspace


def _canvas(number: int) -> str:
    quotes = "".join(
        f'> "{words_of(number, index)}"\n> — Discord DM, 2026-01-1{index}\n'
        f"<!-- prov:sha256:{content_hash(words_of(number, index))} -->\n\n"
        for index in range(5)
    )
    journey = "\n".join(f"- step {step}: opened the page, waited, left again" for step in range(30))
    return CANVAS.format(user=user_of(number), wallet=wallet_of(number), quotes=quotes, journey=journey)


def _line(number: int, index: int) -> str:
    words = words_of(number, index)
    record = {
        "record_id": f"prov-{number}-{index}",
        "content_hash": content_hash(words),
        "normalization_version": 1,
        "source_type": "discord_dm",
        "source_timestamp": f"2026-01-{1 + index % 28:02d}T10:00:00Z",
        "source_timestamp_raw": None,
        "source_timestamp_confidence": "exact",
        "canvas_target": user_of(number),
        "raw_source_ref": "export.json",
        "ingested_by": "ingest-dm",
        "ingested_at": "2026-01-31T10:00:00Z",
        "thread_id": f"thread-discord-{user_of(number)}-2026-01-31",
        "message_index": index,
        "parent_hash": None,
        "text": words,
    }
    return json.dumps(record, separators=(",", ":")) + "\n"


def _write(workspace: Workspace, path: str, text: str) -> None:
    target = workspace.path(path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "w", encoding="utf-8") as file:
        file.write(text)
