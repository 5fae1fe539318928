"""Stripped device images, in which profilers find no names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from support.accuracy.build_env import BuildEnv
from support.accuracy.model import Build, Case, Mutation, under
from support.accuracy.resource_files import compile_cubin
from support.accuracy.units.stub_units import KERNELS, load_library, load_unit, sound_library
from support.commands import run, succeed
from support.files.hand_made import ARCHITECTURES, Design, Image, build_image

_STRIP: Final = "llvm-strip-19"


def _with_images(name: str, make: Callable[[Path, str], Image]) -> Build:
    """Return a library whose images ``make`` builds in a directory, one per architecture."""

    def design(directory: Path) -> Design:
        return Design(images=tuple(make(directory, arch) for arch in ARCHITECTURES))

    def build(build_env: BuildEnv) -> Case:
        unit = load_unit(build_env, name, design)
        return Case(paths=(load_library(build_env, name, (unit,)),))

    return build


def _link(*options: str) -> Callable[[Path, str], Image]:
    return lambda directory, arch: build_image(directory, arch, KERNELS, *options)


def _strip(directory: Path, arch: str) -> Image:
    image = build_image(directory, arch, KERNELS)
    path = directory / f"stripped-{arch}.so"
    path.write_bytes(image.data)
    succeed(run("strip", "--strip-all", path))
    return replace(image, data=path.read_bytes())


def _stripped_cubin(build_env: BuildEnv) -> Path:
    return build_env.call("stripped/k.cubin", _STRIP, compile_cubin(build_env), "-o")


MUTATIONS: Final = (
    Mutation(
        rule="KB603",
        way="images linked with -s",
        severity="warning",
        broken=_with_images("linked-s", _link("-s")),
        sound=sound_library(),
    ),
    Mutation(
        rule="KB603",
        way="images linked with --discard-all",
        severity="warning",
        broken=_with_images("discard-all", _link("-Wl,--discard-all")),
        sound=sound_library(),
    ),
    Mutation(
        rule="KB603",
        way="strip of the images",
        severity="warning",
        needs=("objcopy",),
        broken=_with_images("stripped", _strip),
        sound=sound_library(),
    ),
    Mutation(
        rule="KB603",
        way="llvm-strip of a cubin",
        severity="warning",
        needs=("nvcc", "llvm-strip-19"),
        **under(None, _stripped_cubin, compile_cubin),
    ),
)
