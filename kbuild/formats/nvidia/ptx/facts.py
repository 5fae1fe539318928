"""The values that `kbuild.formats.nvidia.ptx.reader` returns."""

from __future__ import annotations

from typing import NamedTuple

from kbuild.formats.nvidia.cubin.facts import VariableKind
from kbuild.formats.nvidia.cubin.nv_info import Dim3
from kbuild.model import Linkage, Problem
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PtxParam:
    """A kernel parameter. As the PTX ISA defines, each parameter is aligned to its own alignment.

    ``type`` is the type of one element (``u64``, ``b8``); ``count`` is None if the parameter is
    not an array.
    """

    index: int
    offset: int
    size: int
    name: str
    type: str
    count: int | None
    alignment: int


# A named tuple because of the number of kernels; see `kbuild.formats.nvidia.cubin.facts`.
class PtxKernel(NamedTuple):
    """An ``.entry`` that the module defines. ``params`` is None if it cannot be read."""

    name: str
    linkage: Linkage
    params: tuple[PtxParam, ...] | None
    max_threads: Dim3 | None
    required_block: Dim3 | None
    min_blocks: int | None
    cluster: Dim3 | None
    max_cluster_rank: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PtxVariable:
    """A ``.const`` or ``.global`` variable that the module defines.

    The variables that the compiler generates are included. ``size`` is None if the text does
    not declare it.
    """

    name: str
    kind: VariableKind
    size: int | None
    linkage: Linkage


@dataclass(frozen=True, slots=True, kw_only=True)
class PtxFacts:
    """The content of a PTX module, in the order of the text.

    ``target`` is the architecture as the vendor writes it, for example ``sm_90a``.
    """

    version: str
    target: str
    address_size: int
    kernels: tuple[PtxKernel, ...]
    variables: tuple[PtxVariable, ...]
    source_paths: tuple[str, ...]
    problems: tuple[Problem, ...]

    @property
    def arch(self) -> str:
        """The target as a virtual architecture, for example ``compute_90a``."""
        return self.target.replace("sm_", "compute_", 1)
