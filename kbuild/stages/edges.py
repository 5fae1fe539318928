"""The edges of a target, and the handoff files through which they reach their commands.

``kbuild plan`` writes one file per edge, only if its content changes, so that planning again does
not rebuild anything. Every build edge starts by reading its file. For a fast start, this module
does not import what only planning needs.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from kbuild import files, records
from kbuild.backends.interface.build import CompileUnit
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.model import CompressionMode, Visibility
from kbuild.stages.mixed.edge import HostEdge, write_host_edge
from kbuild.stages.target import DebugStubs, DeviceFlags
from kbuild.values import dataclass, replace

EDGE_SCHEMA: Final = "kbuild.edge/1"
LINK_SCHEMA: Final = "kbuild.link/1"
PACK_SCHEMA: Final = "kbuild.pack/1"

# With -flto, gcc takes a handle for a redeclared function. Clang's AddressSanitizer pads handles.
# Users cannot fix warnings in generated code. The tests compile it with strict warnings.
_STUB_OPTIONS: Final = ("-fno-lto", "-fno-sanitize=all", "-w")
# Without debug stubs, the unit contains only tables and functions that run once. With them, each
# stub keeps its stack frame. ON also keeps the arguments where a debugger finds them.
_STUB_DEBUG_OPTIONS: Final[dict[DebugStubs, tuple[str, ...]]] = {
    "OFF": ("-Os",),
    "SYMBOLS": ("-g0", "-fno-optimize-sibling-calls"),
    "ON": ("-g", "-O0", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileEdge:
    """One front-end run, with everything that is known about it when CMake configures.

    ``output`` is the common start of the paths of its files, without a suffix. The edge contains
    the versions of kbuild and of the compiler, so that a change of either compiles again.
    ``definitions`` are those of this source only.
    ``module`` is the part of generated names that is unique to the source; if it is empty, names
    are made from ``display_source``.
    ``architectures`` are all of a mixed source, because macros list them.
    ``compiler_launcher`` is the prefix of the commands that a compiler cache supports. ``key`` is
    the device key of a mixed source, on which the edge depends instead of the source; None for a
    source that contains only device code. ``keeps_images`` says that no build tool knows when the
    edge is up to date, so that it keeps its images in the user's cache.
    """

    kbuild_version: str
    source: Path
    display_source: str
    arch: str
    device_standard: int
    output: Path
    toolchain: Toolchain
    relocatable: bool = False
    is_checked: bool = False
    keep_assembly: bool = False
    definitions: tuple[str, ...] = ()
    module: str = ""
    architectures: tuple[str, ...] = ()
    compiler_launcher: tuple[str, ...] = ()
    key: Path | None = None
    keeps_images: bool = False

    @property
    def input(self) -> Path:
        """The file whose change runs the edge again, beside headers."""
        return self.key or self.source

    @property
    def stamp(self) -> Path:
        """The record that the edge writes last."""
        return self.output.with_name(self.output.name + ".json")

    @property
    def depfile(self) -> Path:
        """The depfile, which lists the files that the source includes."""
        return name_depfile(self.stamp)

    @property
    def declarations(self) -> Path:
        """The declarations of the kernels, extracted from the preprocessed source."""
        return name_declarations(self.stamp)

    @property
    def handoff(self) -> Path:
        """The handoff file for ``kbuild compile``."""
        return self.output.with_name(self.output.name + ".edge")


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkEdge:
    """One device link, which makes one image from the outputs of the compile edges for ``arch``.

    ``compiled`` are the records of these compile edges. Only mixed sources can have no kernel.
    """

    kbuild_version: str
    target: str
    arch: str
    compiled: tuple[Path, ...]
    output: Path
    toolchain: Toolchain
    is_mixed: bool = False
    is_checked: bool = False

    @property
    def stamp(self) -> Path:
        """The record that the edge writes last."""
        return self.output.with_name(self.output.name + ".json")

    @property
    def handoff(self) -> Path:
        """The handoff file for ``kbuild device-link``."""
        return self.output.with_name(self.output.name + ".edge")


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedSource:
    """A mixed source, for the pack edge: where its handles go, and how they are named.

    ``link_id`` is the end of the names by which a later device link finds the device code; None if
    it needs no other link.
    """

    display_source: str
    module: str
    handles: Path
    link_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PackPlan:
    """The pack edge, which makes a fat binary, a stub unit, and a kernel table from the images.

    ``compiled`` are the records of the edges whose images are registered. With a device link, these
    are the link edges, and ``prelinked`` are the records of the compile edges. ``mixed`` lists the
    sources that contain host code: all or none. If a later device link finds their code, each of
    them has its own stub unit. ``has_weak_instances`` gives the instances of templates that sources
    instantiate implicitly weak handles, which other files find.
    """

    kbuild_version: str
    target: str
    backend: str
    visibility: Visibility
    headers: tuple[Path, ...]
    compiled: tuple[Path, ...]
    output_directory: Path
    stub_suffix: str
    toolchain: Toolchain
    debug_stubs: DebugStubs = "OFF"
    prelinked: tuple[Path, ...] = ()
    compression: CompressionMode = "balance"
    mixed: tuple[MixedSource, ...] = ()
    has_weak_instances: bool = False

    @property
    def stub(self) -> Path:
        """The stub unit: the host source with the handles."""
        return self.output_directory / f"{self.target}_stub{self.stub_suffix}"

    @property
    def link_ids(self) -> tuple[str, ...]:
        """What a later device link finds."""
        return tuple(source.link_id for source in self.mixed if source.link_id)

    @property
    def stub_units(self) -> tuple[PackPlan, ...]:
        """The plans of the stub units, with their sources."""
        if not self.link_ids:
            return (self,)
        return tuple(
            replace(self, target=f"{self.target}_{index}" if index else self.target, mixed=(mixed,))
            for index, mixed in enumerate(self.mixed)
        )

    @property
    def link_unit(self) -> PackPlan | None:
        """The plan of the unit with the device links, if no stub unit has them.

        Programs without a device link take it from a static library.
        """
        if not (self.link_ids and self.prelinked):
            return None
        return replace(self, target=f"{self.target}_link", mixed=())

    @property
    def units(self) -> tuple[PackPlan, ...]:
        """The plans of all units."""
        return (*self.stub_units, *((self.link_unit,) if self.link_unit else ()))

    @property
    def fat_binary(self) -> Path:
        """The fat binary, with all containers of the target."""
        return self.output_directory / f"{self.target}.fatbin"

    def container(self, index: int) -> Path:
        """Return the file to which a tool writes the container of source number ``index``."""
        return self.output_directory / f"{self.target}.{index}.container"

    @property
    def kernel_table(self) -> Path:
        """The kernel table, which the note contains."""
        return self.output_directory / f"{self.target}.record.json"

    @property
    def header_directory(self) -> Path:
        """The directory of the generated headers, for the include path of host code."""
        return self.output_directory / "include"

    @property
    def stub_options(self) -> tuple[str, ...]:
        """The compiler options of the stub unit, which follow the project's own flags."""
        # The targets of mixed sources have the standard of their own sources.
        standard = ("-std=gnu++17",) if self.mixed else ()
        return standard + list_stub_options(self.debug_stubs)

    @property
    def cpp_header(self) -> Path:
        """The header for C++ hosts."""
        return self.header_directory / f"{self.target}_kernels.hpp"

    @property
    def c_header(self) -> Path:
        """The header for C hosts."""
        return self.header_directory / f"{self.target}_kernels.h"

    @property
    def stamp(self) -> Path:
        """The stamp, which every run of the edge writes last."""
        return self.output_directory / f"{self.target}.packed"

    @property
    def handoff(self) -> Path:
        """The handoff file for ``kbuild pack``."""
        return self.output_directory / f"{self.target}.pack"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildPlan:
    """The edges of one target, and the CMake target of the runtime that it links.

    ``editor_options`` are the options in ``compile_commands.json`` with which a compiler can read
    the sources. ``device_jobs`` is the number of device edges of the backend that can run at once.
    ``notes`` are messages for the user. ``hosts`` are the host passes of mixed sources, and
    ``host_options`` the options with which the project's C++ compiler compiles their texts.
    ``check_options`` instrument the other C and C++ sources of the target.
    """

    edges: tuple[CompileEdge, ...]
    links: tuple[LinkEdge, ...]
    pack: PackPlan
    runtime_target: str
    editor_options: tuple[str, ...]
    device_jobs: int = 1
    notes: tuple[str, ...] = ()
    hosts: tuple[HostEdge, ...] = ()
    host_options: tuple[str, ...] = ()
    check_options: tuple[str, ...] = ()


def list_stub_options(debug_stubs: DebugStubs = "OFF") -> tuple[str, ...]:
    """List the compiler options of generated host code."""
    return _STUB_OPTIONS + _STUB_DEBUG_OPTIONS[debug_stubs]


def name_depfile(stamp: Path) -> Path:
    """Return the path of the depfile of the compile edge that writes ``stamp``."""
    return stamp.with_suffix(".d")


def name_declarations(stamp: Path) -> Path:
    """Return the path of the declarations of the compile edge that writes ``stamp``."""
    return stamp.with_suffix(".ii")


def make_unit(edge: CompileEdge, flags: DeviceFlags) -> CompileUnit:
    """Combine an edge and the flags of its target into the input of a backend."""
    return CompileUnit(
        source=edge.source,
        display_source=edge.display_source,
        arch=edge.arch,
        output=edge.output,
        stamp=edge.stamp,
        depfile=edge.depfile,
        include_directories=flags.include_directories,
        definitions=(*flags.definitions, *edge.definitions),
        build_options=flags.build_options,
        options=flags.options,
        host_options=flags.host_options if edge.key is not None else (),
        architectures=edge.architectures,
        device_standard=edge.device_standard,
        debug=asks_for_debug((*flags.build_options, *flags.options)),
        relocatable=edge.relocatable,
        is_checked=edge.is_checked,
        keep_assembly=edge.keep_assembly,
        is_mixed=edge.key is not None,
        module=edge.module,
    )


def asks_for_debug(options: tuple[str, ...]) -> bool:
    """Return whether the last ``-g`` option requests debug information."""
    debug = [o for o in options if re.fullmatch(r"-g(gdb)?\d?", o)]
    return bool(debug) and debug[-1] != "-g0"


def write_plan(plan: BuildPlan) -> None:
    """Write the handoff file of each edge."""
    for edge in plan.edges:
        files.write_if_changed(edge.handoff, records.dump(EDGE_SCHEMA, edge))
    for link in plan.links:
        files.write_if_changed(link.handoff, records.dump(LINK_SCHEMA, link))
    for host in plan.hosts:
        write_host_edge(host)
    files.write_if_changed(plan.pack.handoff, records.dump(PACK_SCHEMA, plan.pack))


def read_edge(path: Path) -> CompileEdge:
    """Read a compile edge from the handoff file at ``path``."""
    return records.load(EDGE_SCHEMA, CompileEdge, files.read_file(path), str(path))


def read_link(path: Path) -> LinkEdge:
    """Read a device link from the handoff file at ``path``."""
    return records.load(LINK_SCHEMA, LinkEdge, files.read_file(path), str(path))


def read_pack(path: Path) -> PackPlan:
    """Read a pack edge from the handoff file at ``path``."""
    return records.load(PACK_SCHEMA, PackPlan, files.read_file(path), str(path))
