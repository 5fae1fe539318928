"""Architectures, drivers, resources and sizes, judged on files that real compilers made.

Each rule has a file that violates it and a twin that does not, under one policy.
"""

from __future__ import annotations

import json
import re
import shutil
import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import BuildKernelLibrary
from mutations import patch, section_range
from projects import run, run_kbuild, succeed

from kbuild.backends import cuda
from kbuild.errors import ToolchainError
from kbuild.formats.elf import Elf
from kbuild.inspect import inspect_path
from kbuild.toolchain import find_toolchain, gather_hints
from kbuild.verify import Policy, verify
from kbuild.verify.policy import Part, PtxPolicy

CUDA = """\
__global__ void plain(float* p) { p[threadIdx.x] *= 2; }
__global__ void __launch_bounds__(BOUND) crowded(float* p) {
  float r[96];
#pragma unroll
  for (int i = 0; i < 96; ++i) r[i] = p[i * 1024 + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 96; ++i)
#pragma unroll
    for (int j = 0; j < 96; j += 17) r[i] = r[i] * r[j] + r[(i + j) % 96];
#pragma unroll
  for (int i = 0; i < 96; ++i) p[i * 1024 + threadIdx.x] = r[i];
}
#ifdef STACK
__global__ void stack(float* p, int n) {
  float a[64];
  for (int i = 0; i < 64; ++i) a[i] = p[i];
  for (int i = 0; i < n; ++i) a[(i * 7 + n) % 64] += a[i % 61];
  p[threadIdx.x] = a[n];
}
#endif
__global__ void tile(float* p) {
  __shared__ float s[12288];
  s[threadIdx.x] = p[threadIdx.x]; __syncthreads();
  p[threadIdx.x] = s[12287 - threadIdx.x];
}
"""
HIP = """\
#ifndef FLOATS
#define FLOATS 16384
#endif
__attribute__((global)) void plain(float* p) { p[0] = 2; }
__attribute__((global, amdgpu_num_vgpr(VGPRS))) void crowded(float* p) {
  float r[64];
#pragma unroll
  for (int i = 0; i < 64; ++i) r[i] = p[i * 64];
  __builtin_amdgcn_s_barrier();
#pragma unroll
  for (int i = 0; i < 64; ++i)
#pragma unroll
    for (int j = 0; j < 64; j += 17) r[i] = r[i] * r[j] + r[(i + j) % 64];
#pragma unroll
  for (int i = 0; i < 64; ++i) p[i * 64] = r[i];
}
__attribute__((global)) void tile(float* p) {
  static __attribute__((shared)) float s[FLOATS];
  s[(int)p[0]] = p[1]; __builtin_amdgcn_s_barrier(); p[2] = s[(int)p[3]];
}
"""
CLANG = "clang-19"
# 48 KiB and 64 KiB, the most there is: to be told from what a broken image asks for.
TILE = "_Z4tilePf"


def _missing_nvcc() -> str:
    try:
        find_toolchain(cuda, gather_hints())
    except ToolchainError as error:
        return str(error)
    return ""


needs_nvcc = pytest.mark.skipif(bool(_missing_nvcc()), reason=_missing_nvcc() or "nvcc is there")
needs_clang = pytest.mark.skipif(shutil.which(CLANG) is None, reason=f"no {CLANG}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """Compiles variants of the sources, each once."""

    folder: Path

    def nvcc(self, *options: str, bound: int = 128, suffix: str = "fatbin") -> Path:
        source = self.folder / "k.cu"
        source.write_text(CUDA)
        words = (f"-{suffix}", "-std=c++17", f"-DBOUND={bound}", *options)
        target = self.folder / f"cuda{abs(hash(words))}.{suffix}"
        if not target.exists():
            compiler = find_toolchain(cuda, gather_hints()).compiler
            succeed(run(compiler, *words, source, "-o", target))
        return target

    def clang(self, *options: str, vgprs: int = 256, arch: str = "gfx90a") -> Path:
        source = self.folder / "k.hip"
        source.write_text(HIP)
        words = ("-O2", f"-DVGPRS={vgprs}", f"--offload-arch={arch}", *options)
        target = self.folder / f"hip{abs(hash(words))}.hipfb"
        if not target.exists():
            flags = ("-x", "hip", "--offload-device-only", "-nogpulib", "-nogpuinc")
            succeed(run(CLANG, *flags, *words, "-c", source, "-o", target))
        return target


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop(folder=tmp_path_factory.mktemp("resources"))


def _cubin(workshop: Workshop, edit: Callable[[bytes], bytes]) -> Path:
    whole = workshop.nvcc("-arch=sm_90", suffix="cubin")
    path = whole.with_name("edited.cubin")
    path.write_bytes(edit(whole.read_bytes()))
    return path


def _ptx(workshop: Workshop, version: str) -> Path:
    """PTX as the toolkit of that version would have written it."""
    whole = workshop.nvcc("-arch=compute_90", suffix="ptx")
    path = whole.with_name(f"version{version}.ptx")
    text, count = re.subn(r"(?m)^\.version .*$", f".version {version}", whole.read_text())
    assert count == 1
    path.write_text(text)
    return path


def _enlarge_shared(data: bytes) -> bytes:
    (section,) = Elf(data).sections_named(f".nv.shared.{TILE}")
    (headers,) = struct.unpack_from("<Q", data, 40)
    return patch(data, headers + 64 * section.index + 32, struct.pack("<Q", section.size + 4))


def _enlarge_block(data: bytes) -> bytes:
    # EIATTR_MAX_THREADS, 12 bytes: what __launch_bounds__(128) left.
    old = bytes((4, 5, 12, 0)) + struct.pack("<3I", 128, 1, 1)
    assert data.count(old) == 1
    return data.replace(old, bytes((4, 5, 12, 0)) + struct.pack("<3I", 1024, 1, 1))


def _enlarge_lds(workshop: Workshop) -> Path:
    whole = workshop.clang("--no-gpu-bundle-output")
    data = whole.read_bytes()
    # The metadata is MessagePack: a string, then a number of 32 bits.
    old = b".group_segment_fixed_size\xce" + struct.pack(">I", 65536)
    assert data.count(old) == 1
    data = data.replace(old, old[:-4] + struct.pack(">I", 65540))
    # The kernels' descriptors, 64 bytes each, begin with the same number.
    place = section_range(data, ".rodata")
    (descriptor,) = (
        at
        for at in range(place.start, place.stop, 64)
        if data[at : at + 4] == struct.pack("<I", 65536)
    )
    path = whole.with_name("edited.co")
    path.write_bytes(patch(data, descriptor, struct.pack("<I", 65540)))
    return path


SM_80 = "-gencode=arch=compute_80,code=sm_80"
SM_90 = "-gencode=arch=compute_90,code=sm_90"
PTX_90 = "-gencode=arch=compute_90,code=compute_90"
PACKED = ("-Xfatbin", "-compress-all")
ANY_PTX: PtxPolicy = "optional"

# Rule, policy, a file that violates it, a file that does not.
Make = Callable[[Workshop], Path]
CUDA_PAIRS: tuple[tuple[str, Policy | None, Make, Make], ...] = (
    (
        "KB101",
        Policy(required_architectures=("sm_80", "sm_90", "compute_90")),
        lambda w: w.nvcc(SM_90, PTX_90),
        lambda w: w.nvcc(SM_80, SM_90, PTX_90),
    ),
    (
        "KB101",
        Policy(
            parts=(Part(kernels=("tile",), required_architectures=("compute_90",)),), ptx=ANY_PTX
        ),
        lambda w: w.nvcc(SM_80, SM_90),
        lambda w: w.nvcc(SM_80, SM_90, PTX_90),
    ),
    (
        "KB105",
        Policy(minimum_driver="12.9"),
        lambda w: _ptx(w, "9.0"),
        lambda w: _ptx(w, "8.8"),
    ),
    ("KB106", None, lambda w: w.nvcc(SM_80, SM_90), lambda w: w.nvcc(SM_80, SM_90, PTX_90)),
    (
        "KB106",
        None,
        lambda w: w.nvcc("-gencode=arch=compute_90a,code=[sm_90a,compute_90a]"),
        lambda w: w.nvcc("-gencode=arch=compute_90a,code=sm_90a", PTX_90),
    ),
    (
        "KB106",
        Policy(ptx="forbidden"),
        lambda w: w.nvcc(SM_80, SM_90, PTX_90),
        lambda w: w.nvcc(SM_80, SM_90),
    ),
    (
        "KB107",
        Policy(minimum_driver="12.3", ptx=ANY_PTX),
        lambda w: w.nvcc(SM_90, *PACKED),
        lambda w: w.nvcc(SM_90, *PACKED, "--compress-mode=speed"),
    ),
    (
        "KB110",
        Policy(allowed_architectures=("sm_90", "compute_90")),
        lambda w: w.nvcc(SM_80, SM_90, PTX_90),
        lambda w: w.nvcc(SM_90, PTX_90),
    ),
    (
        "KB202",
        Policy(max_registers=96, max_local_bytes=10_000),
        lambda w: w.nvcc(SM_90, PTX_90),
        lambda w: w.nvcc(SM_90, PTX_90, "-maxrregcount=96", bound=1024),
    ),
    (
        "KB202",
        None,
        lambda w: _cubin(w, _enlarge_block),
        lambda w: w.nvcc("-arch=sm_90", suffix="cubin"),
    ),
    (
        "KB203",
        None,
        lambda w: _cubin(w, _enlarge_shared),
        lambda w: w.nvcc("-arch=sm_90", suffix="cubin"),
    ),
    (
        "KB204",
        Policy(max_local_bytes=0),
        lambda w: w.nvcc(SM_90, PTX_90, "-DSTACK"),
        lambda w: w.nvcc(SM_90, PTX_90),
    ),
    (
        "KB205",
        Policy(max_artifact_bytes=30_000),
        lambda w: w.nvcc(SM_90, PTX_90, "--compress-mode=none"),
        lambda w: w.nvcc(SM_90, PTX_90, *PACKED),
    ),
)
HIP_PAIRS: tuple[tuple[str, Policy | None, Make, Make], ...] = (
    (
        "KB101",
        Policy(required_architectures=("gfx90a", "gfx1030")),
        lambda w: w.clang(),
        lambda w: w.clang("--offload-arch=gfx1030"),
    ),
    (
        "KB107",
        Policy(minimum_runtime="6.1"),
        lambda w: w.clang("--offload-compress"),
        lambda w: w.clang(),
    ),
    (
        "KB110",
        Policy(allowed_architectures=("gfx1030",)),
        lambda w: w.clang(),
        lambda w: w.clang(arch="gfx1030"),
    ),
    (
        "KB201",
        Policy(max_spill_bytes=0, max_local_bytes=10_000),
        lambda w: w.clang(vgprs=16),
        lambda w: w.clang(),
    ),
    (
        "KB202",
        Policy(max_registers=32, max_spill_bytes=10_000, max_local_bytes=10_000),
        lambda w: w.clang(),
        lambda w: w.clang(vgprs=16),
    ),
    ("KB203", None, _enlarge_lds, lambda w: w.clang("--no-gpu-bundle-output")),
    (
        "KB203",
        Policy(max_shared_bytes=65532),
        lambda w: w.clang(),
        lambda w: w.clang("-DFLOATS=16383"),
    ),
)
SHOWN = frozenset(rule for rule, *_ in (*CUDA_PAIRS, *HIP_PAIRS)) | {"KB001", "KB002", "KB003"}


def rules_of(path: Path, policy: Policy | None) -> set[str]:
    report = verify(inspect_path(path), policy)
    assert not report.rules_errored
    return {finding.rule for finding in report.findings}


@needs_nvcc
@pytest.mark.parametrize(
    ("rule", "policy", "bad", "good"),
    CUDA_PAIRS,
    ids=[pair[0] for pair in CUDA_PAIRS],
)
def test_what_nvcc_made(
    workshop: Workshop, rule: str, policy: Policy | None, bad: Make, good: Make
) -> None:
    assert rules_of(good(workshop), policy) == set()
    assert rules_of(bad(workshop), policy) == {rule}


@needs_clang
@pytest.mark.parametrize(
    ("rule", "policy", "bad", "good"),
    HIP_PAIRS,
    ids=[pair[0] for pair in HIP_PAIRS],
)
def test_what_clang_made(
    workshop: Workshop, rule: str, policy: Policy | None, bad: Make, good: Make
) -> None:
    assert rules_of(good(workshop), policy) == set()
    assert rules_of(bad(workshop), policy) == {rule}


def verify_json(*words: object, code: int = 0) -> dict[str, object]:
    result = run_kbuild("verify", "--format", "json", *words)
    assert result.returncode == code, result.stdout + result.stderr
    found: dict[str, object] = json.loads(result.stdout)
    return found


@needs_clang
def test_baseline_on_the_command_line(workshop: Workshop, tmp_path: Path) -> None:
    calm, crowded, other = (tmp_path / name / "k.hipfb" for name in ("calm", "crowded", "other"))
    for path, made in (
        (calm, workshop.clang()),
        (crowded, workshop.clang(vgprs=16)),
        (other, workshop.clang("-Dplain=renamed")),
    ):
        path.parent.mkdir()
        shutil.copy(made, path)
    baseline = tmp_path / "kbuild.baseline"
    result = run_kbuild("verify", "--write-baseline", baseline, calm)
    assert (result.returncode, result.stdout) == (0, "")
    assert result.stderr == f"{baseline}: the figures of 3 kernels, 1 file\n"
    first = baseline.read_bytes()
    succeed(run_kbuild("verify", "--write-baseline", baseline, "-q", calm))
    assert baseline.read_bytes() == first

    policy = tmp_path / "empty.toml"
    policy.write_text("")
    words = ("--baseline", baseline, "--policy", policy)
    assert verify_json(*words, calm)["findings"] == []
    worse = verify_json(*words, crowded, code=1)["findings"]
    assert isinstance(worse, list)
    errors = {f["rule"] for f in worse if f["severity"] == "error"}
    assert {"KB201", "KB204"} <= errors
    better = [f for f in worse if f["severity"] == "info"]
    assert [f["rule"] for f in better] == ["KB202"]
    assert f"kbuild verify --write-baseline {baseline} PATH... keeps that" in better[0]["message"]
    renamed = verify_json(*words, "--select", "KB003", other)["findings"]
    assert isinstance(renamed, list)
    assert [(f["rule"], f["severity"], f["message"]) for f in renamed] == [
        ("KB003", "info", "renamed(float*) is new on gfx90a"),
        ("KB003", "info", "plain(float*) is gone on gfx90a"),
    ]


@needs_clang
def test_waivers_on_the_command_line(workshop: Workshop, tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text(
        "max_spill_bytes = 0\n"
        "[[waivers]]\n"
        'rule = "KB201"\nkernels = "crowded"\narch = "gfx9*"\nfiles = "*.hipfb"\n'
        'reason = "the kernel goes away"\nexpires = 2027-01-31\n'
    )
    path = workshop.clang(vgprs=16)
    words = ("--policy", policy, "--select", "KB0,KB201", "--today")
    report = verify_json(*words, "2027-01-31", path)
    assert (report["ok"], report["findings"]) == (True, [])
    assert isinstance(report["waived"], list)
    assert [entry["waiver"]["reason"] for entry in report["waived"]] == ["the kernel goes away"]
    late = verify_json(*words, "2027-02-01", path, code=1)["findings"]
    assert isinstance(late, list)
    assert [f["rule"] for f in late] == ["KB201", "KB001"]
    unused = verify_json(*words, "2027-01-31", workshop.clang())["findings"]
    assert isinstance(unused, list)
    assert [(f["rule"], f["severity"], f["path"]) for f in unused] == [
        ("KB002", "warning", str(policy))
    ]


def test_what_is_wrong_with_the_call(tmp_path: Path) -> None:
    text = tmp_path / "text.o"
    text.write_text("no object")
    empty = tmp_path / "empty.o"
    succeed(run("gcc", "-x", "c", "-c", "/dev/null", "-o", empty))
    policy = tmp_path / "policy.toml"
    policy.write_text("max_register = 3\n")
    baseline = tmp_path / "baseline"
    for words, message in (
        (("--write-baseline", baseline, text), f"{text}: "),
        (("--write-baseline", baseline, tmp_path / "absent"), "absent"),
        (("--write-baseline", baseline, empty), "nothing to write a baseline of"),
        (("--write-baseline", empty, empty), "that is the artifact itself"),
        (("--baseline", empty, empty), "no baseline: not UTF-8"),
        (("--baseline", baseline, "--write-baseline", baseline, empty), "not allowed with"),
        (("--policy", policy, empty), "did you mean 'max_registers'"),
        (("--today", "soon", empty), "write it as 2026-12-31"),
    ):
        result = run_kbuild("verify", *words)
        assert (result.returncode, result.stdout) == (2, ""), result
        assert message in result.stderr
        assert "Traceback" not in result.stderr
        assert not baseline.exists()


def test_library_for_processors_has_sizes_alone(
    build_kernel_library: BuildKernelLibrary, tmp_path: Path
) -> None:
    source = "__global__ void scale(float* p) { p[threadIdx.x] *= 2; }\n"
    small = build_kernel_library({"k.cu": source}, architectures=("x86-64",))
    large = build_kernel_library({"k.cu": source}, architectures=("x86-64", "x86-64-v3"))
    baseline = tmp_path / "baseline"
    succeed(run_kbuild("verify", "--write-baseline", baseline, small))
    assert "registers" not in baseline.read_text()
    assert verify_json("--baseline", baseline, small)["findings"] == []
    grown = verify_json("--baseline", baseline, large, code=1)["findings"]
    assert isinstance(grown, list)
    assert [f["rule"] for f in grown] == ["KB205"]
    assert grown[0]["message"].startswith("the device images take ")
