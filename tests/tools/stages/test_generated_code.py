"""Tests that generated code compiles without warnings."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from kbuild.demangle.stub_names import name_stub
from kbuild.stages.stubs.unit import render_cpp_header, render_stub_unit
from support.files.generated import (
    GENERATED,
    STUB,
    TABLE,
    TYPES,
    adapter,
    debug_stub_unit,
    param,
    row,
)
from support.tools.strict_compilers import COMPILERS, compile_strictly


@pytest.mark.parametrize("options", [("-O0",), ("-O2",), ("-O2", "-fPIC"), ("-fno-pic",)])
@pytest.mark.parametrize("language", ["c", "c++"])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_stub_unit_compiles(
    tmp_path: Path, compiler: str, language: str, options: tuple[str, ...]
) -> None:
    (tmp_path / "my kernels.fatbin").write_bytes(bytes(11))
    (tmp_path / "table.json").write_bytes(b"{}\n")
    source = tmp_path / "stub.c"
    source.write_bytes(render_stub_unit(STUB).replace(b"/out/", f"{tmp_path}/".encode()))

    result = compile_strictly(compiler, language, source, *options)

    assert result.returncode == 0, result.stderr
    assert not find_missing_handles(source.with_suffix(".o"))


def find_missing_handles(compiled: Path) -> set[str]:
    listed = subprocess.run(["nm", "-j", compiled], capture_output=True, text=True, check=True)
    return {kernel.handle for kernel in TABLE.kernels} - set(listed.stdout.split())


@pytest.mark.parametrize("options", [("-O0", "-g"), ("-O2", "-fPIC")])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_debug_stub_unit_compiles(tmp_path: Path, compiler: str, options: tuple[str, ...]) -> None:
    (tmp_path / "my kernels.fatbin").write_bytes(bytes(11))
    (tmp_path / "table.json").write_bytes(b"{}\n")
    header = tmp_path / "types.hpp"
    header.write_text(TYPES)
    source = tmp_path / "stub.cpp"
    source.write_bytes(debug_stub_unit(header).replace(b"/out/", f"{tmp_path}/".encode()))

    result = compile_strictly(compiler, "c++", source, "-std=c++17", *options)

    assert result.returncode == 0, result.stderr
    assert not find_missing_handles(source.with_suffix(".o"))


@pytest.mark.parametrize("options", [("-O0",), ("-O2", "-fPIC")])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_adapter_compiles(tmp_path: Path, compiler: str, options: tuple[str, ...]) -> None:
    source = tmp_path / "adapter.cpp"
    source.write_bytes(adapter())

    result = compile_strictly(compiler, "c++", source, "-std=c++17", *options)

    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(
    ("name", "language", "options"),
    [
        ("kernels.hpp", "c++", ("-std=c++17",)),
        ("kernels.hpp", "c++", ("-std=c++20",)),
        ("kernels.h", "c", ("-std=c99",)),
        ("kernels.h", "c++", ("-std=c++17",)),
    ],
)
@pytest.mark.parametrize("compiler", COMPILERS)
def test_headers_compile(
    tmp_path: Path, compiler: str, name: str, language: str, options: tuple[str, ...]
) -> None:
    (tmp_path / name).write_bytes(GENERATED[name]())
    source = tmp_path / "host.c"
    source.write_text(f'#include "{name}"\n#include "{name}"\nint main(void) {{ return 0; }}\n')

    result = compile_strictly(compiler, language, source, *options)

    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("compiler", COMPILERS)
def test_vector_types_do_not_need_a_project_header(tmp_path: Path, compiler: str) -> None:
    parameters = (param(0, 0, 16, "float4", "v"), param(1, 16, 8, "dim3 const*", "n"))
    kernel = row("_Z4move6float4PK4dim3", "move(float4, dim3 const*)", *parameters)
    table = replace(TABLE, kernels=(replace(kernel, stub=name_stub(kernel.device_name)),))
    (tmp_path / "my kernels.fatbin").write_bytes(bytes(11))
    (tmp_path / "table.json").write_bytes(b"{}\n")
    header, stub = render_cpp_header(table, ()), render_stub_unit(replace(STUB, table=table))
    assert b"void move(float4, dim3 const*);" in header
    for name, content in (("host.cpp", header), ("stub.cpp", stub)):
        source = tmp_path / name
        source.write_bytes(content.replace(b"/out/", f"{tmp_path}/".encode()))
        result = compile_strictly(compiler, "c++", source, "-std=c++17")
        assert "pragma once in main" in result.stderr or result.returncode == 0, result.stderr
