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

FIX: Final = "pip install 'kbuild[mathlibs]'"
_BLAS: Final = "scipy_openblas64"
# The names that linkers look for, and the file of each one.
_FILES: Final = {"libcublas.so": "libcublas.so.13", "libcublasLt.so": "libcublas.so.13"}


def list_links(hints: ToolchainHints) -> tuple[tuple[str, Path], ...]:
    """List the libraries as (name for linkers, file), and build them if they do not exist.

    Returns:
        Nothing if no BLAS is installed.

    Raises:
        ToolchainError: CMake or ninja is missing.
        ToolError: The build failed.
    """
    blas = _find_blas(hints)
    if blas is None:
        return ()
    directory = _provide(blas)
    return tuple((name, directory / file) for name, file in _FILES.items())


def list_missing(hints: ToolchainHints) -> tuple[tuple[str, str], ...]:
    """List linker scripts, as (name, text), that say how to get the libraries.

    They exist where the libraries do not.
    """
    if _find_blas(hints) is not None:
        return ()
    script = f'ASSERT(0, "{{name}} on the cpu backend needs a BLAS: {FIX}")\n'
    return tuple((name, script.replace("{name}", name)) for name in _FILES)


def _find_blas(hints: ToolchainHints) -> Path | None:
    candidates = (site / _BLAS for site in hints.site_packages)
    return next((path for path in candidates if (path / "lib").is_dir()), None)


def _provide(blas: Path) -> Path:
    """Return the directory of the libraries in the user's cache."""
    runtime = provide_library(SHARED)
    functions = _write_generated()
    # The digest is that of the sources, not of the installation, so that edits elsewhere build nothing.
    contents = [path.read_bytes() for path in sorted(find_sources().rglob("*.*"))]
    texts = (__version__, str(blas), str(runtime), *functions.values())
    key = sha256(b"\0".join((*contents, *(text.encode() for text in texts))))
    name = key[:24]
    directory = resources.find_cache("mathlibs") / name
    if directory.is_dir():
        return directory
    with lock_file(directory.with_name(f".{name}.lock")):
        if not directory.is_dir():
            _build(directory, blas, runtime, functions)
    return directory


def _write_generated() -> dict[str, str]:
    rows = read_table()
    return {
        "cublas_templates.inc": write_templates(rows),
        "cublas_functions.inc": write_functions(rows),
    }


def _build(directory: Path, blas: Path, runtime: Path, functions: dict[str, str]) -> None:
    generated = directory.with_name(f".{directory.name}.generated")
    generated.mkdir(parents=True, exist_ok=True)
    for name, text in functions.items():
        (generated / name).write_text(text, "utf-8")
    definitions = {
        "KBUILD_MATHLIBS_GENERATED": generated,
        "KBUILD_MATHLIBS_BLAS": blas,
        "KBUILD_MATHLIBS_DIRECTORY": directory,
        "KBUILD_RUNTIME": runtime,
    }
    build_project(
        find_sources(),
        directory,
        tuple(f"-D{name}={path}" for name, path in definitions.items()),
        "a program needs NVIDIA's libraries on the CPU",
    )
    shutil.rmtree(generated)
