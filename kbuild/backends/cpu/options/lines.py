"""Source lines in device images, for reports of crashes.

Images contain line tables, and a list of the project's sources with checksums of their lines. A
build compiles device code only if it changes, although an edit of host code above a kernel moves
its lines. The runtime compares the list with the sources that it finds, and reports a difference.
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kbuild import files, resources
from kbuild.backends.interface.build import CompileUnit, GeneratedSource
from kbuild.backends.interface.toolchain import Toolchain

# See native/cpu/crashes/line_file.hpp.
SOURCE_LIST: Final = ".kbuild_sources"
# Since DWARF 5, line tables refer to names in the second section.
_LINE_SECTIONS: Final = (".debug_line", ".debug_line_str")
_SYSTEM_DIRECTORY: Final = "/usr/"
# The runtime does the same, see compute_checksum there. Therefore, this does not know strings.
_IGNORED: Final = re.compile(rb"/\*.*?\*/|//.*|/\*.*|[ \t\r]+")


def keep_lines() -> tuple[str, ...]:
    """Return the objcopy options that remove all debug information except for line tables."""
    return ("--strip-debug", *(f"--keep-section={section}" for section in _LINE_SECTIONS))


def name_headers(unit: CompileUnit, tc: Toolchain) -> Iterator[str]:
    """Yield the options that make line tables independent of where the toolchain's headers are."""
    if unit.debug:
        return
    yield f"-fdebug-prefix-map={resources.native_directory()}/=kbuild/"
    for directory in tc.libraries:
        yield f"-fdebug-prefix-map={directory}/="


def list_sources(unit: CompileUnit, tc: Toolchain) -> GeneratedSource:
    """Describe the list of the project's sources from which an object is compiled."""
    toolchain = (resources.native_directory(), *tc.libraries)
    installed = (_SYSTEM_DIRECTORY, *(f"{directory}/" for directory in toolchain))
    base = unit.root or Path()
    paths = dict.fromkeys((unit.source, *(base / header for header in unit.headers)))
    return GeneratedSource(
        path=unit.output.with_name(f"{unit.output.name}.sources"),
        template="cpu_sources.txt.j2",
        rows={
            "sources": [
                _describe_source(path, unit)
                for path in paths
                if not str(path).startswith(installed)
            ]
        },
    )


def _describe_source(path: Path, unit: CompileUnit) -> dict[str, str]:
    name = os.fspath(path)
    if unit.root is not None and not unit.debug:
        name = name.removeprefix(f"{unit.root}/")
    return {"checksum": f"{compute_checksum(files.read_file(path)):08x}", "name": name}


def compute_checksum(source: bytes) -> int:
    """Return the CRC-32 of the lines of a source without spaces and comments.

    Comments that move no lines do not change an image, so that nothing is linked again.
    """
    return zlib.crc32(_IGNORED.sub(b"", source))
