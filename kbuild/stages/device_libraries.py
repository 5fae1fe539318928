"""Static libraries whose device code a target links with its own.

A static library with relocatable device code has its own device link and stub unit, for programs
that are linked without a device link. If a target with relocatable device code links the library,
the target's stub unit takes the place of the library's: it registers the library's kernels, and
defines the symbols through which a linker would take the library's unit from the archive. Thus a
program has one copy of each device variable.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from kbuild import files, records
from kbuild.backends.interface.mixed import Entries
from kbuild.errors import ConfigurationError
from kbuild.model import DeviceImage, Visibility
from kbuild.stages.compile import CompiledSource
from kbuild.stages.edges import PackPlan, read_pack


def read_libraries(path: Path | None, target: str, backend: str) -> tuple[PackPlan, ...]:
    """Read the plans of the static libraries that a target links.

    Args:
        path: Lists the handoff files of their pack edges, one per line. None stands for no
            library.
        target: The target.
        backend: Its backend.

    Raises:
        ConfigurationError: A library is built for another backend.
    """
    if path is None:
        return ()
    lines = os.fsdecode(files.read_file(path)).split("\n")
    libraries = tuple(read_pack(Path(line)) for line in dict.fromkeys(filter(None, lines)))
    for library in libraries:
        if library.backend != backend:
            raise ConfigurationError(
                f"{target}: the device code of static library '{library.target}' is for backend "
                f"{library.backend}; expected {backend}, the backend of '{target}'"
            )
    return libraries


def load_compiled(stamps: tuple[Path, ...]) -> Iterator[CompiledSource]:
    """Yield the records of compile edges or device links."""
    for path in stamps:
        content = files.read_file(path)
        yield records.load(records.IMAGE_SCHEMA, CompiledSource, content, str(path))


def select_images(
    library: PackPlan, target: str, own: tuple[DeviceImage, ...]
) -> Iterator[DeviceImage]:
    """Yield the images of a library for the architectures of a target's images.

    Args:
        library: The library.
        target: The target.
        own: The images of the target for one architecture.

    Raises:
        ConfigurationError: The library has no such image.
    """
    wanted = {(image.arch, image.kind) for image in own}
    is_found = False
    for compiled in load_compiled(library.prelinked):
        for image in compiled.images:
            if (image.arch, image.kind) in wanted:
                is_found = True
                yield image
    if not is_found:
        names = " or ".join(sorted({arch for arch, _ in wanted}))
        raise ConfigurationError(
            f"{target}: static library '{library.target}' has no device code for {names}; build it "
            f"for the ARCHITECTURES of '{target}'"
        )


def adapt_linkage(entries: Entries, library: PackPlan, visibility: Visibility) -> Entries:
    """Return the entries of a library's source as those of a target that links it.

    The library decides the visibility of its handles. If it differs from the target's, they belong
    to the target's internal symbols.
    """
    if library.visibility == visibility:
        return entries
    kernels = tuple(replace(kernel, linkage="internal") for kernel in entries.kernels)
    return replace(entries, kernels=kernels)
