"""The tables of `kbuild inspect` about images and kernels."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from sys import intern
from typing import Final, Literal, TypeAlias

from kbuild.facts import ArtifactFacts, ImageFacts
from kbuild.model import Kernel, Resources
from kbuild.report.layout import format_size, format_table
from kbuild.report.styles import Line, Span
from kbuild.verify.figures import final_images

Order: TypeAlias = Literal["file", "name", "size"]

_UNKNOWN: Final = "-"
# No vendor has so many architectures, but a forged file can.
_MAX_COLUMNS: Final = 64
# The shortest run of architectures that is written as its ends.
_RUN: Final = 3
# What separates an execution model from the reason for it.
_REASON: Final = ": "
_NAME_WIDTH: Final = 30
_FIGURES: Final = "registers[/shared bytes[/local bytes]]"
_LEGEND: Final = f"  {_FIGURES} by architecture; ! means spills"
_LEGEND_OF_MODELS: Final = "  how the threads of a block run, by architecture"
# The words for kinds of images. People know the others by their names.
_KINDS: Final = {"elf": "binary"}


def list_image_rows(facts: ArtifactFacts, order: Order) -> Iterator[tuple[str, ...]]:
    """Yield a row for each architecture and kind, and a total."""
    yield ("architecture", "kernels", "kind", "images", "size", "stored")
    groups: dict[tuple[str, str, str], list[ImageFacts]] = {}
    for image in final_images(facts):
        groups.setdefault((image.backend, image.arch, image.kind), []).append(image)
    rows = list(groups.items())
    if order == "size":
        rows.sort(key=lambda row: -sum(image.stored_size for image in row[1]))
    elif order == "name":
        rows.sort(key=lambda row: row[0])
    for (backend, arch, kind), images in rows:
        yield (f"{backend} {arch}", *_sum_up(images, kind, facts.is_summary))
    if len(groups) > 1:
        yield ("total", *_sum_up(final_images(facts), "", facts.is_summary))


def _sum_up(images: Sequence[ImageFacts], kind: str, is_summary: bool) -> tuple[str, ...]:
    compressions = sorted({image.compression or "unknown" for image in images} - {"none"})
    stored = format_size(sum(image.stored_size for image in images))
    return (
        _UNKNOWN if is_summary else str(sum(len(image.kernels) for image in images)),
        _KINDS.get(kind, kind),
        str(len(images)),
        format_size(sum(image.size for image in images)),
        f"{stored} ({', '.join(compressions)})" if compressions else stored,
    )


def list_kernels(facts: ArtifactFacts, order: Order, width: int | None) -> Iterator[Line]:
    """Yield a legend, and a row per kernel; a kernel that differs between containers has several.

    If the columns leave less than 30 characters for names, each row lists its figures below the
    name, and which architectures have them.
    """
    images = [image for image in final_images(facts) if image.kernels]
    if not images:
        return
    architectures = list(dict.fromkeys(image.arch for image in images))[:_MAX_COLUMNS]
    rows, sizes = _collect(images, architectures)
    names: Iterable[str] = rows
    if order == "size":
        names = sorted(rows, key=lambda name: -sizes[name])
    elif order == "name":
        names = sorted(rows)
    are_models = all(kernel.execution for image in images for kernel in image.kernels)
    yield from ("", Span(_LEGEND_OF_MODELS if are_models else _LEGEND, "faint"))
    has_sizes = any(sizes.values())
    ordered = ((name, cells) for name in names for cells in rows[name])
    columns = sum(len(arch) + 2 for arch in architectures)
    if width is not None and columns + _NAME_WIDTH > width:
        for name, cells in ordered:
            size = f", {format_size(sizes[name])} of code" if has_sizes else ""
            yield f"  {name}{size}"
            yield from _fold(architectures, cells, width)
        return
    code = ("code",) if has_sizes else ()
    table = ((*c, *((format_size(sizes[n]),) if has_sizes else ()), n) for n, c in ordered)
    yield from format_table([(*architectures, *code, "kernel"), *table])
    yield from _list_reasons(images)


def _list_reasons(images: Iterable[ImageFacts]) -> Iterator[str]:
    """Yield why threads run as they do, where the execution model has a reason."""
    kernels = (kernel for image in images for kernel in image.kernels)
    reasons = {(k.display, k.execution) for k in kernels if k.execution and _REASON in k.execution}
    yield from (f"  {display}: {execution}" for display, execution in sorted(reasons))


def _collect(
    images: Sequence[ImageFacts], architectures: Sequence[str]
) -> tuple[dict[str, list[list[str]]], dict[str, int]]:
    """Return the rows of cells, and the bytes of code, of each kernel."""
    columns = {arch: number for number, arch in enumerate(architectures)}
    rows: dict[str, list[list[str]]] = {}
    sizes: dict[str, int] = {}
    for image in images:
        column = columns.get(image.arch)
        if column is None:
            continue
        for kernel in image.kernels:
            size = kernel.resources.code_bytes or 0
            sizes[kernel.display] = sizes.get(kernel.display, 0) + size
            _enter(rows.setdefault(kernel.display, []), column, _cell(image, kernel), len(columns))
    return rows, sizes


def _fold(architectures: Sequence[str], cells: Sequence[str], width: int) -> Iterator[str]:
    """Yield the figures of one row, each with its architectures, as lines of limited length."""
    runs: dict[str, list[str]] = {}
    for cell, run in groupby(zip(cells, architectures, strict=True), key=lambda pair: pair[0]):
        names = [arch for _, arch in run]
        ends = [f"{names[0]}..{names[-1]}"] if len(names) >= _RUN else names
        runs.setdefault(cell, []).extend(ends)
    text = "; ".join(f"{cell} on {', '.join(n)}" for cell, n in runs.items() if cell != _UNKNOWN)
    yield from textwrap.wrap(
        text,
        width,
        initial_indent="    ",
        subsequent_indent="    ",
        break_on_hyphens=False,
        break_long_words=False,
    )


def _enter(rows: list[list[str]], column: int, cell: str, width: int) -> None:
    """Put the cell into the first row whose column is empty or equal, or into a new row."""
    for row in rows:
        if row[column] in (_UNKNOWN, cell):
            row[column] = cell
            return
    row = [_UNKNOWN] * width
    row[column] = cell
    rows.append(row)


def _cell(image: ImageFacts, kernel: Kernel) -> str:
    resources = kernel.resources
    if resources.registers is None:
        model = (kernel.execution or "").partition(_REASON)[0]
        return model or _KINDS.get(image.kind, image.kind)
    shared, local = resources.shared_bytes, resources.local_bytes
    text = str(resources.registers)
    if shared or local:
        text += f"/{_UNKNOWN if shared is None else shared}"
    if local:
        text += f"/{local}"
    # A library has many cells with few different texts.
    return intern(text + _spills(resources))


def _spills(resources: Resources) -> str:
    spilled = resources.spill_bytes or resources.spilled_registers
    return "!" if spilled else ""
