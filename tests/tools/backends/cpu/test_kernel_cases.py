"""Small kernels of kinds that a division into regions once computed wrongly, or that were slow."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from kbuild.inspect.paths import inspect_path
from support.mixed_programs import PROJECT, build_program
from support.tools.toolchains import needs_programs

ORDERS = ("0", "1", "4711")  # values of KBUILD_SEED: orders of the threads in a region
KINDS = (
    *("sequencing", "values_behind_names", "objects", "parameters", "spelling", "branches"),
    *("waits", "declarations", "preconditions"),
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


@pytest.fixture(scope="module", params=KINDS)
def program(
    request: pytest.FixtureRequest,
    compiler: tuple[str, str],
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    name, level = compiler
    source = PROJECT / f"cases_{request.param}.cu"
    directory = tmp_path_factory.mktemp("cases")
    return build_program(directory, (source,), compilers=(name, name), options=(level, "-w"))


@pytest.mark.parametrize("order", ORDERS)
def test_kernels_compute_what_cxx_demands(program: Path, order: str) -> None:
    environment = {**os.environ, "KBUILD_SEED": order}
    done = subprocess.run([program], capture_output=True, text=True, env=environment, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


def test_a_spelling_does_not_make_other_kernels_fibers(tmp_path: Path) -> None:
    program = build_program(tmp_path, (PROJECT / "cases_spelling.cu",), options=("-O1", "-w"))
    (facts,) = inspect_path(program)

    executions = {k.display: k.execution for image in facts.images for k in image.kernels}
    fibers = {name for name, execution in executions.items() if execution.startswith("fibers")}
    assert fibers == CONDITIONAL


def test_loops_that_update_memory_are_plain(tmp_path: Path) -> None:
    program = build_program(tmp_path, (PROJECT / "cases_waits.cu",), options=("-O1", "-w"))
    (facts,) = inspect_path(program)

    executions = {k.display: k.execution for image in facts.images for k in image.kernels}
    plain = {name for name, execution in executions.items() if execution == "plain loop"}
    ending = {"real_update(int*, int*)", "counted(int*, int*)"}
    assert ending <= plain <= {*ending, "delete_object()"}
