"""Finds the tools: compilers for a backend, cmake, ninja."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from kbuild.backends import AUTOMATIC, find_backend, list_by_preference
from kbuild.backends.interface.build import Backend, Toolchain, ToolchainHints
from kbuild.errors import ConfigurationError, ToolchainError
from kbuild.files import sha256
from kbuild.model import Command
from kbuild.process import run, select_environment
from kbuild.toolchain.devices import list_amd_devices, query_driver

# What toolchains are found by besides PATH.
_VARIABLES: Final = (
    *("CXX", "CUDACXX", "CUDA_PATH", "CUDAToolkit_ROOT"),
    *("HIPCXX", "HIP_PLATFORM", "ROCM_PATH", "HIP_PATH"),
)

# What compilers read, and artifacts depend on.
COMPILER_VARIABLES: Final = (
    *("CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH"),
    *("GCC_EXEC_PREFIX", "CCC_OVERRIDE_OPTIONS"),
    *("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN"),
    *("HIPCC_COMPILE_FLAGS_APPEND", "HIP_DEVICE_LIB_PATH"),
)
_SCRIPT: Final = b"#!"


def find_program(name: str) -> Path | None:
    """``name`` as a path, or found on PATH; None where there is no such executable."""
    found = shutil.which(name)
    return Path(found).absolute() if found else None


def find_build_program(name: str) -> Path | None:
    """``name`` on PATH, else beside this interpreter, where wheels put programs."""
    return find_program(name) or find_program(str(Path(sysconfig.get_path("scripts")) / name))


def find_launcher(words: tuple[str, ...]) -> tuple[str, ...]:
    """The compiler launcher with its program's path; none where ``words`` are none.

    Raises ToolchainError where there is no such program.
    """
    if not words:
        return ()
    path = find_build_program(words[0])
    if path is None:
        raise ToolchainError(
            f"compiler launcher {words[0]}: not found; install it, or set "
            "KBUILD_COMPILER_LAUNCHER to another, or to nothing"
        )
    return (str(path), *words[1:])


def choose_backend(name: str, hints: ToolchainHints) -> Backend:
    """The backend called ``name``, or its stand-in; for ``auto`` the first that has a compiler.

    Raises ConfigurationError that lists the known ones.
    """
    if name != AUTOMATIC:
        backend = find_backend(name)
        stand_in = backend.find_stand_in(hints)
        return find_backend(stand_in.backend) if stand_in else backend
    backends = list_by_preference()
    return next((backend for backend in backends if _locate(backend, hints)), backends[-1])


def find_toolchain(backend: Backend, hints: ToolchainHints) -> Toolchain:
    """The first of the backend's candidates that is there.

    Raises ToolchainError that names what was looked for, or why the one found is unusable.
    """
    path = _locate(backend, hints)
    if path is not None:
        return _identify(backend, path, hints)
    looked_for = " or ".join(backend.compiler_candidates(hints))
    raise ToolchainError(
        f"backend {backend.NAME}: no compiler {looked_for} found; {backend.missing_compiler(hints)}"
    )


def find_toolchain_for(
    backend: Backend, arch: str, tc: Toolchain, hints: ToolchainHints
) -> Toolchain:
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
            return _identify(backend, path, hints)
        raise ToolchainError(
            f"architecture {arch}: {path} cannot build for it here; {cross.advice}\n"
            f"{result.stderr.strip()[:400]}"
        )
    looked_for = " or ".join(cross.names)
    raise ToolchainError(f"architecture {arch}: no compiler {looked_for} found; {cross.advice}")


def _locate(backend: Backend, hints: ToolchainHints) -> Path | None:
    found = (find_program(name) for name in backend.compiler_candidates(hints))
    return next((path for path in found if path), None)


def _identify(backend: Backend, compiler: Path, hints: ToolchainHints) -> Toolchain:
    texts = tuple(_probe(command) for command in backend.probe_commands(compiler))
    variables = select_environment(COMPILER_VARIABLES)
    return replace(
        backend.read_toolchain(compiler, texts, hints),
        environment=tuple(f"{name}={value}" for name, value in sorted(variables.items())),
        script=_digest_script(compiler),
    )


def _digest_script(compiler: Path) -> str | None:
    """What tells a wrapper from an edited one, which has the version of what it calls."""
    with compiler.open("rb") as file:
        if file.read(len(_SCRIPT)) != _SCRIPT:
            return None
        return sha256(_SCRIPT + file.read())


def _probe(command: Command) -> str:
    result = run(command)
    if result.returncode != 0:
        raise ToolchainError(f"{command.argv[0]} does not run: {result.stderr.strip()[:200]}")
    return result.stdout


def gather_hints(*, with_devices: bool = False) -> ToolchainHints:
    """Collect what this machine says about where compilers are.

    Args:
        with_devices: Also ask the drivers for their devices.

    """
    sites = tuple(
        Path(entry) for entry in sys.path if entry.endswith(("site-packages", "dist-packages"))
    )
    return ToolchainHints(
        environment=tuple((name, os.environ[name]) for name in _VARIABLES if os.environ.get(name)),
        search_path=tuple(Path(entry) for entry in os.environ.get("PATH", "").split(os.pathsep)),
        site_packages=sites,
        wheels=tuple(_find_wheels(sites)),
        devices=_list_devices() if with_devices else (),
    )


def _find_wheels(sites: tuple[Path, ...]) -> Iterator[tuple[Path, str, str]]:
    for site in sites:
        for folder in site.glob("nvidia_*.dist-info"):
            name, _, version = folder.name.removesuffix(".dist-info").partition("-")
            yield site, name, version


def query_architecture(backend: str = AUTOMATIC) -> str:
    """The architecture of this machine's first device, as ARCHITECTURES takes it.

    ``auto`` is the first backend that has a device here.  Raises ConfigurationError for an
    unknown backend, or where its driver lists no device.
    """
    return choose_device(backend)[1]


def choose_device(backend: str = AUTOMATIC) -> tuple[str, str]:
    """The backend whose device kernels would run on, and that device's architecture.

    As `query_architecture`.
    """
    devices = _list_devices()
    if backend != AUTOMATIC:
        return backend, find_backend(backend).native_architectures(devices)[0]
    *candidates, embedded = list_by_preference()
    for candidate in candidates:
        with contextlib.suppress(ConfigurationError):
            return candidate.NAME, candidate.native_architectures(devices)[0]
    return embedded.NAME, embedded.native_architectures(devices)[0]


def _list_devices() -> tuple[str, ...]:
    _, devices = query_driver()
    devices = (*devices, *list_amd_devices())
    return tuple(dict.fromkeys(device.architecture for device in devices))


def read_library_path() -> tuple[Path, ...]:
    """Where the user has the dynamic linker look first (LD_LIBRARY_PATH)."""
    entries = os.environ.get("LD_LIBRARY_PATH", "").replace(";", os.pathsep).split(os.pathsep)
    return tuple(Path(entry) for entry in entries if entry)
