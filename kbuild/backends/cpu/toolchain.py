"""Find gcc or clang for CPU kernels, and the runtime that this package contains."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from kbuild import resources
from kbuild.backends.cpu import cccl, machines
from kbuild.backends.cpu.mathlibs import headers as curand
from kbuild.backends.cpu.runtime import HOST_API, SHARED, STATIC, locate_library
from kbuild.backends.interface.toolchain import (
    Candidates,
    CrossCompilers,
    Runtime,
    Toolchain,
    ToolchainHints,
    Trial,
)
from kbuild.backends.triples import read_machine
from kbuild.errors import ToolchainError
from kbuild.model import Command

NAME: Final = "cpu"
LANGUAGE: Final = "CXX"
_DEFINITIONS: Final = ("KBUILD_BACKEND_CPU=1",)
_OLDEST: Final = {"gcc": 11, "clang": 14}
_TRIAL: Final = (
    *("-shared", "-fPIC", "-include", "cmath", "-x", "c++", "/dev/null", "-o", "image.so"),
)
_VERSIONS: Final = {
    "gcc": re.compile(r"\) (\d+)((?:\.\d+)*)"),
    "clang": re.compile(r"version (\d+)((?:\.\d+)*)"),
}
# GNU's other programs print this with their version ("GNU Coding Standards", "--version"), gcc not.
_LICENSE: Final = "License GPL"
_LAUNCHER: Final = re.compile(r"(s?ccache|distcc)\b")


def list_candidates(hints: ToolchainHints) -> Candidates:
    """See `Builder`: the user's choice, or the usual C++ compilers."""
    chosen = hints.host_compiler or hints.compiler(LANGUAGE) or hints.variable("CXX")
    if chosen:
        return Candidates(names=(chosen,), advice="check the path")
    if hints.machine:
        triple = machines.name_triple(hints.machine)
        return Candidates(
            names=(f"{triple}-g++", f"{triple}-clang++"), advice=_advise_cross(hints.machine)
        )
    return Candidates(
        names=("g++", "clang++", "c++"),
        advice="install one, or name it with HOST_COMPILER or CXX",
    )


def probe_commands(compiler: Path) -> tuple[Command, ...]:
    """See `Builder`: gcc and clang both say who they are, and which machine they are for."""
    words = ("--version", "-dumpmachine", "-print-prog-name=objcopy")
    return tuple(Command(argv=(str(compiler), word)) for word in words)


def read_toolchain(
    compiler: Path,
    texts: tuple[str, ...],
    hints: ToolchainHints,
) -> Toolchain:
    """See `Builder`: gcc >= 11 or clang >= 14, and CCCL and cuRAND's headers if they are installed.

    Older versions lack the psABI levels or an attribute.
    """
    text, triple, objcopy = texts
    first = text.splitlines()[0] if text.strip() else ""
    if _LAUNCHER.match(first):
        raise ToolchainError(
            f"{compiler} is a compiler launcher, not a compiler; name the compiler in CXX, and the "
            "launcher in KBUILD_COMPILER_LAUNCHER"
        )
    compiler_id = "clang" if "clang" in first else "gcc"
    match = _VERSIONS[compiler_id].search(first)
    if _LICENSE in text:
        raise ToolchainError(
            f"{compiler} is not a compiler, but {first!r}; name gcc or clang in CXX, or unset it"
        )
    if match is None:
        raise ToolchainError(
            f"{compiler}: cannot read a version from {first!r}; expected gcc or clang"
        )
    version = match.group(1) + match.group(2)
    if int(match.group(1)) < _OLDEST[compiler_id]:
        raise ToolchainError(
            f"{compiler} is {compiler_id} {version}; "
            f"kernels need {compiler_id} {_OLDEST[compiler_id]} or newer"
        )
    directory = cccl.find_cccl(hints)
    return Toolchain(
        backend=NAME,
        compiler=compiler,
        compiler_id=compiler_id,
        version=version,
        machine=read_machine(triple),
        host_machine=hints.machine,
        objcopy=_read_path(objcopy),
        libraries=(*((directory,) if directory else ()), *curand.list_directories(hints)),
    )


def _read_path(text: str) -> Path | None:
    """Return the program that a compiler names: without a path, if it does not find one."""
    path = Path(text.strip())
    return path if path.is_absolute() and path.is_file() else None


def describe_trial(tc: Toolchain) -> Trial:  # noqa: ARG001 - the interface's signature
    """See `Builder`: a shared object, as images are."""
    return Trial(
        arguments=_TRIAL,
        advice="install its linker and C++ library (Debian: g++), or name another compiler with "
        "HOST_COMPILER or CXX",
    )


def find_runtimes(hints: ToolchainHints) -> tuple[Runtime, ...]:
    """See `Builder`: the runtime that this package contains or builds, and CUDA's headers."""
    library = cccl.find_cccl(hints)
    names = locate_library(HOST_API, hints)
    is_provided = not resources.is_installed(names)
    headers = (
        resources.native_directory() / "device" / NAME,
        *((library,) if library else ()),
        *curand.list_directories(hints),
    )
    return (
        Runtime(
            linkage="shared",
            library=locate_library(SHARED, hints),
            include_directories=headers,
            definitions=_DEFINITIONS,
            host_api=names,
            is_provided=is_provided,
        ),
        Runtime(
            linkage="static",
            library=locate_library(STATIC, hints),
            include_directories=headers,
            definitions=_DEFINITIONS,
            host_api=names,
            is_provided=is_provided,
            link_libraries=("stdc++", "m", "pthread", "dl"),
        ),
    )


def cross_compilers(arch: str, tc: Toolchain) -> CrossCompilers | None:
    """See `Builder`: another machine's gcc, beside this one or on PATH.

    clang makes images for any machine.
    """
    machine = machines.MACHINES[arch]
    if machine == (tc.machine or machines.own_machine()):
        return None
    triple = machines.name_triple(machine)
    names = [str(tc.compiler)]
    if tc.compiler_id == "gcc":
        # The first name does not exist if the compiler is `c++`, or if its name already contains
        # the triple of its own machine.
        relatives = (f"{triple}-{tc.compiler.name}", f"{triple}-g++")
        names = [str(tc.compiler.with_name(name)) for name in relatives] + [*relatives]
    return CrossCompilers(
        names=tuple(dict.fromkeys(names)),
        trial=Trial(
            arguments=(*machines.code_generation_flags(arch, tc), *_TRIAL),
            advice=_advise_cross(machine),
        ),
    )


def _advise_cross(machine: str) -> str:
    return f"install g++ for {machine} (Debian: g++-{machine.replace('_', '-')}-linux-gnu)"
