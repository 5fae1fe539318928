from __future__ import annotations

import re
from dataclasses import dataclass, replace

from hypothesis import given

from kbuild.report.layout import make_printable
from kbuild.report.verify.github import render
from kbuild.report.verify.short_messages import shorten_messages
from kbuild.verify.report import Report, RuleNote
from support.facts.build_reports import FINDING, NASTY, NASTY_REPORT, REPORTS, make_report


@dataclass(frozen=True)
class Command:
    name: str
    properties: dict[str, str]
    message: str


def unescape(text: str, *, is_property: bool) -> str:
    if is_property:
        text = text.replace("%3A", ":").replace("%2C", ",")
    return text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")


def read(text: str) -> tuple[list[Command], list[str]]:
    """Return the commands that GitHub's runner finds in a log, and the other lines."""
    commands, others = [], []
    for line in re.split(r"\r\n|\r|\n", text.removesuffix("\n")):
        match = re.fullmatch(r"\s*::(\w+)(?: (.*?))?::(.*)", line)
        if match is None:
            others.append(line)
            continue
        pairs = [pair.partition("=") for pair in (match[2] or "").strip().split(",")]
        properties = {name: unescape(value, is_property=True) for name, _, value in pairs}
        commands.append(Command(match[1], properties, unescape(match[3], is_property=False)))
    return commands, others


def test_annotation() -> None:
    assert render(make_report(FINDING)).splitlines() == [
        (
            "::error file=build/libdemo.so,title=KB101 missing-architecture"
            "::build/libdemo.so: no image%0Afix: add `sm_90`"
        ),
        "FAILED: 1 error; 2 rules run, 1 skipped (nothing to check)",
    ]


def test_escapes() -> None:
    finding = replace(FINDING, path="./a,b:100%.so", message="50% of\na: b, c", fix="::x")
    line = render(make_report(finding)).splitlines()[0]
    assert line == (
        "::error file=a%2Cb%3A100%25.so,title=KB101 missing-architecture"
        "::./a,b:100%25.so: 50%25 of%0Aa: b, c%0Afix: ::x"
    )


def test_errors_come_first_and_infos_are_notices() -> None:
    findings = [
        replace(FINDING, severity="info"),
        replace(FINDING, severity="warning"),
        replace(FINDING, severity="error"),
    ]
    commands, _ = read(render(make_report(*findings)))
    assert [command.name for command in commands] == ["error", "warning", "notice"]


def test_file_of_a_member_is_the_wheel() -> None:
    (command,), _ = read(render(make_report(replace(FINDING, path="d/k.whl!k/libk.so"))))
    assert command.properties["file"] == "d/k.whl"
    assert command.message.startswith("d/k.whl!k/libk.so: no image")


def test_errored_rule_is_an_error() -> None:
    report = make_report(rules_errored=(RuleNote(rule="KB108", reason="a.so: KeyError"),))
    (command,), others = read(render(report))
    assert command == Command("error", {"title": "KB108 could not run"}, "a.so: KeyError")
    assert others == ["FAILED: no findings; 2 rules run, 1 skipped (nothing to check), 1 errored"]


def test_nasty_text_stays_inside_its_command() -> None:
    commands, others = read(render(NASTY_REPORT))
    assert [command.name for command in commands] == [
        "error",
        "error",
        "warning",
        "notice",
        "error",
    ]
    assert len(others) == 1
    assert all(make_printable(NASTY) in command.message for command in commands[1:])


@given(REPORTS)
def test_every_finding_is_one_command_for_any_text(report: Report) -> None:
    commands, others = read(render(report))
    assert len(commands) == len(report.findings) + len(report.rules_errored)
    assert len(others) == 1
    assert "##[" not in others[0]
    order = ("error", "warning", "info")
    shown = shorten_messages(report).findings
    findings = sorted(shown, key=lambda finding: order.index(finding.severity))
    for command, finding in zip(commands, findings, strict=False):
        count = f"count: {finding.count}\n" if finding.count > 1 else ""
        assert (
            command.message
            == f"{make_printable(finding.path)}: {make_printable(finding.message)}\n{count}fix: "
            + make_printable(finding.fix)
        )
        assert set(command.properties) == {"file", "title"}
        title = command.properties["title"].rstrip()
        assert title == f"{finding.rule} {make_printable(finding.slug)}".rstrip()
