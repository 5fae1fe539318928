"""The sections of a cubin that describe its kernels, sorted by their purpose."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.formats.elf.constants import SHF_EXECINSTR, SHT_NOTE, SHT_REL, SHT_RELA, SHT_SYMTAB
from kbuild.formats.elf.device import DeviceElf
from kbuild.formats.elf.headers import SectionHeader
from kbuild.formats.source_paths import is_debug_section
from kbuild.values import dataclass

# Some sections have separate types. Names would be ambiguous: ``.nv.merc.nv.info``, for
# example, is a different section.
_SHT_CUDA_INFO: Final = 0x7000_0000
_SHT_CUDA_COMPAT: Final = 0x7000_0086
_UNRELATED: Final = frozenset({SHT_SYMTAB, SHT_RELA, SHT_REL})
_CONSTANT_0: Final = b".nv.constant0."
_SHARED: Final = b".nv.shared."
_LOCAL: Final = b".nv.local."


@dataclass(frozen=True, slots=True, kw_only=True)
class CubinSections:
    """The relevant sections; those of a function by the index of its code section."""

    notes: list[SectionHeader]
    debug: list[SectionHeader]
    compat: list[SectionHeader]
    module_info: list[SectionHeader]
    function_info: dict[int, SectionHeader]
    constant_bytes: dict[int, int]
    shared_bytes: dict[int, int]
    local_bytes: dict[int, int]


def sort_sections(elf: DeviceElf) -> CubinSections:
    """Sort the sections of a cubin.

    The ``info`` field of a section that belongs to a function is the index of its code section.
    """
    found = CubinSections(
        notes=[],
        debug=[],
        compat=[],
        module_info=[],
        function_info={},
        constant_bytes={},
        shared_bytes={},
        local_bytes={},
    )
    by_name = (
        (_CONSTANT_0, found.constant_bytes),
        (_SHARED, found.shared_bytes),
        (_LOCAL, found.local_bytes),
    )
    for section in elf.sections:
        if section.type == _SHT_CUDA_INFO:
            if section.info:
                found.function_info[section.info] = section
            else:
                found.module_info.append(section)
        elif section.type == SHT_NOTE:
            found.notes.append(section)
        elif section.type == _SHT_CUDA_COMPAT:
            found.compat.append(section)
        elif is_debug_section(elf, section):
            found.debug.append(section)
        # The first two checks are cheap and exclude most of the other sections.
        elif section.info and not (section.flags & SHF_EXECINSTR or section.type in _UNRELATED):
            for prefix, sizes in by_name:
                if elf.has_name(section, prefix):
                    sizes[section.info] = section.size
                    break
    return found


def constant_bank_owners(elf: DeviceElf) -> Iterator[str]:
    """Yield the names of the functions that have a constant bank 0, that is, of the kernels."""
    for section in elf.sections:
        if elf.has_name(section, _CONSTANT_0):
            yield elf.section_name(section).removeprefix(_CONSTANT_0.decode())
