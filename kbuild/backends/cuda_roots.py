"""List CUDA toolkits: wheels of this environment, and installations on this machine."""

from __future__ import annotations

from pathlib import Path

from kbuild.backends.interface.toolchain import ToolchainHints


def list_cuda_roots(hints: ToolchainHints) -> tuple[Path, ...]:
    """List the directories in which a toolkit can be, best first."""
    wheels = [site / "nvidia" / "cu13" for site in hints.site_packages]
    variables = [hints.variable(name) for name in ("CUDA_PATH", "CUDAToolkit_ROOT")]
    named = [Path(value) for value in variables if value]
    return (*wheels, *named, Path("/usr/local/cuda"))
