"""The reports of `kbuild strip`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.report.document import render_document
from kbuild.report.layout import format_size, join_lines, make_one_line, plural
from kbuild.strip.model import Cause, StrippedFile, StripReport

SCHEMA: Final = "kbuild.strip/1"

_CAUSES: Final[dict[Cause, str]] = {
    "architecture": "",
    "linked": ", the input of a device link whose result is in the file",
}


def render_json(report: StripReport) -> str:
    """Return the report as versioned JSON."""
    return render_document(SCHEMA, report)


def render_text(report: StripReport) -> str:
    """Return what was removed from each file, followed by the sizes."""
    lines = [line for file in report.files for line in _describe(file)]
    lines += [f"removed {name}, which signed the old content" for name in report.signatures]
    sizes = f"{format_size(report.size)} before, {format_size(report.output_size)} now"
    return join_lines([*lines, f"{make_one_line(report.output)}: {sizes}"])


def _describe(file: StrippedFile) -> Iterator[str]:
    yield f"{make_one_line(file.path)}: kept {', '.join(file.kept)}"
    for images in file.removed:
        size = f"{plural(images.images, 'image')}, {format_size(images.bytes)}"
        cause = _CAUSES[images.cause]
        yield f"  removed {images.arch} from {images.section}: {size}{cause}"
