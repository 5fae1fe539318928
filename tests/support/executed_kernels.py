"""Runs the cases in ``kernels/`` through `KernelExecutor` and `RtcKernel`."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable
from typing import Any

from kbuild import KernelCompiler, KernelExecutor, LaunchConfig, RtcKernel
from support.commands import PROJECTS

KERNELS = PROJECTS / "kernels"
SOURCES = sorted(KERNELS.glob("*.cu"))
# The cases are in two files, one of which imports the other.
sys.path.insert(0, str(KERNELS))
CASES: dict[str, Callable[[Any], None]] = {
    name: case
    for name, case in runpy.run_path(str(KERNELS / "kernel_cases.py")).items()
    if name.startswith("test_")
}


# About 128 registers per thread, with launch bounds of 128 threads, which make that possible.
HEAVY = """\
extern "C" __global__ void __launch_bounds__(128) heavy(float* out, const float* in, int n)
{
    float v[96];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int k = 0; k < 96; k++) v[k] = in[(i * 96 + k) % n];
    for (int r = 0; r < 16; r++) {
#pragma unroll
        for (int k = 0; k < 96; k++) v[k] = v[k] * v[(k + 1) % 96] + v[(k + 37) % 96];
    }
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 96; k++) sum += v[k];
    out[i] = sum;
}
"""


class Launcher:
    """A kernel with the `launch` method of a loaded kernel, which the cases call."""

    def __init__(self, run: Callable[..., float | None]) -> None:
        self._run = run

    def launch(self, *, grid: Any, block: Any, args: Any = (), shared_bytes: int = 0) -> None:
        self._run(LaunchConfig(grid=grid, block=block, shared_bytes=shared_bytes), *args)


class CompiledKernels:
    """The kernels, compiled by KernelCompiler and run by KernelExecutor."""

    def __init__(self, backend: str, arch: str | None = None) -> None:
        compiler = KernelCompiler(backend, arch)
        self.modules = [compiler.compile(source) for source in SOURCES]

    def __getitem__(self, name: str) -> Launcher:
        (compiled,) = (module[name] for module in self.modules if name in module)
        return Launcher(KernelExecutor(compiled).run)


class RtcKernels:
    """The kernels, compiled from text and run by RtcKernel."""

    def __init__(self, backend: str, arch: str | None = None) -> None:
        self._backend = backend
        self._arch = arch

    def __getitem__(self, name: str) -> Launcher:
        word = name.partition("(")[0].partition("<")[0].rpartition("::")[2]
        (source,) = (s for s in SOURCES if f" {word}(" in s.read_text())
        kernel = RtcKernel(
            source.read_text(), name, [f"-I{KERNELS}"], self._backend, arch=self._arch
        )
        return Launcher(kernel.run)


class OnlyDlpack:
    """An array that supports DLPack and no other interface."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self._array.__dlpack_device__()
