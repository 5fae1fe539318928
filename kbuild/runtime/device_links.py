"""Link relocatable images of a running program with the tools of a build."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final

from kbuild import files
from kbuild.backends import find_builder
from kbuild.backends.interface.build import UNDEFINED_FIX, Builder, CompilerLog, LinkUnit
from kbuild.process import CHECK_VARIABLE, select_environment
from kbuild.stages.compile import finish
from kbuild.toolchain.find import find_toolchain, find_toolchain_for, gather_hints
from kbuild.values import replace

_TARGET: Final = "link"
_UNDEFINED_FIX: Final = "add an input that defines it, and that is compiled with -rdc=true"


def link_parts(
    parts: tuple[tuple[str, bytes], ...], arch: str, directory: Path, backend: str
) -> bytes:
    """Link relocatable images with the tools of a build.

    Args:
        parts: The names of the images in messages, and their bytes.
        arch: The architecture.
        directory: An empty directory.
        backend: The backend.

    Raises:
        ToolError: The linker fails; the message has its log.
    """
    builder, hints = find_builder(backend), gather_hints()
    toolchain = find_toolchain_for(builder, arch, find_toolchain(builder, hints), hints)
    paths = tuple(
        directory / "parts" / f"{number}.{Path(name).name}.o"
        for number, (name, _) in enumerate(parts)
    )
    for path, (_, content) in zip(paths, parts, strict=True):
        files.write_file(path, content)
    unit = LinkUnit(
        target=_TARGET,
        arch=arch,
        images=paths,
        output=directory / "linked",
        debug=False,
        is_checked=CHECK_VARIABLE in select_environment((CHECK_VARIABLE,)),
    )
    completion = builder.link_images(unit, tuple(content for _, content in parts), toolchain)
    finish(completion, partial(_read_log, unit=unit, builder=builder, parts=parts))
    (image,) = completion.images
    return files.read_file(image.path)


def _read_log(
    log: str, unit: LinkUnit, builder: Builder, parts: tuple[tuple[str, bytes], ...]
) -> CompilerLog:
    """Read the log of a failed link, in which files have the names of the program's inputs."""
    for number, (name, _) in enumerate(parts):
        log = log.replace(f"{unit.output}.{number}.o", name)
    found = builder.read_log(log, unit)
    return replace(found, fix=_UNDEFINED_FIX) if found.fix == UNDEFINED_FIX else found
