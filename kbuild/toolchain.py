"""Finds the tools: compilers for a backend, cmake, ninja."""

from __future__ import annotations

import os
import shutil
import sysconfig
from pathlib import Path

from kbuild.backends.protocol import Backend, Toolchain
from kbuild.errors import ToolchainError
from kbuild.process import run


def find_program(name: str) -> Path | None:
    """``name`` as a path, or found on PATH; None where there is no such executable."""
    found = shutil.which(name)
    return Path(found).absolute() if found else None


def find_build_program(name: str) -> Path | None:
    """``name`` on PATH, else beside this interpreter, where wheels put programs."""
    return find_program(name) or find_program(str(Path(sysconfig.get_path("scripts")) / name))


def find_toolchain(backend: Backend, hint: str | None = None) -> Toolchain:
    """The first usable compiler of ``backend``; ``hint`` is the only one tried if given.

    Raises ToolchainError that names what was looked for.
    """
    candidates = backend.compiler_candidates(hint)
    for name in candidates:
        path = find_program(name)
        if path is None:
            continue
        result = run(backend.version_command(path))
        if result.returncode != 0:
            raise ToolchainError(f"{path} does not run: {result.stderr.strip()[:200]}")
        return backend.read_version(path, result.stdout)
    looked_for = " or ".join(candidates)
    mend = "check the path" if hint else "install one, or name it with HOST_COMPILER or CXX"
    raise ToolchainError(f"backend {backend.NAME}: no compiler {looked_for} found; {mend}")


def environment_compiler() -> str | None:
    """The compiler that the CXX environment variable names."""
    return os.environ.get("CXX") or None
