"""Link the relocatable device code of objects, and write the object that registers it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kbuild import __version__, files, records
from kbuild.backends import find_builder
from kbuild.backends.interface.build import (
    UNDEFINED_FIX,
    Builder,
    CompilerLog,
    LinkUnit,
    PackUnit,
)
from kbuild.backends.interface.nvcc import DeviceLink
from kbuild.errors import ConfigurationError
from kbuild.model import ContainerRecord, DeviceImage, ImageRecord, TargetRecord
from kbuild.nvcc.invocation import Invocation
from kbuild.nvcc.linking.libraries import list_directories
from kbuild.nvcc.objects import describe_unit
from kbuild.nvcc.tools import Tools, run_tool
from kbuild.stages.compile import describe_image, finish
from kbuild.stages.edges import list_stub_options
from kbuild.stages.output_names import name_file
from kbuild.stages.packing.containers import read_image, write_container
from kbuild.stages.relocatable import RelocatableObject, read_images
from kbuild.stages.stubs.unit import StubInputs, render_stub_unit
from kbuild.values import replace

_SOURCE: Final = "device link"
_UNDEFINED_FIX: Final = (
    "define it in an object or an archive of the link, which is compiled with -dc or -rdc=true"
)


def make_link(
    invocation: Invocation, paths: tuple[Path, ...], output: Path, tools: Tools
) -> DeviceLink:
    """Return the device link of the objects and archives of an invocation."""
    default = (tools.toolkit.layout.architecture,)
    return DeviceLink(
        files=paths,
        output=output,
        kind=invocation.link_output,
        architectures=invocation.architectures or default,
        host_compiler=tools.host_compiler,
        host_options=invocation.host_options,
        device_options=invocation.device_options,
        options=invocation.device_linker_options,
        libraries=invocation.libraries,
        library_directories=list_directories(invocation),
    )


def join_objects(
    objects: tuple[RelocatableObject, ...],
    invocation: Invocation,
    tools: Tools,
    output: Path,
    directory: Path,
) -> str:
    """Link the device code of objects without a tool of the backend.

    The output is an object that registers the images, the only image, or a fat binary.

    Returns:
        The warnings of the tools.

    Raises:
        ConfigurationError: No architecture has images of all objects, or there is no image to
            write.
        ToolError: The device linker failed.
        InputError: The images of an object cannot be read.
    """
    directory.mkdir(parents=True, exist_ok=True)
    unit, compiled = directory / "device_link.cpp", directory / "device_link.o"
    images = tuple(_link_images(objects, invocation, tools, directory)) if objects else ()
    if invocation.link_output != "object":
        files.write_file(output, _select_content(images, invocation, tools, directory))
        return ""
    ids = tuple(id_ for found in objects for id_ in found.ids)
    # Build systems also link targets without relocatable device code.
    files.write_file(unit, _make_unit(images, ids, tools, directory) if objects else b"")
    options = ("-std=gnu++17", *list_stub_options(), f"-ffile-prefix-map={directory}{os.sep}=")
    log = run_tool(describe_unit(invocation, tools, unit, compiled, options))
    files.write_file(output, files.read_file(compiled))
    return log


def _make_unit(
    images: tuple[DeviceImage, ...], ids: tuple[str, ...], tools: Tools, directory: Path
) -> bytes:
    """Write the files of the stub unit that registers linked images, and return its text."""
    builder = find_builder(tools.toolchain.backend)
    traits = builder.TRAITS
    fat_binary, kernel_table = directory / "device_link.fatbin", directory / "device_link.json"
    content = _pack(images, tools, fat_binary)
    table = _describe(images, ids, traits.name)
    record = records.dump(records.RECORD_SCHEMA, table)
    files.write_file(fat_binary, content)
    files.write_file(kernel_table, record)
    return render_stub_unit(
        StubInputs(
            table=table,
            headers=(),
            registration_header=traits.registration_header,
            section=traits.fat_binary_section,
            fat_binary=fat_binary,
            fat_binary_sha256=files.sha256(content),
            spans=((0, len(content)),),
            kernel_table=kernel_table,
            kernel_table_sha256=files.sha256(record),
            kernel_table_size=len(record),
            alignment=traits.fat_binary_alignment,
            linked_ids=ids,
        )
    )


def _pack(images: tuple[DeviceImage, ...], tools: Tools, output: Path) -> bytes:
    packed = PackUnit(images=tuple(map(read_image, images)), output=output, linking="linked")
    return write_container(packed, find_builder(tools.toolchain.backend), tools.toolchain)


def _select_content(
    images: tuple[DeviceImage, ...], invocation: Invocation, tools: Tools, directory: Path
) -> bytes:
    """Return the linked image, or the fat binary of all."""
    if not images:
        raise ConfigurationError(
            f"-dlink -{invocation.link_output}: no input has relocatable device code; compile "
            "with -dc or -rdc=true"
        )
    if invocation.link_output == "fatbin":
        return _pack(images, tools, directory / "device_link.fatbin")
    return files.read_file(images[0].path)


def _describe(images: tuple[DeviceImage, ...], ids: tuple[str, ...], backend: str) -> TargetRecord:
    """Describe linked images. The notes of the objects describe the kernels."""
    container = ContainerRecord(
        source=_SOURCE,
        images=tuple(
            ImageRecord(
                arch=image.arch,
                kind=image.kind,
                sha256=image.sha256,
                size=image.size,
                kernels=tuple(kernel.name for kernel in image.kernels),
            )
            for image in images
        ),
    )
    return TargetRecord(
        version=__version__,
        target=f"device_link_{files.sha256(''.join(ids).encode())[:16]}",
        backend=backend,
        visibility="hidden",
        kernels=(),
        containers=(container,),
    )


def _link_images(
    objects: tuple[RelocatableObject, ...], invocation: Invocation, tools: Tools, directory: Path
) -> Iterator[DeviceImage]:
    """Yield one linked image for each architecture that all objects have."""
    images = {
        found.name: {arch: data for (arch, _), data in read_images(found).items()}
        for found in objects
    }
    first, *others = images.values()
    common = [arch for arch in first if all(arch in other for other in others)]
    if not common:
        listed = "; ".join(f"{name} has {', '.join(found)}" for name, found in images.items())
        raise ConfigurationError(f"no architecture has device code of all objects: {listed}")
    for arch in common:
        parts: list[Path] = []
        for name, found in images.items():
            for data in found[arch]:
                parts.append(directory / f"{len(parts)}.{name_file(arch)}.{Path(name).name}")
                files.write_file(parts[-1], data)
        yield from _link_image(arch, tuple(parts), invocation, tools, directory)


def _link_image(
    arch: str, parts: tuple[Path, ...], invocation: Invocation, tools: Tools, directory: Path
) -> Iterator[DeviceImage]:
    builder = find_builder(tools.toolchain.backend)
    unit = LinkUnit(
        target=_SOURCE,
        arch=arch,
        images=parts,
        output=directory / f"linked.{name_file(arch)}",
        debug=invocation.has_debug,
        is_checked=invocation.is_checked,
    )
    contents = tuple(map(files.read_file, parts))
    completion = builder.link_images(unit, contents, tools.toolchain)
    finish(completion, lambda log: _read_log(log, unit, builder))
    for output in completion.images:
        yield describe_image(_SOURCE, output, tools.toolchain.backend)


def _read_log(log: str, unit: LinkUnit, builder: Builder) -> CompilerLog:
    """Read the log of a failed link; the fix is in the words of the command line."""
    found = builder.read_log(log, unit)
    return replace(found, fix=_UNDEFINED_FIX) if found.fix == UNDEFINED_FIX else found
