"""What `kbuild verify --reproducible` shows people."""

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
from kbuild.report.layout import format_size, join_lines, plural, show_line

_CAUSES: Final[dict[Cause, str]] = {
    "path": "where files lie",
    "debug-information": "debug information, which names files and folders",
    "digest": "a digest of the rest",
}
_LONGEST: Final = 100


def render(report: ReproducibilityReport) -> str:
    """The report as text."""
    names = f"{report.first} and {report.second}"
    files = plural(report.compared, "file")
    if report.is_equal:
        return join_lines([f"{names}: {files}, every one the same byte for byte"])
    count = len({difference.file.partition("!")[0] for difference in report.files})
    lines = [f"{names}: {count} of {files} not the same"]
    for difference in report.files:
        lines += _describe_file(difference, report)
    return join_lines(lines)


def _describe_file(difference: FileDifference, report: ReproducibilityReport) -> Iterator[str]:
    name = show_line(difference.file)
    if difference.status != "changed":
        side = report.first if difference.status == "only-first" else report.second
        yield f"{name}: in {show_line(side)} alone"
        return
    yield name
    if difference.problem is not None:
        yield f"  cannot be told apart further: {show_line(difference.problem)}"
    for part in difference.sections:
        yield from _describe_part(part, "  ")
    for image in difference.images:
        yield from _describe_image(image)


def _describe_image(image: ImageDifference) -> Iterator[str]:
    yield f"  image {image.position}: {show_line(image.arch)} {image.kind} ({image.backend})"
    for part in image.sections:
        yield from _describe_part(part, "    ")
    for word, names in (
        ("kernel", image.kernels),
        ("function", image.functions),
        ("variable", image.data),
    ):
        for name in names:
            yield f"    {word} {show_line(name)}"


def _describe_part(part: PartDifference, indent: str) -> Iterator[str]:
    sizes = [
        "absent" if size is None else format_size(size)
        for size in (part.first_size, part.second_size)
    ]
    size = sizes[0] if sizes[0] == sizes[1] else f"{sizes[0]} | {sizes[1]}"
    cause = f": {_CAUSES[part.cause]}" if part.cause else ""
    yield f"{indent}{show_line(part.name)} ({size}), from byte {part.offset:#x}{cause}"
    for text in (part.first, part.second):
        yield f"{indent}  {_shorten(text)}"


def _shorten(text: str) -> str:
    shown = show_line(text) or "(nothing)"
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 3]}..."
