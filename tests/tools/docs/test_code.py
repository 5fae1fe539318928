"""Compilers, CMake, and the shell accept the code blocks of the guides that no test runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from kbuild import resources
from support.commands import run, succeed
from support.documentation import Block, list_pages, read_blocks
from support.tools.toolchains import needs_programs


def list_unused(language: str) -> Iterator[tuple[str, Block]]:
    """Yield the blocks in a language that have no comment, and the names of their places."""
    for name, page in list_pages().items():
        for block in read_blocks(page) if name.startswith("docs/how-to/") else ():
            if block.language == language and not block.action:
                yield f"{name.replace('/', '_')}_{block.line}", block


@needs_programs("g++")
def test_cpp_can_be_compiled(tmp_path: Path) -> None:
    native = resources.native_directory()
    sources = []
    for place, block in list_unused("cpp"):
        sources.append(tmp_path / f"{place}.cpp")
        sources[-1].write_text(block.text)
    assert sources
    options = ("-std=c++17", "-fsyntax-only", "-Wall", "-DKBUILD_BACKEND_CPU=1")
    headers = ("-isystem", native / "device" / "cpu", "-isystem", native / "include")

    succeed(run("g++", *options, *headers, *sources))


def test_cmake_can_be_read(tmp_path: Path) -> None:
    for place, block in list_unused("cmake"):
        # CMake reads the whole file before it calls the first command.
        (tmp_path / f"{place}.cmake").write_text(f"return()\n{dedent(block.text)}")
    blocks = sorted(tmp_path.glob("*.cmake"))
    assert len(blocks) > 10
    script = tmp_path / "all.cmake"
    script.write_text("".join(f'include("{block}")\n' for block in blocks))

    succeed(run("cmake", "-P", script))


def test_shell_can_be_read(tmp_path: Path) -> None:
    script = tmp_path / "script.sh"
    for name, page in list_pages().items():
        blocks = [b.text for b in read_blocks(page) if b.language == "bash" and b.action != "run"]
        if blocks:
            script.write_text("\n".join(blocks))
            done = run("bash", "-n", script)
            assert done.returncode == 0, f"{name}: {done.stderr}"


@pytest.mark.parametrize("text", ["if(A)\n", "set(A\n"])
def test_wrong_cmake_is_found(tmp_path: Path, text: str) -> None:
    (tmp_path / "wrong.cmake").write_text(f"return()\n{text}")
    (tmp_path / "all.cmake").write_text(f'include("{tmp_path}/wrong.cmake")\n')

    assert run("cmake", "-P", tmp_path / "all.cmake").returncode != 0
