"""The values that `kbuild.formats.nvidia.cubin.reader` returns."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from kbuild.formats.nvidia.cubin.notes import ToolInfo
from kbuild.formats.nvidia.cubin.nv_info import CubinParam, Dim3, Layout
from kbuild.model import Linkage, Problem
from kbuild.values import dataclass

VariableKind: TypeAlias = Literal["constant", "global", "managed"]


# A named tuple, because a library has tens of thousands of kernels, and a frozen dataclass takes
# three times as long to create.
class CubinKernel(NamedTuple):
    """A kernel of a cubin. A field is None if the cubin does not contain the information.

    ``params`` is None if the description of the kernel is damaged; ``layout`` contains the
    (offset, size) of each parameter. ``stack_bytes`` is None for recursive kernels.
    ``frame_bytes`` is the frame of the kernel itself, with spilled registers and local arrays.
    ``max_threads`` is the launch bound, ``required_block`` the only permitted block size.
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
    """A ``__constant__``, ``__device__``, or ``__managed__`` variable that the cubin defines.

    The variables that the compiler generates are included.
    """

    name: str
    kind: VariableKind
    size: int
    linkage: Linkage


@dataclass(frozen=True, slots=True, kw_only=True)
class CubinFacts:
    """The content of a cubin, in the order of its symbols.

    ``toolkit`` is a version, for example ``13.0``. ``virtual_arch`` is the number of the virtual
    architecture. ``nameless`` lists the kernels that have sections but no symbol.
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
    source_paths: tuple[str, ...]
    problems: tuple[Problem, ...]

    @property
    def arch(self) -> str:
        """The architecture as the vendor writes it: ``sm_90a``."""
        return f"sm_{self.arch_number}{self.suffix}"
