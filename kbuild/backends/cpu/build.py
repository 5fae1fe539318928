"""The CPU backend: kernel sources as C++ shared objects in a fat binary.

This module names and invokes; :mod:`kbuild.backends.cpu.image` reads.  It is apart so
that the parsing libraries load only once the compiler is done.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from kbuild import resources
from kbuild.backends.cpu import machines
from kbuild.backends.file_names import forget_folder, name_files, name_relatively
from kbuild.backends.host_options import select_build_options
from kbuild.backends.interface.build import (
    AssembleUnit,
    CompileUnit,
    Completion,
    CrossCompilers,
    FrontEndStep,
    ImageContent,
    LinkUnit,
    MisreadCharacters,
    Packing,
    PackUnit,
    Runtime,
    StandIn,
    Toolchain,
    ToolchainHints,
)
from kbuild.errors import ConfigurationError, ToolchainError
from kbuild.model import Command, CompressionMode, Marks

NAME: Final = "cpu"
LANGUAGE: Final = "CXX"
FAT_BINARY_SECTION: Final = ".kbuild_fatbin"
COMPILE_MEMORY: Final = 512 << 20  # benchmarks/memory, docs/scale.md
FAT_BINARY_ALIGNMENT: Final = 8  # an LLVM offload binary's
REGISTRATION_HEADER: Final = "kbuild/cpu_registration.h"
LAUNCH_ENTRIES: Final = ("kbuild_cpu_launch",)
MISREAD: Final = MisreadCharacters()

_DEFAULTS: Final = {"x86_64": ("x86-64", "x86-64-v3"), "aarch64": ("aarch64",)}
_NATIVE: Final = "native"
_MACHINE_OPTIONS: Final = ("-march=", "-mcpu=")
_OLDEST: Final = {"gcc": 11, "clang": 14}


def compiler_candidates(hints: ToolchainHints) -> tuple[str, ...]:
    """The user's choice alone where there is one, else the usual C++ compilers."""
    chosen = hints.host_compiler or hints.compiler(LANGUAGE) or hints.variable("CXX")
    return (chosen,) if chosen else ("g++", "clang++", "c++")


def missing_compiler(hints: ToolchainHints) -> str:
    """How to get a C++ compiler."""
    is_chosen = hints.host_compiler or hints.compiler(LANGUAGE) or hints.variable("CXX")
    return "check the path" if is_chosen else "install one, or name it with HOST_COMPILER or CXX"


def find_stand_in(hints: ToolchainHints) -> StandIn | None:  # noqa: ARG001 - the seam's signature
    """None: it has one platform."""
    return None


def probe_commands(compiler: Path) -> tuple[Command, ...]:
    """``--version``: gcc and clang both say who they are."""
    return (Command(argv=(str(compiler), "--version")),)


def read_toolchain(
    compiler: Path,
    texts: tuple[str, ...],
    hints: ToolchainHints,  # noqa: ARG001 - the seam's signature
) -> Toolchain:
    """gcc >= 11 or clang >= 14: older ones lack the psABI levels or an attribute."""
    (text,) = texts
    first = text.splitlines()[0] if text.strip() else ""
    compiler_id = "clang" if "clang" in first else "gcc"
    match = re.search(r"(?:version |\) )(\d+)((?:\.\d+)*)", first)
    if match is None:
        raise ToolchainError(f"{compiler}: cannot tell its version from {first!r}")
    version = match.group(1) + match.group(2)
    if int(match.group(1)) < _OLDEST[compiler_id]:
        raise ToolchainError(
            f"{compiler} is {compiler_id} {version}; "
            f"kernels need {compiler_id} {_OLDEST[compiler_id]} or newer"
        )
    return Toolchain(backend=NAME, compiler=compiler, compiler_id=compiler_id, version=version)


def list_notes(tc: Toolchain, hints: ToolchainHints) -> tuple[str, ...]:  # noqa: ARG001 - the seam
    """None: it is what was asked for."""
    return ()


def expand_architectures(
    requested: tuple[str, ...],
    tc: Toolchain,
    hints: ToolchainHints,  # noqa: ARG001 - the seam's signature
) -> tuple[str, ...]:
    """Micro-architecture levels; by default the baseline and v3."""
    machine = machines.own_machine()
    if machine not in machines.LEVELS:
        raise ConfigurationError(f"the {tc.backend} backend does not know machine {machine!r}")
    named = tuple(machines.find_best_level() if a == _NATIVE else a for a in requested)
    for arch in named:
        if arch not in machines.MACHINES:
            raise ConfigurationError(
                f"unknown architecture {arch!r} for backend {NAME}; it knows "
                f"{', '.join((*machines.MACHINES, _NATIVE))}"
            )
    return tuple(dict.fromkeys(named)) or _DEFAULTS[machine]


def native_architectures(devices: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG001 - the seam
    """The best level that this machine runs."""
    return (machines.find_best_level(),)


def check_compression(mode: CompressionMode, tc: Toolchain) -> None:
    """Nothing is refused: its container has no compression, and the mode no effect."""


def device_links(architectures: tuple[str, ...]) -> tuple[str, ...]:
    """All of them."""
    return architectures


def cross_compilers(arch: str, tc: Toolchain) -> CrossCompilers | None:
    """Another machine's gcc beside this one's or on PATH; clang makes images of any."""
    machine = machines.MACHINES[arch]
    if not machines.is_foreign(arch):
        return None
    triple = machines.name_triple(machine)
    names = [str(tc.compiler)]
    if tc.compiler_id == "gcc":
        # c++, and a compiler that bears its own machine's triple, have no such relative.
        relatives = (f"{triple}-{tc.compiler.name}", f"{triple}-g++")
        names = [str(tc.compiler.with_name(name)) for name in relatives] + [*relatives]
    return CrossCompilers(
        names=tuple(dict.fromkeys(names)),
        trial=(
            *machines.code_generation_flags(arch, tc),
            *("-shared", "-include", "cmath", "-x", "c++", "/dev/null", "-o", "image.so"),
        ),
        advice=f"install g++ for {machine} (Debian: g++-{machine.replace('_', '-')}-linux-gnu)",
    )


def find_runtimes(hints: ToolchainHints) -> tuple[Runtime, ...]:  # noqa: ARG001 - likewise
    """The device runtime that this package carries, both ways."""
    return (
        Runtime(linkage="shared", library=resources.find_runtime("libkbuild_cpu.so.1")),
        Runtime(
            linkage="static",
            library=resources.find_runtime("libkbuild_cpu.a"),
            link_libraries=("stdc++", "pthread", "dl"),
        ),
    )


def compile_command(unit: CompileUnit, tc: Toolchain) -> Command:
    """One C++ front-end run over the shim headers, to an object with debug information."""
    compiled = unit.output.with_name(unit.output.name + ".o")
    argv = [
        str(tc.compiler),
        *language_options(unit, tc),
        # Names and layouts of parameters come from DWARF; release images lose it at the link.
        "-g",
        # A class may be described where its constructor or virtual functions are, elsewhere.
        "-fstandalone-debug" if tc.compiler_id == "clang" else "-femit-class-debug-always",
        *(f"-D{definition}" for definition in unit.definitions),
        *(f"-I{directory}" for directory in unit.include_directories),
        *name_files(unit),
        *select_build_options(unit.build_options),
        *_check_options(unit.options),
        *("-MMD", "-MF", str(unit.depfile), "-MQ", str(unit.stamp)),
        *("-c", str(unit.source), "-o", str(compiled)),
    ]
    return Command(
        argv=tuple(argv),
        inputs=(unit.source,),
        outputs=(compiled, unit.depfile),
        env=forget_folder(unit),
    )


def _check_options(options: tuple[str, ...]) -> tuple[str, ...]:
    """The options, none of which may make an image something else than it is called."""
    for option in options:
        if option.startswith(_MACHINE_OPTIONS):
            raise ConfigurationError(
                f"option {option}: ARCHITECTURES says which machines the kernels are compiled for; "
                "name the level there, or native"
            )
    return options


def listing_command(unit: CompileUnit, tc: Toolchain) -> None:  # noqa: ARG001 - the seam
    """None: it is one call."""
    return


def cacheable_steps(
    unit: CompileUnit,
    tc: Toolchain,
    listing: str,  # noqa: ARG001 - the seam's signature
) -> tuple[FrontEndStep, ...]:
    """The one call, of which caches take all."""
    command = name_relatively(compile_command(unit, tc), unit)
    return (FrontEndStep(command=command, is_cacheable=True),)


def language_options(unit: CompileUnit, tc: Toolchain) -> tuple[str, ...]:
    """What makes a C++ compiler read kernel sources, for editors as well."""
    return (
        *("-x", "c++", f"-std=c++{unit.standard}"),
        *machines.code_generation_flags(unit.arch, tc),
        *("-fno-exceptions", "-include", "kbuild_cpu_device.h"),
        # In one word each: CMake drops what it takes for repeated options.
        f"-isystem{resources.native_directory() / 'device' / NAME}",
        f"-isystem{resources.native_directory() / 'include'}",
    )


def link_images(unit: LinkUnit, contents: tuple[bytes, ...], tc: Toolchain) -> Completion:
    """The objects of all sources with one adapter unit for their kernels."""
    from kbuild.backends.cpu import image as cpu_image  # noqa: PLC0415 - loads parsers and templates

    return cpu_image.link(unit, contents, tc)


def mark_assembly(assembly: bytes, kernel: str, marks: Marks) -> None:  # noqa: ARG001 - the seam
    """None: the runtime runs blocks of any size that it allows."""
    return


def assemble_command(unit: AssembleUnit, tc: Toolchain) -> Command:  # noqa: ARG001 - likewise
    """Refused: see `mark_assembly`."""
    raise ToolchainError(f"backend {NAME} assembles nothing again")


def read_spills(log: str) -> tuple[tuple[str, int, int], ...]:  # noqa: ARG001 - likewise
    """None: the log does not say."""
    return ()


def explain_link_failure(log: str) -> str:
    """What the linker knows by names that it cannot mend."""
    if "undefined reference" in log:
        return "define it in a source of the target: device code is linked target by target"
    if "multiple definition" in log:
        return "make all but one of them static, inline or extern"
    return ""


def shorten_log(log: str) -> str:
    """C++ compilers say nothing else."""
    return log


def explain_failure(unit: CompileUnit, log: str) -> str:  # noqa: ARG001 - likewise
    """C++ compilers explain themselves."""
    return ""


def complete(
    unit: CompileUnit,
    compiled: bytes,
    log: str,  # noqa: ARG001 - likewise
    tc: Toolchain,
) -> Completion:
    """Read the kernels off the object, generate typed adapters for them, link the image."""
    from kbuild.backends.cpu import image as cpu_image  # noqa: PLC0415 - loads parsers and templates

    return cpu_image.complete(unit, compiled, tc)


def read_image(data: bytes) -> ImageContent:
    """The kernels and variables that an image's table lists."""
    from kbuild.backends.cpu import contents as cpu_contents  # noqa: PLC0415 - loads parsers

    return cpu_contents.read_image(data)


def pack(unit: PackUnit, tc: Toolchain) -> Packing:  # noqa: ARG001 - likewise
    """LLVM offload binaries, one an image, as they are: the format compresses none."""
    from kbuild.backends.cpu.container import write_container  # noqa: PLC0415 - packs alone need it

    return Packing(content=write_container((i.arch, i.sha256, i.data) for i in unit.images))
