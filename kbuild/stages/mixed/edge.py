"""The host pass of a mixed source as two edges, and the handoff file through which they are run.

The first edge preprocesses the source and writes the device key, so that the device compilers do
not wait for the front end of the host pass.

Like `kbuild.stages.edges`, this module does not import what only planning needs.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from kbuild import files, records
from kbuild.backends.interface.mixed import FrontEnd, HostUnit
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.stages.target import DeviceFlags
from kbuild.values import dataclass

HOST_SCHEMA: Final = "kbuild.host/1"
FRONT_END_SCHEMA: Final = "kbuild.front-end/1"
_NAME_DIGITS: Final = 16  # 64 bits


@dataclass(frozen=True, slots=True, kw_only=True)
class HostEdge:
    """The host pass of one mixed source, with everything that is known when CMake configures.

    ``output`` is the common start of the paths of its files. ``module`` is the part of generated
    names that is unique to the source. ``toolchain`` is the one of the device pass, and
    ``compiler`` is the project's C++ compiler, which compiles the host text. ``definitions`` are
    those of this source only.
    """

    kbuild_version: str
    source: Path
    display_source: str
    module: str
    device_standard: int
    architectures: tuple[str, ...]
    output: Path
    toolchain: Toolchain
    compiler: Path
    compiler_id: str
    relocatable: bool = False
    is_checked: bool = False
    depfile_option: str = "-MMD"
    definitions: tuple[str, ...] = ()

    @property
    def input(self) -> Path:
        """The file whose change runs the edges again, beside headers."""
        return self.source

    @property
    def text(self) -> Path:
        """The rewritten host text."""
        return self._file("host.cpp")

    @property
    def key(self) -> Path:
        """The device key: the part of the source that device code depends on."""
        return self._file("key")

    @property
    def preprocessed(self) -> Path:
        """The stamp of the preprocessing edge."""
        return self._file("preprocessed")

    @property
    def front_end(self) -> Path:
        """The rest of the front end, which the host pass runs after the preprocessor."""
        return self._file("front-end")

    @property
    def handles(self) -> Path:
        """The definitions of the handles, which the host text includes."""
        return name_handles(self.output)

    @property
    def launches(self) -> Path:
        """The kernels that the source launches, for error messages of the linker."""
        return self._file("launches")

    @property
    def stamp(self) -> Path:
        """The file that the host pass writes last."""
        return self._file("host")

    @property
    def depfile(self) -> Path:
        """The depfile, which lists the files that the preprocessor read."""
        return self._file("host.d")

    @property
    def handoff(self) -> Path:
        """The handoff file for ``kbuild preprocess`` and ``kbuild host-pass``."""
        return self._file("host.edge")

    def _file(self, suffix: str) -> Path:
        return self.output.with_name(f"{self.output.name}.{suffix}")


def name_handles(output: Path) -> Path:
    """Return the path of the handles of the source whose files start with ``output``."""
    return output.with_name(f"{output.name}.handles.h")


def name_module(target: str, display_source: str) -> str:
    """Return the part of generated names that is unique to a source of a target."""
    return files.sha256(f"{target}\0{display_source}".encode())[:_NAME_DIGITS]


def name_link(module: str, source: Path) -> str:
    """Return the id by which a device link finds the device code of a source.

    Linkers show it if a device link is missing.
    """
    name = re.sub(r"\W", "_", source.name, flags=re.ASCII)
    return f"_{module}_{name}_needs_device_link"


def make_host_unit(edge: HostEdge, flags: DeviceFlags) -> HostUnit:
    """Combine an edge and the flags of its target into the input of a backend."""
    return HostUnit(
        source=edge.source,
        display_source=edge.display_source,
        output=edge.output,
        stamp=edge.preprocessed,
        depfile=edge.depfile,
        compiler=edge.compiler,
        compiler_id=edge.compiler_id,
        include_directories=flags.include_directories,
        definitions=(*flags.definitions, *edge.definitions),
        options=flags.host_options,
        device_options=flags.options,
        device_standard=edge.device_standard,
        architectures=edge.architectures,
        relocatable=edge.relocatable,
        is_checked=edge.is_checked,
        depfile_option=edge.depfile_option,
    )


def write_host_edge(edge: HostEdge) -> None:
    """Write the handoff file."""
    files.write_if_changed(edge.handoff, records.dump(HOST_SCHEMA, edge))


def read_host_edge(path: Path) -> HostEdge:
    """Read the handoff file at ``path``."""
    return records.load(HOST_SCHEMA, HostEdge, files.read_file(path), str(path))


def write_front_end(edge: HostEdge, front_end: FrontEnd) -> None:
    """Write the rest of the front end of a preprocessed source."""
    files.write_file(edge.front_end, records.dump(FRONT_END_SCHEMA, front_end))


def read_front_end(edge: HostEdge) -> FrontEnd:
    """Read the rest of the front end of a preprocessed source."""
    path = edge.front_end
    return records.load(FRONT_END_SCHEMA, FrontEnd, files.read_file(path), str(path))
