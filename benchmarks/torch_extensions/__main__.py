"""Build PyTorch extensions with ``kbuild.torch`` and with ``torch.utils.cpp_extension``."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from benchmarks.measure import Cost, describe_machine, measure_command
from benchmarks.torch_extensions.projects import EXTENSIONS, Extension, Side, copy_project

OURS, PEER = "kbuild.torch", "torch"
# The architectures of PyTorch's own wheels for CUDA 13.
ARCHITECTURES: Final = "7.5;8.0;8.6;9.0;10.0;12.0+PTX"
STEPS: Final = ("cold", "host", "kernel", "nothing")


def main() -> None:
    arguments = parse_arguments()
    extension = next(e for e in EXTENSIONS if e.name == arguments.extension)
    os.environ.setdefault("TORCH_CUDA_ARCH_LIST", ARCHITECTURES)
    os.environ.update(extension.variables)
    os.environ["CCACHE_DISABLE"] = "1"
    print(f"{describe_machine()}; {extension.name}, {os.environ['TORCH_CUDA_ARCH_LIST']}")
    with tempfile.TemporaryDirectory() as name:
        sides = {
            side: copy_project(
                arguments.source.resolve(), Path(name) / side, uses_kbuild=side == OURS
            )
            for side in (OURS, PEER)
        }
        compare(extension, sides, arguments.steps)
        show_results({side: copy.find_wheel() for side, copy in sides.items()})


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("extension", choices=[e.name for e in EXTENSIONS])
    parser.add_argument(
        "--source", type=Path, required=True, metavar="DIR", help="a checkout of the extension"
    )
    parser.add_argument("--steps", nargs="+", choices=STEPS, default=STEPS)
    return parser.parse_args()


def compare(extension: Extension, sides: dict[str, Side], steps: list[str]) -> None:
    """Take every step on both sides in turn. The first one is always a cold build."""
    print(f"{'step':<12}{'side':<14}{'wall s':>8}{'CPU s':>8}{'ratio':>8}", flush=True)
    changes: dict[str, Callable[[Side], None]] = {
        "cold": lambda side: None,  # noqa: ARG005 - nothing to change
        "host": lambda side: side.apply(extension.host, 1),
        "kernel": lambda side: side.apply(extension.kernel, 2),
        "nothing": lambda side: None,  # noqa: ARG005
    }
    for step in dict.fromkeys(("cold", *steps)):
        costs = {}
        for name, side in sides.items():
            changes[step](side)
            costs[name] = measure_command(side.command, side.directory)
        show(step, costs)


def show(step: str, costs: dict[str, Cost]) -> None:
    for side, cost in costs.items():
        ratio = f"{cost.wall / costs[PEER].wall:>8.2f}" if side == OURS else ""
        print(f"{step:<12}{side:<14}{cost.wall:>8.1f}{cost.processor:>8.1f}{ratio}", flush=True)


def show_results(wheels: dict[str, Path]) -> None:
    """Print the sizes of the wheels, what ``kbuild verify`` says, and what differs."""
    for side, wheel in wheels.items():
        print(f"wheel of {side}: {wheel.stat().st_size} bytes; {read_last_line('verify', wheel)}")
    print(f"diff: {read_last_line('diff', wheels[PEER], wheels[OURS])}")


def read_last_line(*words: str | Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "kbuild", *words], capture_output=True, text=True, check=False
    )
    return (done.stdout or done.stderr).strip().rpartition("\n")[2]


if __name__ == "__main__":
    main()
