"""Joining the reports of processes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kbuild.check.processes import read_report
from kbuild.errors import InputError


def write(path: Path, **changes: Any) -> None:
    document = {
        "schema": "kbuild.check-process/1",
        "images": 1,
        "kernels": [{"name": "k(int*)", "launches": 2, "threads": 64}],
        "limits": [],
        "omitted": 0,
        "findings": [],
        **changes,
    }
    path.write_text(json.dumps(document))


def race(first: int, second: int, kernel: str = "k(int*)") -> dict[str, Any]:
    def place(line: int, thread: int) -> dict[str, Any]:
        return {
            "action": "write",
            "file": "/elsewhere/k.cu",
            "line": line,
            "block": [0, 0, 0],
            "thread": [thread, 0, 0],
        }

    return {
        "rule": "KC201",
        "kernel": kernel,
        "message": "a race",
        "memory": "",
        "place": place(first, 1),
        "other": place(second, 2),
        "count": 3,
    }


def test_launches_of_all_processes_count(tmp_path: Path) -> None:
    write(tmp_path / "1.json")
    write(tmp_path / "2.json")
    report = read_report(tmp_path, program="p", exit_status=0, required_launches=4)
    assert report.ok
    (kernel,) = report.kernels
    assert (kernel.launches, kernel.threads, report.images) == (4, 128, 2)


def test_one_cause_is_one_finding(tmp_path: Path) -> None:
    write(tmp_path / "1.json", findings=[race(4, 8)])
    write(tmp_path / "2.json", findings=[race(8, 4), race(4, 9)])
    report = read_report(tmp_path, program="p", exit_status=0)
    assert [(f.access.line, f.other.line) for f in report.findings if f.access and f.other] == [
        (4, 8),
        (4, 9),
    ]
    assert not report.ok
    assert report.findings[0].slug == "race-in-block"


def test_too_few_launches_are_a_finding(tmp_path: Path) -> None:
    report = read_report(tmp_path, program="p", exit_status=0)
    assert [finding.rule for finding in report.findings] == ["KC701"]
    write(tmp_path / "1.json")
    assert not read_report(tmp_path, program="p", exit_status=0, required_launches=3).ok
    stopped = read_report(tmp_path, program="p", exit_status=-6, required_launches=3).findings[-1]
    assert "instrumented kernels before signal 6 ended it, but" in stopped.message


@pytest.mark.parametrize("text", ["{", "[]", '{"schema": "other"}'])
def test_damaged_reports_are_rejected(tmp_path: Path, text: str) -> None:
    (tmp_path / "1.json").write_text(text)
    with pytest.raises(InputError, match="not a report of checks"):
        read_report(tmp_path, program="p", exit_status=0)
