"""Sound files by kbuild: kinds, debug stubs, backends, compilers, and linkers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from support.accuracy.build_env import BuildEnv
from support.accuracy.model import Build, Case, Sound
from support.accuracy.tools import Tool
from support.commands import PROJECTS, configure_and_build

PROJECT: Final = PROJECTS / "accuracy"
_KERNELS: Final = ("shared_off", "shared_on", "static_off", "static_symbols", "object_off")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Configuration:
    """One build of the complete project."""

    name: str
    backend: str
    definitions: tuple[str, ...] = ()
    linker: str = "bfd"
    needs: tuple[Tool, ...] = ()


_CONFIGURATIONS: Final = (
    _Configuration(name="g++", backend="cpu", definitions=("ARCHITECTURES=x86-64",)),
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
        # test_hip_build.py verifies builds for several architectures.
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


def _load_build(build_env: BuildEnv, configuration: _Configuration) -> Path:
    """Return the build directory of the project."""
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

    return build_env.file(f"{name}/built", make).parent


def _files(configuration: _Configuration, *patterns: str) -> Build:
    """Return the files that match the patterns, for one call."""

    def build(build_env: BuildEnv) -> Case:
        directory = _load_build(build_env, configuration)
        paths = tuple(path for pattern in patterns for path in sorted(directory.glob(pattern)))
        assert len(paths) >= len(patterns), (patterns, sorted(directory.iterdir()))
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
    yield "mixed library and its program", ("mixed_host", "libmixed.so")


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
