"""Absolute source paths that the debug information of a device image contains.

Sources: DWARF 4 and 5, "Line Number Information"; PTX ISA, `.file`.
"""

from __future__ import annotations

import re
from typing import Final

from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.constants import SHF_ALLOC, SHT_PROGBITS
from kbuild.formats.elf.device import DeviceElf
from kbuild.formats.elf.headers import SectionHeader

# Line tables store directories and file names separately, each with a NUL at its end.
_PATH: Final = re.compile(
    rb"(?<![\w.+@~/-])/(?:[\w.+@~-]{1,255}/){1,32}[\w.+@~-]{1,255}"
    rb"(?:(?=\0)|(?<=\.cu|hip|\.cc|cpp|cxx|\.hh|hpp|inl|cuh)(?![\w.])|(?<=\.[ch])(?![\w.]))"
)
# Compilers and system headers have the same paths on every machine.
_SYSTEM_DIRECTORIES: Final = (b"/usr/", b"/opt/")
_MOST_PATHS: Final = 16
_SEARCHED_BYTES: Final = 64 << 20
_SECTIONS: Final = (b".debug_line", b".debug_str", b".nv_debug_line", b".nv_debug_ptx_txt")


def is_debug_section(elf: DeviceElf, section: SectionHeader) -> bool:
    """Return whether a section of an image can contain the paths of its source files."""
    if section.type != SHT_PROGBITS or section.flags & SHF_ALLOC or section.info:
        return False
    return any(elf.has_name(section, prefix) for prefix in _SECTIONS)


def find_source_paths(content: Buffer) -> tuple[str, ...]:
    """Return absolute paths of sources and directories in ``content``, each of them once.

    System directories are left out. At most 16 paths are returned, in the order of the content.
    """
    found: dict[str, None] = {}
    for match in _PATH.finditer(content[:_SEARCHED_BYTES]):
        path = bytes(match[0])
        if not path.startswith(_SYSTEM_DIRECTORIES):
            found[path.decode("ascii", "replace")] = None
            if len(found) == _MOST_PATHS:
                break
    return tuple(found)
