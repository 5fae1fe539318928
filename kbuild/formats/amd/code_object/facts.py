"""What :mod:`kbuild.formats.amd.code_object.image` finds in a code object, as frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from kbuild.model import Linkage, Problem

Dim3: TypeAlias = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeObjectParam:
    """One parameter; ``value_kind`` is ``by_value``, ``global_buffer`` or the like."""

    index: int
    offset: int
    size: int
    value_kind: str
    name: str | None
    type_name: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeObjectKernel:
    """A kernel of a code object; None is what the code object does not say.

    ``params`` are those of the source, ``hidden_params`` how many the compiler added behind
    them; ``kernarg_bytes`` is the room for both.  ``vgprs`` includes the ``agprs`` where
    they share a file.  ``max_threads`` is the largest block, all dimensions together,
    ``required_block`` the only one that it can be launched with.
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
    """A device variable, the compiler's own included.

    Nothing in a code object tells ``__device__`` from ``__constant__``, so that ``kind`` is
    None for both.  Of a managed variable ``size`` is its own, not that of the pointer, and
    ``initial_offset`` where in the file its first content lies; None where that is zero.
    """

    name: str
    kind: Literal["managed"] | None
    size: int
    linkage: Linkage
    is_read_only: bool
    initial_offset: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeObject:
    """What a code object holds, in the order of its symbols.

    ``arch`` is a target id as the vendor writes it (``gfx90a:sramecc+:xnack-``), empty where
    neither metadata nor header name it.  ``version`` is that of the code object, 2 to 6.
    """

    arch: str
    version: int
    is_relocatable: bool
    flags: int
    kernels: tuple[CodeObjectKernel, ...]
    variables: tuple[CodeObjectVariable, ...]
    problems: tuple[Problem, ...]
