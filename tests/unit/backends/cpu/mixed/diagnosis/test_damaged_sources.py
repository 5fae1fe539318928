"""No reader fails on a damaged source, and its text for diagnostics can always be written."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

import pytest

from kbuild.backends.cpu import mixed as passes
from kbuild.backends.cpu.mixed.diagnosis.text import write_diagnosis_text
from kbuild.backends.interface.build import CompileUnit
from kbuild.backends.interface.mixed import HostUnit
from kbuild.cxx.rewriting.rewrite import rewrite
from kbuild.cxx.unit import Unit
from kbuild.errors import SourceError
from kbuild.stages.sources.device_text import select_device_text
from kbuild.stages.sources.host_code import find_host_code, needs_host_pass
from kbuild.stages.sources.included import Preprocessed
from support.commands import ROOT
from support.source_edits import list_edits, preprocess_plainly

EDITS: Final = 12  # of each source
PROJECTS: Final = ROOT / "tests" / "projects"
SOURCES: Final = (
    *sorted((ROOT / "examples").rglob("*.cu")),
    *(
        PROJECTS / "mixed_cpu" / f"cases_{name}.cu"
        for name in ("sequencing", "objects", "branches")
    ),
    PROJECTS / "mixed_cpu" / "program.cu",
)


def make_units(source: Path) -> tuple[CompileUnit, HostUnit]:
    output = Path("/nowhere/output")
    device = CompileUnit(
        source=source,
        display_source=source.name,
        arch="x86-64",
        output=output,
        stamp=output,
        depfile=output,
        include_directories=(),
        definitions=(),
        build_options=("-O2",),
        options=(),
        device_standard=17,
        relocatable=False,
        debug=False,
        is_mixed=True,
    )
    host = HostUnit(
        source=source,
        display_source=source.name,
        output=output,
        stamp=output,
        depfile=output,
        compiler=Path("g++"),
        compiler_id="GNU",
    )
    return device, host


def read_completely(source: str, path: Path) -> None:
    """Do with a source what the passes do, except that no compiler runs."""
    device, host = make_units(path)
    text = preprocess_plainly(source, path)
    code = Unit(text)
    write_diagnosis_text(code)
    preprocessed = Preprocessed(
        text=text, is_project=lambda _: True, read_file=lambda _: source.encode()
    )
    select_device_text(source, preprocessed, has_lines=False)
    find_host_code(source.encode())
    needs_host_pass(source.encode())
    with suppress(SourceError):  # a compiler says what is wrong
        rewrite(code, passes.read_device_text(code, device), "module")
    with suppress(SourceError):
        rewrite(code, passes.read_host_text(code, host), "module")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_damaged_sources_are_read(path: Path) -> None:
    source = path.read_text()
    for text, description in list_edits(source, EDITS, seed=len(source)):
        assert description  # pytest shows it if the next line fails
        read_completely(text, path)


@pytest.mark.parametrize(
    "source",
    [
        "__global__ void k(float *v) { v[0] = 1 }",
        "__global__ void k(int *p) { *p = threadIdx.x }",
        "__global__ void k(int *p) { *p = blockDim.x * threadIdx.x",
        "__global__ void k(int *p) { for (int i = 0; i < 3; i++ { p[i] = 0; __syncthreads(); } }",
        "__global__ void k(int *p) { p[0 = 1; }\nint main() { k<<<1, 1>>>(0); }",
        "template <, int N> __global__ void k(int *p) {}\nint main() { k<<<1, 1>>>(0); }",
        "void f(int a __global__) {}\nint main() { f<<<1, 1(0); }",
        "__global__ void",
        "__shared__",
        "<<<",
    ],
)
def test_sources_that_once_failed_are_read(source: str) -> None:
    read_completely(source, Path("a.cu"))
