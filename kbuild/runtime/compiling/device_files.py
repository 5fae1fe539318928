"""Modules from files of device code: images, fat binaries, and files that contain them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from kbuild.backends import find_backend, list_readers
from kbuild.backends.interface.build import ImageOutput
from kbuild.backends.interface.read import StoredImage
from kbuild.errors import InputError, KbuildError
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.constants import ELF_MAGIC
from kbuild.formats.elf.file import Elf
from kbuild.inspect.containers import find_containers
from kbuild.inspect.device import find_device_containers
from kbuild.inspect.file_content import open_content
from kbuild.inspect.host.modules import find_modules
from kbuild.model import DeviceImage, KernelRecord
from kbuild.runtime.compiling.model import Compilation
from kbuild.runtime.fat_binary import unpack_fat_binary
from kbuild.stages.compile import CompiledSource, describe_content
from kbuild.stages.stubs.kernel_table import build_kernel_table

if TYPE_CHECKING:
    from kbuild.backends.interface.read import ImageReader


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceFile:
    """The content of a file of device code.

    Attributes:
        compilation: The architecture; a file says nothing else about its compilation.
        contents: The bytes of the images.
    """

    compilation: Compilation
    compiled: CompiledSource
    rows: tuple[KernelRecord, ...]
    contents: tuple[bytes, ...]


def read_device_file(path: Path) -> DeviceFile:
    """Read the device code in a file, without running anything of it.

    Raises:
        InputError: The file contains no device code, damaged code, or that of several backends.
    """
    content = open_content(path)
    containers = list(_find_containers(path, content))
    backends = {backend for backend, _ in containers}
    if len(backends) != 1:
        what = "no device code" if not backends else f"code for {' and '.join(sorted(backends))}"
        raise InputError(
            f"{path}: the file contains {what}; expected a saved module, or the images of one "
            "backend (a cubin, PTX, a fat binary, a code object, or a file that contains them)"
        )
    (backend,) = backends
    described: list[tuple[DeviceImage, bytes]] = []
    sources = []
    for number, (_, unpacked) in enumerate(containers):
        label = path.name if len(containers) == 1 else f"{path.name}#{number}"
        found = list(_describe(path, label, backend, unpacked))
        sources.append((label, tuple(image for image, _ in found)))
        described += found
    compilation = Compilation(
        source=path.name,
        base_name=path.stem,
        backend=backend,
        arch=described[0][0].arch,
        command=(),
        compiler="",
        compiler_version="",
        log="",
        warnings="",
    )
    images = tuple(image for image, _ in described)
    return DeviceFile(
        compilation=compilation,
        compiled=CompiledSource(
            source=path.name, backend=backend, images=images, log="", warnings=""
        ),
        rows=_build_table(path, sources),
        contents=tuple(data for _, data in described),
    )


def _find_containers(
    path: Path, content: Buffer
) -> Iterator[tuple[str, tuple[tuple[StoredImage, Buffer], ...]]]:
    """Yield the backend and the images of each container in the file."""
    found = find_device_containers(str(path), content)
    containers = found[1] if found else ()
    if not found and bytes(content[: len(ELF_MAGIC)]) == ELF_MAGIC:
        try:
            elf = Elf(content)
            containers = tuple(find_containers(elf, find_modules(elf)[0]))
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
        if not containers:
            yield from _find_host_image(content)
    for container in containers:
        backend = container.reader.NAME
        if found and found[0] == "image":
            yield backend, ((container.listing.images[0], content),)
        else:
            yield backend, unpack_fat_binary(backend, container.content, str(path))


def _find_host_image(
    content: Buffer,
) -> Iterator[tuple[str, tuple[tuple[StoredImage, Buffer], ...]]]:
    """Yield the file itself if it is an image for the processor of this machine."""
    for reader in list_readers():
        devices = find_backend(reader.NAME).devices
        if not _has_kernels(reader, content) or devices is None:
            continue
        image = StoredImage(
            backend=reader.NAME,
            # The image does not name the level of the processor that it needs.
            arch=devices.native_architectures(())[0],
            kind="elf",
            compression="none",
            stored_size=len(content),
            size=len(content),
            entry=None,
        )
        yield reader.NAME, ((image, content),)
        return


def _has_kernels(reader: ImageReader, content: Buffer) -> bool:
    try:
        return bool(reader.read_image(content, "elf").kernels)
    except KbuildError:
        return False


def _describe(
    path: Path, label: str, backend: str, unpacked: tuple[tuple[StoredImage, Buffer], ...]
) -> Iterator[tuple[DeviceImage, bytes]]:
    """Yield the images of a container with their bytes; their paths are names for saved files."""
    stem = label.removeprefix(path.name).replace("#", ".")
    for image, data in unpacked:
        is_whole = len(data) == path.stat().st_size
        name = path.name if is_whole else f"{path.stem}{stem}.{image.arch}.{image.kind}"
        output = ImageOutput(path=Path(name), arch=image.arch, kind=image.kind)
        if image.kind not in ("elf", "ptx"):
            continue
        try:
            yield describe_content(label, output, bytes(data), backend), bytes(data)
        except InputError as error:
            raise InputError(f"{path}: the image for {image.arch}: {error}") from error


def _build_table(
    path: Path, sources: list[tuple[str, tuple[DeviceImage, ...]]]
) -> tuple[KernelRecord, ...]:
    """Build the kernel table of all containers.

    Other tools can put different kernels into the images of one container, and the same kernel into
    several containers.
    """
    rows: dict[str, KernelRecord] = {}
    for number, (label, images) in enumerate(sources):
        kernels = {kernel.name: kernel for image in images for kernel in image.kernels}
        having = [
            replace(image, kernels=tuple(kernels.values())) for image in images[:1] if kernels
        ]
        for row in build_kernel_table(((label, tuple(having)),)) if having else ():
            handle = row.handle if row.handle not in rows else f"{row.handle}.{number}"
            if row.linkage == "weak" and row.handle in rows:
                continue
            rows[handle] = replace(row, handle=handle, container=number)
    if not rows:
        raise InputError(f"{path}: the device code in the file has no kernels")
    return tuple(rows.values())
