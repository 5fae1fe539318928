"""List CUDA toolkits: wheels of this environment, and installations on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from kbuild.backends.interface.toolchain import ToolchainHints
from kbuild.resources import TOOLKIT_MARKER

# In a toolkit, in the wheels of CUDA 13.0, and in those of later versions.
_PACKAGES: Final = ("lib64/cmake", "lib/cmake", "cccl/lib/cmake")


def list_cuda_roots(hints: ToolchainHints) -> tuple[Path, ...]:
    """List the directories in which a toolkit of NVIDIA can be, best first."""
    wheels = [site / "nvidia" / "cu13" for site in hints.site_packages]
    variables = [hints.variable(name) for name in ("CUDA_PATH", "CUDAToolkit_ROOT")]
    named = [Path(value) for value in variables if value]
    roots = (*wheels, *named, Path("/usr/local/cuda"))
    return tuple(root for root in roots if not (root / TOOLKIT_MARKER).is_file())


def list_packages(headers: Path) -> tuple[Path, ...]:
    """List the directories of CMake's packages of CCCL, which has the include directory given."""
    root = headers.resolve().parent.parent
    directories = (root / name for name in _PACKAGES)
    found = next((path for path in directories if (path / "cccl").is_dir()), None)
    return tuple(sorted(found.iterdir())) if found else ()
