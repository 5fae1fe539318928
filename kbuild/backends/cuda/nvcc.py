"""Stand in for nvcc with kbuild's symbol layout. See `NvccConventions` for the protocol."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kbuild.backends.cuda import architectures, build
from kbuild.backends.cuda.toolchain import LIBRARY_DIRECTORIES
from kbuild.backends.cuda_roots import list_packages
from kbuild.backends.interface.nvcc import DeviceLink, ToolkitLayout
from kbuild.backends.interface.toolchain import Toolchain, ToolchainHints
from kbuild.model import Command

# See crt/host_runtime.h in the toolkit.
CONFIGURE_FUNCTION: Final = "__cudaPushCallConfiguration"

_COMPILER: Final = "nvcc"
_PLAIN_NAME: Final = re.compile(r"lib[\w-]+\.so")


def describe_toolkit(
    tc: Toolchain,
    hints: ToolchainHints,  # noqa: ARG001 - the interface's signature
) -> ToolkitLayout:
    """See `NvccConventions`: the toolkit of nvcc, with the names that linkers search for.

    Wheels contain no unversioned names of libraries.
    """
    root = tc.compiler.resolve().parent.parent
    headers = root / "include"
    library = headers / "cccl"
    programs = sorted((root / "bin").iterdir())
    return ToolkitLayout(
        version=tc.version,
        architecture=tc.architectures[0].partition("_")[2],
        headers=(headers,),
        header_library=library if library.is_dir() else None,
        packages=list_packages(library),
        libraries=tuple(_list_libraries(root)),
        driver=("libcuda.so.1", headers / "cuda.h", "cu"),
        programs=tuple((path.name, path) for path in programs if path.name != _COMPILER),
        environment=(("CUDACXX", str(tc.compiler)),),
        device_library=root / "nvvm",
    )


def _list_libraries(root: Path) -> Iterator[tuple[str, Path]]:
    for directory in (root / name for name in LIBRARY_DIRECTORIES):
        for path in sorted(directory.iterdir()) if directory.is_dir() else ():
            yield path.name, path
            if plain := _PLAIN_NAME.match(path.name):
                yield plain[0], path


def provide_libraries(hints: ToolchainHints) -> None:
    """See `NvccConventions`: all libraries are NVIDIA's, and exist."""


def select_architectures(requested: tuple[str, ...]) -> tuple[str, ...]:
    """See `NvccConventions`: as they are."""
    return requested


def describe_device_link(link: DeviceLink, tc: Toolchain) -> Command | None:
    """See `NvccConventions`: ``nvcc -dlink``, which also links objects of nvcc."""
    files = tuple(map(str, link.files))
    argv = (
        *(str(tc.compiler), "-dlink", "-ccbin", str(link.host_compiler)),
        *(() if link.kind == "object" else (f"-{link.kind}",)),
        *map(_request_architecture, link.architectures),
        *_pass_on("-Xcompiler", link.host_options),
        *link.device_options,
        *_pass_on("-Xnvlink", link.options),
        *files,
        *(f"-L{directory}" for directory in link.library_directories),
        *(f"-l{name}" for name in link.libraries),
        *("-o", str(link.output)),
    )
    return Command(argv=argv, inputs=link.files, outputs=(link.output,))


def _request_architecture(name: str) -> str:
    if not name[:1].isdigit():  # native, all, all-major
        return f"-arch={name}"
    requested = architectures.parse(name)
    kinds = ((requested.real, requested.is_real), (requested.virtual, requested.is_virtual))
    codes = ",".join(code for code, is_requested in kinds if is_requested)
    return f"-gencode=arch={requested.virtual},code=[{codes}]"


def _pass_on(option: str, words: tuple[str, ...]) -> Iterator[str]:
    for word in words:
        # nvcc divides the value at commas.
        yield f"{option}={word.replace(',', chr(92) + ',')}"


def translate_options(options: tuple[str, ...]) -> tuple[str, ...]:
    """See `NvccConventions`: as they are."""
    return options


def quote_options(options: tuple[str, ...]) -> tuple[str, ...]:
    """See `NvccConventions`."""
    return tuple(build.quote_options(options))
