"""Compare `kbuild diff` on two versions of a large library with `cuobjdump -res-usage` on both.

By default, the benchmark downloads NVIDIA's cuSPARSE (about 200 and 250 MB) from PyPI to a
temporary directory. Use --old and --new for other libraries. The other peer is `kbuild inspect` on
both, one after the other. Memory is measured as in the benchmark of `kbuild inspect`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from benchmarks.inspect.__main__ import fetch_library, find_cuobjdump, measure_memory
from benchmarks.measure import HEADER, Comparison, describe_machine, interleave, show

OLD = "nvidia-cusparse==12.8.6.72"
NEW = "nvidia-cusparse==12.9.4.2"
DIFFERENT = 1


def measure_time(commands: list[list[str]]) -> float:
    """Return the seconds that the commands take one after the other, without their output."""
    start = time.perf_counter()
    for argv in commands:
        code = subprocess.run(argv, stdout=subprocess.DEVNULL, check=False).returncode
        if code not in (0, DIFFERENT):
            raise SystemExit(f"{' '.join(argv)} failed: {code}")
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--tiny", action="store_true", help="measure one pair, to check that the benchmark runs"
    )
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--old", type=Path, help="a library with NVIDIA device code")
    parser.add_argument("--new", type=Path, help="another version of it")
    parser.add_argument(
        "--cuobjdump", default=None, help="the program (default: from the test extra)"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        old = arguments.old or fetch_library(Path(directory, "old"), OLD)
        new = arguments.new or fetch_library(Path(directory, "new"), NEW)
        cuobjdump = arguments.cuobjdump or find_cuobjdump()
        compare(old, new, cuobjdump, 1 if arguments.tiny else arguments.repetitions)


def compare(old: Path, new: Path, cuobjdump: str, repetitions: int) -> None:
    kbuild = [sys.executable, "-m", "kbuild"]
    diff = [*kbuild, "diff", str(old), str(new)]
    both = (str(old), str(new))
    facts = [*diff, "--only", "abi,resources,size"]
    sides = {
        "cuobjdump -res-usage, both": [[cuobjdump, "-res-usage", path] for path in both],
        "inspect, both": [[*kbuild, "inspect", path] for path in both],
        "abi, resources, size": [facts],
        "code bytes as well": [[*diff, "--code-limit", "0"]],
        "500 functions listed": [diff],
    }
    print(
        f"{describe_machine()}; {' and '.join(f'{Path(p).stat().st_size >> 20} MiB' for p in both)}"
    )
    print(HEADER)
    taken = interleave({n: partial(measure_time, argv) for n, argv in sides.items()}, repetitions)
    peers = list(sides)[:2]
    for name in list(sides)[2:]:
        for peer in peers:
            show(Comparison(case=name, peer_name=peer, ours=taken[name], peer=taken[peer]))
    for name, commands in sides.items():
        print(f"{name:<28}peak memory {max(map(measure_memory, commands)) / 2**20:.0f} MiB")


if __name__ == "__main__":
    main()
