"""The values that `kbuild.formats.amd.code_object.reader` returns."""

from __future__ import annotations

from typing import Literal, TypeAlias

from kbuild.model import Linkage, Problem
from kbuild.values import dataclass

Dim3: TypeAlias = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeObjectParam:
    """One parameter. ``value_kind`` is for example ``by_value`` or ``global_buffer``."""

    index: int
    offset: int
    size: int
    value_kind: str
    name: str | None
    type_name: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeObjectKernel:
    """A kernel of a code object. A field is None if the information is missing.

    ``params`` are the parameters of the source. ``hidden_params`` is the number of parameters
    that the compiler appended, and ``kernarg_bytes`` the size of all of them. ``vgprs`` includes
    ``agprs`` if they share a register file. ``max_threads`` is the largest number of threads in
    a block, ``required_block`` the only permitted block size.
    """

    name: str
    linkage: Linkage
    code_bytes: int | None
    params: tuple[CodeObjectParam, ...] | None
    hidden_params: int | None
    kernarg_bytes: int | None
    kernarg_alignment: int | None
    vgprs: int | None
    agprs: int | None
    sgprs: int | None
    vgpr_spills: int | None
    sgpr_spills: int | None
    lds_bytes: int | None
    scratch_bytes: int | None
    max_threads: int | None
    required_block: Dim3 | None
    wavefront_size: int | None
    uses_dynamic_stack: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeObjectVariable:
    """A device variable. The variables that the compiler generates are included.

    A code object does not distinguish ``__device__`` from ``__constant__``, so ``kind`` is None
    for both. For a managed variable, ``size`` is the size of the variable, not of the pointer to
    it, and ``initial_offset`` is the file offset of its initial value, or None if that is zero.
    """

    name: str
    kind: Literal["managed"] | None
    size: int
    linkage: Linkage
    is_read_only: bool
    initial_offset: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeObject:
    """The content of a code object, in the order of its symbols.

    ``arch`` is a target id as the vendor writes it (``gfx90a:sramecc+:xnack-``); it is empty if
    neither the metadata nor the header names it. ``version`` is the code object version, 2 to 6.
    """

    arch: str
    version: int
    is_relocatable: bool
    flags: int
    kernels: tuple[CodeObjectKernel, ...]
    variables: tuple[CodeObjectVariable, ...]
    problems: tuple[Problem, ...]
