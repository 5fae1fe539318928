"""The report of a check as annotations on GitHub: one workflow command per finding."""

from __future__ import annotations

from typing import Final

from kbuild.check.report import CheckFinding, CheckReport
from kbuild.check.rules import Severity
from kbuild.report.check.coverage import describe_coverage
from kbuild.report.check.text import describe_access, summarize
from kbuild.report.verify.github import write_command

_COMMANDS: Final[dict[Severity, str]] = {"error": "error", "warning": "warning"}


def render(report: CheckReport) -> str:
    """Return the annotations, errors first, and the summary."""
    order = list(_COMMANDS)
    findings = sorted(report.findings, key=lambda finding: order.index(finding.severity))
    lines = [
        *map(_annotate, findings),
        f"coverage: {describe_coverage(report)}",
        f"{report.verdict}: {summarize(report)}",
    ]
    return "\n".join(lines) + "\n"


def _annotate(finding: CheckFinding) -> str:
    access = finding.access
    properties = {"title": f"{finding.rule} {finding.slug}"}
    if access is not None and access.file is not None:
        properties = {"file": access.file, "line": str(access.line or 1), **properties}
    kernel = f"kernel {finding.kernel}: " if finding.kernel else ""
    lines = [f"{kernel}{finding.message}"]
    lines += [describe_access(a) for a in (finding.access, finding.other) if a is not None]
    lines += [finding.memory] if finding.memory else []
    return write_command(
        _COMMANDS[finding.severity], properties, "\n".join([*lines, f"fix: {finding.fix}"])
    )
