"""Build HIP kernels for AMD devices: device-only clang, lld, and clang-offload-bundler."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from kbuild import files, resources
from kbuild.backends.file_names import forget_directory, name_files, name_relatively
from kbuild.backends.hip.host_macros import list_host_options
from kbuild.backends.hip.toolchain import (
    BUNDLER,
    LANGUAGE,
    LINKER,
    NAME,
    describe_trial,
    find_fallback,
    find_runtimes,
    list_candidates,
    list_notes,
    probe_commands,
    read_toolchain,
)
from kbuild.backends.host_options import select_build_options
from kbuild.backends.interface.build import (
    OPTION_FIX,
    RELOCATABLE_FIX,
    UNDEFINED_FIX,
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
    Toolchain,
    ToolchainHints,
    Traits,
    UnsafeCharacters,
)
from kbuild.errors import ConfigurationError
from kbuild.model import Command, CompressionMode, ImageKind

# See `Builder`.
__all__ = [
    "TRAITS",
    "cacheable_steps",
    "check_compression",
    "compile_command",
    "complete",
    "cross_compilers",
    "describe_trial",
    "device_links",
    "editor_options",
    "expand_architectures",
    "find_fallback",
    "find_runtimes",
    "link_images",
    "list_candidates",
    "list_notes",
    "listing_command",
    "pack",
    "probe_commands",
    "provide_runtimes",
    "read_log",
    "read_toolchain",
    "target_options",
]

TRAITS: Final = Traits(
    name=NAME,
    language=LANGUAGE,
    fat_binary_section=".hip_fatbin",
    relocatable_section=".hip_relfatbin",
    link_function="__kbuildRegisterLinkedBinary",
    fat_binary_alignment=4096,  # what clang uses; readers need 8
    registration_header="kbuild/hip_registration.h",
    host_header="kbuild/host_hip.h",
    managed_options=((("-fgpu-rdc",), "use RDC ON"), (("--offload-arch",), "use ARCHITECTURES")),
    compile_memory=1024 << 20,  # measured by benchmarks/memory
    launch_entries=("hipLaunchKernel",),
    unsafe=UnsafeCharacters(outputs="%"),  # lld writes to a different file
)

# The optional functions that this backend does not need: clang compiles for every architecture
# that it has device libraries for, in one command.
provide_runtimes: Final = None
cross_compilers: Final = None
listing_command: Final = None

# nvcc also includes its own header. One word, because CMake removes repeated options.
_INCLUDE: Final = "--include=hip/hip_runtime.h"
_FIRST_WITH_LEVELS: Final = 19
# Levels of zstd. By default, clang does not compress code objects.
_COMPRESSION: Final[dict[CompressionMode, tuple[str, ...]]] = {
    "none": (),
    "balance": (),
    "speed": ("-compress", "-compression-level=1"),
    "size": ("-compress", "-compression-level=19"),
}
# The linker accepts numbers only.
_UNDEFINED: Final = re.compile(r"undefined (hidden )?symbol")
_LINK_LEVELS: Final = {"": "1", "s": "2", "z": "2", "fast": "3"}
_TRIPLE: Final = "amdgcn-amd-amdhsa"


def expand_architectures(
    requested: tuple[str, ...], tc: Toolchain, hints: ToolchainHints
) -> tuple[str, ...]:
    """See `Builder`: target IDs; by default CMake's own value."""
    from kbuild.backends.hip import architectures as hip_architectures  # noqa: PLC0415 - only plans need it

    defaults = tuple(value for language, value in hints.architectures if language == LANGUAGE)
    return hip_architectures.expand(requested or defaults, tc.architectures, hints.devices)


def check_compression(mode: CompressionMode, tc: Toolchain) -> None:
    """See `Builder`: the bundler of clang 19 introduced levels."""
    if _COMPRESSION[mode] and int(tc.version.partition(".")[0]) < _FIRST_WITH_LEVELS:
        raise ConfigurationError(
            f"COMPRESSION {mode} needs clang {_FIRST_WITH_LEVELS} or newer, and "
            f"{tc.compiler} is {tc.version}; use none"
        )


def device_links(architectures: tuple[str, ...]) -> tuple[str, ...]:
    """See `Builder`: every architecture."""
    return architectures


def language_options(unit: CompileUnit, tc: Toolchain) -> tuple[str, ...]:
    """Return how clang reads a source for a device."""
    # As in the host pass of a mixed source, so that both see the same macros.
    dialect = "gnu" if unit.is_mixed else "c"
    return (
        *tc.options,
        *("-x", "hip", f"-std={dialect}++{unit.device_standard}", f"--offload-arch={unit.arch}"),
        *("--cuda-device-only", "-DKBUILD_DEVICE_CODE=1"),
        *(list_source_options(unit.source) if unit.is_mixed else (_INCLUDE,)),
        *_list_header_directories(),
    )


def editor_options(unit: CompileUnit, tc: Toolchain) -> tuple[str, ...]:
    """See `Builder`: as the device pass, and mixed sources for the host."""
    if not unit.is_mixed:
        return language_options(unit, tc)
    return (
        *(*tc.options, "-x", "hip", f"-std=gnu++{unit.device_standard}"),
        *("--cuda-host-only", "-nogpulib"),
        *list_source_options(unit.source),
        *_list_header_directories(),
    )


def _list_header_directories() -> tuple[str, ...]:
    native = resources.native_directory()
    return (f"-isystem{native / 'device' / NAME}", f"-isystem{native / 'include'}")


def list_source_options(source: Path) -> tuple[str, ...]:
    """Return the options for settings that CUDA's and HIP's own compilers have by default.

    Sources in CUDA's spelling ignore results that HIP marks as ``nodiscard``.
    """
    if source.suffix == ".cu":
        return ("--include=cuda_runtime.h", "-Wno-unused-result")
    return (_INCLUDE,)


def compile_command(unit: CompileUnit, tc: Toolchain) -> Command:
    """See `Builder`: one run, to a code object, or to bitcode for a device link."""
    suffix = ".bc" if unit.relocatable else ".hsaco"
    output = unit.output.with_name(unit.output.name + suffix)
    mode = ("-fgpu-rdc", "-emit-llvm") if unit.relocatable else ()
    argv = (
        str(tc.compiler),
        *language_options(unit, tc),
        *mode,
        "--no-gpu-bundle-output",
        # A device link distinguishes static kernels by this ID.
        f"-cuid={files.sha256(unit.display_source.encode())[:16]}",
        *_own_options(unit, tc),
        *("-MMD", "-MF", str(unit.depfile), "-MQ", str(unit.stamp)),
        *("-c", str(unit.source), "-o", str(output)),
    )
    return Command(
        argv=argv,
        inputs=(unit.source,),
        outputs=(output,),
        env=forget_directory(unit),
        # clang 15 leaves an empty directory per step and architecture; clang 19 does not.
        leaves_files=True,
    )


def cacheable_steps(
    unit: CompileUnit,
    tc: Toolchain,
    listing: str,  # noqa: ARG001 - the interface's signature
) -> tuple[FrontEndStep, ...]:
    """See `Builder`: one step, which caches understand completely."""
    command = name_relatively(compile_command(unit, tc), unit)
    return (FrontEndStep(command=command, is_cacheable=True),)


def _own_options(unit: CompileUnit, tc: Toolchain) -> tuple[str, ...]:
    """Return the options of the target and of its build type."""
    return (
        *(f"-D{definition}" for definition in unit.definitions),
        *(f"-I{directory}" for directory in unit.include_directories),
        *list_host_options(unit.host_options, tc.version),
        *name_files(unit),
        *target_options(unit),
    )


def target_options(unit: CompileUnit) -> tuple[str, ...]:
    """See `Builder`: clang's own options."""
    return (*select_build_options(unit.build_options), *unit.options)


def complete(
    unit: CompileUnit,
    compiled: bytes,  # noqa: ARG001 - the interface's signature
    log: str,  # noqa: ARG001 - the interface's signature
    tc: Toolchain,
) -> Completion:
    """See `Builder`: the output is the image; another command preprocesses the source."""
    (output,) = compile_command(unit, tc).outputs
    kind: ImageKind = "bitcode" if unit.relocatable else "elf"
    keep = unit.output.with_name(unit.output.name + ".keep")
    preprocessed = keep / f"{unit.source.stem}.ii"
    argv = (
        *(str(tc.compiler), *language_options(unit, tc), *_own_options(unit, tc)),
        # Most of these options are for later phases.
        "-Wno-unused-command-line-argument",
        *("-E", str(unit.source), "-o", str(preprocessed)),
    )
    is_listed = unit.is_mixed and unit.relocatable
    return Completion(
        commands=(_list_symbols(output, unit, tc),) if is_listed else (),
        images=(ImageOutput(path=output, arch=unit.arch, kind=kind),),
        temporary=(keep,),
        preprocessed=preprocessed,
        preprocessing=Command(
            argv=argv, inputs=(unit.source,), outputs=(preprocessed,), directories=(keep,)
        ),
    )


def name_listed_object(unit: CompileUnit) -> Path:
    """Return the object from which a mixed source's kernels and variables are read."""
    if unit.relocatable:
        return unit.output.with_name(unit.output.name + ".o")
    return unit.output.with_name(unit.output.name + ".hsaco")


def _list_symbols(bitcode: Path, unit: CompileUnit, tc: Toolchain) -> Command:
    """Return the command that makes an object of bitcode, which kbuild does not read."""
    output = name_listed_object(unit)
    processor = unit.arch.partition(":")[0]
    argv = (
        *(str(tc.compiler), f"--target={_TRIPLE}", f"-mcpu={processor}", "-nogpulib"),
        *("-x", "ir", "-c", str(bitcode), "-o", str(output)),
    )
    return Command(argv=argv, inputs=(bitcode,), outputs=(output,))


def link_images(
    unit: LinkUnit,
    contents: tuple[bytes, ...],  # noqa: ARG001 - the interface's signature
    tc: Toolchain,
) -> Completion:
    """See `Builder`: lld on bitcode, which optimizes across sources, as clang does for HIP."""
    output = unit.output.with_name(unit.output.name + ".hsaco")
    processor, *features = unit.arch.split(":")
    # Bitcode needs the linker of the same LLVM.
    linker = (tc.packer or tc.compiler).with_name(LINKER)
    signed = ",".join(feature[-1] + feature[:-1] for feature in features)
    argv = (
        *(str(linker), "-shared", "--no-undefined", f"-plugin-opt=mcpu={processor}"),
        *((f"-plugin-opt=-mattr={signed}",) if signed else ()),
        f"-plugin-opt={_find_level(unit.build_options)}",
        "-plugin-opt=-amdgpu-internalize-symbols",
        *map(str, unit.images),
        *("-o", str(output)),
    )
    return Completion(
        commands=(Command(argv=argv, inputs=unit.images, outputs=(output,)),),
        images=(ImageOutput(path=output, arch=unit.arch, kind="elf"),),
    )


def _find_level(options: tuple[str, ...]) -> str:
    """Return the linker's optimization level for the compiler's options."""
    levels = [option[2:] for option in options if re.fullmatch(r"-O([0-3sz]|fast)?", option)]
    level = levels[-1] if levels else "2"
    return f"O{_LINK_LEVELS.get(level, level)}"


def read_log(log: str, unit: CompileUnit | LinkUnit | None = None) -> CompilerLog:
    """See `Builder`: without the number of messages, which clang prints last."""
    count = re.compile(r"\d+ (warning|error)s?( and \d+ errors?)? generated when compiling for ")
    kept = [line for line in log.splitlines(keepends=True) if not count.match(line)]
    return CompilerLog(text="".join(kept), fix=_find_fix(log, unit))


def _find_link_fix(log: str) -> str:
    if _UNDEFINED.search(log):
        return UNDEFINED_FIX
    if "duplicate symbol" in log:
        return "make all but one of the definitions static, inline, or extern"
    return ""


def _find_fix(log: str, unit: CompileUnit | LinkUnit | None) -> str:
    if isinstance(unit, LinkUnit):
        return _find_link_fix(log)
    if _UNDEFINED.search(log):
        return RELOCATABLE_FIX
    if "unknown argument" in log:
        return OPTION_FIX
    if "Opaque pointers" in log or "Unknown attribute kind" in log or "Invalid record" in log:
        return (
            "the ROCm device libraries were built by a newer LLVM than this clang; use the clang "
            "that they came with (HIPCXX), or set ROCM_PATH to libraries of its version"
        )
    if unit and ("nsupported HIP gpu architecture" in log or "invalid target ID" in log):
        return f"this clang does not support {unit.arch}; use a newer one (HIPCXX, ROCM_PATH)"
    return ""


def pack(unit: PackUnit, tc: Toolchain) -> Packing:
    """See `Builder`: the bundle that clang itself would make of the images."""
    host = f"host-{os.uname().machine}-unknown-linux"
    targets = (host, *(f"hipv4-{_TRIPLE}--{image.arch}" for image in unit.images))
    argv = (
        *(str(tc.packer or BUNDLER), "-type=o", f"-bundle-align={TRAITS.fat_binary_alignment}"),
        *_COMPRESSION[unit.compression],
        f"-targets={','.join(targets)}",
        "-input=/dev/null",
        *(f"-input={image.path}" for image in unit.images),
        f"-output={unit.output}",
    )
    command = Command(
        argv=argv, inputs=tuple(image.path for image in unit.images), outputs=(unit.output,)
    )
    return Packing(commands=(command,))
