"""Compare the processor time of one call of kbuild-nvcc with that of nvcc, for a small source."""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path
from typing import Final

from benchmarks.measure import HEADER, Comparison, describe_machine, show
from kbuild.backends import find_builder
from kbuild.toolchain.find import find_toolchain, gather_hints

SOURCE: Final = """\
#include <cstdio>
__global__ void scale(float* x, float f, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= f + {device};
}}
int main()
{{
    float* p;
    cudaMalloc(&p, 400);
    scale<<<1, 128>>>(p, 2.f, 100);
    std::printf("%s {host}\\n", cudaGetErrorString(cudaDeviceSynchronize()));
}}
"""
NUMBERS: Final = count()
CASES: Final = ("first compile", "edit of device code", "edit of host code", "no edit")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--tiny", action="store_true", help="measure few pairs, to check that the benchmark runs"
    )
    parser.add_argument("--repetitions", type=int, default=15)
    parser.add_argument("--arch", default="sm_90")
    arguments = parser.parse_args()
    repetitions = 1 if arguments.tiny else arguments.repetitions
    nvcc = str(find_toolchain(find_builder("cuda"), gather_hints()).compiler)
    # Python keeps compiled modules, as in an installation.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["KBUILD_BACKEND"] = "cuda"
    print(describe_machine())
    print(HEADER)
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        os.environ["XDG_CACHE_HOME"] = directory
        peer = partial(spend, nvcc, arguments.arch)
        own = partial(spend, "kbuild-nvcc", arguments.arch)
        write_source(Path("warm.cu"))
        own(Path("warm.cu"))
        for case in CASES:
            pairs = [measure(case, own, peer) for _ in range(repetitions)]
            ours, theirs = zip(*pairs, strict=True)
            show(Comparison(case=case, peer_name="nvcc", ours=ours, peer=theirs))


def measure(
    case: str, own: Callable[[Path], float], peer: Callable[[Path], float]
) -> tuple[float, float]:
    """Return the processor time of both compilers, in seconds, for a source that is new to them."""
    source = Path(f"source{next(NUMBERS)}.cu")
    device = write_source(source)
    if case != CASES[0]:
        own(source)
        peer(source)
    if case == CASES[1]:
        write_source(source)
    elif case == CASES[2]:
        write_source(source, device)
    return own(source), peer(source)


def write_source(path: Path, device: int | None = None) -> int:
    """Write a source with a new number in host code and, unless it is given, in device code."""
    device = next(NUMBERS) if device is None else device
    path.write_text(SOURCE.format(device=device, host=next(NUMBERS)))
    return device


def spend(compiler: str, arch: str, source: Path) -> float:
    """Return the processor time of a compile with all its processes, in seconds."""
    argv = (compiler, f"-arch={arch}", "-c", str(source), "-o", f"{Path(compiler).name}.o")
    process = subprocess.Popen(argv)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"{compiler} failed")
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
