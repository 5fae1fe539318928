"""Build NVIDIA's libraries for the CPU, where what they need is installed."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from kbuild import __version__, resources
from kbuild.backends.cpu.mathlibs.table import find_sources, read_table
from kbuild.backends.cpu.mathlibs.write import write_functions, write_templates
from kbuild.backends.cpu.runtime import SHARED, build_project, lock_file, provide_library
from kbuild.backends.interface.toolchain import ToolchainHints
from kbuild.files import sha256
from kbuild.values import dataclass

KISSFFT_VARIABLE: Final = "KISSFFT_ROOT"
# Libraries that do not exist for the CPU, and what to do instead.
_ABSENT: Final = {
    "libcurand.so": "cuRAND's functions for hosts do not exist on the cpu backend; call those of "
    "<curand_kernel.h> in kernels, or build with the backend cuda",
    "libcusparse.so": "cuSPARSE does not exist on the cpu backend; build with the backend cuda",
    "libcusolver.so": "cuSOLVER does not exist on the cpu backend; build with the backend cuda",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """A library of NVIDIA that can be built for the CPU.

    Attributes:
        names: The names that linkers look for.
        file: The name of its file.
        needed: What it is built over, in words.
        fix: How to install that.
        definition: The variable of CMake for the directory of what it is built over.
        source: That directory; None if it is not installed.
    """

    names: tuple[str, ...]
    file: str
    needed: str
    fix: str
    definition: str
    source: Path | None


def _list_libraries(hints: ToolchainHints) -> tuple[Library, ...]:
    return (
        Library(
            names=("libcublas.so", "libcublasLt.so"),
            file="libcublas.so.13",
            needed="OpenBLAS",
            fix="pip install 'kbuild[mathlibs]'",
            definition="MATHLIBS_BLAS",
            source=_find_openblas(hints),
        ),
        Library(
            names=("libcufft.so",),
            file="libcufft.so.12",
            needed="kissfft",
            fix=f"install it (Debian: libkissfft-dev), or set {KISSFFT_VARIABLE} to its prefix",
            definition="MATHLIBS_KISSFFT",
            source=_find_kissfft(hints),
        ),
    )


def _find_openblas(hints: ToolchainHints) -> Path | None:
    candidates = (site / "scipy_openblas64" for site in hints.site_packages)
    return next((path for path in candidates if (path / "lib").is_dir()), None)


def _find_kissfft(hints: ToolchainHints) -> Path | None:
    named = hints.variable(KISSFFT_VARIABLE)
    prefixes = (Path(named),) if named else (Path("/usr/local"), Path("/usr"))
    candidates = (prefix / "include" / "kissfft" for prefix in prefixes)
    return next((path for path in candidates if (path / "kissfft.hh").is_file()), None)


def list_links(hints: ToolchainHints) -> tuple[tuple[str, Path], ...]:
    """List the libraries as (name for linkers, file), and build them if they do not exist.

    Raises:
        ToolchainError: CMake or ninja is missing.
        ToolError: The build failed.
    """
    found = tuple(library for library in _list_libraries(hints) if library.source)
    if not found:
        return ()
    directory = _provide(found)
    return tuple((name, directory / library.file) for library in found for name in library.names)


def list_missing(hints: ToolchainHints) -> tuple[tuple[str, str], ...]:
    """List linker scripts, as (name, text), that say why a library does not exist."""
    problems = dict(_ABSENT)
    for library in _list_libraries(hints):
        if library.source is None:
            reason = f"on the cpu backend needs {library.needed}: {library.fix}"
            problems.update({name: f"{name} {reason}" for name in library.names})
    return tuple((name, f'ASSERT(0, "{problem}")\n') for name, problem in problems.items())


def _provide(libraries: tuple[Library, ...]) -> Path:
    """Return the directory of the libraries in the user's cache."""
    runtime = provide_library(SHARED)
    functions = _write_functions()
    # The digest is that of the sources, not of the installation: edits elsewhere build nothing.
    contents = [path.read_bytes() for path in sorted(find_sources().rglob("*.*"))]
    sources = (str(library.source) for library in libraries)
    texts = (__version__, str(runtime), *sources, *functions.values())
    key = sha256(b"\0".join((*contents, *(text.encode() for text in texts))))[:24]
    directory = resources.find_cache("mathlibs") / key
    if directory.is_dir():
        return directory
    with lock_file(directory.with_name(f".{key}.lock")):
        if not directory.is_dir():
            _build(directory, libraries, runtime, functions)
    return directory


def _write_functions() -> dict[str, str]:
    rows = read_table()
    return {
        "cublas_templates.inc": write_templates(rows),
        "cublas_functions.inc": write_functions(rows),
    }


def _build(
    directory: Path, libraries: tuple[Library, ...], runtime: Path, functions: dict[str, str]
) -> None:
    generated = directory.with_name(f".{directory.name}.generated")
    generated.mkdir(parents=True, exist_ok=True)
    for name, text in functions.items():
        (generated / name).write_text(text, "utf-8")
    definitions = {
        "MATHLIBS_GENERATED": generated,
        "MATHLIBS_DIRECTORY": directory,
        "MATHLIBS_RUNTIME": runtime,
        **{library.definition: library.source for library in libraries},
    }
    build_project(
        find_sources(),
        directory,
        tuple(f"-D{name}={path}" for name, path in definitions.items()),
        "a toolkit of the CPU needs NVIDIA's libraries",
    )
    shutil.rmtree(generated)
