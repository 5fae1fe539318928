"""Tests for the headers that translate the names of one vendor's host API to those of the other."""

from __future__ import annotations

import re
from pathlib import Path

from kbuild import resources

DEVICE = resources.native_directory() / "device"
# Names of one API for which the other one has several, or none.
ONLY_CUDA = {"cudaHostAlloc": "hipHostMalloc"}
ONLY_HIP = {
    "hipErrorNotInitialized": "cudaErrorInitializationError",
    "hipErrorOutOfMemory": "cudaErrorMemoryAllocation",
}


def read_pairs(path: Path) -> dict[str, str]:
    lines = re.findall(
        r"^#define ((?:make_)?(?:cuda|hip)\w+) (\w+)$", path.read_text(), re.MULTILINE
    )
    pairs = dict(lines)
    assert len(lines) == len(pairs) > 100
    return pairs


def test_both_directions_have_the_same_pairs() -> None:
    to_hip = read_pairs(DEVICE / "hip" / "cuda_host_names.h")
    to_cuda = read_pairs(DEVICE / "hip_host_names.h")

    for name, target in ONLY_CUDA.items():
        assert to_hip.pop(name) == target
    for name, target in ONLY_HIP.items():
        assert to_cuda.pop(name) == target
    assert {target: name for name, target in to_hip.items()} == to_cuda
    assert all("hip" not in name for name in to_hip)
    assert all("cuda" not in name for name in to_cuda)
