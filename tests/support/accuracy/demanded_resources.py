"""Kernels that need more than a policy, a baseline, or a device allows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeAlias

from kbuild.inspect import inspect_path
from kbuild.verify import Policy
from kbuild.verify.policy.baseline import make_baseline
from support.accuracy.build_env import BuildEnv
from support.accuracy.model import Build, Case, Mutation, under
from support.accuracy.resource_files import (
    claim_spills,
    compile_code_object,
    compile_cubin,
    compile_cuda,
    compile_hip,
    edited,
    enlarge_block,
    enlarge_lds,
    enlarge_shared,
)
from support.accuracy.tools import Tool
from support.accuracy.units.stub_units import load_sound_library

Make: TypeAlias = Callable[[BuildEnv], Path]

_SM_90: Final = "-gencode=arch=compute_90,code=sm_90"
_PTX_90: Final = "-gencode=arch=compute_90,code=compute_90"
_PACKED: Final = ("-Xfatbin", "-compress-all")
_NVCC: Final[tuple[Tool, ...]] = ("nvcc",)
_CLANG: Final[tuple[Tool, ...]] = ("clang-19",)


def _spills_since_baseline(*, fewer: int) -> Build:
    """Return kernels that spill, and a baseline with ``fewer`` bytes of spills."""

    def build(build_env: BuildEnv) -> Case:
        path = compile_hip(build_env, vgprs=16)
        baseline = make_baseline(inspect_path(path))
        (figures,) = baseline.files
        kernels = tuple(
            replace(k, spill_bytes=k.spill_bytes - fewer) if k.spill_bytes else k
            for k in figures.kernels
        )
        baseline = replace(baseline, files=(replace(figures, kernels=kernels),))
        return Case(paths=(path,), policy=Policy(baseline=baseline))

    return build


def _exports(policy: Policy | None, visibility: str = "default") -> Build:
    return lambda w: Case(paths=(load_sound_library(w, visibility),), policy=policy)


_RESOURCES: Final = (
    Mutation(
        rule="KB201",
        way="clang HIP: amdgpu_num_vgpr",
        needs=_CLANG,
        **under(
            Policy(max_spill_bytes=0, max_local_bytes=10_000),
            lambda w: compile_hip(w, vgprs=16),
            compile_hip,
        ),
    ),
    Mutation(
        rule="KB201",
        way="spills written into the metadata",
        needs=_CLANG,
        **under(
            Policy(max_spill_bytes=0),
            edited("spills", compile_code_object, claim_spills),
            compile_code_object,
        ),
    ),
    Mutation(
        rule="KB201",
        way="clang HIP: more spills than in the baseline",
        needs=_CLANG,
        broken=_spills_since_baseline(fewer=4),
        sound=_spills_since_baseline(fewer=0),
    ),
    Mutation(
        rule="KB202",
        way="nvcc without -maxrregcount",
        needs=_NVCC,
        **under(
            Policy(max_registers=96, max_local_bytes=10_000),
            lambda w: compile_cuda(w, _SM_90, _PTX_90),
            lambda w: compile_cuda(w, _SM_90, _PTX_90, "-maxrregcount=96", bound=1024),
        ),
    ),
    Mutation(
        rule="KB202",
        way="larger launch bounds written into a cubin",
        needs=_NVCC,
        **under(
            None,
            edited("block", compile_cubin, enlarge_block),
            compile_cubin,
        ),
    ),
    Mutation(
        rule="KB202",
        way="clang HIP without amdgpu_num_vgpr",
        needs=_CLANG,
        **under(
            Policy(max_registers=32, max_spill_bytes=10_000, max_local_bytes=10_000),
            compile_hip,
            lambda w: compile_hip(w, vgprs=16),
        ),
    ),
    Mutation(
        rule="KB203",
        way="more shared memory written into a cubin",
        needs=_NVCC,
        **under(
            None,
            edited("shared", compile_cubin, enlarge_shared),
            compile_cubin,
        ),
    ),
    Mutation(
        rule="KB203",
        way="more shared memory written into a code object",
        needs=_CLANG,
        **under(
            None,
            edited("lds", compile_code_object, enlarge_lds),
            compile_code_object,
        ),
    ),
    Mutation(
        rule="KB203",
        way="clang HIP: larger array",
        needs=_CLANG,
        **under(
            Policy(max_shared_bytes=65532),
            compile_hip,
            lambda w: compile_hip(w, "-DFLOATS=16383"),
        ),
    ),
    Mutation(
        rule="KB204",
        way="nvcc: array with computed indices",
        needs=_NVCC,
        **under(
            Policy(max_local_bytes=0),
            lambda w: compile_cuda(w, _SM_90, _PTX_90, "-DSTACK"),
            lambda w: compile_cuda(w, _SM_90, _PTX_90),
        ),
    ),
    Mutation(
        rule="KB204",
        way="nvcc: launch bounds of 1024 threads",
        needs=_NVCC,
        **under(
            Policy(max_local_bytes=0),
            lambda w: compile_cuda(w, _SM_90, _PTX_90, bound=1024),
            lambda w: compile_cuda(w, _SM_90, _PTX_90),
        ),
    ),
    Mutation(
        rule="KB204",
        way="clang HIP: amdgpu_num_vgpr",
        needs=_CLANG,
        **under(
            Policy(max_local_bytes=0, max_spill_bytes=10_000),
            lambda w: compile_hip(w, vgprs=16),
            compile_hip,
        ),
    ),
    Mutation(
        rule="KB205",
        way="nvcc without compression",
        needs=_NVCC,
        **under(
            Policy(max_artifact_bytes=30_000),
            lambda w: compile_cuda(w, _SM_90, _PTX_90, "--compress-mode=none"),
            lambda w: compile_cuda(w, _SM_90, _PTX_90, *_PACKED),
        ),
    ),
    Mutation(
        rule="KB205",
        way="clang HIP: another architecture",
        needs=_CLANG,
        **under(
            Policy(max_artifact_bytes=12_000),
            lambda w: compile_hip(w, "--offload-arch=gfx1030"),
            compile_hip,
        ),
    ),
    Mutation(
        rule="KB205",
        way="clang HIP: kernel with more instructions",
        needs=_CLANG,
        **under(
            Policy(max_kernel_bytes=3_600, max_spill_bytes=10_000, max_local_bytes=10_000),
            lambda w: compile_hip(w, vgprs=16),
            compile_hip,
        ),
    ),
)
_EXPORTS: Final = (
    Mutation(
        rule="KB406",
        way="library exports a kernel that the policy does not list",
        broken=_exports(Policy(exported=())),
        sound=_exports(Policy(exported=()), "hidden"),
    ),
)
MUTATIONS: Final = (*_RESOURCES, *_EXPORTS)
