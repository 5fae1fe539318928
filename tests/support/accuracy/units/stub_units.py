"""Good artifacts for most of the tests of kbuild's own rules: a stub unit and its library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from kbuild.demangle.stub_names import name_stub
from kbuild.model import Param
from support.accuracy.build_env import BuildEnv
from support.accuracy.model import Build, Case
from support.files.hand_made import (
    ARCHITECTURES,
    AXPY,
    AXPY_PARAMS,
    SCALE,
    SCALE_PARAMS,
    Design,
    Image,
    build_host,
    build_image,
    build_object,
    link_shared,
    with_stub,
)

KERNELS = {SCALE: SCALE_PARAMS, AXPY: AXPY_PARAMS}
DECLARATION = f'void scale(float *, float, int) __asm__("{SCALE}");\n'
# Uses the kernel's address like every launch.
LAUNCHER = DECLARATION + (
    "static const void *volatile kernel;\n"
    "int main(void) { kernel = (const void *)scale; return 0; }\n"
)
IDLE = "int main(void) { return 0; }\n"
# Data with the name that a debug stub of the second kernel would have.
_DATA_LIKE_A_STUB = (
    f'char other __asm__("{name_stub(AXPY)}") __attribute__((visibility("hidden"), used));\n'
)


def load_images(build_env: BuildEnv) -> tuple[Image, ...]:
    """Return one device image per architecture, with both kernels."""
    return tuple(load_image(build_env, "both", arch, KERNELS) for arch in ARCHITECTURES)


def load_image(
    build_env: BuildEnv, name: str, arch: str, kernels: dict[str, tuple[Param, ...]]
) -> Image:
    """Return a device image from a single build, because another build has other bytes."""

    def make(path: Path) -> None:
        directory = path.parent / f"sources-{arch}"
        directory.mkdir(exist_ok=True)
        path.write_bytes(build_image(directory, arch, kernels).data)

    path = build_env.file(f"images/{name}/{arch}.so", make)
    return Image(arch=arch, kernels=tuple(kernels), data=path.read_bytes())


def load_design(
    build_env: BuildEnv, visibility: str = "hidden", *, has_stub: bool = False
) -> Design:
    design = Design(images=load_images(build_env), visibility=visibility)
    return with_stub(design) if has_stub else design


def load_unit(
    build_env: BuildEnv,
    name: str,
    make: Callable[[Path], Design],
    *options: str,
    compiler: tuple[str, ...] = ("gcc", "-fPIC"),
) -> Path:
    """Return the object of a design. ``make`` receives a directory for additional images."""

    def build(path: Path) -> None:
        design = make(path.parent)
        build_object(path.parent, design, path.stem, *options, compiler=compiler)

    return build_env.file(f"units/{name}/kernels.o", build)


def load_sound_unit(
    build_env: BuildEnv, visibility: str = "hidden", *, has_stub: bool = False
) -> Path:
    design = load_design(build_env, visibility, has_stub=has_stub)
    name = f"sound-{visibility}{'-stub' if has_stub else ''}"
    return load_unit(build_env, name, lambda _: design)


def load_library(
    build_env: BuildEnv, name: str, units: tuple[Path, ...], *options: str, linker: str = "bfd"
) -> Path:
    return build_env.file(
        f"libraries/{name}/libkernels.so",
        lambda path: link_shared(units, path, *options, linker=linker),
    )


def load_sound_library(
    build_env: BuildEnv, visibility: str = "hidden", *, has_stub: bool = False
) -> Path:
    unit = load_sound_unit(build_env, visibility, has_stub=has_stub)
    return load_library(build_env, unit.parent.name, (unit,))


def load_library_beside_data(build_env: BuildEnv) -> Path:
    """Return exported handles, the first with a debug stub, and data that is named like a stub."""
    definition = "void *handle_0 RELRO"
    design = replace(
        load_design(build_env, "default", has_stub=True),
        c=((definition, _DATA_LIKE_A_STUB + definition),),
    )
    unit = load_unit(build_env, "beside-data", lambda _: design)
    return load_library(build_env, "beside-data", (unit,))


def load_host(build_env: BuildEnv, name: str, text: str, *options: str) -> Path:
    """Return a host object of this C source."""
    return build_env.file(
        f"hosts/{name}/host.o", lambda path: build_host(path.parent, "host", text, *options)
    )


def load_program(build_env: BuildEnv, name: str, *words: object) -> Path:
    """Return a program that gcc links with these arguments."""
    return build_env.call(f"programs/{name}", "gcc", *words, "-o")


def sound_unit(visibility: str = "hidden", *, has_stub: bool = False) -> Build:
    return lambda w: Case(paths=(load_sound_unit(w, visibility, has_stub=has_stub),))


def sound_library(visibility: str = "hidden", *, has_stub: bool = False) -> Build:
    return lambda w: Case(paths=(load_sound_library(w, visibility, has_stub=has_stub),))
