"""The report of a check as SARIF 2.1.0, for code scanning."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final, TypeAlias

from kbuild import __version__
from kbuild.check.report import Access, CheckFinding, CheckReport, SuppressedFinding
from kbuild.check.rules import RULES, Severity
from kbuild.report.check.coverage import describe_properties
from kbuild.report.check.text import describe_access
from kbuild.report.layout import make_printable
from kbuild.report.verify.locations import make_uri
from kbuild.report.verify.sarif import SCHEMA

_Object: TypeAlias = dict[str, Any]

_LEVELS: Final[dict[Severity, str]] = {"error": "error", "warning": "warning"}


def render(report: CheckReport) -> str:
    """Return one run with all rules and findings, also the suppressed ones."""
    run = {
        "tool": {
            "driver": {
                "name": "kbuild check",
                "version": __version__,
                "rules": [
                    {
                        "id": rule.id,
                        "name": rule.slug,
                        "shortDescription": {"text": rule.summary},
                        "help": {"text": rule.fix},
                        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
                    }
                    for rule in RULES
                ],
            }
        },
        "invocations": [_describe_invocation(report)],
        "properties": dict(describe_properties(report)),
        "columnKind": "unicodeCodePoints",
        "results": [
            *map(_result, report.findings),
            *(_suppressed_result(hidden) for hidden in report.suppressed),
        ],
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _describe_invocation(report: CheckReport) -> _Object:
    number = -report.exit_status
    end = {"exitSignalNumber": number} if number > 0 else {"exitCode": report.exit_status}
    return {"executionSuccessful": report.is_complete, **end}


def _result(finding: CheckFinding) -> _Object:
    number = next(n for n, rule in enumerate(RULES) if rule.id == finding.rule)
    accesses = [access for access in (finding.access, finding.other) if access is not None]
    details = [finding.message, *map(describe_access, accesses)]
    details += [finding.memory] if finding.memory else []
    kernel = f"kernel {finding.kernel}: " if finding.kernel else ""
    result: _Object = {
        "ruleId": finding.rule,
        "ruleIndex": number,
        "level": _LEVELS[finding.severity],
        "message": {"text": make_printable(kernel + "; ".join(details))},
        "occurrenceCount": finding.count,
        "partialFingerprints": {"kbuildCheck/v1": _fingerprint(finding)},
    }
    located = [access for access in accesses if access.file is not None]
    if located:
        result["locations"] = [_locate(located[0], finding.kernel)]
    if len(located) > 1:
        result["relatedLocations"] = [
            {
                "id": 1,
                "message": {"text": make_printable(describe_access(located[1]))},
                **_locate(located[1], ""),
            }
        ]
    return result


def _suppressed_result(hidden: SuppressedFinding) -> _Object:
    reason = make_printable(hidden.suppression.reason)
    return {
        **_result(hidden.finding),
        "suppressions": [{"kind": "external", "status": "accepted", "justification": reason}],
    }


def _locate(access: Access, kernel: str) -> _Object:
    place = {
        "artifactLocation": {"uri": make_uri(access.file or "")},
        "region": {"startLine": access.line or 1},
    }
    names = [{"fullyQualifiedName": make_printable(kernel), "kind": "function"}] if kernel else []
    return {"physicalLocation": place, **({"logicalLocations": names} if names else {})}


def _fingerprint(finding: CheckFinding) -> str:
    """Return what tells the finding from others, without lines, which edits move."""
    files = [a.file for a in (finding.access, finding.other) if a is not None]
    text = "\n".join([finding.rule, finding.kernel, *map(str, files)])
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
