"""HIP device images: the kernels and variables in AMD's code objects."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from kbuild.backends.interface.read import ImageContent
from kbuild.demangle.names import (
    demangle,
    is_internal_name,
    is_nameable,
    names_instance,
    split_function,
)
from kbuild.formats.amd.code_object.facts import CodeObjectKernel, CodeObjectVariable
from kbuild.formats.amd.code_object.reader import is_code_object, read_code_object
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.constants import EM_AMDGPU
from kbuild.formats.elf.device import DeviceElf
from kbuild.formats.source_paths import find_source_paths, is_debug_section
from kbuild.model import ImageKind, Kernel, Linkage, Param, Resources, Variable

# LLVM bitcode, plain and in its wrapper, and SPIR-V.
_BEGINNINGS: Final[tuple[tuple[bytes, ImageKind], ...]] = (
    (b"BC\xc0\xde", "bitcode"),
    (b"\xde\xc0\x17\x0b", "bitcode"),
    (b"\x03\x02\x23\x07", "spirv"),
)
_LONGEST: Final = 4
_SOURCE_HASH: Final = re.compile(r"\.(?:intern|static)\.[0-9a-f]+$")
_VECTOR: Final = re.compile(r"HIP_vector_type<([\w ]+), ([1-4])u>")
_VECTOR_ELEMENTS: Final = {
    **{name: name for name in ("char", "short", "int", "long", "float", "double")},
    **{f"unsigned {name}": f"u{name}" for name in ("char", "short", "int", "long")},
    "long long": "longlong",
    "unsigned long long": "ulonglong",
}


def classify(data: Buffer) -> ImageKind:
    """Return the kind of an image by its first bytes."""
    if is_code_object(data):
        return "elf"
    front = bytes(data[:_LONGEST])
    return next((kind for start, kind in _BEGINNINGS if front == start), "other")


def read_image(data: Buffer) -> ImageContent:
    """Read a code object; raise InputError if it is not one."""
    found = read_code_object(data)
    return ImageContent(
        kernels=tuple(map(_read_kernel, found.kernels)),
        variables=tuple(_read_variable(v) for v in found.variables if is_nameable(v.name)),
        source_paths=_read_source_paths(data),
        problems=found.problems,
        object_version=str(found.version),
    )


def list_variables(data: Buffer) -> tuple[Variable, ...]:
    """Return all variables of a code object, also those that other sources cannot name."""
    return tuple(map(_read_variable, read_code_object(data).variables))


def _read_source_paths(data: Buffer) -> tuple[str, ...]:
    elf = DeviceElf(data, EM_AMDGPU, "code object")
    debug = [section for section in elf.sections if is_debug_section(elf, section)]
    return tuple(dict.fromkeys(p for s in debug for p in find_source_paths(elf.content(s))))


def _source_name(symbol: str) -> str:
    """Return the symbol of a static entity without the hash that a device link appends."""
    return _SOURCE_HASH.sub("", symbol)


def _read_kernel(kernel: CodeObjectKernel) -> Kernel:
    layout = tuple(
        (p.offset, p.size, p.name, p.type_name, p.value_kind) for p in kernel.params or ()
    )
    name = _source_name(kernel.name)
    return Kernel(
        name=kernel.name,
        display=demangle(name),
        linkage=_find_linkage(kernel, name),
        params=_spell_params(kernel.name, layout),
        resources=Resources(
            registers=kernel.vgprs,
            shared_bytes=kernel.lds_bytes,
            local_bytes=kernel.scratch_bytes,
            spill_bytes=0 if kernel.vgpr_spills == kernel.sgpr_spills == 0 else None,
            max_threads=kernel.max_threads,
            code_bytes=kernel.code_bytes,
            scalar_registers=kernel.sgprs,
            accumulation_registers=kernel.agprs,
            spilled_registers=kernel.vgpr_spills,
            spilled_scalar_registers=kernel.sgpr_spills,
            wavefront_size=kernel.wavefront_size,
            required_block=kernel.required_block,
        ),
    )


def _find_linkage(kernel: CodeObjectKernel, name: str) -> Linkage:
    """Return the linkage that the kernel has in the source.

    The runtime finds kernels by global symbols, so clang makes all of them global. Static kernels
    and template instances are recognized by their names; inline kernels are not.
    """
    if name != kernel.name or is_internal_name(name):
        return "internal"
    return "weak" if names_instance(name) else kernel.linkage


# The images of one source have the same kernels.
@lru_cache(maxsize=1 << 14)
def _spell_params(
    name: str, layout: tuple[tuple[int, int, str | None, str | None, str], ...]
) -> tuple[Param, ...]:
    """Return parameters with the types that the mangled name or the metadata spells."""
    _, types = split_function(demangle(_source_name(name)))
    spelled: tuple[str | None, ...] = tuple(map(_spell_vector, types or ()))
    if types is None:
        spelled = tuple(type_name for *_, type_name, _ in layout)
    elif len(spelled) != len(layout):
        spelled = (None,) * len(layout)
    return tuple(
        Param(index=index, offset=offset, size=size, type=spelled[index], name=own, kind=kind)
        for index, (offset, size, own, _, kind) in enumerate(layout)
    )


def _spell_vector(spelled: str) -> str:
    """Return the name that sources use for a vector type, such as ``float4``."""
    return _VECTOR.sub(
        lambda match: (
            _VECTOR_ELEMENTS.get(match[1], match[0])
            + (match[2] if match[1] in _VECTOR_ELEMENTS else "")
        ),
        spelled,
    )


def _read_variable(variable: CodeObjectVariable) -> Variable:
    # The image does not distinguish constant variables; only their registration does.
    return Variable(
        name=variable.name,
        display=demangle(_source_name(variable.name)),
        kind=variable.kind or ("constant" if variable.is_read_only else "device"),
        size=variable.size,
        initial_offset=variable.initial_offset,
        linkage=variable.linkage,
    )
