"""The examples of `kbuild explain` have the reports that it shows, and no other findings."""

from __future__ import annotations

import datetime as dt
import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from kbuild.check.explanations import find_example, find_report
from kbuild.check.processes import DIRECTORY, make_finding, read_report
from kbuild.check.report import CheckFinding, CheckReport, Coverage
from kbuild.check.rules import RULES, CheckRule, find_rule
from kbuild.check.suppressions import Suppressions, apply_suppressions
from kbuild.report.check.text import render
from kbuild.verify.policy.model import Waiver
from support.commands import run_kbuild

PROGRAMS = tuple(rule for rule in RULES if find_example(rule).exists())
# What no program shows on its own, or not each time in the same way.
OTHERS = {
    "KC112": ("", "cublasSgemm writes 64 bytes at 'C', where only 60 bytes are left"),
    "KC706": ("", "SIGKILL ended the program"),
    "KC707": ("scale(float*)", "the kernel is not instrumented, so it was not checked"),
    "KC708": ("scale(float*)", "2 launches did not run, because a kernel failed"),
    "KC709": ("", "a block synchronized more than 4194303 times, so later races were not found"),
    "KC710": ("", "8 of 10 lines with accesses ran, but the check requires 90 %"),
}
# Those that end the program by a signal.
CRASHES = ("KC602", "KC705")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build all examples as one program, with a function for each `main`."""
    directory = tmp_path_factory.mktemp("examples")
    texts = {rule: find_example(rule).read_text() for rule in PROGRAMS}
    # Headers do not belong into the namespaces.
    headers = {
        line for text in texts.values() for line in re.findall(r"^#include <.*", text, re.MULTILINE)
    }
    lines = sorted({"#include <cstring>", *headers})
    calls = []
    for rule, text in texts.items():
        assert "int main(" in text
        (directory / f"{rule.id}.cu").write_text(text.replace("int main(", "void run("))
        lines.append(f'namespace {rule.id} {{\n#include "{rule.id}.cu"\n}}')
        words = "1, nullptr" if "main(int" in text else ""
        calls.append(f'    if (!std::strcmp(argv[1], "{rule.id}")) {rule.id}::run({words});')
    lines += ["int main(int, char** argv) {", *calls, "}", ""]
    source = directory / "all.cu"
    source.write_text("\n".join(lines))
    output = directory / "examples"
    done = run_kbuild("run", "--check", "-O", "0", "--build-only", "-o", output, source)
    assert done.returncode == 0, done.stderr
    return output


@pytest.mark.parametrize("rule", PROGRAMS, ids=lambda rule: rule.id)
def test_example_has_this_report(
    program: Path, rule: CheckRule, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(program.parent)
    environment = {**os.environ, DIRECTORY: str(tmp_path)}
    done = subprocess.run([program, rule.id], env=environment, check=False, capture_output=True)
    report = read_report(tmp_path, program=rule.id, exit_status=done.returncode)
    crash = {"KC705"} if rule.id in CRASHES else set()
    assert {finding.rule for finding in report.findings} == {rule.id} | crash
    report = replace(report, findings=tuple(f for f in report.findings if f.rule == rule.id))
    compare_report(rule, report)


@pytest.mark.parametrize("rule", PROGRAMS, ids=lambda rule: rule.id)
def test_errors_make_the_exit_code_1(program: Path, rule: CheckRule) -> None:
    environment = {name: value for name, value in os.environ.items() if name != DIRECTORY}
    done = subprocess.run(
        [program, rule.id], env=environment, check=False, capture_output=True, text=True
    )
    if rule.id in CRASHES:
        assert done.returncode < 0
        # Without checks, the thread of such a kernel is unknown.
        assert re.search(
            r"SIG(FPE|ILL) .*\n  block \(0, 0, 0\), thread \(\d+, 0, 0\)\n", done.stderr
        )
    elif rule.id == "KC701":
        assert done.returncode == 0
    else:
        assert f"kbuild: {rule.id}: " in done.stderr
        assert done.returncode == (1 if rule.severity == "error" else 0)


def make_report(*findings: CheckFinding) -> CheckReport:
    return CheckReport(
        program="example",
        exit_status=0,
        checks=(),
        kernels=(),
        findings=findings,
        coverage=Coverage(exact=(), differs=(), not_covered=()),
    )


@pytest.mark.parametrize("name", OTHERS)
def test_gap_has_this_report(name: str) -> None:
    kernel, message = OTHERS[name]
    compare_report(find_rule(name), make_report(make_finding(name, message, kernel=kernel)))


def test_expired_suppression_has_this_report() -> None:
    rule = find_rule("KC702")
    report = make_report()
    waiver = Waiver(rule="KC202", reason="known", expires=dt.date(2026, 1, 31))
    suppressions = Suppressions(source=Path("suppressions.toml"), active=(), expired=(waiver,))
    compare_report(rule, apply_suppressions(report, suppressions))


def test_every_rule_has_a_report() -> None:
    assert {"KC702", *OTHERS, *(rule.id for rule in PROGRAMS)} == {rule.id for rule in RULES}


def compare_report(rule: CheckRule, report: CheckReport) -> None:
    """Compare the findings with the file. ``KBUILD_UPDATE_GOLDEN=1`` writes it."""
    *lines, _, _ = render(report).replace(f"{rule.id}::", "").splitlines()
    text = "\n".join([*lines, ""])
    if os.environ.get("KBUILD_UPDATE_GOLDEN"):
        find_report(rule).write_text(text, encoding="utf-8")
    assert find_report(rule).read_text(encoding="utf-8") == text
