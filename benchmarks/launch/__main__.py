"""What a launch costs, every way of it in one program: needs an NVIDIA GPU."""

from __future__ import annotations

import argparse
import statistics
import subprocess
import tempfile
from pathlib import Path

from benchmarks.measure import describe_machine, time_command
from kbuild import resources
from kbuild.backends import cuda
from kbuild.devices import query_driver
from kbuild.toolchain import find_toolchain, gather_hints

HERE = Path(__file__).parent
PEER = "chevrons"
NAMES = {
    "chevrons": "<<<>>> by nvcc",
    "kbuild": "kbuild::launch",
    "kbuild-stub": "kbuild::launch, debug stub",
    "cudaLaunchKernel": "cudaLaunchKernel",
    "cudaKernel_t": "cudaLaunchKernel, cudaKernel_t",
    "cuLaunchKernelEx": "cuLaunchKernelEx",
    "push-pop": "push and pop alone",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batches", type=int, default=600)
    arguments = parser.parse_args()
    driver, devices = query_driver()
    if not devices:
        raise SystemExit("no NVIDIA device")
    device = devices[0]
    print(f"{device.name} ({device.architecture}), driver {driver}; {describe_machine()}")
    samples = measure(arguments.batches, device.architecture.removeprefix("sm_"))
    for mode in ("enqueue", "synchronised"):
        show(mode, {way: values for (way, m), values in samples.items() if m == mode})


def measure(batches: int, architecture: str) -> dict[tuple[str, str], list[float]]:
    """Nanoseconds a launch, in the order of the batches, by (way, mode)."""
    nvcc = find_toolchain(cuda, gather_hints()).compiler
    with tempfile.TemporaryDirectory() as folder:
        time_command(
            [
                *("cmake", "-S", HERE, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"),
                f"-Dkbuild_DIR={resources.cmake_directory()}",
                f"-DCMAKE_CUDA_COMPILER={nvcc}",
                f"-DCMAKE_CUDA_ARCHITECTURES={architecture}-real",
            ]
        )
        time_command(["cmake", "--build", folder])
        argv = [str(Path(folder) / "launch"), str(batches)]
        output = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    samples: dict[tuple[str, str], list[float]] = {}
    for line in output.splitlines():
        way, mode, nanoseconds = line.split()
        samples.setdefault((way, mode), []).append(float(nanoseconds))
    return samples


def show(mode: str, samples: dict[str, list[float]]) -> None:
    print(f"\n{mode:<32}{'ns':>10}{'/ <<<>>>':>10}{'quartiles':>18}{'batches':>9}")
    for way, values in samples.items():
        ratios = [a / b for a, b in zip(values, samples[PEER], strict=True)]
        low, middle, high = statistics.quantiles(ratios, n=4, method="inclusive")
        print(
            f"{NAMES[way]:<32}{statistics.median(values):>10.0f}{middle:>10.3f}"
            f"{f'{low:.3f} .. {high:.3f}':>18}{len(values):>9}"
        )


if __name__ == "__main__":
    main()
