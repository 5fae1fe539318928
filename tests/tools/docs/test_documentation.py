"""The commands in the documentation work as printed, and it knows the keys of all reports.

``support/documentation.py`` explains the comments in front of code blocks.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kbuild
from support.caches import make_cache
from support.commands import ROOT, find_kbuild, run_kbuild
from support.documentation import Block, list_pages, read_blocks
from support.mixed_programs import build_program
from support.tools.toolchains import needs_backend

PAGES = list_pages()
RUNNABLE = tuple(
    name
    for name, page in PAGES.items()
    if "<!-- run" in page.read_text("utf-8")  # before blocks are read, which takes longer
    and any(block.action == "run" for block in read_blocks(page))
)

# Their commands are those of other pages and tests.
RARELY_RUN = {
    *("docs/how-to/ci-without-gpu.md", "docs/how-to/gate-wheels.md"),
    *("docs/how-to/hipify.md", "docs/how-to/makefile-project.md", "docs/how-to/nanobind.md"),
    *("docs/how-to/nvcc.md", "docs/how-to/without-cmake.md"),
    "docs/tutorials/existing-source.md",
    *("docs/how-to/gdb.md", "docs/how-to/check-kernels.md", "docs/how-to/pytest.md"),
}
HIPIFY, NANOBIND = "docs/how-to/hipify.md", "docs/how-to/nanobind.md"
# What the guide for nanobind says about pybind11.
PYBIND11_MODULE = """
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
using Array = pybind11::array_t<float, pybind11::array::c_style>;
void scale_on_device(float* values, float by, int n);
PYBIND11_MODULE(scaling, m)
{
    m.def("scale", [](Array values, float by) {
        scale_on_device(values.mutable_data(), by, static_cast<int>(values.size()));
    });
}
"""
GATE_WHEELS = "docs/how-to/gate-wheels.md"
GDB = "docs/how-to/gdb.md"
NEEDS = {
    GATE_WHEELS: (needs_backend("cuda"),),
    GDB: (pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed"),),
}
FIRST_KERNEL = "docs/tutorials/first-kernel.md"
EXISTING_SOURCE = "docs/tutorials/existing-source.md"

Runner = Callable[[str], Path]


@pytest.fixture(scope="module")
def run_page(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """Return a function that runs a page once, and gives its directory."""
    directories: dict[str, Path] = {}

    def run(name: str) -> Path:
        if name not in directories:
            directory = tmp_path_factory.mktemp(Path(name).stem) / "project"
            directory.mkdir()
            _run_blocks(name, read_blocks(PAGES[name]), directory)
            directories[name] = directory
        return directories[name]

    return run


def _mark(name: str) -> tuple[pytest.MarkDecorator, ...]:
    rarely = (pytest.mark.slow,) if name in RARELY_RUN else ()
    return (*rarely, *NEEDS.get(name, ()))


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=_mark(n)) for n in RUNNABLE],
)
def test_code_blocks_work(run_page: Runner, name: str) -> None:
    run_page(name)


@pytest.mark.slow
@needs_backend("hip")
def test_project_that_used_hipify_is_built_for_amd(run_page: Runner) -> None:
    directory = run_page(HIPIFY)
    (block,) = (b for b in read_blocks(PAGES[HIPIFY]) if "GPU_BACKEND=hip" in b.text)

    assert "ok: " in _run_block(HIPIFY, replace(block, language="bash"), directory)
    done = run_kbuild(
        *("run", "--backend", "hip", "--arch", "gfx90a", "--build-only", "-o", "scale"),
        "scale.hip",
        cwd=directory,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_extension_is_also_built_with_pybind11(run_page: Runner) -> None:
    directory = run_page(NANOBIND)
    (cmake,) = (b for b in read_blocks(PAGES[NANOBIND]) if "pybind11_add_module" in b.text)
    find, add = cmake.text.splitlines()
    lists = directory / "CMakeLists.txt"
    text = lists.read_text()
    text = re.sub(r"find_package\(nanobind.*", find, text)
    lists.write_text(re.sub(r"nanobind_add_module.*", add, text))
    (directory / "module.cpp").write_text(PYBIND11_MODULE)
    script = """
        . .venv/bin/activate
        pip install -q pybind11
        rm -rf build dist
        pip wheel -q --no-build-isolation --no-deps -w dist .
        kbuild verify dist/*.whl
        . user/bin/activate
        pip install -q --force-reinstall --no-deps dist/*.whl
        python -c "import numpy, scaling; x = numpy.ones(2, 'f4'); scaling.scale(x, 3); print(x)"
    """
    block = Block(action="run", argument="", language="bash", text=script, line=0)

    assert "[3. 3.]" in _run_block(NANOBIND, block, directory)


def test_readme_and_tutorials_are_run() -> None:
    assert {"README.md", FIRST_KERNEL, EXISTING_SOURCE} <= set(RUNNABLE)


@pytest.mark.slow
def test_picture_of_the_terminal_shows_what_commands_print() -> None:
    script = ROOT / "scripts" / "draw_terminal.py"
    done = subprocess.run(
        [sys.executable, script, "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


# Each report, made from the library of the tutorial and a program of a mixed source.
MIXED_SOURCE = """
__device__ int counter;
__global__ void add(int* p) { p[threadIdx.x] += counter; }
int main() { add<<<1, 1>>>(nullptr); }
"""
REPORTS = {
    "kbuild.inspect/1": ("inspect", "{mixed}"),
    "kbuild.verify/1": ("verify", "{first}", "--policy", "{policy}"),
    "kbuild.diff/1": ("diff", "{first}", "{mixed}"),
    "kbuild.smoke/1": ("smoke", "{first}"),
    "kbuild.reproducible/1": ("verify", "--reproducible", "{first}", "{mixed}"),
    "kbuild.replay/1": ("replay", "{record}"),
    "kbuild.doctor/1": ("doctor",),
}


@pytest.fixture(scope="module")
def report_inputs(run_page: Runner, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the files that the reports are about."""
    first = run_page(FIRST_KERNEL)
    mixed = tmp_path_factory.mktemp("mixed") / "add.cu"
    mixed.write_text(MIXED_SOURCE)
    record = first / "saxpy.launch"
    executor = kbuild.KernelExecutor(
        kbuild.KernelCompiler("cpu").compile(first / "saxpy.cu")["saxpy"]
    )
    x, y = np.ones(8, np.float32), np.ones(8, np.float32)
    config = kbuild.LaunchConfig(grid=1, block=8)
    kbuild.write_launch_record(record, executor.capture(config, 8, 2.0, x, y))
    return {
        "first": str(first / "build/libsaxpy_kernels.so"),
        "mixed": str(build_program(mixed.parent, (mixed,))),
        "policy": str(first / "policy.toml"),
        "record": str(record),
    }


@pytest.mark.parametrize("schema", REPORTS)
def test_json_keys_are_documented(report_inputs: dict[str, str], schema: str) -> None:
    argv = [word.format(**report_inputs) for word in REPORTS[schema]]
    result = subprocess.run(
        [sys.executable, "-m", "kbuild", *argv, "--format", "json"],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        timeout=600,
    )
    assert result.returncode in (0, 1)
    report = json.loads(result.stdout)
    assert report["schema"] == schema
    assert set(list_keys(report)) - read_documented_words(schema) == set()


def list_keys(value: Any) -> Iterator[str]:
    """Yield all keys of a report, at every depth."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from list_keys(item)
    elif isinstance(value, list):
        for item in value:
            yield from list_keys(item)


def read_documented_words(schema: str) -> set[str]:
    """Return the words in code font of the schema's section, and of what it refers to."""
    page = (ROOT / "docs" / "reference" / "json.md").read_text(encoding="utf-8")
    section = re.search(rf"(?ms)^## {re.escape(schema)}$(.*?)(^\(kbuild-|\Z)", page)
    assert section, f"{schema} has no section"
    text = section[1]
    if schema == "kbuild.replay/1":
        text += (ROOT / "docs" / "reference" / "launch-record-format.md").read_text("utf-8")
    # The lines of a placeholder name the fields that it documents.
    fields = re.findall(r"(?m)^(\w+): ", text)
    return {"schema", *fields, *re.findall(r"`(\w+)`", text)}


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
        elif block.action == "output":
            _compare(where, block.text, printed)


def _run_block(where: str, block: Block, directory: Path) -> str:
    commands = {
        "bash": ["bash", "-euo", "pipefail", "-c", block.text],
        "python": [sys.executable, "-c", block.text],
    }
    assert block.language in commands, f"{where}: cannot run {block.language!r}"
    programs = (find_kbuild().parent, Path(sys.executable).parent)
    result = subprocess.run(
        commands[block.language],
        cwd=directory,
        env={
            **os.environ,
            "PATH": os.pathsep.join((*map(str, programs), os.environ["PATH"])),
            "KBUILD_CACHE_DIR": str(directory.parent / "cache"),
            "XDG_CACHE_HOME": str(make_cache(directory.parent / "cache")),  # for `kbuild run`
            "KBUILD": str(ROOT),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=600,
    )
    assert result.returncode == 0, f"{where}: exit code {result.returncode}\n{result.stdout}"
    return result.stdout


def _compare(where: str, expected: str, printed: str) -> None:
    """Check that the printed lines are those expected, in their order."""
    lines = iter(line.rstrip() for line in printed.splitlines())
    for line in expected.splitlines():
        if line.strip() not in ("", "..."):
            assert line.rstrip() in lines, f"{where}: {line!r} is not in the output\n{printed}"
