from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest

from kbuild.demangle.names import demangle
from kbuild.errors import ConfigurationError
from kbuild.report.verify import json as json_report
from kbuild.report.verify import text
from kbuild.verify import Policy, Report, load_policy, select_rules, verify
from kbuild.verify.policy.model import SeverityChange, Waiver
from kbuild.verify.report import Finding
from support.facts.build_facts import AXPY, SCALE
from support.facts.policy_cases import FOREIGN, needing

LAST_DAY = dt.date(2027, 1, 31)
NEXT_DAY = dt.date(2027, 2, 1)
SPILLING = needing(spill_bytes=16)


def waiver(rule: str = "KB201", /, **selectors: Any) -> Waiver:
    return Waiver(rule=rule, reason="until 2.0", expires=LAST_DAY, **selectors)


def judge(*waivers: Waiver, day: dt.date = LAST_DAY, rules: str = "KB") -> Report:
    policy = Policy(max_spill_bytes=0, waivers=waivers, source="kbuild.toml")
    return verify((SPILLING,), policy, select_rules([rules]), day)


def found(report: Report) -> list[tuple[str, str | None]]:
    """Return the instances of the findings, each with its rule."""
    return [(f.rule, one) for f in report.findings for one in symbols_of(f)]


def symbols_of(finding: Finding) -> list[str | None]:
    return [one.symbol for one in finding.instances] or [None]


def hidden_by(report: Report) -> list[str | None]:
    return [one for waived in report.waived for one in symbols_of(waived.finding)]


def test_waiver_hides_findings_until_its_last_day_ends() -> None:
    report = judge(waiver())
    assert report.findings == ()
    assert report.ok
    assert hidden_by(report) == [AXPY, SCALE]
    assert report.waived[0].finding.severity == "error"


def test_expired_waiver_hides_nothing_and_is_an_error() -> None:
    report = judge(waiver(), day=NEXT_DAY)
    assert found(report) == [("KB201", AXPY), ("KB201", SCALE), ("KB001", None)]
    assert report.waived == ()
    finding = report.findings[-1]
    assert (finding.path, finding.severity) == ("kbuild.toml", "error")
    assert finding.message == "the waiver of KB201 expired on 2027-01-31"


@pytest.mark.parametrize(
    ("selectors", "kept"),
    [
        ({"kernels": ("ns::*",)}, [AXPY]),
        ({"kernels": (AXPY, "ns::scale")}, []),
        ({"files": ("*.fatbin",)}, []),
        ({"arch": ("sm_9?",)}, []),
    ],
)
def test_selectors(selectors: dict[str, tuple[str, ...]], kept: list[str]) -> None:
    assert found(judge(waiver(**selectors))) == [("KB201", name) for name in kept]


def judge_missing(*waivers: Waiver) -> Report:
    """Return the facts of a source with two kernels and no image for sm_100."""
    policy = Policy(required_architectures=("sm_100",), waivers=waivers, source="kbuild.toml")
    return verify((FOREIGN,), policy, select_rules(["KB0", "KB101"]), LAST_DAY)


@pytest.mark.parametrize(
    ("globs", "kept", "hidden"),
    [
        ([], [SCALE, AXPY], []),
        (["ns::*"], [AXPY], [SCALE]),
        (["axpy"], [SCALE], [AXPY]),
        (["*"], [], [SCALE, AXPY]),
        (["ns::scale", "axpy"], [], [SCALE, AXPY]),
    ],
)
def test_waiver_hides_a_finding_only_for_the_kernels_that_it_names(
    globs: list[str], kept: list[str | None], hidden: list[str | None]
) -> None:
    report = judge_missing(*(waiver("KB101", kernels=(glob,)) for glob in globs))
    assert found(report) == [("KB101", symbol) for symbol in kept]
    assert hidden_by(report) == hidden
    assert report.ok == (not kept)


def test_rest_of_a_finding_names_the_remaining_kernels() -> None:
    report = judge_missing(waiver("KB101", kernels=("ns::*",)))
    (left,), (hidden,) = report.findings, report.waived
    start = "no image for sm_100, only for compute_90, sm_90, in container 0: "
    assert left.message.startswith(f"{start}such a device runs axpy(float, float*) from the ")
    assert hidden.finding.message.startswith(
        f"{start}such a device runs ns::scale(float*, float, int) from the "
    )


@pytest.mark.parametrize("selectors", [{"arch": ("sm_100",)}, {"files": ("*.fatbin",)}, {}])
def test_waiver_without_kernels_hides_the_complete_finding(
    selectors: dict[str, tuple[str, ...]],
) -> None:
    report = judge_missing(waiver("KB101", **selectors))
    assert report.ok
    assert hidden_by(report) == [SCALE, AXPY]


def test_waiver_of_other_kernels_hides_nothing_of_a_finding() -> None:
    selectors = {"kernels": ("ns::*",), "arch": ("sm_90",)}
    report = judge_missing(waiver("KB101", kernels=("gone",)), waiver("KB101", **selectors))
    assert found(report) == [("KB101", SCALE), ("KB101", AXPY), ("KB002", None), ("KB002", None)]
    assert "axpy(float, float*)" in report.findings[0].message
    assert "ns::scale(float*, float, int)" in report.findings[0].message


def test_waiver_that_hides_nothing_is_a_warning() -> None:
    report = judge(waiver(), waiver(kernels=("gone",), arch=("sm_90",)))
    (finding,) = report.findings
    assert (finding.rule, finding.severity) == ("KB002", "warning")
    assert finding.message == "the waiver of KB201 for kernels gone; arch sm_90 hides nothing"
    assert report.ok


def test_waivers_of_other_files_and_rules_are_not_judged() -> None:
    assert found(judge(waiver(), waiver(files=("other.so",)))) == []
    assert found(judge(waiver("KB105"), rules="KB201")) == [("KB201", AXPY), ("KB201", SCALE)]
    # The rule is skipped without a minimum driver.
    assert found(judge(waiver(), waiver("KB105"))) == []
    # Only this rule would report it.
    assert found(judge(waiver("KB201"), day=NEXT_DAY, rules="KB201"))[2:] == []


def test_severity_of_expired_waivers_can_be_changed() -> None:
    change = SeverityChange(rule="KB001", severity="warning", reason="release week")
    policy = Policy(waivers=(waiver("KB110"),), severities=(change,))
    report = verify((FOREIGN,), policy, today=NEXT_DAY)
    assert [(f.rule, f.severity) for f in report.findings] == [("KB001", "warning")]


def test_unknown_rule_is_rejected() -> None:
    with pytest.raises(ConfigurationError, match="unknown rule 'KB20'; did you mean 'KB20"):
        judge(waiver("KB20"))


def test_reports_list_waived_findings() -> None:
    report = judge(waiver())
    shown = text.render(report)
    assert "foreign.fatbin: waived KB201 register-spill: more bytes of spills" in shown
    assert "    until 2027-01-31: until 2.0\n" in shown
    assert "ok: no findings, 1 waived; " in shown
    (first,) = json.loads(json_report.render(report))["waived"]
    assert first["finding"]["rule"] == "KB201"
    assert first["waiver"] == {
        "rule": "KB201",
        "reason": "until 2.0",
        "expires": "2027-01-31",
        "kernels": [],
        "files": [],
        "arch": [],
    }


def test_waivers_are_read(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(
        '[[waivers]]\nrule = "KB201"\nkernels = "a"\nreason = "until 2.0"\nexpires = 2027-01-31\n'
    )
    policy = load_policy(path)
    assert policy.waivers == (waiver(kernels=("a",)),)
    assert policy.source == str(path)


@pytest.mark.parametrize(("globs", "kept"), [(("axpy",), SCALE), (("ns::*",), AXPY)])
def test_waiver_for_a_kernel_hides_its_part_of_an_info(globs: tuple[str, ...], kept: str) -> None:
    policy = Policy(waivers=(waiver(kernels=globs),), source="kbuild.toml")

    report = verify((SPILLING,), policy, select_rules(["KB0", "KB201"]), LAST_DAY)

    (finding,) = report.findings  # and no KB002
    (hidden,) = report.waived
    assert (finding.rule, finding.severity, finding.symbol) == ("KB201", "info", kept)
    for one, name in ((finding, kept), (hidden.finding, ({AXPY, SCALE} - {kept}).pop())):
        assert one.count == 1
        assert one.message == f"register spills: {demangle(name)} on sm_90 (16 bytes)"


def test_waivers_for_all_kernels_hide_an_info() -> None:
    policy = Policy(waivers=(waiver(kernels=("*",)),), source="kbuild.toml")

    report = verify((SPILLING,), policy, select_rules(["KB0", "KB201"]), LAST_DAY)

    assert report.findings == ()
    assert report.waived[0].finding.count == 2
