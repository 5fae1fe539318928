"""Cubins: the ELF files of NVIDIA device code.  Kernels, their resources, variables.

Two ABIs are in use, told apart by ``EI_ABIVERSION``: 7 (up to toolkit 12.9) and 8 (for
sm_100 and later since 12.8, for all since 13.0).  Neither is documented.  The resource
figures equal those of ``cuobjdump -res-usage``, but for shared memory, where what the
system reserves is not counted, as in ptxas's own report.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.device import EM_CUDA, ET_REL, DeviceElf, SectionHeader, SymbolEntry
from kbuild.formats.nvidia.cubin.facts import CubinFacts, CubinKernel, CubinVariable, VariableKind
from kbuild.formats.nvidia.cubin.info import (
    ACCELERATOR_TARGET,
    KNOWN,
    FunctionInfo,
    ModuleInfo,
    iterate_attributes,
    read_function_info,
    read_module_info,
)
from kbuild.formats.nvidia.cubin.notes import NoteFacts, read_notes
from kbuild.formats.nvidia.cubin.parts import Parts, constant_bank_owners, sort_sections
from kbuild.formats.source_paths import find_source_paths
from kbuild.model import Linkage, Problem

_ABI_7: Final = 7
_ABI_8: Final = 8
_ABI_7_ARCH_SPECIFIC: Final = 0x800
_ABI_8_ARCH_SPECIFIC: Final = 0x8

# Types and bits of symbols; relocatable cubins have a type of their own for variables.
_LINKAGES: Final[dict[int, Linkage]] = {0: "internal", 1: "external", 2: "weak"}
_STT_OBJECT: Final = 1
_STT_FUNC: Final = 2
_STT_CUDA_OBJECT: Final = 13
_STO_MANAGED: Final = 0x04
_STO_ENTRY: Final = 0x10

_VARIABLES: Final[tuple[tuple[bytes, VariableKind], ...]] = (
    (b".nv.constant", "constant"),
    (b".nv.global", "global"),
)

# Since sm_90 linked kernels have so much in front of what they declare as shared, and the
# section header of the code no longer holds the number of registers.
_RESERVED_SHARED: Final = 1024
# A quarter of what the description of a parameter takes: forged kernels may share theirs.
_PARAM_BYTES: Final = 4
_HOPPER: Final = 90


@dataclass(frozen=True, slots=True, kw_only=True)
class _Module:
    """What the kernels of one cubin are read with; the last two grow on the way."""

    elf: DeviceElf
    arch_number: int
    parts: Parts
    info: ModuleInfo
    functions: dict[int, FunctionInfo | None]
    problems: list[Problem]


def read_cubin(data: Buffer) -> CubinFacts:
    """Read a cubin; raises InputError where its header, sections or symbols are not sound.

    Damage to one section is listed in ``problems`` and the rest is read.
    """
    elf = DeviceElf(data, EM_CUDA, "cubin")
    arch_number, suffix = _read_arch(elf)
    parts = sort_sections(elf)
    problems: list[Problem] = []
    notes = _read_notes(elf, parts, problems)
    if not suffix and _is_arch_specific(elf, parts, problems):
        suffix = "a"
    if not suffix and notes.tool:
        suffix = notes.tool.arch_suffix or ""
    module = _Module(
        elf=elf,
        arch_number=arch_number,
        parts=parts,
        info=_read_module_info(elf, parts, problems),
        functions={},
        problems=problems,
    )
    kernels = tuple(_read_kernels(module, len(data)))
    infos = [info for info in module.functions.values() if info]
    attributes = module.info.attributes.union(*(info.attributes for info in infos))
    return CubinFacts(
        arch_number=arch_number,
        suffix=suffix,
        abi=elf.abi_version,
        is_relocatable=elf.type == ET_REL,
        flags=elf.flags,
        virtual_arch=_virtual_arch(elf, notes),
        toolkit=_toolkit(elf, notes, infos),
        tool=notes.tool,
        kernels=kernels,
        nameless=_find_nameless(elf, parts, kernels),
        variables=tuple(_read_variables(elf)),
        unknown_attributes=tuple(sorted(attributes - KNOWN)),
        source_paths=_read_source_paths(elf, parts, problems),
        problems=tuple(problems),
    )


def _read_arch(elf: DeviceElf) -> tuple[int, str]:
    if elf.abi_version == _ABI_7:
        return elf.flags & 0xFF, "a" if elf.flags & _ABI_7_ARCH_SPECIFIC else ""
    if elf.abi_version == _ABI_8:
        # Toolkit 13 no longer sets the bit.
        return elf.flags >> 8 & 0xFF, "a" if elf.flags & _ABI_8_ARCH_SPECIFIC else ""
    raise InputError(f"cubin ABI {elf.abi_version} is not supported, only {_ABI_7} and {_ABI_8}")


def _virtual_arch(elf: DeviceElf, notes: NoteFacts) -> int | None:
    return elf.flags >> 16 & 0xFF if elf.abi_version == _ABI_7 else notes.virtual_arch


def _toolkit(elf: DeviceElf, notes: NoteFacts, infos: list[FunctionInfo]) -> str | None:
    number = elf.version if elf.abi_version == _ABI_7 else notes.toolkit
    number = number or next((info.toolkit for info in infos if info.toolkit), None)
    return f"{number // 10}.{number % 10}" if number else None


def _read_notes(elf: DeviceElf, parts: Parts, problems: list[Problem]) -> NoteFacts:
    try:
        return read_notes(elf.content(section) for section in parts.notes)
    except InputError as error:
        problems.append(Problem(where="notes", message=str(error)))
        return NoteFacts()


def _is_arch_specific(elf: DeviceElf, parts: Parts, problems: list[Problem]) -> bool:
    try:
        return any(
            code == ACCELERATOR_TARGET and value == 1
            for section in parts.compat
            for code, value, _ in iterate_attributes(elf.content(section))
        )
    except InputError as error:
        problems.append(Problem(where=".nv.compat", message=str(error)))
        return False


def _read_module_info(elf: DeviceElf, parts: Parts, problems: list[Problem]) -> ModuleInfo:
    try:
        if parts.module_info:
            return read_module_info(elf.content(parts.module_info[0]))
    except InputError as error:
        problems.append(Problem(where=".nv.info", message=str(error)))
    return ModuleInfo(registers={}, frame_bytes={}, stack_bytes={}, attributes=frozenset())


def _read_source_paths(elf: DeviceElf, parts: Parts, problems: list[Problem]) -> tuple[str, ...]:
    try:
        contents = [elf.content(section) for section in parts.debug]
    except InputError as error:
        problems.append(Problem(where="debug information", message=str(error)))
        return ()
    return tuple(dict.fromkeys(path for c in contents for path in find_source_paths(c)))


def _read_kernels(module: _Module, size: int) -> Iterator[CubinKernel]:
    params_left = size // _PARAM_BYTES
    for index, symbol in enumerate(module.elf.symbols):
        if symbol.other & _STO_ENTRY and symbol.info & 0xF == _STT_FUNC:
            code = module.elf.section_of(symbol)
            if code is not None:
                kernel = _read_kernel(module, index, symbol, code)
                params_left -= len(kernel.params or ())
                if params_left < 0:
                    raise InputError("its kernels have more parameters than it has room for")
                yield kernel


def _read_kernel(
    module: _Module, index: int, symbol: SymbolEntry, code: SectionHeader
) -> CubinKernel:
    name = module.elf.symbol_name(symbol)
    info = _read_info(module, name, symbol.section)
    facts, parts = info or FunctionInfo(), module.parts
    registers = module.info.registers.get(index)
    if registers is None and module.arch_number < _HOPPER:
        registers = code.info >> 24
    barriers = facts.barriers
    if barriers is None:
        # In the section header up to ABI 7; since then no attribute means none of them.
        barriers = code.flags >> 20 & 0x7F if module.elf.abi_version == _ABI_7 else 0
    return CubinKernel(
        name=name,
        linkage=_LINKAGES.get(symbol.info >> 4, "external"),
        code_bytes=symbol.size,
        params=info.params if info else None,
        layout=facts.layout,
        params_offset=facts.params_offset,
        params_size=info.params_size if info else None,
        registers=registers,
        shared_bytes=_shared_bytes(module, symbol.section),
        stack_bytes=module.info.stack_bytes.get(index),
        frame_bytes=module.info.frame_bytes.get(index),
        local_bytes=parts.local_bytes.get(symbol.section, 0),
        constant_bytes=parts.constant_bytes.get(symbol.section, 0),
        barriers=barriers if info else None,
        max_threads=facts.max_threads,
        required_block=facts.required_block,
        cluster=facts.cluster,
        max_cluster_rank=facts.max_cluster_rank,
    )


def _read_info(module: _Module, name: str, code: int) -> FunctionInfo | None:
    if code in module.functions:
        return module.functions[code]
    info, problem = None, "it has no .nv.info section"
    if code in module.parts.function_info:
        try:
            info = read_function_info(module.elf.content(module.parts.function_info[code]))
        except InputError as error:
            problem = str(error)
    if info is None:
        module.problems.append(Problem(where=f"kernel {name}", message=problem))
    module.functions[code] = info
    return info


def _find_nameless(
    elf: DeviceElf, parts: Parts, kernels: tuple[CubinKernel, ...]
) -> tuple[str, ...]:
    """The kernels whose constant bank is there, which every kernel has, and no symbol."""
    # Names are read only where some are missing: libraries have tens of thousands.
    if len(kernels) >= len(parts.constant_bytes):
        return ()
    named = {kernel.name for kernel in kernels}
    return tuple(name for name in constant_bank_owners(elf) if name not in named)


def _shared_bytes(module: _Module, code: int) -> int:
    size = module.parts.shared_bytes.get(code, 0)
    is_reserved = module.arch_number >= _HOPPER and module.elf.type != ET_REL
    return max(size - _RESERVED_SHARED, 0) if is_reserved else size


def _read_variables(elf: DeviceElf) -> Iterator[CubinVariable]:
    for symbol in elf.symbols:
        if symbol.info & 0xF not in (_STT_OBJECT, _STT_CUDA_OBJECT):
            continue
        section = elf.section_of(symbol)
        # What belongs to one function is none: its parameters, in relocatable cubins.
        if section is None or section.info:
            continue
        kind = next((kind for prefix, kind in _VARIABLES if elf.has_name(section, prefix)), None)
        if kind is not None:
            yield CubinVariable(
                name=elf.symbol_name(symbol),
                kind="managed" if symbol.other & _STO_MANAGED else kind,
                size=symbol.size,
                linkage=_LINKAGES.get(symbol.info >> 4, "external"),
            )
