"""Build the kernel table from the images of all sources, with one row per handle."""

from __future__ import annotations

from typing import TypeAlias

from kbuild.demangle.stub_names import name_stub
from kbuild.errors import SourceError
from kbuild.facts.parameter_layout import find_difference
from kbuild.model import DeviceImage, Kernel, KernelRecord

# The name and the images of one source, or of the target if a device link made the images.
SourceImages: TypeAlias = tuple[str, tuple[DeviceImage, ...]]


def build_kernel_table(
    sources: tuple[SourceImages, ...], *, has_stubs: bool = False
) -> tuple[KernelRecord, ...]:
    """Build the kernel table, with one row per handle.

    If two sources define a template or inline kernel with the same layout, the first one is
    registered.

    Raises:
        SourceError: Two sources define another kernel, or define it with different layouts; or the
            images of a source differ in their kernels.
    """
    rows: dict[str, tuple[KernelRecord, str]] = {}
    for container, (source, images) in enumerate(sources):
        for kernel in find_common_kernels(source, images):
            # Static kernels of two sources can have the same name, but are two kernels.
            is_shared_name = kernel.linkage == "internal" and kernel.name in rows
            suffix = f".{container}" if is_shared_name else ""
            handle = kernel.name + suffix
            row = KernelRecord(
                handle=handle,
                device_name=kernel.name,
                display=kernel.display,
                linkage=kernel.linkage,
                container=container,
                params=kernel.params,
                stub=name_stub(kernel.name) + suffix if has_stubs else None,
            )
            if handle in rows:
                _check_duplicate(row, source, *rows[handle])
            else:
                rows[handle] = (row, source)
    return tuple(row for row, _ in rows.values())


def _check_duplicate(
    second: KernelRecord, second_source: str, first: KernelRecord, first_source: str
) -> None:
    if first.linkage != "weak" or second.linkage != "weak":
        raise SourceError(
            f"kernel '{second.display}' is defined in both {first_source} and {second_source}; "
            "rename one, or declare it in one source only"
        )
    if find_difference(first.params, second.params) is not None:
        raise SourceError(
            f"kernel '{second.display}' has one parameter layout in {first_source} and another "
            f"in {second_source}; use the same definitions of its parameter types in both"
        )


def find_common_kernels(source: str, images: tuple[DeviceImage, ...]) -> tuple[Kernel, ...]:
    """Return the kernels of a source, which must be the same in all of its images.

    Bitcode of vendors does not list any.
    """
    first, *others = (image for image in images if image.kind != "bitcode" or image.kernels)
    expected = {kernel.name: kernel for kernel in first.kernels}
    for image in others:
        found = {kernel.name: kernel for kernel in image.kernels}
        for name in (*expected, *found):
            if name not in found or name not in expected:
                has, lacks = (first, image) if name in expected else (image, first)
                kernel = expected.get(name) or found[name]
                raise SourceError(
                    f"{source}: kernel '{kernel.display}' is defined for {has.arch} but not for "
                    f"{lacks.arch}; define it for every architecture"
                )
            if find_difference(expected[name].params, found[name].params) is not None:
                raise SourceError(
                    f"{source}: kernel '{expected[name].display}' has one parameter layout for "
                    f"{first.arch} and another for {image.arch}; use the same types for both"
                )
    return first.kernels
