from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as ET

from hypothesis import given, settings

from kbuild.report.verify.junit import render
from kbuild.verify.report import Report, RuleNote, RuleOutcome, Status
from support.facts.build_reports import FINDING, NASTY_REPORT, REPORTS, make_report

# The structure of junit-10.xsd of Jenkins's xUnit plugin: attributes (required ones with a
# star) and children.
SHAPE = {
    "testsuites": ({"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": (
        {"name*", "tests*", "failures*", "errors*", "skipped", "time", "timestamp", "hostname"},
        {"testcase", "properties", "system-out", "system-err"},
    ),
    "testcase": (
        {"name*", "classname", "time", "status"},
        {"skipped", "error", "failure", "system-out", "system-err"},
    ),
    "failure": ({"message", "type"}, set()),
    "error": ({"message", "type"}, set()),
    "skipped": ({"message", "type"}, set()),
    "system-out": (set(), set()),
}


def check_shape(element: ET.Element) -> None:
    attributes, children = SHAPE[element.tag]
    assert set(element.attrib) <= {name.rstrip("*") for name in attributes}
    assert {name[:-1] for name in attributes if name.endswith("*")} <= set(element.attrib)
    for child in element:
        assert child.tag in children
        check_shape(child)


def load(report: Report) -> ET.Element:
    """Return the document after checking its structure and its counts."""
    root = ET.fromstring(render(report).encode())  # noqa: S314 - our own
    check_shape(root)
    for element in (root, *root):
        cases = [*element.iter("testcase")]
        assert element.get("tests") == str(len(cases))
        for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            if name in element.attrib:
                assert element.get(name) == str(sum(case.find(tag) is not None for case in cases))
    return root


def only(report: Report, name: str) -> ET.Element:
    (case,) = [case for case in load(report).iter("testcase") if case.get("name") == name]
    return case


def test_one_suite_per_file_and_one_case_per_rule() -> None:
    report = make_report(replace(FINDING, path="b.so"))
    assert [
        (suite.get("name"), [(case.get("name"), case.get("classname")) for case in suite])
        for suite in load(report)
    ] == [
        (
            path,
            [
                ("KB101 missing-architecture", path),
                ("KB103 kernel-missing-in-image", path),
                ("KB109 corrupt-image", path),
            ],
        )
        for path in ("build/libdemo.so", "b.so")
    ]


def test_passed_case_is_empty() -> None:
    assert [*only(make_report(), "KB101 missing-architecture")] == []


def test_errors_are_one_failure() -> None:
    second = replace(FINDING, message="none at all", symbol=None, arch=None)
    (failure,) = only(make_report(FINDING, second), "KB101 missing-architecture")
    assert failure.tag == "failure"
    assert failure.attrib == {
        "message": "no image (and 1 more error)",
        "type": "missing-architecture",
    }
    assert failure.text == (
        "error: no image\n  symbol: _ZN2ns5scaleEPffi\n  architecture: sm_90\n"
        "error: none at all\nfix: add `sm_90`"
    )


def test_failure_says_why_the_rest_was_not_judged() -> None:
    outcome = RuleOutcome(rule="KB101", path=FINDING.path, status="failed", reason="stripped")
    (failure,) = only(make_report(FINDING, outcomes=(outcome,)), "KB101 missing-architecture")
    assert (failure.text or "").endswith("\ncould not judge the rest: stripped")


def test_warnings_and_infos_do_not_fail() -> None:
    findings = (replace(FINDING, severity="warning"), replace(FINDING, severity="info"))
    (output,) = only(make_report(*findings), "KB101 missing-architecture")
    assert output.tag == "system-out"
    assert (output.text or "").startswith("warning: no image\n")
    assert "info: no image" in (output.text or "")


def test_skipped_and_errored_rules_differ() -> None:
    (skipped,) = only(make_report(), "KB103 kernel-missing-in-image")
    assert (skipped.tag, skipped.attrib) == ("skipped", {"message": "no device image"})
    outcome = RuleOutcome(rule="KB108", path="a", status="errored", reason="KeyError: 1")
    report = make_report(
        replace(FINDING, rule="KB108", path="a"),
        outcomes=(outcome,),
        rules_errored=(RuleNote(rule="KB108", reason="a: KeyError: 1"),),
    )
    error, output = only(report, "KB108 signature-mismatch")
    assert (error.tag, error.get("message")) == ("error", "KeyError: 1")
    assert "no image" in (output.text or "")


def test_worse_outcome_of_two_members_with_one_name_counts() -> None:
    states: tuple[Status, ...] = ("passed", "failed", "skipped")
    outcomes = tuple(RuleOutcome(rule="KB101", path="k.a!x.o", status=s) for s in states)
    report = make_report(replace(FINDING, path="k.a!x.o"), outcomes=outcomes)
    (case,) = load(report).iter("testcase")
    assert case[0].tag == "failure"


def test_finding_about_a_policy_is_a_case() -> None:
    finding = replace(FINDING, path="policy.toml", rule="KB999", slug="made-up")
    report = make_report(finding, outcomes=make_report().outcomes)
    assert only(report, "KB999 made-up")[0].tag == "failure"


def test_nasty_text() -> None:
    text = render(NASTY_REPORT)
    assert not set("\x00\x1b\x85\r\ufffe\udc80") & set(text)
    load(NASTY_REPORT)


@settings(deadline=None, max_examples=200)
@given(REPORTS)
def test_any_text_is_valid(report: Report) -> None:
    load(report)
