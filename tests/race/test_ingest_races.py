"""Twenty exports ingested at once, of the same users and of the same words: nothing is lost, nothing is there twice."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from mindloop.observer.canonical import content_hash
from mindloop.observer.provenance.index import load_index
from mindloop.protocol.run_files import all_runs, read_head
from mindloop.store.workspace import Workspace
from tests.helpers import command_faults as lab
from tests.helpers.command_faults import Line
from tests.helpers.direct_messages import discord, entry
from tests.helpers.folders import fast_folder
from tests.helpers.skill_workspace import SkillWorkspace
from tests.helpers.writers import together

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PROCESSES = 20
USERS = 3
SHARED = [f"shared {number}" for number in range(4)]


def export(number: int) -> bytes:
    """What all say, and what only this export has; the later its number, the earlier it was said."""
    user = f"u{number % USERS}"
    texts = [*SHARED, *(f"{number} says {one}" for one in range(4))]
    hour = 23 - number
    return discord(
        *(
            entry(place, text, ("1", user, user), when=f"2026-02-10T{hour:02d}:{place:02d}:00+00:00")
            for place, text in enumerate(texts)
        )
    )


def test_twenty_exports_at_once(tmp_path: Path) -> None:
    """Each word of each user is in the index and on a canvas that verifies; its best record has the earliest time."""
    with fast_folder(tmp_path) as folder:
        root = folder / "ws"
        SkillWorkspace(root)
        for number in range(PROCESSES):
            (folder / f"{number}.json").write_bytes(export(number))

        def ingest(number: int, report: Callable[[str], None]) -> None:
            argv = ("ingest", str(folder / f"{number}.json"), "--user", f"u{number % USERS}", "--json")
            report(json.dumps(lab.succeed(Line("canvas", *argv, patience=120), root).json))

        came = [json.loads(lines[0]) for lines in together(ingest, PROCESSES)]

        workspace = Workspace(str(root))
        index = load_index(workspace)
        assert index.problems == []
        for user in range(USERS):
            numbers = [number for number in range(PROCESSES) if number % USERS == user]
            mine = {content_hash(f"{number} says {one}") for number in numbers for one in range(4)}
            known = [record["content_hash"] for record in index.for_user(f"u{user}")]
            assert {digest for digest in known if known.count(digest) == 1} >= mine
            assert set(known) == mine | {content_hash(text) for text in SHARED}
            earliest = min(
                record["source_timestamp"] or ""
                for record in index.for_user(f"u{user}")
                if record["content_hash"] == content_hash(SHARED[0])
            )
            assert earliest == f"2026-02-10T{23 - max(numbers):02d}:00:00Z"
        assert sum(one["new"] + one["better"] for one in came) == index.size
        ids = [record["record_id"] for user in index.users() for record in index.for_user(user)]
        assert len(ids) == len(set(ids)) == index.size
        runs = [one["run"] for one in came]
        assert sorted(runs) == [place.run for place in all_runs(workspace)]
        assert all(len(read_head(workspace, place)["waiting"]) == 1 for place in all_runs(workspace))
        counts = lab.succeed(Line("provenance", "verify", "--json"), root).json["counts"]
        assert counts == {
            "verified": PROCESSES * 4 + USERS * len(SHARED),
            "mismatch": 0,
            "unmarked": 0,
            "unreadable": 0,
        }


def test_one_export_many_times_at_once(tmp_path: Path) -> None:
    """Of many that ingest the same file one takes it; to the others nothing is new."""
    with fast_folder(tmp_path) as folder:
        root = folder / "ws"
        SkillWorkspace(root)
        (folder / "0.json").write_bytes(export(0))

        def ingest(_number: int, report: Callable[[str], None]) -> None:
            argv = ("ingest", str(folder / "0.json"), "--user", "u0", "--json")
            report(json.dumps(lab.succeed(Line("canvas", *argv, patience=120), root).json))

        came = [json.loads(lines[0]) for lines in together(ingest, 8)]
        assert sorted((one["new"], one["run"] is not None, one["created"]) for one in came) == [
            *[(0, False, False)] * 7,
            (8, True, True),
        ]
        assert load_index(Workspace(str(root))).size == 8
