"""Laws of the command of sequences: whatever is in the files, an answer or an error that names the file."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.helpers.command_line import Called, call
from tests.helpers.sequences import a_scenario, base_model, event, inbound, truth

TODAY = "2026-11-30T10:00:00Z"
FEW = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
WORDS = st.sampled_from(
    [
        *("s0", "s1", "e0_20", "welcome_sent", "age_qualified", "bad_fit", "nothing"),
        *("EQUALS", "NOT_EQUALS", "IS_SET", "GREATER_THAN", "NUMBER", "STRING", "AGENT", "WHATSAPP_TEMPLATE"),
        *("SQL_STRICT", "FIRST_WRITE", "2026-01-01", "23:59", "", "true", "\x1b[0m\n", "\ud800"),
    ]
)
NUMBERS = st.sampled_from([0, 1, -1, 5, 30, 1440, 10**6, 10**12, 10**30, 0.5, -0.0, 1e308, True, False, None])
VALUES = st.recursive(
    WORDS | NUMBERS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)
SCENARIO = a_scenario(
    [
        *inbound(0),
        truth(1, "welcome_sent"),
        event(9, "NEEDS_ATTENTION", value=True),
        event(70, "NEEDS_ATTENTION", value=False),
        *inbound(80),
        truth(81, "age_qualified"),
        event(90, "CONFIG_CHANGE", followUpId="e1_30", changes={"active": False}),
        truth(95, "bad_fit"),
    ],
    horizon=400,
    runtime={"evaluatorBatchMinutes": 20},
    faults={"runners": 2, "outages": [{"from": 20, "to": 40}]},
)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)


def places(document: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to every value of a document."""
    inner = (
        document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    )
    return [way, *(place for key, value in inner for place in places(value, (*way, key)))]


@st.composite
def damaged(draw: st.DrawFn, whole: Any) -> Any:
    """A document with one to three values replaced, removed or doubled."""
    document = copy.deepcopy(whole)
    for _ in range(draw(st.integers(1, 3))):
        *way, last = draw(st.sampled_from([place for place in places(document) if place] or [("x",)]))
        here = document
        for key in way:
            here = here[key]
        how = draw(st.integers(0, 3))
        if how == 0 and isinstance(here, list):
            here.append(copy.deepcopy(here[last]))
        elif how == 1:
            del here[last]
        else:
            here[last] = draw(VALUES)
    return document


def fu(*argv: str) -> Called:
    return call("fu_conformance", *argv, MINDLOOP_NOW=TODAY)


def save(name: str, document: Any) -> str:
    Path(name).write_text(json.dumps(document), "utf-8")
    return name


def holds(called: Called, *names: str) -> None:
    """It answered, or refused with a message about one of the files; never a fault of ours."""
    assert called.code in {0, 1, 2}, called.err
    assert "Traceback" not in called.err
    if called.code == 2:
        assert called.out == ""
        assert called.err.startswith("mindloop: ")


@FEW
@given(document=damaged(base_model()))
def test_any_damage_to_a_model_is_judged_or_refused(document: Any) -> None:
    """Check in both profiles and every format, patch, matrix, simulate, diff: an answer or an error."""
    path, scenario, good = save("m.json", document), save("s.json", SCENARIO), save("good.json", base_model())
    for argv in (
        ["check", path, "--profile", "strict", "--json"],
        ["check", path, "--format", "sarif"],
        ["check", path, "--format", "markdown"],
        ["check", path, "--full"],
        ["prove", path],
        ["matrix", path, "--format", "html", "--scenario", scenario],
        ["simulate", path, scenario],
        ["explain", path, scenario, "--lead", "l1", "--follow-up", "e0_20"],
        ["diff", path, good],
        ["diff", good, path],
        ["check", good, "--live", path],
    ):
        holds(fu(*argv))


@FEW
@given(document=damaged(base_model()))
def test_what_patch_writes_can_be_read_and_is_mended(document: Any) -> None:
    """After --apply the ERRORs that are left are those that it named; a second patch is empty."""
    path = save("m.json", document)
    first = fu("patch", path, "--apply", "--json")
    holds(first)
    if first.code == 2:
        return
    checked = fu("check", path, "--json")
    errors = sum(one["severity"] == "ERROR" for one in checked.json["findings"])

    assert (errors, fu("patch", path, "--json").json["operations"]) == (len(first.json["unresolved"]), [])


@FEW
@given(document=damaged(SCENARIO))
def test_any_damage_to_a_scenario_is_run_or_refused(document: Any) -> None:
    """Simulate and explain: an answer or an error."""
    path, scenario = save("m.json", base_model()), save("s.json", document)
    holds(fu("simulate", path, scenario))
    holds(fu("simulate", path, scenario, "--json"))
    holds(fu("explain", path, scenario, "--lead", "l1", "--follow-up", "e0_20"))


@FEW
@given(stage=damaged({"id": "s9", "entryStampId": "x_done", "offsets": [30, 90], "followUps": [{"offset": 200}]}))
def test_any_stage_is_inserted_clean_or_refused(stage: Any) -> None:
    """What is written has no ERROR."""
    path = save("m.json", base_model())
    called = fu("insert-stage", path, save("stage.json", stage), "--after", "s1", "--apply")
    holds(called)

    assert fu("check", path).code == 0


@FEW
@given(data=st.binary(max_size=200), name=st.sampled_from(["x.json", "x.yaml", "x"]))
def test_any_bytes_are_read_or_refused(data: bytes, name: str) -> None:
    """As a model, a scenario, an export, or tables."""
    Path(name).write_bytes(data)
    good = save("good.json", base_model())
    for argv in (["check", name], ["simulate", good, name], ["diff", good, name], ["measure", good, name]):
        holds(fu(*argv))
    holds(fu("measure", good, save("m.csv", "lead,workflow,t,status"), "--stamps", name, "--runs", name))
