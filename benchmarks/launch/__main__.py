"""Measure the times of launches on an NVIDIA GPU, as `kbuild bench launch` does."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from benchmarks.measure import describe_machine
from kbuild.backends.cuda import build as cuda
from kbuild.bench.timing import find_timed_project, time_launches
from kbuild.report.bench import render_times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batches", type=int, default=600)
    arguments = parser.parse_args()
    project = find_timed_project(cuda)
    if project is None:
        raise SystemExit("no NVIDIA device found")
    print(describe_machine())
    with tempfile.TemporaryDirectory() as directory:
        timing = time_launches(project, Path(directory), arguments.batches)
    print(render_times(timing), end="")


if __name__ == "__main__":
    main()
