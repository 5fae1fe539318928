"""Links the relocatable images of a target for one architecture to one image."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kbuild import files, records
from kbuild.backends import find_backend
from kbuild.backends.interface.build import LinkUnit
from kbuild.errors import SourceError
from kbuild.model import DeviceImage, Kernel, Resources
from kbuild.stages.compile import CompiledSource, describe_image, finish
from kbuild.stages.edges import LinkEdge, asks_for_debug
from kbuild.stages.target import DeviceFlags


def link_edge(edge: LinkEdge, flags: DeviceFlags) -> CompiledSource:
    """Run the device linker; write the edge's record, which is like a source's, last.

    Raises ToolError when it fails, SourceError when no source has a kernel; the record is not
    written then.
    """
    started = files.begin_stamp(edge.stamp)
    backend = find_backend(edge.toolchain.backend)
    sources = tuple(
        records.load(records.IMAGE_SCHEMA, CompiledSource, files.read_file(path), str(path))
        for path in edge.compiled
    )
    images = tuple(image for source in sources for image in source.images)
    unit = LinkUnit(
        target=edge.target,
        arch=edge.arch,
        images=tuple(image.path for image in images),
        output=edge.output,
        build_options=flags.build_options,
        debug=asks_for_debug((*flags.build_options, *flags.options)),
    )
    contents = tuple(files.read_file(image.path) for image in images)
    completion = backend.link_images(unit, contents, edge.toolchain)
    finish(completion, explain=backend.explain_link_failure)
    own = _Own(
        kernels={kernel.name: kernel for image in images for kernel in image.kernels},
        variables=frozenset(variable.name for image in images for variable in image.variables),
    )
    keep = _keep_all if any(image.kind == "bitcode" for image in images) else _keep_own
    linked = CompiledSource(
        source=edge.target,
        backend=backend.NAME,
        images=tuple(
            keep(describe_image(edge.target, output, backend), own) for output in completion.images
        ),
        log="",
        warnings="",
    )
    if not any(image.kernels for image in linked.images):
        raise SourceError(f"{edge.target}: no kernel (no __global__ function) in its sources")
    files.write_stamp(edge.stamp, records.dump(records.IMAGE_SCHEMA, linked), started)
    return linked


def _keep_all(image: DeviceImage, own: _Own) -> DeviceImage:  # noqa: ARG001 - as `_keep_own`
    """Nothing is told apart: bitcode does not say what it defines, and no library is in it."""
    return image


@dataclass(frozen=True, slots=True, kw_only=True)
class _Own:
    """What the sources define; the device linker adds what is the vendor's own."""

    kernels: dict[str, Kernel]
    variables: frozenset[str]


def _keep_own(image: DeviceImage, own: _Own) -> DeviceImage:
    """The image with what the compiler alone knew, and what is of no source apart."""
    return replace(
        image,
        kernels=tuple(
            replace(kernel, resources=_add_spills(kernel, own.kernels[kernel.name]))
            for kernel in image.kernels
            if kernel.name in own.kernels
        ),
        variables=tuple(v for v in image.variables if v.name in own.variables),
        library_kernels=tuple(k.name for k in image.kernels if k.name not in own.kernels),
    )


def _add_spills(linked: Kernel, compiled: Kernel) -> Resources:
    return replace(
        linked.resources,
        spill_bytes=compiled.resources.spill_bytes,
        spill_store_bytes=compiled.resources.spill_store_bytes,
        spill_load_bytes=compiled.resources.spill_load_bytes,
    )
