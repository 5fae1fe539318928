"""Compare `kbuild inspect` on a large library with `cuobjdump -res-usage` on the same file.

By default, the benchmark downloads NVIDIA's cuSPARSE (about 250 MB) from PyPI to a temporary
directory. Use --library for another one, and --wheel for the wheel that contains it. A synthetic
fat binary (--kernels) shows how memory grows. Memory is the maximum of the resident set sizes of
all processes of a command, mapped files included, added up every 50 ms. Pages that processes share
count once for each of them.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
import zipfile
from functools import partial
from pathlib import Path

from benchmarks.inspect.synthetic import write_fat_binary
from benchmarks.measure import (
    HEADER,
    Comparison,
    describe_machine,
    interleave,
    show,
    time_command,
)

PACKAGE = "nvidia-cusparse==12.9.4.2"
INTERVAL = 0.05
TINY_KERNELS = 2000


def measure_memory(argv: list[str]) -> int:
    """Return the peak memory of the command's processes in bytes; this slows the command down."""
    peak = 0
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            peak = max(peak, sum(map(read_memory, list_tree(process.pid))))
            time.sleep(INTERVAL)
    return peak


def measure_time(argv: list[str]) -> float:
    """Return the seconds that a command takes, without its output."""
    start = time.perf_counter()
    code = subprocess.run(argv, stdout=subprocess.DEVNULL, check=False).returncode
    if code != 0:
        raise SystemExit(f"{' '.join(argv)} failed: {code}")
    return time.perf_counter() - start


def list_tree(process: int) -> list[int]:
    """Return the process and all its descendants."""
    found, rest = [], [process]
    while rest:
        current = rest.pop()
        found.append(current)
        try:
            children = Path(f"/proc/{current}/task/{current}/children").read_text()
        except OSError:
            continue
        rest += map(int, children.split())
    return found


def read_memory(process: int) -> int:
    """Return the resident set size of a process in bytes, or 0 if it has ended."""
    try:
        text = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0
    sizes = [line.split()[1] for line in text.splitlines() if line.startswith("VmRSS:")]
    return int(sizes[0]) << 10 if sizes else 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--tiny", action="store_true", help="measure one pair, to check that the benchmark runs"
    )
    parser.add_argument("--repetitions", type=int, default=11)
    parser.add_argument("--library", type=Path, help="a library with NVIDIA device code")
    parser.add_argument("--wheel", type=Path, help="a wheel to inspect and to verify, too")
    parser.add_argument(
        "--kernels", type=int, default=1_000_000, help="the kernels of the synthetic fat binary"
    )
    parser.add_argument(
        "--cuobjdump", default=None, help="the program (default: from the test extra)"
    )
    arguments = parser.parse_args()
    repetitions = 1 if arguments.tiny else arguments.repetitions
    with tempfile.TemporaryDirectory() as directory:
        library = arguments.library or fetch_library(Path(directory))
        compare(library, arguments.cuobjdump or find_cuobjdump(), repetitions)
        synthetic = Path(directory, "synthetic.fatbin")
        write_fat_binary(synthetic, TINY_KERNELS if arguments.tiny else arguments.kernels)
        show_costs("kernels", synthetic)
        if arguments.wheel:
            show_costs("wheel", arguments.wheel)


def compare(library: Path, cuobjdump: str, repetitions: int) -> None:
    kbuild = [sys.executable, "-m", "kbuild", "inspect", str(library)]
    sides = {
        "cuobjdump": [cuobjdump, "-res-usage", str(library)],
        "text": kbuild,
        "one process": [*kbuild, "-j", "1"],
        "json": [*kbuild, "--format", "json"],
        "verify": [sys.executable, "-m", "kbuild", "verify", str(library)],
    }
    print(f"{describe_machine()}; {library.name}, {library.stat().st_size >> 20} MiB")
    print(HEADER)
    taken = interleave({n: partial(measure_time, argv) for n, argv in sides.items()}, repetitions)
    peer = "cuobjdump -res-usage"
    for name in list(sides)[1:]:
        show(Comparison(case=name, peer_name=peer, ours=taken[name], peer=taken["cuobjdump"]))
    show(Comparison(case="verify", peer_name="inspect", ours=taken["verify"], peer=taken["text"]))
    starts = interleave(
        {
            "summary": partial(time_command, [*kbuild, "--summary"]),
            "start": partial(time_command, [sys.executable, "-c", "pass"]),
        },
        repetitions,
    )
    show(
        Comparison(
            case="--summary",
            peer_name="python -c pass",
            ours=starts["summary"],
            peer=starts["start"],
        )
    )
    for name, argv in sides.items():
        print(f"{name:<28}peak memory {measure_memory(argv) / 2**20:.0f} MiB")


def show_costs(case: str, path: Path) -> None:
    """Print the time and the memory that commands with two processes take for one file."""
    kbuild = [sys.executable, "-m", "kbuild"]
    sides = {
        "inspect": [*kbuild, "inspect", "-j", "2", str(path)],
        "json": [*kbuild, "inspect", "-j", "2", "--format", "json", str(path)],
        "verify": [*kbuild, "verify", "-j", "2", str(path)],
    }
    for name, argv in sides.items():
        seconds, memory = measure_time(argv), measure_memory(argv)
        print(f"{case}: {name:<19}{seconds:7.1f} s, peak memory {memory / 2**20:.0f} MiB")


def fetch_library(directory: Path, package: str = PACKAGE) -> Path:
    """Download the wheel and extract the library."""
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(directory)]
    time_command([*pip, "--only-binary=:all:", package])
    (wheel,) = directory.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if "libcusparse.so" in name]
        return Path(archive.extract(names[0], directory))


def find_cuobjdump() -> str:
    """Return the program from the wheel in this environment."""
    programs = Path(sys.prefix).glob("lib/python*/site-packages/nvidia/*/bin/cuobjdump")
    found = next(iter(programs), None)
    if found is None:
        raise SystemExit("cuobjdump not found; install it with: pip install '.[test]'")
    return str(found)


if __name__ == "__main__":
    main()
