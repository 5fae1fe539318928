"""CUB's algorithms for blocks and warps, as operations of kernels that are divided into regions."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from kbuild.backends.cpu.cccl import find_cccl
from kbuild.inspect.paths import inspect_path
from kbuild.toolchain.find import gather_hints
from support.mixed_programs import build_program
from support.tools.toolchains import NEWER_CLANG, needs_programs, skip_if

SOURCE = Path(__file__).parents[3] / "projects" / "cccl" / "primitives.cu"
FOUND = find_cccl(gather_hints())
# The parts of the source, with the kernels that keep fibers, because something is not proved. All
# parts as one program compile for more than ten minutes.
PARTS = {
    "BLOCKS": set(),
    "SUMS": set(),
    "WARPS": {"warps"},  # an argument that a call returns is an object with data
    "TRANSFERS": set(),
    "SORTS": set(),
    "KERNELS": {"conversions", "expressions", "own", "pairs", "parameter", "pointers", "traits"},
}

pytestmark = [
    pytest.mark.slow,
    skip_if("" if FOUND else "CCCL is not installed (pip install nvidia-cuda-cccl)"),
]


def run(program: Path, seed: str = "0") -> str:
    environment = {**os.environ, "KBUILD_SEED": seed}
    done = subprocess.run([program], capture_output=True, text=True, env=environment, check=True)
    return done.stdout


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize(
    ("compiler", "option"),
    [
        ("g++", "-O1"),
        ("g++", "-O3"),
        pytest.param(NEWER_CLANG, "-O3", marks=needs_programs(NEWER_CLANG)),
    ],
)
def test_regions_compute_what_the_code_of_cub_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiler: str, option: str, part: str
) -> None:
    source = tmp_path / "part.cu"
    source.write_text(f'#define PART_{part}\n#include "{SOURCE}"\n')
    compilers, options = (compiler, compiler), (option, "-w")
    program = build_program(tmp_path / "a", (source,), compilers=compilers, options=options)
    monkeypatch.setenv("KBUILD_CPU_SPLIT", "off")
    other = build_program(tmp_path / "b", (source,), compilers=compilers, options=options)

    expected = run(other)
    assert "no error" in expected
    for seed in ("0", "1", "2", "3", "4"):
        assert run(program, seed) == expected

    (facts,) = inspect_path(program)
    kernels = [kernel for image in facts.images for kernel in image.kernels]
    fibers = {k.display for k in kernels if k.execution != "regions"}
    assert {re.sub(r"^(?:void )?(\w+).*", r"\1", name) for name in fibers} == PARTS[part]
