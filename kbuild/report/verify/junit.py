"""The report of `kbuild verify` as JUnit XML: one suite per file, one case per rule.

There is no standard for the format. Jenkins's xUnit plugin accepts this document (its
junit-10.xsd), and GitLab and others read it. It contains no times, so that equal reports are
equal texts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from kbuild.report.layout import make_printable, plural
from kbuild.report.verify.locations import all_paths
from kbuild.verify.catalog import RULES
from kbuild.verify.report import Finding, Report, RuleOutcome, Status

_Key: TypeAlias = tuple[str, str]

# If two members of an archive have the same name, the worse outcome counts.
_WORST_FIRST: Final[tuple[Status, ...]] = ("errored", "failed", "passed", "skipped")
_SLUGS: Final = {rule.id: rule.slug for rule in RULES}


def render(report: Report) -> str:
    """Return one XML document with all suites."""
    findings: dict[_Key, list[Finding]] = {}
    for finding in report.findings:
        findings.setdefault((finding.path, finding.rule), []).append(finding)
    outcomes: dict[str, dict[str, RuleOutcome]] = {path: {} for path in all_paths(report)}
    for outcome in (*report.outcomes, *_unlisted(report, findings)):
        cases = outcomes[outcome.path]
        cases[outcome.rule] = _worse(cases.get(outcome.rule, outcome), outcome)
    states = [outcome.status for cases in outcomes.values() for outcome in cases.values()]
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="kbuild verify" {_count(states)}>',
    ]
    for path, cases in outcomes.items():
        lines += _suite(path, cases.values(), findings)
    return "\n".join([*lines, "</testsuites>"]) + "\n"


def _unlisted(report: Report, findings: dict[_Key, list[Finding]]) -> Iterator[RuleOutcome]:
    """Yield outcomes for findings that no rule and file lists, so that a case shows them."""
    listed = {(outcome.path, outcome.rule) for outcome in report.outcomes}
    for (path, rule), found in findings.items():
        if (path, rule) not in listed:
            is_error = any(finding.severity == "error" for finding in found)
            yield RuleOutcome(rule=rule, path=path, status="failed" if is_error else "passed")


def _worse(first: RuleOutcome, second: RuleOutcome) -> RuleOutcome:
    return min(first, second, key=lambda outcome: _WORST_FIRST.index(outcome.status))


def _count(states: list[Status]) -> str:
    counts = Counter(states)
    failures, errors = counts["failed"], counts["errored"]
    return f'tests="{len(states)}" failures="{failures}" errors="{errors}"'


def _suite(
    path: str, cases: Iterable[RuleOutcome], findings: dict[_Key, list[Finding]]
) -> Iterator[str]:
    states = [outcome.status for outcome in cases]
    skipped = states.count("skipped")
    yield f'  <testsuite name={_attribute(path)} {_count(states)} skipped="{skipped}">'
    for outcome in cases:
        yield from _case(outcome, findings.get((path, outcome.rule), []))
    yield "  </testsuite>"


def _case(outcome: RuleOutcome, findings: list[Finding]) -> Iterator[str]:
    slug = _SLUGS.get(outcome.rule) or next((finding.slug for finding in findings), "")
    name = _attribute(f"{outcome.rule} {slug}".rstrip())
    start = f"    <testcase name={name} classname={_attribute(outcome.path)}"
    content = [*_content(outcome, findings)]
    if not content:
        yield f"{start}/>"
        return
    yield f"{start}>"
    yield from content
    yield "    </testcase>"


def _content(outcome: RuleOutcome, findings: list[Finding]) -> Iterator[str]:
    errors = [finding for finding in findings if finding.severity == "error"]
    others = [finding for finding in findings if finding.severity != "error"]
    if outcome.status == "errored":
        message = _attribute(outcome.reason or "")
        yield f'      <error message={message} type="errored"/>'
        others = findings
    elif outcome.status == "failed":
        more = f" (and {plural(len(errors) - 1, 'more error')})" if len(errors) > 1 else ""
        message = _attribute((errors[0].message if errors else "failed") + more)
        kind = _attribute(errors[0].slug if errors else outcome.rule)
        body = _text(errors, outcome.reason)
        yield f"      <failure message={message} type={kind}>{body}</failure>"
    elif outcome.status == "skipped":
        yield f"      <skipped message={_attribute(outcome.reason or '')}/>"
    if others:
        yield f"      <system-out>{_text(others)}</system-out>"


def _text(findings: list[Finding], unjudged: str | None = None) -> str:
    lines = []
    for finding in findings:
        lines.append(f"{finding.severity}: {finding.message}")
        lines += [f"  {what}: {name}" for what, name in _names(finding)]
    lines += [f"fix: {fix}" for fix in dict.fromkeys(finding.fix for finding in findings)]
    lines += [f"could not judge the rest: {unjudged}"] if unjudged else []
    # This imports urllib.request, which would slow down the start of every command that reports.
    from xml.sax.saxutils import escape  # noqa: PLC0415

    return escape(make_printable("\n".join(lines)))


def _names(finding: Finding) -> Iterator[tuple[str, str]]:
    for what, name in (("symbol", finding.symbol), ("architecture", finding.arch)):
        if name is not None:
            yield what, name
    if finding.count > 1:
        yield "count", str(finding.count)


def _attribute(text: str) -> str:
    from xml.sax.saxutils import quoteattr  # noqa: PLC0415 - as above

    return quoteattr(make_printable(text))
