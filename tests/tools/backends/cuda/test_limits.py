"""Device limits, compared with the toolkit's headers and its assembler."""

from __future__ import annotations

import itertools
import re
import subprocess
import sysconfig
from pathlib import Path

import pytest

from kbuild.backends.cuda.limits import LIMITS
from kbuild.model import Resources

ARCHITECTURES = (52, 53, 60, 61, 62, 70, 75, 80, 86, 87, 89, 90, 100, 103, 110, 120)
REGISTERS = (16, 32, 40, 63, 64, 65, 72, 73, 80, 96, 128, 168, 224, 255)
THREADS = (32, 33, 128, 256, 257, 288, 416, 672, 768, 800, 896, 897, 1024)

# Prints the registers and shared memory of a block, then the blocks that cannot be launched.
PROGRAM = """\
#include <cuda/__device/arch_traits.h>
#include <cuda_occupancy.h>
#include <cstdio>
const int registers[] = { REGISTERS };
const int threads[] = { THREADS };
template <int Number> void judge() {
  const auto traits = cuda::arch_traits<static_cast<cuda::arch_id>(Number)>();
  std::printf("arch %d %d %zu\\n", Number, traits.max_registers_per_block,
              traits.max_shared_memory_per_block);
  cudaOccDeviceProp device;
  device.computeMajor = traits.compute_capability_major;
  device.computeMinor = traits.compute_capability_minor;
  device.maxThreadsPerBlock = traits.max_threads_per_block;
  device.maxThreadsPerMultiprocessor = traits.max_threads_per_multiprocessor;
  device.regsPerBlock = traits.max_registers_per_block;
  device.regsPerMultiprocessor = traits.max_registers_per_multiprocessor;
  device.warpSize = traits.warp_size;
  device.sharedMemPerBlock = traits.max_shared_memory_per_block;
  device.sharedMemPerMultiprocessor = traits.max_shared_memory_per_multiprocessor;
  device.sharedMemPerBlockOptin = traits.max_shared_memory_per_block_optin;
  device.reservedSharedMemPerBlock = traits.reserved_shared_memory_per_block;
  device.numSms = 1;
  for (int count : registers)
    for (int size : threads) {
      cudaOccFuncAttributes kernel{};
      kernel.maxThreadsPerBlock = size;
      kernel.numRegs = count;
      cudaOccDeviceState state{};
      cudaOccResult result{};
      if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, size, 0))
        std::printf("error\\n");
      else
        for (int shared : {0, 1, 5000, 20000, 49152}) {
          kernel.sharedSizeBytes = shared;
          cudaOccResult more{};
          cudaOccMaxActiveBlocksPerMultiprocessor(&more, &device, &kernel, &state, size, 0);
          std::printf("blocks %d %d %d %d %d %d\\n", Number, count, size, shared,
                      more.activeBlocksPerMultiprocessor, device.maxThreadsPerMultiprocessor);
        }
      if (result.activeBlocksPerMultiprocessor == 0)
        std::printf("never %d %d %d\\n", Number, count, size);
    }
}
int main() { CALLS }
"""


def find_headers() -> Path | None:
    """Return the directory of the toolkit's headers, from its wheels."""
    found = sorted(Path(sysconfig.get_path("purelib")).glob("nvidia/cu*/include"))
    return next((path for path in found if (path / "cuda_occupancy.h").is_file()), None)


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> list[list[str]]:
    headers = find_headers()
    if headers is None:
        pytest.skip("no wheel of NVIDIA's with cuda_occupancy.h")
    cccl = headers / "cccl"
    traits = cccl / "cuda" / "__device" / "arch_traits.h"
    if not traits.is_file():
        pytest.skip(f"no cuda/__device/arch_traits.h below {cccl}")
    # The oldest and newest known architectures depend on the release.
    defined = traits.read_text()
    known = [n for n in ARCHITECTURES if f"arch_traits<arch_id::sm_{n}>()" in defined]
    assert {70, 80, 90} <= set(known)
    directory = tmp_path_factory.mktemp("limits")
    text = PROGRAM.replace("REGISTERS", ", ".join(map(str, REGISTERS)))
    text = text.replace("THREADS", ", ".join(map(str, THREADS)))
    calls = " ".join(f"judge<{number}>();" for number in known)
    source = directory / "limits.cpp"
    source.write_text(text.replace("CALLS", calls))
    # Without optimization, code that throws needs the C++ runtime.
    words = (
        "g++",
        "-std=c++17",
        "-O1",
        "-I",
        headers,
        "-isystem",
        cccl,
        source,
        "-o",
        directory / "limits",
    )
    subprocess.run([*map(str, words)], check=True)
    output = subprocess.run(
        [directory / "limits"], capture_output=True, text=True, check=True
    ).stdout
    return [line.split() for line in output.splitlines()]


def test_static_shared_memory_limit_matches_the_headers(said: list[list[str]]) -> None:
    found = {int(row[1]): int(row[3]) for row in said if row[0] == "arch"}
    for number, size in found.items():
        assert LIMITS.shared_bytes_of(f"sm_{number}") == size
        assert LIMITS.shared_bytes_of(f"sm_{number}a") == size


def test_block_size_limit_matches_the_headers(said: list[list[str]]) -> None:
    assert ["error"] not in said
    known = [int(row[1]) for row in said if row[0] == "arch"]
    never = {tuple(map(int, row[1:])) for row in said if row[0] == "never"}
    assert never
    judged = {
        (number, registers, threads)
        for number, registers, threads in itertools.product(known, REGISTERS, THREADS)
        if LIMITS.launch_problem(
            f"sm_{number}", Resources(registers=registers, max_threads=threads)
        )
    }
    assert judged == never


def test_largest_block_matches_the_headers(said: list[list[str]]) -> None:
    never = {tuple(map(int, row[1:])) for row in said if row[0] == "never"}
    known = [int(row[1]) for row in said if row[0] == "arch"]
    for number, registers in itertools.product(known, REGISTERS):
        most = LIMITS.most_threads_of(f"sm_{number}", Resources(registers=registers))
        allowed = [t for t in THREADS if (number, registers, t) not in never]
        assert most is not None
        assert max(allowed) <= most
        assert not any(t <= most for t in THREADS if t not in allowed)


def test_occupancy_matches_the_headers(said: list[list[str]]) -> None:
    rows = [tuple(map(int, row[1:])) for row in said if row[0] == "blocks"]
    for number, registers, threads, shared, blocks, most in rows:
        resources = Resources(registers=registers, shared_bytes=shared)
        found = LIMITS.occupancy_of(f"sm_{number}", resources, threads)
        assert found
        assert (found.resident, found.most) == (blocks * -(-threads // 32) * 32, most)
    assert LIMITS.occupancy_of("sm_90", Resources(registers=32), 32) is None
    assert LIMITS.occupancy_of("compute_90", Resources(registers=32, shared_bytes=0), 32) is None


def test_newest_ptx_version_matches_the_assembler(tmp_path: Path) -> None:
    found = sorted(Path(sysconfig.get_path("purelib")).glob("nvidia/cu*/bin/ptxas"))
    if not found:
        pytest.skip("no wheel of NVIDIA's with ptxas")
    source = tmp_path / "k.ptx"
    source.write_text(".version 99.9\n.target sm_90\n.address_size 64\n")
    words = (found[0], "-arch=sm_90", source, "-o", tmp_path / "k.cubin")
    refused = subprocess.run([*map(str, words)], capture_output=True, text=True, check=False)
    newest = re.search(r"current version is '([\d.]+)'", refused.stdout + refused.stderr)
    assert newest is not None
    version = subprocess.run(
        [str(found[0]), "--version"], capture_output=True, text=True, check=True
    ).stdout
    release = re.search(r"release ([\d.]+)", version)
    assert release is not None
    assert LIMITS.driver_of(newest[1]) == release[1]
