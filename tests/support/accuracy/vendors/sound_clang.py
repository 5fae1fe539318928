"""Sound files by clang from CUDA and HIP sources, and by hipcc with AMD's headers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from support.accuracy.build_env import BuildEnv
from support.accuracy.model import Build, Case, Sound
from support.accuracy.tools import Tool, find_shared_runtime
from support.accuracy.vendors.clang_files import (
    GFX90A,
    HIPCC,
    SM_80,
    call_hipcc,
    compile_cuda,
    compile_hip,
    link_by_hipcc,
    link_cuda,
    link_hip,
    link_hip_code,
    load_cuda_object,
    pack_cuda,
)
from support.files.mutations import patch, section_range

_CUDA: Final[tuple[Tool, ...]] = ("clang++-19", "nvcc", "cudart")
_HIP: Final[tuple[Tool, ...]] = ("clang-19", "amdhip64")
_HIPCC: Final[tuple[Tool, ...]] = ("hipcc", "amdhip64")
_SEVERAL: Final = ("--offload-arch=gfx90a", "--offload-arch=gfx1030")
_NEW_DRIVER: Final = ("--offload-new-driver", "-fgpu-rdc")
# Does not fold functions whose address is taken.
_FOLDED_SAFELY: Final = ("-fuse-ld=lld", "-Wl,--icf=safe,-Bsymbolic")
_MAIN: Final = "int main() { return 0; }\n"

Make = Callable[[BuildEnv], Path]


def _one(make: Make) -> Build:
    return lambda w: Case(paths=(make(w),))


def _program(build_env: BuildEnv, name: str, *words: object) -> Path:
    source = build_env.text("sound-clang/main.cpp", _MAIN)
    return build_env.call(f"sound-clang/{name}", "g++", source, *words, "-o")


def _hip(name: str, *options: str) -> Make:
    return lambda w: compile_hip(w, f"sound-hip/{name}.o", "-c", *options)


def _hipcc(name: str, *options: str) -> Make:
    return lambda w: call_hipcc(w, f"sound/{name}", *options)


def _linked_by_hipcc(build_env: BuildEnv) -> Path:
    words = (*HIPCC, "-shared", _hipcc("k.o", "-c")(build_env))
    return build_env.call("hip/sound/linked-by-hipcc.so", *words, "-o")


def _split(build_env: BuildEnv) -> Path:
    """Return a library as ROCm's kpack leaves it, with the end of its fat binary."""
    reference = build_env.text("sound-hip/reference", "{kpack_search_paths: [.kpack/k.kpack]}")
    marker = f".rocm_kpack_ref={reference}"
    library = link_hip(build_env, "sound", _hip("defaults")(build_env))
    words = ("objcopy", "--add-section", marker, library)
    return build_env.edit("split", build_env.call("hip/split.so", *words), _move_device_code)


def _move_device_code(data: bytes) -> bytes:
    data = patch(data, section_range(data, ".hipFatBinSegment").start, b"HIPK")
    place = section_range(data, ".hip_fatbin")
    return patch(data, place.start, bytes(len(place) - 100))


_OF_CUDA: Final[dict[str, Make]] = {
    "object": lambda w: load_cuda_object(w, "sound"),
    "object, not optimized": lambda w: load_cuda_object(w, "sound-O0", "-O0", "-g"),
    "object, hidden": lambda w: load_cuda_object(w, "sound-hidden", "-fvisibility=hidden"),
    "fat binary": pack_cuda,
    "PTX": lambda w: compile_cuda(w, "sound.ptx", "--cuda-device-only", "-S", SM_80),
    "cubin": lambda w: compile_cuda(w, "sound.cubin", "--cuda-device-only", "-c", SM_80),
    "object of the new driver": lambda w: compile_cuda(w, "new.o", "-c", SM_80, *_NEW_DRIVER),
    "library": lambda w: link_cuda(w, "sound", load_cuda_object(w, "sound")),
    "library by lld": lambda w: link_cuda(
        w, "sound-lld", "-fuse-ld=lld", load_cuda_object(w, "sound")
    ),
    "library by gold": lambda w: link_cuda(
        w, "sound-gold", "-fuse-ld=gold", load_cuda_object(w, "sound")
    ),
    "library, folded safely": lambda w: link_cuda(
        w, "sound-safe", *_FOLDED_SAFELY, load_cuda_object(w, "sections", "-ffunction-sections")
    ),
    "program": lambda w: _program(w, "cuda", load_cuda_object(w, "sound"), find_shared_runtime()),
}
_OF_HIP: Final[dict[str, Make]] = {
    "object": _hip("defaults"),
    "object, several architectures": _hip("several", *_SEVERAL),
    "object, target features": _hip("features", "--offload-arch=gfx90a:sramecc+:xnack-"),
    "object, compressed": _hip("compressed", *_SEVERAL, "--offload-compress"),
    "object, relocatable": _hip("relocatable", "-fgpu-rdc"),
    "object, relocatable by the new driver": _hip("new", *_NEW_DRIVER),
    "object, not optimized": _hip("O0", "-O0", "-g"),
    "object, hidden": _hip("hidden", "-fvisibility=hidden"),
    "bundle": lambda w: compile_hip(w, "sound.hipfb", "--offload-device-only", "-c", *_SEVERAL),
    "library": lambda w: link_hip(w, "sound", _hip("defaults")(w)),
    "library by lld": lambda w: link_hip(w, "sound-lld", "-fuse-ld=lld", _hip("defaults")(w)),
    "library, compressed": lambda w: link_hip(
        w, "sound-compressed", _hip("compressed", *_SEVERAL, "--offload-compress")(w)
    ),
    "library, split by kpack": _split,
    "library of relocatable code": lambda w: link_hip_code(
        w, "sound-rdc", GFX90A, "-fgpu-rdc", _hip("relocatable", "-fgpu-rdc")(w)
    ),
    "library, stripped": lambda w: w.call(
        "hip/stripped.so", "strip", link_hip(w, "sound", _hip("defaults")(w)), "-o"
    ),
    "library by the linker wrapper": lambda w: link_hip_code(
        w, "sound-new", GFX90A, *_NEW_DRIVER, _hip("new", *_NEW_DRIVER)(w)
    ),
    "program": lambda w: _program(w, "hip", _hip("defaults")(w), "-lamdhip64"),
}
_OF_HIPCC: Final[dict[str, Make]] = {
    "object": _hipcc("k.o", "-c"),
    "object, several architectures": _hipcc("several.o", "-c", *_SEVERAL),
    "object, relocatable": _hipcc("relocatable.o", "-c", "-fgpu-rdc"),
    "object, hidden": _hipcc("hidden.o", "-c", "-fvisibility=hidden"),
    "code object": _hipcc("k.co", "--genco"),
    "library": _linked_by_hipcc,
    "library of relocatable code": lambda w: link_by_hipcc(
        w, "sound-rdc-hipcc", GFX90A, "-fgpu-rdc", _hipcc("relocatable.o", "-c", "-fgpu-rdc")(w)
    ),
    "library by g++": lambda w: link_hip(w, "sound-hipcc", _hipcc("k.o", "-c")(w)),
}
_MORE_NEEDS: Final[dict[str, tuple[Tool, ...]]] = {
    "hipcc: library of relocatable code": ("hip lld",),
    "clang CUDA: library by lld": ("lld",),
    "clang HIP: library by lld": ("lld",),
    "clang CUDA: library, folded safely": ("lld",),
    "clang CUDA: library by gold": ("gold",),
}

SOUND: Final = tuple(
    Sound(
        producer=producer,
        name=name,
        needs=(*needs, *_MORE_NEEDS.get(f"{producer}: {name}", ())),
        build=_one(make),
    )
    for producer, needs, files in (
        ("clang CUDA", _CUDA, _OF_CUDA),
        ("clang HIP", _HIP, _OF_HIP),
        ("hipcc", _HIPCC, _OF_HIPCC),
    )
    for name, make in files.items()
)
