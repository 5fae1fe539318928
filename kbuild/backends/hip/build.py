"""The HIP backend for AMD devices: clang device-only, lld underneath, clang-offload-bundler.

This module names and invokes; :mod:`kbuild.backends.hip.image` reads.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from kbuild import files, resources
from kbuild.backends.file_names import forget_folder, name_files, name_relatively
from kbuild.backends.host_options import select_build_options
from kbuild.backends.interface.build import (
    AssembleUnit,
    CompileUnit,
    Completion,
    CrossCompilers,
    FrontEndStep,
    ImageContent,
    ImageOutput,
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
from kbuild.model import Command, CompressionMode, ImageKind, Marks

NAME: Final = "hip"
LANGUAGE: Final = "HIP"
FAT_BINARY_SECTION: Final = ".hip_fatbin"
COMPILE_MEMORY: Final = 1024 << 20  # benchmarks/memory, docs/scale.md
FAT_BINARY_ALIGNMENT: Final = 4096  # what clang gives it; readers need 8
REGISTRATION_HEADER: Final = "kbuild/hip_registration.h"
LAUNCH_ENTRIES: Final = ("hipLaunchKernel",)
MISREAD: Final = MisreadCharacters(outputs="%")  # lld writes to another file

_PLATFORM: Final = "HIP_PLATFORM"
_OWN_PLATFORM: Final = "amd"
# Which backend's compiler, runtime and devices the other platforms of HIP are.
_STAND_INS: Final = {"nvidia": "cuda"}
_OLDEST: Final = 15
_BUNDLER: Final = "clang-offload-bundler"
_LINKER: Final = "ld.lld"
_FIRST_WITH_LEVELS: Final = 19
# Of zstd. Without a mode of the user's own, code objects are as clang leaves them.
_COMPRESSION: Final[dict[CompressionMode, tuple[str, ...]]] = {
    "none": (),
    "balance": (),
    "speed": ("-compress", "-compression-level=1"),
    "size": ("-compress", "-compression-level=19"),
}
# The linker has numbers alone.
_LINK_LEVELS: Final = {"": "1", "s": "2", "z": "2", "fast": "3"}
_TRIPLE: Final = "amdgcn-amd-amdhsa"


def compiler_candidates(hints: ToolchainHints) -> tuple[str, ...]:
    """CMake's compiler of HIP, else those of ROCM_PATH, HIP_PATH, wheels, /opt/rocm*, PATH."""
    chosen = hints.compiler(LANGUAGE) or hints.variable("HIPCXX")
    if chosen:
        return (chosen,)
    from kbuild.backends.hip.installation import list_compilers  # noqa: PLC0415 - plans alone do

    return tuple(dict.fromkeys(list_compilers(hints)))


def missing_compiler(hints: ToolchainHints) -> str:
    """How to get a HIP compiler."""
    if hints.compiler(LANGUAGE) or hints.variable("HIPCXX"):
        return "check the path"
    return "install one (Debian: hipcc; ROCm: rocm-llvm), or set ROCM_PATH or HIPCXX"


def find_stand_in(hints: ToolchainHints) -> StandIn | None:
    """The backend of HIP's other platform, where CMake or HIP_PLATFORM names that."""
    by_cmake = dict(hints.platforms).get(LANGUAGE)
    named = by_cmake or hints.variable(_PLATFORM) or _OWN_PLATFORM
    variable = f"CMAKE_{_PLATFORM}" if by_cmake else _PLATFORM
    if named in _STAND_INS:
        return StandIn(backend=_STAND_INS[named], reason=f"{variable} is {named}")
    if named != _OWN_PLATFORM:
        raise ConfigurationError(
            f"{variable} is {named!r}; it may be {_OWN_PLATFORM} or {', '.join(_STAND_INS)}"
        )
    return None


def probe_commands(compiler: Path) -> tuple[Command, ...]:
    """What the compiler is, and where its bundler lies.

    The wrapper ``hipcc`` would take nvcc for the compiler where it sees one, unless it is told
    the platform.
    """
    env = ((_PLATFORM, _OWN_PLATFORM),)
    version = Command(argv=(str(compiler), "--version"), env=env)
    if compiler.name == "nvcc":
        return (version,)  # which is enough to refuse it, and all that it understands
    return (version, Command(argv=(str(compiler), f"-print-prog-name={_BUNDLER}"), env=env))


def read_toolchain(compiler: Path, texts: tuple[str, ...], hints: ToolchainHints) -> Toolchain:
    """clang >= 15 with its bundler, HIP's headers and device libraries.

    Of ``hipcc``, the clang that it would call.
    """
    from kbuild.backends.hip.installation import find_installation  # noqa: PLC0415 - likewise

    version = texts[0]
    match = re.search(r"clang version (\d+)([\d.]*)", version)
    if match is None:
        said = version.strip().splitlines()
        raise ToolchainError(
            f"{compiler} is no clang ({said[0] if said else 'it says nothing'}); name AMD's or "
            "the one that hipcc uses with HIPCXX"
        )
    if int(match[1]) < _OLDEST:
        raise ToolchainError(
            f"{compiler} is clang {match[1]}{match[2]}; HIP kernels need clang {_OLDEST} or newer"
        )
    bundler = Path(texts[1].strip())
    if not bundler.is_absolute():
        raise ToolchainError(
            f"{compiler}: {_BUNDLER} is missing, which writes fat binaries; install it (Debian: "
            f"clang-tools-{match[1]}, ROCm: rocm-llvm)"
        )
    is_wrapper = "HIP version" in version
    found = find_installation(hints)
    return Toolchain(
        backend=NAME,
        compiler=bundler.with_name("clang++") if is_wrapper else compiler,
        compiler_id="clang",
        version=match[1] + match[2],
        architectures=found.processors,
        options=found.options,
        packer=bundler,
    )


def list_notes(tc: Toolchain, hints: ToolchainHints) -> tuple[str, ...]:
    """That ``hipcc`` would have taken nvcc, where it would."""
    on_path = [
        name for name in ("hipcc", "nvcc") if any((f / name).is_file() for f in hints.search_path)
    ]
    if len(on_path) < 2 or hints.variable(_PLATFORM):  # noqa: PLR2004 - both
        return ()
    note = (
        "hipcc by itself takes nvcc where that is on PATH, as it is here; kbuild calls "
        f"{tc.compiler} for {_PLATFORM}={_OWN_PLATFORM}"
    )
    return (note,)


def expand_architectures(
    requested: tuple[str, ...], tc: Toolchain, hints: ToolchainHints
) -> tuple[str, ...]:
    """Target ids; CMake's own default where the target names none."""
    from kbuild.backends.hip import architectures as hip_architectures  # noqa: PLC0415 - plans alone ask

    defaults = tuple(value for language, value in hints.architectures if language == LANGUAGE)
    return hip_architectures.expand(requested or defaults, tc.architectures, hints.devices)


def native_architectures(devices: tuple[str, ...]) -> tuple[str, ...]:
    """The devices' own."""
    from kbuild.backends.hip import architectures as hip_architectures  # noqa: PLC0415 - plans alone ask

    return hip_architectures.name_native(devices)


def check_compression(mode: CompressionMode, tc: Toolchain) -> None:
    """Levels came with the bundler of clang 19."""
    if _COMPRESSION[mode] and int(tc.version.partition(".")[0]) < _FIRST_WITH_LEVELS:
        raise ConfigurationError(
            f"COMPRESSION {mode} needs clang {_FIRST_WITH_LEVELS} or newer, and "
            f"{tc.compiler} is {tc.version}; leave it at none"
        )


def device_links(architectures: tuple[str, ...]) -> tuple[str, ...]:
    """All of them."""
    return architectures


def cross_compilers(arch: str, tc: Toolchain) -> CrossCompilers | None:  # noqa: ARG001 - the seam
    """clang compiles for every architecture that there are device libraries for."""
    return None


def find_runtimes(hints: ToolchainHints) -> tuple[Runtime, ...]:
    """libamdhip64, with the headers that hosts include; there is no static one."""
    from kbuild.backends.hip.installation import find_runtime_library  # noqa: PLC0415 - likewise

    found = find_runtime_library(hints)
    if found is None:
        return ()
    root, library = found
    return (
        Runtime(
            linkage="shared",
            library=library,
            include_directories=(root / "include",),
            definitions=("KBUILD_BACKEND_HIP=1", "__HIP_PLATFORM_AMD__=1"),
        ),
    )


def language_options(unit: CompileUnit, tc: Toolchain) -> tuple[str, ...]:
    """clang's view of a kernel source."""
    native = resources.native_directory()
    return (
        *tc.options,
        *("-x", "hip", f"-std=c++{unit.standard}", f"--offload-arch={unit.arch}"),
        "--cuda-device-only",
        "-DKBUILD_DEVICE_CODE=1",
        # As nvcc does with its own header; one word, because CMake drops repeated options.
        "--include=hip/hip_runtime.h",
        f"-isystem{native / 'device' / NAME}",
        f"-isystem{native / 'include'}",
    )


def compile_command(unit: CompileUnit, tc: Toolchain) -> Command:
    """One front-end run, to a code object, or to bitcode for a device link."""
    suffix = ".bc" if unit.relocatable else ".hsaco"
    output = unit.output.with_name(unit.output.name + suffix)
    mode = ("-fgpu-rdc", "-emit-llvm") if unit.relocatable else ()
    argv = (
        str(tc.compiler),
        *language_options(unit, tc),
        *mode,
        "--no-gpu-bundle-output",
        # Static kernels of a device link are told apart by it.
        f"-cuid={files.sha256(unit.display_source.encode())[:16]}",
        *_own_options(unit),
        *("-MMD", "-MF", str(unit.depfile), "-MQ", str(unit.stamp)),
        *("-c", str(unit.source), "-o", str(output)),
    )
    return Command(argv=argv, inputs=(unit.source,), outputs=(output,), env=forget_folder(unit))


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


def _own_options(unit: CompileUnit) -> tuple[str, ...]:
    """What the target and its build type ask for."""
    return (
        *(f"-D{definition}" for definition in unit.definitions),
        *(f"-I{directory}" for directory in unit.include_directories),
        *name_files(unit),
        *select_build_options(unit.build_options),
        *unit.options,
    )


def complete(
    unit: CompileUnit,
    compiled: bytes,  # noqa: ARG001 - the seam's signature
    log: str,  # noqa: ARG001 - likewise
    tc: Toolchain,
) -> Completion:
    """The front end's output is the image; what it had preprocessed it keeps to itself."""
    (output,) = compile_command(unit, tc).outputs
    kind: ImageKind = "bitcode" if unit.relocatable else "elf"
    keep = unit.output.with_name(unit.output.name + ".keep")
    preprocessed = keep / f"{unit.source.stem}.ii"
    argv = (
        *(str(tc.compiler), *language_options(unit, tc), *_own_options(unit)),
        # Most options are for what comes later.
        "-Wno-unused-command-line-argument",
        *("-E", str(unit.source), "-o", str(preprocessed)),
    )
    return Completion(
        images=(ImageOutput(path=output, arch=unit.arch, kind=kind),),
        temporary=(keep,),
        preprocessed=preprocessed,
        preprocessing=Command(
            argv=argv, inputs=(unit.source,), outputs=(preprocessed,), folders=(keep,)
        ),
    )


def link_images(
    unit: LinkUnit,
    contents: tuple[bytes, ...],  # noqa: ARG001 - the seam's signature
    tc: Toolchain,
) -> Completion:
    """lld over bitcode, which optimises across sources: what clang does for HIP."""
    output = unit.output.with_name(unit.output.name + ".hsaco")
    processor, *features = unit.arch.split(":")
    # Bitcode needs the linker of its own LLVM.
    linker = (tc.packer or tc.compiler).with_name(_LINKER)
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
    """The optimisation level that the linker has for the compiler's."""
    levels = [option[2:] for option in options if re.fullmatch(r"-O([0-3sz]|fast)?", option)]
    level = levels[-1] if levels else "2"
    return f"O{_LINK_LEVELS.get(level, level)}"


def mark_assembly(assembly: bytes, kernel: str, marks: Marks) -> None:  # noqa: ARG001 - the seam
    """None: an AMD image is linked code, with no assembly left."""
    return


def assemble_command(unit: AssembleUnit, tc: Toolchain) -> Command:  # noqa: ARG001 - likewise
    """Refused: see `mark_assembly`."""
    raise ToolchainError(f"backend {NAME} assembles nothing again")


def read_spills(log: str) -> tuple[tuple[str, int, int], ...]:  # noqa: ARG001 - likewise
    """None: the log does not say."""
    return ()


def explain_link_failure(log: str) -> str:
    """What lld knows by names that it cannot mend."""
    if "undefined symbol" in log or "undefined hidden symbol" in log:
        return "define it in a source of the target: device code is linked target by target"
    if "duplicate symbol" in log:
        return "make all but one of them static, inline or extern"
    return ""


def shorten_log(log: str) -> str:
    """Without the count of warnings that clang ends with."""
    count = re.compile(r"\d+ warnings? generated when compiling for ")
    return "".join(line for line in log.splitlines(keepends=True) if not count.match(line))


def explain_failure(unit: CompileUnit, log: str) -> str:
    """Failures whose message does not say the mend."""
    if "Opaque pointers" in log or "Unknown attribute kind" in log or "Invalid record" in log:
        return (
            "the ROCm device libraries were built by a newer LLVM than this clang: use the clang "
            "that they came with (HIPCXX), or set ROCM_PATH to libraries of its own time"
        )
    if "nsupported HIP gpu architecture" in log or "invalid target ID" in log:
        return f"this clang does not know {unit.arch}: use a newer one (HIPCXX, ROCM_PATH)"
    return ""


def read_image(data: bytes) -> ImageContent:
    """The kernels and variables of a code object; bitcode tells nothing before its link."""
    from kbuild.backends.hip import image as hip_image  # noqa: PLC0415 - loads parsers

    if hip_image.classify(data) == "bitcode":
        return ImageContent(kernels=())
    return hip_image.read_image(data)


def pack(unit: PackUnit, tc: Toolchain) -> Packing:
    """The bundle that clang itself would have made of the images."""
    host = f"host-{os.uname().machine}-unknown-linux"
    targets = (host, *(f"hipv4-{_TRIPLE}--{image.arch}" for image in unit.images))
    argv = (
        *(str(tc.packer or _BUNDLER), "-type=o", f"-bundle-align={FAT_BINARY_ALIGNMENT}"),
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
