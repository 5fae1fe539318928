"""The report of `kbuild verify` as annotations on GitHub: one workflow command per finding.

"Workflow commands for GitHub Actions" documents the commands. The runner's ActionCommand.cs
parses a line that begins with `::`, and in an older form `##[` anywhere in a line. Therefore,
text from files appears only inside a command.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.report.layout import make_printable
from kbuild.report.verify.locations import relative_name, split_member
from kbuild.report.verify.short_messages import shorten_messages
from kbuild.report.verify.text import summarize
from kbuild.verify.policy.model import Severity
from kbuild.verify.report import Finding, Report

_COMMANDS: Final[dict[Severity, str]] = {"error": "error", "warning": "warning", "info": "notice"}
# The percent sign comes first, because the other replacements contain one.
_IN_DATA: Final = (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"))
_IN_PROPERTY: Final = (*_IN_DATA, (":", "%3A"), (",", "%2C"))


def render(report: Report) -> str:
    """Return the annotations and the summary.

    Errors come first, because GitHub shows at most ten annotations of each kind per step.
    """
    order = list(_COMMANDS)
    findings = sorted(
        shorten_messages(report).findings, key=lambda finding: order.index(finding.severity)
    )
    lines = [_annotate(finding) for finding in findings]
    lines += [
        write_command("error", {"title": f"{note.rule} could not run"}, note.reason)
        for note in report.rules_errored
    ]
    return "\n".join([*lines, summarize(report)]) + "\n"


def _annotate(finding: Finding) -> str:
    file, _ = split_member(finding.path)
    properties = {
        "file": relative_name(file),
        "title": f"{finding.rule} {finding.slug}",
    }
    return write_command(_COMMANDS[finding.severity], properties, "\n".join(_message(finding)))


def _message(finding: Finding) -> Iterator[str]:
    yield f"{finding.path}: {finding.message}"
    if finding.count > 1:
        yield f"count: {finding.count}"
    yield f"fix: {finding.fix}"


def write_command(name: str, properties: dict[str, str], message: str) -> str:
    """Return a workflow command with these properties."""
    shown = ",".join(f"{key}={_escape(value, _IN_PROPERTY)}" for key, value in properties.items())
    return f"::{name} {shown}::{_escape(message, _IN_DATA)}"


def _escape(text: str, characters: tuple[tuple[str, str], ...]) -> str:
    text = make_printable(text)
    for character, escaped in characters:
        text = text.replace(character, escaped)
    return text
