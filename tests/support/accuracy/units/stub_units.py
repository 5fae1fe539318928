"""The good artifacts that most of kbuild's own rules are tried on: a stub unit and its library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from kbuild.demangle.stub_names import name_stub
from kbuild.model import Param
from support.accuracy.build_env import Workshop
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
# Takes the kernel's address, as every launch does.
LAUNCHER = DECLARATION + (
    "static const void *volatile kernel;\n"
    "int main(void) { kernel = (const void *)scale; return 0; }\n"
)
IDLE = "int main(void) { return 0; }\n"
# Data of the name that a debug stub of the second kernel would have.
_DATA_LIKE_A_STUB = (
    f'char other __asm__("{name_stub(AXPY)}") __attribute__((visibility("hidden"), used));\n'
)


def load_images(workshop: Workshop) -> tuple[Image, ...]:
    """A device image for each architecture, with both kernels."""
    return tuple(load_image(workshop, "both", arch, KERNELS) for arch in ARCHITECTURES)


def load_image(
    workshop: Workshop, name: str, arch: str, kernels: dict[str, tuple[Param, ...]]
) -> Image:
    """A device image, of one build for all who ask: others have other bytes."""

    def make(path: Path) -> None:
        folder = path.parent / f"sources-{arch}"
        folder.mkdir(exist_ok=True)
        path.write_bytes(build_image(folder, arch, kernels).data)

    path = workshop.file(f"images/{name}/{arch}.so", make)
    return Image(arch=arch, kernels=tuple(kernels), data=path.read_bytes())


def load_design(
    workshop: Workshop, visibility: str = "hidden", *, has_stub: bool = False
) -> Design:
    design = Design(images=load_images(workshop), visibility=visibility)
    return with_stub(design) if has_stub else design


def load_unit(
    workshop: Workshop,
    name: str,
    make: Callable[[Path], Design],
    *options: str,
    compiler: tuple[str, ...] = ("gcc", "-fPIC"),
) -> Path:
    """The object of a design; ``make`` has a folder for images of its own."""

    def build(path: Path) -> None:
        design = make(path.parent)
        build_object(path.parent, design, path.stem, *options, compiler=compiler)

    return workshop.file(f"units/{name}/kernels.o", build)


def load_sound_unit(
    workshop: Workshop, visibility: str = "hidden", *, has_stub: bool = False
) -> Path:
    design = load_design(workshop, visibility, has_stub=has_stub)
    name = f"sound-{visibility}{'-stub' if has_stub else ''}"
    return load_unit(workshop, name, lambda _: design)


def load_library(
    workshop: Workshop, name: str, units: tuple[Path, ...], *options: str, linker: str = "bfd"
) -> Path:
    return workshop.file(
        f"libraries/{name}/libkernels.so",
        lambda path: link_shared(units, path, *options, linker=linker),
    )


def load_sound_library(
    workshop: Workshop, visibility: str = "hidden", *, has_stub: bool = False
) -> Path:
    unit = load_sound_unit(workshop, visibility, has_stub=has_stub)
    return load_library(workshop, unit.parent.name, (unit,))


def load_library_beside_data(workshop: Workshop) -> Path:
    """Exported handles, the first with its debug stub, beside data that is named like one."""
    definition = "void *handle_0 RELRO"
    design = replace(
        load_design(workshop, "default", has_stub=True),
        c=((definition, _DATA_LIKE_A_STUB + definition),),
    )
    unit = load_unit(workshop, "beside-data", lambda _: design)
    return load_library(workshop, "beside-data", (unit,))


def load_host(workshop: Workshop, name: str, text: str, *options: str) -> Path:
    """A host object of this C source."""
    return workshop.file(
        f"hosts/{name}/host.o", lambda path: build_host(path.parent, "host", text, *options)
    )


def load_program(workshop: Workshop, name: str, *words: object) -> Path:
    """A program that gcc links of these words."""
    return workshop.call(f"programs/{name}", "gcc", *words, "-o")


def sound_unit(visibility: str = "hidden", *, has_stub: bool = False) -> Build:
    return lambda w: Case(paths=(load_sound_unit(w, visibility, has_stub=has_stub),))


def sound_library(visibility: str = "hidden", *, has_stub: bool = False) -> Build:
    return lambda w: Case(paths=(load_sound_library(w, visibility, has_stub=has_stub),))
