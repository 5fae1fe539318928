"""CUDA device images: the kernels and variables in cubins and PTX."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kbuild.backends.cuda import architectures
from kbuild.backends.interface.build import CompileUnit, Completion, ImageOutput
from kbuild.backends.interface.read import ImageContent
from kbuild.demangle.names import demangle, is_nameable, split_function
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.constants import ELF_MAGIC
from kbuild.formats.nvidia.cubin.facts import CubinKernel, CubinVariable
from kbuild.formats.nvidia.cubin.nv_info import Layout
from kbuild.formats.nvidia.cubin.reader import read_cubin
from kbuild.formats.nvidia.ptxas_log import read_log
from kbuild.model import Kernel, Param, Resources, Variable, VariableKind
from kbuild.values import dataclass

if TYPE_CHECKING:
    from kbuild.formats.nvidia.ptx.facts import PtxKernel, PtxVariable

_STATIC: Final = re.compile(r"__nv_static_(\d{1,4})_")
# The layouts of one kernel for several architectures.
_MOST_LAYOUTS: Final = 8
_VARIABLE_KINDS: Final[dict[str, VariableKind]] = {
    "global": "device",
    "constant": "constant",
    "managed": "managed",
}


def complete(unit: CompileUnit, log: str, keep: Path) -> Completion:
    """Return a cubin, the PTX from which it was assembled, or both."""
    target = architectures.parse(unit.arch)
    cubin = unit.output.with_name(unit.output.name + ".cubin")
    ptx = unit.output.with_name(unit.output.name + ".ptx")
    needs_ptx = target.is_virtual or unit.keep_assembly
    images = []
    if target.is_real:
        spills = read_spills(log)
        images.append(ImageOutput(path=cubin, arch=target.real, kind="elf", spills=spills))
    if target.is_virtual:
        images.append(ImageOutput(path=ptx, arch=target.virtual, kind="ptx"))
    # nvcc names the files that it keeps after the source.
    stem = unit.source.stem
    kept = keep / f"{stem}.ptx"
    moves = [(kept, ptx)] if needs_ptx and (target.is_real or unit.is_mixed) else []
    if architectures.has_link_time_code(unit):
        ir = unit.output.with_name(unit.output.name + ".ltoir")
        images.append(ImageOutput(path=ir, arch=target.link_time, kind="bitcode"))
        moves += [(keep / f"{stem}.{target.real}.cubin", cubin), (keep / f"{stem}.ltoir", ir)]
    return Completion(
        images=tuple(images),
        moves=tuple(moves),
        temporary=(keep,),
        preprocessed=keep / f"{unit.source.stem}.cpp1.ii",
        assembly=ptx if unit.keep_assembly else None,
    )


def read_spills(log: str) -> tuple[tuple[str, int, int], ...]:
    """Return (kernel, bytes stored, bytes loaded) for the spills that ptxas reports."""
    return tuple(
        (usage.name, usage.spill_stores, usage.spill_loads)
        for usage in read_log(log)
        if usage.is_entry and usage.spill_stores is not None and usage.spill_loads is not None
    )


def read_image(data: Buffer) -> ImageContent:
    """Read a cubin or PTX text; raise InputError if it is neither."""
    if bytes(data[: len(ELF_MAGIC)]) == ELF_MAGIC:
        cubin = read_cubin(data)
        return ImageContent(
            kernels=tuple(_read_cubin_kernel(kernel) for kernel in cubin.kernels),
            variables=_select_variables(cubin.variables),
            nameless=cubin.nameless,
            source_paths=cubin.source_paths,
            problems=cubin.problems,
        )
    from kbuild.formats.nvidia.ptx.reader import read_ptx  # noqa: PLC0415 - most edges leave a cubin alone

    ptx = read_ptx(data)
    return ImageContent(
        kernels=tuple(_read_ptx_kernel(kernel) for kernel in ptx.kernels),
        variables=_select_variables(ptx.variables),
        source_paths=ptx.source_paths,
        problems=ptx.problems,
    )


def _select_variables(
    found: tuple[CubinVariable, ...] | tuple[PtxVariable, ...],
) -> tuple[Variable, ...]:
    # In whole-program images every variable is local, so only its name shows that.
    return tuple(
        Variable(
            name=variable.name,
            display=demangle(variable.name),
            kind=_VARIABLE_KINDS[variable.kind],
            size=variable.size,
            linkage=variable.linkage,
        )
        for variable in found
        if variable.size is not None and is_nameable(variable.name)
    )


def _source_name(name: str) -> str:
    """Return the symbol of a static entity without the source's name in front of it.

    Relocatable code has such names: ``__nv_static_22__ea6f4494_4_v_cu_scale__Z1kPi``. The number
    is the length of the part between it and the symbol.
    """
    match = _STATIC.match(name)
    return name[match.end() + int(match[1]) + 1 :] if match else name


def _read_cubin_kernel(kernel: CubinKernel) -> Kernel:
    name = _read_name(kernel.name)
    return Kernel(
        name=name.symbol,
        display=name.display,
        linkage="weak" if name.is_template and kernel.linkage == "external" else kernel.linkage,
        params=_spell_params(name, kernel.layout),
        resources=Resources(
            registers=kernel.registers,
            shared_bytes=kernel.shared_bytes,
            local_bytes=kernel.stack_bytes,
            max_threads=_volume(kernel.max_threads or kernel.required_block),
            constant_bytes=kernel.constant_bytes,
            code_bytes=kernel.code_bytes,
            required_block=kernel.required_block,
        ),
    )


def _read_ptx_kernel(kernel: PtxKernel) -> Kernel:
    name = _read_name(kernel.name)
    return Kernel(
        name=name.symbol,
        display=name.display,
        linkage="weak" if name.is_template and kernel.linkage == "external" else kernel.linkage,
        params=_spell_params(name, tuple((p.offset, p.size) for p in kernel.params or ())),
        resources=Resources(
            max_threads=_volume(kernel.max_threads or kernel.required_block),
            required_block=kernel.required_block,
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Name:
    """A kernel's symbol, taken apart; ``spelled`` has its parameters by layout."""

    symbol: str
    display: str
    is_template: bool
    types: tuple[str, ...] | None
    spelled: dict[Layout, tuple[Param, ...]]


# The images of one source have the same kernels, so names and parameters are parsed once.
@lru_cache(maxsize=1 << 14)
def _read_name(symbol: str) -> _Name:
    display = demangle(_source_name(symbol))
    qualified, types = split_function(display)
    # ptxas makes the symbol of an instantiated template global, but every source can have one.
    return _Name(
        symbol=symbol,
        display=display,
        is_template=qualified.endswith(">"),
        types=types,
        spelled={},
    )


def _spell_params(name: _Name, layout: Layout) -> tuple[Param, ...]:
    """Return parameters with the types that the mangled name spells.

    An ``extern "C"`` name does not spell types.
    """
    known = name.spelled.get(layout)
    if known is not None:
        return known
    types: tuple[str | None, ...] = name.types if name.types is not None else ()
    if len(types) != len(layout):
        types = (None,) * len(layout)
    params = tuple(
        Param(index=index, offset=offset, size=size, type=types[index])
        for index, (offset, size) in enumerate(layout)
    )
    if len(name.spelled) < _MOST_LAYOUTS:
        name.spelled[layout] = params
    return params


def _volume(extent: tuple[int, int, int] | None) -> int | None:
    return extent[0] * extent[1] * extent[2] if extent else None
