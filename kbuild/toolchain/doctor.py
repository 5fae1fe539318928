"""What kbuild finds on this machine, and why it is or is not usable."""

from __future__ import annotations

from dataclasses import dataclass

from kbuild.backends import list_backends
from kbuild.backends.interface.build import Backend, ToolchainHints
from kbuild.errors import KbuildError
from kbuild.toolchain.devices import Device, list_amd_devices, query_driver
from kbuild.toolchain.find import find_build_program, find_toolchain, gather_hints


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolchainDiagnosis:
    """One backend's toolchain; ``problem`` says why there is none that can be used.

    ``notes`` are what may surprise about the one that was chosen.
    """

    backend: str
    compiler: str | None
    version: str | None
    architectures: tuple[str, ...]
    runtimes: tuple[str, ...]
    problem: str | None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """The whole machine.  A program is (name, path), the path None where it is missing."""

    toolchains: tuple[ToolchainDiagnosis, ...]
    programs: tuple[tuple[str, str | None], ...]
    driver_version: str | None
    devices: tuple[Device, ...]


def diagnose() -> Diagnosis:
    """Look for everything; nothing that is missing is an error here."""
    hints = gather_hints()
    version, devices = query_driver()
    programs = {name: find_build_program(name) for name in ("cmake", "ninja")}
    return Diagnosis(
        toolchains=tuple(_diagnose(backend, hints) for backend in list_backends()),
        programs=tuple((name, str(path) if path else None) for name, path in programs.items()),
        driver_version=version,
        devices=(*devices, *list_amd_devices()),
    )


def _diagnose(backend: Backend, hints: ToolchainHints) -> ToolchainDiagnosis:
    try:
        toolchain = find_toolchain(backend, hints)
        runtimes = tuple(str(runtime.library) for runtime in backend.find_runtimes(hints))
    except KbuildError as error:
        return ToolchainDiagnosis(
            backend=backend.NAME,
            compiler=None,
            version=None,
            architectures=(),
            runtimes=(),
            problem=str(error),
        )
    return ToolchainDiagnosis(
        backend=backend.NAME,
        compiler=str(toolchain.compiler),
        version=f"{toolchain.compiler_id} {toolchain.version}",
        architectures=toolchain.architectures,
        runtimes=runtimes,
        problem=None if runtimes else "its runtime library is not there",
        notes=backend.list_notes(toolchain, hints),
    )
