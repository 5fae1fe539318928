"""Sound files by nvcc: every phase, mode, and way of linking with default options."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from support.accuracy.build_env import BuildEnv
from support.accuracy.model import Build, Case, Sound
from support.accuracy.tools import Tool, find_shared_runtime
from support.accuracy.vendors.nvcc_files import (
    PTX_90,
    SM_80,
    SM_90,
    load_empty_object,
    runtime_words,
)
from support.accuracy.vendors.sound_kbuild import PROJECT
from support.tools.nvidia_compiler import NVCC, SMALL_CUDA_HEADERS

_PRODUCER: Final = "nvcc"
_NEEDS: Final[tuple[Tool, ...]] = ("nvcc", "cudart")
# Both sources have host code that launches kernels, and the second one has main().
_LAUNCHES: Final = ("-std=c++17", "-DLAUNCHES", "-diag-suppress=177")
_SEVERAL: Final = (SM_80, SM_90, PTX_90)
_OBJECTS: Final[dict[str, tuple[str, ...]]] = {
    "defaults": (),
    "several architectures": _SEVERAL,
    "all major architectures": ("-arch=all-major",),
    "relocatable": ("-rdc=true",),
    "not compressed": (*_SEVERAL, "--compress-mode=none"),
    "compressed for size": (*_SEVERAL, "-Xfatbin", "-compress-all", "--compress-mode=size"),
    "compressed for speed": (*_SEVERAL, "-Xfatbin", "-compress-all", "--compress-mode=speed"),
    "visible as before CUDA 13": (
        "--device-entity-has-hidden-visibility=false",
        "-static-global-template-stub=false",
    ),
    "debug": ("-G", "-g", "-O0"),
    "link-time optimization": ("-dc", "-gencode=arch=compute_90,code=lto_90"),
    "architecture-specific": ("-gencode=arch=compute_90a,code=[sm_90a,compute_90a]",),
    "hidden host code": ("-Xcompiler", "-fvisibility=hidden"),
}
# What CUDA's headers add to objects is the same in the others.
_WITH_ALL_HEADERS: Final = frozenset({"defaults", "relocatable", "debug", "clang"})
_IMAGES: Final = {"cubin": ("-arch=sm_90",), "ptx": (), "fatbin": _SEVERAL}


def _compile(
    build_env: BuildEnv, name: str, *options: str, source: str = "kernels", phase: str = "-c"
) -> Path:
    headers = () if name in _WITH_ALL_HEADERS else SMALL_CUDA_HEADERS
    common = (NVCC, *_LAUNCHES, phase, "-Xcompiler", "-fPIC", *headers)
    words = (*common, *options, PROJECT / f"{source}.cu")
    suffix = "o" if phase == "-c" else phase.removeprefix("-")
    return build_env.call(f"sound-nvcc/{name}/{source}.{suffix}", *words, "-o")


def _object(name: str, *options: str, phase: str = "-c") -> Build:
    return lambda w: Case(paths=(_compile(w, name, *options, phase=phase),))


def _compiled_by_clang(build_env: BuildEnv) -> Case:
    return Case(paths=(_compile(build_env, "clang", "-ccbin=clang++", source="other"),))


def _without_kernels(build_env: BuildEnv) -> Case:
    return Case(paths=(load_empty_object(build_env),))


def _objects(build_env: BuildEnv, name: str = "defaults", *options: str) -> tuple[Path, Path]:
    """Return the objects of the two sources."""
    return (
        _compile(build_env, name, *options),
        _compile(build_env, name, *options, source="other"),
    )


def _link(name: str, *words: str, is_static: bool = False, program: bool = False) -> Build:
    """Return both objects linked by g++."""

    def build(build_env: BuildEnv) -> Case:
        kind = () if program else ("-shared",)
        inputs = (*_objects(build_env), *runtime_words(is_static=is_static))
        path = build_env.call(f"sound-nvcc/{name}/linked", "g++", *kind, *words, *inputs, "-o")
        return Case(paths=(path,))

    return build


def _link_by_nvcc(name: str, *words: str, objects: str = "defaults", options: str = "") -> Build:
    """Return both objects linked by nvcc with its default runtime."""

    def build(build_env: BuildEnv) -> Case:
        inputs = _objects(build_env, objects, *options.split())
        return Case(
            paths=(build_env.call(f"sound-nvcc/{name}/linked", NVCC, *words, *inputs, "-o"),)
        )

    return build


def _linked_by_name(build_env: BuildEnv) -> Case:
    """Return both objects linked by nvcc with the shared runtime, which ``-l`` does not find."""
    runtime = find_shared_runtime()
    link = build_env.file("sound-nvcc/lib/libcudart.so", lambda path: path.symlink_to(runtime))
    words = ("-shared", "-cudart=shared", f"-L{link.parent}")
    return _link_by_nvcc("nvcc-cudart", *words)(build_env)


def _stripped(build_env: BuildEnv) -> Case:
    (library,) = _link("shared")(build_env).paths
    return Case(paths=(build_env.call("sound-nvcc/stripped/linked", "strip", library, "-o"),))


def _archive(build_env: BuildEnv) -> Case:
    words = (NVCC, "-lib", *_objects(build_env))
    return Case(paths=(build_env.call("sound-nvcc/archive/libk.a", *words, "-o"),))


def _device_link(build_env: BuildEnv) -> Case:
    objects = _objects(build_env, "relocatable", "-rdc=true")
    words = (NVCC, "-dlink", "-Xcompiler", "-fPIC", *objects)
    return Case(paths=(build_env.call("sound-nvcc/dlink/linked.o", *words, "-o"),))


def _device_linked_archive(build_env: BuildEnv) -> Case:
    """Return objects with relocatable code that are not linked yet."""
    words = (NVCC, "-lib", *_objects(build_env, "relocatable", "-rdc=true"))
    return Case(paths=(build_env.call("sound-nvcc/relocatable/libk.a", *words, "-o"),))


def _beside_runtime(build_env: BuildEnv) -> Case:
    return Case(paths=(*_link("shared")(build_env).paths, find_shared_runtime()))


_LINKED: Final[dict[str, Build]] = {
    "library": _link("shared"),
    "library beside its runtime": _beside_runtime,
    "library, stripped": _stripped,
    "library with the static runtime": _link("static-runtime", is_static=True),
    "program": _link("program", program=True),
    "program with the static runtime": _link("program-static", program=True, is_static=True),
    "program at a fixed address": _link("fixed", "-no-pie", program=True),
    "nvcc -shared": _link_by_nvcc("nvcc-shared", "-shared"),
    "nvcc -shared -cudart shared": _linked_by_name,
    "nvcc, program": _link_by_nvcc("nvcc-program"),
    "nvcc -rdc=true, program": _link_by_nvcc(
        "nvcc-rdc", "-rdc=true", objects="relocatable", options="-rdc=true"
    ),
    "nvcc -rdc=true -shared": _link_by_nvcc(
        "nvcc-rdc-shared", "-rdc=true", "-shared", objects="relocatable", options="-rdc=true"
    ),
    "archive": _archive,
    "archive of relocatable code": _device_linked_archive,
    "device link": _device_link,
    "library, sections collected": _link("collected", "-Wl,--gc-sections"),
}


def _sound(name: str, build: Build, *more: Tool) -> Sound:
    return Sound(producer=_PRODUCER, name=name, needs=(*_NEEDS, *more), build=build)


_LINKERS: Final[tuple[Tool, ...]] = ("lld", "gold", "mold")

SOUND: Final = (
    *(_sound(f"object, {name}", _object(name, *words)) for name, words in _OBJECTS.items()),
    *(_sound(name, _object("images", *w, phase=f"-{name}")) for name, w in _IMAGES.items()),
    *(_sound(name, build) for name, build in _LINKED.items()),
    *(_sound(f"library by {n}", _link(f"by-{n}", f"-fuse-ld={n}"), n) for n in _LINKERS),
    _sound("object without kernels", _without_kernels),
    _sound("object, clang as host compiler", _compiled_by_clang, "clang"),
)
