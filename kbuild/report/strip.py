"""The reports of `kbuild strip`, `kbuild split`, and `kbuild merge`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from kbuild.report.document import render_document
from kbuild.report.layout import format_size, format_table, join_lines, make_one_line, plural
from kbuild.strip.model import (
    Cause,
    EstimateReport,
    MergeReport,
    SplitReport,
    StrippedFile,
    StripReport,
)

SCHEMA: Final = "kbuild.strip/1"
SPLIT_SCHEMA: Final = "kbuild.split/1"
MERGE_SCHEMA: Final = "kbuild.merge/1"
ESTIMATE_SCHEMA: Final = "kbuild.estimate/1"

_CAUSES: Final[dict[Cause, str]] = {
    "architecture": "",
    "linked": ", the input of a device link whose result is in the file",
}


def _render_strip(report: StripReport) -> str:
    """Return what was removed from each file, followed by the sizes."""
    lines = [line for file in report.files for line in _describe(file)]
    lines += _describe_signatures(report.signatures)
    sizes = f"{format_size(report.size)} before, {format_size(report.output_size)} now"
    return join_lines([*lines, f"{make_one_line(report.output)}: {sizes}"])


def _describe(file: StrippedFile) -> Iterator[str]:
    sizes = f"{format_size(file.size)} before, {format_size(file.output_size)} now"
    yield f"{make_one_line(file.path)}: kept {', '.join(file.kept)}; {sizes}"
    for images in file.removed:
        size = f"{plural(images.images, 'image')}, {format_size(images.bytes)}"
        cause = _CAUSES[images.cause]
        yield f"  removed {images.arch} from {images.section}: {size}{cause}"
    if file.obstacle:
        yield f"  zeros take the place of the removed images, because {file.obstacle}"


def _describe_signatures(names: tuple[str, ...]) -> Iterator[str]:
    yield from (f"removed {name}, which signed the old content" for name in names)


def _render_split(report: SplitReport) -> str:
    """Return the artifact of each architecture with its size and what is left in it."""
    lines = []
    for artifact in report.artifacts:
        result = artifact.result
        kept = dict.fromkeys(arch for file in result.files for arch in file.kept)
        size = f"{format_size(result.output_size)} of {format_size(result.size)}"
        lines.append(f"{make_one_line(result.output)}: {', '.join(kept)}; {size}")
    names = dict.fromkeys(name for a in report.artifacts for name in a.result.signatures)
    return join_lines([*lines, *_describe_signatures(tuple(names))])


def _render_merge(report: MergeReport) -> str:
    """Return what the files contain now, followed by the sizes."""
    lines = [
        f"{make_one_line(file.path)}: {', '.join(file.architectures)}; "
        f"{plural(file.containers, 'container')} with new images"
        for file in report.files
    ]
    lines += _describe_signatures(report.signatures)
    sizes = " and ".join(map(format_size, report.sizes))
    size = f"{format_size(report.output_size)} of {sizes}"
    return join_lines([*lines, f"{make_one_line(report.output)}: {size}"])


def _render_estimate(report: EstimateReport) -> str:
    """Return a table of the changes, with the size that remains and what is saved."""
    rows = [("", "size", "saved", "installed", "saved")]
    rows.append(("now", format_size(report.size), "", format_size(report.installed_size), ""))
    for estimate in report.estimates:
        saved = report.size - estimate.size
        installed = report.installed_size - estimate.installed_size
        rows.append(
            (
                estimate.change,
                format_size(estimate.size),
                f"{100 * saved / report.size:.1f} %",
                format_size(estimate.installed_size),
                f"{100 * installed / report.installed_size:.1f} %",
            )
        )
    notes = (make_one_line(text) for text in report.impossible)
    return join_lines([make_one_line(report.path), *format_table(rows), *notes])


RENDERERS: Final[dict[str, Callable[[StripReport], str]]] = {
    "text": _render_strip,
    "json": lambda report: render_document(SCHEMA, report),
}
SPLIT_RENDERERS: Final[dict[str, Callable[[SplitReport], str]]] = {
    "text": _render_split,
    "json": lambda report: render_document(SPLIT_SCHEMA, report),
}
MERGE_RENDERERS: Final[dict[str, Callable[[MergeReport], str]]] = {
    "text": _render_merge,
    "json": lambda report: render_document(MERGE_SCHEMA, report),
}
ESTIMATE_RENDERERS: Final[dict[str, Callable[[EstimateReport], str]]] = {
    "text": _render_estimate,
    "json": lambda report: render_document(ESTIMATE_SCHEMA, report),
}
