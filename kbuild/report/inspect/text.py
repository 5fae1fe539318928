"""Render the text output of `kbuild inspect`: for each artifact, a table of its kernels."""

from __future__ import annotations

import itertools
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from kbuild.demangle.names import demangle
from kbuild.facts import ArtifactFacts, HostKernel, Place, RuntimeFacts, Symbol
from kbuild.model import VariableRecord
from kbuild.report.figures import describe_relocatable
from kbuild.report.inspect.kernels import Order, list_image_rows, list_kernels
from kbuild.report.layout import format_table, plural, print_lines
from kbuild.report.styles import Line, Span

_UNKNOWN: Final = "-"


def render_artifacts(
    artifacts: Sequence[ArtifactFacts],
    errors: Sequence[tuple[str, str]] = (),
    order: Order = "file",
    *,
    has_colors: bool = False,
    width: int | None = None,
) -> str:
    """Render all of `iterate_artifacts` as one string."""
    return "".join(iterate_artifacts(artifacts, errors, order, has_colors=has_colors, width=width))


def iterate_artifacts(
    artifacts: Sequence[ArtifactFacts],
    errors: Sequence[tuple[str, str]] = (),
    order: Order = "file",
    *,
    has_colors: bool = False,
    width: int | None = None,
) -> Iterator[str]:
    """Yield the lines of one block of text per artifact, then the errors.

    Args:
        artifacts: The facts to show.
        errors: Pairs (path, message).
        order: How to sort images and kernels.
        has_colors: Whether to show colors.
        width: The number of characters into which a table with many architectures is folded, or
            None for a column per architecture.
    """
    # Most libraries in a wheel have no kernels.
    empty = [facts for facts in artifacts if len(artifacts) > 1 and _is_empty(facts)]
    hidden = set(map(id, empty))
    blocks: Iterable[Iterable[Line]] = (
        *(_artifact(facts, order, width) for facts in artifacts if id(facts) not in hidden),
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


def _artifact(facts: ArtifactFacts, order: Order, width: int | None) -> Iterator[Line]:
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
        yield from format_table(list_image_rows(facts, order))
        if note := describe_relocatable(facts):
            yield f"  {note}"
    yield from list_kernels(facts, order, width)
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
