"""``KBUILD_DUMP``: write everything that a process compiles to a directory.

Each compilation gets a directory that is named after its source, and whose files have the same
name: source, assembly, images, log, and description.  The directory appears with all of these
files, or not at all.  Launches and recompilations add files later.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from functools import wraps
from itertools import count
from pathlib import Path
from typing import Final, ParamSpec

from kbuild.backends import find_backend, find_builder
from kbuild.backends.interface.build import PackedImage, PackUnit
from kbuild.errors import ConfigurationError
from kbuild.runtime.compiling.compiled_module import CompiledModule
from kbuild.runtime.launch_dump import (
    VARIABLE,
    encode_description,
    find_directory,
    is_dumped,
    name_file,
    set_directory,
)

P = ParamSpec("P")

_PERMISSIONS: Final = 0o755  # mkdtemp makes private directories


def dumps_modules(compile_source: Callable[P, CompiledModule]) -> Callable[P, CompiledModule]:
    """Let a function pass the module that it returns to `dump_module`."""

    @wraps(compile_source)
    def compile_and_dump(*args: P.args, **named: P.kwargs) -> CompiledModule:
        return dump_module(compile_source(*args, **named))

    return compile_and_dump


def dump_module(module: CompiledModule) -> CompiledModule:
    """Write the files of a module if ``KBUILD_DUMP`` is set.

    Equal compilations share a directory. Others with the same name get the next free number, in the
    order in which they are compiled.

    Returns:
        The module.

    Raises:
        ConfigurationError: The directory cannot be written.
    """
    found = find_directory()
    kernels = tuple(module.values())
    if found is None or any(map(is_dumped, kernels)):
        return module
    root, _ = found
    try:
        root.mkdir(parents=True, exist_ok=True)
        directory = _publish(module, root)
    except OSError as error:
        raise ConfigurationError(f"{VARIABLE}: {error}; name a writable directory") from error
    set_directory(kernels, directory)
    return module


def _publish(module: CompiledModule, root: Path) -> Path:
    """Write the files of a module to a new directory, or find one with the same code."""
    code = _list_code(module)
    files = code | _describe(module)
    base = name_file(module.compilation.base_name)
    for number in count(1):
        directory = root / (base if number == 1 else f"{base}-{number}")
        # Directories with a leading period are temporary.
        staged = Path(tempfile.mkdtemp(prefix=".kbuild-", dir=root))
        for suffix, content in files.items():
            (staged / f"{directory.name}{suffix}").write_bytes(content)
        try:
            staged.rename(directory)
        except OSError:
            shutil.rmtree(staged)
            if not directory.is_dir():
                raise
        else:
            directory.chmod(_PERMISSIONS)
            return directory
        if all(_has(directory, suffix, content) for suffix, content in code.items()):
            return directory
    raise AssertionError


def _has(directory: Path, suffix: str, content: bytes) -> bool:
    file = directory / f"{directory.name}{suffix}"
    return file.is_file() and file.read_bytes() == content


def _list_code(module: CompiledModule) -> dict[str, bytes]:
    """Return the compiler's inputs and outputs, by suffix."""
    own = module.compilation
    code = {Path(own.source).suffix or ".cu": module.text or b""}
    for kernel in module.values():
        assembly = (kernel.assembly,) if kernel.assembly else ()
        code |= {Path(image.file_name).suffix: image.data for image in (*assembly, *kernel.images)}
    return code | _pack(module)


def _pack(module: CompiledModule) -> dict[str, bytes]:
    """Return a fat binary if the images do not say which architecture they are for."""
    from kbuild.toolchain.find import find_toolchain, gather_hints  # noqa: PLC0415 - launches need none

    backend = module.compilation.backend
    reader, builder = find_backend(backend).read, find_builder(backend)
    images = next((kernel.images for kernel in module.values()), ())
    if reader is None or any(reader.list_bare_image(image.data) for image in images):
        return {}
    packed = tuple(
        PackedImage(
            arch=image.arch,
            kind=image.kind,
            sha256=image.sha256,
            path=Path(image.file_name),
            data=image.data,
        )
        for image in images
    )
    unit = PackUnit(images=packed, output=Path(module.compilation.base_name))
    content = builder.pack(unit, find_toolchain(builder, gather_hints())).content
    return {".fatbin": content} if content else {}


def _describe(module: CompiledModule) -> dict[str, bytes]:
    """Return the log and a description, by suffix."""
    own = module.compilation
    description = {
        "source": own.source,
        "backend": own.backend,
        "arch": own.arch,
        "compiler": own.compiler,
        "compiler_version": own.compiler_version,
        "command": own.command,
        "kernels": [
            {
                "symbol": kernel.name,
                "display": kernel.display,
                "resources": kernel.history[0].resources,
            }
            for kernel in module.values()
        ],
    }
    return {".log": own.log.encode(), ".json": encode_description("kbuild.dump/1", description)}
