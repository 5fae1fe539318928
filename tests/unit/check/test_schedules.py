"""The reports of several runs of one program."""

from __future__ import annotations

from dataclasses import replace

from kbuild.check.processes import make_finding
from kbuild.check.report import Access, CheckFinding, CheckReport, Coverage
from kbuild.check.schedules import join_schedules


def make_report(*findings: CheckFinding, status: int = 0) -> CheckReport:
    coverage = Coverage(exact=(), differs=(), not_covered=())
    return CheckReport(
        program="p", exit_status=status, checks=(), kernels=(), findings=findings, coverage=coverage
    )


def make_race(line: int) -> CheckFinding:
    return make_finding(
        "KC202", "a race", kernel="k", access=Access(action="write", file="a.cu", line=line)
    )


def test_one_run_is_its_report() -> None:
    report = make_report(make_race(1))
    assert join_schedules((report,)) == report


def test_a_finding_names_the_first_seed_that_shows_it() -> None:
    first, second = make_race(1), make_race(2)
    reports = (make_report(first), make_report(first), make_report(second), make_report(second))
    joined = join_schedules(reports)
    assert joined.findings == (
        first,
        replace(second, message="a race; only in some orders, as KBUILD_SEED=2"),
    )


def test_the_status_is_that_of_the_first_run_that_fails() -> None:
    reports = (make_report(), make_report(status=3), make_report(status=4))
    assert join_schedules(reports).exit_status == 3
