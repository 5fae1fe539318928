"""Suppressions of findings."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from kbuild.check.processes import make_finding
from kbuild.check.report import Access, CheckFinding, CheckReport, Coverage
from kbuild.check.suppressions import apply_suppressions, read_suppressions
from kbuild.errors import ConfigurationError

TODAY = dt.date(2026, 5, 1)


def make_report(*findings: CheckFinding) -> CheckReport:
    coverage = Coverage(exact=(), differs=(), not_covered=())
    return CheckReport(
        program="p", exit_status=0, checks=(), kernels=(), findings=findings, coverage=coverage
    )


def make_race(kernel: str, file: str) -> CheckFinding:
    return make_finding(
        "KC202", "a race", kernel=kernel, access=Access(action="write", file=file, line=1)
    )


def read(tmp_path: Path, **keys: str) -> Path:
    table = {"rule": '"KC202"', "reason": '"known"', "expires": "2026-05-01", **keys}
    path = tmp_path / "s.toml"
    lines = [f"{key} = {value}" for key, value in table.items()]
    path.write_text("\n".join(["[[suppressions]]", *lines]))
    return path


def test_kernels_and_files_select(tmp_path: Path) -> None:
    path = read(tmp_path, kernels='"ns::k"', files='"src/*.cu"')
    report = make_report(
        make_race("ns::k(int*)", "src/a.cu"),
        make_race("ns::other(int*)", "src/a.cu"),
        make_race("ns::k(int*)", "lib/a.cu"),
    )
    result = apply_suppressions(report, read_suppressions(path, TODAY))
    assert [hidden.finding for hidden in result.suppressed] == [report.findings[0]]
    assert result.findings == report.findings[1:]


def test_an_expired_suppression_is_a_finding(tmp_path: Path) -> None:
    path = read(tmp_path)
    report = make_report(make_race("k(int*)", "a.cu"))
    tomorrow = TODAY + dt.timedelta(days=1)
    result = apply_suppressions(report, read_suppressions(path, tomorrow))
    assert [finding.rule for finding in result.findings] == ["KC202", "KC702"]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"rule": '"KC20"'}, "unknown rule 'KC20'"),
        ({"arch": '"x86-64"'}, "remove it"),
        ({"expires": '"soon"'}, "expires"),
        ({"kernel": '"k"'}, "kernel"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, keys: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        read_suppressions(read(tmp_path, **keys))
