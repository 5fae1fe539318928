"""Where sources lay when an image was compiled: absolute paths in its debug information.

Source: DWARF 4 and 5, "Line Number Information"; PTX ISA, `.file`.
"""

from __future__ import annotations

import re
from typing import Final

from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.device import DeviceElf, SectionHeader

# Line tables have folders and names apart, each ended by a NUL.
_PATH: Final = re.compile(
    rb"(?<![\w.+@~/-])/(?:[\w.+@~-]{1,255}/){1,32}[\w.+@~-]{1,255}"
    rb"(?:(?=\0)|(?<=\.cu|hip|\.cc|cpp|cxx|\.hh|hpp|inl|cuh)(?![\w.])|(?<=\.[ch])(?![\w.]))"
)
# Of compilers and system headers, the same on every machine.
_COMMON: Final = (b"/usr/", b"/opt/")
_MOST: Final = 16
_SEARCHED: Final = 64 << 20
_SHT_PROGBITS: Final = 1
_SHF_ALLOC: Final = 2
_SECTIONS: Final = (b".debug_line", b".debug_str", b".nv_debug_line", b".nv_debug_ptx_txt")


def is_debug_section(elf: DeviceElf, section: SectionHeader) -> bool:
    """Whether the section of an image may name the files that its code comes from."""
    if section.type != _SHT_PROGBITS or section.flags & _SHF_ALLOC or section.info:
        return False
    return any(elf.has_name(section, prefix) for prefix in _SECTIONS)


def find_source_paths(content: Buffer) -> tuple[str, ...]:
    """The first absolute paths of sources and folders, each once, without the system's."""
    found: dict[str, None] = {}
    for match in _PATH.finditer(content[:_SEARCHED]):
        path = bytes(match[0])
        if not path.startswith(_COMMON):
            found[path.decode("ascii", "replace")] = None
            if len(found) == _MOST:
                break
    return tuple(found)
