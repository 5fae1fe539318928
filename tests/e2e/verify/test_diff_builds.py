"""`kbuild diff` on the output of real compilers: only what was changed differs."""

from __future__ import annotations

import json
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from kbuild.backends.cuda import code as cuda_code
from kbuild.backends.hip import code as hip_code
from kbuild.process import find_program
from kbuild.toolchain.find import gather_hints
from support.commands import find_kbuild, run, run_kbuild, succeed
from support.tools.nvidia_compiler import NVCC, SMALL_CUDA_HEADERS, needs_nvcc
from support.tools.toolchains import needs_backend, needs_programs, skip_if

SOURCE = """\
__device__ __noinline__ float slow(float x) {{
  for (int i = 0; i < 100; ++i) x = x * x + 1.0f;
  return x;
}}
namespace {{ __global__ void hidden(int* p) {{ p[0] = 7; }} }}
template <class T> __global__ void sum(T* p, int n) {{
  for (int i = 0; i < n; ++i) p[0] += p[i];
}}
{added}
extern "C" __global__ void plain(float* p, float a) {{ p[2] = slow(p[3]) * a + {constant}f; }}
template __global__ void sum<float>(float*, int);
template __global__ void sum<int>(int*, int);
"""
ADDED = "__global__ void added(float* p) { p[0] = p[1] * p[2] + slow(p[3]); }"
# Directory, constant, and an additional kernel.
FOUR = (
    ("old", "42.0", ""),
    ("elsewhere/same", "42.0", ""),
    ("new", "43.0", ""),
    ("more", "42.0", ADDED),
)
PTX = ("-ptx", "-arch=compute_80")


def write(directory: Path, constant: str = "42.0", added: str = "") -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    source = directory / "k.cu"
    source.write_text(SOURCE.format(constant=constant, added=added))
    return source


def diff(old: Path, new: Path, *words: str, code: int) -> Any:
    result = run_kbuild("diff", old, new, "--format", "json", *words)
    assert result.returncode == code, result.stderr + result.stdout
    return json.loads(result.stdout)


def changed_lines(report: Any) -> list[tuple[str | None, str | None]]:
    return [
        (old, new)
        for function in report["functions"]
        for hunk in (function["code"] or {"hunks": []})["hunks"]
        for old, new in hunk["rows"]
        if old != new
    ]


def summarize(report: Any) -> list[tuple[str, str]]:
    return sorted(
        {(f["status"], f["new_display"] or f["old_display"]) for f in report["functions"]}
    )


def build_cpu(directory: Path) -> Path:
    (directory / "kbuild.toml").write_text(
        '[target.k]\nsources = ["k.cu"]\nbackend = "cpu"\narchitectures = ["x86-64"]\n'
        "verify = false\n"
    )
    succeed(run_kbuild("build", cwd=directory))
    return directory / "build"


@pytest.fixture(scope="module")
def cpu(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return builds of a source: in two places, with another constant, with another kernel.

    The builds after an edit reuse one build directory, so CMake configures only once.
    """
    directory = tmp_path_factory.mktemp("cpu")
    write(directory / "a much longer path" / "same")
    built = {"same": build_cpu(directory / "a much longer path" / "same")}
    for name, constant, added in (
        ("old", "42.0", ""),
        ("constant", "43.0", ""),
        ("added", "42.0", ADDED),
    ):
        write(directory / "here", constant, added)
        built[name] = directory / name / "build"
        shutil.copytree(build_cpu(directory / "here"), built[name], symlinks=True)
    return built


needs_objdump = needs_programs("objdump")


@pytest.mark.slow
@needs_objdump
def test_same_source_in_another_directory_is_equal(cpu: dict[str, Path]) -> None:
    report = diff(cpu["old"], cpu["same"], code=0)

    assert report["equal"] is True
    # Object, fat binary, and shared library; CMake's own files are left out.
    assert report["compared"] == 3 * 4


@needs_objdump
def test_changed_constant_changes_one_line(cpu: dict[str, Path]) -> None:
    report = diff(cpu["old"], cpu["constant"], code=1)

    assert summarize(report) == [("changed", "plain")]
    ((old, new),) = changed_lines(report)
    assert old is not None
    assert new == old.replace("42280000", "422c0000") != old
    (function,) = report["functions"]
    assert len(function["files"]) == 3


@needs_objdump
def test_added_kernel_does_not_change_others(cpu: dict[str, Path]) -> None:
    report = diff(cpu["old"], cpu["added"], code=1)

    assert summarize(report) == [("added", "added(float*)")]
    assert report["abi_breaks"] == 0
    mirrored = diff(cpu["added"], cpu["old"], "--only", "abi", code=1)
    assert summarize(mirrored) == [("removed", "added(float*)")]
    assert mirrored["abi_breaks"] == 1


@needs_objdump
def test_wheels_are_compared_member_by_member(cpu: dict[str, Path], tmp_path: Path) -> None:
    wheels = []
    for name, version in (("old", "1.0"), ("constant", "1.1")):
        wheel = tmp_path / f"k-{version}-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
            library = next(cpu[name].rglob("libk.so"))
            archive.write(library, f"k/libk.so.{version}")
            archive.writestr(f"k-{version}.dist-info/METADATA", "")
        wheels.append(wheel)

    report = diff(wheels[0], wheels[1], code=1)

    assert summarize(report) == [("changed", "plain")]
    assert report["artifacts"] == []
    assert len(changed_lines(report)) == 1


def test_missing_disassembler_is_noted_once(
    cpu: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    result = run_kbuild("diff", cpu["old"], cpu["constant"])

    assert result.returncode == 1
    assert result.stdout.count("note: code differs, not listed: no disassembler objdump") == 1
    required = run_kbuild("diff", cpu["old"], cpu["constant"], "--require-disassembler")
    assert required.returncode == 3
    assert "no disassembler objdump or llvm-objdump found" in required.stderr


def test_failing_disassembler_is_noted_and_others_continue(
    cpu: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tmp_path / "objdump"
    tool.write_text('#!/bin/sh\nfor image; do :; done\necho "$image: cannot" >&2\nexit 5\n')
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    result = run_kbuild("diff", cpu["old"], cpu["constant"])

    reason = "objdump failed with status 5: the image: cannot"
    assert result.returncode == 1
    assert f"bytes differ; not listed: {reason}" in result.stdout
    assert result.stdout.count(f"note: code differs, not listed: {reason}") == 1
    assert not result.stderr
    required = run_kbuild("diff", cpu["old"], cpu["constant"], "--require-disassembler")
    assert required.returncode == 4
    assert "objdump failed with exit status 5" in required.stderr
    assert "cannot" in required.stderr


@pytest.mark.slow
@needs_objdump
def test_git_revisions_are_built_and_compared(tmp_path: Path) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b.example")
    git = ("git", *identity)
    (tmp_path / "kbuild.toml").write_text(
        '[target.k]\nsources = ["k.cu"]\nbackend = "cpu"\narchitectures = ["x86-64"]\n'
        "verify = false\n"
    )
    subprocess.run([*git, "init", "-q"], cwd=tmp_path, check=True)
    for constant in ("1.5", "2.5"):
        write(tmp_path, constant)
        subprocess.run([*git, "add", "."], cwd=tmp_path, check=True)
        subprocess.run([*git, "commit", "-qm", constant], cwd=tmp_path, check=True)

    words = ("diff", "--git", "HEAD^..HEAD", "--format", "json", "--artifacts", "*.so")
    result = run_kbuild(*words, "--", find_kbuild(), "build", cwd=tmp_path)

    assert result.returncode == 1, result.stderr
    report = json.loads(result.stdout)
    assert summarize(report) == [("changed", "plain")]
    assert len(changed_lines(report)) == 1


def compile_all(*jobs: Callable[[], Path]) -> list[Path]:
    """Run the compilers in parallel, and return their outputs."""
    with ThreadPoolExecutor() as pool:
        return [done.result() for done in [pool.submit(job) for job in jobs]]


def nvcc(source: Path, *words: str, suffix: str) -> Path:
    """Compile with plain nvcc in the directory of the source."""
    output = source.with_suffix(suffix)
    words = (*SMALL_CUDA_HEADERS, source.name, *words, "-o", output.name)
    succeed(run(NVCC, *words, cwd=source.parent))
    return output


needs_nvdisasm = pytest.mark.skipif(
    not any(map(find_program, cuda_code.disassemblers(gather_hints(), b""))),
    reason="no nvdisasm",
)


@pytest.mark.slow
@needs_nvcc
@needs_nvdisasm
@pytest.mark.parametrize("arch", [pytest.param("sm_75", marks=pytest.mark.slow), "sm_100"])
def test_cubins_of_nvcc_are_compared(tmp_path: Path, arch: str) -> None:
    options = ("-cubin", f"-arch={arch}")
    old, same, constant = compile_all(
        *(
            partial(nvcc, write(tmp_path / name, value), *options, suffix=".cubin")
            for name, value in (("old", "42.0"), ("elsewhere/same", "42.0"), ("new", "43.0"))
        )
    )

    assert old.read_bytes() != same.read_bytes()
    assert diff(old, same, code=0)["compared"] == 4
    report = diff(old, constant, code=1)
    assert summarize(report) == [("changed", "plain")]
    ((before, after),) = changed_lines(report)
    assert before is not None
    assert after == before.replace("42", "43") != before


@needs_nvcc
def test_ptx_is_compared_without_a_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, same, constant, more = compile_all(
        *(
            partial(nvcc, write(tmp_path / name, value, added), *PTX, suffix=".ptx")
            for name, value, added in FOUR
        )
    )
    monkeypatch.setenv("PATH", "")

    assert diff(old, same, code=0)["compared"] == 4
    assert changed_lines(diff(old, constant, "--only", "code", code=1)) == [
        ("fma.rn.f32 %f4, %f3, %f1, 0f42280000;", "fma.rn.f32 %f4, %f3, %f1, 0f422C0000;")
    ]
    assert summarize(diff(old, more, "--only", "abi,code", code=1)) == [("added", "added(float*)")]


@pytest.mark.slow
@needs_nvcc
@needs_nvdisasm
def test_removed_architecture_of_nvcc_objects_is_reported(tmp_path: Path) -> None:
    targets = (
        "-gencode=arch=compute_80,code=sm_80",
        "-gencode=arch=compute_90,code=[sm_90,compute_90]",
    )
    old, new = compile_all(
        partial(nvcc, write(tmp_path / "old"), "-c", *targets, suffix=".o"),
        partial(nvcc, write(tmp_path / "new", "43.0"), "-c", *targets[1:], suffix=".o"),
    )

    report = diff(old, new, code=1)

    assert [(i["arch"], i["status"]) for i in report["images"]] == [("sm_80", "removed")]
    assert sorted(f["arch"] for f in report["functions"]) == ["compute_90", "sm_90"]
    assert len(changed_lines(report)) == 2


CLANG = "clang++-19"
AMD = """\
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __constant__ __attribute__((constant))
#define __noinline__ __attribute__((noinline))
__constant__ float table[4] = {1, 2, 3, 4};
"""


def clang_for_amd(source: Path) -> Path:
    """Compile a code object without kbuild, and without the headers and libraries of ROCm."""
    source.write_text(AMD + source.read_text().replace("{ p[0] = 7; }", "{ p[0] = table[p[1]]; }"))
    output = source.with_suffix(".hsaco")
    words = (
        "-x",
        "hip",
        "--offload-device-only",
        "--no-gpu-bundle-output",
        "-nogpuinc",
        "-nogpulib",
    )
    succeed(
        run(
            *(CLANG, *words, "-O2", "--offload-arch=gfx90a", source, "-o", output),
            cwd=source.parent,
        )
    )
    return output


@needs_backend("hip", CLANG)
@skip_if(
    ""
    if any(map(find_program, hip_code.disassemblers(gather_hints(), b"")))
    else "no llvm-objdump (Debian: llvm-19)"
)
def test_code_objects_of_clang_are_compared(tmp_path: Path) -> None:
    old, same, constant, more = compile_all(
        *(
            partial(clang_for_amd, write(tmp_path / name, value, added))
            for name, value, added in FOUR
        )
    )

    assert diff(old, same, code=0)["equal"] is True
    report = diff(old, constant, code=1)
    assert summarize(report) == [("changed", "plain")]
    assert changed_lines(report) == [
        ("v_mov_b32_e32 v2, 0x42280000", "v_mov_b32_e32 v2, 0x422c0000")
    ]
    assert summarize(diff(old, more, "--only", "abi,code", code=1)) == [("added", "added(float*)")]
