"""KB603 on stripped files: the ways to lose a kernel's name, and sound counterparts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from kbuild.inspect import inspect_path
from kbuild.verify import Report, select_rules, verify
from support.commands import run, succeed
from support.files.hand_made import (
    ARCHITECTURES,
    AXPY,
    AXPY_PARAMS,
    SCALE,
    SCALE_PARAMS,
    Design,
    build_image,
    build_object,
    link_shared,
)
from support.kernel_libraries import BuildKernelLibrary
from support.tools.amd_tools import SMALL_HEADERS
from support.tools.nvidia_compiler import NVCC, SMALL_CUDA_HEADERS, needs_nvcc, runtime_library
from support.tools.toolchains import needs_hipcc, needs_programs

STRIP = "llvm-strip-19"
OBJCOPY = "llvm-objcopy-19"
CLANG = "clang-19"
needs_llvm = needs_programs(STRIP)
needs_clang = needs_programs(CLANG)
needs_hip = needs_hipcc()

KERNELS = """\
template <typename T> __global__ void fill(T* to) { *to = 7; }
template __global__ void fill<int>(int*);
static __global__ void own(int* to) { *to = 8; }
__global__ void scale(float* p, float a) { *p *= a; }
"""
CALLS = "void call(float* p, int* q) { scale<<<1, 1>>>(p, 2); own<<<1, 1>>>(q); }\n"
HIP = "#define __global__ __attribute__((global))\n" + KERNELS.replace("static ", "")
# Strips the files that the compiler links, but not those that it only compiles.
WRAPPER = """\
#!/bin/sh
case " $* " in *" -shared "*) exec g++ "$@" -Wl,-s ;; *) exec g++ "$@" ;; esac
"""


def judge(*paths: Path) -> Report:
    files = tuple(facts for path in paths for facts in inspect_path(path))
    report = verify(files, rules=select_rules(["KB603"]))
    assert not report.rules_errored
    return report


def found(*paths: Path) -> list[tuple[str, str, str | None]]:
    report = judge(*paths)
    # No finding only counts if the rule ran.
    assert report.rules_run == ("KB603",)
    return [
        (f.rule, f.severity, arch)
        for f in report.findings
        for arch in dict.fromkeys(one.arch for one in f.instances)
    ]


def link_images_stripped(directory: Path) -> Path:
    """Return a compiler for CPU kernels that links with `-s`."""
    wrapper = directory / "stripping-g++"
    wrapper.write_text(WRAPPER)
    wrapper.chmod(0o755)
    return wrapper


def drop_symbols(source: Path, to: Path) -> Path:
    """Return a cubin after `llvm-strip`."""
    succeed(run(STRIP, source, "-o", to))
    return to


def drop_note(source: Path, to: Path) -> Path:
    """Return a stripped host file without kbuild's note: only its registration names kernels."""
    succeed(run("objcopy", "--strip-all", "--remove-section=.note.kbuild", source, to))
    return to


# CPU images.


@pytest.mark.slow
def test_cpu_images_linked_without_symbols(
    tmp_path: Path, build_kernel_library: BuildKernelLibrary
) -> None:
    sources = {"k.cu": KERNELS}
    sound = build_kernel_library(sources, architectures=ARCHITECTURES)
    stripped = build_kernel_library(
        sources,
        architectures=ARCHITECTURES,
        host_compiler=str(link_images_stripped(tmp_path)),
    )

    assert found(sound) == []
    assert found(stripped) == [("KB603", "warning", arch) for arch in ARCHITECTURES]
    finding = judge(stripped).findings[0]
    assert finding.message.startswith("the x86-64, x86-64-v3 image of k.cu has no symbol for ")
    for name in ("void fill<int>(int*)", "own(int*)", "scale(float*, float)"):
        assert name in finding.message
    # Launches still work, so there are no other findings.
    everything = verify(inspect_path(stripped))
    assert {f.rule for f in everything.findings} == {"KB603"}


@pytest.mark.parametrize(
    "settings",
    [
        {},
        pytest.param({"visibility": "default"}, marks=pytest.mark.slow),
        pytest.param(
            {"host_compiler": "clang++"}, marks=[pytest.mark.slow, needs_programs("clang++")]
        ),
    ],
    ids=str,
)
def test_stripping_the_host_file_keeps_its_images(
    tmp_path: Path, build_kernel_library: BuildKernelLibrary, settings: Mapping[str, object]
) -> None:
    library = build_kernel_library({"k.cu": KERNELS}, link_options=("-s",), **settings)
    assert found(library) == []
    # Without the note and without symbols for handles, the registration still has the names.
    assert found(drop_note(library, tmp_path / "libbare.so")) == []


def test_host_file_and_images_without_any_name(
    tmp_path: Path, build_kernel_library: BuildKernelLibrary
) -> None:
    library = build_kernel_library(
        {"k.cu": KERNELS},
        link_options=("-s",),
        architectures=ARCHITECTURES,
        host_compiler=str(link_images_stripped(tmp_path)),
    )
    bare = drop_note(library, tmp_path / "libbare.so")
    assert found(bare) == [("KB603", "warning", arch) for arch in ARCHITECTURES]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ((), []),
        (("-Wl,--strip-debug",), []),
        (("-Wl,--discard-all",), [("KB603", "warning", ARCHITECTURES[0])]),
        (("-s",), [("KB603", "warning", ARCHITECTURES[0])]),
    ],
    ids=str,
)
def test_one_of_two_images_is_stripped(
    tmp_path: Path, options: tuple[str, ...], expected: list[tuple[str, str, str]]
) -> None:
    kernels = {SCALE: SCALE_PARAMS, AXPY: AXPY_PARAMS}
    first = build_image(tmp_path, ARCHITECTURES[0], kernels, *options)
    second = build_image(tmp_path, ARCHITECTURES[1], kernels)
    compiled = build_object(tmp_path, Design(images=(first, second)))
    library = link_shared([compiled], tmp_path / "libk.so")
    assert found(library) == expected
    assert found(compiled) == expected


# Cubins.


def compile_cuda(
    directory: Path, *options: str, suffix: str = "cubin", text: str = KERNELS
) -> Path:
    (directory / "k.cu").write_text(text)
    output = directory / f"k.{suffix}"
    words = ("-std=c++17", f"-{suffix}", *options) if suffix != "o" else ("-c", *options)
    succeed(run(NVCC, *SMALL_CUDA_HEADERS, *words, directory / "k.cu", "-o", output))
    return output


@needs_nvcc
@needs_llvm
@pytest.mark.parametrize("arch", ["sm_80", "sm_90", "sm_100"])
@pytest.mark.parametrize("options", [(), ("-G",), ("-rdc=true",)], ids=str)
def test_stripped_cubin(tmp_path: Path, arch: str, options: tuple[str, ...]) -> None:
    sound = compile_cuda(tmp_path, f"-arch={arch}", *options)
    stripped = tmp_path / "stripped.cubin"
    assert found(sound) == []
    assert found(drop_symbols(sound, stripped)) == [("KB603", "warning", arch)]
    (finding,) = judge(stripped).findings
    assert "scale(float*, float)" in finding.message


@needs_nvcc
@needs_llvm
def test_stripped_cubin_lacks_the_kernels_of_a_sound_one(tmp_path: Path) -> None:
    directories = {arch: tmp_path / arch for arch in ("sm_80", "sm_90")}
    for directory in directories.values():
        directory.mkdir()
    cubins = {
        arch: compile_cuda(directory, f"-arch={arch}") for arch, directory in directories.items()
    }

    def pack(name: str, first: Path) -> Path:
        images = (
            f"--image3=kind=elf,sm=80,file={first}",
            f"--image3=kind=elf,sm=90,file={cubins['sm_90']}",
        )
        fatbinary = NVCC.resolve().with_name("fatbinary")
        succeed(run(fatbinary, "-64", f"--create={tmp_path / name}", *images))
        return tmp_path / name

    stripped = drop_symbols(cubins["sm_80"], tmp_path / "stripped.cubin")
    assert found(pack("sound.fatbin", cubins["sm_80"])) == []
    broken = pack("broken.fatbin", stripped)
    assert {f.rule for f in verify(inspect_path(broken)).findings} == {
        "KB103",
        "KB106",
    }


@needs_nvcc
@pytest.mark.parametrize("options", [(), ("-rdc=true",)], ids=str)
def test_stripped_files_of_nvcc(tmp_path: Path, options: tuple[str, ...]) -> None:
    words = ("-arch=sm_80", "-Xcompiler=-fPIC", *options)
    compiled = compile_cuda(tmp_path, *words, suffix="o", text=KERNELS + CALLS)
    linked = []
    if options:
        linked = [tmp_path / "linked.o"]
        succeed(run(NVCC, "-dlink", *words, compiled, "-o", linked[0]))
    library = tmp_path / "libk.so"
    succeed(run("g++", "-shared", "-s", compiled, *linked, runtime_library(), "-o", library))
    assert found(compiled) == []
    assert found(library) == []


# Code objects.


def compile_hip(directory: Path, *options: str, compiler: str = CLANG) -> Path:
    (directory / "k.hip").write_text(HIP)
    flags = ("-x", "hip", "--offload-device-only", "-nogpulib", "-nogpuinc")
    words = (*flags, "--no-gpu-bundle-output", "--offload-arch=gfx90a", *options)
    succeed(run(compiler, *words, "-c", directory / "k.hip", "-o", directory / "k.co"))
    return directory / "k.co"


def strip_code_object(directory: Path) -> Path:
    succeed(run(STRIP, "--strip-all", compile_hip(directory), "-o", directory / "stripped.co"))
    return directory / "stripped.co"


def discard_locals(directory: Path) -> Path:
    options = ("--discard-all", "--strip-unneeded")
    succeed(run(OBJCOPY, *options, compile_hip(directory), directory / "discarded.co"))
    return directory / "discarded.co"


@needs_clang
@needs_llvm
@pytest.mark.parametrize(
    "make",
    [
        compile_hip,
        strip_code_object,
        discard_locals,
        lambda directory: compile_hip(directory, "-fvisibility=hidden"),
        lambda directory: compile_hip(directory, "-g"),
    ],
)
def test_code_object_keeps_its_names(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    assert found(make(tmp_path)) == []


@needs_hip
def test_stripped_files_of_hipcc(tmp_path: Path) -> None:
    (tmp_path / "k.hip").write_text("#include <hip/hip_runtime.h>\n" + KERNELS + CALLS)
    for options in ((), ("-fvisibility=hidden",)):
        words = ("--offload-arch=gfx90a", "-fPIC", "-c", *options, *SMALL_HEADERS)
        hipcc = ("env", "HIP_PLATFORM=amd", "hipcc")
        succeed(run(*hipcc, *words, "k.hip", "-o", "k.o", cwd=tmp_path))
        succeed(run("g++", "-shared", "-s", "k.o", "-lamdhip64", "-o", "libk.so", cwd=tmp_path))
        assert found(tmp_path / "k.o") == []
        assert found(tmp_path / "libk.so") == []


@needs_clang
def test_rule_does_not_pass_an_image_that_it_cannot_read(tmp_path: Path) -> None:
    bitcode = compile_hip(tmp_path, "-emit-llvm", "-fgpu-rdc")
    fat_binary = tmp_path / "k.offload"
    options = f"--image=file={bitcode},triple=amdgcn-amd-amdhsa,arch=gfx90a,kind=hip"
    succeed(run("clang-offload-packager-19", "-o", fat_binary, options))
    report = judge(fat_binary)
    assert report.findings == ()
    assert report.rules_run == ()
    assert [note.rule for note in report.rules_skipped] == ["KB603"]
