"""Link relocatable device code in a running program: `KernelCompiler.link`."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from kbuild import files
from kbuild.backends import find_backend, name_images
from kbuild.backends.interface.rtc import LinkInput, LinkOutput
from kbuild.errors import ConfigurationError, InputError
from kbuild.formats.elf.constants import ELF_MAGIC
from kbuild.formats.elf.file import Elf
from kbuild.runtime.compiling.compiled_module import CompiledModule
from kbuild.runtime.device_links import link_parts
from kbuild.runtime.fat_binary import find_reader
from kbuild.stages.relocatable import RelocatableObject, list_objects, read_images
from kbuild.values import replace

if TYPE_CHECKING:
    from kbuild.model import ImageKind

Linkable: TypeAlias = "CompiledModule | str | os.PathLike[str]"
Forms: TypeAlias = "tuple[tuple[ImageKind, str], ...]"

_EXPECTED: Final = "expected a module, an object, a static library, or an image"
_FIX: Final = "compile it with relocatable=True, or -dc"
_ORDER: Final[tuple[ImageKind, ...]] = ("elf", "ptx")  # machine code needs no compiler


def link_modules(
    modules: Sequence[Linkable], backend: str, arch: str, options: tuple[str, ...]
) -> CompiledModule:
    """Return the kernels of linked modules.

    Args:
        modules: Compiled modules, and files with relocatable device code: objects, static
            libraries, and images.
        backend: The backend.
        arch: The architecture, as ARCHITECTURES spells it.
        options: Options for the device compiler.

    Raises:
        ConfigurationError: There is nothing to link, or a module is of another backend or
            architecture, or it is finished device code.
        InputError: A file cannot be read, or the result contains no kernels.
        ToolError: The linker fails; the message has its log.
    """
    rtc = find_backend(backend).rtc
    forms = rtc.list_linkable(arch, options) if rtc is not None else _list_linkable(arch)
    inputs = tuple(found for module in modules for found in _read(module, backend, forms))
    if not inputs:
        raise ConfigurationError("nothing to link; pass modules or files with device code")
    for found in inputs:
        if found.kind == "elf" and Elf(found.data).type != "relocatable":
            raise ConfigurationError(f"{found.name} is finished device code; {_FIX}")
    with tempfile.TemporaryDirectory(prefix="kbuild-link-") as directory:
        if rtc is not None:
            output = rtc.link(inputs, arch, options)
        else:
            parts = tuple((found.name, found.data) for found in inputs)
            image = link_parts(parts, arch, Path(directory), backend)
            output = LinkOutput(image=image, suffix=".so", log="")
        path = Path(directory, f"linked{output.suffix}")
        files.write_file(path, output.image)
        return CompiledModule.load(path)


def _list_linkable(arch: str) -> Forms:
    """List what the linker of a build can use."""
    return tuple((kind, name) for kind in _ORDER for name in name_images((arch,)))


def _read(module: Linkable, backend: str, forms: Forms) -> Iterator[LinkInput]:
    """Yield the relocatable code of a module or of a file in the first of the forms that it has."""
    if isinstance(module, CompiledModule):
        name = module.compilation.source
        images = [(image.arch, image.kind, image.data) for image in module.images]
        if module.compilation.backend != backend:
            raise ConfigurationError(
                f"{name} is compiled for backend {module.compilation.backend}, and not for "
                f"{backend}; compile all parts with one KernelCompiler"
            )
        chosen = _choose(name, images, forms)
        yield replace(chosen, options=module.arguments.options if module.arguments else None)
        return
    path = Path(module)
    content = files.read_file(path)
    found = list(list_objects(path))
    if not found:
        listing = find_reader(backend).list_bare_image(content)
        if listing is None or listing.images[0].kind not in _ORDER:
            raise InputError(f"{path}: not device code of backend {backend}; {_EXPECTED}")
        yield LinkInput(name=str(path), kind=listing.images[0].kind, data=content)
    for name, data in found:
        images = [
            (image, kind, part)
            for (image, kind), parts in read_images(
                RelocatableObject(name=name, ids=(), content=data)
            ).items()
            for part in parts
        ]
        if images:
            yield _choose(name, images, forms)
        elif content.startswith(ELF_MAGIC):
            yield LinkInput(name=name, kind="elf", data=data)


def _choose(name: str, images: list[tuple[str, ImageKind, bytes]], forms: Forms) -> LinkInput:
    for form in forms:
        for arch, kind, data in images:
            if (kind, arch) == form:
                return LinkInput(name=name, kind=kind, data=data)
    listed = ", ".join(dict.fromkeys(arch for arch, _, _ in images))
    expected = next(arch for kind, arch in forms if kind == "elf")
    raise InputError(
        f"{name} has no code for {expected}, but for {listed or 'no architecture'}; "
        f"compile it for {expected}"
    )
