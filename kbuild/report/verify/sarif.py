"""The report of `kbuild verify` as SARIF 2.1.0, for code scanning.

The OASIS standard is at https://docs.oasis-open.org/sarif/sarif/v2.1.0/, and section numbers
below refer to it. GitHub requires relative paths, and uses kbuild's fingerprint for findings
without a line ("SARIF support for code scanning").
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from kbuild import __version__
from kbuild.demangle.names import demangle, split_function
from kbuild.report.layout import make_printable
from kbuild.report.verify.fingerprints import fingerprint
from kbuild.report.verify.locations import all_paths, make_uri, split_member
from kbuild.report.verify.rule_reference import format_prose
from kbuild.verify.catalog import RULES
from kbuild.verify.policy.model import Severity
from kbuild.verify.report import Finding, Report, RuleNote
from kbuild.verify.rule import Rule

_Object: TypeAlias = dict[str, Any]

SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"
_LEVELS: Final[dict[Severity, str]] = {"error": "error", "warning": "warning", "info": "note"}


def render(report: Report) -> str:
    """Return one run with every rule that was requested and all findings."""
    rules = _number_rules(report)
    files = _number_files(report)
    fingerprints = fingerprint(report)
    run = {
        "tool": {
            "driver": {
                "name": "kbuild",
                "version": __version__,
                "rules": [_describe_rule(rule_id, report) for rule_id in rules],
            }
        },
        "invocations": [
            {
                "executionSuccessful": not report.rules_errored,
                "toolExecutionNotifications": [*_notifications(report, rules)],
            }
        ],
        "artifacts": [{"location": {"uri": uri}, "roles": ["analysisTarget"]} for uri in files],
        "columnKind": "unicodeCodePoints",
        "results": [
            _result(finding, mark, rules, files)
            for finding, mark in zip(report.findings, fingerprints, strict=True)
        ],
    }
    # Only ASCII and no lone surrogates, which many JSON readers reject.
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _number_rules(report: Report) -> dict[str, int]:
    """Return the index of each rule of the report in the list of rules."""
    named = {outcome.rule for outcome in report.outcomes} | {*report.rules_run}
    named |= {note.rule for note in (*report.rules_skipped, *report.rules_errored)}
    named |= {finding.rule for finding in report.findings}
    return {rule_id: number for number, rule_id in enumerate(sorted(named))}


def _number_files(report: Report) -> dict[str, int]:
    """Number the files by their URIs, because several paths can have the same one."""
    uris = dict.fromkeys(make_uri(split_member(path)[0]) for path in all_paths(report))
    return {uri: number for number, uri in enumerate(uris)}


def _describe_rule(rule_id: str, report: Report) -> _Object:
    rule = next((rule for rule in RULES if rule.id == rule_id), None)
    if rule is not None:
        return _describe_known_rule(rule)
    # The rule is not in the catalog, so only its findings describe it.
    slug = next((make_printable(f.slug) for f in report.findings if f.rule == rule_id), None)
    return {"id": make_printable(rule_id), **({"name": slug} if slug else {})}


def _describe_known_rule(rule: Rule) -> _Object:
    documentation = rule.documentation
    return {
        "id": rule.id,
        "name": rule.slug,
        "shortDescription": {"text": documentation.summary},
        "fullDescription": {"text": documentation.why},
        "help": {
            "text": f"{documentation.fix}\n\nSource: {documentation.source}",
            "markdown": f"{format_prose(documentation.fix)}\n\n"
            f"**Source:** {format_prose(documentation.source)}",
        },
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _notifications(report: Report, rules: dict[str, int]) -> Iterator[_Object]:
    for level, notes in (("error", report.rules_errored), ("note", report.rules_skipped)):
        for note in notes:
            yield _notification(level, note, rules)


def _notification(level: str, note: RuleNote, rules: dict[str, int]) -> _Object:
    what = "failed" if level == "error" else "skipped"
    return {
        "level": level,
        "message": {"text": f"{make_printable(note.rule)} {what}: {make_printable(note.reason)}"},
        "associatedRule": {"id": make_printable(note.rule), "index": rules[note.rule]},
    }


def _result(finding: Finding, mark: str, rules: dict[str, int], files: dict[str, int]) -> _Object:
    result: _Object = {
        "ruleId": make_printable(finding.rule),
        "ruleIndex": rules[finding.rule],
        "level": _LEVELS[finding.severity],
        "message": {"text": make_printable(finding.message)},
        "locations": [_location(finding, files)],
        "occurrenceCount": finding.count,
        # GitHub reads only the second one, and accepts it without a line.
        "partialFingerprints": {"kbuildFinding/v1": mark, "primaryLocationLineHash": mark},
    }
    if finding.arch is not None:
        result["properties"] = {"arch": make_printable(finding.arch)}
    return result


def _location(finding: Finding, files: dict[str, int]) -> _Object:
    file, member = split_member(finding.path)
    uri = make_uri(file)
    location: _Object = {
        "physicalLocation": {"artifactLocation": {"uri": uri, "index": files[uri]}}
    }
    logical = []
    if finding.symbol is not None:
        logical.append(_describe_symbol(finding.symbol))
    if member is not None:
        logical.append(
            {
                "name": make_printable(member),
                "fullyQualifiedName": make_printable(finding.path),
                "kind": "module",
            }
        )
    if logical:
        location["logicalLocations"] = logical
    return location


def _describe_symbol(symbol: str) -> _Object:
    """Return the names of a symbol, and its kind if the name shows it (section 3.33)."""
    display = demangle(symbol)
    name, types = split_function(display)
    described = {
        "name": make_printable(name),
        "fullyQualifiedName": make_printable(display),
        "decoratedName": make_printable(symbol),
    }
    if display != symbol:
        described["kind"] = "variable" if types is None else "function"
    return described
