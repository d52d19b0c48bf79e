"""fu_conformance.py: every subcommand end to end, what each says, how it ends, and what it does with bad input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mindloop.cli.fu_conformance import VERBS
from mindloop.sequence.loading import model_of
from mindloop.store import strict_yaml
from tests.helpers.command_line import REPOSITORY, Called, call, script
from tests.helpers.sarif_schema import problems as sarif_problems
from tests.helpers.sequences import (
    a_property,
    a_scenario,
    base_model,
    changed,
    equals,
    event,
    find,
    inbound,
    truth,
    without,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

TODAY = "2026-11-30T10:00:00Z"
SHIPPED = REPOSITORY / "core/sample/grimoires/sequences"
BUDGET = 2048
BROKEN = [str(SHIPPED / "fu-model-broken.yaml"), str(SHIPPED / "fu-scenario-broken.yaml")]
SCHOOL = [str(SHIPPED / "fu-model-language-school.json"), str(SHIPPED / "fu-scenario-language-school.json")]


@pytest.fixture(autouse=True)
def _nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No workspace anywhere near."""
    monkeypatch.chdir(tmp_path)


def fu(*argv: str | Path, stdin: bytes | str = b"") -> Called:
    return call("fu_conformance", *map(str, argv), stdin=stdin, MINDLOOP_NOW=TODAY)


def save(name: str, document: Any) -> str:
    """Write a document, or bytes, into the current folder."""
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    Path(name).write_bytes(data)
    return name


def m0(edits: dict[str, Any] | None = None) -> str:
    return save("model.json", changed(base_model(), edits or {}))


def holed() -> str:
    """M0 with one exclusion less."""
    return save("model.json", without(base_model(), "e0_20", "age_qualified"))


def rules(called: Called) -> set[str]:
    return {one["rule"] for one in called.json["findings"]}


# check


def test_the_shipped_models_are_clean_and_strict_finds_what_is_meant() -> None:
    """M0 draws X4, X5, X18 in the strict profile and the realistic one X12, X18; both nothing in the doctrine's."""
    for name, strict in (("m0", {"X4", "X5", "X18"}), ("language-school", {"X12", "X18"})):
        path = SHIPPED / f"fu-model-{name}.json"
        plain, more = fu(path, "--json"), fu("check", path, "--profile", "strict", "--format", "json")

        assert (plain.code, plain.json["findings"], plain.json["ok"]) == (0, [], True)
        assert (more.code, rules(more), more.json["profile"]) == (0, strict, "strict")


def test_the_shipped_models_are_what_they_are_said_to_be() -> None:
    """M0 is the base model; the realistic one has 6 stages, 14 follow-ups, templates, six stops and a week of leads."""
    school = model_of(json.loads(Path(SCHOOL[0]).read_text("utf-8"))).model

    assert json.loads((SHIPPED / "fu-model-m0.json").read_text("utf-8")) == base_model()
    assert (len(school.stages), len(school.follow_ups), len(school.stops)) == (6, 14, 6)
    assert {one.destination.kind for one in school.follow_ups} == {"FREE_TEXT", "WHATSAPP_TEMPLATE"}
    assert "nothing is wrong with what went out" in fu("simulate", *SCHOOL).out


def test_check_is_the_default_and_says_where_and_what_to_do() -> None:
    """A missing exclusion: exit 1, the rule, the place, the overlap that it explains, the fix."""
    called = fu(holed())

    assert (called.code, called.err) == (1, "")
    assert called.out == (
        "model.json: 1 ERROR (profile doctrine)\n"
        "ERROR R2 EXCLUDE_ALL_DOWNSTREAM /followUps/0\n"
        "  e0_20 does not exclude the later stage s1 (age_qualified); expected NOT_EQUALS true on each, so leads who "
        "advanced are still chased for an earlier stage\n"
        "  so: R18 STAGES_DISJOINT\n"
        "  run and seen: minute 35, CROSS_STAGE e0_20; --json has the timeline\n"
        "  fix: Add to e0_20: age_qualified NOT_EQUALS true.\n"
    )
    assert fu("check", "model.json").out == called.out


def test_check_in_json_has_the_agreed_shape() -> None:
    """The keys that programs rely on, in findings that say rule, severity, target, message, fix, witness."""
    found = fu("check", holed(), "--json").json

    assert (found["ok"], found["profile"], found["version"]) == (False, "doctrine", 1)
    (finding,) = found["findings"]
    assert (finding["rule"], finding["severity"], finding["target"]) == ("R2", "ERROR", "e0_20")
    assert {"message", "fix", "witness"} <= finding.keys()
    assert [one["rule"] for one in finding["evidence"]] == ["R18"]


@pytest.mark.parametrize("name", ["model", "school"])
def test_every_error_has_a_counterexample_that_is_seen_again(name: str) -> None:
    """The witness of a finding is a scenario: simulated, it shows what the finding says it shows."""
    document = json.loads(Path(SCHOOL[0]).read_text("utf-8")) if name == "school" else base_model()
    one = document["followUps"][0]
    one["propertyConditions"] = [each for each in one["propertyConditions"] if each["operator"] == "EQUALS"]
    model = save("model.json", document)
    found = [each for each in fu(model, "--json").json["findings"] if each["severity"] == "ERROR"]

    assert {each["rule"] for each in found} == {"R2", "R3"}
    for each in found:
        shows = each["witness"]["shows"]
        again = fu("simulate", model, save("again.json", each["witness"]["scenario"]), "--json").json["events"]
        assert shows["class"] in {"CROSS_STAGE", "POST_STOP"}
        assert {key: shows[key] for key in ("t", "lead", "class", "followUps")} in again


def test_check_in_sarif_and_markdown() -> None:
    """A valid log with the finding, and a table in which no name is markup."""
    path = save(
        "mo|del.json", changed(without(base_model(), "e0_20", "age_qualified"), {"followUps.e0_20.id": "<b>|x"})
    )
    sarif, markdown = fu("check", path, "--format", "sarif"), fu("check", path, "--format", "markdown")
    log = json.loads(sarif.out)

    assert (sarif.code, markdown.code) == (1, 1)
    assert list(sarif_problems(log)) == []
    assert [one["ruleId"] for one in log["runs"][0]["results"]] == ["R2"]
    rows = [line for line in markdown.out.splitlines() if line.startswith("| ERROR")]
    assert len(rows) == 1
    assert rows[0].replace("\\|", "").count("|") == 6
    assert "<b>" not in markdown.out


def test_waivers_end_on_their_day() -> None:
    """Today comes from the clock: through its last day a waiver holds, after it it is an ERROR itself."""
    waiver = {"rule": "R2", "target": "e0_20", "reason": "being rebuilt", "expires": "2026-11-30"}
    document = without(base_model(), "e0_20", "age_qualified")
    held = fu(save("model.json", {**document, "waivers": [waiver]}), "--json")
    over = fu(save("model.json", {**document, "waivers": [{**waiver, "expires": "2026-11-29"}]}), "--json")

    assert (held.code, rules(held)) == (0, {"R18"} & rules(held))
    assert [one["rule"] for one in held.json["waived"]][:1] == ["R2"]
    assert (over.code, rules(over)) == (1, {"R2", "W1"})


def test_check_against_what_runs() -> None:
    """--live brings R28 and the R2 behind it; rows of workflows do as well as a model."""
    live = without(base_model(), "e0_20", "age_qualified")
    as_model, as_rows = save("live.json", live), save("rows.json", live["followUps"])

    assert fu("check", m0(), "--live", as_model, "--json").json["findings"][0]["rule"] == "R28"
    assert rules(fu("check", "model.json", "--live", as_rows, "--json")) == {"R28"}
    assert fu("check", "model.json", "--live", as_rows).code == 1
    assert fu("check", "model.json", "--live", "model.json").code == 0


def test_a_model_from_standard_input() -> None:
    """``-`` stands for it."""
    assert fu("check", "-", stdin=json.dumps(base_model())).out == "-: nothing found (profile doctrine)\n"


# prove


def test_prove_says_what_holds_and_under_what() -> None:
    """M0: nine obligations with their bounds, the engine facts under which they do not hold, the assumptions."""
    called = fu("prove", m0())
    full = fu("prove", "model.json", "--full").out

    assert called.code == 0
    assert called.out.startswith("model.json: P1 to P9 hold for every lead and every timeline\nP1 exclusivity holds (")
    assert all(f"\nP{number} " in called.out for number in range(2, 10))
    assert "P3 liveness holds (follow ups 4)\n  not so under nullSemantics SQL_STRICT\n" in called.out
    assert "\nassuming:\n  The evaluator does not miss" in called.out
    assert "\ntherefore:\n  No follow-up goes to a lead for whom the entry of a later stage is stamped." in full


def test_prove_refutes_with_a_timeline_that_was_run() -> None:
    """The broken model: exit 1, each refuted obligation with what the simulator showed; the timelines show it again."""
    called, made = fu("prove", BROKEN[0]), fu("prove", BROKEN[0], "--json").json
    refuted = {one["id"]: one for one in made["obligations"] if not one["holds"]}

    assert (called.code, made["ok"]) == (1, False)
    assert list(refuted) == ["P1", "P3", "P4", "P6", "P8"]
    assert "refuted: P1, P3, P4, P6, P8\n" in called.out
    assert "P1 exclusivity REFUTED: hello_40 of hello and quote_60 of quote fire for one lead\n" in called.out
    assert "assuming:" in called.out
    for name, kind in (("P1", "CROSS_STAGE"), ("P4", "SAME_STAGE_BURST"), ("P6", "LAG_POST_STOP")):
        again = fu("simulate", BROKEN[0], save("timeline.json", refuted[name]["timeline"]), "--json").json
        assert kind in {one["class"] for one in again["events"]}
    assert fu("prove", SCHOOL[0]).code == 0


# simulate, explain


def test_simulate_tells_the_two_duplicates_and_the_silence_apart() -> None:
    """Each with its own rules, its own fix, and the cure that would change nothing."""
    found = {one["class"]: one for one in fu("simulate", *BROKEN, "--json").json["diagnosis"]}

    assert {name: [one["rule"] for one in each["because"]] for name, each in found.items()} == {
        "CROSS_STAGE": ["R2"],
        "SAME_STAGE_BURST": ["R4", "R4"],
        "SILENT_NO_FIRE": ["R7"],
    }
    assert "stagger change nothing" in found["CROSS_STAGE"]["notBy"]
    assert "exclusion changes nothing" in found["SAME_STAGE_BURST"]["notBy"]
    assert (found["SILENT_NO_FIRE"]["cause"], found["SILENT_NO_FIRE"]["notBy"]) == ("NULL", None)


def test_simulate_in_json_has_the_agreed_shape() -> None:
    """Sends, events, silent, counts, as the scenario's two leads have them."""
    found = fu("simulate", *BROKEN, "--json").json

    assert found["sends"] == [
        {"t": 35, "lead": "ana", "followUp": "hello_20", "status": "OK", "reason": None},
        {"t": 40, "lead": "ana", "followUp": "hello_40", "status": "OK", "reason": None},
        {"t": 40, "lead": "ben", "followUp": "hello_40", "status": "OK", "reason": None},
    ]
    assert found["counts"] == {"runs": 366, "attempts": 3, "messages": 3, "reached": 3}
    assert [(one["lead"], one["followUp"]) for one in found["silent"]] == [("ben", "quote_60")]
    assert {"t": 40, "lead": "ben", "class": "CROSS_STAGE", "followUps": ["hello_40"]} in found["events"]


def test_a_late_stamp_is_a_matter_of_silence() -> None:
    """LAG_CROSS points to X2 and to no exclusion; the runtime of the scenario counts."""
    model = m0({"followUps.e0_20.minMinutesSinceLastInbound": 15})
    events = [*inbound(0), truth(1, "welcome_sent"), *inbound(40), truth(41, "age_qualified")]
    found = fu("simulate", model, save("s.json", a_scenario(events)), "--json").json["diagnosis"]
    later = [*inbound(0), truth(1, "welcome_sent"), *inbound(51), truth(52, "age_qualified")]
    slow = save("slow.json", a_scenario(later, runtime={"evaluatorBatchMinutes": 50}))
    other = fu("simulate", m0(), slow, "--json").json["diagnosis"]

    (late,) = [one for one in found if one["class"] == "LAG_CROSS"]
    assert [one["rule"] for one in late["because"]] == ["X2"]
    assert "exclusion changes nothing" in late["notBy"]
    assert {one["rule"] for each in other if each["class"] == "LAG_CROSS" for one in each["because"]} == {"X2"}


def test_explain_names_the_gate_and_the_null() -> None:
    """Why the quote's follow-up stays silent: the stop written EQUALS false, by NULL, and what to do."""
    called = fu("explain", *BROKEN, "--lead", "ben", "--follow-up", "quote_60")

    assert called.code == 0
    assert called.out.startswith(
        "quote_60 for ben: never sent\n"
        "  held back most by CONDITION:declined:EQUALS:NULL (while it was owed), cause NULL: "
    )
    assert "  35 to 90: CONDITION:declined:EQUALS:NULL, by NULL (12 looks)\n" in called.out
    assert "fix: Write declined NOT_EQUALS true in quote_60." in called.out
    assert "the lead got besides: 40 hello_40\n" in called.out


def test_explain_says_why_a_lead_got_two_messages() -> None:
    """What else the lead got, the class of the second message, the rules behind it; and one minute where asked."""
    two = fu("explain", *BROKEN, "--lead", "ana", "--follow-up", "hello_40")
    asked = fu("explain", *BROKEN, "--lead", "ana", "--follow-up", "hello_40", "--at", "35").out
    made = fu("explain", *BROKEN, "--lead", "ana", "--follow-up", "hello_40", "--at", "35", "--json").json

    assert two.out.startswith("hello_40 for ana: sent at 40\nthe lead got besides: 35 hello_20\n")
    assert "SAME_STAGE_BURST x1: hello_20, hello_40; first at 40, lead ana" in two.out
    assert "at minute 35: blocked by SILENCE_WAIT: the lead had written too recently" in asked
    assert (made["at"]["reason"], made["fired"][0]["t"]) == ("SILENCE_WAIT", 40)


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--lead", "bem", "--follow-up", "quote_60"], "There is: ben"),
        (["--lead", "ben", "--follow-up", "quote60"], "There is: quote_60"),
        (["--lead", "ben", "--follow-up", "quote_60", "--at", "900"], "minutes 0 to 300"),
        (["--lead", "ben"], "--follow-up"),
    ],
)
def test_explain_about_what_is_not_there(argv: list[str], words: str) -> None:
    """Exit 2, and what there is."""
    called = fu("explain", *BROKEN, *argv)

    assert (called.code, called.out) == (2, "")
    assert words in called.err


# patch


def test_patch_shows_and_writes_nothing_until_told() -> None:
    """The operation and the whole write; the file stays; with --apply it is clean, and a second run is empty."""
    path = Path(holed())
    before = path.read_bytes()
    shown = fu("patch", path)

    assert shown.code == 0
    assert path.read_bytes() == before
    assert 'add /followUps/0/propertyConditions/- {"propertyId": "age_qualified"' in shown.out
    assert "write in full: upsert_workflow e0_20 (8 conditions" in shown.out
    assert "written to model.json" in fu("patch", path, "--apply").out
    assert fu("check", path).code == 0
    mended = path.read_bytes()
    assert fu("patch", path, "--apply", "--json").json["operations"] == []
    assert path.read_bytes() == mended
    assert [one.name for one in Path().iterdir()] == ["model.json"]


def test_patch_leaves_decisions_to_people() -> None:
    """A drop-out reason without a stop: exit 1 and what has to be decided."""
    called = fu("patch", m0({"dropOutReasons.human.stopPropertyId": None}))

    assert called.code == 1
    assert "left: R13 /dropOutReasons/4" in called.out
    assert "Decide which boolean stop" in called.out


def test_patch_keeps_the_format() -> None:
    """YAML stays YAML; its comments are lost only where somebody says that they may be."""
    text = b"# ours\n" + Path(BROKEN[0]).read_bytes()
    path = save("model.yaml", text)
    shown = fu("patch", path, "--profile", "strict")
    assert (shown.code, "comments of YAML" in shown.out, "--drop-comments" in shown.out) == (0, True, True)
    refused = fu("patch", path, "--apply", "--profile", "strict")
    assert (refused.code, Path(path).read_bytes()) == (2, text)
    assert "--drop-comments" in refused.err
    assert "-o FILE" in refused.err
    assert fu("patch", path, "-o", path, "--profile", "strict").code == 2
    assert fu("patch", path, "-o", "other.yaml", "--profile", "strict").code == 0
    assert Path(path).read_bytes() == text
    called = fu("patch", path, "--apply", "--drop-comments", "--profile", "strict")

    assert (called.code, "comments" in called.out) == (0, True)
    document = strict_yaml.load(Path("model.yaml").read_text("utf-8"), "model.yaml", 10**6, plain_types=True)
    assert find(document, "followUps", "hello_20")["delayTriggerPropertyId"] == "welcomed"
    assert "nothing is wrong" in fu("simulate", "model.yaml", BROKEN[1]).out


def test_patch_changes_what_a_link_leads_to() -> None:
    """The link stays a link."""
    Path("link.json").symlink_to(holed())
    fu("patch", "link.json", "--apply")

    assert Path("link.json").is_symlink()
    assert fu("check", "model.json").code == 0


def test_patch_does_not_write_to_standard_input() -> None:
    """It says so, and the repair can be read all the same."""
    document = json.dumps(without(base_model(), "e0_20", "age_qualified"))

    assert fu("patch", "-", "--apply", stdin=document).code == 2
    assert len(fu("patch", "-", "--json", stdin=document).json["operations"]) == 1


def test_patch_of_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    """A folder in the way of the temporary file: exit 2, the model as it was."""
    path = tmp_path / holed()
    (tmp_path / ".model.json.tmp").mkdir()
    before = path.read_bytes()
    called = fu("patch", path, "--apply")

    assert (called.code, path.read_bytes()) == (2, before)
    assert "Traceback" not in called.err


# insert-stage


def test_insert_stage_retrofits_every_earlier_one() -> None:
    """An id, a stamp and offsets: the new stage between two others, clean, three earlier follow-ups retrofitted."""
    argv = ["insert-stage", m0(), "s1b", "--after", "s1", "--stamp", "docs_uploaded", "--offsets", "45,180"]
    before = Path("model.json").read_bytes()
    shown = fu(*argv)

    assert shown.code == 0
    assert Path("model.json").read_bytes() == before
    assert "3 earlier follow-ups retrofitted; nothing was written" in shown.out
    assert "retrofitted: e0_20, e0_120, e1_30\n" in shown.out
    assert fu(*argv, "-o", "new.json").code == 0
    assert (Path("model.json").read_bytes(), fu("check", "new.json").code) == (before, 0)
    assert fu(*argv, "--apply", "--json").json["written"] == "model.json"
    assert fu("check", "model.json").code == 0
    again = fu(*argv, "--apply", "--json").json
    assert (again["exists"], again["operations"], again["written"]) == (True, [], None)


@pytest.mark.parametrize("how", ["inline", "json", "yaml"])
def test_insert_stage_takes_an_object(how: str) -> None:
    """In the call, or in a file of either format."""
    stage = {"id": "s3", "entryStampId": "papers_signed", "terminal": True}
    given = json.dumps(stage)
    if how != "inline":
        given = save(f"stage.{how}", given.encode() if how == "json" else strict_yaml.dump(stage).encode())
    called = fu("insert-stage", m0(), given, "--after", "s2", "--json")

    assert (called.code, called.json["retrofitted"]) == (0, ["e0_20", "e0_120", "e1_30", "e2_60"])


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["s1b", "--after", "s1"], "no entry stamp"),
        (["s1b", "--after", "s9", "--stamp", "x"], "there is no stage 's9'"),
        (["s1b", "--stamp", "x"], "--after"),
        (["s1b", "--after", "s1", "--first", "--stamp", "x"], "not allowed with"),
        (["s1b", "--after", "s1", "--stamp", "x", "--offsets", "soon"], "whole minutes"),
        (["s1b", "--after", "s1", "--stamp", "bad_fit"], "is a stop"),
        (["s1b", "--after", "s1", "--stamp", "age_qualified"], "entry stamp of 's1'"),
        (["{", "--after", "s1"], "expected JSON"),
        (['{"id": 3}', "--after", "s1"], "expected a name"),
        (['{"id": "s1b", "entryStampId": "x"}', "--after", "s1", "--stamp", "x"], "--stamp belongs to"),
        (["nothing.yaml", "--after", "s1"], "no such file"),
    ],
)
def test_insert_stage_refuses(argv: list[str], words: str) -> None:
    """Exit 2, the reason, the model as it was."""
    path = Path(m0())
    before = path.read_bytes()
    called = fu("insert-stage", path, *argv, "--apply")

    assert (called.code, called.out) == (2, "")
    assert words in called.err
    assert path.read_bytes() == before


# diff


def test_diff_shows_drift_and_the_writes_that_end_it() -> None:
    """A condition that is gone and an offset that moved: exit 1, each with its place; alike: exit 0."""
    live = changed(
        without(base_model(), "e0_20", "age_qualified"), {"followUps.e2_60.delayMinutesAfterPropertySet": 61}
    )
    rows = [{"workflow_property_conditions": one.pop("propertyConditions"), **one} for one in live["followUps"]]
    called = fu("diff", m0(), save("live.json", rows))
    made = fu("diff", "model.json", "live.json", "--json").json

    assert called.code == 1
    assert called.out.startswith("live.json and model.json: 2 differences\n")
    assert "e0_20 lacks age_qualified NOT_EQUALS true on the platform" in called.out
    assert {one["target"] for one in made["differences"]} == {"e0_20", "e2_60"}
    assert [one["target"] for one in made["payloads"]] == ["e0_20", "e2_60"]
    assert (fu("diff", "model.json", "model.json").code, made["ok"]) == (0, False)


# measure


def tables() -> list[str]:
    save("messages.csv", b"lead,workflow,t,status\nl1,e0_20,50,OK\nl2,e0_20,50,FAILED\nl3,e1_30,90,OK\n")
    save("stamps.csv", b"lead,prop,value,t\nl1,welcome_sent,true,1\nl2,welcome_sent,true,1\nl4,welcome_sent,true,1\n")
    save("runs.csv", b"lead,workflow,t,status\n" + b"l1,e0_20,5,COMPLETED\n" * 560)
    return ["messages.csv", "--stamps", "stamps.csv"]


def test_measure_counts_by_entitlement() -> None:
    """Three were owed the first stage's, two got it, one was reached; runs over-count, and never count as sends."""
    argv = ["measure", m0(), *tables()]
    found = fu(*argv, "--runs", "runs.csv", "--json").json
    first = found["stages"][0]

    assert found["basis"] == "entitled"
    assert (first["entitled"], first["table"]["entitledSent"], first["reached"]) == (3, 2, 1)
    assert (found["overCount"]["completed"], found["overCount"]["sends"]) == (560, 3)
    assert fu(*argv).code == 0
    assert fu(*argv, "--format", "markdown").out.startswith("# Coverage of follow-ups\n")
    rows = fu(*argv, "--format", "csv").out.splitlines()
    assert rows[0] == "stage,lead,entered,exit,entitled,sent,reached"
    assert "s0,l4" in rows[3] or any(line.startswith("s0,l4,") for line in rows)


def test_measure_without_history_says_so() -> None:
    """The basis is who entered, and nobody is called silent."""
    called = fu("measure", m0(), tables()[0], "--json")

    assert (called.code, called.json["basis"]) == (0, "entered")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"lead,t\nl1,5\n", "workflow"),
        (b"", "empty"),
        (b"{}", "column"),
        (b"lead,workflow,t,status\nl1,e0_20,2026-01-05T10:00:00Z,OK\nl2,e0_20,2026-01-05 10:00:00,OK\n", "zone"),
        (b"lead,workflow,t,status\nl1,e0_20,2026-01-05T10:00:00Z,OK\nl2,e0_20,50,OK\n", "minute"),
        (b"lead,workflow,t,status,block_reason\nl1,e0_20,50,COMPLETED,\n", "over-count"),
        (b"lead,workflow,t,status\nl\xff1,e0_20,50,OK\n", "UTF-8"),
        (b"\x00\x01\x02", ""),
    ],
    ids=["column", "empty", "json", "mixed zones", "mixed clocks", "runs", "latin", "binary"],
)
def test_measure_refuses_what_it_cannot_count(data: bytes, words: str) -> None:
    """Exit 2 and the place; never numbers."""
    called = fu("measure", m0(), save("messages.csv", data))

    assert (called.code, called.out) == (2, "")
    assert "messages" in called.err
    assert words in called.err
    assert "Traceback" not in called.err


@pytest.mark.parametrize(
    "spell",
    [
        lambda text: b"\xef\xbb\xbf" + text,
        lambda text: text.replace(b",", b";"),
        lambda text: b"\xef\xbb\xbf" + text.replace(b",", b";").replace(b"\n", b"\r\n"),
        lambda text: text.decode().encode("utf-16"),
    ],
    ids=["bom", "semicolons", "excel", "utf-16"],
)
def test_measure_reads_every_spelling_alike(spell: Any) -> None:
    """BOM, semicolons, line ends: the same numbers."""
    argv = ["measure", m0(), *tables()]
    plain = fu(*argv, "--json").json
    for name in ("messages.csv", "stamps.csv"):
        Path(name).write_bytes(spell(Path(name).read_bytes()))

    assert fu(*argv, "--json").json == plain


def test_measure_of_nobody_found_nothing() -> None:
    """A table with a header alone: exit 1."""
    assert fu("measure", m0(), save("messages.csv", b"lead,workflow,t,status\n")).code == 1


# matrix


def test_matrix_marks_what_is_missing() -> None:
    """As text and Markdown; as a page with the timeline of a scenario and nothing from elsewhere."""
    text, markdown = fu("matrix", holed()), fu("matrix", "model.json", "--format", "markdown")
    page = fu("matrix", BROKEN[0], "--format", "html", "--scenario", BROKEN[1]).out

    assert text.out.startswith("model.json: wrong cells: 1 MISSING\n")
    assert "**MISSING**" in markdown.out
    assert (page[:15], "CROSS_STAGE" in page, "<svg" in page) == ("<!DOCTYPE html>", True, True)
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "<script" not in page


def test_matrix_draws_on_a_page_alone() -> None:
    """A scenario with a text matrix is a slip, told with the way out."""
    assert "Add --format html" in fu("matrix", *BROKEN[:1], "--scenario", BROKEN[1]).err


# What holds for all of them


def calls() -> Iterator[list[str]]:
    """One call of each subcommand that ends without a wrong input."""
    yield ["check", BROKEN[0]]
    yield ["prove", BROKEN[0]]
    yield ["prove", SCHOOL[0]]
    yield ["simulate", *BROKEN]
    yield ["explain", *BROKEN, "--lead", "ben", "--follow-up", "quote_60"]
    yield ["patch", BROKEN[0]]
    yield ["insert-stage", SCHOOL[0], "quiz", "--after", "level", "--stamp", "quiz_done", "--offsets", "45,200"]
    yield ["diff", SCHOOL[0], BROKEN[0]]
    yield ["measure", str(SHIPPED / "fu-model-m0.json"), *tables()]
    yield ["matrix", SCHOOL[0]]


def test_text_fits_and_is_the_same_each_time() -> None:
    """At most 2 KB without --full, equal bytes, and --full never says less."""
    for argv in calls():
        first, second, full = fu(*argv), fu(*argv), fu(*argv, "--full")

        assert first.code in {0, 1}, (argv, first.err)
        assert len(first.raw) <= BUDGET, argv
        assert (first.raw, first.err) == (second.raw, "")
        assert len(full.raw) >= len(first.raw)
        if argv[0] != "matrix":
            assert fu(*argv, "--json").raw == fu(*argv, "--format", "json").raw


def test_a_thousand_findings_fit_too() -> None:
    """As many leads, follow-ups and findings as anybody can make."""
    document = base_model()
    document["followUps"] = [
        {**document["followUps"][0], "id": f"f{number}", "propertyConditions": []} for number in range(300)
    ]
    model = save("model.json", document)
    leads = [{"id": f"lead{number}" * 20, "events": [*inbound(0), truth(1, "welcome_sent")]} for number in range(60)]
    scenario = save("scenario.json", {"horizonMinutes": 300, "leads": leads})
    for argv in (
        ["check", model],
        ["prove", model],
        ["simulate", model, scenario],
        ["patch", model],
        ["diff", model, BROKEN[0]],
    ):
        called = fu(*argv)

        assert (len(called.raw) <= BUDGET, called.code in {0, 1}) == (True, True), (argv, called.out[:300])
        assert "more: --full shows all" in called.out or argv[0] == "prove"


@pytest.mark.parametrize("verb", sorted(VERBS))
def test_help_has_an_example(verb: str) -> None:
    """Of each subcommand, naming the command itself."""
    called = fu(verb, "--help")

    assert (called.code, called.err) == (0, "")
    assert f"  fu_conformance.py {verb} " in called.out


def test_help_lists_all() -> None:
    """The command's own help names every subcommand and the exit codes."""
    called = fu("--help")

    assert called.code == 0
    assert all(f"  {verb} " in called.out for verb in VERBS)
    assert "a refuted obligation" in called.out


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        ([], "got nothing"),
        (["chekc"], "Did you mean fu_conformance.py check?"),
        (["check"], "MODEL"),
        (["check", "nothing.json"], "nothing.json: there is no such file"),
        (["check", "."], "expected a file, found a folder"),
        (["check", "model.json", "--profile", "lenient"], "--profile"),
        (["check", "model.json", "--format", "html"], "--format"),
        (["matrix", "model.json", "--json"], "--json"),
        (["simulate", "model.json"], "SCENARIO"),
        (["simulate", "model.json", "none.yaml"], "none.yaml: there is no such file, expected a scenario"),
        (["measure", "model.json", "none.csv"], "none.csv: there is no such file"),
        (["measure", "model.json", "."], "cannot be read"),
        (["diff", "model.json", "none.json"], "none.json"),
    ],
)
def test_wrong_calls(argv: list[str], words: str) -> None:
    """Exit 2, one message, no trace."""
    m0()
    called = fu(*argv)

    assert (called.code, called.out) == (2, "")
    assert words in called.err
    assert "Traceback" not in called.err


BAD_MODELS = {
    "not json": (b"{", "line 1, column 2"),
    "empty": (b"", "line 1, column 1"),
    "a list": (b"[]", "expected an object"),
    "null": (b"null", "expected an object"),
    "latin": (b'{"schemaVersion": "\xe9"}', "UTF-8"),
    "a key twice": (b'{"schemaVersion": "fu-model/1", "schemaVersion": "fu-model/1", "stages": []}', "twice"),
    "nan": (b'{"schemaVersion": "fu-model/1", "stages": NaN}', "NaN"),
    "deep": (b"[" * 5000 + b"]" * 5000, ""),
    "no stages": ({**base_model(), "stages": []}, "/stages"),
    "no version": ({"stages": base_model()["stages"]}, "schemaVersion"),
    "ids twice": (
        {**base_model(), "properties": [*base_model()["properties"], a_property("bad_fit")]},
        "/properties/8/id: 'bad_fit' is taken by /properties/3",
    ),
    "a boolean as text": (changed(base_model(), {"properties.bad_fit.checkUntilMatch": "true"}), "/properties/3/check"),
    "a number as text": (
        changed(base_model(), {"followUps.e0_20.delayMinutesAfterPropertySet": "20"}),
        "/followUps/0/delayMinutesAfterPropertySet",
    ),
    "a circle": (
        {
            **base_model(),
            "stages": [
                {"id": "a", "entryStampId": "welcome_sent", "after": ["b"]},
                {"id": "b", "entryStampId": "age_qualified", "after": ["a"]},
            ],
        },
        "in a circle",
    ),
    "after nobody": (changed(base_model(), {"stages.s1.after": ["s7"]}), "/stages/1/after/0"),
    "a bool order": (changed(base_model(), {"stages.s1.order": True}), "/stages/1/order"),
}


@pytest.mark.parametrize("name", sorted(BAD_MODELS))
@pytest.mark.parametrize("verb", ["check", "prove", "patch", "matrix", "simulate"])
def test_a_bad_model_is_an_error_that_names_the_place(name: str, verb: str) -> None:
    """Exit 2, the pointer or line, no verdict, no trace, whatever the subcommand."""
    document, words = BAD_MODELS[name]
    called = fu(verb, save("model.json", document), *([BROKEN[1]] if verb == "simulate" else []))

    assert (called.code, called.out) == (2, "")
    assert words in called.err
    assert "Traceback" not in called.err
    assert len(called.err) < 4 * BUDGET


def test_what_is_no_shape_but_wrong_is_a_finding() -> None:
    """An unknown property is R21 and ``"true"`` in a condition R33: verdicts, exit 1."""
    unknown = changed(base_model(), {"followUps.e0_20.propertyConditions.1.propertyId": "age_qualifed"})
    as_text = changed(base_model(), {"followUps.e0_20.propertyConditions.0": equals("welcome_sent", "true")})

    assert "R21" in rules(fu(save("model.json", unknown), "--json"))
    assert {"R1", "R33"} <= rules(fu(save("model.json", as_text), "--json"))


def test_an_unknown_key_is_told_and_kept() -> None:
    """In a check as a finding, elsewhere on stderr; a patch keeps it."""
    document = changed(without(base_model(), "e0_20", "age_qualified"), {"followUps.e0_20.propertyConditons": []})
    called = fu("check", save("model.json", document), "--json")
    fu("patch", "model.json", "--apply")

    assert rules(called) == {"R2", "K1"}
    assert "did you mean propertyConditions?" in fu("matrix", "model.json").err
    assert "propertyConditons" in json.loads(Path("model.json").read_text("utf-8"))["followUps"][0]


def test_ten_megabytes_of_json() -> None:
    """A large label is refused with its place; 40 MB are not read at all."""
    large = fu(save("model.json", changed(base_model(), {"agent.name": "x" * 10_000_000})))
    save("huge.json", b" " * 40_000_000)
    many = base_model()
    many["properties"] += [a_property(f"spare_{number}", label="y" * 180) for number in range(25_000)]

    assert (large.code, large.out) == (2, "")
    assert "/agent/name" in large.err
    assert len(large.err) < BUDGET
    assert "at most 32000000 are read" in fu("huge.json").err
    assert fu(save("model.json", many)).code == 0


@pytest.mark.parametrize("name", ["model.json", "model.yaml", "model"])
def test_a_byte_order_mark_is_no_part_of_a_model(name: str) -> None:
    """In JSON, in YAML, and where the name says nothing."""
    text = strict_yaml.dump(base_model()) if name.endswith("yaml") else json.dumps(base_model())

    assert fu(save(name, b"\xef\xbb\xbf" + text.encode())).code == 0


BAD_SCENARIOS = {
    "no horizon": ({"leads": []}, "horizonMinutes"),
    "a lead twice": ({"horizonMinutes": 9, "leads": [{"id": "a"}, {"id": "a"}]}, "/leads/1/id"),
    "a type": (a_scenario([event(0, "CALL")]), "/leads/0/events/0/type"),
    "no property": (a_scenario([event(0, "TRUTH")]), "/leads/0/events/0"),
    "a negative minute": (a_scenario(inbound(-1)), "/leads/0/events/0/t"),
    "an unknown follow-up": (a_scenario([event(1, "ACTIVATE", followUpId="nobody")]), "nobody"),
    "a zone": ({"horizonMinutes": 9, "epoch": "noon", "leads": []}, "/epoch"),
}


@pytest.mark.parametrize("name", sorted(BAD_SCENARIOS))
def test_a_bad_scenario_is_an_error_that_names_the_place(name: str) -> None:
    """Exit 2 and the pointer."""
    document, words = BAD_SCENARIOS[name]
    called = fu("simulate", m0(), save("scenario.json", document))

    assert (called.code, called.out) == (2, "")
    assert words in called.err


def test_a_property_that_the_model_has_not_is_told() -> None:
    """A slip in a scenario is no silence of the model's: the name, the place, the one that is near."""
    scenario = save("scenario.json", a_scenario([truth(1, "welcome_sen")]))
    for argv in (["simulate", m0(), scenario], ["explain", m0(), scenario, "--lead", "l1", "--follow-up", "e0_20"]):
        called = fu(*argv)

        assert called.code == 0
        assert "scenario.json: /leads/0/events/0: the model has no property welcome_sen; " in called.err
        assert "did you mean welcome_sent?" in called.err


def test_names_are_shown_and_not_obeyed() -> None:
    """Escapes and line ends of an id reach no terminal and make no line."""
    hostile = "\x1b[31mred\nERROR R1\u202e"
    document = changed(base_model(), {"followUps.e0_20.minMinutesSinceLastInbound": 0, "followUps.e0_20.id": hostile})
    document["followUps"][0]["propertyConditions"].append(equals(hostile))
    model = save("model.json", {**document, hostile: 1})
    scenario = save("s.json", {"horizonMinutes": 60, "leads": [{"id": hostile, "events": inbound(0)}]})
    for argv in (
        ["check", model],
        ["prove", model],
        ["simulate", model, scenario],
        ["explain", model, scenario, "--lead", hostile, "--follow-up", hostile],
        ["patch", model],
        ["matrix", model],
        ["diff", model, BROKEN[0]],
    ):
        called = fu(*argv)

        assert called.code in {0, 1}, called.err
        assert "\x1b" not in called.out
        assert "\u202e" not in called.out
        assert not any(line.startswith("ERROR R1\\") or line == "ERROR R1" for line in called.out.split("\n")), argv


def test_as_a_process_from_anywhere(tmp_path: Path) -> None:
    """The launcher, started by itself in a folder that is no workspace, makes nothing there."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    called = script("fu_conformance.py", BROKEN[0], cwd=folder, direct=True, MINDLOOP_NOW=TODAY)

    assert (called.code, called.err) == (1, "")
    assert called.out == fu(BROKEN[0]).out
    assert list(folder.iterdir()) == []


def test_json_keeps_its_line_ends_and_its_mark() -> None:
    """CRLF and a byte order mark are there after a patch as before; a quoted # is no comment."""
    text = json.dumps(without(base_model(), "e0_20", "age_qualified"), indent=2).replace("\n", "\r\n") + "\r\n"
    path = save("model.json", b"\xef\xbb\xbf" + text.encode())
    assert fu("patch", path, "--apply").code == 0
    after = Path(path).read_bytes()
    assert after.startswith(b"\xef\xbb\xbf{\r\n")
    assert after.count(b"\n") == after.count(b"\r\n") > 100
    quoted = strict_yaml.dump(changed(without(base_model(), "e0_20", "age_qualified"), {"agent.name": "a #1 # x"}))
    assert fu("patch", save("model.yaml", quoted.encode()), "--apply").code == 0


def test_text_fits_whatever_names_and_warnings_there_are() -> None:
    """The longest ids, fifty unknown keys, two hundred stages: stdout and stderr together in 2 KB."""
    document = changed(base_model(), {f"agent.unknown{at}{'x' * 90}": "é" * 50 for at in range(50)})
    for one in document["followUps"]:
        one["id"] = one["id"] + "é" * 190
        one["propertyConditions"] = one["propertyConditions"][:1]
    model = save("model.json", document)
    leads = [{"id": f"l{at}" + "ñ" * 190, "events": [*inbound(0), truth(1, "welcome_sent")]} for at in range(30)]
    leads[0]["events"] += [truth(1, f"none{at}{'ß' * 150}") for at in range(40)]
    scenario = save("scenario.json", {"horizonMinutes": 300, "leads": leads, **{f"key{at}": 1 for at in range(60)}})
    messages = save("m.csv", ("lead,workflow,t,status\n" + f"{'ü' * 300},{'w' * 900},5,OK\n" * 40).encode())
    for argv in (
        ["check", model],
        ["prove", model],
        ["simulate", model, scenario],
        ["explain", model, scenario, "--lead", leads[0]["id"], "--follow-up", document["followUps"][0]["id"]],
        ["patch", model],
        ["diff", model, BROKEN[0]],
        ["measure", model, messages],
        ["matrix", model],
        ["insert-stage", model, "s9", "--after", "s2", "--stamp", "quiz_done", "--offsets", "45,90"],
    ):
        called = fu(*argv)
        assert called.code in {0, 1}, (argv[0], called.err)
        assert len(called.raw) + len(called.err.encode()) <= BUDGET, argv[0]


def test_no_cell_of_leads_is_a_formula() -> None:
    """Ids that begin like a formula get an apostrophe, and no control character is obeyed."""
    names = ["=1+1", "+1", "-1", "@x", "\x1b[2J", "plain"]
    messages = save("m.csv", ("lead,workflow,t,status\n" + "".join(f"{one},e0_20,5,OK\n" for one in names)).encode())
    out = fu("measure", m0(), messages, "--format", "csv").out
    cells = [line.split(",")[1] for line in out.splitlines()[1:]]
    assert cells == ["'=1+1", "'+1", "'-1", "'@x", "'\\x1b[2J", "plain"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'{\n "a": NaN}', "model.json: line 2, column 7: NaN is no number"),
        (b'{"a": 1,\n "b": "NaN", "a": 2}', "model.json: line 2, column 14: the key 'a' stands twice"),
        (b"[" * 100_000, "model.json: line 1, column 61: nested deeper than 60 levels"),
        (b"[" * 70 + b"]" * 70, "model.json: line 1, column 61: nested deeper than 60 levels"),
        (b"[]", "model.json: /: found a list, expected an object"),
    ],
)
def test_a_document_that_is_none_names_file_and_place(data: bytes, words: str) -> None:
    """In our own words, with line and column."""
    called = fu("check", save("model.json", data))
    assert (called.code, words in called.err) == (2, True), called.err


def test_an_empty_object_tells_each_thing_once() -> None:
    """What is missing is listed once."""
    called = fu("check", save("model.json", b"{}"))
    assert (called.code, called.err.count("missing")) == (2, 1), called.err


def test_deep_yaml_is_told_in_our_words() -> None:
    """A document of a thousand levels is refused, and so is one that the parser itself gives up on."""
    for levels in (100, 100_000):
        called = fu("check", save("model.yaml", b"[" * levels + b"]" * levels))
        assert (called.code, "recursion" in called.err, "levels" in called.err) == (2, False, True), called.err
