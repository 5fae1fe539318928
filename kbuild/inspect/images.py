"""Read device images: from containers to the facts of their images."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
from kbuild.model import Problem, Variable
from kbuild.values import dataclass, replace

# Below this many stored bytes, starting processes costs more time than it saves.
_PARALLEL: Final = 8 << 20
# Pages of a mapped file are released after reading this many stored bytes.
_RELEASE_INTERVAL: Final = 16 << 20
# All images of a file together can decompress to this many times the size of the containers.
_MAX_RATIO: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class FatBinaries:
    """The device code of one host file.

    ``target_containers`` has one entry per kernel target: for each container in the target's
    record, its position in ``containers``, or None if it was not found.
    """

    containers: tuple[ContainerFacts, ...]
    images: tuple[ImageFacts, ...]
    problems: tuple[Problem, ...]
    target_containers: tuple[tuple[int | None, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadContainer:
    """The images of a container, and the problems that do not belong to one image."""

    images: tuple[ImageFacts, ...]
    problems: tuple[Problem, ...]


def read_fat_binaries(elf: Elf, targets: tuple[Target, ...], options: ReadOptions) -> FatBinaries:
    """Read the device code of a host file that has these kernel targets."""
    containers = tuple(find_containers(elf, targets))
    # Listing the images touched pages in all parts of the file.
    release(elf.data)
    numbers = {container.extent: container.number for container in containers}
    contents = read_containers(containers, options)
    return FatBinaries(
        containers=tuple(map(describe_container, containers, contents)),
        images=tuple(image for read in contents for image in read.images),
        problems=tuple(problem for read in contents for problem in read.problems),
        target_containers=tuple(_number_containers(target, numbers) for target in targets),
    )


def read_containers(
    containers: Sequence[Container], options: ReadOptions
) -> tuple[ReadContainer, ...]:
    """Read the images of each container, in several processes if there is much to read."""
    if options.summary:
        return tuple(map(_summarize, containers))
    size = sum(container.extent.size for container in containers)
    containers = limit_decompression(containers, options)
    jobs = 1 if size < _PARALLEL else options.jobs
    pickling.register()
    report = _make_reporter(containers, options)
    found: list[ReadContainer] = []
    for read in parallel.map_in_order(
        lambda container: _read_container(container, options), containers, jobs=jobs
    ):
        report(len(found))
        found.append(read)
    return tuple(found)


def _make_reporter(containers: Sequence[Container], options: ReadOptions) -> Callable[[int], None]:
    progress = options.progress
    if progress is None:
        return lambda _: None
    return lambda position: progress(containers[position].extent.size)


def limit_decompression(
    containers: Sequence[Container], options: ReadOptions
) -> tuple[Container, ...]:
    """Return the containers, with those images refused that would decompress to too much.

    The limit is on all images together: the option ``archive_limit``, or 64 times the stored
    size, whichever is more.
    """
    size = sum(container.extent.size for container in containers)
    return tuple(_refuse_bombs(containers, max(options.archive_limit, _MAX_RATIO * size)))


def _refuse_bombs(containers: Sequence[Container], limit: int) -> Iterator[Container]:
    """Refuse the compressed images that exceed ``limit`` bytes together."""
    left = limit
    for container in containers:
        images = []
        for stored in container.listing.images:
            left -= (stored.size or 0) if stored.compression != "none" else 0
            message = f"the images of the file decompress to more than {limit} bytes"
            images.append(
                stored if left >= 0 else replace(stored, problem=message, is_refused=True)
            )
        yield (
            container
            if left >= 0
            else replace(container, listing=replace(container.listing, images=tuple(images)))
        )


def _summarize(container: Container) -> ReadContainer:
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
    """Read the images of a container, with one image in memory at a time."""
    images: list[ImageFacts] = []
    problems = list(_number_problems(container))
    left = _RELEASE_INTERVAL
    listed = tuple(image for image in container.listing.images if not image.is_refused)
    loaded = container.reader.load_images(listed, container.content, options.image_limit)
    for stored, data in loaded:
        image, found = _read_image(container, stored, data)
        if options.code and image.problem is None and not isinstance(data, Problem):
            image = replace(image, code=_share_names(read_code(stored, data), image))
        images.append(image)
        problems.extend(found)
        left -= stored.stored_size
        if left < 0:
            release(container.content)
            left = _RELEASE_INTERVAL
    release(container.content)
    for stored in container.listing.images:
        if stored.is_refused:
            image = _describe_image(stored, container.number, 0, ImageContent(kernels=()))
            images.append(replace(image, problem=stored.problem))
    return ReadContainer(images=tuple(images), problems=tuple(problems))


def _read_image(
    container: Container, stored: StoredImage, loaded: Buffer | Problem
) -> tuple[ImageFacts, tuple[Problem, ...]]:
    """Read one image.

    Returns:
        The image's facts, and the problems in the parts of it that could not be read.
    """
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
    # Data that kbuild cannot decompress arrives as it is stored.
    is_packed = stored.compression != "none" and len(data) == stored.stored_size
    size = stored.size if is_packed and stored.size is not None else len(data)
    image = _describe_image(stored, container.number, size, content)
    own = sha256(bytes(data)) if container.is_claimed else None
    where = f"container {container.number}, {stored.arch}"
    return (
        replace(
            image,
            problem=problem,
            sha256=own,
            variables=() if container.is_claimed else _select_nameable(content.variables),
        ),
        tuple(replace(p, where=f"{where}, {p.where}") for p in content.problems),
    )


def _select_nameable(variables: tuple[Variable, ...]) -> tuple[Variable, ...]:
    """Return the variables that files other than the image itself can name."""
    return tuple(variable for variable in variables if variable.linkage != "internal")


def read_code(stored: StoredImage, data: Buffer) -> CodeFacts:
    """Return the digests of an image's functions and data.

    If the parts of the image cannot be separated, return one digest of all of it.
    """
    reader = find_backend(stored.backend).code
    try:
        code = reader.read_code(data, stored.kind) if reader else None
    except InputError:
        code = None
    return code or CodeFacts(context=digest((data,)))


def _share_names(code: CodeFacts, image: ImageFacts) -> CodeFacts:
    """Use the strings of the kernels as names of the digests, because names need most memory."""
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
        object_version=content.object_version,
        source_paths=content.source_paths,
        nameless=content.nameless,
    )


def describe_container(container: Container, read: ReadContainer) -> ContainerFacts:
    """Return the facts of a container whose content is ``read``."""
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
