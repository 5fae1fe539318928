"""What nvcc makes of ordinary sources: every phase, mode and way of linking by its defaults."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from support.accuracy.build_env import Workshop
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
from support.tools.nvidia_compiler import NVCC

_PRODUCER: Final = "nvcc"
_NEEDS: Final[tuple[Tool, ...]] = ("nvcc", "cudart")
# Both sources have host code that launches, and the second one the program's main.
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
    "link-time optimisation": ("-dc", "-gencode=arch=compute_90,code=lto_90"),
    "architecture-specific": ("-gencode=arch=compute_90a,code=[sm_90a,compute_90a]",),
    "hidden host code": ("-Xcompiler", "-fvisibility=hidden"),
}
_IMAGES: Final = {"cubin": ("-arch=sm_90",), "ptx": (), "fatbin": _SEVERAL}


def _compile(
    workshop: Workshop, name: str, *options: str, source: str = "kernels", phase: str = "-c"
) -> Path:
    words = (NVCC, *_LAUNCHES, phase, "-Xcompiler", "-fPIC", *options, PROJECT / f"{source}.cu")
    suffix = "o" if phase == "-c" else phase.removeprefix("-")
    return workshop.call(f"sound-nvcc/{name}/{source}.{suffix}", *words, "-o")


def _object(name: str, *options: str, phase: str = "-c") -> Build:
    return lambda w: Case(paths=(_compile(w, name, *options, phase=phase),))


def _compiled_by_clang(workshop: Workshop) -> Case:
    return Case(paths=(_compile(workshop, "clang", "-ccbin=clang++", source="other"),))


def _without_kernels(workshop: Workshop) -> Case:
    return Case(paths=(load_empty_object(workshop),))


def _objects(workshop: Workshop, name: str = "defaults", *options: str) -> tuple[Path, Path]:
    """The two sources, compiled."""
    return (
        _compile(workshop, name, *options),
        _compile(workshop, name, *options, source="other"),
    )


def _link(name: str, *words: str, is_static: bool = False, program: bool = False) -> Build:
    """g++'s link of both objects."""

    def build(workshop: Workshop) -> Case:
        kind = () if program else ("-shared",)
        inputs = (*_objects(workshop), *runtime_words(is_static=is_static))
        path = workshop.call(f"sound-nvcc/{name}/linked", "g++", *kind, *words, *inputs, "-o")
        return Case(paths=(path,))

    return build


def _link_by_nvcc(name: str, *words: str, objects: str = "defaults", options: str = "") -> Build:
    """nvcc's own link, with the runtime that it takes by default."""

    def build(workshop: Workshop) -> Case:
        inputs = _objects(workshop, objects, *options.split())
        return Case(
            paths=(workshop.call(f"sound-nvcc/{name}/linked", NVCC, *words, *inputs, "-o"),)
        )

    return build


def _linked_by_name(workshop: Workshop) -> Case:
    """nvcc's link against the shared runtime, whose wheel lacks the name that ``-l`` finds."""
    runtime = find_shared_runtime()
    link = workshop.file("sound-nvcc/lib/libcudart.so", lambda path: path.symlink_to(runtime))
    words = ("-shared", "-cudart=shared", f"-L{link.parent}")
    return _link_by_nvcc("nvcc-cudart", *words)(workshop)


def _stripped(workshop: Workshop) -> Case:
    (library,) = _link("shared")(workshop).paths
    return Case(paths=(workshop.call("sound-nvcc/stripped/linked", "strip", library, "-o"),))


def _archive(workshop: Workshop) -> Case:
    words = (NVCC, "-lib", *_objects(workshop))
    return Case(paths=(workshop.call("sound-nvcc/archive/libk.a", *words, "-o"),))


def _device_link(workshop: Workshop) -> Case:
    objects = _objects(workshop, "relocatable", "-rdc=true")
    words = (NVCC, "-dlink", "-Xcompiler", "-fPIC", *objects)
    return Case(paths=(workshop.call("sound-nvcc/dlink/linked.o", *words, "-o"),))


def _device_linked_archive(workshop: Workshop) -> Case:
    """Objects of relocatable code, before anything linked them."""
    words = (NVCC, "-lib", *_objects(workshop, "relocatable", "-rdc=true"))
    return Case(paths=(workshop.call("sound-nvcc/relocatable/libk.a", *words, "-o"),))


def _beside_runtime(workshop: Workshop) -> Case:
    return Case(paths=(*_link("shared")(workshop).paths, find_shared_runtime()))


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
