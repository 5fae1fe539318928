"""Device images in a host file: fat binary sections to containers and images."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from kbuild import parallel
from kbuild.backends import find_backend
from kbuild.backends.interface.read import ImageContent, StoredImage
from kbuild.errors import InputError
from kbuild.facts import CodeFacts, ContainerFacts, ImageFacts
from kbuild.files import sha256
from kbuild.formats.buffer import Buffer, release
from kbuild.formats.elf.code import digest
from kbuild.formats.elf.file import Elf
from kbuild.inspect import pickling
from kbuild.inspect.containers import Container, find_containers
from kbuild.inspect.host.descriptor import Extent
from kbuild.inspect.host.modules import Target
from kbuild.inspect.options import ReadOptions
from kbuild.model import Problem

# Starting processes pays from here on, in stored bytes; memory is given back every so often.
_PARALLEL: Final = 8 << 20
_RELEASED: Final = 16 << 20
# What a file's images may take up together where that is more than the limit for archives.
_RATIO: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class FatBinaries:
    """All device code of one file.

    ``of_targets`` has, for each target, the positions in ``containers`` of its own.
    """

    containers: tuple[ContainerFacts, ...]
    images: tuple[ImageFacts, ...]
    problems: tuple[Problem, ...]
    of_targets: tuple[tuple[int | None, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadContainer:
    """A container's images, and the problems that belong to none of them alone."""

    images: tuple[ImageFacts, ...]
    problems: tuple[Problem, ...]


def read_fat_binaries(elf: Elf, targets: tuple[Target, ...], options: ReadOptions) -> FatBinaries:
    """Read every fat binary section, divided into containers as the descriptors say."""
    claimed = {e for t in targets if t.descriptor for e in t.descriptor.containers}
    containers = tuple(find_containers(elf, claimed))
    numbers = {container.extent: container.number for container in containers}
    read = read_containers(containers, options)
    return FatBinaries(
        containers=tuple(map(describe_container, containers, read)),
        images=tuple(image for one in read for image in one.images),
        problems=tuple(problem for one in read for problem in one.problems),
        of_targets=tuple(_number_containers(target, numbers) for target in targets),
    )


def read_containers(
    containers: Sequence[Container], options: ReadOptions
) -> tuple[ReadContainer, ...]:
    """The images of each container, on several cores where there is much to read."""
    if options.summary:
        return tuple(map(_summarise, containers))
    size = sum(container.extent.size for container in containers)
    containers = bound_containers(containers, options)
    jobs = 1 if size < _PARALLEL else options.jobs
    pickling.register()
    report = _make_reporter(containers, options)
    found: list[ReadContainer] = []
    for one in parallel.map_in_order(
        lambda container: _read_container(container, options), containers, jobs=jobs
    ):
        report(len(found))
        found.append(one)
    return tuple(found)


def _make_reporter(containers: Sequence[Container], options: ReadOptions) -> Callable[[int], None]:
    progress = options.progress
    if progress is None:
        return lambda _: None
    return lambda position: progress(containers[position].extent.size)


def bound_containers(
    containers: Sequence[Container], options: ReadOptions
) -> tuple[Container, ...]:
    """The containers, with what is too much of them refused."""
    size = sum(container.extent.size for container in containers)
    return tuple(_refuse_bombs(containers, max(options.archive_limit, _RATIO * size)))


def _refuse_bombs(containers: Sequence[Container], limit: int) -> Iterator[Container]:
    """The containers, their compressed images beyond ``limit`` bytes altogether refused."""
    left = limit
    for container in containers:
        images = []
        for stored in container.listing.images:
            left -= (stored.size or 0) if stored.compression != "none" else 0
            message = f"the file's images take more than {limit} bytes decompressed"
            images.append(
                stored if left >= 0 else replace(stored, problem=message, is_refused=True)
            )
        yield (
            container
            if left >= 0
            else replace(container, listing=replace(container.listing, images=tuple(images)))
        )


def _summarise(container: Container) -> ReadContainer:
    nothing = ImageContent(kernels=())
    images = tuple(
        replace(
            _describe_image(stored, container.number, stored.size or 0, nothing),
            problem=stored.problem,
        )
        for stored in container.listing.images
    )
    return ReadContainer(images=images, problems=_number_problems(container))


def _number_problems(container: Container) -> tuple[Problem, ...]:
    where = f"container {container.number}"
    return tuple(replace(p, where=f"{where}, {p.where}") for p in container.listing.problems)


def _read_container(container: Container, options: ReadOptions) -> ReadContainer:
    """The images with what they hold, one at a time in memory."""
    images: list[ImageFacts] = []
    problems = list(_number_problems(container))
    left = _RELEASED
    listed = tuple(image for image in container.listing.images if not image.is_refused)
    loaded = container.reader.load_images(listed, container.content, options.image_limit)
    for stored, data in loaded:
        image, found = _read_image(container, stored, data)
        if options.code and image.problem is None and not isinstance(data, Problem):
            image = replace(image, code=_share_names(_read_code(stored, data), image))
        images.append(image)
        problems.extend(found)
        left -= stored.stored_size
        if left < 0:
            release(container.content)
            left = _RELEASED
    release(container.content)
    for stored in container.listing.images:
        if stored.is_refused:
            image = _describe_image(stored, container.number, 0, ImageContent(kernels=()))
            images.append(replace(image, problem=stored.problem))
    return ReadContainer(images=tuple(images), problems=tuple(problems))


def _read_image(
    container: Container, stored: StoredImage, loaded: Buffer | Problem
) -> tuple[ImageFacts, tuple[Problem, ...]]:
    """The image, and what of it makes no sense where the rest does."""
    content, problem = ImageContent(kernels=()), stored.problem
    data: Buffer = b""
    if isinstance(loaded, Problem):
        problem = problem or loaded.message
    else:
        data = loaded
    if problem is None:
        try:
            content = container.reader.read_image(data, stored.kind)
        except InputError as error:
            problem = str(error)
    # What nobody can decompress comes as it is stored.
    is_packed = stored.compression != "none" and len(data) == stored.stored_size
    size = stored.size if is_packed and stored.size is not None else len(data)
    image = _describe_image(stored, container.number, size, content)
    own = sha256(bytes(data)) if container.is_claimed else None
    where = f"container {container.number}, {stored.arch}"
    return (
        replace(image, problem=problem, sha256=own),
        tuple(replace(p, where=f"{where}, {p.where}") for p in content.problems),
    )


def _read_code(stored: StoredImage, data: Buffer) -> CodeFacts:
    """The digests of the image's parts; of what has none, that of all of it."""
    reader = find_backend(stored.backend).code
    try:
        code = reader.read_code(data, stored.kind) if reader else None
    except InputError:
        code = None
    return code or CodeFacts(context=digest((data,)))


def _share_names(code: CodeFacts, image: ImageFacts) -> CodeFacts:
    """The digests under the kernels' own strings: names are most of what facts take up."""
    names = {kernel.name: kernel.name for kernel in image.kernels}
    return replace(
        code, functions=tuple((names.get(name, name), value) for name, value in code.functions)
    )


def _describe_image(
    stored: StoredImage, container: int, size: int, content: ImageContent
) -> ImageFacts:
    return ImageFacts(
        backend=stored.backend,
        arch=stored.arch,
        kind=stored.kind,
        compression=stored.compression,
        size=size,
        stored_size=stored.stored_size,
        sha256=None,
        container=container,
        kernels=content.kernels,
        ptx_version=stored.ptx_version,
        source_paths=content.source_paths,
        nameless=content.nameless,
    )


def describe_container(container: Container, read: ReadContainer) -> ContainerFacts:
    """The container that ``read`` was found in."""
    has_nameless_image = any(image.problem and not image.arch for image in read.images)
    return ContainerFacts(
        backend=container.reader.NAME,
        place=container.extent.place,
        size=container.extent.size,
        is_damaged=bool(read.problems) or has_nameless_image,
        alignment=container.reader.find_alignment(container.section),
        is_relocatable=container.is_relocatable,
    )


def _number_containers(target: Target, numbers: dict[Extent, int]) -> tuple[int | None, ...]:
    if target.descriptor is None:
        return (None,) * len(target.record.containers)
    return tuple(numbers.get(extent) for extent in target.descriptor.containers)
