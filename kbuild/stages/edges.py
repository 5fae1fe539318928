"""The edges of a target: frozen values that a plan leaves in files, one file a command.

Every build edge starts with reading one of these, so that nothing is imported here that
only planning needs.  Files are written only if they change: planning again rebuilds nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kbuild import files, records
from kbuild.backends.interface.build import CompileUnit
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.model import CompressionMode, Visibility
from kbuild.stages.target import DebugStubs, DeviceFlags

EDGE_SCHEMA: Final = "kbuild.edge/1"
LINK_SCHEMA: Final = "kbuild.link/1"
PACK_SCHEMA: Final = "kbuild.pack/1"

# With -flto gcc takes a handle for a redeclared function; clang's ASan pads handles.
# Warnings are ours to mend: the tests compile what is generated under strict ones.
_STUB_OPTIONS: Final = ("-fno-lto", "-fno-sanitize=all", "-w")
# Without stubs the unit is tables and what is called once; with them, each keeps its frame, and
# with ON its arguments where a debugger finds them.
_STUB_DEBUG_OPTIONS: Final[dict[DebugStubs, tuple[str, ...]]] = {
    "OFF": ("-Os",),
    "SYMBOLS": ("-g0", "-fno-optimize-sibling-calls"),
    "ON": ("-g", "-O0", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileEdge:
    """One front-end run: everything about it that is known when CMake configures.

    ``output`` is the path without suffix that its files start with.  Both versions are in
    here so that another compiler or another kbuild compiles again.  ``compiler_launcher`` goes
    in front of what a cache of compilers takes.
    """

    kbuild_version: str
    source: Path
    display_source: str
    arch: str
    standard: str
    output: Path
    toolchain: Toolchain
    relocatable: bool = False
    keep_assembly: bool = False
    compiler_launcher: tuple[str, ...] = ()

    @property
    def stamp(self) -> Path:
        """The record that the edge writes last."""
        return self.output.with_name(self.output.name + ".json")

    @property
    def depfile(self) -> Path:
        """Which headers the source read."""
        return self.output.with_name(self.output.name + ".d")

    @property
    def declarations(self) -> Path:
        """What the source declares of its kernels, once it is preprocessed."""
        return self.output.with_name(self.output.name + ".ii")

    @property
    def hand_over(self) -> Path:
        """Where the plan leaves the edge for ``kbuild compile``."""
        return self.output.with_name(self.output.name + ".edge")


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkEdge:
    """One device link: what the sources' edges for ``arch`` left becomes one image."""

    kbuild_version: str
    target: str
    arch: str
    compiled: tuple[Path, ...]
    output: Path
    toolchain: Toolchain

    @property
    def stamp(self) -> Path:
        """The record that the edge writes last."""
        return self.output.with_name(self.output.name + ".json")

    @property
    def hand_over(self) -> Path:
        """Where the plan leaves the edge for ``kbuild device-link``."""
        return self.output.with_name(self.output.name + ".edge")


@dataclass(frozen=True, slots=True, kw_only=True)
class PackPlan:
    """How the images of a target become a fat binary, a stub unit and a kernel table.

    ``compiled`` are the records of what is registered, ``prelinked`` those of the sources
    of a device link.
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

    @property
    def stub(self) -> Path:
        """The host source with the handles."""
        return self.output_directory / f"{self.target}_stub{self.stub_suffix}"

    @property
    def fat_binary(self) -> Path:
        """All containers of the target."""
        return self.output_directory / f"{self.target}.fatbin"

    def container(self, index: int) -> Path:
        """Where a tool writes the container of source number ``index``."""
        return self.output_directory / f"{self.target}.{index}.container"

    @property
    def kernel_table(self) -> Path:
        """The record that the note carries."""
        return self.output_directory / f"{self.target}.record.json"

    @property
    def header_directory(self) -> Path:
        """Where the generated headers are, for the include path of hosts."""
        return self.output_directory / "include"

    @property
    def stub_options(self) -> tuple[str, ...]:
        """What the stub unit is compiled with, after the project's own flags."""
        return _STUB_OPTIONS + _STUB_DEBUG_OPTIONS[self.debug_stubs]

    @property
    def cpp_header(self) -> Path:
        """Declarations for C++ hosts."""
        return self.header_directory / f"{self.target}_kernels.hpp"

    @property
    def c_header(self) -> Path:
        """Declarations for C hosts."""
        return self.header_directory / f"{self.target}_kernels.h"

    @property
    def stamp(self) -> Path:
        """Written last, always."""
        return self.output_directory / f"{self.target}.packed"

    @property
    def hand_over(self) -> Path:
        """Where the plan leaves itself for ``kbuild pack``."""
        return self.output_directory / f"{self.target}.pack"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildPlan:
    """The edges of one target, and the CMake target of the runtime that it links.

    ``editor_options`` make a compiler read the sources, for ``compile_commands.json``;
    ``device_jobs`` is how many device edges of its backend may run together; ``notes`` are for
    people.
    """

    edges: tuple[CompileEdge, ...]
    links: tuple[LinkEdge, ...]
    pack: PackPlan
    runtime_target: str
    editor_options: tuple[str, ...]
    device_jobs: int = 1
    notes: tuple[str, ...] = ()


def make_unit(edge: CompileEdge, flags: DeviceFlags) -> CompileUnit:
    """The edge with its flags, as a backend wants it."""
    return CompileUnit(
        source=edge.source,
        display_source=edge.display_source,
        arch=edge.arch,
        output=edge.output,
        stamp=edge.stamp,
        depfile=edge.depfile,
        include_directories=flags.include_directories,
        definitions=flags.definitions,
        build_options=flags.build_options,
        options=flags.options,
        standard=edge.standard,
        debug=asks_for_debug((*flags.build_options, *flags.options)),
        relocatable=edge.relocatable,
        keep_assembly=edge.keep_assembly,
    )


def asks_for_debug(options: tuple[str, ...]) -> bool:
    """Whether the last of the ``-g`` options asks for debug information."""
    debug = [o for o in options if re.fullmatch(r"-g(gdb)?\d?", o)]
    return bool(debug) and debug[-1] != "-g0"


def write_plan(plan: BuildPlan) -> None:
    """Leave each edge its hand-over file."""
    for edge in plan.edges:
        files.write_if_changed(edge.hand_over, records.dump(EDGE_SCHEMA, edge))
    for link in plan.links:
        files.write_if_changed(link.hand_over, records.dump(LINK_SCHEMA, link))
    files.write_if_changed(plan.pack.hand_over, records.dump(PACK_SCHEMA, plan.pack))


def read_edge(path: Path) -> CompileEdge:
    """The compile edge that `write_plan` left at ``path``."""
    return records.load(EDGE_SCHEMA, CompileEdge, files.read_file(path), str(path))


def read_link(path: Path) -> LinkEdge:
    """The device link that `write_plan` left at ``path``."""
    return records.load(LINK_SCHEMA, LinkEdge, files.read_file(path), str(path))


def read_pack(path: Path) -> PackPlan:
    """The pack edge that `write_plan` left at ``path``."""
    return records.load(PACK_SCHEMA, PackPlan, files.read_file(path), str(path))
