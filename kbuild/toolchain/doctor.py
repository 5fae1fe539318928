"""Find out which toolchains, programs, and devices this machine has."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kbuild import process
from kbuild.backends import BACKENDS, list_builders
from kbuild.backends.interface.build import Builder
from kbuild.backends.interface.devices import Device
from kbuild.backends.interface.toolchain import ToolchainHints
from kbuild.errors import KbuildError
from kbuild.model import Command
from kbuild.process import find_build_program
from kbuild.toolchain.caches import CacheDiagnosis, KernelCache
from kbuild.toolchain.find import find_toolchain, gather_hints


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolchainDiagnosis:
    """The toolchain of one backend.

    ``problem`` is None if kernels can be built. Otherwise, it says what is missing or incomplete,
    and what to install. ``libraries`` are the include directories of optional libraries of headers.
    ``notes`` explain choices that might be surprising.
    """

    backend: str
    compiler: str | None
    version: str | None
    architectures: tuple[str, ...]
    runtimes: tuple[str, ...]
    problem: str | None
    libraries: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """Everything that kbuild found.

    Attributes:
        toolchains: The toolchains, one per backend.
        programs: Maps names of build programs to paths, or to None if missing.
        versions: Maps the names of these programs, and ``python``, to their versions, or to None.
        driver_version: The newest CUDA version that the driver supports, or None.
        devices: The devices.
        kernel_cache: The cache of kernels that Python programs compile, or None.
    """

    toolchains: tuple[ToolchainDiagnosis, ...]
    programs: tuple[tuple[str, str | None], ...]
    versions: tuple[tuple[str, str | None], ...]
    driver_version: str | None
    devices: tuple[Device, ...]
    kernel_cache: CacheDiagnosis | None


_SECONDS: Final = 10.0
_MISSING_RUNTIME: Final = (
    "the compiler is complete, but its runtime library was not found; install the package that "
    "has it, or name the installation in the environment"
)


def diagnose() -> Diagnosis:
    """Look for every backend's toolchain and for the build programs.

    Anything that is missing is part of the result, and not an error.
    """
    hints = gather_hints()
    drivers = tuple(b.devices.query_driver() for b in BACKENDS.values() if b.devices)
    programs = {name: find_build_program(name) for name in ("cmake", "ninja")}
    versions = {name: _read_version(path) for name, path in programs.items()}
    return Diagnosis(
        toolchains=tuple(_diagnose(builder, hints) for builder in list_builders()),
        programs=tuple((name, str(path) if path else None) for name, path in programs.items()),
        versions=(*versions.items(), ("python", ".".join(map(str, sys.version_info[:3])))),
        driver_version=next((d.version for d in drivers if d.version), None),
        devices=tuple(device for driver in drivers for device in driver.devices),
        kernel_cache=_diagnose_cache(),
    )


def _read_version(program: Path | None) -> str | None:
    """Return the version that a program prints, or None if it prints none."""
    if program is None:
        return None
    try:
        printed = process.run(Command(argv=(str(program), "--version")), timeout=_SECONDS).stdout
    except KbuildError:
        return None
    found = re.search(r"\d+\.\d\S*", printed)
    return found[0] if found else None


def _diagnose_cache() -> CacheDiagnosis | None:
    try:
        return KernelCache().diagnose()
    except KbuildError:  # such as a user without a home directory
        return None


def _diagnose(builder: Builder, hints: ToolchainHints) -> ToolchainDiagnosis:
    try:
        toolchain = find_toolchain(builder, hints)
        runtimes = tuple(str(runtime.library) for runtime in builder.find_runtimes(hints))
    except KbuildError as error:
        return ToolchainDiagnosis(
            backend=builder.TRAITS.name,
            compiler=None,
            version=None,
            architectures=(),
            runtimes=(),
            problem=str(error),
        )
    return ToolchainDiagnosis(
        backend=builder.TRAITS.name,
        compiler=str(toolchain.compiler),
        version=f"{toolchain.compiler_id} {toolchain.version}",
        architectures=toolchain.architectures,
        runtimes=runtimes,
        problem=None if runtimes else _MISSING_RUNTIME,
        libraries=tuple(map(str, toolchain.libraries)),
        notes=builder.list_notes(toolchain, hints) if builder.list_notes else (),
    )
