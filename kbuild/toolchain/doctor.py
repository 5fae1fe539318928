"""What kbuild finds on this machine, and why it is or is not usable."""

from __future__ import annotations

from dataclasses import dataclass

from kbuild.backends import BACKENDS, list_builders
from kbuild.backends.interface.build import Builder
from kbuild.backends.interface.devices import Device
from kbuild.backends.interface.toolchain import ToolchainHints
from kbuild.errors import KbuildError
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
    drivers = tuple(b.devices.query_driver() for b in BACKENDS.values() if b.devices)
    programs = {name: find_build_program(name) for name in ("cmake", "ninja")}
    return Diagnosis(
        toolchains=tuple(_diagnose(builder, hints) for builder in list_builders()),
        programs=tuple((name, str(path) if path else None) for name, path in programs.items()),
        driver_version=next((d.version for d in drivers if d.version), None),
        devices=tuple(device for driver in drivers for device in driver.devices),
    )


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
        problem=None if runtimes else "its runtime library is not there",
        notes=builder.list_notes(toolchain, hints) if builder.list_notes else (),
    )
