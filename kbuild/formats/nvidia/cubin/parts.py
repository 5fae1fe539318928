"""The sections of a cubin that say something of its kernels, sorted by what they say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from kbuild.formats.elf.device import SHT_NOTE, SHT_SYMTAB, DeviceElf, SectionHeader
from kbuild.formats.source_paths import is_debug_section

# By type where they have one of their own, so that ``.nv.merc.nv.info`` is not among them.
_SHT_CUDA_INFO: Final = 0x7000_0000
_SHT_CUDA_COMPAT: Final = 0x7000_0086
_SHF_EXECINSTR: Final = 4
_SHT_RELA, _SHT_REL = 4, 9
_UNRELATED: Final = frozenset({SHT_SYMTAB, _SHT_RELA, _SHT_REL})
_CONSTANT_0: Final = b".nv.constant0."
_SHARED: Final = b".nv.shared."
_LOCAL: Final = b".nv.local."


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The sections that matter, those of a function by the number of its code section."""

    notes: list[SectionHeader] = field(default_factory=list)
    debug: list[SectionHeader] = field(default_factory=list)
    compat: list[SectionHeader] = field(default_factory=list)
    module_info: list[SectionHeader] = field(default_factory=list)
    function_info: dict[int, SectionHeader] = field(default_factory=dict)
    constant_bytes: dict[int, int] = field(default_factory=dict)
    shared_bytes: dict[int, int] = field(default_factory=dict)
    local_bytes: dict[int, int] = field(default_factory=dict)


def sort_sections(elf: DeviceElf) -> Parts:
    """Sort the sections; those that belong to a function name its code in ``info``."""
    parts = Parts()
    by_name = (
        (_CONSTANT_0, parts.constant_bytes),
        (_SHARED, parts.shared_bytes),
        (_LOCAL, parts.local_bytes),
    )
    for section in elf.sections:
        if section.type == _SHT_CUDA_INFO:
            if section.info:
                parts.function_info[section.info] = section
            else:
                parts.module_info.append(section)
        elif section.type == SHT_NOTE:
            parts.notes.append(section)
        elif section.type == _SHT_CUDA_COMPAT:
            parts.compat.append(section)
        elif is_debug_section(elf, section):
            parts.debug.append(section)
        # Code, symbols and relocations are most of the others.
        elif section.info and not (section.flags & _SHF_EXECINSTR or section.type in _UNRELATED):
            for prefix, sizes in by_name:
                if elf.has_name(section, prefix):
                    sizes[section.info] = section.size
                    break
    return parts


def constant_bank_owners(elf: DeviceElf) -> Iterator[str]:
    """The functions that have a constant bank of their own, which holds a kernel's parameters."""
    for section in elf.sections:
        if elf.has_name(section, _CONSTANT_0):
            yield elf.section_name(section).removeprefix(_CONSTANT_0.decode())
