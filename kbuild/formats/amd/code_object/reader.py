"""A reader of AMDGPU code objects: their kernels with resources, and their variables.

A kernel has a descriptor (``<name>.kd``), which configures the hardware, and an entry in the
metadata. Some information is in both, and contradictions are reported as problems. The reader
supports HSA code objects of versions 3 to 6. Version 2 has different metadata, so only the
names of its kernels are read.

Source: "Code Object", "Kernel Descriptor", and "Code Object Metadata" in LLVM's "User Guide
for AMDGPU Backend".
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, Final

from kbuild.errors import InputError
from kbuild.formats.amd.code_object.facts import CodeObject, CodeObjectKernel, CodeObjectVariable
from kbuild.formats.amd.code_object.metadata import KernelMetadata, Metadata, read_metadata
from kbuild.formats.amd.target_id import read_processor, read_target_id
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.constants import (
    EM_AMDGPU,
    ET_REL,
    SHF_WRITE,
    SHT_NOBITS,
    SHT_NOTE,
    STT_FUNC,
    STT_OBJECT,
)
from kbuild.formats.elf.device import DeviceElf
from kbuild.formats.elf.headers import SectionHeader, is_elf_for
from kbuild.formats.elf.symbol_entries import SymbolEntry
from kbuild.model import Problem
from kbuild.values import dataclass

_OS_ABI_HSA: Final = 64
# ABI version 0 is code object version 2.
_FIRST_VERSION: Final = 2
_LAST_VERSION: Final = 6

_STT_AMDGPU_HSA_KERNEL: Final = 10
_DESCRIPTOR_SUFFIX: Final = ".kd"
_MANAGED_SUFFIX: Final = ".managed"

# sizes of LDS, scratch, and arguments; offset of the code; three words of register settings;
# properties
_DESCRIPTOR: Final = struct.Struct("<III4xq20xIIIH6x")
_WAVE32: Final = 1 << 10
_DYNAMIC_STACK: Final = 1 << 11
_FIRST_WITH_STACK_BIT: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class _Descriptor:
    """The fields of a kernel descriptor."""

    lds_bytes: int
    scratch_bytes: int
    kernarg_bytes: int
    wavefront_size: int
    uses_dynamic_stack: bool | None


def is_code_object(content: Buffer) -> bool:
    """Return whether ``content`` starts like an AMDGPU code object."""
    return is_elf_for(content, EM_AMDGPU)


def read_code_object(data: Buffer) -> CodeObject:
    """Read a code object.

    Damage to the metadata or to a descriptor is listed in ``problems``, and the rest is read.

    Raises:
        InputError: The header, the section table, or the symbol table is damaged.
    """
    elf = DeviceElf(data, EM_AMDGPU, "code object")
    if elf.os_abi != _OS_ABI_HSA:
        raise InputError(
            f"unsupported OS ABI {elf.os_abi} of the code object; expected HSA ({_OS_ABI_HSA})"
        )
    version = elf.abi_version + _FIRST_VERSION
    problems: list[Problem] = []
    if not _FIRST_VERSION < version <= _LAST_VERSION:
        message = f"unsupported code object version {version}; expected 3 to {_LAST_VERSION}"
        problems.append(Problem(where="code object", message=message))
    metadata = Metadata()
    if version > _FIRST_VERSION:
        metadata = _read_metadata(elf, problems)
    return CodeObject(
        arch=_read_arch(elf, version, metadata, problems),
        version=version,
        is_relocatable=elf.type == ET_REL,
        flags=elf.flags,
        kernels=tuple(_Kernels(elf, version, metadata, problems).read()),
        variables=tuple(_read_variables(elf)),
        problems=tuple(problems),
    )


def _read_metadata(elf: DeviceElf, problems: list[Problem]) -> Metadata:
    try:
        notes = (elf.content(section) for section in elf.sections if section.type == SHT_NOTE)
        metadata = read_metadata(notes)
    except InputError as error:
        problems.append(Problem(where="metadata", message=str(error)))
        return Metadata()
    problems += (Problem(where="metadata", message=text) for text in metadata.trouble)
    return metadata


def _read_arch(elf: DeviceElf, version: int, metadata: Metadata, problems: list[Problem]) -> str:
    processor = read_processor(elf.flags)
    if metadata.arch is None:
        if processor is None:
            message = f"unknown processor (ELF flags {elf.flags:#x})"
            problems.append(Problem(where="code object", message=message))
        return read_target_id(elf.flags, version) or ""
    # The features can differ, because the id omits features that are always on.
    if processor and metadata.arch.partition(":")[0] != processor:
        message = f"the metadata is for {metadata.arch}, but the ELF header is for {processor}"
        problems.append(Problem(where="code object", message=message))
    return metadata.arch


class _Kernels:
    """Reads the kernels of a code object from descriptors, metadata, and symbols."""

    def __init__(
        self, elf: DeviceElf, version: int, metadata: Metadata, problems: list[Problem]
    ) -> None:
        self._elf = elf
        self._version = version
        self._metadata = metadata
        self._problems = problems
        self._contents: dict[SectionHeader, memoryview] = {}

    def read(self) -> Iterator[CodeObjectKernel]:
        if self._version == _FIRST_VERSION:
            yield from self._read_old()
            return
        missing = dict.fromkeys(self._metadata.kernels)
        code = {
            self._elf.symbol_name(symbol): symbol.size
            for symbol in self._elf.symbols
            if symbol.info & 0xF == STT_FUNC
        }
        for name, symbol, section in _iterate_objects(self._elf):
            if name.endswith(_DESCRIPTOR_SUFFIX):
                missing.pop(name, None)
                yield self._read_kernel(name, symbol, section, code)
        for name in missing:
            self._report(name, "the kernel is in the metadata, but has no descriptor")

    def _read_old(self) -> Iterator[CodeObjectKernel]:
        for symbol in self._elf.symbols:
            if symbol.info & 0xF == _STT_AMDGPU_HSA_KERNEL and self._elf.section_of(symbol):
                name = self._elf.symbol_name(symbol)
                yield _make_kernel(name, symbol, symbol.size, KernelMetadata(), None)

    def _read_kernel(
        self, symbol_name: str, symbol: SymbolEntry, section: SectionHeader, code: dict[str, int]
    ) -> CodeObjectKernel:
        name = symbol_name.removesuffix(_DESCRIPTOR_SUFFIX)
        metadata = self._metadata.kernels.get(symbol_name)
        if metadata is None and self._metadata.kernels:
            self._report(symbol_name, "the kernel is not in the metadata")
        descriptor = None
        try:
            descriptor = self._read_descriptor(symbol, section)
        except InputError as error:
            self._report(symbol_name, str(error))
        if metadata and descriptor:
            for text in _contradictions(metadata, descriptor):
                self._report(symbol_name, text)
        return _make_kernel(name, symbol, code.get(name), metadata or KernelMetadata(), descriptor)

    def _read_descriptor(self, symbol: SymbolEntry, section: SectionHeader) -> _Descriptor:
        if section not in self._contents:
            self._contents[section] = self._elf.content(section)
        content = self._contents[section]
        # Sections of relocatable files have the address 0.
        offset = symbol.value - section.address
        if not 0 <= offset <= len(content) - _DESCRIPTOR.size:
            raise InputError("the descriptor is outside its section")
        lds, scratch, kernarg, _, _, _, _, properties = _DESCRIPTOR.unpack_from(content, offset)
        has_stack_bit = self._version >= _FIRST_WITH_STACK_BIT
        return _Descriptor(
            lds_bytes=lds,
            scratch_bytes=scratch,
            kernarg_bytes=kernarg,
            wavefront_size=32 if properties & _WAVE32 else 64,
            uses_dynamic_stack=bool(properties & _DYNAMIC_STACK) if has_stack_bit else None,
        )

    def _report(self, symbol_name: str, message: str) -> None:
        name = symbol_name.removesuffix(_DESCRIPTOR_SUFFIX)
        self._problems.append(Problem(where=f"kernel {name}", message=message))


def _contradictions(metadata: KernelMetadata, descriptor: _Descriptor) -> Iterator[str]:
    for field in fields(_Descriptor):
        said, held = getattr(metadata, field.name), getattr(descriptor, field.name)
        # Old compilers do not write the size of the arguments to the descriptor.
        is_unset = field.name == "kernarg_bytes" and not held
        if said is not None and held is not None and said != held and not is_unset:
            yield f"{field.name} is {said} in the metadata, but {held} in the descriptor"


def _make_kernel(
    name: str,
    symbol: SymbolEntry,
    code_bytes: int | None,
    metadata: KernelMetadata,
    descriptor: _Descriptor | None,
) -> CodeObjectKernel:
    """Combine a kernel's metadata with its descriptor. The metadata takes precedence."""
    facts: dict[str, Any] = {f.name: getattr(metadata, f.name) for f in fields(KernelMetadata)}
    if descriptor:
        for field in fields(_Descriptor):
            if facts[field.name] is None:
                facts[field.name] = getattr(descriptor, field.name)
    return CodeObjectKernel(
        name=name,
        linkage=symbol.linkage,
        code_bytes=code_bytes,
        **facts,
    )


def _iterate_objects(elf: DeviceElf) -> Iterator[tuple[str, SymbolEntry, SectionHeader]]:
    """Yield the name, symbol, and section of every object that the code object defines."""
    for symbol in elf.symbols:
        section = elf.section_of(symbol)
        if symbol.info & 0xF == STT_OBJECT and section is not None:
            yield elf.symbol_name(symbol), symbol, section


def _read_variables(elf: DeviceElf) -> Iterator[CodeObjectVariable]:
    """Yield the variables.

    A managed variable consists of two objects: a pointer with the name of the variable, and its
    initial value with the suffix ``.managed``.
    """
    objects = {name: (symbol, section) for name, symbol, section in _iterate_objects(elf)}
    for name, (symbol, section) in objects.items():
        is_initial = name.removesuffix(_MANAGED_SUFFIX) in objects
        if name.endswith(_DESCRIPTOR_SUFFIX) or (name.endswith(_MANAGED_SUFFIX) and is_initial):
            continue
        initial = objects.get(name + _MANAGED_SUFFIX)
        yield CodeObjectVariable(
            name=name,
            kind="managed" if initial else None,
            size=initial[0].size if initial else symbol.size,
            linkage=symbol.linkage,
            is_read_only=not section.flags & SHF_WRITE,
            initial_offset=_find_content(*initial) if initial else None,
        )


def _find_content(symbol: SymbolEntry, section: SectionHeader) -> int | None:
    """Return the file offset of an object's content; None if the file does not contain it."""
    if section.type == SHT_NOBITS:
        return None
    return section.offset + symbol.value - section.address
