"""Make the containers of a target, and describe them as they can be read back."""

from __future__ import annotations

from typing import Final, Literal, get_args

from kbuild import files, parallel, process
from kbuild.backends import find_backend
from kbuild.backends.interface.build import Builder, PackedImage, PackUnit
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.errors import ConfigurationError, InputError, ToolError
from kbuild.model import (
    CompilerRecord,
    ContainerRecord,
    DeviceImage,
    FigureRecord,
    ImageKind,
    ImageRecord,
    LoggedFigure,
    Problem,
)
from kbuild.stages.edges import PackPlan
from kbuild.stages.packing.inputs import PackInputs, group_prelinked, group_registered
from kbuild.stages.stubs.kernel_table import SourceImages
from kbuild.values import dataclass

# No limit in practice: kbuild itself wrote the containers.
_LARGEST_IMAGE: Final = 1 << 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Containers:
    """The containers of a target.

    ``contents`` has the bytes of each container, and ``records`` describes them. The images in the
    records refer to ``compilers`` by position.
    """

    contents: tuple[bytes, ...]
    records: tuple[ContainerRecord, ...]
    compilers: tuple[CompilerRecord, ...]


def make_containers(inputs: PackInputs, builder: Builder) -> Containers:
    """Make one container per group of images that are registered together.

    Raises:
        InputError: An image changed since it was compiled.
        ToolError: A packer failed, or changed what it packed.
    """
    registered, prelinked = group_registered(inputs), group_prelinked(inputs)
    groups = (*registered, *prelinked)
    images = (image for _, images in groups for image in images)
    compilers = tuple(dict.fromkeys(image.compiler for image in images if image.compiler))
    contents = parallel.map_in_threads(
        lambda index: _make_container(builder, inputs.plan, index, groups[index][1]),
        range(len(groups)),
    )
    return Containers(
        contents=contents,
        records=tuple(
            ContainerRecord(
                source=group[0],
                images=_describe_images(builder, group, content, compilers),
                is_prelinked=index >= len(registered),
            )
            for index, (group, content) in enumerate(zip(groups, contents, strict=True))
        ),
        compilers=compilers,
    )


def concatenate(
    containers: tuple[bytes, ...], alignment: int
) -> tuple[bytes, tuple[tuple[int, int], ...]]:
    """Concatenate the containers, each aligned; return (offset, size) of each."""
    content = bytearray()
    spans = []
    for container in containers:
        content.extend(bytes(-len(content) % alignment))
        spans.append((len(content), len(container)))
        content.extend(container)
    return bytes(content), tuple(spans)


def _make_container(
    builder: Builder, plan: PackPlan, index: int, images: tuple[DeviceImage, ...]
) -> bytes:
    unit = PackUnit(
        images=tuple(map(read_image, images)),
        output=plan.container(index),
        linking=_describe_linking(plan, index),
        compression=plan.compression,
    )
    return write_container(unit, builder, plan.toolchain)


def write_container(unit: PackUnit, builder: Builder, toolchain: Toolchain) -> bytes:
    """Return a container with the images of ``unit``; raise ToolError if a packer failed."""
    packing = builder.pack(unit, toolchain)
    if not packing.commands:
        return packing.content
    for command in packing.commands:
        process.run_checked(command)
    return files.read_file(unit.output)


def read_image(image: DeviceImage) -> PackedImage:
    """Read an image for a container; raise InputError if it changed since its edge wrote it."""
    data = files.read_file(image.path)
    if files.sha256(data) != image.sha256:
        raise InputError(
            f"{image.path}: changed since it was compiled; remove {image.path.parent} and rebuild"
        )
    return PackedImage(
        arch=image.arch, kind=image.kind, sha256=image.sha256, path=image.path, data=data
    )


def _describe_linking(plan: PackPlan, index: int) -> Literal["none", "linked", "prelinked"]:
    if plan.link_ids:
        return "prelinked"
    # A device link makes one container, which precedes the containers of its inputs.
    if not plan.prelinked:
        return "none"
    return "linked" if index == 0 else "prelinked"


def _describe_images(
    builder: Builder,
    group: SourceImages,
    content: bytes,
    compilers: tuple[CompilerRecord, ...],
) -> tuple[ImageRecord, ...]:
    """Describe the images as the container holds them; a packer can rewrite PTX."""
    source, images = group
    found, problems = _read_back(builder, content)
    if problems or len(found) != len(images):
        what = problems[0].message if problems else f"{len(found)} of {len(images)} images"
        raise ToolError(f"{source}: the container differs from what was packed: {what}")
    return tuple(
        ImageRecord(
            arch=image.arch,
            kind=image.kind,
            sha256=found[image.arch, image.kind][0],
            size=found[image.arch, image.kind][1],
            kernels=(*(kernel.name for kernel in image.kernels), *image.library_kernels),
            figures=_record_figures(image),
            compiler=compilers.index(image.compiler) if image.compiler else None,
        )
        for image in images
    )


def _record_figures(image: DeviceImage) -> tuple[FigureRecord, ...]:
    """Return what the compiler reported about the kernels and the image does not contain."""
    unknown = (None,) * len(image.library_kernels)
    columns = (
        FigureRecord(
            name=name,
            values=(*(getattr(kernel.resources, name) for kernel in image.kernels), *unknown),
        )
        for name in get_args(LoggedFigure)
    )
    return tuple(c for c in columns if any(value is not None for value in c.values))


def _read_back(
    builder: Builder, content: bytes
) -> tuple[dict[tuple[str, ImageKind], tuple[str, int]], list[Problem]]:
    """Return the digest and the size of the images of a container, by architecture and kind."""
    reader = find_backend(builder.TRAITS.name).read  # loads parsers
    if reader is None:
        raise ConfigurationError(f"backend {builder.TRAITS.name!r} cannot read containers")
    listing = reader.list_images(content, builder.TRAITS.fat_binary_section)
    found: dict[tuple[str, ImageKind], tuple[str, int]] = {}
    problems = list(listing.problems)
    for image, data in reader.load_images(listing.images, content, _LARGEST_IMAGE):
        if isinstance(data, Problem):
            problems.append(data)
        else:
            # Bitcode that the vendor scrambles is yielded as it is stored.
            size = image.size if image.kind == "bitcode" else None
            found[image.arch, image.kind] = files.sha256(bytes(data)), size or len(data)
    return found, problems
