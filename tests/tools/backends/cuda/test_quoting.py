"""Macros reach device code as they reach host code, whatever nvcc does to its command line."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

from kbuild.backends.cuda.build import quote_options
from support.tools.nvidia_compiler import NVCC, needs_nvcc

VALUES: Final = (
    "1",
    "1,2",
    '"x y"',
    '"a,b"',
    r'"a\"b"',
    r'"a\\b"',
    "'x'",
    "$HOME`ls`",
    "f(a, b)",
    "",
)


@needs_nvcc
def test_macros_and_directories_are_passed_on_as_they_are(tmp_path: Path) -> None:
    source = tmp_path / "a.cpp"
    lines = [f"{number} M{number}\n" for number in range(len(VALUES))]
    source.write_text('#include "here.h"\n' + "".join(lines))
    directory = tmp_path / "a, b"
    directory.mkdir()
    (directory / "here.h").touch()
    macros = [f"-DM{number}={value}" for number, value in enumerate(VALUES)]
    options = quote_options((*macros, f"-I{directory}"))

    text = subprocess.run(
        [str(NVCC), "-E", str(source), *options], capture_output=True, text=True, check=True
    ).stdout

    read = [line.partition(" ")[2].strip() for line in text.splitlines() if line[:1].isdigit()]
    assert read == list(VALUES)
