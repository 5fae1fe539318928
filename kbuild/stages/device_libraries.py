"""The device code of other files that a target links with its own.

It comes from objects and archives of any project, and from the static libraries of this project,
whose images the device link reads before the archives exist. Each object registers its own kernels
and variables through a function that the device link defines. A static library with relocatable
device code also contains a device link for programs that have none. It is a separate file in the
archive, so that linkers take it only if nothing else defines these functions. Thus, a program has
one copy of each device variable.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from kbuild import files, records
from kbuild.backends import find_builder
from kbuild.errors import ConfigurationError
from kbuild.model import DeviceImage
from kbuild.stages.compile import CompiledSource
from kbuild.stages.edges import PackPlan, read_pack
from kbuild.values import dataclass

if TYPE_CHECKING:
    from kbuild.stages.relocatable import RelocatableObject


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceLibraries:
    """The device code that a target links with its own.

    Attributes:
        plans: The static libraries of this project.
        objects: The objects in other files.
    """

    plans: tuple[PackPlan, ...] = ()
    objects: tuple[RelocatableObject, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """What identifies the objects."""
        parts = (*(plan.link_ids for plan in self.plans), *(found.ids for found in self.objects))
        return tuple(dict.fromkeys(id_ for ids in parts for id_ in ids))


def read_libraries(path: Path | None, target: str, backend: str) -> DeviceLibraries:
    """Read the list of what a target links.

    Args:
        path: Lists the handoff files of the pack edges of static libraries (``plan PATH``), other
            files (``file PATH``), and the target's calls with RDC ON (``call NAME``), one per
            line. None stands for nothing.
        target: The target.
        backend: Its backend.

    Raises:
        ConfigurationError: A library is built for another backend, or several calls would link
            one object.
        InputError: A file cannot be read.
    """
    if path is None:
        return DeviceLibraries()
    lines = os.fsdecode(files.read_file(path)).split("\n")
    found: dict[str, list[Path]] = {}
    for line in dict.fromkeys(lines):
        key, _, value = line.partition(" ")
        if value:
            found.setdefault(key, []).append(Path(value))
    plans = tuple(map(read_pack, found.get("plan", ())))
    for plan in plans:
        if plan.backend != backend:
            raise ConfigurationError(
                f"{target}: the device code of static library '{plan.target}' is for backend "
                f"{plan.backend}; expected {backend}, the backend of '{target}'"
            )
    if not found.get("file"):
        return DeviceLibraries(plans=plans)
    from kbuild.stages.relocatable import find_relocatable  # noqa: PLC0415 - loads parsers

    function = find_builder(backend).TRAITS.link_function
    objects = find_relocatable(found["file"], function)
    if objects and len(found.get("call", ())) > 1:
        raise ConfigurationError(
            f"{target}: the device code of {objects[0].name} cannot be linked to several calls "
            "with RDC ON; list all sources with RDC ON in one call"
        )
    return DeviceLibraries(plans=plans, objects=objects)


def load_compiled(stamps: tuple[Path, ...]) -> Iterator[CompiledSource]:
    """Yield the records of compile edges or device links."""
    for path in stamps:
        content = files.read_file(path)
        yield records.load(records.IMAGE_SCHEMA, CompiledSource, content, str(path))


def select_images(
    libraries: DeviceLibraries, target: str, own: tuple[DeviceImage, ...], output: Path
) -> Iterator[Path]:
    """Yield the images of libraries for the architectures of a target's images.

    Args:
        libraries: The libraries.
        target: The target.
        own: The images of the target for one architecture.
        output: The start of the paths to which images from objects are written.

    Raises:
        ConfigurationError: A library has no such image.
        InputError: The images of an object cannot be read.
    """
    from kbuild.stages.relocatable import read_images  # noqa: PLC0415 - loads parsers

    wanted = {(image.arch, image.kind): image.path.suffix for image in own}
    for plan in libraries.plans:
        compiled = load_compiled(plan.prelinked)
        images = [image for source in compiled for image in source.images]
        found = [image.path for image in images if (image.arch, image.kind) in wanted]
        _check_found(found, f"static library '{plan.target}'", target, own)
        yield from found
    for number, part in enumerate(libraries.objects):
        contents = read_images(part)
        found = []
        for key, suffix in wanted.items():
            for index, content in enumerate(contents.get(key, ())):
                found.append(output.with_name(f"{output.name}.{number}.{index}{suffix}"))
                files.write_file(found[-1], content)
        _check_found(found, part.name, target, own)
        yield from found


def _check_found(
    found: list[Path], library: str, target: str, own: tuple[DeviceImage, ...]
) -> None:
    if not found:
        names = " or ".join(sorted({image.arch for image in own}))
        raise ConfigurationError(
            f"{target}: {library} has no device code for {names}; build it for the ARCHITECTURES "
            f"of '{target}'"
        )
