"""A reader of cubins: their kernels with resources, and their variables.

Two ABIs are in use, and ``EI_ABIVERSION`` distinguishes them: 7 (up to toolkit 12.9) and 8 (for
sm_100 and later since toolkit 12.8, for all architectures since 13.0). Neither is documented.
The resources equal those that ``cuobjdump -res-usage`` prints, with one exception: shared
memory does not include what the system reserves, as in the report of ptxas.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.constants import EM_CUDA, ET_REL, STT_CUDA_OBJECT, STT_FUNC, STT_OBJECT
from kbuild.formats.elf.device import DeviceElf
from kbuild.formats.elf.headers import SectionHeader
from kbuild.formats.elf.symbol_entries import SymbolEntry
from kbuild.formats.nvidia.cubin.facts import CubinFacts, CubinKernel, CubinVariable, VariableKind
from kbuild.formats.nvidia.cubin.notes import NoteFacts, read_notes
from kbuild.formats.nvidia.cubin.nv_info import (
    ACCELERATOR_TARGET,
    FunctionInfo,
    ModuleInfo,
    iterate_attributes,
    read_function_info,
    read_module_info,
)
from kbuild.formats.nvidia.cubin.sections import CubinSections, constant_bank_owners, sort_sections
from kbuild.formats.source_paths import find_source_paths
from kbuild.model import Problem
from kbuild.values import dataclass

_ABI_7: Final = 7
_ABI_8: Final = 8
_ABI_7_ARCH_SPECIFIC: Final = 0x800
_ABI_8_ARCH_SPECIFIC: Final = 0x8

# Bits of ``st_other``.
_STO_MANAGED: Final = 0x04
_STO_ENTRY: Final = 0x10

_VARIABLES: Final[tuple[tuple[bytes, VariableKind], ...]] = (
    (b".nv.constant", "constant"),
    (b".nv.global", "global"),
)

# Since sm_90, linked kernels have these reserved bytes before their own shared memory, and the
# section header of the code no longer contains the number of registers.
_HOPPER: Final = 90
_RESERVED_SHARED: Final = 1024
# A quarter of the size of a parameter's description, because forged kernels can share theirs.
_PARAM_BYTES: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class _Module:
    """The state while the kernels of a cubin are read.

    Reading a kernel adds to ``functions``, which caches descriptions by the section of their
    code, and to ``problems``.
    """

    elf: DeviceElf
    arch_number: int
    sections: CubinSections
    info: ModuleInfo
    functions: dict[int, FunctionInfo | None]
    problems: list[Problem]


def read_cubin(data: Buffer) -> CubinFacts:
    """Read a cubin.

    Damage to a single section is listed in ``problems``, and the rest is read.

    Raises:
        InputError: The header, the section table, or the symbol table is damaged.
    """
    elf = DeviceElf(data, EM_CUDA, "cubin")
    arch_number, suffix = _read_arch(elf)
    sections = sort_sections(elf)
    problems: list[Problem] = []
    notes = _read_notes(elf, sections, problems)
    if not suffix and _is_arch_specific(elf, sections, problems):
        suffix = "a"
    if not suffix and notes.tool:
        suffix = notes.tool.arch_suffix or ""
    module = _Module(
        elf=elf,
        arch_number=arch_number,
        sections=sections,
        info=_read_module_info(elf, sections, problems),
        functions={},
        problems=problems,
    )
    kernels = tuple(_read_kernels(module, len(data)))
    infos = [info for info in module.functions.values() if info]
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
        nameless=_find_nameless(elf, sections, kernels),
        variables=tuple(_read_variables(elf)),
        source_paths=_read_source_paths(elf, sections, problems),
        problems=tuple(problems),
    )


def _read_arch(elf: DeviceElf) -> tuple[int, str]:
    if elf.abi_version == _ABI_7:
        return elf.flags & 0xFF, "a" if elf.flags & _ABI_7_ARCH_SPECIFIC else ""
    if elf.abi_version == _ABI_8:
        # Toolkit 13 no longer sets this bit; see `_is_arch_specific`.
        return elf.flags >> 8 & 0xFF, "a" if elf.flags & _ABI_8_ARCH_SPECIFIC else ""
    raise InputError(f"unsupported cubin ABI {elf.abi_version}; expected {_ABI_7} or {_ABI_8}")


def _virtual_arch(elf: DeviceElf, notes: NoteFacts) -> int | None:
    return elf.flags >> 16 & 0xFF if elf.abi_version == _ABI_7 else notes.virtual_arch


def _toolkit(elf: DeviceElf, notes: NoteFacts, infos: list[FunctionInfo]) -> str | None:
    number = elf.version if elf.abi_version == _ABI_7 else notes.toolkit
    number = number or next((info.toolkit for info in infos if info.toolkit), None)
    return f"{number // 10}.{number % 10}" if number else None


def _read_notes(elf: DeviceElf, sections: CubinSections, problems: list[Problem]) -> NoteFacts:
    try:
        return read_notes(elf.content(section) for section in sections.notes)
    except InputError as error:
        problems.append(Problem(where="notes", message=str(error)))
        return NoteFacts()


def _is_arch_specific(elf: DeviceElf, sections: CubinSections, problems: list[Problem]) -> bool:
    try:
        return any(
            code == ACCELERATOR_TARGET and value == 1
            for section in sections.compat
            for code, value, _ in iterate_attributes(elf.content(section))
        )
    except InputError as error:
        problems.append(Problem(where=".nv.compat", message=str(error)))
        return False


def _read_module_info(
    elf: DeviceElf, sections: CubinSections, problems: list[Problem]
) -> ModuleInfo:
    try:
        if sections.module_info:
            return read_module_info(elf.content(sections.module_info[0]))
    except InputError as error:
        problems.append(Problem(where=".nv.info", message=str(error)))
    return ModuleInfo(registers={}, frame_bytes={}, stack_bytes={})


def _read_source_paths(
    elf: DeviceElf, sections: CubinSections, problems: list[Problem]
) -> tuple[str, ...]:
    try:
        contents = [elf.content(section) for section in sections.debug]
    except InputError as error:
        problems.append(Problem(where="debug information", message=str(error)))
        return ()
    return tuple(dict.fromkeys(path for c in contents for path in find_source_paths(c)))


def _read_kernels(module: _Module, size: int) -> Iterator[CubinKernel]:
    params_left = size // _PARAM_BYTES
    for index, symbol in enumerate(module.elf.symbols):
        if symbol.other & _STO_ENTRY and symbol.info & 0xF == STT_FUNC:
            code = module.elf.section_of(symbol)
            if code is not None:
                kernel = _read_kernel(module, index, symbol, code)
                params_left -= len(kernel.params or ())
                if params_left < 0:
                    raise InputError(
                        "the kernels of the cubin declare too many parameters for its size"
                    )
                yield kernel


def _read_kernel(
    module: _Module, index: int, symbol: SymbolEntry, code: SectionHeader
) -> CubinKernel:
    name = module.elf.symbol_name(symbol)
    info = _read_info(module, name, symbol.section)
    facts, sections = info or FunctionInfo(), module.sections
    registers = module.info.registers.get(index)
    if registers is None and module.arch_number < _HOPPER:
        registers = code.info >> 24
    barriers = facts.barriers
    if barriers is None:
        # ABI 7 stores the number in the section header. In ABI 8, a missing attribute means 0.
        barriers = code.flags >> 20 & 0x7F if module.elf.abi_version == _ABI_7 else 0
    return CubinKernel(
        name=name,
        linkage=symbol.linkage,
        code_bytes=symbol.size,
        params=info.params if info else None,
        layout=facts.layout,
        params_offset=facts.params_offset,
        params_size=info.params_size if info else None,
        registers=registers,
        shared_bytes=_shared_bytes(module, symbol.section),
        stack_bytes=module.info.stack_bytes.get(index),
        frame_bytes=module.info.frame_bytes.get(index),
        local_bytes=sections.local_bytes.get(symbol.section, 0),
        constant_bytes=sections.constant_bytes.get(symbol.section, 0),
        barriers=barriers if info else None,
        max_threads=facts.max_threads,
        required_block=facts.required_block,
        cluster=facts.cluster,
        max_cluster_rank=facts.max_cluster_rank,
    )


def _read_info(module: _Module, name: str, code: int) -> FunctionInfo | None:
    if code in module.functions:
        return module.functions[code]
    info, problem = None, "the kernel has no .nv.info section"
    if code in module.sections.function_info:
        try:
            info = read_function_info(module.elf.content(module.sections.function_info[code]))
        except InputError as error:
            problem = str(error)
    if info is None:
        module.problems.append(Problem(where=f"kernel {name}", message=problem))
    module.functions[code] = info
    return info


def _find_nameless(
    elf: DeviceElf, sections: CubinSections, kernels: tuple[CubinKernel, ...]
) -> tuple[str, ...]:
    """Return the names of kernels without a symbol; every kernel has a constant bank."""
    # Names are read only if some are missing, because libraries have tens of thousands.
    if len(kernels) >= len(sections.constant_bytes):
        return ()
    named = {kernel.name for kernel in kernels}
    return tuple(name for name in constant_bank_owners(elf) if name not in named)


def _shared_bytes(module: _Module, code: int) -> int:
    size = module.sections.shared_bytes.get(code, 0)
    is_reserved = module.arch_number >= _HOPPER and module.elf.type != ET_REL
    return max(size - _RESERVED_SHARED, 0) if is_reserved else size


def _read_variables(elf: DeviceElf) -> Iterator[CubinVariable]:
    for symbol in elf.symbols:
        if symbol.info & 0xF not in (STT_OBJECT, STT_CUDA_OBJECT):
            continue
        section = elf.section_of(symbol)
        # Data of a single function, such as its parameters in a relocatable cubin, is skipped.
        if section is None or section.info:
            continue
        kind = next((kind for prefix, kind in _VARIABLES if elf.has_name(section, prefix)), None)
        if kind is not None:
            yield CubinVariable(
                name=elf.symbol_name(symbol),
                kind="managed" if symbol.other & _STO_MANAGED else kind,
                size=symbol.size,
                linkage=symbol.linkage,
            )
