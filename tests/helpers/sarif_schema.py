"""The structural rules of SARIF 2.1.0 for what we write: required members, closed objects, closed words."""

from __future__ import annotations

from typing import Any

RELATIVE_URI = r"^(?![A-Za-z][A-Za-z0-9+.-]*:)(?!/)(?!.*(?:^|/)\.\.(?:/|$))[A-Za-z0-9._~!$&'()*+,;=:@/%-]+$"


def _closed(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": required, "properties": properties, "additionalProperties": False}


def _array(items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": items} | more


_TEXT = {"type": "string", "minLength": 1}
_BAG = {"type": "object"}
_MESSAGE = _closed(["text"], text=_TEXT, markdown=_TEXT)
_ARTIFACT_LOCATION = _closed(
    ["uri"],
    uri={"type": "string", "pattern": RELATIVE_URI},
    uriBaseId=_TEXT,
    index={"type": "integer", "minimum": 0},
)
_LOGICAL = _closed(
    ["fullyQualifiedName"],
    name=_TEXT,
    fullyQualifiedName={"type": "string", "pattern": "^/"},
    kind={"enum": ["object", "array", "property", "value"]},
)
_LEVEL = {"enum": ["none", "note", "warning", "error"]}
_RULE = _closed(
    ["id", "shortDescription"],
    id=_TEXT,
    name=_TEXT,
    shortDescription=_MESSAGE,
    fullDescription=_MESSAGE,
    help=_MESSAGE,
    defaultConfiguration=_closed([], level=_LEVEL),
    properties=_BAG,
)
_RESULT = _closed(
    ["ruleId", "ruleIndex", "level", "message", "locations", "partialFingerprints"],
    ruleId=_TEXT,
    ruleIndex={"type": "integer", "minimum": 0},
    level=_LEVEL,
    message=_MESSAGE,
    locations=_array(
        _closed(
            ["physicalLocation", "logicalLocations"],
            physicalLocation=_closed(["artifactLocation"], artifactLocation=_ARTIFACT_LOCATION),
            logicalLocations=_array(_LOGICAL, minItems=1, uniqueItems=True),
        ),
        minItems=1,
    ),
    partialFingerprints={"type": "object", "minProperties": 1, "additionalProperties": {"type": "string"}},
    suppressions=_array(
        _closed(
            ["kind"],
            kind={"enum": ["inSource", "external"]},
            status={"enum": ["accepted", "underReview", "rejected"]},
            justification={"type": "string"},
        )
    ),
    properties=_BAG,
)
_RUN = _closed(
    ["tool", "results"],
    tool=_closed(
        ["driver"], driver=_closed(["name"], name=_TEXT, version=_TEXT, rules=_array(_RULE, uniqueItems=True))
    ),
    columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
    originalUriBaseIds={"type": "object", "additionalProperties": _closed([], description=_MESSAGE)},
    artifacts=_array(
        _closed(
            ["location"], location=_ARTIFACT_LOCATION, roles=_array({"enum": ["analysisTarget"]}, uniqueItems=True)
        ),
        uniqueItems=True,
    ),
    properties=_BAG,
    results=_array(_RESULT),
)
LOG = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    **_closed(
        ["version", "runs"],
        version={"const": "2.1.0"},
        runs=_array(_RUN, minItems=1),
        **{"$schema": {"type": "string"}},
    ),
}


def problems(log: Any) -> list[str]:
    """What the log breaks: the structure, then what no schema can say (indices point at what they name)."""
    from jsonschema import Draft202012Validator

    found = [f"{one.json_path}: {one.message}" for one in Draft202012Validator(LOG).iter_errors(log)]
    if found:
        return found
    for run in log["runs"]:
        ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
        if len(ids) != len(set(ids)):
            found.append("two rules have one id")
        places = [one["location"]["uri"] for one in run.get("artifacts", [])]
        for at, result in enumerate(run["results"]):
            if ids[result["ruleIndex"]] != result["ruleId"]:
                found.append(f"result {at}: ruleIndex and ruleId differ")
            for location in result["locations"]:
                artifact = location["physicalLocation"]["artifactLocation"]
                if places[artifact["index"]] != artifact["uri"]:
                    found.append(f"result {at}: artifact index and uri differ")
    return found
