"""The commands and programs in the documentation work as they are printed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from code_blocks import ROOT, Block, list_pages, read_blocks

PAGES = {page.relative_to(ROOT).as_posix(): page for page in list_pages()}
RUNNABLE = tuple(name for name, page in PAGES.items() if read_blocks(page))

Runner = Callable[[str], Path]


@pytest.fixture(scope="module")
def run_page(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """Return a function that runs a page once, and gives its directory."""
    directories: dict[str, Path] = {}

    def run(name: str) -> Path:
        if name not in directories:
            directory = tmp_path_factory.mktemp(Path(name).stem) / "project"
            blocks = read_blocks(PAGES[name])
            base = _find_base(blocks)
            if base is None:
                directory.mkdir()
            else:
                shutil.copytree(run(base), directory, symlinks=True)
            _run_blocks(name, blocks, directory)
            directories[name] = directory
        return directories[name]

    return run


@pytest.mark.parametrize("name", RUNNABLE)
def test_code_blocks_work(run_page: Runner, name: str) -> None:
    run_page(name)


def test_readme_and_tutorial_are_run() -> None:
    assert {"README.md", "docs/tutorials/first-kernel.md"} <= set(RUNNABLE)


def _find_base(blocks: tuple[Block, ...]) -> str | None:
    """Return the page whose directory this one starts from."""
    bases = [b.argument.removeprefix("after ") for b in blocks if b.argument.startswith("after ")]
    return bases[0] if bases else None


def _run_blocks(name: str, blocks: tuple[Block, ...], directory: Path) -> None:
    printed = ""
    for block in blocks:
        where = f"{name}:{block.line}"
        if block.action == "file":
            path = directory / block.argument
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")
        elif block.action == "run":
            printed = _run_block(where, block, directory)
        else:
            _compare(where, block.text, printed)


def _run_block(where: str, block: Block, directory: Path) -> str:
    commands = {
        "bash": ["bash", "-euo", "pipefail", "-c", block.text],
        "python": [sys.executable, "-c", block.text],
    }
    assert block.language in commands, f"{where}: cannot run {block.language!r}"
    scripts = Path(sys.executable).parent
    result = subprocess.run(
        commands[block.language],
        cwd=directory,
        env={
            **os.environ,
            "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
            "KBUILD_CACHE_DIR": str(directory.parent / "cache"),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=120,
    )
    assert result.returncode == 0, f"{where}: exit code {result.returncode}\n{result.stdout}"
    return result.stdout


def _compare(where: str, expected: str, printed: str) -> None:
    """Check that the printed lines are those expected, in their order."""
    lines = iter(line.rstrip() for line in printed.splitlines())
    for line in expected.splitlines():
        if line.strip() not in ("", "..."):
            assert line.rstrip() in lines, f"{where}: {line!r} is not in the output\n{printed}"
