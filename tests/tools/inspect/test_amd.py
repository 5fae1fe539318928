"""`kbuild inspect` on files of AMD's and LLVM's compilers, compared with LLVM's tools."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest

from support.commands import run, run_kbuild, succeed
from support.tools.amd_tools import SMALL_HEADERS
from support.tools.toolchains import NEWER_CLANG, needs_backend, needs_hipcc

SOURCE = """\
#include <hip/hip_runtime.h>
namespace ns {
__global__ void scale(float* p, float a, int n) {
  __shared__ float s[64];
  s[threadIdx.x % 64] = p[threadIdx.x];
  __syncthreads();
  if (threadIdx.x < n) p[threadIdx.x] = a * s[63 - threadIdx.x % 64];
}
}
template <class T> __global__ void copy(const T* a, T* b) { *b = *a; }
void call(float* p) {
  hipLaunchKernelGGL(ns::scale, dim3(1), dim3(64), 0, 0, p, 2.f, 64);
  hipLaunchKernelGGL(copy<float>, dim3(1), dim3(1), 0, 0, p, p);
}
"""
# A source without HIP headers, for compilers that are not part of Debian's ROCm.
PLAIN = """\
typedef __SIZE_TYPE__ size_t;
struct dim3 { unsigned x, y, z; };
extern "C" int hipLaunchKernel(const void*, dim3, dim3, void**, size_t, void*);
extern "C" int __hipPushCallConfiguration(dim3, dim3, size_t, void*);
extern "C" int __hipPopCallConfiguration(dim3*, dim3*, size_t*, void*);
__attribute__((global)) void fill(float* p, int n) { p[n] = 1; }
"""
SCALE, COPY = "_ZN2ns5scaleEPffi", "_Z4copyIfEvPKT_PS0_"
TARGETS = ("gfx90a", "gfx1030")
TOOLS = ("clang-19", "clang-offload-bundler-19", "clang-offload-packager-19")
pytestmark = [
    needs_hipcc(*TOOLS, "llvm-readobj-19", "llvm-objdump-19"),
    needs_backend("hip", NEWER_CLANG),
]

# By default, hipcc uses nvcc if that is on PATH.
AMD = ("env", "HIP_PLATFORM=amd")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("amd")
    (directory / "k.hip").write_text(SOURCE)
    (directory / "plain.hip").write_text(PLAIN)

    def call(*words: str) -> None:
        succeed(run(*AMD, *words, cwd=directory))

    targets = [f"--offload-arch={target}" for target in TARGETS]
    call("hipcc", "-fPIC", "-c", *targets, "k.hip", "-o", "k.o")
    small = ("hipcc", *SMALL_HEADERS)
    call(*small, "-fPIC", "-c", *targets, "k.hip", "-Dns=other", "-Dcall=use", "-o", "other.o")
    call("hipcc", "-shared", "k.o", "other.o", "-o", "libk.so")
    call("ar", "rcs", "libk.a", "k.o", "other.o")
    call(*small, "--genco", "--offload-arch=gfx90a:xnack-", "k.hip", "-o", "k.hsaco")
    call(*small, "-fgpu-rdc", "-c", *targets, "k.hip", "-o", "rdc.o")
    plain = ["clang-19", "-x", "hip", "-nogpulib", "-nogpuinc", "-O2"]
    for target in TARGETS:
        call(*plain, "--offload-device-only", f"--offload-arch={target}", "-c", "plain.hip",
             "--no-gpu-bundle-output", "-o", f"{target}.co")  # fmt: skip
    call(*plain, "--offload-new-driver", "-fgpu-rdc", *targets, "-c", "plain.hip", "-o", "new.o")
    ids = ["host-x86_64-unknown-linux-gnu-"]
    ids += [f"hipv4-amdgcn-amd-amdhsa--{target}" for target in TARGETS]
    files = [f"-input={name}" for name in ("/dev/null", *(f"{t}.co" for t in TARGETS))]
    bundler = ["clang-offload-bundler-19", "-type=o", f"-targets={','.join(ids)}", *files]
    call(*bundler, "-output=plain.hipfb", "-bundle-align=4096")
    call(*bundler, "-output=packed.hipfb", "-bundle-align=4096", "-compress")
    images = [f"--image=file={t}.co,triple=amdgcn-amd-amdhsa,arch={t},kind=hip" for t in TARGETS]
    call("clang-offload-packager-19", "-o", "packed.offload", *images)
    with zipfile.ZipFile(directory / "k-1-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.write(directory / "libk.so", "k/libk.so")
        wheel.write(directory / "packed.hipfb", "k/kernels.hipfb")
    return directory


def inspect(path: Path, *options: str) -> list[Any]:
    result = run_kbuild("inspect", "--format", "json", *options, path)
    document = json.loads(succeed(result))
    assert document["errors"] == []
    artifacts: list[Any] = document["artifacts"]
    return artifacts


def images_of(path: Path, *options: str) -> list[Any]:
    (artifact,) = inspect(path, *options)
    images: list[Any] = artifact["images"]
    return images


def names(image: Any) -> set[str]:
    return {kernel["name"] for kernel in image["kernels"]}


def notes(path: Path) -> dict[str, dict[str, int]]:
    """Return the numbers that readobj shows for each kernel, by symbol."""
    text = succeed(run("llvm-readobj-19", "--notes", path))
    found: dict[str, dict[str, int]] = {}
    for part in re.split(r"^  - \.", text, flags=re.MULTILINE)[1:]:
        values = dict(re.findall(r"^ {4}\.(\w+): +(\S+)$", f"    .{part}", re.MULTILINE))
        name = values["name"].strip("'")
        found[name] = {key: int(v) for key, v in values.items() if v.isdigit()}
    return found


def test_images_of_object_and_shared_object(built: Path) -> None:
    (artifact,) = inspect(built / "k.o")
    assert artifact["kind"] == "object"
    assert {image["arch"] for image in artifact["images"]} == set(TARGETS)
    images = images_of(built / "libk.so")
    assert [image["container"] for image in images] == [0, 0, 1, 1]
    assert [names(image) for image in images[::2]] == [
        {SCALE, COPY},
        {"_ZN5other5scaleEPffi", COPY},
    ]
    assert {(image["backend"], image["kind"], image["compression"]) for image in images} == {
        ("hip", "elf", "none")
    }


def test_parameters_match_the_source(built: Path) -> None:
    (image, _) = images_of(built / "k.o")
    (scale,) = (kernel for kernel in image["kernels"] if kernel["name"] == SCALE)
    assert scale["display"] == "ns::scale(float*, float, int)"
    assert scale["params"] == [
        {"index": 0, "offset": 0, "size": 8, "type": "float*", "kind": "global_buffer"},
        {"index": 1, "offset": 8, "size": 4, "type": "float", "kind": "by_value"},
        {"index": 2, "offset": 12, "size": 4, "type": "int", "kind": "by_value"},
    ]


def test_archive_and_wheel_members_are_read(built: Path) -> None:
    archive = inspect(built / "libk.a")
    assert [artifact["path"] for artifact in archive] == [
        f"{built / 'libk.a'}!{name}" for name in ("k.o", "other.o")
    ]
    wheel = inspect(built / "k-1-py3-none-any.whl")
    assert [(a["path"].rpartition("!")[2], a["kind"]) for a in wheel] == [
        ("k/libk.so", "shared-object"),
        ("k/kernels.hipfb", "fat-binary"),
    ]
    assert [len(artifact["images"]) for artifact in wheel] == [4, 2]


def test_code_object_matches_readobj(built: Path) -> None:
    for target in TARGETS:
        (image,) = images_of(built / f"{target}.co")
        assert (image["arch"], image["kind"]) == (target, "elf")
        (kernel,) = image["kernels"]
        (expected,) = notes(built / f"{target}.co").values()
        figures = {
            "registers": expected["vgpr_count"],
            "scalar_registers": expected["sgpr_count"],
            "accumulation_registers": expected.get("agpr_count"),
            "shared_bytes": expected["group_segment_fixed_size"],
            "local_bytes": expected["private_segment_fixed_size"],
            "spilled_registers": expected["vgpr_spill_count"],
            "spilled_scalar_registers": expected["sgpr_spill_count"],
            "wavefront_size": expected["wavefront_size"],
            "max_threads": expected["max_flat_workgroup_size"],
        }
        assert {name: kernel[name] for name in figures} == figures


def test_bundle_with_target_features_is_read(built: Path) -> None:
    (image,) = images_of(built / "k.hsaco")
    assert (image["arch"], names(image)) == ("gfx90a:xnack-", {SCALE, COPY})


@pytest.mark.parametrize("name", ["plain.hipfb", "packed.hipfb"])
def test_bundle_images_match_the_bundler(built: Path, name: str) -> None:
    listed = succeed(
        run("clang-offload-bundler-19", "-type=o", "-list", f"-input={built / name}")
    ).split()
    images = images_of(built / name)
    assert [image["arch"] for image in images] == [
        word.rpartition("--")[2] for word in listed if not word.startswith("host")
    ]
    compression = "zstd" if name.startswith("packed") else "none"
    for image, target in zip(images, TARGETS, strict=True):
        content = (built / f"{target}.co").stat().st_size
        assert (image["size"], image["compression"]) == (content, compression)
        assert names(image) == {"_Z4fillPfi"}
    if compression != "none":
        assert sum(image["stored_size"] for image in images) < (built / name).stat().st_size
    summary = images_of(built / name, "--summary")
    assert [(i["arch"], i["size"]) for i in summary] == [(i["arch"], i["size"]) for i in images]


def test_relocatable_object_contains_bitcode(built: Path) -> None:
    images = images_of(built / "rdc.o")
    assert {(image["arch"], image["kind"]) for image in images} == {
        (target, "bitcode") for target in TARGETS
    }


@pytest.mark.parametrize("name", ["new.o", "packed.offload"])
def test_offload_binary_images_match_objdump(built: Path, name: str) -> None:
    images = images_of(built / name)
    assert [image["backend"] for image in images] == ["hip"] * len(TARGETS)
    if name.endswith(".o"):
        text = succeed(run("llvm-objdump-19", "--offloading", built / name))
        listed = re.findall(r"^arch +(\S+)$", text, re.MULTILINE)
        assert [image["arch"] for image in images] == listed
    else:
        assert [(image["arch"], names(image)) for image in images] == [
            (target, {"_Z4fillPfi"}) for target in TARGETS
        ]


def test_kernel_and_arch_options_filter_the_text(built: Path) -> None:
    text = succeed(
        run_kbuild("inspect", built / "libk.so", "--kernel", "ns::*", "--arch", "gfx10*")
    )
    assert "gfx90a" not in text
    assert "copy" not in text
    assert "ns::scale(float*, float, int)" in text


def test_damaged_bundle_is_reported_and_other_files_are_read(built: Path, tmp_path: Path) -> None:
    content = bytearray((built / "packed.hipfb").read_bytes())
    content[-20] ^= 0xFF
    (tmp_path / "damaged.hipfb").write_bytes(content)
    result = run_kbuild("inspect", tmp_path / "damaged.hipfb", built / "k.o")
    assert result.returncode == 2
    assert "problem: container 0, " in result.stdout
    assert "ns::scale" in result.stdout
