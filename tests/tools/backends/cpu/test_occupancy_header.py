"""NVIDIA's occupancy calculator accepts what the device of the CPU reports."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kbuild.backends.cuda_roots import list_cuda_roots
from kbuild.toolchain.find import gather_hints
from support.commands import run_kbuild

PROGRAM = """
#include <cuda_occupancy.h>
#include <cstdio>
int main()
{
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    const cudaOccDeviceProp device(properties);
    cudaFuncAttributes kernel = {};
    kernel.maxThreadsPerBlock = 1024;
    kernel.numRegs = 32;
    const cudaOccFuncAttributes attributes(kernel);
    const cudaOccDeviceState state;
    int grid = 0, block = 0;
    const int error =
        cudaOccMaxPotentialOccupancyBlockSize(&grid, &block, &device, &attributes, &state);
    std::printf("%d %d %zu %zu %zu\\n", error, grid > 0 && block > 0,
                properties.sharedMemPerBlockOptin, properties.sharedMemPerMultiprocessor,
                properties.reservedSharedMemPerBlock);
}
"""


@pytest.mark.slow
def test_properties_are_consistent(tmp_path: Path) -> None:
    headers = (root / "include/cuda_occupancy.h" for root in list_cuda_roots(gather_hints()))
    header = next((path for path in headers if path.is_file()), None)
    if header is None:
        pytest.skip("no cuda_occupancy.h of NVIDIA here")
    shutil.copy(header, tmp_path)  # alone: its directory has headers that hide kbuild's
    source = tmp_path / "main.cu"
    source.write_text(PROGRAM)

    result = run_kbuild("run", "--backend", "cpu", "-I", tmp_path, source)

    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == ["0", "1", "166912", "167936", "1024"]
