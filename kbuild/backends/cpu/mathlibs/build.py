"""Build NVIDIA's libraries for the CPU, where what they need is installed."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from kbuild import __version__, resources
from kbuild.backends.cpu.mathlibs.headers import find_headers
from kbuild.backends.cpu.mathlibs.table import find_sources, read_table
from kbuild.backends.cpu.mathlibs.write import write_functions, write_templates
from kbuild.backends.cpu.runtime import SHARED, build_project, lock_file, provide_library
from kbuild.backends.interface.toolchain import ToolchainHints
from kbuild.files import sha256
from kbuild.values import dataclass

KISSFFT_VARIABLE: Final = "KISSFFT_ROOT"
# cuSPARSE calls no BLAS, but belongs to the same extra, so that others need not build it.
_OVER_BLAS: Final = {
    "libcublas.so.13": ("libcublas.so", "libcublasLt.so"),
    "libcusolver.so.12": ("libcusolver.so",),
    "libcusparse.so.12": ("libcusparse.so",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """A library of NVIDIA that can be built for the CPU.

    Attributes:
        names: The names that linkers look for.
        file: The name of its file.
        needed: What it is built over, in words.
        fix: How to install that.
        definition: The variable of CMake for the path of what it is built over.
        source: That path; None if it is not installed.
    """

    names: tuple[str, ...]
    file: str
    needed: str
    fix: str
    definition: str
    source: Path | None


def _list_libraries(hints: ToolchainHints) -> tuple[Library, ...]:
    blas = _find_openblas(hints)
    return (
        *(
            Library(
                names=names,
                file=file,
                needed="OpenBLAS",
                fix="pip install 'kbuild[mathlibs]'",
                definition="MATHLIBS_BLAS",
                source=blas,
            )
            for file, names in _OVER_BLAS.items()
        ),
        Library(
            names=("libcufft.so",),
            file="libcufft.so.12",
            needed="kissfft",
            fix=f"install it (Debian: libkissfft-dev), or set {KISSFFT_VARIABLE} to its prefix",
            definition="MATHLIBS_KISSFFT",
            source=_find_kissfft(hints),
        ),
        Library(
            names=("libcurand.so",),
            file="libcurand.so.10",
            needed="NVIDIA's cuRAND and the runtime that it uses (neither needs a GPU)",
            fix="pip install nvidia-curand nvidia-cuda-runtime",
            definition="MATHLIBS_CURAND",
            source=_find_curand(hints),
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


def _find_curand(hints: ToolchainHints) -> Path | None:
    """Return the library of cuRAND beside the headers, if the runtime that it uses is there."""
    headers = find_headers(hints)
    if headers is None:
        return None
    directories = (headers.parent / name for name in ("lib", "lib64"))
    files = (path / "libcurand.so.10" for path in directories if any(path.glob("libcudart.so.*")))
    return next((path for path in files if path.is_file()), None)


def list_scripts(hints: ToolchainHints) -> tuple[tuple[str, str], ...]:
    """List linker scripts, as (name, text), for the libraries that `provide_libraries` builds."""
    found = _find_libraries(hints)
    if not found:
        return ()
    directory = _describe_build(found).directory
    return tuple(
        (name, write_script(name, directory / library.file))
        for library in found
        for name in library.names
    )


def provide_libraries(hints: ToolchainHints) -> None:
    """Build the libraries in the user's cache, where the linker scripts expect them.

    Processes that need them at the same time build them once.

    Raises:
        ToolchainError: CMake or ninja is missing.
        ToolError: The build failed.
    """
    found = _find_libraries(hints)
    if not found:
        return
    build = _describe_build(found)
    if build.directory.is_dir():
        return
    with lock_file(build.directory.with_name(f".{build.directory.name}.lock")):
        if not build.directory.is_dir():
            _build(build, found)


def _find_libraries(hints: ToolchainHints) -> tuple[Library, ...]:
    if hints.machine:
        return ()
    return tuple(library for library in _list_libraries(hints) if library.source)


def write_script(name: str, file: Path) -> str:
    """Write the linker script of a library, which rejects programs with the static runtime.

    The streams and memory of such a program are not those of the library. The name in the
    condition is that of native/cpu/CMakeLists.txt.
    """
    problem = f"{name} on the cpu backend uses the shared runtime; remove RUNTIME static"
    return f'ASSERT(!DEFINED(kbuild_cpu_static), "{problem}")\nINPUT({file})\n'


def list_missing(hints: ToolchainHints) -> tuple[tuple[str, str], ...]:
    """List linker scripts, as (name, text), that say why a library does not exist."""
    problems = {}
    for library in _list_libraries(hints):
        if hints.machine:
            reason = f"on the cpu backend does not exist for {hints.machine}, only for this machine"
            problems.update({name: f"{name} {reason}" for name in library.names})
        elif library.source is None:
            reason = f"on the cpu backend needs {library.needed}: {library.fix}"
            problems.update({name: f"{name} {reason}" for name in library.names})
    return tuple((name, f'ASSERT(0, "{problem}")\n') for name, problem in problems.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class _Build:
    """A build of libraries.

    Attributes:
        directory: Where they are afterward.
        runtime: The runtime that they use.
        functions: The generated sources, by name.
    """

    directory: Path
    runtime: Path
    functions: dict[str, str]


def _describe_build(libraries: tuple[Library, ...]) -> _Build:
    runtime = provide_library(SHARED)
    functions = _write_functions()
    # The digest is that of the sources, not of the installation: edits elsewhere build nothing.
    contents = [path.read_bytes() for path in sorted(find_sources().rglob("*.*"))]
    sources = (str(library.source) for library in libraries)
    texts = (__version__, str(runtime), *sources, *functions.values())
    key = sha256(b"\0".join((*contents, *(text.encode() for text in texts))))[:24]
    directory = resources.find_cache("mathlibs") / key
    return _Build(directory=directory, runtime=runtime, functions=functions)


def _write_functions() -> dict[str, str]:
    rows = read_table()
    return {
        "cublas_templates.inc": write_templates(rows),
        "cublas_functions.inc": write_functions(rows),
    }


def _build(build: _Build, libraries: tuple[Library, ...]) -> None:
    directory = build.directory
    generated = directory.with_name(f".{directory.name}.generated")
    generated.mkdir(parents=True, exist_ok=True)
    for name, text in build.functions.items():
        (generated / name).write_text(text, "utf-8")
    definitions = {
        "MATHLIBS_GENERATED": generated,
        "MATHLIBS_DIRECTORY": directory,
        "MATHLIBS_RUNTIME": build.runtime,
        **{library.definition: library.source for library in libraries},
    }
    build_project(
        find_sources(),
        directory,
        tuple(f"-D{name}={path}" for name, path in definitions.items()),
        "a program links NVIDIA's libraries for the CPU",
    )
    shutil.rmtree(generated)
