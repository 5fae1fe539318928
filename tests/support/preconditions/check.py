"""Print which random kernels, and which program, fail with the kbuild that is imported."""
# ruff: noqa: T201 - a script

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import kbuild
from support.mixed_programs import PROJECT, build_program
from support.random_kernels.cxx.batches import check_batch
from support.random_kernels.cxx.generate import generate_kernel

_ORDERS = ("", "1", "4711")
_TIMEOUT = 60  # seconds for a program


def main(count: int, features: list[str], programs: list[str], directory: Path) -> None:
    """Print the features of wrong random kernels in a line, and a wrong program in another."""
    print(kbuild.__file__, file=sys.stderr)
    print(_describe_wrong(count, features, directory) if features else "")
    print(next((name for name in programs if not _is_right(name, directory)), ""))


def _describe_wrong(count: int, features: list[str], directory: Path) -> str:
    """Return how many random kernels with each feature are wrong."""
    kernels = [
        generate_kernel(100 * place + seed, features=(feature,))
        for place, feature in enumerate(features)
        for seed in range(count)
    ]
    outcomes = check_batch(directory, kernels, compiler="g++", options=("-O1",), orders=_ORDERS)
    for each in outcomes:
        if each.problem.startswith("does not build"):  # also without kbuild's part in it
            raise ChildProcessError(each.problem)
    wrong = Counter(each.kernel.features[0] for each in outcomes if each.problem)
    return ", ".join(f"{number} of {count} with `{name}`" for name, number in wrong.items())


def _is_right(name: str, directory: Path) -> bool:
    place = directory / name
    place.mkdir()
    program = build_program(place, (PROJECT / f"{name}.cu",), options=("-O1", "-w"))
    for order in _ORDERS:
        environment = {**os.environ, "KBUILD_SEED": order}
        if not order:
            del environment["KBUILD_SEED"]
        try:
            done = subprocess.run(
                [program],
                capture_output=True,
                text=True,
                env=environment,
                check=False,
                timeout=_TIMEOUT,
            )
        except subprocess.TimeoutExpired:
            return False
        if (done.returncode, done.stdout, done.stderr) != (0, "done\n", ""):
            return False
    return True


if __name__ == "__main__":
    _count, _features, _programs, _directory = sys.argv[1:]
    main(
        int(_count),
        [*filter(None, _features.split(","))],
        [*filter(None, _programs.split(","))],
        Path(_directory),
    )
