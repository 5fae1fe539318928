"""Run a device link: turn the relocatable images of one architecture into one image."""

from __future__ import annotations

from functools import partial

from kbuild import files, records
from kbuild.backends import find_builder
from kbuild.backends.interface.build import LinkUnit
from kbuild.errors import SourceError
from kbuild.model import DeviceImage, Kernel, Resources
from kbuild.stages.compile import CompiledSource, describe_image, finish
from kbuild.stages.device_libraries import DeviceLibraries, load_compiled, select_images
from kbuild.stages.edges import LinkEdge, asks_for_debug
from kbuild.stages.target import DeviceFlags
from kbuild.values import dataclass, replace


def link_edge(
    edge: LinkEdge, flags: DeviceFlags, libraries: DeviceLibraries | None = None
) -> CompiledSource:
    """Run the device linker; write the edge's record, which is like a source's, last.

    Args:
        edge: The edge.
        flags: The flags of its target.
        libraries: The device code of other files that is linked, too.

    Raises:
        ConfigurationError: A library is not built for the architecture.
        ToolError: The device linker failed.
        SourceError: No source has a kernel.
    """
    started = files.begin_stamp(edge.stamp)
    backend = edge.toolchain.backend
    builder = find_builder(backend)
    images = tuple(image for source in load_compiled(edge.compiled) for image in source.images)
    others = select_images(libraries or DeviceLibraries(), edge.target, images, edge.output)
    unit = LinkUnit(
        target=edge.target,
        arch=edge.arch,
        images=(*(image.path for image in images), *others),
        output=edge.output,
        build_options=flags.build_options,
        debug=asks_for_debug((*flags.build_options, *flags.options)),
        is_checked=edge.is_checked,
    )
    contents = tuple(map(files.read_file, unit.images))
    completion = builder.link_images(unit, contents, edge.toolchain)
    finish(completion, partial(builder.read_log, unit=unit))
    compiled = [kernel for image in images for kernel in image.kernels]
    parts = _Parts(
        kernels=frozenset(kernel.name for kernel in compiled),
        # A source can have a cubin and PTX, which has no registers to spill.
        reported={k.name: k.resources for k in compiled if k.resources.spill_bytes is not None},
        variables=frozenset(variable.name for image in images for variable in image.variables),
    )
    keep = _keep_all if any(image.kind == "bitcode" for image in images) else _keep_own
    record = CompiledSource(
        source=edge.target,
        backend=backend,
        images=tuple(
            replace(
                keep(describe_image(edge.target, output, backend), parts),
                compiler=images[0].compiler,  # the sources of a target have the same flags
            )
            for output in completion.images
        ),
        log="",
        warnings="",
    )
    if not edge.is_mixed and not any(image.kernels for image in record.images):
        raise SourceError(f"{edge.target}: no kernel (no __global__ function) in its sources")
    files.write_stamp(edge.stamp, records.dump(records.IMAGE_SCHEMA, record), started)
    return record


def _keep_all(image: DeviceImage, parts: _Parts) -> DeviceImage:  # noqa: ARG001 - the signature of `_keep_own`
    """Return the image unchanged: bitcode does not say what it defines, and has no libraries."""
    return image


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """The kernels and variables of the linked sources, without those that the device linker adds.

    ``reported`` has the resources of the kernels whose spills the compiler reported.
    """

    kernels: frozenset[str]
    reported: dict[str, Resources]
    variables: frozenset[str]


def _keep_own(image: DeviceImage, parts: _Parts) -> DeviceImage:
    """Separate library kernels, and add the spills that only the compiler reported."""
    return replace(
        image,
        kernels=tuple(
            _add_spills(kernel, parts.reported.get(kernel.name))
            for kernel in image.kernels
            if kernel.name in parts.kernels
        ),
        variables=tuple(v for v in image.variables if v.name in parts.variables),
        library_kernels=tuple(k.name for k in image.kernels if k.name not in parts.kernels),
    )


def _add_spills(kernel: Kernel, reported: Resources | None) -> Kernel:
    if reported is None:
        return kernel
    resources = replace(
        kernel.resources,
        spill_bytes=reported.spill_bytes,
        spill_store_bytes=reported.spill_store_bytes,
        spill_load_bytes=reported.spill_load_bytes,
    )
    return replace(kernel, resources=resources)
