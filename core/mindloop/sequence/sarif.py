"""Findings as SARIF 2.1.0, for viewers and for services that track findings from one version of a file to the next.

Equal findings give equal bytes: no time, no path of a machine, no id of a run. A finding keeps its fingerprint while
its rule and target stay, wherever in the file they move.
"""

from __future__ import annotations

from mindloop.sequence import words
from mindloop.store.lazy_patterns import when_used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from mindloop.sequence.findings import Finding
    from mindloop.sequence.model import Waiver
    from mindloop.sequence.rules.registry import Rule

VERSION = "2.1.0"
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FINGERPRINT = "ruleAndTarget/v1"
_TOOL = "fu-conformance"
_BASE = "SRCROOT"
_PLACEHOLDER = when_used(r"\{[0-9]+\}")
_LINK = when_used(r"\[([^\[\]]*)\]\(")
_LEVELS = {words.ERROR: "error", words.WARN: "warning", words.INFO: "note"}


def sarif(
    findings: Sequence[Finding],
    rules: Iterable[Rule],
    artifact: str,
    tool_version: str,
    *,
    profile: str = words.DOCTRINE,
    others: Mapping[str, tuple[str, str]] | None = None,
    waived: Sequence[tuple[Finding, Waiver]] = (),
) -> dict[str, Any]:
    """One log with one run.

    Args:
        findings: in the order in which they are to stand.
        rules: every rule that could have found something.
        artifact: the model's file as it was named; an absolute path is shortened to its last part.
        tool_version: of this program.
        profile: which of a rule's severities is its default level.
        others: (name, statement) of what is found and is no rule's.
        waived: findings that somebody has decided to live with; they stand behind the others, suppressed.
    """
    every = [*((one, None) for one in findings), *waived]
    known = {rule.id: _rule(rule, profile) for rule in rules}
    for rule_id in sorted({one.rule for one, _ in every} - known.keys()):
        known[rule_id] = _other(rule_id, (others or {}).get(rule_id))
    uri = relative_uri(artifact)
    return {
        "$schema": SCHEMA,
        "version": VERSION,
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": _TOOL,
                        "version": tool_version,
                        "rules": list(known.values()),
                    }
                },
                "columnKind": "unicodeCodePoints",
                "originalUriBaseIds": {_BASE: {"description": {"text": "The folder that the file was named from."}}},
                "artifacts": [{"location": _place(uri), "roles": ["analysisTarget"]}],
                "properties": {"profile": profile},
                "results": list(_results(every, list(known), uri)),
            }
        ],
    }


def as_text(log: dict[str, Any]) -> str:
    """The log as it is written to a file: ASCII, indented, with a line end."""
    import json

    return json.dumps(log, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def relative_uri(name: str) -> str:
    """A file's name as a relative URI reference (RFC 3986): ``a b/c.json`` is ``a%20b/c.json``.

    What does not lie below the folder that it was named from keeps its last part alone.
    """
    from urllib.parse import quote

    slashed = name.replace("\\", "/")
    parts = [part for part in slashed.split("/") if part not in {"", "."}]
    if slashed.startswith("/") or ".." in parts or (parts and parts[0].endswith(":")):
        parts = [part for part in parts if part != ".." and not part.endswith(":")][-1:]
    return quote("/".join(parts), safe="/-._~", errors="replace") or "model"


def _place(uri: str) -> dict[str, str]:
    return {"uri": uri, "uriBaseId": _BASE}


def _other(rule_id: str, about: tuple[str, str] | None) -> dict[str, Any]:
    name, statement = about or ("", "A finding about the document itself.")
    made: dict[str, Any] = {"id": rule_id, "shortDescription": {"text": _text(statement)}}
    return {**made, "name": name} if name else made


def _rule(rule: Rule, profile: str) -> dict[str, Any]:
    section = f" Section {rule.section} of the doctrine." if rule.section else " Beyond the doctrine."
    severity = rule.severities.get(profile) or next(iter(rule.severities.values()), words.WARN)
    return {
        "id": rule.id,
        "name": rule.name,
        "shortDescription": {"text": _text(rule.statement)},
        "fullDescription": {"text": _text(rule.statement + section)},
        "help": {
            "text": _text(f"{rule.statement}{section} To do: {rule.fix}"),
            "markdown": _text(f"{rule.statement}{section}\n\n**To do:** {rule.fix}"),
        },
        "defaultConfiguration": {"level": _LEVELS.get(severity, "warning")},
        "properties": {"severities": dict(sorted(rule.severities.items())), "section": rule.section},
    }


def _results(findings: Sequence[tuple[Finding, Waiver | None]], ids: list[str], uri: str) -> Iterator[dict[str, Any]]:
    seen: dict[tuple[str, str], int] = {}
    place = {rule_id: at for at, rule_id in enumerate(ids)}
    for finding, waiver in findings:
        key = (finding.rule, finding.target)
        seen[key] = seen.get(key, 0) + 1
        properties = {"target": finding.target, "pointer": finding.pointer, "fix": finding.fix}
        if finding.witness is not None:
            properties["witness"] = finding.witness
        result = {
            "ruleId": finding.rule,
            "ruleIndex": place[finding.rule],
            "level": _LEVELS.get(finding.severity, "none"),
            "message": {"text": _text(_sentence(finding))},
            "locations": [
                {
                    "physicalLocation": {"artifactLocation": {**_place(uri), "index": 0}},
                    "logicalLocations": [_logical(finding)],
                }
            ],
            "partialFingerprints": {FINGERPRINT: _fingerprint(finding, seen[key])},
            "properties": _jsonable(properties),
        }
        if waiver is not None:
            result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": waiver.reason}]
        yield result


def _sentence(finding: Finding) -> str:
    about = "" if not finding.target or finding.target in finding.message else f"{finding.target}: "
    message = f"{about}{finding.message.rstrip('. ')}."
    return f"{message} To do: {finding.fix}" if finding.fix else message


def _logical(finding: Finding) -> dict[str, str]:
    """Where it is in the document: the JSON pointer is the qualified name."""
    made = {"fullyQualifiedName": finding.pointer or "/", "kind": "object"}
    return {"name": finding.target, **made} if finding.target else made


def _fingerprint(finding: Finding, number: int) -> str:
    """Rule and target; a further finding of the same two also by what it says."""
    from hashlib import sha256

    parts = [finding.rule, finding.target] + ([finding.message] if number > 1 else [])
    lengths = "".join(f"{len(part)}:{part}" for part in parts)
    return sha256(lengths.encode("utf-8", "surrogatepass")).hexdigest()


def _text(text: str) -> str:
    """Text of a message: what would be a placeholder or a link in it stands for itself (sections 3.11.5, 3.11.6)."""
    kept = _PLACEHOLDER.sub(r"{\g<0>}", text)
    return _LINK.sub(r"\\[\1\\](", kept) or "(no text)"


def _jsonable(value: object) -> Any:
    """The value with what JSON has no word for (a number that is none, a key that is no text) as text."""
    if isinstance(value, dict):
        return {str(key): _jsonable(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_jsonable(one) for one in value]
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):  # noqa: PLR0124  # NaN alone differs from itself
        return str(value)
    return value if value is None or isinstance(value, str | int | float) else str(value)
