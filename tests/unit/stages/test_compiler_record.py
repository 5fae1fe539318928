from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kbuild.backends import find_builder
from kbuild.backends.interface.build import CompileUnit
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.stages.compiler_record import hide_path, record_compiler

UNIT = CompileUnit(
    source=Path("/here/a.cu"),
    display_source="a.cu",
    arch="80",
    output=Path("/here/out/a"),
    stamp=Path("/here/out/a.json"),
    depfile=Path("/here/out/a.d"),
    include_directories=("/here/include",),
    definitions=("N=3", 'ROOT="/here/data"'),
    build_options=("-O3", "-DNDEBUG", "-march=native", "-flto"),
    options=("-maxrregcount=32", "-I/here/more", "-include", "/here/a b.h"),
)
OWN = ("-maxrregcount=32", "-I<path>", "-include", "<path>")


@pytest.mark.parametrize(
    ("backend", "expected"),
    [
        ("cuda", ("-DNDEBUG", *OWN)),
        ("hip", ("-O3", "-DNDEBUG", *OWN)),
        ("cpu", ("-O3", "-DNDEBUG", *OWN)),
    ],
)
def test_record_contains_the_options_of_device_code(
    backend: str, expected: tuple[str, ...]
) -> None:
    toolchain = Toolchain(
        backend=backend, compiler=Path("/usr/bin/c"), compiler_id="gcc", version="12.2.0"
    )

    record = record_compiler(UNIT, toolchain, find_builder(backend))

    assert (record.name, record.version) == ("gcc", "12.2.0")
    assert record.options == ("-std=c++17", "-DN=3", '-DROOT="<path>', *expected)
    elsewhere = replace(
        UNIT, source=Path("/there/a.cu"), include_directories=("/there",), output=Path("/there/a")
    )
    assert record_compiler(elsewhere, toolchain, find_builder(backend)) == record


@pytest.mark.parametrize(
    ("option", "expected"),
    [
        ("-O3", "-O3"),
        ("-I/usr/include", "-I<path>"),
        ("/a b/c", "<path>"),
        ("-fdebug-prefix-map=/a=/b", "-fdebug-prefix-map=<path>"),
        ("../include", "..<path>"),
        ("-DTEXT=a\n/b\nc", "-DTEXT=a\n<path>"),
    ],
)
def test_paths_are_hidden(option: str, expected: str) -> None:
    assert hide_path(option) == expected
