"""Small kernels of kinds that a division into regions once computed wrongly, or that were slow."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from kbuild.inspect.paths import inspect_path
from support.mixed_programs import PROJECT, build_program
from support.tools.toolchains import needs_programs

Build = Callable[[str], Path]

# Values of KBUILD_SEED: orders of the threads in a region. The last one is a permutation.
ORDERS = ("0", "1", pytest.param("4711", marks=pytest.mark.slow))
KINDS = (
    *("sequencing", "values_behind_names", "objects", "parameters", "spelling", "branches"),
    *("waits", "declarations", "preconditions", "numbers"),
)
# The kernels of `spelling` that contain operations behind && and ||.
CONDITIONAL = {"alternative_tokens(int*, bool)"}


@pytest.fixture(
    scope="module",
    params=[
        ("g++", "-O1"),
        pytest.param(("g++", "-O3"), marks=pytest.mark.slow),
        pytest.param(("clang++", "-O3"), marks=[pytest.mark.slow, needs_programs("clang++")]),
    ],
    ids="".join,
)
def compiler(request: pytest.FixtureRequest) -> tuple[str, str]:
    return request.param[0], request.param[1]


@pytest.fixture(scope="module")
def build(compiler: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Return a function that builds the program of a kind, once for all tests."""
    name, level = compiler

    @cache
    def build(kind: str) -> Path:
        directory = tmp_path_factory.mktemp(kind)
        sources = (PROJECT / f"cases_{kind}.cu",)
        return build_program(directory, sources, compilers=(name, name), options=(level, "-w"))

    return build


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", KINDS)
def test_kernels_compute_what_cxx_demands(build: Build, kind: str, order: str) -> None:
    environment = {**os.environ, "KBUILD_SEED": order}
    done = subprocess.run(
        [build(kind)], capture_output=True, text=True, env=environment, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def read_executions(program: Path) -> dict[str, str | None]:
    (facts,) = inspect_path(program)
    return {k.display: k.execution for image in facts.images for k in image.kernels}


def test_a_spelling_does_not_make_other_kernels_fibers(build: Build) -> None:
    executions = read_executions(build("spelling"))
    fibers = {name for name, how in executions.items() if how and how.startswith("fibers")}
    assert fibers == CONDITIONAL


def test_loops_that_update_memory_are_plain(build: Build) -> None:
    executions = read_executions(build("waits"))
    plain = {name for name, execution in executions.items() if execution == "plain loop"}
    ending = {"real_update(int*, int*)", "counted(int*, int*)"}
    # A compiler can find out that these end, too.
    assert ending <= plain <= {*ending, "delete_object()", "calls_or_comparisons(int*, int*)"}
