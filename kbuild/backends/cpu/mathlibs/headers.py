"""Provide NVIDIA's own headers of cuRAND and NVTX, which compile on the CPU."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kbuild import resources
from kbuild.backends.cuda_roots import list_cuda_roots
from kbuild.backends.interface.toolchain import ToolchainHints
from kbuild.files import sha256

_KERNEL: Final = "curand_kernel.h"
_NVTX: Final = "nvtx3/nvtx3.hpp"
# What NVIDIA's cuda_runtime.h includes, or the prelude of device functions, or the functions for C
# of this backend, which stand for NVIDIA's because they define NVTX_VERSION.
_PRELUDES: Final = {
    "curand.h": "#include <library_types.h>\n",
    _KERNEL: "#include <kbuild_cpu/mathlibs/curand_prelude.h>\n",
    _NVTX: "#include <nvtx3/nvToolsExt.h>\n",
}
_WHEELS: Final = {"curand": "nvidia-curand", "nvtx3/": "nvidia-nvtx"}
_MISSING: Final = re.compile(
    r"fatal error: '?(?P<header>(?:(?P<library>curand)\w*\.h|(?P<directory>nvtx3/)nvtx3\.hpp))'?"
    r"(?:: No such file or directory| file not found)"
)


def find_headers(hints: ToolchainHints) -> Path | None:
    """Return the directory with NVIDIA's headers of cuRAND; None without cuRAND."""
    return _find_directory(_KERNEL, hints)


def _find_directory(header: str, hints: ToolchainHints) -> Path | None:
    roots = (root / "include" for root in list_cuda_roots(hints))
    return next((path for path in roots if (path / header).is_file()), None)


def list_directories(hints: ToolchainHints) -> tuple[Path, ...]:
    """List the directory with the headers in the user's cache; nothing if none is installed.

    The directory of a wheel or toolkit has other headers, too, which would hide those of this
    backend. The headers include NVIDIA's by their paths.
    """
    texts = {
        name: f'{_PRELUDES.get(name, "")}#include "{header}"\n'
        for name, header in _list_headers(hints)
    }
    if not texts:
        return ()
    key = sha256("".join(texts.values()).encode())[:16]
    directory = resources.find_cache("mathlibs") / f"headers-{key}"
    if not directory.is_dir():
        temporary = directory.with_name(f".{directory.name}.{os.urandom(8).hex()}")
        temporary.mkdir(parents=True)
        try:
            for name, text in texts.items():
                (temporary / name).parent.mkdir(exist_ok=True)
                (temporary / name).write_text(text, "utf-8")
            temporary.rename(directory)
        except OSError:  # another process can have been faster
            shutil.rmtree(temporary, ignore_errors=True)
            if not directory.is_dir():
                raise
    return (directory,)


def _list_headers(hints: ToolchainHints) -> Iterator[tuple[str, Path]]:
    """Yield the names by which sources include headers, and the headers."""
    if curand := find_headers(hints):
        yield from ((header.name, header) for header in sorted(curand.glob("curand*.h")))
    if nvtx := _find_directory(_NVTX, hints):
        yield _NVTX, nvtx / _NVTX


def find_fix(log: str) -> str:
    """Return what to do about a log in which a compiler misses one of the headers; or nothing."""
    found = _MISSING.search(log)
    if found is None:
        return ""
    return (
        f"<{found['header']}> is NVIDIA's own, which was not found; install it with "
        f"'pip install {_WHEELS[found['library'] or found['directory']]}'"
    )
