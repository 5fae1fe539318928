"""The reports of `kbuild verify --reproducible`; see docs/how-to/reproducible-builds.md."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.diff.reproducible.model import (
    Cause,
    FileDifference,
    ImageDifference,
    PartDifference,
    ReproducibilityReport,
)
from kbuild.report.document import render_document
from kbuild.report.layout import format_size, join_lines, make_one_line, plural

SCHEMA: Final = "kbuild.reproducible/1"

_CAUSES: Final[dict[Cause, str]] = {
    "path": "the paths of files",
    "debug-information": "debug information, which contains the paths of files",
    "digest": "a hash of other content",
}
_LONGEST: Final = 100


def render_json(report: ReproducibilityReport) -> str:
    """Return the report as versioned JSON."""
    return render_document(SCHEMA, report, equal=report.is_equal)


def render_text(report: ReproducibilityReport) -> str:
    """Return the verdict, followed by the parts that differ in each file."""
    names = f"{report.first} and {report.second}"
    files = plural(report.compared, "file")
    if report.is_equal:
        return join_lines([f"{names}: {files} compared, all identical"])
    count = len({difference.file.partition("!")[0] for difference in report.files})
    lines = [f"{names}: {count} of {files} differ"]
    for difference in report.files:
        lines += _describe_file(difference, report)
    return join_lines(lines)


def _describe_file(difference: FileDifference, report: ReproducibilityReport) -> Iterator[str]:
    name = make_one_line(difference.file)
    if difference.status != "changed":
        side = report.first if difference.status == "only-first" else report.second
        yield f"{name}: only in {make_one_line(side)}"
        return
    yield name
    if difference.problem is not None:
        yield f"  cannot be compared in detail: {make_one_line(difference.problem)}"
    for part in difference.sections:
        yield from _describe_part(part, "  ")
    for image in difference.images:
        yield from _describe_image(image)


def _describe_image(image: ImageDifference) -> Iterator[str]:
    yield f"  image {image.position}: {make_one_line(image.arch)} {image.kind} ({image.backend})"
    for part in image.sections:
        yield from _describe_part(part, "    ")
    for word, names in (
        ("kernel", image.kernels),
        ("function", image.functions),
        ("variable", image.data),
    ):
        for name in names:
            yield f"    {word} {make_one_line(name)}"


def _describe_part(part: PartDifference, indent: str) -> Iterator[str]:
    sizes = [
        "absent" if size is None else format_size(size)
        for size in (part.first_size, part.second_size)
    ]
    size = sizes[0] if sizes[0] == sizes[1] else f"{sizes[0]} | {sizes[1]}"
    cause = f": {_CAUSES[part.cause]}" if part.cause else ""
    yield f"{indent}{make_one_line(part.name)} ({size}), from byte {part.offset:#x}{cause}"
    for text in (part.first, part.second):
        yield f"{indent}  {_shorten(text)}"


def _shorten(text: str) -> str:
    shown = make_one_line(text) or "(nothing)"
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 3]}..."
