"""Find CCCL, which contains Thrust, CUB, and libcu++.

CCCL is optional. Its code for hosts also runs in kernels, because device code is C++ here. The
headers ``nv/target`` and ``cuda/std/__cccl/compiler.h`` of this backend select that code. Other
headers of it override what is PTX in CCCL's.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from kbuild.backends.cuda_roots import list_cuda_roots
from kbuild.backends.interface.toolchain import ToolchainHints

_INSTALL: Final = (
    "install it with 'pip install nvidia-cuda-cccl', or name its include directory with -I"
)
_HEADERS: Final = r"(?:thrust|cub|nv|cuda(?!/atomic|/barrier|/pipeline))/[\w./]+"
_MISSING: Final = re.compile(
    rf"fatal error: '?(?P<header>{_HEADERS})'?(?:: No such file or directory| file not found)"
)


def find_cccl(hints: ToolchainHints) -> Path | None:
    """Return the include directory of CCCL: that of the first toolkit that contains it.

    Since toolkit 13, CCCL has its own directory. An older toolkit keeps it with headers that would
    hide those of this backend.
    """
    directories = (root / "include" / "cccl" for root in list_cuda_roots(hints))
    return next((path for path in directories if (path / "cuda" / "std").is_dir()), None)


def find_fix(log: str) -> str:
    """Return what to do about a log in which a compiler misses a header of CCCL; or nothing."""
    found = _MISSING.search(log)
    return f"<{found['header']}> belongs to CCCL, which was not found; {_INSTALL}" if found else ""
