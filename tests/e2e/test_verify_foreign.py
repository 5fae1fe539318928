"""The rules on what nvcc, hipcc and linkers make: a file with the defect beside a sound twin."""

from __future__ import annotations

import shutil
import struct
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hand_made import (
    ARCHITECTURES,
    AXPY,
    AXPY_PARAMS,
    ROWS,
    SCALE,
    SCALE_PARAMS,
    Design,
    build_image,
    build_object,
)
from mutations import change_symbol, patch, section_range
from nvidia_compiler import NVCC, needs_nvcc, runtime_library
from projects import run, succeed

from kbuild.formats.elf import Elf
from kbuild.inspect import inspect_path
from kbuild.verify import verify

needs_hipcc = pytest.mark.skipif(shutil.which("hipcc") is None, reason="no hipcc on PATH")

KERNELS = """\
__attribute__((visibility("default"))) __global__ void scale(float* p, float a) { *p *= a; }
__global__ void hidden(int* p) { *p = 1; }
void call(float* p, int* q) { scale<<<1, 1>>>(p, 2); hidden<<<1, 1>>>(q); }
"""
NO_KERNELS = "int answer() { return 42; }\n"
# Takes the kernel's address and launches it by the runtime's C interface.
LAUNCHER = """\
extern "C" int cudaLaunchKernel(const void*, ...);
void scale(float*, float);
int main() { return cudaLaunchKernel((const void*)scale); }
"""
HIP = """\
#include <hip/hip_runtime.h>
__global__ void scale(float* p, float a) { *p *= a; }
void call(float* p) { scale<<<1, 1>>>(p, 2); }
"""


def found(*paths: Path) -> set[tuple[str, str]]:
    """(rule, severity) of the findings on these files together."""
    report = verify(tuple(facts for path in paths for facts in inspect_path(path)))
    assert not report.rules_errored
    return {(finding.rule, finding.severity) for finding in report.findings}


def errors(*paths: Path) -> set[str]:
    return {rule for rule, severity in found(*paths) if severity == "error"}


def link(folder: Path, name: str, *words: object) -> Path:
    succeed(run("g++", "-shared", *words, "-o", name, cwd=folder))
    return folder / name


@pytest.fixture(scope="module")
def cuda_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cuda")
    for name, text in (("kernels", KERNELS), ("empty", NO_KERNELS)):
        (folder / f"{name}.cu").write_text(text)
        for suffix, options in (("", ()), ("_rdc", ("-rdc=true",))):
            words = ("-std=c++17", "-c", "-Xcompiler", "-fPIC", "-arch=sm_80", *options)
            succeed(run(NVCC, *words, f"{name}.cu", "-o", f"{name}{suffix}.o", cwd=folder))
    words = ("-dlink", "-arch=sm_80", "-Xcompiler", "-fPIC", "kernels_rdc.o", "-o", "linked.o")
    succeed(run(NVCC, *words, cwd=folder))
    (folder / "launcher.cpp").write_text(LAUNCHER)
    shutil.copy(runtime_library(), folder / "libcudart.so")
    link(folder, "libkernels.so", "kernels.o", "libcudart.so")
    return folder


def static_runtime() -> Path:
    path = runtime_library().parent / "libcudart_static.a"
    if not path.is_file():
        pytest.skip(f"no {path.name} beside {NVCC}")
    return path


CODE = ("PT_LOAD", 5)
STATIC = ("-lrt", "-lpthread", "-ldl")


@needs_nvcc
def test_library_of_nvcc_has_no_errors(cuda_files: Path) -> None:
    assert found(cuda_files / "libkernels.so") == {("KB302", "info"), ("KB406", "info")}


@needs_nvcc
def test_library_without_kernels_is_one_without_device_code(cuda_files: Path) -> None:
    library = link(cuda_files, "libempty.so", "empty.o", "libcudart.so")
    assert errors(library) == {"KB102"}
    assert errors(cuda_files / "empty.o") == set()


@needs_nvcc
def test_relocatable_code_needs_its_device_link(cuda_files: Path) -> None:
    unlinked = link(cuda_files, "libunlinked.so", "kernels_rdc.o", "libcudart.so")
    assert errors(unlinked) == {"KB402"}
    linked = link(cuda_files, "liblinked.so", "kernels_rdc.o", "linked.o", "libcudart.so")
    assert errors(linked) == set()
    assert errors(cuda_files / "kernels_rdc.o") == set()


@needs_nvcc
def test_runtime_without_a_function_that_is_needed(cuda_files: Path, tmp_path: Path) -> None:
    library = cuda_files / "libkernels.so"
    assert errors(library, runtime_library()) == set()
    soname = next(r.soname for r in inspect_path(library)[0].runtimes)
    (tmp_path / "old.c").write_text("void __cudaRegisterFunction(void) {}\n")
    old = tmp_path / str(soname)
    succeed(run("gcc", "-shared", "-fPIC", f"-Wl,-soname,{soname}", tmp_path / "old.c", "-o", old))
    assert errors(library, old) == {"KB403"}


@needs_nvcc
def test_program_with_another_copy_of_the_runtime(cuda_files: Path) -> None:
    def build(name: str, *runtime: object) -> Path:
        words = ("launcher.cpp", "libkernels.so", *runtime, "-Wl,-rpath,$ORIGIN")
        succeed(run("g++", *words, "-o", name, cwd=cuda_files))
        return cuda_files / name

    library = cuda_files / "libkernels.so"
    assert errors(build("shared", "libcudart.so"), library) == set()
    static = build("static", static_runtime(), *STATIC)
    assert errors(static, library) == {"KB404"}


@needs_nvcc
def test_two_libraries_with_one_kernel(cuda_files: Path) -> None:
    second = link(cuda_files, "libsecond.so", "kernels.o", "libcudart.so")
    assert errors(cuda_files / "libkernels.so", second) == {"KB405"}
    words = ("kernels.o", "libcudart.so", "-Wl,--version-script=hidden.map")
    (cuda_files / "hidden.map").write_text("{ local: *; };\n")
    assert errors(cuda_files / "libkernels.so", link(cuda_files, "libhidden.so", *words)) == set()


@needs_nvcc
@pytest.mark.parametrize("mode", ["-lineinfo", "-G"])
def test_image_that_names_the_folder_it_was_compiled_in(
    cuda_files: Path, tmp_path: Path, mode: str
) -> None:
    folders = ("-gencode=arch=compute_80,code=[sm_80,compute_80]", mode)
    source = cuda_files / "kernels.cu"
    succeed(run(NVCC, "-std=c++17", "-fatbin", *folders, source, "-o", tmp_path / "k.fatbin"))
    assert found(tmp_path / "k.fatbin") == {("KB602", "info")}
    (facts,) = inspect_path(tmp_path / "k.fatbin")
    assert len(facts.images) == 2
    for image in facts.images:
        assert all(path.startswith(str(cuda_files)) for path in image.source_paths), image
        assert image.source_paths


@needs_nvcc
def test_wheel_is_what_its_name_says(cuda_files: Path, tmp_path: Path) -> None:
    (runtime,) = (r for r in inspect_path(cuda_files / "libkernels.so")[0].runtimes)

    def pack(name: str) -> Path:
        with zipfile.ZipFile(tmp_path / name, "w", zipfile.ZIP_DEFLATED) as wheel:
            wheel.write(cuda_files / "libkernels.so", "k/_k.so")
        return tmp_path / name

    tags = "py3-none-manylinux_2_28"
    assert errors(pack(f"k_cu{runtime.version}-1.0-{tags}_x86_64.whl")) == set()
    assert errors(pack(f"k_cu11-1.0-{tags}_x86_64.whl")) == {"KB604"}
    assert errors(pack(f"k-1.0-{tags}_aarch64.whl")) == {"KB604"}
    assert errors(pack("k-1.0-py3-none-any.whl")) == {"KB604"}


def rename(section: str, text: bytes, new: bytes) -> Callable[[bytes], bytes]:
    assert len(text) == len(new)

    def mutate(data: bytes) -> bytes:
        place = section_range(data, section)
        return patch(data, place.start, data[place.start : place.stop].replace(text, new))

    return mutate


def break_magic(data: bytes) -> bytes:
    return patch(data, section_range(data, ".nvFatBinSegment").start, b"\0\0\0\1")


def break_pointer(data: bytes) -> bytes:
    """Let the loader fill the wrapper's pointer with an address in the middle of a container."""
    elf = Elf(data)
    (section,) = elf.sections_named(".nvFatBinSegment")
    (container,) = elf.sections_named(".nv_fatbin")
    (table,) = elf.sections_named(".rela.dyn")
    content = elf.content(table)
    slot = (section.address + 8).to_bytes(8, "little")
    at = content.index(slot)
    return patch(data, table.offset + at + 16, (container.address + 8).to_bytes(8, "little"))


def fold(data: bytes) -> bytes:
    """One kernel's host function at another's address, as identical code folding leaves it."""
    elf = Elf(data)
    value = next(s.value for s in elf.symbols if s.name == "_Z5scalePff")
    return change_symbol(data, "_Z6hiddenPi", lambda f: f.__setitem__(4, value))


def rename_unregister(data: bytes) -> bytes:
    for strings in (".dynstr", ".strtab"):
        change = rename(strings, b"__cudaUnregisterFatBinary", b"__cudaUnregisterFatBinarX")
        data = change(data)
    return data


MUTATIONS = (
    ("KB104", "info", rename(".rodata", b"_Z6hiddenPi\0", b"_Z6hiddenPX\0")),
    ("KB304", "error", fold),
    ("KB401", "error", break_magic),
    ("KB401", "error", break_pointer),
    ("KB407", "warning", rename_unregister),
)


@needs_nvcc
@pytest.mark.parametrize(("rule", "severity", "mutate"), MUTATIONS)
def test_mutated_library_raises_its_rule(
    cuda_files: Path, tmp_path: Path, rule: str, severity: str, mutate: Callable[[bytes], bytes]
) -> None:
    sound = cuda_files / "libkernels.so"
    mutated = tmp_path / "libmutated.so"
    mutated.write_bytes(mutate(sound.read_bytes()))
    assert found(mutated) - found(sound) == {(rule, severity)}


@pytest.mark.parametrize(
    ("rule", "severity", "options"),
    [
        ("KB506", "info", ("-Wl,-z,execstack",)),
        ("KB506", "info", ("-Wl,-z,norelro",)),
        ("KB504", "warning", ("-Wl,--section-start=.data=0x68000000",)),
    ],
)
def test_layouts_that_linkers_make(
    kernel_object: Path, tmp_path: Path, rule: str, severity: str, options: tuple[str, ...]
) -> None:
    main = tmp_path / "main.c"
    main.write_text("int data = 1;\nint main(void) { return data; }\n")

    def build(name: str, *more: str) -> Path:
        words = ("-no-pie", main, kernel_object, *more, "-o", tmp_path / name)
        succeed(run("gcc", *words))
        return tmp_path / name

    assert rule not in {rule for rule, _ in found(build("sound"))}
    assert (rule, severity) in found(build("broken", *options))


def test_segment_that_is_written_and_executed(kernel_object: Path, tmp_path: Path) -> None:
    main = tmp_path / "main.c"
    main.write_text("int main(void) { return 0; }\n")
    succeed(run("gcc", main, kernel_object, "-o", tmp_path / "program"))
    data = (tmp_path / "program").read_bytes()
    (headers,) = struct.unpack_from("<Q", data, 32)
    number = next(n for n, s in enumerate(Elf(data).segments) if (s.type, s.flags) == CODE)
    mutated = tmp_path / "mutated"
    mutated.write_bytes(patch(data, headers + 56 * number + 4, struct.pack("<I", 7)))
    assert found(mutated) == {("KB506", "info")}


def test_data_out_of_the_reach_of_code(kernel_object: Path, tmp_path: Path) -> None:
    main = tmp_path / "main.c"
    main.write_text("int data = 1;\nint main(void) { return data; }\n")
    succeed(run("gcc", main, kernel_object, "-o", tmp_path / "program"))
    data = (tmp_path / "program").read_bytes()
    (section,) = Elf(data).sections_named(".bss")
    (headers,) = struct.unpack_from("<Q", data, 40)
    # No linker lets it come to this; a patched or compressed file may.
    address = headers + 64 * section.index + 16
    mutated = tmp_path / "mutated"
    mutated.write_bytes(patch(data, address, struct.pack("<Q", 0x9000_0000)))
    assert found(mutated) == {("KB504", "error")}


@pytest.fixture(scope="module")
def design(tmp_path_factory: pytest.TempPathFactory) -> Design:
    folder = tmp_path_factory.mktemp("images")
    kernels = {SCALE: SCALE_PARAMS, AXPY: AXPY_PARAMS}
    return Design(images=tuple(build_image(folder, arch, kernels) for arch in ARCHITECTURES))


@pytest.fixture(scope="module")
def kernel_object(tmp_path_factory: pytest.TempPathFactory, design: Design) -> Path:
    return build_object(tmp_path_factory.mktemp("object"), design)


def test_constructor_that_runs_before_registration(kernel_object: Path, tmp_path: Path) -> None:
    source = tmp_path / "early.c"
    source.write_text(
        "__attribute__((constructor(PRIORITY))) static void early(void) {}\n"
        "int main(void) { return 0; }\n"
    )

    def build(priority: int) -> Path:
        output = tmp_path / f"program{priority}"
        words = ("-w", f"-DPRIORITY={priority}", source, kernel_object, "-o", output)
        succeed(run("gcc", *words))
        return output

    assert found(build(102)) == set()
    assert found(build(65)) == {("KB408", "warning")}


def test_member_that_the_linker_left_in_its_archive(design: Design, tmp_path: Path) -> None:
    first = build_object(tmp_path, design, "first")
    other = replace(
        design,
        rows=tuple(replace(row, handle=row.handle + "_other", linkage="external") for row in ROWS),
    )
    second = build_object(tmp_path, other, "second")
    archive = tmp_path / "libk.a"
    succeed(run("ar", "rcs", archive, first, second))
    source = tmp_path / "main.c"
    source.write_text(
        f'extern char scale __asm__("{SCALE}");\nint main(void) {{ return scale; }}\n'
    )

    def build(name: str, *words: object) -> Path:
        succeed(run("gcc", source, *words, "-o", tmp_path / name))
        return tmp_path / name

    whole = ("-Wl,--whole-archive", archive, "-Wl,--no-whole-archive")
    assert errors(build("whole", *whole), archive) == set()
    assert errors(build("part", archive), archive) == {"KB409"}


@pytest.fixture(scope="module")
def hip_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hip")
    (folder / "k.hip").write_text(HIP)
    for name, options in (
        ("k.o", ()),
        ("rdc.o", ("-fgpu-rdc",)),
        ("h.o", ("-fvisibility=hidden",)),
    ):
        words = ("--offload-arch=gfx90a", "-fPIC", "-c", *options, "k.hip", "-o", name)
        succeed(run("env", "HIP_PLATFORM=amd", "hipcc", *words, cwd=folder))
    return folder


@needs_hipcc
def test_files_of_hipcc_have_no_errors(hip_files: Path) -> None:
    library = link(hip_files, "libk.so", "k.o", "-L/usr/lib/x86_64-linux-gnu", "-lamdhip64")
    assert found(hip_files / "k.o") == set()
    assert found(hip_files / "rdc.o") == set()
    assert found(library) == {("KB406", "info")}


@needs_hipcc
def test_code_object_with_debug_information_names_its_folder(
    hip_files: Path, tmp_path: Path
) -> None:
    words = ("--genco", "--offload-arch=gfx90a", "-g", hip_files / "k.hip", "-o", "k.co")
    succeed(run("env", "HIP_PLATFORM=amd", "hipcc", *words, cwd=tmp_path))
    assert found(tmp_path / "k.co") == {("KB602", "info")}


@needs_hipcc
def test_hidden_stubs_beside_visible_handles(hip_files: Path) -> None:
    assert found(hip_files / "h.o") == {("KB307", "info")}


@needs_hipcc
def test_relocatable_hip_code_needs_its_device_link(hip_files: Path) -> None:
    library = link(hip_files, "librdc.so", "rdc.o", "-lamdhip64")
    assert "KB402" in errors(library)


# The rules that a test here shows on a file with the defect.
SHOWN = frozenset(
    (
        *("KB102", "KB104", "KB302", "KB304", "KB307", "KB401", "KB402", "KB403", "KB404"),
        *("KB405", "KB406", "KB407", "KB408", "KB409", "KB504", "KB506", "KB602", "KB604"),
    )
)
