"""The reports of `kbuild doctor`."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from typing import Final

from kbuild.records import to_json
from kbuild.report.document import render_document
from kbuild.report.layout import join_lines, plural
from kbuild.report.styles import Line, Span
from kbuild.toolchain.caches import CacheDiagnosis
from kbuild.toolchain.doctor import Diagnosis, ToolchainDiagnosis

SCHEMA: Final = "kbuild.doctor/1"

_LINE: Final = 88
_MEGA: Final = 1e6
_INDENT: Final = " " * 9


def render_json(diagnosis: Diagnosis) -> str:
    """Return the diagnosis as versioned JSON."""
    maps = {"programs": dict(diagnosis.programs), "versions": dict(diagnosis.versions)}
    body = {**to_json(diagnosis), **maps}
    return render_document(SCHEMA, body)


def render_text(diagnosis: Diagnosis, *, has_colors: bool = False) -> str:
    """Return one paragraph per backend, followed by the programs, the driver, and the devices."""
    lines = [line for toolchain in diagnosis.toolchains for line in _describe(toolchain)]
    versions = dict(diagnosis.versions)
    for name, path in diagnosis.programs:
        missing = (Span("not found", "warning"), ": pip install 'kbuild[build]'")
        found = f"{versions[name] or 'unknown version'}, {path}"
        lines.append(_entry(name, *((found,) if path else missing)))
    lines.append(_entry("python", f"{versions['python']}, {sys.executable}"))
    if diagnosis.driver_version is not None:
        lines.append(_entry("driver", f"NVIDIA, for CUDA {diagnosis.driver_version}"))
    elif not diagnosis.devices:
        lines.append(_entry("driver", "no GPU driver: GPU kernels can be built, but not run here"))
    lines += [_entry("device", f"{one.name}, {one.architecture}") for one in diagnosis.devices]
    lines.append(_entry("cache", _describe_cache(diagnosis.kernel_cache)))
    return join_lines(lines, has_colors=has_colors)


def _describe_cache(cache: CacheDiagnosis | None) -> str:
    if cache is None:
        return "not usable: set XDG_CACHE_HOME to a directory, and check KBUILD_KERNEL_CACHE_BYTES"
    if not (cache.entries or cache.hits or cache.misses):
        return "no kernels; KBUILD_KERNEL_CACHE=1 keeps kernels that Python programs compile"
    return (
        f"{plural(cache.entries, 'kernel module')}, {cache.size / _MEGA:.1f} of "
        f"{cache.limit / _MEGA:.0f} MB, {plural(cache.hits, 'hit')}, {cache.misses} missed, in "
        f"{cache.path}"
    )


def _entry(name: str, *content: str | Span) -> Line:
    return (Span(f"{name:<9}", "heading"), *content)


def _describe(toolchain: ToolchainDiagnosis) -> Iterator[Line]:
    if toolchain.problem is None:
        yield _entry(toolchain.backend, Span("usable", "ok"))
    else:
        yield _entry(toolchain.backend, Span("not usable", "warning"), f": {toolchain.problem}")
    if toolchain.compiler is not None:
        yield f"{_INDENT}{toolchain.compiler} ({toolchain.version})"
    if toolchain.architectures:
        supported = f"supports {' '.join(toolchain.architectures)}"
        following = f"{_INDENT}{' ' * len('supports ')}"
        yield from textwrap.wrap(
            supported, _LINE, initial_indent=_INDENT, subsequent_indent=following
        )
    for path in (*toolchain.runtimes, *toolchain.libraries):
        yield f"{_INDENT}{path}"
    for note in toolchain.notes:
        yield (_INDENT, Span("note", "info"), f": {note}")
