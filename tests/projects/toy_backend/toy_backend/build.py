"""See `kbuild.backends.interface.build.Builder`."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Final

from kbuild.backends.interface.build import (
    CompilerLog,
    CompileUnit,
    Completion,
    FrontEndStep,
    ImageOutput,
    LinkUnit,
    Packing,
    PackUnit,
)
from kbuild.backends.interface.toolchain import (
    Candidates,
    Runtime,
    Toolchain,
    ToolchainHints,
    Traits,
    Trial,
)
from kbuild.errors import ConfigurationError
from kbuild.model import Command

ROOT: Final = Path(__file__).parents[1]
ARCHITECTURE: Final = "toy1"
TRAITS: Final = Traits(
    name="toy",
    language="CXX",
    fat_binary_section=".toy_fatbin",
    fat_binary_alignment=8,
    registration_header="toy_registration.h",
    compile_memory=1 << 20,
    launch_entries=("toy_launch",),
)

find_fallback: Final = None
provide_runtimes: Final = None
list_notes: Final = None
check_compression: Final = None
cross_compilers: Final = None
listing_command: Final = None


def list_candidates(hints: ToolchainHints) -> Candidates:
    return Candidates(names=(str(ROOT / "toycc"),), advice="make toycc executable")


def probe_commands(compiler: Path) -> tuple[Command, ...]:
    return (Command(argv=(str(compiler), "--version")),)


def read_toolchain(compiler: Path, texts: tuple[str, ...], hints: ToolchainHints) -> Toolchain:
    return Toolchain(
        backend="toy", compiler=compiler, compiler_id="toycc", version=texts[0].strip()
    )


def describe_trial(tc: Toolchain) -> Trial:
    return Trial(arguments=("--version",), advice="make toycc executable")


def expand_architectures(
    requested: tuple[str, ...], tc: Toolchain, hints: ToolchainHints
) -> tuple[str, ...]:
    for arch in requested:
        if arch != ARCHITECTURE:
            raise ConfigurationError(f"unknown architecture {arch!r}; expected {ARCHITECTURE}")
    return (ARCHITECTURE,)


def device_links(architectures: tuple[str, ...]) -> tuple[str, ...]:
    raise ConfigurationError("backend toy has no device linker; use RDC OFF")


def find_runtimes(hints: ToolchainHints) -> tuple[Runtime, ...]:
    """Find the library that the test compiles from ``toy_runtime.c``."""
    library = ROOT / "libtoy.so"
    if not library.is_file():
        return ()
    return (Runtime(linkage="shared", library=library, include_directories=(ROOT,)),)


def editor_options(unit: CompileUnit, tc: Toolchain) -> tuple[str, ...]:
    return ()


def target_options(unit: CompileUnit) -> tuple[str, ...]:
    return unit.options


def compile_command(unit: CompileUnit, tc: Toolchain) -> Command:
    output = unit.output.with_name(unit.output.name + ".toyimage")
    argv = (str(tc.compiler), str(unit.source), str(output), str(unit.depfile), str(unit.stamp))
    return Command(argv=argv, inputs=(unit.source,), outputs=(output,))


def cacheable_steps(unit: CompileUnit, tc: Toolchain, listing: str) -> tuple[FrontEndStep, ...]:
    return (FrontEndStep(command=compile_command(unit, tc)),)


def complete(unit: CompileUnit, compiled: bytes, log: str, tc: Toolchain) -> Completion:
    (output,) = compile_command(unit, tc).outputs
    return Completion(images=(ImageOutput(path=output, arch=unit.arch, kind="other"),))


def link_images(unit: LinkUnit, contents: tuple[bytes, ...], tc: Toolchain) -> Completion:
    raise ConfigurationError("backend toy has no device linker; use RDC OFF")


def read_log(log: str, unit: CompileUnit | LinkUnit | None = None) -> CompilerLog:
    return CompilerLog(text=log)


def pack(unit: PackUnit, tc: Toolchain) -> Packing:
    parts = [struct.pack("<4sI", b"TOYC", len(unit.images))]
    for image in unit.images:
        parts += [struct.pack("<Q", len(image.data)), image.data]
    return Packing(content=b"".join(parts))
