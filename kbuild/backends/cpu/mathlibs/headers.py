"""Provide NVIDIA's own headers of cuRAND's device functions, which compile on the CPU."""

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
_PRELUDE: Final = "#include <kbuild_cpu/mathlibs/curand_prelude.h>\n"
_MISSING: Final = re.compile(
    r"fatal error: '?(?P<header>curand\w*\.h)'?(?:: No such file or directory| file not found)"
)


def list_directories(hints: ToolchainHints) -> tuple[Path, ...]:
    """List the directory with the headers of cuRAND in the user's cache; nothing without cuRAND.

    The directory of a wheel or toolkit has other headers, too, which would hide those of this
    backend. The headers include NVIDIA's by their paths.
    """
    roots = (root / "include" for root in list_cuda_roots(hints))
    source = next((path for path in roots if (path / _KERNEL).is_file()), None)
    if source is None:
        return ()
    directory = resources.find_cache("mathlibs") / f"headers-{sha256(str(source).encode())[:16]}"
    if not directory.is_dir():
        temporary = directory.with_name(f".{directory.name}.{os.urandom(8).hex()}")
        temporary.mkdir(parents=True)
        try:
            _fill(temporary, source)
            temporary.rename(directory)
        except OSError:  # another process can have been faster
            shutil.rmtree(temporary, ignore_errors=True)
            if not directory.is_dir():
                raise
    return (directory,)


def _fill(directory: Path, source: Path) -> None:
    for header in source.glob("curand*.h"):
        prelude = _PRELUDE if header.name == _KERNEL else ""
        (directory / header.name).write_text(f'{prelude}#include "{header}"\n', "utf-8")


def find_fix(log: str) -> str:
    """Return what to do about a log in which a compiler misses a header of cuRAND; or nothing."""
    found = _MISSING.search(log)
    if found is None:
        return ""
    return (
        f"<{found['header']}> is NVIDIA's own, which was not found; install it with "
        "'pip install nvidia-curand'"
    )
