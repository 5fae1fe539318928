"""Link the relocatable device code of objects, and write the object that registers it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from kbuild import __version__, files
from kbuild.backends import find_builder
from kbuild.backends.interface.build import Builder, LinkUnit, PackedImage, PackUnit
from kbuild.backends.interface.nvcc import DeviceLink
from kbuild.errors import ConfigurationError
from kbuild.nvcc.invocation import Invocation
from kbuild.nvcc.relocatable import RelocatableObject, read_images
from kbuild.nvcc.source import describe_unit
from kbuild.nvcc.tools import Tools, run_tool
from kbuild.stages.compile import describe_image, finish
from kbuild.stages.edges import list_stub_options
from kbuild.stages.output_names import name_file
from kbuild.stages.packing.containers import write_container
from kbuild.stages.render import render
from kbuild.stages.stubs.unit import quote_path


def make_link(
    invocation: Invocation, paths: tuple[Path, ...], output: Path, tools: Tools
) -> DeviceLink:
    """Return the device link of the objects and archives of an invocation."""
    default = (tools.toolkit.layout.architecture,)
    return DeviceLink(
        files=paths,
        output=output,
        architectures=invocation.architectures or default,
        host_compiler=tools.host_compiler,
        host_options=invocation.host_options,
        options=invocation.device_linker_options,
        libraries=invocation.libraries,
        library_directories=invocation.library_directories,
    )


def join_objects(
    objects: tuple[RelocatableObject, ...],
    invocation: Invocation,
    tools: Tools,
    output: Path,
    directory: Path,
) -> str:
    """Link the device code of objects without a tool of the backend.

    Returns:
        The warnings of the tools.

    Raises:
        ConfigurationError: No architecture has images of all objects.
        ToolError: The device linker failed.
        InputError: The images of an object cannot be read.
    """
    directory.mkdir(parents=True, exist_ok=True)
    builder = find_builder(tools.toolchain.backend)
    unit, compiled = directory / "device_link.cpp", directory / "device_link.o"
    fat_binary = directory / "device_link.fatbin"
    images = tuple(_link_images(objects, invocation, tools, directory)) if objects else ()
    packed = PackUnit(images=images, output=fat_binary, linking="linked")
    content = write_container(packed, builder, tools.toolchain) if objects else b""
    files.write_file(fat_binary, content)
    files.write_file(unit, _render_unit(builder, objects, fat_binary, len(content)))
    prefix = f"-ffile-prefix-map={directory}/="
    options = ("-std=gnu++17", *list_stub_options(), prefix)
    log = run_tool(describe_unit(invocation, tools, unit, compiled, options))
    files.write_file(output, files.read_file(compiled))
    return log


def _render_unit(
    builder: Builder, objects: tuple[RelocatableObject, ...], fat_binary: Path, size: int
) -> bytes:
    rows = {
        "version": __version__,
        "registration_header": builder.TRAITS.registration_header,
        "section": builder.TRAITS.fat_binary_section,
        "alignment": builder.TRAITS.fat_binary_alignment,
        "fat_binary": quote_path(fat_binary),
        "size": size,
        "ids": tuple(id_ for found in objects for id_ in found.ids),
    }
    return render("device_link.c.j2", rows)


def _link_images(
    objects: tuple[RelocatableObject, ...], invocation: Invocation, tools: Tools, directory: Path
) -> Iterator[PackedImage]:
    """Yield one linked image for each architecture that all objects have."""
    images = {found.name: read_images(found) for found in objects}
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
) -> Iterator[PackedImage]:
    builder = find_builder(tools.toolchain.backend)
    unit = LinkUnit(
        target="device link",
        arch=arch,
        images=parts,
        output=directory / f"linked.{name_file(arch)}",
        debug=invocation.has_debug,
    )
    contents = tuple(map(files.read_file, parts))
    completion = builder.link_images(unit, contents, tools.toolchain)
    finish(completion, find_fix=lambda log: builder.read_log(log, unit).fix)
    for output in completion.images:
        image = describe_image("device link", output, tools.toolchain.backend)
        yield PackedImage(
            arch=image.arch,
            kind=image.kind,
            sha256=image.sha256,
            path=image.path,
            data=files.read_file(image.path),
        )
