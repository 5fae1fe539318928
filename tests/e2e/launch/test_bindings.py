"""Hosts in C, Fortran, Rust, and Python launch kernels through ``kbuild bindings``."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import kbuild
from kbuild.cli.main import main
from kbuild.stages.edges import list_stub_options
from support.commands import KBUILD, ROOT, run, succeed
from support.kernel_libraries import BuildKernelLibrary
from support.tools.gdb_sessions import needs_gdb, run_gdb
from support.tools.toolchains import find_missing, skip_if

EXAMPLES = ROOT / "examples"
needs_fortran = skip_if(find_missing("gfortran"))
needs_rust = skip_if(find_missing("rustc"))
C_HOST = r"""
#include "vector_kernels_kernels.h"
#include <stdio.h>

int main(void)
{
    const struct kbuild_launch_config config = {.grid = {1, 1, 1}, .block = {8, 1, 1}};
    const struct { int first, last; } range = {2, 4};
    float values[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    double sum[8];
    const double a[8] = {1, 2};
    int filled[8], i;
    if (launch_cfill(&config, filled, 7) || launch_vectors_add_double(&config, a, a, sum, 2) ||
        launch_vectors_scale(&config, values, 3, (const unsigned char *)&range) ||
        kbuild_synchronize())
        return 1;
    for (i = 0; i < 8; i++)
        if (filled[i] != 7 || values[i] != (i == 2 || i == 3 ? 3 : 1)) return 2;
    return sum[0] == 2 && sum[1] == 4 ? 0 : 3;
}
"""
KERNELS_USE = """
import typing, numpy, kbuild
if typing.TYPE_CHECKING:
    from vector_kernels import Kernels
kernels = typing.cast("Kernels", kbuild.load("x.so"))
integers, floats = numpy.zeros(8, numpy.int32), numpy.zeros(8, numpy.float32)
kernels["cfill"][1, 8](integers, 7)
kernels["vectors::scale"][1, 8](floats, 0.5, bytes(8))
kernels["cfill"][1, 8](floats, 7)  # wrong
kernels["cfill"][1, 8](integers, 7.5)  # wrong
kernels["cfill"][1, 8](integers)  # wrong
kernels["vectors::scale"][1, 8](floats, 0.5, 8)  # wrong
"""


@pytest.fixture(scope="module")
def library(build_kernel_library: BuildKernelLibrary) -> Path:
    """Return a library with debug stubs of the kernels that the examples use."""
    source = EXAMPLES / "fortran_host" / "vector.cu"
    return build_kernel_library(
        {"vector.cu": source.read_text()},
        target="vector_kernels",
        link_options=list_stub_options("ON"),
        debug_stubs="ON",
        stub_suffix=".cpp",
    )


def write_bindings(library: Path, language: str, path: Path, *options: str) -> Path:
    assert main(["bindings", "--lang", language, *options, "-o", str(path), str(library)]) == 0
    return path


def find_options(library: Path) -> list[str]:
    return succeed(run(KBUILD, "config", "--cflags", "--libs", library)).split()


def require_stub_and_results(program: Path) -> None:
    """Stop at the debug stub of the first launch, and then run the example to its end."""
    commands = ("break __device_stub__cfill", "run", "bt 1", "delete", "continue")
    _, _, frame, _, rest = run_gdb(*commands, files=(program,))
    assert re.search(r"__device_stub__cfill \(values=0x\w+, value=7\)", frame)
    assert "all kernels are correct" in rest


def test_c_host(tmp_path: Path, library: Path) -> None:
    write_bindings(library, "c", tmp_path / "vector_kernels_kernels.h")
    source = tmp_path / "main.c"
    source.write_text(C_HOST)
    words = ("gcc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", source)

    succeed(run(*words, "-o", tmp_path / "host", *find_options(library)))

    succeed(run(tmp_path / "host"))


@needs_gdb
@needs_fortran
def test_fortran_host(tmp_path: Path, library: Path) -> None:
    module = write_bindings(library, "fortran", tmp_path / "vector_kernels.f90")
    main_file = EXAMPLES / "fortran_host" / "main.f90"
    words = ("gfortran", "-std=f2018", "-Wall", "-Wextra", "-Werror", f"-J{tmp_path}")
    options = [word for word in find_options(library) if not word.startswith(("-I", "-D"))]

    built = run(*words, module, main_file, "-o", tmp_path / "host", *options)

    succeed(built)
    assert built.stderr == ""  # no warning of the linker, about relocations in read-only data
    require_stub_and_results(tmp_path / "host")


@needs_fortran
def test_fortran_checks_the_kinds_of_arguments(tmp_path: Path, library: Path) -> None:
    write_bindings(library, "fortran", tmp_path / "vector_kernels.f90")
    source = tmp_path / "wrong.f90"
    source.write_text(
        "program wrong\nuse, intrinsic :: iso_c_binding\nuse vector_kernels_kernels\n"
        "call cfill(1, 32, c_null_ptr, 7.0)\ncall cfill(1, 32, c_null_ptr, 7_c_long)\n"
        "call cfill(1, 32, 7)\nend program\n"
    )

    result = run(
        *("gfortran", "-fsyntax-only", f"-J{tmp_path}", tmp_path / "vector_kernels.f90", source)
    )

    lines = re.findall(r"wrong.f90:(\d+):", result.stderr)
    assert list(dict.fromkeys(lines)) == ["4", "5", "6"]


@needs_gdb
@needs_rust
def test_rust_host(tmp_path: Path, library: Path) -> None:
    write_bindings(library, "rust", tmp_path / "vector_kernels.rs")
    source = EXAMPLES / "rust_host" / "src" / "main.rs"
    words = ("rustc", "--edition", "2021", "-g", "-D", "warnings", "-C", f"link-arg={library}")

    succeed(
        run(
            *("env", f"OUT_DIR={tmp_path}", *words, "-C", f"link-arg=-Wl,-rpath,{library.parent}"),
            *(source, "-o", tmp_path / "host"),
        )
    )

    require_stub_and_results(tmp_path / "host")


@pytest.mark.slow
@needs_rust
def test_rust_edition_2024(tmp_path: Path, library: Path) -> None:
    module = write_bindings(library, "rust", tmp_path / "kernels.rs", "--edition", "2024")

    succeed(run("rustc", "--edition", "2024", "-D", "warnings", "--crate-type", "lib", module))


@pytest.mark.slow
@needs_rust
@skip_if(find_missing("cargo"))
def test_rust_example_with_cargo(tmp_path: Path) -> None:
    project = tmp_path / "project"
    shutil.copytree(EXAMPLES / "rust_host", project)

    succeed(
        run(
            "env",
            f"PATH={KBUILD.parent}:/usr/bin:{Path(str(shutil.which('cargo'))).parent}",
            "cargo",
            "build",
            "--offline",
            cwd=project,
        )
    )

    printed = succeed(run(project / "target" / "debug" / "rust_host"))
    assert "all kernels are correct" in printed


def test_python_stubs_name_what_load_finds(tmp_path: Path, library: Path) -> None:
    text = write_bindings(library, "python", tmp_path / "vector_kernels.pyi").read_text()
    compile(text, "vector_kernels.pyi", "exec")
    kernels = kbuild.load(library)

    listed = re.findall(r"Literal\[(.*)\]\)", text)
    keys = [key for group in listed for key in re.findall(r'"([^"]+)"', group)]

    assert len(listed) == len(kernels) == 4
    assert {kernels[key].name for key in keys} == {kernel.name for kernel in kernels.values()}
    filled = np.zeros(8, np.int32)
    kernels["cfill"][1, 8](filled, 7)
    assert filled.tolist() == [7] * 8


@pytest.mark.slow
def test_python_stubs_have_types(tmp_path: Path, library: Path) -> None:
    write_bindings(library, "python", tmp_path / "vector_kernels.pyi")
    source = tmp_path / "use.py"
    source.write_text(KERNELS_USE)

    result = run("mypy", "--strict", source, cwd=tmp_path)

    wrong = [n for n, line in enumerate(KERNELS_USE.splitlines(), 1) if line.endswith("# wrong")]
    assert [int(n) for n in re.findall(r"use.py:(\d+): error", result.stdout)] == wrong
