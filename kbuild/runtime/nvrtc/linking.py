"""Link the relocatable images that a running program has written into a directory.

The names of the files are those of ``native/cpu/api/linker.cpp``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from kbuild import files
from kbuild.errors import ConfigurationError, KbuildError
from kbuild.formats.elf.constants import ELF_MAGIC
from kbuild.formats.elf.file import Elf
from kbuild.runtime.device_links import link_parts
from kbuild.runtime.fat_binary import unpack_fat_binary
from kbuild.runtime.nvrtc.program import read_list, write_results
from kbuild.stages.relocatable import RelocatableObject, list_objects, read_images
from kbuild.values import dataclass

_FAILURE: Final = 1
_FIX: Final = "compile it with -rdc=true"
_ANY: Final = ""  # an image without a container does not name its architecture


@dataclass(frozen=True, slots=True, kw_only=True)
class _Input:
    """Relocatable code: what it is called, and its images by architecture."""

    name: str
    images: dict[str, tuple[bytes, ...]]


def link_directory(directory: Path, backend: str) -> int:
    """Link the images of a directory, and write the results into it.

    Returns:
        0, or another number for an error that the log explains.
    """
    try:
        inputs = tuple(
            found
            for number, name in enumerate(read_list(directory / "names"))
            for found in _read_input(directory, number, name, backend)
        )
        image = _link(inputs, read_list(directory / "architectures"), directory, backend)
    except KbuildError as error:
        files.write_file(directory / "log", f"{error}\n".encode(errors="replace"))
        return _FAILURE
    write_results(directory, image)
    return 0


def _read_input(directory: Path, number: int, name: str, backend: str) -> Iterator[_Input]:
    image = directory / "images" / str(number)
    if image.exists():
        content = files.read_file(image)
        images: dict[str, tuple[bytes, ...]] = (
            {} if _is_elf(content) else _unpack(content, name, backend)
        )
        yield _Input(name=name, images=images or {_ANY: (content,)})
        return
    path = directory / "host" / str(number)
    for member, content in list_objects(path):
        label = member.replace(str(path), name)
        found = read_images(RelocatableObject(name=label, ids=(), content=content))
        if found:  # others have host code only
            yield _Input(name=label, images={arch: parts for (arch, _), parts in found.items()})


def _is_elf(content: bytes) -> bool:
    return content.startswith(ELF_MAGIC)


def _unpack(content: bytes, name: str, backend: str) -> dict[str, tuple[bytes, ...]]:
    images: dict[str, tuple[bytes, ...]] = {}
    for image, data in unpack_fat_binary(backend, content, name):
        images[image.arch] = (*images.get(image.arch, ()), bytes(data))
    return images


def _link(
    inputs: tuple[_Input, ...], architectures: Sequence[str], directory: Path, backend: str
) -> bytes:
    """Link the images of the best architecture that all inputs have."""
    if not inputs:
        raise ConfigurationError(f"no input has relocatable device code; {_FIX}")
    arch = next(
        (one for one in architectures if all({one, _ANY} & set(found.images) for found in inputs)),
        None,
    )
    if arch is None:
        listed = "; ".join(f"{found.name} has {', '.join(found.images)}" for found in inputs)
        raise ConfigurationError(f"no architecture of this machine has all device code: {listed}")
    parts = tuple(
        (found.name, content)
        for found in inputs
        for content in (*found.images.get(arch, ()), *found.images.get(_ANY, ()))
    )
    complete = [name for name, content in parts if Elf(content).type != "relocatable"]
    if complete and len(parts) == 1:
        return parts[0][1]  # as a driver, which also takes finished code
    if complete:
        raise ConfigurationError(
            f"{complete[0]} is finished device code, which cannot be linked with other code; {_FIX}"
        )
    return link_parts(parts, arch, directory, backend)
