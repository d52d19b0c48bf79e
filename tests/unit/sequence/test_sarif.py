"""Findings as SARIF 2.1.0: the standard's structure, stable bytes and fingerprints, nothing of this machine."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mindloop.sequence import sarif
from mindloop.sequence.check import ABOUT_THE_DOCUMENT, check, examine
from mindloop.sequence.findings import Finding
from mindloop.sequence.loading import model_of
from mindloop.sequence.rules.table import RULES
from tests.helpers.sarif_schema import problems
from tests.helpers.sequences import base_model, changed, without

TODAY = "2026-11-30"


def found(document: dict[str, Any], **more: Any) -> list[Finding]:
    """What a check says."""
    return check(model_of(document).model, today=TODAY, **more)


def log_of(findings: list[Finding], artifact: str = "models/fu-model.json", **more: Any) -> dict[str, Any]:
    """The log of these findings."""
    return sarif.sarif(findings, RULES, artifact, "1.2.3", others=ABOUT_THE_DOCUMENT, **more)


def results(log: dict[str, Any]) -> list[dict[str, Any]]:
    """The results of the only run."""
    return log["runs"][0]["results"]


def test_a_missing_exclusion_is_an_error_at_its_pointer() -> None:
    """R2 on e0_20 is one result of level error, in the model's file, at /followUps/0."""
    log = log_of(found(without(base_model(), "e0_20", "age_qualified")))
    assert problems(log) == []
    (one,) = results(log)
    assert (one["ruleId"], one["level"]) == ("R2", "error")
    (location,) = one["locations"]
    assert location["physicalLocation"]["artifactLocation"] == {
        "uri": "models/fu-model.json",
        "uriBaseId": "SRCROOT",
        "index": 0,
    }
    assert location["logicalLocations"] == [{"name": "e0_20", "fullyQualifiedName": "/followUps/0", "kind": "object"}]
    assert one["properties"]["target"] == "e0_20"
    assert "age_qualified" in one["message"]["text"]


def test_nothing_found_is_a_run_without_results_that_still_names_every_rule() -> None:
    """M0 gives no result, and the log lists all rules with a help text and a default level."""
    log = log_of([])
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert problems(log) == []
    assert results(log) == []
    assert [one["id"] for one in rules] == [rule.id for rule in RULES]
    assert all(one["help"]["text"] and one["help"]["markdown"] for one in rules)
    levels = {one["id"]: one["defaultConfiguration"]["level"] for one in rules}
    assert (levels["R1"], levels["R19"], levels["X18"]) == ("error", "warning", "note")


def test_the_profile_decides_the_default_levels() -> None:
    """R25 is a warning of the doctrine and an error of the strict profile."""
    levels = {}
    for profile in ("doctrine", "strict"):
        rules = log_of([], profile=profile)["runs"][0]["tool"]["driver"]["rules"]
        levels[profile] = next(one["defaultConfiguration"]["level"] for one in rules if one["id"] == "R25")
    assert levels == {"doctrine": "warning", "strict": "error"}


def test_a_finding_about_the_document_gets_a_rule_of_its_own() -> None:
    """An unknown key is no rule's finding; the log still describes it."""
    log = log_of(found(base_model(), warnings=[("/surprise", "unknown key 'surprise'")]))
    assert problems(log) == []
    assert results(log)[0]["ruleId"] == "K1"
    assert log["runs"][0]["tool"]["driver"]["rules"][-1]["name"] == "UNKNOWN_KEY"


def test_a_waived_finding_is_suppressed_with_its_reason() -> None:
    """What a waiver covers stays in the log, behind the rest, as an accepted suppression."""
    document = without(base_model(), "e0_20", "age_qualified")
    document["waivers"] = [{"rule": "R2", "target": "e0_20", "reason": "until the retrofit", "expires": "2027-01-31"}]
    checked = examine(model_of(document).model, today=TODAY)
    log = log_of(checked.findings, waived=checked.waived)
    assert problems(log) == []
    (one,) = results(log)
    expected = {"kind": "external", "status": "accepted", "justification": "until the retrofit"}
    assert one["suppressions"] == [expected]


def test_a_fingerprint_stays_where_a_follow_up_moves_in_the_file() -> None:
    """Another place in the array changes the pointer and not the fingerprint; another target changes it."""
    document = without(base_model(), "e0_20", "age_qualified")
    (before,) = results(log_of(found(document)))
    (after,) = results(log_of(found(document | {"followUps": document["followUps"][::-1]})))
    (other,) = results(log_of(found(without(base_model(), "e0_120", "age_qualified"))))
    assert before["properties"]["pointer"] != after["properties"]["pointer"]
    assert before["partialFingerprints"] == after["partialFingerprints"] != other["partialFingerprints"]


def test_two_findings_of_one_rule_and_target_have_two_fingerprints() -> None:
    """What differs in the message alone is still told apart."""
    pair = [Finding("e0_20", "/followUps/0", text, "mend it", rule="R34", severity="ERROR") for text in ("one", "two")]
    prints = [one["partialFingerprints"][sarif.FINGERPRINT] for one in results(log_of(pair))]
    assert len(set(prints)) == 2


def test_equal_findings_give_equal_bytes() -> None:
    """Two checks of one model write the same file, ASCII alone."""
    texts = [sarif.as_text(log_of(found(changed(base_model(), {"stages.s1.order": 0})))) for _ in range(2)]
    assert texts[0] == texts[1]
    assert texts[0].isascii()
    assert json.loads(texts[0])["version"] == "2.1.0"


@pytest.mark.parametrize(
    ("name", "uri"),
    [
        ("fu-model.json", "fu-model.json"),
        ("./a b/ä%.json", "a%20b/%C3%A4%25.json"),
        ("/home/ann/secret/fu-model.json", "fu-model.json"),
        ("../up/fu-model.json", "fu-model.json"),
        ("C:\\models\\fu.json", "fu.json"),
        ("https://example.org/x.json", "x.json"),
        ("a\nb.json", "a%0Ab.json"),
        ("\ud800", "%3F"),
        ("", "model"),
        ("..", "model"),
    ],
)
def test_the_artifact_is_always_a_relative_reference(name: str, uri: str) -> None:
    """No path of a machine, no scheme, no step upwards gets into a log."""
    assert sarif.relative_uri(name) == uri
    assert problems(log_of([], name)) == []


def test_a_message_holds_no_placeholder_and_no_link() -> None:
    """Braces with a number, and brackets before a parenthesis, stand for themselves in a viewer."""
    hostile = Finding(
        "e9", "/followUps/0", "see {0} and [this](http://evil.example)", "do", rule="R1", severity="ERROR"
    )
    (one,) = results(log_of([hostile]))
    assert one["message"]["text"] == "e9: see {{0}} and \\[this\\](http://evil.example). To do: do"


def test_a_witness_is_kept_with_what_json_cannot_say_as_text() -> None:
    """Not a number and infinity become words, so that every reader can parse the log."""
    finding = Finding("e0_20", "/followUps/0", "m", "f", rule="R1", severity="INFO")
    finding.witness = {"sends": [{"t": 50}], "rate": float("inf"), 3: float("nan")}
    (one,) = results(log_of([finding]))
    assert one["properties"]["witness"] == {"sends": [{"t": 50}], "rate": "inf", "3": "nan"}
