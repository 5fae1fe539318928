"""Plans a target while CMake configures: its compile edges, device links and pack edge."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from kbuild import files
from kbuild.backends import AUTOMATIC, find_backend
from kbuild.backends.interface.build import Backend, Toolchain, ToolchainHints
from kbuild.errors import ConfigurationError, KbuildError
from kbuild.resources import identify_installation
from kbuild.stages.edges import BuildPlan, CompileEdge, LinkEdge, PackPlan, make_unit
from kbuild.stages.memory import count_device_jobs, read_memory_limit
from kbuild.stages.paths import check_path
from kbuild.stages.target import DeviceFlags, TargetSpec
from kbuild.toolchain.find import (
    choose_backend,
    find_launcher,
    find_toolchain,
    find_toolchain_for,
    gather_hints,
)
from kbuild.toolchain.runtime_targets import name_runtime

# The files of an edge bear more than this; file systems take 255 bytes.
_LONGEST_NAME: Final = 120


def plan_target(spec: TargetSpec) -> BuildPlan:
    """The compile edges, the device links and the pack edge of ``spec``.

    Raises ConfigurationError for an unknown backend or architecture, and for a path that the
    backend's tools misread; ToolchainError when no compiler is found.
    """
    _check_settings(spec)
    hints = replace(
        gather_hints(with_devices="native" in spec.architectures),
        host_compiler=spec.host_compiler,
        compilers=spec.compilers,
        architectures=spec.default_architectures,
        platforms=spec.platforms,
    )
    with _about("BACKEND"):
        backend = choose_backend(spec.backend, hints)
    _check_paths(spec, backend)
    _check_runtime(spec, backend, hints)
    with _about("BACKEND"):
        toolchain = find_toolchain(backend, hints)
    with _about("COMPRESSION"):
        backend.check_compression(spec.compression, toolchain)
    with _about("ARCHITECTURES"):
        toolchains = {
            arch: find_toolchain_for(backend, arch, toolchain, hints)
            for arch in _expand_architectures(spec, backend, toolchain, hints)
        }
    launcher = find_launcher(spec.choose_launcher(backend.LANGUAGE))
    edges = _plan_edges(spec, toolchains, launcher)
    with _about("RDC"):
        links = _plan_links(spec, backend, edges) if spec.rdc == "ON" else ()
    stamps = tuple(edge.stamp for edge in edges)
    # Editors read sources as the project's own compiler does: no cross compiler's options.
    shown = next((e for e in reversed(edges) if e.toolchain == toolchain), edges[-1])
    pack = PackPlan(
        kbuild_version=identify_installation(),
        target=spec.name,
        backend=backend.NAME,
        visibility=spec.visibility,
        headers=spec.headers,
        compiled=tuple(link.stamp for link in links) or stamps,
        prelinked=stamps if links else (),
        compression=spec.compression,
        output_directory=spec.output_directory,
        stub_suffix=spec.stub_suffix,
        toolchain=toolchain,
        debug_stubs=spec.debug_stubs,
    )
    return BuildPlan(
        edges=edges,
        links=links,
        pack=pack,
        device_jobs=count_device_jobs(backend.COMPILE_MEMORY, read_memory_limit()),
        runtime_target=name_runtime(backend.NAME, spec.runtime),
        notes=backend.list_notes(toolchain, hints),
        editor_options=backend.language_options(make_unit(shown, DeviceFlags()), shown.toolchain),
    )


@contextmanager
def _about(keyword: str) -> Iterator[None]:
    """Note in errors which keyword they are about."""
    try:
        yield
    except KbuildError as error:
        error.setting = error.setting or keyword
        raise


def _expand_architectures(
    spec: TargetSpec, backend: Backend, toolchain: Toolchain, hints: ToolchainHints
) -> tuple[str, ...]:
    """Those of the backend that builds the target, which may not be the one that it names."""
    try:
        return backend.expand_architectures(spec.architectures, toolchain, hints)
    except ConfigurationError as error:
        if spec.backend in (AUTOMATIC, backend.NAME):
            raise
        stand_in = find_backend(spec.backend).find_stand_in(hints)
        reason = f"{stand_in.reason}: " if stand_in else ""
        raise ConfigurationError(
            f"{reason}backend {backend.NAME} builds the target in place of {spec.backend}; {error}"
        ) from error


def _plan_edges(
    spec: TargetSpec, toolchains: Mapping[str, Toolchain], launcher: tuple[str, ...]
) -> tuple[CompileEdge, ...]:
    """One edge a source and architecture."""
    names = _name_outputs(spec)
    return tuple(
        CompileEdge(
            kbuild_version=identify_installation(),
            source=source,
            display_source=_display(source, spec.source_root),
            arch=arch,
            standard=spec.standard,
            output=spec.output_directory / f"{names[source]}.{_file_name(arch)}",
            toolchain=toolchain,
            relocatable=spec.rdc == "ON",
            compiler_launcher=launcher,
        )
        for source in spec.sources
        for arch, toolchain in toolchains.items()
    )


def _plan_links(
    spec: TargetSpec, backend: Backend, edges: tuple[CompileEdge, ...]
) -> tuple[LinkEdge, ...]:
    """One edge an architecture, for those that the backend links."""
    toolchains = {edge.arch: edge.toolchain for edge in edges}
    return tuple(
        LinkEdge(
            kbuild_version=identify_installation(),
            target=spec.name,
            arch=arch,
            compiled=tuple(edge.stamp for edge in edges if edge.arch == arch),
            output=spec.output_directory / f"{spec.name}.{_file_name(arch)}.linked",
            toolchain=toolchains[arch],
        )
        for arch in backend.device_links(tuple(toolchains))
    )


def _check_paths(spec: TargetSpec, backend: Backend) -> None:
    """Refuse what a tool would take for something else, a command even.

    Include directories are known once CMake has generated: the edges check them.
    """
    with _about("SOURCES"):
        for source in spec.sources:
            check_path(source, "SOURCES", backend.MISREAD.sources)
    with _about("HEADERS"):
        for header in spec.headers:
            check_path(header, "HEADERS")
    check_path(spec.source_root, "the project's folder", backend.MISREAD.sources)
    check_path(spec.output_directory, "the build folder", backend.MISREAD.outputs)


def _check_settings(spec: TargetSpec) -> None:
    """Refuse what cannot go together."""
    with _about("RUNTIME"):
        if spec.runtime == "static" and spec.kind == "shared":
            raise ConfigurationError(
                "RUNTIME static: programs that link a shared kernel library have a runtime of "
                "their own, which does not know its kernels; make the library STATIC or MODULE, "
                "or leave RUNTIME shared"
            )
    if spec.debug_stubs != "OFF" and spec.stub_suffix == ".c":
        raise ConfigurationError(
            f"DEBUG_STUBS {spec.debug_stubs}: the kernels' parameter types are C++; "
            "add CXX to the project's LANGUAGES"
        )


def _check_runtime(spec: TargetSpec, backend: Backend, hints: ToolchainHints) -> None:
    found = {runtime.linkage for runtime in backend.find_runtimes(hints)}
    with _about("RUNTIME"):
        if spec.runtime == "static" and found and "static" not in found:
            raise ConfigurationError(
                f"RUNTIME static: backend {backend.NAME} has no static runtime here; leave "
                "RUNTIME shared"
            )


def _display(source: Path, root: Path) -> str:
    if ".." in source.parts:  # after a symbolic link
        return str(source)
    relative = os.path.relpath(source, root)
    return str(source) if relative.startswith("..") else relative


def _file_name(text: str) -> str:
    """``text`` without what build tools take for something else in a path."""
    return re.sub(r"[^\w.+-]", "_", text)


def _name_outputs(spec: TargetSpec) -> dict[Path, str]:
    """A file name for each source that no other source of the target has.

    It depends on nothing but the source's own path where that is unambiguous: adding a
    source must not rename, and so recompile, the others.
    """
    plain = {s: _file_name(_display(s, spec.source_root)) for s in spec.sources}
    taken = list(plain.values())
    return {
        source: name
        if taken.count(name) == 1 and len(name) <= _LONGEST_NAME
        else f"{name[-_LONGEST_NAME:]}-{files.sha256(str(source).encode())[:8]}"
        for source, name in plain.items()
    }
