"""Plan a target while CMake configures: its compile edges, device links, and pack edge."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from kbuild import files
from kbuild.backends import (
    AUTOMATIC,
    find_builder,
    find_checking_backend,
    find_mixed,
    select_values,
)
from kbuild.backends.interface.build import Builder
from kbuild.backends.interface.toolchain import Toolchain, ToolchainHints
from kbuild.backends.triples import read_machine
from kbuild.errors import ConfigurationError, about
from kbuild.stages.edges import (
    BuildPlan,
    CompileEdge,
    LinkEdge,
    MixedSource,
    PackPlan,
    make_unit,
)
from kbuild.stages.memory.limit import count_device_jobs
from kbuild.stages.memory.peaks import expect_peak, read_compile_memory
from kbuild.stages.mixed.edge import HostEdge, make_host_unit, name_link, name_module
from kbuild.stages.output_names import display_source, name_file, name_outputs
from kbuild.stages.paths import check_path
from kbuild.stages.sources.launches import find_launch
from kbuild.stages.target import DeviceFlags, TargetSpec
from kbuild.toolchain.find import (
    add_compilers,
    choose_backend,
    find_launcher,
    find_toolchain,
    find_toolchain_for,
    gather_hints,
)
from kbuild.toolchain.runtime_targets import name_runtime
from kbuild.values import replace


def plan_target(spec: TargetSpec) -> BuildPlan:
    """Return the compile edges, the device links, and the pack edge of ``spec``.

    Raises:
        ConfigurationError: The backend or an architecture is unknown, settings contradict each
            other, or a tool does not take a path literally.
        ToolchainError: There is no usable compiler.
    """
    _check_settings(spec)
    hints = replace(
        add_compilers(gather_hints(with_devices=_asks_for_devices(spec)), spec.compilers),
        host_compiler=spec.host_compiler,
        architectures=spec.default_architectures,
        platforms=spec.platforms,
    )
    with about(setting="BACKEND"):
        builder = choose_backend(spec.backend, hints)
        if spec.is_mixed:
            find_mixed(builder.TRAITS.name)  # before a missing compiler is reported
    _check_compiler_target(spec, builder, hints)
    _check_paths(spec, builder)
    _check_runtime(spec, builder, hints)
    _check_checks(spec, builder)
    compilers = builder.list_candidates(hints).names
    with about(setting="HOST_COMPILER" if spec.host_compiler in compilers else "BACKEND"):
        toolchain = find_toolchain(builder, hints)
    with about(setting="COMPRESSION"):
        if builder.check_compression is not None:
            builder.check_compression(spec.compression, toolchain)
    with about(setting="ARCHITECTURES"):
        toolchains = {
            arch: find_toolchain_for(builder, arch, toolchain, hints)
            for arch in _expand_architectures(spec, builder, toolchain, hints)
        }
    launcher = find_launcher(spec.choose_launcher(builder.TRAITS.language))
    hosts = _plan_hosts(spec, toolchain, tuple(toolchains)) if spec.is_mixed else ()
    edges = _plan_edges(spec, toolchains, launcher, {host.source: host for host in hosts})
    with about(setting="RDC"):
        links = _plan_links(spec, builder, edges) if spec.rdc == "ON" else ()
    # Editors get the options of the native compiler, not those of a cross compiler.
    shown = next((e for e in reversed(edges) if e.toolchain == toolchain), edges[-1])
    return BuildPlan(
        edges=edges,
        links=links,
        pack=_plan_pack(spec, builder, toolchain, edges, links, hosts),
        device_jobs=_count_device_jobs(builder, edges),
        runtime_target=name_runtime(builder.TRAITS.name, spec.runtime),
        notes=builder.list_notes(toolchain, hints) if builder.list_notes else (),
        hosts=hosts,
        host_options=_list_host_options(hosts),
        check_options=_list_check_options(spec, builder),
        editor_options=builder.editor_options(make_unit(shown, DeviceFlags()), shown.toolchain),
    )


def _count_device_jobs(builder: Builder, edges: tuple[CompileEdge, ...]) -> int:
    """Return how many device compiles ninja can start at once. The large ones wait for memory."""
    unknown = builder.TRAITS.compile_memory
    peaks = (expect_peak(edge.source, edge.arch, edge.toolchain, unknown) for edge in edges)
    return count_device_jobs(min(peaks), read_compile_memory())


def _asks_for_devices(spec: TargetSpec) -> bool:
    return any(name.rpartition(":")[2] == "native" for name in spec.architectures)


def _expand_architectures(
    spec: TargetSpec, builder: Builder, toolchain: Toolchain, hints: ToolchainHints
) -> tuple[str, ...]:
    """Expand the architectures for the backend that builds the target, which can be a fallback."""
    try:
        requested = select_values(spec.architectures, builder.TRAITS.name)
        return builder.expand_architectures(requested, toolchain, hints)
    except ConfigurationError as error:
        if spec.backend in (AUTOMATIC, builder.TRAITS.name):
            raise
        find_fallback = find_builder(spec.backend).find_fallback
        fallback = find_fallback(hints) if find_fallback else None
        reason = f"{fallback.reason}: " if fallback else ""
        raise ConfigurationError(
            f"{reason}backend {builder.TRAITS.name} builds the target instead of {spec.backend}; "
            f"{error}"
        ) from error


def _plan_hosts(
    spec: TargetSpec, toolchain: Toolchain, architectures: tuple[str, ...]
) -> tuple[HostEdge, ...]:
    """Plan one host pass per source."""
    for path in spec.host_sources:
        line = find_launch(files.read_file(path))
        if line is not None:
            raise ConfigurationError(
                f"{path}:{line}: a launch with <<<>>> in a C++ source, which kbuild does not "
                f"rewrite; rename the file to '{path.stem}.cu', and list it in "
                "kbuild_target_sources()"
            )
    names = name_outputs(spec)
    compiler = dict(spec.compilers).get("CXX")
    if compiler is None:
        raise ConfigurationError(
            "mixed sources need a C++ compiler; add CXX to the project's LANGUAGES"
        )
    return tuple(
        HostEdge(
            kbuild_version=spec.kbuild_version,
            source=source,
            display_source=display_source(source, spec.source_root),
            module=name_module(spec.name, display_source(source, spec.source_root)),
            device_standard=spec.device_standard,
            architectures=architectures,
            output=spec.output_directory / names[source],
            toolchain=toolchain,
            compiler=Path(compiler),
            compiler_id=spec.host_compiler_id,
            relocatable=spec.rdc != "OFF",
            is_checked=spec.check,
            definitions=definitions,
        )
        for source, definitions in spec.group_definitions().items()
    )


def _list_host_options(hosts: tuple[HostEdge, ...]) -> tuple[str, ...]:
    """List the options with which the C++ compiler compiles the host texts."""
    if not hosts:
        return ()
    host = hosts[0]
    passes = find_mixed(host.toolchain.backend)
    # Handles are defined in assembly, which link-time optimization would separate from their uses.
    # Line markers and statement expressions are extensions of the language.
    own = passes.list_host_options(make_host_unit(host, DeviceFlags()), host.toolchain)
    return (f"-std=gnu++{host.device_standard}", "-fno-lto", "-Wno-pedantic", *own)


def _list_check_options(spec: TargetSpec, builder: Builder) -> tuple[str, ...]:
    """List the options that instrument the C and C++ sources of the target."""
    if not (spec.check and spec.is_mixed):
        return ()
    list_options = find_mixed(builder.TRAITS.name).list_check_options
    return list_options(spec.host_compiler_id) if list_options else ()


def _plan_edges(
    spec: TargetSpec,
    toolchains: Mapping[str, Toolchain],
    launcher: tuple[str, ...],
    hosts: Mapping[Path, HostEdge],
) -> tuple[CompileEdge, ...]:
    """Plan one edge per source and architecture."""
    names = name_outputs(spec)
    return tuple(
        CompileEdge(
            kbuild_version=spec.kbuild_version,
            source=source,
            display_source=display_source(source, spec.source_root),
            arch=arch,
            device_standard=spec.device_standard,
            output=spec.output_directory / f"{names[source]}.{name_file(arch)}",
            toolchain=toolchain,
            relocatable=spec.rdc != "OFF",
            is_checked=spec.check,
            definitions=definitions,
            architectures=tuple(toolchains) if hosts else (),
            compiler_launcher=launcher,
            key=hosts[source].key if hosts else None,
        )
        for source, definitions in spec.group_definitions().items()
        for arch, toolchain in toolchains.items()
    )


def _plan_links(
    spec: TargetSpec, builder: Builder, edges: tuple[CompileEdge, ...]
) -> tuple[LinkEdge, ...]:
    """Plan one edge per architecture that the backend links."""
    toolchains = {edge.arch: edge.toolchain for edge in edges}
    return tuple(
        LinkEdge(
            kbuild_version=spec.kbuild_version,
            target=spec.name,
            arch=arch,
            compiled=tuple(edge.stamp for edge in edges if edge.arch == arch),
            output=spec.output_directory / f"{spec.name}.{name_file(arch)}.linked",
            toolchain=toolchains[arch],
            is_mixed=spec.is_mixed,
            is_checked=spec.check,
        )
        for arch in builder.device_links(tuple(toolchains))
    )


def _plan_pack(  # noqa: PLR0913, PLR0917 - what the other steps planned
    spec: TargetSpec,
    builder: Builder,
    toolchain: Toolchain,
    edges: tuple[CompileEdge, ...],
    links: tuple[LinkEdge, ...],
    hosts: tuple[HostEdge, ...],
) -> PackPlan:
    """Plan the pack edge, which packs what device links made, or else what the compilers made."""
    stamps = tuple(edge.stamp for edge in edges)
    # Another device link can take the place of that of a static library.
    is_shared = links and spec.kind == "static" and builder.TRAITS.link_function
    return PackPlan(
        kbuild_version=spec.kbuild_version,
        target=spec.name,
        backend=toolchain.backend,
        visibility=spec.visibility,
        headers=spec.headers,
        compiled=tuple(link.stamp for link in links) or stamps,
        prelinked=stamps if links else (),
        compression=spec.compression,
        has_weak_instances=spec.has_weak_instances,
        output_directory=spec.output_directory,
        stub_suffix=spec.stub_suffix,
        toolchain=toolchain,
        debug_stubs=spec.debug_stubs,
        mixed=tuple(
            MixedSource(
                display_source=host.display_source,
                module=host.module,
                handles=host.handles,
                link_id=name_link(host.module, host.source) if is_shared else None,
            )
            for host in hosts
        ),
    )


def _check_paths(spec: TargetSpec, builder: Builder) -> None:
    """Reject paths that a tool would not take literally, or would even run as a command.

    The edges check include directories, because they are known only after CMake has generated.
    """
    with about(setting=spec.sources_keyword):
        for source in spec.sources:
            check_path(source, spec.sources_keyword, builder.TRAITS.unsafe.sources)
    check_path(spec.source_root, "the project directory", builder.TRAITS.unsafe.sources)
    check_path(spec.output_directory, "the build directory", builder.TRAITS.unsafe.outputs)


def _check_compiler_target(spec: TargetSpec, builder: Builder, hints: ToolchainHints) -> None:
    """Reject an option of CMake's that makes a cross compiler, if kbuild runs it without."""
    is_run = spec.is_mixed or builder.cross_compilers is not None
    if is_run and spec.compiler_target and read_machine(spec.compiler_target) != hints.machine:
        raise ConfigurationError(
            f"CMAKE_CXX_COMPILER_TARGET is {spec.compiler_target}, but kbuild runs the compiler "
            "without this option; set CMAKE_CXX_COMPILER to one that needs no option, such as "
            f"g++ for that machine, or a script that runs clang++ --target={spec.compiler_target}"
        )


def _check_settings(spec: TargetSpec) -> None:
    """Reject settings that contradict each other."""
    with about(setting="RUNTIME"):
        if spec.runtime == "static" and spec.kind == "shared":
            raise ConfigurationError(
                "RUNTIME static: a program that links a shared kernel library has its own runtime, "
                "which does not know the library's kernels; make the library STATIC or MODULE, or "
                "use RUNTIME shared"
            )
        if spec.runtime == "bundle" and spec.kind == "object":
            raise ConfigurationError(
                "RUNTIME bundle: the runtime is installed beside a file, and an object library is "
                "not installed as one; use RUNTIME shared or static, or another kind of library"
            )
    if spec.debug_stubs != "OFF" and spec.stub_suffix == ".c":
        raise ConfigurationError(
            f"DEBUG_STUBS {spec.debug_stubs}: the kernels' parameter types are C++; "
            "add CXX to the project's LANGUAGES"
        )


def _check_checks(spec: TargetSpec, builder: Builder) -> None:
    traits = builder.TRAITS
    if spec.check and not traits.can_check:
        advice = f"; {traits.check_advice}" if traits.check_advice else ""
        with about(setting="CHECK"):
            raise ConfigurationError(
                f"CHECK ON: backend {traits.name} cannot check device code; use BACKEND "
                f"{find_checking_backend()}{advice}"
            )


def _check_runtime(spec: TargetSpec, builder: Builder, hints: ToolchainHints) -> None:
    found = {runtime.linkage for runtime in builder.find_runtimes(hints)}
    with about(setting="RUNTIME"):
        if spec.runtime == "static" and found and "static" not in found:
            raise ConfigurationError(
                f"RUNTIME static: backend {builder.TRAITS.name} has no static runtime here; use "
                "RUNTIME shared"
            )
