"""What :mod:`kbuild.formats.nvidia.cubin.image` finds in a cubin, as frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from kbuild.formats.nvidia.cubin.info import CubinParam, Dim3, Layout
from kbuild.formats.nvidia.cubin.notes import ToolInfo
from kbuild.model import Linkage, Problem

VariableKind: TypeAlias = Literal["constant", "global", "managed"]


# A tuple, as what `kbuild.formats.nvidia.cubin.info` makes: a library has tens of thousands, and a
# frozen dataclass takes three times as long to make.
class CubinKernel(NamedTuple):
    """A kernel of a cubin; None is what the cubin does not say.

    ``params`` is None where the description of the kernel is damaged, ``layout`` offset and
    size of each.  ``stack_bytes`` is
    unknown for recursive kernels, ``frame_bytes`` the kernel's own frame: spilled registers
    and local arrays alike.  ``max_threads`` is the launch bound, ``required_block`` the only
    block size that it can be launched with.
    """

    name: str
    linkage: Linkage
    code_bytes: int
    params: tuple[CubinParam, ...] | None
    layout: Layout
    params_offset: int | None
    params_size: int | None
    registers: int | None
    shared_bytes: int
    stack_bytes: int | None
    frame_bytes: int | None
    local_bytes: int
    constant_bytes: int
    barriers: int | None
    max_threads: Dim3 | None
    required_block: Dim3 | None
    cluster: Dim3 | None
    max_cluster_rank: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CubinVariable:
    """A ``__constant__``, ``__device__`` or ``__managed__`` variable, the compiler's included.

    Those that another cubin defines are not among them.
    """

    name: str
    kind: VariableKind
    size: int
    linkage: Linkage


@dataclass(frozen=True, slots=True, kw_only=True)
class CubinFacts:
    """What a cubin holds, in the order of its symbols.

    ``toolkit`` is a version like ``13.0``, ``virtual_arch`` the number of the virtual
    architecture.  ``unknown_attributes`` are those that later toolkits may have added,
    ``nameless`` the kernels that have sections of their own and no symbol.
    """

    arch_number: int
    suffix: str
    abi: int
    is_relocatable: bool
    flags: int
    virtual_arch: int | None
    toolkit: str | None
    tool: ToolInfo | None
    kernels: tuple[CubinKernel, ...]
    nameless: tuple[str, ...]
    variables: tuple[CubinVariable, ...]
    unknown_attributes: tuple[int, ...]
    source_paths: tuple[str, ...]
    problems: tuple[Problem, ...]

    @property
    def arch(self) -> str:
        """The architecture as the vendor writes it: ``sm_90a``."""
        return f"sm_{self.arch_number}{self.suffix}"
