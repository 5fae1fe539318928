"""Joining the reports of processes."""

from __future__ import annotations

import fcntl
import json
from pathlib import Path
from typing import Any

import pytest

from kbuild.check import journals
from kbuild.check.gaps import Requirements
from kbuild.check.processes import read_report
from kbuild.check.report import CheckReport, SourceCoverage
from kbuild.errors import InputError


def write(path: Path, *rows: dict[str, Any], **changes: Any) -> None:
    head = {
        "signal": 0,
        "schema": "kbuild.check-process/2",
        "process": 1,
        "program": "/p",
        "images": 1,
        "forks": 0,
        "memory": 0,
        "omitted": 0,
        "forked": False,
        "ended": True,
        **changes,
    }
    lines = [json.dumps(row) + "   \n" for row in (head, *rows)]
    path.write_bytes("".join(lines).encode() + bytes(64))


def launched(name: str = "k(int*)", **changes: Any) -> dict[str, Any]:
    counts = {
        "queued": 2,
        "refused": 0,
        "started": 2,
        "ended": 2,
        "failed": 0,
        "unchecked": 0,
        "model": "regions",
    }
    return {"kernel": name, **counts, "blocks": 2, "threads": 64, **changes}


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


def read(directory: Path, *, exit_status: int = 0, **requirements: Any) -> CheckReport:
    return read_report(
        directory,
        program="p",
        exit_status=exit_status,
        requirements=Requirements(**requirements),
    )


def list_rules(report: CheckReport) -> list[str]:
    return [finding.rule for finding in report.findings]


def test_launches_of_all_processes_count(tmp_path: Path) -> None:
    write(tmp_path / "1-0.jsonl", launched())
    write(tmp_path / "2-0.jsonl", launched())
    report = read(tmp_path, launches=4)
    assert report.verdict == "ok"
    (kernel,) = report.kernels
    assert (kernel.launches, kernel.checked, kernel.threads, report.images) == (4, 4, 128, 2)


def test_one_cause_is_one_finding(tmp_path: Path) -> None:
    write(tmp_path / "1-0.jsonl", launched(), race(4, 8))
    write(tmp_path / "2-0.jsonl", launched(), race(8, 4), race(4, 9))
    report = read(tmp_path)
    assert [(f.access.line, f.other.line) for f in report.findings if f.access and f.other] == [
        (4, 8),
        (4, 9),
    ]
    assert report.verdict == "failed"
    assert report.findings[0].slug == "race-in-block"


def test_too_few_launches_are_a_finding(tmp_path: Path) -> None:
    assert list_rules(read(tmp_path)) == ["KC701"]
    write(tmp_path / "1-0.jsonl", launched())
    assert read(tmp_path, launches=3).verdict == "incomplete"
    stopped = read(tmp_path, exit_status=-6, launches=3)
    assert list_rules(stopped) == ["KC706", "KC701"]
    assert stopped.findings[0].message == "SIGABRT ended the program"
    assert "instrumented kernels before signal 6 ended it, but" in stopped.findings[1].message


@pytest.mark.parametrize(
    ("kernel", "head", "rules"),
    [
        pytest.param({"ended": 1}, {"ended": False}, ["KC706"], id="a kernel was running"),
        pytest.param({"queued": 3}, {}, ["KC708"], id="a launch did not run"),
        pytest.param({}, {"signal": 11}, ["KC706"], id="a signal ended a child process"),
        pytest.param({}, {"ended": False, "memory": 1}, ["KC706"], id="leaks are unknown"),
        pytest.param({}, {"ended": False}, [], id="no memory can leak"),
        pytest.param({}, {"forks": 1}, ["KC706"], id="a forked process has not started"),
    ],
)
def test_what_was_not_checked_to_its_end_is_a_finding(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kernel: dict[str, Any],
    head: dict[str, Any],
    rules: list[str],
) -> None:
    monkeypatch.setattr(journals, "_PATIENCE_SECONDS", 0)
    write(tmp_path / "1-0.jsonl", launched(**kernel), **head)
    report = read(tmp_path)
    assert list_rules(report) == rules
    assert report.verdict == ("incomplete" if rules else "ok")
    assert report.is_complete == (not rules)


def test_a_process_that_still_runs_is_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "_PATIENCE_SECONDS", 0)
    path = tmp_path / "12-0.jsonl"
    write(path, launched(), ended=False)
    with path.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        report = read(tmp_path)
        assert [finding.message for finding in report.findings] == ["process 12 still runs"]
        assert read(tmp_path, can_run=True).ok
    assert read(tmp_path).ok


def test_kernels_that_are_not_checked_do_not_count(tmp_path: Path) -> None:
    write(tmp_path / "1-0.jsonl", launched(unchecked=1), launched("other", failed=2, refused=1))
    first, second = read(tmp_path).kernels
    assert (first.checked, second.checked, second.refused, second.requested) == (1, 0, 1, 3)


def test_a_line_has_run_if_it_has_in_one_process(tmp_path: Path) -> None:
    first = {"source": "/elsewhere/k.cu", "run": [3], "not_run": [4, 5]}
    second = {"source": "/elsewhere/k.cu", "run": [4], "not_run": [3, 5]}
    write(tmp_path / "1-0.jsonl", launched(), first)
    write(tmp_path / "2-0.jsonl", launched(), second)
    assert read(tmp_path).coverage.sources == (
        SourceCoverage(source="/elsewhere/k.cu", run=(3, 4), not_run=(5,)),
    )
    assert read(tmp_path, coverage=66).ok
    low = read(tmp_path, coverage=67)
    assert [finding.message for finding in low.findings] == [
        "2 of 3 lines with accesses ran, but the check requires 67 %"
    ]
    write(tmp_path / "2-0.jsonl", launched(), second, ended=False)
    assert list_rules(read(tmp_path, coverage=1)) == ["KC710"]


def test_a_limit_is_a_gap(tmp_path: Path) -> None:
    write(tmp_path / "1-0.jsonl", launched(), {"limit": "too many synchronizations"})
    assert list_rules(read(tmp_path)) == ["KC709"]


@pytest.mark.parametrize("text", ["{\n", "[]\n", '{"schema": "other"}\n'])
def test_damaged_reports_are_rejected(tmp_path: Path, text: str) -> None:
    (tmp_path / "1-0.jsonl").write_text(text)
    with pytest.raises(InputError, match="not a journal of checks"):
        read(tmp_path)
