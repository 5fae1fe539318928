"""Compare the wheel and the README's first command with those of another checkout."""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from benchmarks.measure import (
    HEADER,
    Comparison,
    Cost,
    describe_machine,
    interleave,
    measure_command,
    show,
)

ROOT = Path(__file__).resolve().parents[2]
README = "python3 -m venv .venv && . .venv/bin/activate && pip install '.[demo]' && kbuild demo"
# A compiler cache would answer from the second round on.
WITHOUT_CACHE = ("env", "-u", "CMAKE_C_COMPILER_LAUNCHER", "-u", "CMAKE_CXX_COMPILER_LAUNCHER")
# Compiles faster, and leaves out the module for Python.
TINY = (
    "--config-settings=cmake.build-type=Debug",
    "--config-settings=cmake.define.CMAKE_DISABLE_FIND_PACKAGE_Python=ON",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--tiny", action="store_true", help="build one wheel each, to check that the benchmark runs"
    )
    parser.add_argument(
        "--peer", type=Path, metavar="DIR", default=ROOT, help="compare with the checkout in DIR"
    )
    parser.add_argument("--repetitions", type=int, default=3)
    arguments = parser.parse_args()
    wheel = (sys.executable, "-m", "pip", "wheel", ".", "--no-deps", "--wheel-dir", "wheels")
    cases: dict[str, Sequence[str]] = (
        {"wheel": (*wheel, *TINY)}
        if arguments.tiny
        else {"wheel": wheel, "README": ("bash", "-c", README)}
    )
    print(describe_machine())
    print(HEADER)
    for case, command in cases.items():
        sides = {
            name: partial(measure_in_copy, checkout.resolve(), command)
            for name, checkout in {"ours": ROOT, "peer": arguments.peer}.items()
        }
        costs = interleave(sides, 1 if arguments.tiny else arguments.repetitions)
        for what in ("processor", "wall"):
            taken = {name: tuple(getattr(c, what) for c in costs[name]) for name in sides}
            show(Comparison(case=f"{case}, {what}", peer_name=str(arguments.peer), **taken))


def measure_in_copy(checkout: Path, command: Sequence[str]) -> Cost:
    """Measure a command in a new copy of a checkout, which has no build outputs."""
    with tempfile.TemporaryDirectory() as directory:
        listing = subprocess.run(
            [shutil.which("git") or "git", "ls-files", "-co", "--exclude-standard"],
            cwd=checkout,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for name in filter(lambda name: (checkout / name).is_file(), listing.splitlines()):
            target = Path(directory, name)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(checkout / name, target)
        return measure_command((*WITHOUT_CACHE, *command), Path(directory))


if __name__ == "__main__":
    main()
