"""Reports for people: plain text, no colour."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from kbuild.facts import ArtifactFacts, HandleFacts, ImageFacts
from kbuild.model import Kernel, VariableRecord
from kbuild.verify.policy import SEVERITIES
from kbuild.verify.report import Finding, Report
from kbuild.verify.rule import Rule

_HASH_SHOWN: Final = 12
_UNKNOWN: Final = "-"
_LINE: Final = 88


def render(report: Report) -> str:
    """The report of `kbuild verify`: findings, what could not be judged, a summary."""
    lines = [line for finding in report.findings for line in _finding(finding)]
    lines += [f"errored  {note.rule}: {note.reason}" for note in report.rules_errored]
    lines += [f"skipped  {note.rule}: {note.reason}" for note in report.rules_skipped]
    return _join([*lines, _summary(report)])


def _finding(finding: Finding) -> Iterator[str]:
    yield f"{finding.path}: {finding.severity} {finding.rule} {finding.slug}: {finding.message}"
    yield f"    fix: {finding.fix}"


def _summary(report: Report) -> str:
    counts = Counter(finding.severity for finding in report.findings)
    found = ", ".join(
        _plural(counts[severity], severity) for severity in reversed(SEVERITIES) if counts[severity]
    )
    rules = [_plural(len(report.rules_run), "rule") + " run"]
    skipped = {note.rule for note in report.rules_skipped}
    if skipped:
        rules.append(f"{len(skipped)} skipped")
    if report.rules_errored:
        rules.append(f"{len(report.rules_errored)} errored")
    return f"{'ok' if report.ok else 'FAILED'}: {found or 'no findings'}; {', '.join(rules)}"


def render_rule(rule: Rule) -> str:
    """One rule's documentation, as `kbuild explain` shows it."""
    documentation = rule.documentation
    return _join(
        [
            f"{rule.id} {rule.slug} ({rule.severity})",
            *textwrap.wrap(documentation.summary, _LINE),
            *_section("Why", documentation.why),
            *_section("Fix", documentation.fix),
            *_section("Source", documentation.source),
        ]
    )


def _section(title: str, text: str) -> Iterator[str]:
    yield ""
    yield f"{title}:"
    for number, paragraph in enumerate(text.split("\n\n")):
        yield from [""] if number else []
        yield from textwrap.wrap(
            paragraph, _LINE, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
        )


def render_artifacts(
    artifacts: Sequence[ArtifactFacts], errors: Sequence[tuple[str, str]] = ()
) -> str:
    """The facts that `kbuild inspect` shows, one block an artifact."""
    blocks = ["\n".join(_artifact(facts)) for facts in artifacts]
    blocks += [f"error: {message}" for _, message in errors]
    return _join(["\n\n".join(blocks)])


def _artifact(facts: ArtifactFacts) -> Iterator[str]:
    yield facts.path
    yield f"  {facts.kind}, {facts.machine or 'unknown machine'}, sha256 {facts.sha256}"
    for module in facts.modules:
        record = module.record
        yield f"  target {record.target}: backend {record.backend}, kbuild {record.version}"
    if facts.images:
        yield ""
        yield from _table(_image_rows(facts.images))
    if any(handle.is_found for handle in facts.handles):
        yield ""
        yield from _table(_handle_rows(facts))
    variables = [v for module in facts.modules for v in module.record.variables]
    if variables:
        yield ""
        yield from _table(_variable_rows(variables))
    for problem in (*facts.problems, *facts.note_problems):
        yield f"  problem: {problem.where}: {problem.message}"
    for image in facts.images:
        if image.problem:
            yield f"  problem: container {image.container}, {image.arch}: {image.problem}"
    if not facts.images and not facts.handles:
        yield "  no kernels"


def _image_rows(images: tuple[ImageFacts, ...]) -> Iterator[tuple[str, ...]]:
    yield ("container", "image", "kind", "size", "stored", "sha256", "kernel")
    for image in images:
        about = (
            str(image.container),
            f"{image.backend} {image.arch}",
            image.kind,
            str(image.size),
            f"{image.stored_size} ({image.compression})",
            (image.sha256 or _UNKNOWN)[:_HASH_SHOWN],
        )
        kernels = [_kernel(kernel) for kernel in image.kernels] or [_UNKNOWN]
        yield (*about, kernels[0])
        for kernel in kernels[1:]:
            yield (*("" for _ in about), kernel)


def _kernel(kernel: Kernel) -> str:
    resources = kernel.resources
    amounts = (
        (resources.registers, "registers"),
        (resources.shared_bytes, "shared"),
        (resources.local_bytes, "local"),
        (resources.spill_bytes, "spilled"),
    )
    known = ", ".join(f"{amount} {word}" for amount, word in amounts if amount is not None)
    return f"{kernel.display} [{known}]" if known else kernel.display


def _variable_rows(variables: Sequence[VariableRecord]) -> Iterator[tuple[str, ...]]:
    yield ("device variable", "kind", "size", "container", "name")
    for v in variables:
        yield (v.shadow, v.kind, str(v.size), str(v.container), v.display)


def _handle_rows(facts: ArtifactFacts) -> Iterator[tuple[str, ...]]:
    yield ("handle", "binding", "visibility", "section", "size", "stub", "kernel")
    for handle in facts.handles:
        if handle.is_found:
            yield _handle_row(facts, handle)


def _handle_row(facts: ArtifactFacts, handle: HandleFacts) -> tuple[str, ...]:
    symbol = handle.symbol
    section = facts.section_of(handle.place) if handle.place else None
    return (
        handle.kernel,
        symbol.binding if symbol else _UNKNOWN,
        symbol.visibility if symbol else _UNKNOWN,
        section.name if section else _UNKNOWN,
        str(symbol.size) if symbol else _UNKNOWN,
        handle.row.stub or _UNKNOWN,
        handle.row.display,
    )


def _table(rows: Iterator[tuple[str, ...]]) -> Iterator[str]:
    """Rows with their columns aligned, two spaces apart."""
    cells = list(rows)
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for row in cells:
        padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield ("  " + "  ".join(padded)).rstrip()


def _plural(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _join(lines: list[str]) -> str:
    return _printable("\n".join(lines)) + "\n"


def _printable(text: str) -> str:
    """Names come from the file; what would move a terminal's cursor is shown, not sent."""
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)
