"""Generated declarations compile whatever the names and types of kernels are."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kbuild.model import KernelRecord, Param, TargetRecord
from kbuild.resources import native_directory
from kbuild.stages.bindings.c import render_c_header
from kbuild.stages.bindings.fortran import render_fortran
from kbuild.stages.bindings.model import describe_bindings
from kbuild.stages.bindings.python import render_python
from kbuild.stages.bindings.rust import EDITIONS, render_rust
from support.tools.toolchains import needs_programs

SIZES = {
    "bool": 1, "char": 1, "signed char": 1, "unsigned char": 1, "char8_t": 1, "short": 2,
    "unsigned short": 2, "char16_t": 2, "_Float16": 2, "wchar_t": 4, "char32_t": 4, "int": 4,
    "unsigned int": 4, "float": 4, "long": 8, "unsigned long": 8, "long long": 8,
    "unsigned long long": 8, "double": 8, "long double": 16, "float4": 16, "uchar3": 3,
    "dim3": 12, "longlong2": 16, "ulong1": 8, "double4_32a": 32, "ns::Config": 24, "Mode": 4,
    "__half": 2, "int (*)(int)": 8, "void (&)()": 8, "decltype(nullptr)": 8,
}  # fmt: skip
# Names that mean something else in one of the languages, or in its template.
WORDS = tuple(
    word
    for line in (
        "grid block shared_bytes stream error arguments config self Self match in type fn lambda",
        "None Some print c_loc c_int size present transfer end if call real kbuild_check x X check",
        "kbuild_launch symbols handle code T std _private runtime launch",
    )
    for word in line.split()
)


def make_kernel(name: str, *params: tuple[str | None, str | None]) -> KernelRecord:
    rows = tuple(
        Param(
            index=i,
            offset=0,
            size=8 if spelled is None else SIZES.get(spelled, 8),
            type=spelled,
            name=word,
        )
        for i, (spelled, word) in enumerate(params)
    )
    return KernelRecord(
        handle=f"_Z{len(name)}{name}v" if "(" not in name else f"_Z{abs(hash(name))}",
        device_name=name,
        display=name,
        linkage="external",
        container=0,
        params=rows,
    )


LONG = "very_long_name_" * 8
TABLE = TargetRecord(
    version="0",
    target="odd-names.1",
    backend="cpu",
    visibility="default",
    containers=(),
    kernels=(
        make_kernel("values", *((spelled, None) for spelled in SIZES)),
        make_kernel("pointers", *((f"{spelled}*", None) for spelled in [*SIZES][:-3])),
        make_kernel("constants", *((f"{spelled} const*", None) for spelled in [*SIZES][:-3])),
        make_kernel("unknown", (None, None), ("void*", None), ("float**", None)),
        make_kernel("words", *(("int", word) for word in WORDS)),
        *(
            make_kernel(word, ("int", word))
            for word in WORDS
            if word not in ("if", "std", "kbuild_launch")
        ),
        make_kernel(LONG + "a", ("int", LONG)),
        make_kernel(LONG + "b", ("int", LONG + "c"), ("int", LONG + "d")),
        make_kernel("over(float*)", ("float*", "p")),
        make_kernel("over(float**)", ("float**", "p")),
        make_kernel("over(float const*)", ("float const*", "p")),
        make_kernel("void n::t<int, (n::E)1>(int)", ("int", "_x")),
        make_kernel("void n::t<int, (n::E)2>(int)", ("int", "_x")),
        make_kernel("__underscores", ("int", "__x")),
    ),
)
BINDINGS = describe_bindings(TABLE)


def require_success(*argv: object) -> None:
    words = [str(word) for word in argv]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


@pytest.mark.parametrize(("compiler", "language"), [("gcc", "c"), ("g++", "c++")])
def test_c(tmp_path: Path, compiler: str, language: str) -> None:
    source = tmp_path / "host.h"
    source.write_bytes(render_c_header(BINDINGS, "kbuild/host_cpu.h"))
    source.with_name("host.c").write_text('#include "host.h"\n')

    require_success(
        *(compiler, "-x", language, "-Wall", "-Wextra", "-Werror", "-fsyntax-only"),
        *("-I", native_directory() / "include", source.with_name("host.c")),
    )


@needs_programs("gfortran")
def test_fortran(tmp_path: Path) -> None:
    source = tmp_path / "kernels.f90"
    source.write_bytes(render_fortran(BINDINGS))

    require_success(
        *("gfortran", "-std=f2018", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"),
        *("-J", tmp_path, source),
    )


@needs_programs("rustc")
def test_rust(tmp_path: Path) -> None:
    source = tmp_path / "kernels.rs"
    source.write_bytes(render_rust(BINDINGS, EDITIONS[0]))

    require_success(
        *("rustc", "--edition", "2021", "-D", "warnings", "--crate-type", "lib"),
        *("--emit", "metadata", "--out-dir", tmp_path, source),
    )


def test_python() -> None:
    compile(render_python(BINDINGS), "kernels.pyi", "exec")
