"""Build and run several random kernels at a time."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kbuild.inspect import inspect_path
from support.mixed_programs import build_program
from support.random_kernels.cxx.generate import CxxKernel
from support.random_kernels.cxx.program import list_wrong, render_program

# Values of KBUILD_SEED: orders of the threads in a region. Some faults need the order without it.
ORDERS = ("", "0", "1", "7", "4711")
_OWN_NAMES = frozenset(("memory_user_max", "user_lane"))  # features
_LESS = 4  # times fewer kernels with members of classes in a program
_TIMEOUT = 60  # seconds for a program; a thread that waits forever is a result


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a kernel.

    Attributes:
        kernel: The kernel.
        execution: The execution model that kbuild chose, or an empty string.
        problem: What is wrong, or an empty string.
    """

    kernel: CxxKernel
    execution: str
    problem: str


def check_batch(
    directory: Path,
    kernels: Sequence[CxxKernel],
    *,
    compiler: str,
    options: tuple[str, ...],
    orders: Sequence[str] = ORDERS,
) -> list[Outcome]:
    """Build kernels as one program, run it in several orders of threads, and compare.

    A program that cannot be built is divided until the kernels are known whose fault it is.
    """
    place = directory / f"{kernels[0].kernel.name}_{len(kernels)}"
    place.mkdir()
    source = place / "random.cu"
    source.write_text(render_program(kernels))
    try:
        program = build_program(
            place, (source,), compilers=(compiler, compiler), options=(*options, "-w")
        )
    except Exception as error:  # noqa: BLE001 - any failure of a build is a result
        if len(kernels) == 1:
            message = f"does not build: {error}"
            return [Outcome(kernel=kernels[0], execution="", problem=message)]
        middle = len(kernels) // 2
        found = []
        for part in (kernels[:middle], kernels[middle:]):
            found += check_batch(directory, part, compiler=compiler, options=options, orders=orders)
        return found
    executions = find_executions(program)
    problems: dict[str, str] = {}
    for order in orders:
        for name, message in _run(program, kernels, order).items():
            problems.setdefault(name, f"KBUILD_SEED={order}: {message}")
    return [
        Outcome(
            kernel=each,
            execution=executions.get(each.kernel.name, ""),
            problem=problems.get(each.kernel.name, ""),
        )
        for each in kernels
    ]


def make_batches(kernels: Iterable[CxxKernel], size: int) -> list[list[CxxKernel]]:
    """Return kernels in programs of a size.

    Members of classes, and functions with names of operations, can decide how all kernels of a
    source run, so these kernels have programs for themselves.
    """
    groups: dict[tuple[bool, bool], list[CxxKernel]] = {}
    for each in kernels:
        has_names = not _OWN_NAMES.isdisjoint(each.features)
        groups.setdefault((each.has_members, has_names), []).append(each)
    batches = []
    for (has_members, _), found in groups.items():
        count = max(size // _LESS, 1) if has_members else size
        batches += [found[start : start + count] for start in range(0, len(found), count)]
    return batches


def find_executions(program: Path) -> dict[str, str]:
    """Return the execution models of a program's kernels, by the name of the kernel."""
    found = {}
    for artifact in inspect_path(program):
        for kernel in (kernel for image in artifact.images for kernel in image.kernels):
            found[kernel.display.partition("(")[0].rpartition("::")[2]] = kernel.execution or ""
    return found


def _run(program: Path, kernels: Sequence[CxxKernel], order: str) -> dict[str, str]:
    """Return the wrong kernels; after a crash or without an end, each kernel runs alone."""
    output, problem = _run_once([str(program)], order)
    if not problem:
        return list_wrong(kernels, output)
    wrong: dict[str, str] = {}
    for each in kernels:
        output, problem = _run_once([str(program), each.kernel.name], order)
        wrong |= {each.kernel.name: problem} if problem else list_wrong([each], output)
    return wrong


def _run_once(command: list[str], order: str) -> tuple[str, str]:
    environment = dict(os.environ)
    environment.pop("KBUILD_SEED", None)
    if order:
        environment["KBUILD_SEED"] = order
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=_TIMEOUT,
            env=environment,
        )
    except subprocess.TimeoutExpired:
        return "", "does not end"
    if done.returncode or done.stderr:
        message = " ".join(done.stderr.split())
        return done.stdout, f"exits with {done.returncode}: {message[:300]}"
    return done.stdout, ""
