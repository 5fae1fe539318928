"""What this machine can build and run, and why tests that need more are skipped.

For a backend, kbuild's own discovery answers: what `kbuild doctor` reports. Tests keep no
list of the tools that make a toolchain complete. A compiler or a linker is present if it passes
kbuild's trial, which kbuild's cache remembers for all processes of a test run.
"""

from __future__ import annotations

import re
import shutil
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from kbuild.model import Command
from kbuild.toolchain.doctor import ToolchainDiagnosis, diagnose
from kbuild.toolchain.trial import find_defect

NEWER_CLANG: Final = "clang++-19"

# The variables that name a backend's compiler.
_COMPILER_VARIABLES: Final = {"cpu": "CXX", "cuda": "CUDACXX", "hip": "HIPCXX"}
# Debian's packages whose names differ from the program's.
_PACKAGES: Final = {
    "aarch64-linux-gnu-g++": "g++-aarch64-linux-gnu",
    "bwrap": "bubblewrap",
    "clang++": "clang",
    "clang++-14": "clang-14",
    "clang++-19": "clang-19",
    "clang-offload-bundler-19": "clang-tools-19",
    "clang-offload-packager-19": "clang-tools-19",
    "ld.gold": "binutils",
    "ld.lld": "lld",
    "ld.lld-19": "lld-19",
    "ld.mold": "mold",
    "llvm-objcopy": "llvm",
    "llvm-objdump-19": "llvm-19",
    "llvm-readelf-19": "llvm-19",
    "llvm-readobj-19": "llvm-19",
    "llvm-strip-19": "llvm-19",
    "objdump": "binutils",
}


_COMPILER: Final = re.compile(r"(.*-)?(gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(-\d+)?")
_LINKER: Final = re.compile(r"ld\.(\w+)")


@cache
def _diagnose_all(variable: str, compiler: str) -> tuple[ToolchainDiagnosis, ...]:
    with pytest.MonkeyPatch.context() as patch:
        if variable:
            patch.setenv(variable, compiler)
        return diagnose().toolchains


def _diagnose(backend: str, compiler: str | None) -> ToolchainDiagnosis:
    variable = "" if compiler is None else _COMPILER_VARIABLES[backend]
    toolchains = _diagnose_all(variable, compiler or "")
    return next(toolchain for toolchain in toolchains if toolchain.backend == backend)


def find_problem(backend: str, compiler: str | None = None) -> str:
    """Return why kernels cannot be built for a backend here, or an empty string if they can.

    Args:
        backend: The backend's name.
        compiler: A compiler to use instead of the one that kbuild chooses.
    """
    return _diagnose(backend, compiler).problem or ""


def find_compiler(backend: str) -> Path:
    """Return the compiler that kbuild chooses for a backend, or an empty path without one."""
    return Path(_diagnose(backend, None).compiler or "")


def find_missing(*programs: str) -> str:
    """Return which of these programs are missing and how to get them, or an empty string.

    A compiler or linker also counts as missing if it cannot compile and link.
    """
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        packages = sorted({_PACKAGES.get(program, program) for program in missing})
        return f"not installed: {', '.join(missing)} (Debian: {' '.join(packages)})"
    return next(filter(None, map(_find_defect, programs)), "")


def list_distinct(*programs: str) -> tuple[str, ...]:
    """Return the programs without those that are links to an earlier one on this machine."""
    files = {str(Path(shutil.which(name) or name).resolve()): name for name in reversed(programs)}
    return tuple(name for name in programs if name in files.values())


@cache
def _find_defect(program: str) -> str:
    """Return why a compiler or a linker that exists does not work; always "" for other programs."""
    name = Path(program).name
    linker = _LINKER.fullmatch(name)
    if not linker and not _COMPILER.fullmatch(name):
        return ""
    compiler, options = ("c++", (f"-fuse-ld={linker[1]}",)) if linker else (program, ())
    language = "c++" if "++" in compiler else "c"
    return explain_defect(compiler, *options, "-shared", "-fPIC", "-x", language)


def explain_defect(compiler: str, *options: str) -> str:
    """Return why a compiler cannot compile and link an empty file with these options, or ""."""
    path = shutil.which(compiler) or compiler
    defect = find_defect(Command(argv=(path, *options, "/dev/null", "-o", "trial")))
    return f"{compiler} cannot compile and link: {defect}" if defect else ""


def skip_if(problem: str) -> pytest.MarkDecorator:
    """Return a mark that skips tests if there is a problem, with it as the reason."""
    return pytest.mark.skipif(bool(problem), reason=problem or "nothing is missing")


def needs_backend(backend: str, compiler: str | None = None) -> pytest.MarkDecorator:
    """Return a mark that skips tests unless kernels can be built for a backend."""
    return skip_if(find_problem(backend, compiler))


def require_backend(backend: str, compiler: str | None = None) -> None:
    """Skip the running test unless kernels can be built for a backend."""
    if problem := find_problem(backend, compiler):
        pytest.skip(problem)


def needs_programs(*programs: str) -> pytest.MarkDecorator:
    """Return a mark that skips tests unless all these programs are on PATH."""
    return skip_if(find_missing(*programs))


def require_programs(*programs: str) -> None:
    """Skip the running test unless all these programs are on PATH."""
    if problem := find_missing(*programs):
        pytest.skip(problem)


def needs_hipcc(*programs: str) -> pytest.MarkDecorator:
    """Return a mark that skips tests unless HIP is complete, with ``hipcc``, and these programs."""
    return skip_if(find_hipcc_problem(*programs))


def find_hipcc_problem(*programs: str) -> str:
    """Return why ``hipcc`` cannot build programs here, or which of these programs are missing."""
    return find_missing("hipcc", *programs) or find_problem("hip")
