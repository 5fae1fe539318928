"""Find programs and compilers on this machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kbuild.backends import AUTOMATIC, find_builder, list_by_preference
from kbuild.backends.interface.build import Builder
from kbuild.backends.interface.toolchain import Toolchain, ToolchainHints, Trial
from kbuild.backends.triples import read_machine
from kbuild.errors import ToolchainError
from kbuild.model import Command
from kbuild.process import find_build_program, find_program
from kbuild.toolchain.devices import list_device_architectures
from kbuild.toolchain.environment import TOOLCHAIN_VARIABLES, read_compiler_variables
from kbuild.toolchain.platform import check_platform
from kbuild.toolchain.probe import digest_script, probe
from kbuild.toolchain.trial import find_defect
from kbuild.values import replace

# The languages whose compilers say which machine host code is for.
_HOST_LANGUAGES: Final = ("CXX", "C")


def find_launcher(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return a compiler launcher with its program's path; an empty tuple for no words.

    Raises:
        ToolchainError: There is no such program.
    """
    if not words:
        return ()
    path = find_build_program(words[0])
    if path is None:
        raise ToolchainError(
            f"compiler launcher {words[0]!r} not found; install it, or set "
            "KBUILD_COMPILER_LAUNCHER to another one or to nothing"
        )
    return (str(path), *words[1:])


def choose_backend(name: str, hints: ToolchainHints) -> Builder:
    """Return the builder of a backend, or of its fallback.

    Args:
        name: The backend. ``auto`` selects the first one that has a compiler here.
        hints: Where to look for compilers.

    Raises:
        ConfigurationError: The backend is unknown.
    """
    if name != AUTOMATIC:
        builder = find_builder(name)
        fallback = builder.find_fallback(hints) if builder.find_fallback else None
        return find_builder(fallback.backend) if fallback else builder
    builders = tuple(map(find_builder, list_by_preference()))
    return next((builder for builder in builders if locate_compiler(builder, hints)), builders[-1])


def find_toolchain(builder: Builder, hints: ToolchainHints) -> Toolchain:
    """Return the toolchain of the first candidate that exists.

    Raises:
        ToolchainError: kbuild does not support the system, there is no candidate, or the one that
            exists cannot compile and link.
    """
    check_platform()
    path = locate_compiler(builder, hints)
    if path is not None:
        found = _identify(builder, path, hints)
        _try(f"backend {found.backend}", found.compiler, builder.describe_trial(found))
        return found
    candidates = builder.list_candidates(hints)
    raise ToolchainError(
        f"backend {builder.TRAITS.name}: compiler {' or '.join(candidates.names)} not found; "
        f"{candidates.advice}"
    )


def find_toolchain_for(
    builder: Builder, arch: str, tc: Toolchain, hints: ToolchainHints
) -> Toolchain:
    """Return the toolchain that makes images of ``arch``: ``tc``, or a cross compiler.

    Raises:
        ToolchainError: There is no cross compiler, or the one that exists is incomplete.
    """
    cross = builder.cross_compilers(arch, tc) if builder.cross_compilers else None
    if cross is None:
        return tc
    for name in cross.names:
        path = find_program(name)
        if path is not None:
            _try(f"architecture {arch}", path, cross.trial)
            return _identify(builder, path, hints)
    names = " or ".join(cross.names)
    raise ToolchainError(f"architecture {arch}: compiler {names} not found; {cross.trial.advice}")


def _try(what: str, compiler: Path, trial: Trial) -> None:
    defect = find_defect(Command(argv=(str(compiler), *trial.arguments)))
    if defect:
        raise ToolchainError(
            f"{what}: {compiler} cannot compile and link a program of one line; {trial.advice}\n"
            f"{defect}"
        )


def locate_compiler(builder: Builder, hints: ToolchainHints) -> Path | None:
    """Return the first of the builder's compilers that exists, or None."""
    found = (find_program(name) for name in builder.list_candidates(hints).names)
    return next((path for path in found if path), None)


def _identify(builder: Builder, compiler: Path, hints: ToolchainHints) -> Toolchain:
    texts = tuple(probe(command) for command in builder.probe_commands(compiler))
    variables = read_compiler_variables()
    return replace(
        builder.read_toolchain(compiler, texts, hints),
        environment=tuple(f"{name}={value}" for name, value in sorted(variables.items())),
        script=digest_script(compiler),
    )


def gather_hints(*, with_devices: bool = False) -> ToolchainHints:
    """Collect the places that this machine names for compilers.

    Args:
        with_devices: Also ask the drivers for their devices.
    """
    sites = tuple(
        Path(entry) for entry in sys.path if entry.endswith(("site-packages", "dist-packages"))
    )
    return ToolchainHints(
        environment=tuple(
            (name, os.environ[name]) for name in TOOLCHAIN_VARIABLES if os.environ.get(name)
        ),
        search_path=tuple(Path(entry) for entry in os.environ.get("PATH", "").split(os.pathsep)),
        site_packages=sites,
        wheels=tuple(_find_wheels(sites)),
        devices=list_device_architectures() if with_devices else (),
    )


def add_compilers(hints: ToolchainHints, compilers: tuple[tuple[str, str], ...]) -> ToolchainHints:
    """Return the hints with the compilers of a project, and the machine that they are for."""
    named = dict(compilers)
    host = next((named[language] for language in _HOST_LANGUAGES if language in named), None)
    found = find_program(host) if host else None
    return replace(hints, compilers=compilers, machine=_ask_machine(found) if found else None)


def _ask_machine(compiler: Path) -> str | None:
    """Ask a host compiler for its machine. Whoever cannot tell is for this machine."""
    try:
        return read_machine(probe(Command(argv=(str(compiler), "-dumpmachine"))))
    except ToolchainError:
        return None


def _find_wheels(sites: tuple[Path, ...]) -> Iterator[tuple[Path, str, str]]:
    for site in sites:
        for info in site.glob("nvidia_*.dist-info"):
            name, _, version = info.name.removesuffix(".dist-info").partition("-")
            yield site, name, version


def read_library_path() -> tuple[Path, ...]:
    """Return the directories that the dynamic linker searches first (LD_LIBRARY_PATH)."""
    entries = os.environ.get("LD_LIBRARY_PATH", "").replace(";", os.pathsep).split(os.pathsep)
    return tuple(Path(entry) for entry in entries if entry)
