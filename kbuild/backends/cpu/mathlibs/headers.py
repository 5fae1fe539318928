"""Provide NVIDIA's own headers of cuRAND, which compile on the CPU."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Final

from kbuild import resources
from kbuild.backends.cuda_roots import list_cuda_roots
from kbuild.backends.interface.toolchain import ToolchainHints
from kbuild.files import sha256

_KERNEL: Final = "curand_kernel.h"
# What NVIDIA's cuda_runtime.h includes, or the prelude of device functions.
_PRELUDES: Final = {
    "curand.h": "#include <library_types.h>\n",
    _KERNEL: "#include <kbuild_cpu/mathlibs/curand_prelude.h>\n",
}
_MISSING: Final = re.compile(
    r"fatal error: '?(?P<header>curand\w*\.h)'?(?:: No such file or directory| file not found)"
)


def find_headers(hints: ToolchainHints) -> Path | None:
    """Return the directory with NVIDIA's headers of cuRAND; None without cuRAND."""
    roots = (root / "include" for root in list_cuda_roots(hints))
    return next((path for path in roots if (path / _KERNEL).is_file()), None)


def list_directories(hints: ToolchainHints) -> tuple[Path, ...]:
    """List the directory with the headers of cuRAND in the user's cache; nothing without cuRAND.

    The directory of a wheel or toolkit has other headers, too, which would hide those of this
    backend. The headers include NVIDIA's by their paths.
    """
    source = find_headers(hints)
    if source is None:
        return ()
    texts = {
        header.name: f'{_PRELUDES.get(header.name, "")}#include "{header}"\n'
        for header in sorted(source.glob("curand*.h"))
    }
    key = sha256("".join(texts.values()).encode())[:16]
    directory = resources.find_cache("mathlibs") / f"headers-{key}"
    if not directory.is_dir():
        temporary = directory.with_name(f".{directory.name}.{os.urandom(8).hex()}")
        temporary.mkdir(parents=True)
        try:
            for name, text in texts.items():
                (temporary / name).write_text(text, "utf-8")
            temporary.rename(directory)
        except OSError:  # another process can have been faster
            shutil.rmtree(temporary, ignore_errors=True)
            if not directory.is_dir():
                raise
    return (directory,)


def find_fix(log: str) -> str:
    """Return what to do about a log in which a compiler misses a header of cuRAND; or nothing."""
    found = _MISSING.search(log)
    if found is None:
        return ""
    return (
        f"<{found['header']}> is NVIDIA's own, which was not found; install it with "
        "'pip install nvidia-curand'"
    )
