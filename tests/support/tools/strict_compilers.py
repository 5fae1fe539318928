"""Host compilers that reject every warning."""

from __future__ import annotations

import subprocess
from pathlib import Path

from kbuild import resources
from support.tools.toolchains import find_missing

INCLUDE = resources.native_directory() / "include"


def find_all(*names: str) -> list[str]:
    """Return the compilers that work."""
    return [name for name in names if not find_missing(name)]


COMPILERS = find_all("gcc", "clang")


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
