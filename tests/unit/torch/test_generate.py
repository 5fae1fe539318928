"""The generated project equals ``ref/torch.cmake.ref``.

``KBUILD_UPDATE_GOLDEN=1 pytest tests/unit/torch`` writes the reference again.
"""

from __future__ import annotations

import os
from pathlib import Path

from kbuild.project.directory import BuildDirectory
from kbuild.project.manifest.tables import ManifestTarget, TargetTable
from kbuild.torch.extension import TorchTarget
from kbuild.torch.generate import TorchProject, generate_project, locate_extension

REFERENCE = Path(__file__).parent / "ref" / "torch.cmake.ref"
HOST_ONLY = TorchTarget(
    name="pkg._host",
    file_name="_host.abi3.so",
    host=ManifestTarget(
        name="pkg._host.host",
        table=TargetTable(
            sources=("/src/host.cpp", "/src/old.c"),
            kind="object",
            include_directories=("/torch/include",),
            definitions=('TEXT="a b"',),
            host_options=("-O3", "-include", "a b.h"),
        ),
        sources=(Path("/src/host.cpp"), Path("/src/old.c")),
        has_host_code=True,
    ),
    kernels=None,
    link_objects=("/o/x.o",),
    link_words=("-L/torch/lib", "-lc10", "-Wl,-rpath,$ORIGIN"),
)
KERNELS = TorchTarget(
    name="pkg._C",
    file_name="_C.cpython-312-x86_64-linux-gnu.so",
    host=ManifestTarget(
        name="pkg._C.host",
        table=TargetTable(
            sources=("/src/ops.cpp",),
            kind="object",
            include_directories=("/torch/include",),
            host_options=("-std=c++17",),
        ),
        sources=(Path("/src/ops.cpp"),),
        has_host_code=True,
    ),
    kernels=ManifestTarget(
        name="pkg._C.kernels",
        table=TargetTable(
            sources=("/src/a.cu", "/src/b.cu"),
            kind="object",
            backend="cuda",
            architectures=("80-real", "90"),
            rdc=True,
            include_directories=("/torch/include",),
            compile_options=("-Xcompiler", "-fPIC", "--expt-relaxed-constexpr"),
            device_standard=20,
            host_compiler="g++-13",
            host_options=("-fPIC", "-O3"),
            verify=False,
        ),
        sources=(Path("/src/a.cu"), Path("/src/b.cu")),
        has_host_code=True,
    ),
    link_objects=(),
    link_words=(),
)
PROJECT = TorchProject(root=Path("/src"), targets=(HOST_ONLY, KERNELS), nvcc=Path("/cuda/bin/nvcc"))
DIRECTORY = BuildDirectory(root=Path("/build"))


def test_generated_project_matches_its_reference() -> None:
    generated = generate_project(PROJECT, DIRECTORY)

    if os.environ.get("KBUILD_UPDATE_GOLDEN"):
        REFERENCE.write_bytes(generated.content)
    assert generated.content.decode() == REFERENCE.read_text()
    assert generated.targets == ("pkg._host", "pkg._C")
    assert generated.kernel_targets == ("pkg._C.kernels",)


def test_extensions_can_be_built_without_verification() -> None:
    project = TorchProject(root=Path("/src"), targets=(KERNELS,), nvcc=None, verify=False)

    content = generate_project(project, DIRECTORY).content

    assert b"kbuild_verify" not in content
    assert b"CUDACXX" not in content


def test_extension_is_built_in_its_own_directory() -> None:
    assert locate_extension(DIRECTORY, HOST_ONLY) == Path("/build/pkg._host/_host.abi3.so")
