"""What kbuild builds of a small project: kinds, debug stubs, backends, compilers, linkers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from support.accuracy.build_env import Workshop
from support.accuracy.model import Build, Case, Sound
from support.accuracy.tools import Tool
from support.commands import PROJECTS, configure_and_build

PROJECT: Final = PROJECTS / "accuracy"
_KERNELS: Final = ("shared_off", "shared_on", "static_off", "static_symbols", "object_off")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Configuration:
    """One build of the whole project."""

    name: str
    backend: str
    definitions: tuple[str, ...] = ()
    linker: str = "bfd"
    needs: tuple[Tool, ...] = ()


_CONFIGURATIONS: Final = (
    _Configuration(name="g++", backend="cpu"),
    _Configuration(
        name="clang++, lld",
        backend="cpu",
        definitions=("ARCHITECTURES=x86-64", "CMAKE_CXX_COMPILER=clang++"),
        linker="lld",
        needs=("clang", "lld"),
    ),
    _Configuration(name="g++", backend="cuda", needs=("nvcc", "cudart")),
    _Configuration(
        name="clang++, gold",
        backend="cuda",
        definitions=("CMAKE_CXX_COMPILER=clang++",),
        linker="gold",
        needs=("nvcc", "cudart", "clang", "gold"),
    ),
    _Configuration(
        name="g++",
        backend="hip",
        # Builds for several are verified in test_hip_build.py.
        definitions=("CMAKE_HIP_ARCHITECTURES=gfx1030",),
        needs=("hipcc", "amdhip64"),
    ),
    _Configuration(
        name="clang++, lld",
        backend="hip",
        definitions=("CMAKE_HIP_ARCHITECTURES=gfx90a:xnack-", "CMAKE_CXX_COMPILER=clang++"),
        linker="lld",
        needs=("hipcc", "amdhip64", "clang", "lld"),
    ),
)


def _load_build(workshop: Workshop, configuration: _Configuration) -> Path:
    """The build folder of the project."""
    kinds = ("SHARED", "MODULE", "EXE")
    flag = f"-fuse-ld={configuration.linker}"
    definitions = (
        f"BACKEND={configuration.backend}",
        *configuration.definitions,
        *(f"CMAKE_{kind}_LINKER_FLAGS={flag}" for kind in kinds),
    )
    name = f"kbuild-{configuration.backend}-{configuration.linker}"

    def make(path: Path) -> None:
        configure_and_build(PROJECT, path.parent, *definitions)
        path.touch()

    return workshop.file(f"{name}/built", make).parent


def _files(configuration: _Configuration, *patterns: str) -> Build:
    """The files that fit the patterns, in one call."""

    def build(workshop: Workshop) -> Case:
        folder = _load_build(workshop, configuration)
        paths = tuple(path for pattern in patterns for path in sorted(folder.glob(pattern)))
        assert len(paths) >= len(patterns), (patterns, sorted(folder.iterdir()))
        return Case(paths=paths)

    return build


def _patterns() -> Iterator[tuple[str, tuple[str, ...]]]:
    for name in _KERNELS:
        kind = name.partition("_")[0]
        if kind == "shared":
            yield f"{name}, program and library", (f"{name}_host", f"lib{name}.so")
        elif kind == "static":
            yield f"{name}, program and archive", (f"{name}_host", f"lib{name}.a")
        else:
            yield f"{name}, program", (f"{name}_host",)
    yield "module", ("*module_off.so",)
    yield "relocatable device code", ("librdc.so",)
    yield "archive of two sources", ("libwhole.a",)
    yield "stub object", ("**/object_off*stub*.o",)


SOUND: Final = tuple(
    Sound(
        producer=f"kbuild {configuration.backend}",
        name=f"{what}, {configuration.name}",
        needs=configuration.needs,
        build=_files(configuration, *patterns),
    )
    for configuration in _CONFIGURATIONS
    for what, patterns in _patterns()
)
