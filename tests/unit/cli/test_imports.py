"""The imports of build edges, because each import slows down every edge of every build."""

from __future__ import annotations

import subprocess
import sys
from functools import cache

import pytest

# Readers, templates, report libraries, modules that only planning and kernel tests need, and slow
# modules of the standard library.
HEAVY = (
    "elftools",
    "jinja2",
    "kbuild.backends.cpu.build",  # the edge's description names its backend
    "kbuild.backends.cuda.build",
    "kbuild.backends.hip.build",
    "kbuild.cxx.rewriting.rewrite",  # CUDA needs it on the host pass only
    "kbuild.backends.cpu.contents",
    "kbuild.backends.cpu.image",
    "kbuild.facts",
    "kbuild.formats",
    "kbuild.toolchain.runtime_targets",
    "kbuild.stages.plan",
    "kbuild.toolchain.find",
    "hashlib",
    "numpy",
    "platform",
    "rich",
    "shutil",
    "tempfile",
    "tomllib",
    "tomli",
)


@cache
def imported_by(code: str) -> frozenset[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; {code}; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return frozenset(done.stdout.split())


@pytest.mark.parametrize("module", HEAVY)
def test_compile_imports_nothing_heavy(module: str) -> None:
    imported = imported_by("import kbuild.cli.main, kbuild.cli.commands.edges.compile")

    assert "kbuild.stages.compile" in imported
    assert module not in imported


@pytest.mark.parametrize("command", ["compile", "preprocess", "host_pass", "pack"])
def test_build_edges_define_values_without_generated_functions(command: str) -> None:
    code = (
        f"import sys, kbuild.cli.main, kbuild.cli.commands.edges.{command}; "
        "classes = {c for name, m in sys.modules.items() if name.startswith('kbuild') "
        "for c in vars(m).values() if isinstance(c, type)}; "
        "print(*(c.__qualname__ for c in classes if '__dataclass_params__' in vars(c)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    # Defaults of other values, and classes whose values can change.
    assert len(done.stdout.split()) <= 5, done.stdout


def test_arguments_of_build_edges_need_no_terminal() -> None:
    run = "main(['compile', 'missing.edge', '--flags', 'missing.txt'])"
    imported = imported_by(f"from kbuild.cli.main import main; assert {run} == 2")

    assert "kbuild.stages.compile" in imported
    assert "shutil" not in imported


@pytest.mark.parametrize(
    "module", ["kbuild.backends.cuda.mixed.host_text", "kbuild.formats.nvidia.ptx"]
)
def test_cuda_device_edges_import_no_other_readers(module: str) -> None:
    imported = imported_by(
        "from kbuild.backends import find_backend; cuda = find_backend('cuda'); "
        "cuda.build, cuda.mixed, cuda.read"
    )

    assert "kbuild.backends.cuda.image" in imported
    assert module not in imported


def test_host_passes_import_neither_templates_nor_readers_nor_device_keys() -> None:
    imported = imported_by("import kbuild.cli.main, kbuild.cli.commands.edges.host_pass")

    assert "kbuild.cxx.rewriting.rewrite" in imported
    assert {"elftools", "jinja2", "kbuild.stages.sources.device_text"}.isdisjoint(imported)


def test_driver_compiles_without_readers() -> None:
    imported = imported_by("import kbuild.nvcc.run, kbuild.nvcc.source")

    assert "kbuild.stages.mixed.host_pass" in imported
    assert "elftools" not in imported


def test_verify_imports_neither_network_nor_debug_information() -> None:
    imported = imported_by("import kbuild.cli.main, kbuild.cli.commands.verify")

    # In Python 3.14, elftools imports ssl, through pdb and asyncio.
    assert {"http.client", "urllib.request", "kbuild.formats.dwarf"}.isdisjoint(imported)


def test_build_imports_neither_planning_nor_verification() -> None:
    imported = imported_by("import kbuild.cli.main, kbuild.cli.commands.build")

    # CMake calls `kbuild plan`. Planning here as well would do it twice.
    assert {"kbuild.stages.plan", "kbuild.verify", "elftools", "rich"}.isdisjoint(imported)


@pytest.mark.parametrize("command", ["pack", "plan", "runtimes"])
def test_build_edges_import_no_readers(command: str) -> None:
    imported = imported_by(f"import kbuild.cli.main, kbuild.cli.commands.edges.{command}")

    assert {"elftools", "numpy", "rich"}.isdisjoint(imported)
