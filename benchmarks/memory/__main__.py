"""Measure the peak memory of one process of a compile edge, by backend and kind of source."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measure import describe_machine

HEADER = f"{'source':<28}{'backend':>10}{'arch':>10}{'peak MiB':>12}{'seconds':>10}"
COMPILE = """\
import sys
from pathlib import Path
from kbuild import KernelCompiler
from kbuild.errors import ToolchainError
backend, arch, source = sys.argv[1:]
try:
    compiler = KernelCompiler(backend, arch)
except ToolchainError as error:
    sys.exit(77)
compiler.compile(Path(source))
"""
NO_COMPILER = 77
ARCHITECTURES = {"cpu": "x86-64", "cuda": "90-real", "hip": "gfx90a"}
FEW_LINES = "__global__ void scale(int n, float* x) { if (threadIdx.x < n) x[threadIdx.x] *= 2; }\n"
BLOCK_SORT = """\
#include <cub/cub.cuh>
template <class Key, class Value, int Items> __device__ void sort_block(Key* keys, Value* values)
{
    using Sort = cub::BlockRadixSort<Key, 256, Items, Value>;
    __shared__ typename Sort::TempStorage storage;
    Key key[Items];
    Value value[Items];
    cub::LoadDirectBlocked(threadIdx.x, keys, key);
    cub::LoadDirectBlocked(threadIdx.x, values, value);
    Sort(storage).Sort(key, value);
    cub::StoreDirectStriped<256>(threadIdx.x, keys, key);
    cub::StoreDirectStriped<256>(threadIdx.x, values, value);
}
"""
KERNEL = (
    "__global__ void sort_{number}({key}* keys, {value}* values)\n"
    "{{ sort_block<{key}, {value}, {items}>(keys, values); }}\n"
)
TYPES = ("unsigned", "unsigned long long", "double", "float")


def write_sorts(count: int) -> str:
    """Return ``count`` kernels, each with another instance of CUB's largest block algorithm."""
    return BLOCK_SORT + "".join(
        KERNEL.format(
            number=number,
            key=TYPES[number % 4],
            value=TYPES[number // 4 % 4],
            items=7 + 4 * (number // 16 % 4),
        )
        for number in range(count)
    )


def write_plain(count: int) -> str:
    """Return ``count`` kernels that use no library."""
    return "".join(FEW_LINES.replace("scale", f"scale_{number}") for number in range(count))


def measure(backend: str, text: str) -> tuple[float, float] | None:
    """Return the peak in MiB and the seconds, or None if the compiler is missing."""
    with tempfile.TemporaryDirectory() as directory:
        source = Path(directory, "source.cu")
        source.write_text(text)
        start = time.perf_counter()
        words = (backend, ARCHITECTURES[backend], str(source))
        process = subprocess.Popen([sys.executable, "-c", COMPILE, *words])
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode == NO_COMPILER:
        return None
    if process.returncode != 0:
        raise SystemExit(f"{backend}: compilation failed")
    return usage.ru_maxrss / 1024, time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--tiny", action="store_true", help="use a small source, to check that the benchmark runs"
    )
    tiny = parser.parse_args().tiny
    sources = {"few lines": FEW_LINES} | (
        {} if tiny else {"200 plain kernels": write_plain(200), "1 CUB sort": write_sorts(1)}
    )
    if not tiny:
        sources |= {f"{count} CUB sorts": write_sorts(count) for count in (16, 64)}
    print(describe_machine())
    print(HEADER)
    for name, text in sources.items():
        for backend, arch in ARCHITECTURES.items():
            if "cub/" in text and backend != "cuda":
                continue
            found = measure(backend, text)
            if found is None:
                continue
            shown = f"{found[0]:>12.0f}{found[1]:>10.1f}"
            print(f"{name:<28}{backend:>10}{arch:>10}{shown}", flush=True)


if __name__ == "__main__":
    main()
