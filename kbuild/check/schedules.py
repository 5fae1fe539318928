"""Join the reports of several runs of one program, whose blocks run in different orders."""

from __future__ import annotations

from typing import Final

from kbuild.check.processes import find_cause
from kbuild.check.report import CheckReport
from kbuild.values import replace

# The variable that selects the order; see native/cpu/launches/block_order.hpp.
SEED: Final = "KBUILD_SEED"


def join_schedules(reports: tuple[CheckReport, ...]) -> CheckReport:
    """Return the report of all runs. Its counts are those of the first run.

    Args:
        reports: The reports by seed, at least one. A finding that the first run does not have names
            the seed that shows it.
    """
    first, *others = reports
    findings = list(first.findings)
    known = {find_cause(finding) for finding in findings}
    for seed, report in enumerate(others, 1):
        for finding in report.findings:
            cause = find_cause(finding)
            if cause not in known:
                known.add(cause)
                message = f"{finding.message}; only in some orders, as {SEED}={seed}"
                findings.append(replace(finding, message=message))
    status = next((report.exit_status for report in reports if report.exit_status), 0)
    return replace(first, findings=tuple(findings), exit_status=status)
