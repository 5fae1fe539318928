"""Reports for tests, and hypothesis strategies for any report."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from kbuild.verify.catalog import RULES
from kbuild.verify.report import Finding, Instance, Report, RuleNote, RuleOutcome

SCALE = "_ZN2ns5scaleEPffi"
# Names of files, symbols, and kernels can contain this, and it can break formats.
NASTY = (
    "a]]>&<b>\"'%0A::error::x,y:z ##[set-env]|\\`*_\x00\x1b[2J\x85\u2028\udc80\ud800\ufffe\r\n\té😀"
)

FINDING = Finding(
    rule="KB101",
    slug="missing-architecture",
    severity="error",
    path="build/libdemo.so",
    symbol=SCALE,
    arch="sm_90",
    message="no image",
    fix="add `sm_90`",
)


def make_report(*findings: Finding, **changes: Any) -> Report:
    """Return a report on one or two files with three rules and these findings."""
    paths = dict.fromkeys(["build/libdemo.so", *(finding.path for finding in findings)])
    failed = {(f.path, f.rule) for f in findings if f.severity == "error"}
    report = Report(
        findings=findings,
        rules_run=("KB101", "KB109"),
        rules_skipped=(RuleNote(rule="KB103", reason="no device image"),),
        rules_errored=(),
        outcomes=tuple(
            RuleOutcome(
                rule=rule,
                path=path,
                status="failed" if (path, rule) in failed else "passed",
            )
            if rule != "KB103"
            else RuleOutcome(rule=rule, path=path, status="skipped", reason="no device image")
            for path in paths
            for rule in ("KB101", "KB103", "KB109")
        ),
    )
    return replace(report, **changes)


NASTY_REPORT = make_report(
    FINDING,
    replace(
        FINDING, path=NASTY, symbol=NASTY, arch=NASTY, message=NASTY, fix=NASTY, severity="info"
    ),
    replace(FINDING, path=f"dist/{NASTY}.whl!pkg/{NASTY}.so", message=NASTY, severity="warning"),
    replace(FINDING, path=f"/{NASTY}", rule="KB109", slug="corrupt-image", message=NASTY),
    rules_errored=(RuleNote(rule="KB108", reason=NASTY),),
)

TEXT = st.text() | st.sampled_from((NASTY, "", " ", "::", "%", "\r", "a!b.c!d", "./../x", "//"))
_IDS = st.sampled_from([rule.id for rule in RULES]) | st.just("KB999")
_SEVERITIES = st.sampled_from(("error", "warning", "info"))
_FINDINGS = st.builds(
    Finding,
    rule=_IDS,
    slug=TEXT,
    severity=_SEVERITIES,
    path=TEXT,
    symbol=st.none() | TEXT,
    arch=st.none() | TEXT,
    message=TEXT,
    fix=TEXT,
    count=st.integers(1, 1_000_000),
    instances=st.lists(
        st.builds(Instance, symbol=st.none() | TEXT, arch=st.none() | TEXT, where=st.none() | TEXT),
        max_size=2,
    ).map(tuple),
)
_NOTES = st.lists(st.builds(RuleNote, rule=_IDS, reason=TEXT), max_size=3).map(tuple)
_OUTCOMES = st.builds(
    RuleOutcome,
    rule=_IDS,
    path=TEXT,
    status=st.sampled_from(("passed", "failed", "skipped", "errored")),
    reason=st.none() | TEXT,
)
REPORTS = st.builds(
    Report,
    findings=st.lists(_FINDINGS, max_size=4).map(tuple),
    rules_run=st.lists(_IDS, max_size=3, unique=True).map(tuple),
    rules_skipped=_NOTES,
    rules_errored=_NOTES,
    rules_unjudged=st.lists(_IDS, max_size=2, unique=True).map(tuple),
    outcomes=st.lists(_OUTCOMES, max_size=5).map(tuple),
)
