"""List CUDA toolkits: wheels of this environment, and installations on this machine."""

from __future__ import annotations

from pathlib import Path

from kbuild.backends.interface.toolchain import ToolchainHints
from kbuild.resources import TOOLKIT_MARKER


def list_cuda_roots(hints: ToolchainHints) -> tuple[Path, ...]:
    """List the directories in which a toolkit of NVIDIA can be, best first."""
    wheels = [site / "nvidia" / "cu13" for site in hints.site_packages]
    variables = [hints.variable(name) for name in ("CUDA_PATH", "CUDAToolkit_ROOT")]
    named = [Path(value) for value in variables if value]
    roots = (*wheels, *named, Path("/usr/local/cuda"))
    return tuple(root for root in roots if not (root / TOOLKIT_MARKER).is_file())
