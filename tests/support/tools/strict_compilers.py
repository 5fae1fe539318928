"""Host compilers that reject every warning."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from kbuild import resources
from support.tools.toolchains import needs_programs

INCLUDE = resources.native_directory() / "include"


def name_compilers(*names: str) -> list[Any]:
    """Return parameters for tests. If a compiler does not work, the reason skips its tests."""
    return [pytest.param(name, marks=needs_programs(name)) for name in names]


# By default, gcc compiles what kbuild generates, and the slow tests compile it with clang, too.
COMPILERS = ["gcc", pytest.param("clang", marks=[pytest.mark.slow, needs_programs("clang")])]


def compile_strictly(
    compiler: str, language: str, source: Path, *options: str
) -> subprocess.CompletedProcess[str]:
    strict = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fno-lto", "-fno-sanitize=all")
    return subprocess.run(
        [
            *(compiler, "-x", language, *strict, *options, f"-I{INCLUDE}"),
            *("-c", source, "-o", source.with_suffix(".o")),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
