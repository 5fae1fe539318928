"""Files by clang as a CUDA and a HIP compiler, and by hipcc, built in ways that break them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from kbuild.formats.elf.file import Elf
from kbuild.inspect import inspect_path
from support.accuracy.build_env import BuildEnv
from support.accuracy.model import Build, Case, Mutation
from support.accuracy.tools import Tool
from support.accuracy.vendors.clang_files import (
    GFX90A,
    KERNELS,
    NO_KERNELS,
    SM_80,
    call_hipcc,
    compile_cuda,
    compile_hip,
    link_by_hipcc,
    link_cuda,
    link_hip,
    load_cuda_object,
    load_hip_object,
)
from support.files.mutations import change_symbol, patch, rename_in, section_range

_CUDA: Final[tuple[Tool, ...]] = ("clang++-19", "nvcc", "cudart")
_HIP: Final[tuple[Tool, ...]] = ("clang-19", "amdhip64")
_LINKERS: Final[tuple[Tool, ...]] = ("lld", "gold")
_TWO: Final = ("--offload-arch=gfx90a", "--offload-arch=gfx1030")


def _cuda_library(name: str, *options: str, link: tuple[str, ...] = ()) -> Build:
    def build(build_env: BuildEnv) -> Case:
        compiled = load_cuda_object(build_env, name, *options)
        return Case(paths=(link_cuda(build_env, name, *link, compiled),))

    return build


def _folded(linker: str, what: str) -> Build:
    # lld folds symbols that no other file can interpose.
    link = (f"-fuse-ld={linker}", f"-Wl,--icf={what},-Bsymbolic")
    return _cuda_library(f"folded-{linker}-{what}", "-ffunction-sections", link=link)


def _left_over(build_env: BuildEnv) -> Case:
    """Return a library linked by a compiler that ignores the device code in the object."""
    driver = ("--offload-new-driver", "-fgpu-rdc", SM_80)
    compiled = compile_cuda(build_env, "relocatable.o", "-c", *driver)
    return Case(paths=(link_cuda(build_env, "left-over", compiled),))


def _device_code_of_another_source(build_env: BuildEnv) -> Case:
    """Return host code with kernels, and a fat binary that was compiled without them."""
    compiled = load_cuda_object(build_env, "another", device_text=NO_KERNELS)
    return Case(paths=(link_cuda(build_env, "another", compiled),))


def _device_code_without_a_kernel(build_env: BuildEnv) -> Case:
    """Return host code with kernels, and a fat binary of an older source that lacks one."""
    older = KERNELS.replace("fill", "fall")
    compiled = load_cuda_object(build_env, "older", device_text=f"{older}\n")
    return Case(paths=(link_cuda(build_env, "older", compiled),))


def _hip_library(name: str, *options: str) -> Build:
    def build(build_env: BuildEnv) -> Case:
        return Case(paths=(link_hip(build_env, name, load_hip_object(build_env, name, *options)),))

    return build


_SOUND_CUDA: Final = _cuda_library("kernels")
_SOUND_HIP: Final = _hip_library("kernels")


def _named_hip(kernel: str) -> Build:
    """Return a library that exports a C kernel of this name."""
    text = f'extern "C" __global__ void {kernel}(int* p) {{ *p = 1; }}\n'

    def build(build_env: BuildEnv) -> Case:
        compiled = compile_hip(build_env, f"hip-{kernel}.o", "-c", text=text)
        return Case(paths=(link_hip(build_env, kernel, compiled),))

    return build


def _unlinked_hip(build_env: BuildEnv) -> Case:
    # With newer compilers, this is an error of the host link, because the symbol is hidden.
    compiled = call_hipcc(build_env, "relocatable.o", "-c", "-fgpu-rdc")
    return Case(paths=(link_hip(build_env, "unlinked", compiled),))


def _linked_hip(build_env: BuildEnv) -> Case:
    compiled = call_hipcc(build_env, "relocatable.o", "-c", "-fgpu-rdc")
    return Case(paths=(link_by_hipcc(build_env, "linked", GFX90A, "-fgpu-rdc", compiled),))


def _beside_older_runtime(build_env: BuildEnv) -> Case:
    (library,) = _SOUND_HIP(build_env).paths
    text = "void __hipRegisterFunction(void) {}\n"
    return Case(paths=(library, _runtime_of(build_env, "old", library, text)))


def _beside_runtime(build_env: BuildEnv) -> Case:
    """Return a library, and a runtime with everything that it needs."""
    (library,) = _SOUND_HIP(build_env).paths
    (linkage,) = inspect_path(library)[0].linkage
    text = "".join(f"void {name}(void) {{}}\n" for name in linkage.needs)
    return Case(paths=(library, _runtime_of(build_env, "whole", library, text)))


def _runtime_of(build_env: BuildEnv, name: str, library: Path, text: str) -> Path:
    """Return a runtime that the library would load, with the functions in ``text``."""
    soname = next(r.soname for r in inspect_path(library)[0].runtimes)
    source = build_env.text(f"hip/{name}/runtime.c", text)
    words = ("gcc", "-shared", "-fPIC", "-w", f"-Wl,-soname,{soname}", source, "-o")
    return build_env.call(f"hip/{name}/{soname}", *words)


def _two_libraries(name: str, *options: str) -> Build:
    def build(build_env: BuildEnv) -> Case:
        second = link_hip(build_env, name, load_hip_object(build_env), *options)
        return Case(paths=(*_SOUND_HIP(build_env).paths, second))

    return build


def _hidden_second(build_env: BuildEnv) -> Case:
    script = build_env.text("hip/hidden.map", "{ local: *; };\n")
    return _two_libraries("hidden-second", f"-Wl,--version-script={script}")(build_env)


def _edited(way: str, edit: Callable[[bytes], bytes]) -> Build:
    def build(build_env: BuildEnv) -> Case:
        (sound,) = _SOUND_HIP(build_env).paths
        return Case(paths=(build_env.edit(way, sound, edit),))

    return build


def _break_magic(data: bytes) -> bytes:
    return patch(data, section_range(data, ".hipFatBinSegment").start, b"\0\0\0\1")


def _fold_handles(data: bytes) -> bytes:
    value = next(s.value for s in Elf(data).symbols if s.name == "_Z5scalePff")
    return change_symbol(data, "_Z4fillPi", lambda fields: fields.__setitem__(4, value))


def _code_object(name: str, *options: str) -> Build:
    return lambda w: Case(paths=(call_hipcc(w, f"{name}.co", "--genco", *options),))


_OF_CUDA: Final = (
    Mutation(
        rule="KB102",
        way="clang CUDA: fat binary of a source without kernels",
        needs=_CUDA,
        broken=_device_code_of_another_source,
        sound=_SOUND_CUDA,
    ),
    Mutation(
        rule="KB103",
        way="clang CUDA: fat binary without a registered kernel",
        needs=_CUDA,
        broken=_device_code_without_a_kernel,
        sound=_SOUND_CUDA,
        beside=frozenset({("KB104", "info")}),
    ),
    Mutation(
        rule="KB104",
        way="clang CUDA: host code with fewer kernels",
        severity="info",
        needs=_CUDA,
        broken=_cuda_library("fewer", "-DDEVICE_ONLY"),
        sound=_SOUND_CUDA,
    ),
    Mutation(
        rule="KB302",
        way="kernels compiled as CUDA instead of HIP",
        severity="info",
        needs=(*_CUDA, *_HIP),
        broken=_SOUND_CUDA,
        sound=_SOUND_HIP,
    ),
    *(
        Mutation(
            rule="KB304",
            way=f"clang CUDA: {linker} --icf=all",
            needs=(*_CUDA, linker),
            broken=_folded(linker, "all"),
            sound=_folded(linker, "none"),
        )
        for linker in _LINKERS
    ),
    Mutation(
        rule="KB402",
        way="clang CUDA: linked without the linker wrapper",
        needs=_CUDA,
        broken=_left_over,
        sound=_SOUND_CUDA,
    ),
    Mutation(
        rule="KB406",
        way="clang CUDA: default visibility",
        severity="info",
        needs=_CUDA,
        broken=_SOUND_CUDA,
        sound=_cuda_library("hidden", "-fvisibility=hidden"),
    ),
)


def _misaligned(build_env: BuildEnv) -> Case:
    """Return a library whose fat binary is at an address that its format does not allow."""
    words = ("objcopy", "--set-section-alignment", ".hip_fatbin=4", load_hip_object(build_env))
    compiled = build_env.call("hip/misaligned.o", *words)
    place = "-Wl,--section-start=.hip_fatbin=0x100004"
    return Case(paths=(link_hip(build_env, "misaligned", place, compiled),))


_VERSION_5: Final = "-mcode-object-version=5"
_OF_HIP: Final = (
    *(
        Mutation(
            rule="KB413",
            way=f"clang HIP: {way}, and the runtime of ROCm 5",
            needs=_HIP,
            broken=_hip_library(name, *options),
            sound=_SOUND_HIP,
        )
        for way, name, *options in (
            ("code objects of version 5", "version-5", _VERSION_5),
            (
                "code objects of version 5 for two architectures",
                "two-of-version-5",
                _VERSION_5,
                *_TWO,
            ),
            ("compressed bundle", "compressed", "--offload-compress"),
        )
    ),
    Mutation(
        rule="KB505",
        way="clang HIP: fat binary at a misaligned address",
        needs=(*_HIP, "objcopy"),
        broken=_misaligned,
        sound=_SOUND_HIP,
    ),
    Mutation(
        rule="KB103",
        way="clang HIP: images without a registered kernel",
        needs=_HIP,
        broken=_edited("absent-hip", rename_in(b"_Z4fillPi", b"_Z4fallPi", ".hip_fatbin")),
        sound=_SOUND_HIP,
        beside=frozenset({("KB104", "info")}),
    ),
    Mutation(
        rule="KB108",
        way="clang HIP: kernel with the name of another signature",
        needs=_HIP,
        broken=_edited("signature-hip", lambda data: data.replace(b"_Z4fillPi", b"_Z4fillsi")),
        sound=_SOUND_HIP,
    ),
    Mutation(
        rule="KB109",
        way="clang HIP: image without a valid ELF header",
        needs=_HIP,
        broken=_edited("scrambled-hip", rename_in(b"\x7fELF", b"\x7fELX", ".hip_fatbin")),
        sound=_SOUND_HIP,
    ),
    Mutation(
        rule="KB304",
        way="clang HIP: second kernel's handle at the first one's address",
        needs=_HIP,
        broken=_edited("folded-hip", _fold_handles),
        sound=_SOUND_HIP,
    ),
    Mutation(
        rule="KB401",
        way="clang HIP: wrapper's magic broken",
        needs=_HIP,
        broken=_edited("magic-hip", _break_magic),
        sound=_SOUND_HIP,
    ),
    Mutation(
        rule="KB103",
        way="clang HIP: kernel that one architecture lacks",
        severity="info",
        needs=_HIP,
        broken=_hip_library("lacks", "-DLACKS", *_TWO),
        sound=_hip_library("has", *_TWO),
    ),
    Mutation(
        rule="KB310",
        way='clang HIP: extern "C" kernel with the name of a function of libc',
        needs=_HIP,
        broken=_named_hip("write"),
        sound=_named_hip("record"),
    ),
    Mutation(
        rule="KB104",
        way="clang HIP: kernel that host code does not declare",
        severity="info",
        needs=_HIP,
        broken=_hip_library("forgotten", "-DDEVICE_ONLY"),
        sound=_SOUND_HIP,
    ),
    Mutation(
        rule="KB307",
        way="clang HIP: -fvisibility=hidden",
        severity="info",
        needs=_HIP,
        broken=_hip_library("hidden", "-fvisibility=hidden"),
        sound=_SOUND_HIP,
    ),
    Mutation(
        rule="KB402",
        way="hipcc -fgpu-rdc without --hip-link",
        needs=("hipcc", "amdhip64", "hip lld"),
        broken=_unlinked_hip,
        sound=_linked_hip,
    ),
    Mutation(
        rule="KB403",
        way="clang HIP: older runtime of the same name",
        needs=_HIP,
        broken=_beside_older_runtime,
        sound=_beside_runtime,
    ),
    Mutation(
        rule="KB405",
        way="clang HIP: two libraries of one object",
        needs=_HIP,
        broken=_two_libraries("second"),
        sound=_hidden_second,
    ),
    Mutation(
        rule="KB407",
        way="clang HIP: unregistering function renamed",
        severity="warning",
        needs=_HIP,
        broken=_edited(
            "kept-hip",
            rename_in(
                b"__hipUnregisterFatBinary", b"__hipUnregisterFatBinarX", ".dynstr", ".strtab"
            ),
        ),
        sound=_SOUND_HIP,
    ),
    Mutation(
        rule="KB602",
        way="hipcc -g",
        severity="info",
        needs=("hipcc",),
        broken=_code_object("debug", "-g"),
        sound=_code_object("plain"),
    ),
)
MUTATIONS: Final = (*_OF_CUDA, *_OF_HIP)
