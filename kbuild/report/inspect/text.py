"""Render the text output of `kbuild inspect`: for each artifact, a table of its kernels."""

from __future__ import annotations

import itertools
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from sys import intern
from typing import Final, Literal, TypeAlias

from kbuild.demangle.names import demangle
from kbuild.facts import ArtifactFacts, HostKernel, ImageFacts, Place, RuntimeFacts, Symbol
from kbuild.model import Kernel, Resources, VariableRecord
from kbuild.report.layout import format_size, format_table, plural, print_lines
from kbuild.report.styles import Line, Span

Order: TypeAlias = Literal["file", "name", "size"]

_UNKNOWN: Final = "-"
# No vendor has so many architectures, but a forged file can.
_MAX_COLUMNS: Final = 64
_LEGEND: Final = "  registers[/shared bytes[/local bytes]] by architecture; ! means spills"


def render_artifacts(
    artifacts: Sequence[ArtifactFacts],
    errors: Sequence[tuple[str, str]] = (),
    order: Order = "file",
    *,
    has_colors: bool = False,
) -> str:
    """Render all of `iterate_artifacts` as one string."""
    return "".join(iterate_artifacts(artifacts, errors, order, has_colors=has_colors))


def iterate_artifacts(
    artifacts: Sequence[ArtifactFacts],
    errors: Sequence[tuple[str, str]] = (),
    order: Order = "file",
    *,
    has_colors: bool = False,
) -> Iterator[str]:
    """Yield the lines of one block of text per artifact, then the errors.

    Args:
        artifacts: The facts to show.
        errors: Pairs (path, message).
        order: How to sort images and kernels.
        has_colors: Whether to show colors.
    """
    # Most libraries in a wheel have no kernels.
    empty = [facts for facts in artifacts if len(artifacts) > 1 and _is_empty(facts)]
    hidden = set(map(id, empty))
    blocks: Iterable[Iterable[Line]] = (
        *(_artifact(facts, order) for facts in artifacts if id(facts) not in hidden),
        [(Span(facts.path, "path"), ": no kernels") for facts in empty],
        [(Span("error", "error"), f": {message}") for _, message in errors],
    )
    lines = (line for block in blocks for line in _separate(block))
    return print_lines(itertools.islice(lines, 1, None), has_colors=has_colors)


def _separate(block: Iterable[Line]) -> Iterator[Line]:
    """Yield the lines of a block after an empty line, or nothing for an empty block."""
    for number, line in enumerate(block):
        if number == 0:
            yield ""
        yield line


def _is_empty(facts: ArtifactFacts) -> bool:
    """Return whether a file has neither device code nor anything that belongs to it."""
    parts = (facts.images, facts.containers, facts.wrappers, facts.host_kernels, facts.runtimes)
    return not any((*parts, facts.modules, facts.problems, facts.note_problems))


def _artifact(facts: ArtifactFacts, order: Order) -> Iterator[Line]:
    yield Span(facts.path, "path")
    about = [facts.kind.replace("-", " "), *([facts.machine] if facts.machine else [])]
    about += [f"sha256 {facts.sha256}"] if facts.sha256 else []
    yield "  " + ", ".join(about)
    for module in facts.modules:
        record = module.record
        yield f"  target {record.target}: backend {record.backend}, kbuild {record.version}"
        for number, compiler in enumerate(record.compilers):
            architectures = ", ".join(record.architectures_of(number))
            yield f"    {architectures} compiled by {compiler.name} {compiler.version}"
            yield f"    options: {' '.join(map(shlex.quote, compiler.options))}"
    yield from _host_side(facts)
    if facts.images:
        yield ""
        yield from format_table(_image_rows(facts, order))
    if any(image.kernels for image in facts.images):
        yield from ("", Span(_LEGEND, "faint"))
        yield from format_table(_kernel_rows(facts.images, order))
    for part in (_handle_rows(facts), _variable_rows(facts)):
        rows = list(part)
        if rows:
            yield ""
            yield from format_table(rows)
    yield from _problems(facts)
    if not facts.images and not facts.handles:
        yield "  no kernels"


def _host_side(facts: ArtifactFacts) -> Iterator[str]:
    """Yield the runtimes, and the registration of kernels that other tools built."""
    if facts.runtimes:
        yield "  runtimes: " + ", ".join(map(_runtime, facts.runtimes))
    if facts.host_kernels:
        counts = Counter(_registration(kernel) for kernel in facts.host_kernels)
        yield "  host side: " + ", ".join(f"{plural(n, 'kernel')} {w}" for w, n in counts.items())
    named = {wrapper.container for wrapper in facts.wrappers}
    if facts.wrappers:
        orphans = sum(
            number not in named and not container.is_relocatable
            for number, container in enumerate(facts.containers)
        )
        more = f", {plural(orphans, 'container')} without a wrapper" if orphans else ""
        yield f"  {plural(len(facts.wrappers), 'wrapper')}{more}"


def _runtime(runtime: RuntimeFacts) -> str:
    version = f" {runtime.version}" if runtime.version else ""
    return f"{runtime.name}{version} ({runtime.linkage})"


def _registration(kernel: HostKernel) -> str:
    words = {True: "registered", False: "not registered", None: "with unknown registration"}
    handle = f" ({kernel.kind} handle)" if kernel.kind else ""
    return words[kernel.is_registered] + handle


def _problems(facts: ArtifactFacts) -> Iterator[Line]:
    front = ("  ", Span("problem", "error"))
    for wrapper in facts.wrappers:
        if wrapper.problem:
            yield (*front, f": wrapper in {_section(facts, wrapper.place)}: {wrapper.problem}")
    for problem in (*facts.problems, *facts.note_problems):
        yield (*front, f": {problem.where}: {problem.message}")
    for image in facts.images:
        if image.problem:
            yield (*front, f": container {image.container}, {image.arch}: {image.problem}")


def _image_rows(facts: ArtifactFacts, order: Order) -> Iterator[tuple[str, ...]]:
    """Yield a row for each architecture and kind, and a total."""
    yield ("architecture", "kernels", "kind", "images", "size", "stored")
    groups: dict[tuple[str, str, str], list[ImageFacts]] = {}
    for image in facts.images:
        groups.setdefault((image.backend, image.arch, image.kind), []).append(image)
    rows = list(groups.items())
    if order == "size":
        rows.sort(key=lambda row: -sum(image.stored_size for image in row[1]))
    elif order == "name":
        rows.sort(key=lambda row: row[0])
    for (backend, arch, kind), images in rows:
        yield (f"{backend} {arch}", *_sum_up(images, kind, facts.is_summary))
    if len(groups) > 1:
        yield ("total", *_sum_up(facts.images, "", facts.is_summary))


def _sum_up(images: Sequence[ImageFacts], kind: str, is_summary: bool) -> tuple[str, ...]:
    compressions = sorted({image.compression or "unknown" for image in images} - {"none"})
    stored = format_size(sum(image.stored_size for image in images))
    return (
        _UNKNOWN if is_summary else str(sum(len(image.kernels) for image in images)),
        kind,
        str(len(images)),
        format_size(sum(image.size for image in images)),
        f"{stored} ({', '.join(compressions)})" if compressions else stored,
    )


def _kernel_rows(images: tuple[ImageFacts, ...], order: Order) -> Iterator[tuple[str, ...]]:
    """Yield a row per kernel; a kernel that differs between containers has several."""
    architectures = list(dict.fromkeys(image.arch for image in images))[:_MAX_COLUMNS]
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
    names: Iterable[str] = rows
    if order == "size":
        names = sorted(rows, key=lambda name: -sizes[name])
    elif order == "name":
        names = sorted(rows)
    has_sizes = any(sizes.values())
    code = ("code",) if has_sizes else ()
    yield (*columns, *code, "kernel")
    for name in names:
        for cells in rows[name]:
            yield (*cells, *((format_size(sizes[name]),) if has_sizes else ()), name)


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
        return image.kind
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


def _variable_rows(facts: ArtifactFacts) -> Iterator[tuple[str, ...]]:
    variables: list[VariableRecord] = [v for m in facts.modules for v in m.record.variables]
    if variables:
        yield ("device variable", "kind", "size", "container", "name")
    for v in variables:
        yield (v.shadow, v.kind, str(v.size), str(v.container), v.display)


def _handle_rows(facts: ArtifactFacts) -> Iterator[tuple[str, ...]]:
    rows: list[tuple[str, Symbol | None, Place | None, str | None, str]] = [
        (handle.kernel, handle.symbol, handle.place, handle.row.stub, handle.row.display)
        for handle in facts.handles
        if handle.is_found
    ]
    for one in facts.host_kernels:
        if one.symbol:
            stub = one.stub.name if one.stub else None
            rows.append((one.kernel, one.symbol, one.symbol.place, stub, demangle(one.kernel)))
    if rows:
        yield ("handle", "kind", "binding", "visibility", "section", "size", "stub", "kernel")
    for name, symbol, place, stub, display in rows:
        described: tuple[str, ...] = (_UNKNOWN,) * 3
        if symbol:
            kind = "function" if symbol.type == "function" else "variable"
            described = (kind, symbol.binding, symbol.visibility)
        size = str(symbol.size) if symbol else _UNKNOWN
        yield (name, *described, _section(facts, place), size, stub or _UNKNOWN, display)


def _section(facts: ArtifactFacts, place: Place | None) -> str:
    section = facts.section_of(place) if place else None
    return section.name if section else _UNKNOWN
