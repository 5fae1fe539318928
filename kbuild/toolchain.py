"""Finds the tools: compilers for a backend, cmake, ninja."""

from __future__ import annotations

import os
import shutil
import sysconfig
import tempfile
from pathlib import Path

from kbuild.backends.protocol import Backend, Toolchain
from kbuild.errors import ToolchainError
from kbuild.model import Command
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
        if path is not None:
            return _identify(backend, path)
    looked_for = " or ".join(candidates)
    mend = "check the path" if hint else "install one, or name it with HOST_COMPILER or CXX"
    raise ToolchainError(f"backend {backend.NAME}: no compiler {looked_for} found; {mend}")


def find_toolchain_for(backend: Backend, arch: str, tc: Toolchain) -> Toolchain:
    """The toolchain that makes images of ``arch``: ``tc``, or a cross compiler of its kind.

    Raises ToolchainError that names what was looked for, and what to install.
    """
    cross = backend.cross_compilers(arch, tc)
    if cross is None:
        return tc
    for name in cross.names:
        path = find_program(name)
        if path is None:
            continue
        with tempfile.TemporaryDirectory(prefix="kbuild-trial-") as folder:
            result = run(Command(argv=(str(path), *cross.trial)), cwd=Path(folder))
        if result.returncode == 0:
            return _identify(backend, path)
        raise ToolchainError(
            f"architecture {arch}: {path} cannot build for it here; {cross.advice}\n"
            f"{result.stderr.strip()[:400]}"
        )
    looked_for = " or ".join(cross.names)
    raise ToolchainError(f"architecture {arch}: no compiler {looked_for} found; {cross.advice}")


def _identify(backend: Backend, compiler: Path) -> Toolchain:
    result = run(backend.version_command(compiler))
    if result.returncode != 0:
        raise ToolchainError(f"{compiler} does not run: {result.stderr.strip()[:200]}")
    return backend.read_version(compiler, result.stdout)


def environment_compiler() -> str | None:
    """The compiler that the CXX environment variable names."""
    return os.environ.get("CXX") or None
