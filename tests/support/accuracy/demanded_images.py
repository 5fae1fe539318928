"""Images that violate the architectures, versions, or compressions of a policy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeAlias

from kbuild.verify import Policy
from kbuild.verify.policy.model import Part, PtxPolicy
from support.accuracy.build_env import BuildEnv
from support.accuracy.model import Mutation, under
from support.accuracy.resource_files import (
    compile_cubin,
    compile_cuda,
    compile_hip,
    write_ptx,
)
from support.accuracy.tools import Tool, find_toolkit
from support.accuracy.vendors import clang_files, nvcc_files
from support.commands import run, succeed

Make: TypeAlias = Callable[[BuildEnv], Path]

_SM_80: Final = "-gencode=arch=compute_80,code=sm_80"
_SM_90: Final = "-gencode=arch=compute_90,code=sm_90"
_PTX_90: Final = "-gencode=arch=compute_90,code=compute_90"
_PACKED: Final = ("-Xfatbin", "-compress-all")
_ANY_PTX: Final[PtxPolicy] = "optional"
_NVCC: Final[tuple[Tool, ...]] = ("nvcc",)
_CLANG: Final[tuple[Tool, ...]] = ("clang-19",)


def _clang_ptx(feature: str) -> Make:
    """Return PTX of the version that the option of clang selects."""
    words = ("--cuda-device-only", "-S", clang_files.SM_80, f"--cuda-feature={feature}")
    return lambda w: clang_files.compile_cuda(w, f"{feature}/kernels.ptx", *words)


def _packed_anew(mode: str) -> Make:
    """Return a fat binary with one cubin, packed by the toolkit."""

    def make(build_env: BuildEnv) -> Path:
        image = f"--image3=kind=elf,sm=90,file={compile_cubin(build_env)}"
        packer = find_toolkit() / "bin" / "fatbinary"
        words = ("-64", "--compress-all", f"--compress-mode={mode}", image)
        return build_env.file(
            f"packed/{mode}/k.fatbin",
            lambda path: succeed(run(packer, *words, f"--create={path}")),
        )

    return make


def _with_slipped_in(build_env: BuildEnv) -> Path:
    """Return a library with one source compiled for the compiler's default architecture."""
    default = nvcc_files.load_object(build_env, "slipped-in", "-arch=sm_75", "-Dcall=other")
    words = (nvcc_files.load_object(build_env, "asked-for", _SM_90), default)
    return nvcc_files.link_library(build_env, "libslipped", *words, "-Wl,-z,muldefs")


def _with_two_asked_for(build_env: BuildEnv) -> Path:
    return nvcc_files.link_library(
        build_env, "libasked", nvcc_files.load_object(build_env, "asked-for", _SM_90)
    )


def _host_library(build_env: BuildEnv) -> Path:
    """Return a library without device code, as a build without nvcc makes it."""
    source = build_env.text("demanded/host.c", "int answer(void) { return 42; }\n")
    return build_env.call("demanded/libhost.so", "gcc", "-shared", "-fPIC", source, "-o")


_ARCHITECTURES: Final = (
    Mutation(
        rule="KB102",
        way="build without nvcc",
        needs=_NVCC,
        **under(Policy(require_device_code=True), _host_library, lambda w: compile_cuda(w, _SM_90)),
    ),
    Mutation(
        rule="KB102",
        way="required kernel renamed",
        needs=_NVCC,
        **under(
            Policy(required_kernels=("tile", "cro*")),
            lambda w: compile_cuda(w, _SM_80, "-Dtile=tilt"),
            lambda w: compile_cuda(w, _SM_80),
        ),
    ),
    Mutation(
        rule="KB101",
        way="nvcc: missing architecture",
        needs=_NVCC,
        **under(
            Policy(required_architectures=("sm_80", "sm_90", "compute_90")),
            lambda w: compile_cuda(w, _SM_90, _PTX_90),
            lambda w: compile_cuda(w, _SM_80, _SM_90, _PTX_90),
        ),
    ),
    Mutation(
        rule="KB101",
        way="nvcc: no PTX, which one kernel needs",
        needs=_NVCC,
        **under(
            Policy(
                parts=(Part(kernels=("tile",), required_architectures=("compute_90",)),),
                ptx=_ANY_PTX,
            ),
            lambda w: compile_cuda(w, _SM_80, _SM_90),
            lambda w: compile_cuda(w, _SM_80, _SM_90, _PTX_90),
        ),
    ),
    Mutation(
        rule="KB101",
        way="clang HIP: missing architecture",
        needs=_CLANG,
        **under(
            Policy(required_architectures=("gfx90a", "gfx1030")),
            compile_hip,
            lambda w: compile_hip(w, "--offload-arch=gfx1030"),
        ),
    ),
    Mutation(
        rule="KB105",
        way="PTX of a newer toolkit",
        needs=_NVCC,
        **under(
            Policy(minimum_driver="12.9"),
            lambda w: write_ptx(w, "9.0"),
            lambda w: write_ptx(w, "8.8"),
        ),
    ),
    Mutation(
        rule="KB105",
        way="nvcc: PTX beside machine code",
        needs=_NVCC,
        **under(
            Policy(minimum_driver="12.0", ptx=_ANY_PTX),
            lambda w: compile_cuda(w, _SM_80, _SM_90, _PTX_90, "--compress-mode=none"),
            lambda w: compile_cuda(w, _SM_80, _SM_90, "--compress-mode=none"),
        ),
    ),
    Mutation(
        rule="KB105",
        way="clang CUDA: --cuda-feature",
        needs=("nvcc", "clang-19"),
        **under(
            Policy(minimum_driver="12.3"),
            _clang_ptx("+ptx85"),
            _clang_ptx("+ptx80"),
        ),
    ),
    Mutation(
        rule="KB106",
        way="nvcc: no PTX",
        severity="info",
        needs=_NVCC,
        **under(
            None,
            lambda w: compile_cuda(w, _SM_80, _SM_90),
            lambda w: compile_cuda(w, _SM_80, _SM_90, _PTX_90),
        ),
    ),
    Mutation(
        rule="KB106",
        way="nvcc: PTX of an architecture-specific target",
        severity="info",
        needs=_NVCC,
        **under(
            None,
            lambda w: compile_cuda(w, "-gencode=arch=compute_90a,code=[sm_90a,compute_90a]"),
            lambda w: compile_cuda(w, "-gencode=arch=compute_90a,code=sm_90a", _PTX_90),
        ),
    ),
    Mutation(
        rule="KB106",
        way="nvcc: PTX that the policy forbids",
        needs=_NVCC,
        **under(
            Policy(ptx="forbidden"),
            lambda w: compile_cuda(w, _SM_80, _SM_90, _PTX_90),
            lambda w: compile_cuda(w, _SM_80, _SM_90),
        ),
    ),
    Mutation(
        rule="KB110",
        way="nvcc: unwanted architecture",
        severity="warning",
        needs=_NVCC,
        **under(
            Policy(allowed_architectures=("sm_90", "compute_90")),
            lambda w: compile_cuda(w, _SM_80, _SM_90, _PTX_90),
            lambda w: compile_cuda(w, _SM_90, _PTX_90),
        ),
    ),
    Mutation(
        rule="KB110",
        way="nvcc: object of another architecture linked in",
        severity="warning",
        needs=("nvcc", "cudart"),
        **under(
            Policy(allowed_architectures=("sm_90",), ptx=_ANY_PTX),
            _with_slipped_in,
            _with_two_asked_for,
        ),
    ),
    Mutation(
        rule="KB110",
        way="clang HIP: other architecture",
        severity="warning",
        needs=_CLANG,
        **under(
            Policy(allowed_architectures=("gfx1030",)),
            compile_hip,
            lambda w: compile_hip(w, arch="gfx1030"),
        ),
    ),
)
_COMPRESSION: Final = (
    Mutation(
        rule="KB107",
        way="nvcc -Xfatbin -compress-all",
        severity="warning",
        needs=_NVCC,
        **under(
            Policy(minimum_driver="12.3", ptx=_ANY_PTX),
            lambda w: compile_cuda(w, _SM_90, *_PACKED),
            lambda w: compile_cuda(w, _SM_90, *_PACKED, "--compress-mode=speed"),
        ),
    ),
    Mutation(
        rule="KB107",
        way="fatbinary --compress-mode=size",
        severity="warning",
        needs=_NVCC,
        **under(
            Policy(minimum_driver="12.3", ptx=_ANY_PTX),
            _packed_anew("size"),
            _packed_anew("speed"),
        ),
    ),
    Mutation(
        rule="KB107",
        way="clang HIP: --offload-compress",
        severity="warning",
        needs=_CLANG,
        **under(
            Policy(minimum_runtime="6.1"),
            lambda w: compile_hip(w, "--offload-compress"),
            compile_hip,
        ),
    ),
)
MUTATIONS: Final = (*_ARCHITECTURES, *_COMPRESSION)
