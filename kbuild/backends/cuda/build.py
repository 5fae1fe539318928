"""Build CUDA kernels: device-only nvcc, which runs ptxas, and fatbinary."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from kbuild import files, resources
from kbuild.backends.cuda import architectures
from kbuild.backends.cuda.logs import read_log
from kbuild.backends.cuda.toolchain import (
    LANGUAGE,
    LIBRARY_DIRECTORIES,
    NAME,
    ONE_NAME_EVERYWHERE,
    describe_trial,
    find_runtimes,
    list_candidates,
    probe_commands,
    read_toolchain,
)
from kbuild.backends.editors import list_cuda_options
from kbuild.backends.file_names import name_files
from kbuild.backends.host_options import find_layout_option, select_preprocessor_options
from kbuild.backends.interface.build import (
    CompileUnit,
    Completion,
    FrontEndStep,
    ImageOutput,
    LinkUnit,
    Packing,
    PackUnit,
)
from kbuild.backends.interface.mixed import HostUnit
from kbuild.backends.interface.toolchain import (
    HeaderLibrary,
    Toolchain,
    ToolchainHints,
    Traits,
    UnsafeCharacters,
)
from kbuild.errors import ConfigurationError
from kbuild.model import Command, CompressionMode
from kbuild.values import replace

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

_PHASES: Final = (
    *("-o", "--output-file", "-c", "--compile", "-dw", "--device-w", "-E", "--preprocess"),
    *("-ptx", "--ptx", "-cubin", "--cubin", "-fatbin", "--fatbin", "-cuda", "--cuda"),
    *("-dlink", "--device-link", "-lib", "--lib", "-link", "--link", "-run", "--run"),
)
_MANAGED: Final = (
    (("-arch", "--gpu-architecture", "-gencode", "--generate-code"), "use ARCHITECTURES"),
    (("-code", "--gpu-code"), "use ARCHITECTURES"),
    (("-rdc", "--relocatable-device-code", "-dc", "--device-c"), "use RDC ON"),
    (("-static-global-template-stub", "--static-global-template-stub"), "use WEAK_INSTANCES ON"),
    (
        ("-device-entity-has-hidden-visibility", "--device-entity-has-hidden-visibility"),
        "use VISIBILITY",
    ),
    (("-compress-mode", "--compress-mode", "-no-compress", "--no-compress"), "use COMPRESSION"),
    (("-ccbin", "--compiler-bindir"), "use HOST_COMPILER"),
    (_PHASES, "kbuild chooses what nvcc makes"),
)

TRAITS: Final = Traits(
    name=NAME,
    managed_options=_MANAGED,
    header_libraries=(
        HeaderLibrary(
            name="CCCL",
            header="cuda/std/__cccl/version.h",
            directories=("include/cccl", "include"),
            macro="CCCL_VERSION",
            license="Apache-2.0 WITH LLVM-exception",
        ),
    ),
    language=LANGUAGE,
    fat_binary_section=".nv_fatbin",
    relocatable_section="__nv_relfatbin",
    link_function="__cudaRegisterLinkedBinary",  # see crt/link.stub in the toolkit
    fat_binary_alignment=8,
    registration_header="kbuild/cuda_registration.h",
    host_header="kbuild/host_cuda.h",
    compile_memory=4096 << 20,  # sources with CUTLASS; see benchmarks/memory
    launch_entries=("cuLaunchKernelEx", "cudaLaunchKernel"),
    separate_operations=("-fmad=false",),
    check_advice="on a GPU, compute-sanitizer checks a program",
    # nvcc lets a shell run its steps and quotes names in a way that still expands them, even
    # commands.
    unsafe=UnsafeCharacters(sources='$`"', outputs='$`"', include_directories="$`\"'"),
)

# The optional functions that this backend does not need: it has one platform, no surprises, and
# nvcc compiles for every architecture that it lists.
find_fallback: Final = None
provide_runtimes: Final = None
list_notes: Final = None
cross_compilers: Final = None

_FIRST_WITH_MODES: Final = (12, 8)
# PTX that the driver links must tell the driver's own ptxas.
_LINKING: Final = {
    "none": (),
    "linked": ("--link",),
    "prelinked": ("--device-c", "--cmdline=--compile-only"),
}
_COMPRESSION: Final[dict[CompressionMode, tuple[str, ...]]] = {
    "none": ("--compress=false",),
    "speed": ("--compress-mode=speed",),
    "balance": (),  # the default, which every version has
    "size": ("--compress-mode=size",),
}
# fatbinary's names of kinds. LTO-IR is LLVM bitcode in a form of NVIDIA's.
_FATBINARY_KINDS: Final = {"ptx": "ptx", "elf": "elf", "bitcode": "nvvm"}
_DEVICE_MACROS: Final = ("-DKBUILD_DEVICE_CODE=1",)
_MIXED_MACROS: Final = ("-DKBUILD_MIXED=1", "-DKBUILD_BACKEND_CUDA=1")
_DEBUG: Final = frozenset(("-G", "--device-debug"))
_LINES: Final = frozenset(("-lineinfo", "--generate-line-info"))


def expand_architectures(
    requested: tuple[str, ...], tc: Toolchain, hints: ToolchainHints
) -> tuple[str, ...]:
    """See `Builder`: as CMake's CUDA_ARCHITECTURES; by default CMake's own value."""
    defaults = tuple(value for language, value in hints.architectures if language == LANGUAGE)
    return architectures.expand(requested or defaults, tc.architectures, hints.devices)


def check_compression(mode: CompressionMode, tc: Toolchain) -> None:
    """See `Builder`: CUDA 12.8 introduced modes."""
    major, minor = (int(number) for number in tc.version.split(".")[:2])
    if "mode" in "".join(_COMPRESSION[mode]) and (major, minor) < _FIRST_WITH_MODES:
        raise ConfigurationError(
            f"COMPRESSION {mode} needs nvcc {'.'.join(map(str, _FIRST_WITH_MODES))} or newer, and "
            f"{tc.compiler} is {tc.version}; use balance or none"
        )


def device_links(requested: tuple[str, ...]) -> tuple[str, ...]:
    """See `Builder`: architectures with a cubin. The driver links PTX, if anything does."""
    real = tuple(arch for arch in requested if architectures.parse(arch).is_real)
    if not real:
        raise ConfigurationError(
            "RDC ON links device code for real architectures, but ARCHITECTURES "
            f"({', '.join(requested)}) names none; add one, such as "
            f"{requested[0].replace('-virtual', '-real')}"
        )
    return real


_NO_LOCAL_INSTANCES: Final = "-diag-suppress=20280"
_FIRST_LOCAL: Final = 13  # the first version of nvcc whose instances are local to the source


def language_options(unit: CompileUnit | HostUnit, tc: Toolchain) -> tuple[str, ...]:
    """Return how nvcc reads a kernel source, or both passes of a mixed source."""
    host = ("-ccbin", str(tc.host_compiler)) if tc.host_compiler else ()
    native = resources.native_directory()
    is_device_only = isinstance(unit, CompileUnit) and not unit.is_mixed
    return (
        *("-x", "cu", f"-std=c++{unit.device_standard}"),
        *host,
        *(_DEVICE_MACROS if is_device_only else _MIXED_MACROS),
        *(() if is_device_only else _suppress_diagnostics(tc)),
        *(f"-D{name}=1" for name in ONE_NAME_EVERYWHERE),
        f"-I{native / 'include'}",
        # Headers with the names of HIP's headers. A project's own headers come first.
        f"-isystem={native / 'device' / NAME}",
    )


def _suppress_diagnostics(tc: Toolchain) -> tuple[str, ...]:
    """Suppress what is true for the host code of nvcc, but not for that of kbuild.

    CUDA 13 warns about launches of instances that another source instantiates explicitly.
    """
    return (_NO_LOCAL_INSTANCES,) if int(tc.version.partition(".")[0]) >= _FIRST_LOCAL else ()


def editor_options(unit: CompileUnit, tc: Toolchain) -> tuple[str, ...]:
    """See `Builder`: with kbuild's declarations, because clang cannot read every toolkit."""
    include = tc.compiler.resolve().parent.parent / "include"
    return list_cuda_options(unit.device_standard, (include / "cccl", include))


def compile_command(unit: CompileUnit, tc: Toolchain) -> Command:
    """See `Builder`: one run, which keeps the preprocessed source and the PTX."""
    target = architectures.parse(unit.arch)
    keep = find_keep_directory(unit)
    mode: tuple[str, ...]
    if architectures.has_link_time_code(unit):
        output = keep / "image.fatbin"
        codes = f"{target.real},{target.link_time}"
        mode = ("-fatbin", f"-gencode=arch={target.virtual},code=[{codes}]", "-Xptxas", "-v")
    elif target.is_real:
        output = unit.output.with_name(unit.output.name + ".cubin")
        mode = ("-cubin", f"-arch={target.virtual}", f"-code={target.real}", "-Xptxas", "-v")
    elif unit.is_mixed:
        # With -ptx, nvcc would not write the stub file.
        output = keep / "image.fatbin"
        mode = ("-fatbin", f"-gencode=arch={target.virtual},code={target.virtual}")
    else:
        output = unit.output.with_name(unit.output.name + ".ptx")
        mode = ("-ptx", f"-arch={target.virtual}")
    if unit.relocatable:
        mode = ("-rdc=true", *mode)
    argv = (
        str(tc.compiler),
        *language_options(unit, tc),
        *mode,
        *("--keep", "--keep-dir", str(keep)),
        *list_program_options(unit.definitions, unit.include_directories, unit.host_options),
        *_pass_to_preprocessor((*_list_architectures(unit), *name_files(unit))),
        *target_options(unit),
        # The preprocessor that runs anyway writes the depfile. `nvcc -MD` would run another one.
        *("-Xcompiler", f"-MMD,-MF,{_quote(unit.depfile)},-MQ,{_quote(unit.stamp)}"),
        *_hide_directory(unit),
        *(str(unit.source), "-o", str(output)),
    )
    return Command(argv=argv, inputs=(unit.source,), outputs=(output,), directories=(keep,))


def _list_architectures(unit: CompileUnit) -> Iterator[str]:
    """Yield the options for the macro in which both passes of a source see all architectures.

    nvcc would list only the one of this run.
    """
    parsed = map(architectures.parse, unit.architectures)
    numbers = sorted({int(architecture.number.rstrip("af")) * 10 for architecture in parsed})
    if len(numbers) > 1:
        yield "-U__CUDA_ARCH_LIST__"
        yield f"-D__CUDA_ARCH_LIST__={','.join(map(str, numbers))}"


def list_program_options(
    definitions: tuple[str, ...], directories: tuple[str, ...], host_options: tuple[str, ...]
) -> Iterator[str]:
    """Yield the macros, directories, and host options that all preprocessors of nvcc get.

    Raises:
        ConfigurationError: An option changes the layout of types, which nvcc's device code ignores.
    """
    changed = find_layout_option(host_options)
    if changed is not None:
        raise ConfigurationError(
            f"option {changed}: host code would have other types than device code, because nvcc "
            "does not support it; remove the option, or write types of a fixed layout"
        )
    yield from quote_options(f"-D{definition}" for definition in definitions)
    yield from quote_options(f"-I{directory}" for directory in directories)
    yield from _pass_to_preprocessor(select_preprocessor_options(host_options))


def target_options(unit: CompileUnit) -> tuple[str, ...]:
    """See `Builder`: nvcc's options for device code."""
    return (*_translate(unit), *(o for o in unit.options if o not in architectures.LINK_TIME))


def _hide_directory(unit: CompileUnit) -> tuple[str, ...]:
    """Return options that keep the source's directory out of generated names."""
    seed = ("--frandom-seed", unit.display_source)
    if _asks_for_debug(unit):  # debuggers look for the source by this path
        return seed
    # Names that are local to the source contain a hash of this path.
    return (*seed, "-Xcicc", "--orig_src_path_name", "-Xcicc", name_plainly(unit.display_source))


def name_plainly(path: str) -> str:
    """Return the path, or a similar name if nvcc would change quotes on the way to cicc."""
    plain = re.sub(r"[^\w./+-]", "_", path, flags=re.ASCII)
    return plain if plain == path else f"{plain}.{files.sha256(path.encode())[:8]}"


def _asks_for_debug(unit: CompileUnit) -> bool:
    return not _DEBUG.isdisjoint((*_translate(unit), *unit.options))


def _asks_for_lines(unit: CompileUnit) -> bool:
    """Return whether the images map their code to lines of source files."""
    return _asks_for_debug(unit) or not _LINES.isdisjoint((*_translate(unit), *unit.options))


def listing_command(unit: CompileUnit, tc: Toolchain) -> Command:
    """See `Builder`: ``--dryrun``.

    Compiler caches that know nvcc use it as well, but do not understand all nvcc versions.
    """
    front_end = compile_command(unit, tc)
    inputs = list_read_files(unit.source, tc, tc.host_compiler)
    return replace(front_end, argv=(*front_end.argv, "--dryrun"), inputs=inputs, directories=())


def list_read_files(source: Path, tc: Toolchain, host_compiler: Path | None) -> tuple[Path, ...]:
    """Return what the steps of nvcc depend on beside the command line and the environment."""
    profile = tc.compiler.resolve().with_name("nvcc.profile")
    return (source, profile, *((host_compiler.resolve(),) if host_compiler else ()))


def cacheable_steps(
    unit: CompileUnit,
    tc: Toolchain,  # noqa: ARG001 - the interface's signature
    listing: str,
) -> tuple[FrontEndStep, ...]:
    """See `Builder`: the preprocessor, ``cicc``, and ``ptxas``; caches understand the last two."""
    from kbuild.backends.cuda.steps import Naming, read_steps  # noqa: PLC0415 - only caches do this

    naming = Naming(
        keep=find_keep_directory(unit),
        root=None if _asks_for_lines(unit) else unit.root,
        # Line information names a relative source by the directory in which the compiler runs.
        is_full=_asks_for_debug(unit) or (_asks_for_lines(unit) and not unit.source.is_absolute()),
    )
    return read_steps(listing, unit, naming)


def _translate(unit: CompileUnit | LinkUnit) -> tuple[str, ...]:
    """Translate the build type's C++ options to nvcc's options for device code."""
    # For mixed sources, these are also among the options of the host.
    is_mixed = isinstance(unit, CompileUnit) and unit.is_mixed
    build_options = () if is_mixed else unit.build_options
    kept = [option for option in build_options if option.startswith(("-D", "-U"))]
    is_optimized = any(re.fullmatch(r"-O[1-3s]|-Ofast", o) for o in unit.build_options)
    if unit.debug:
        kept.append("-lineinfo" if is_optimized else "-G")
    return tuple(kept)


def _quote(path: Path | str) -> str:
    # nvcc splits at commas, and it calls the preprocessor through a shell.
    return shlex.quote(str(path)).replace(",", "\\,")


def quote_options(options: Iterable[str]) -> Iterator[str]:
    """Yield macros, directories, and headers such that nvcc passes them on as they are.

    nvcc splits the values at commas, and removes backslashes from macros. It writes macros within
    double quotes into a command for a shell, where a backslash and a dollar sign are special.
    """
    for word in options:
        if word.startswith(("-D", "-U")):
            protected = re.sub(r"([\\$`])", r"\\\1", word[2:])
            yield word[:2] + re.sub(r'([\\,"])', r"\\\1", protected)
        elif word.startswith("-I"):
            yield f'-I"{word[2:]}"' if "," in word else word
        else:
            yield f'"{word}"' if "," in word else word


def _pass_to_preprocessor(options: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for option in options for word in ("-Xcompiler", _quote(option)))


def find_keep_directory(unit: CompileUnit) -> Path:
    """Return the directory in which nvcc keeps the files between its steps."""
    return unit.output.with_name(unit.output.name + ".keep")


def complete(
    unit: CompileUnit,
    compiled: bytes,  # noqa: ARG001 - the interface's signature
    log: str,
    tc: Toolchain,  # noqa: ARG001 - the interface's signature
) -> Completion:
    """See `Builder`: a cubin, PTX, or both."""
    from kbuild.backends.cuda import image  # noqa: PLC0415 - loads parsers

    return image.complete(unit, log, find_keep_directory(unit))


def link_images(
    unit: LinkUnit,
    contents: tuple[bytes, ...],  # noqa: ARG001 - the interface's signature
    tc: Toolchain,
) -> Completion:
    """See `Builder`: ``nvlink``, with the device runtime for kernels that launch kernels."""
    target = architectures.parse(unit.arch)
    output = unit.output.with_name(unit.output.name + ".cubin")
    cubins = tuple(path for path in unit.images if path.suffix == ".cubin")
    toolkit = tc.compiler.resolve().parent.parent
    argv = (
        *(str(tc.compiler.parent / "nvlink"), f"-arch={target.real}"),
        *(("-g",) if "-G" in _translate(unit) else ()),
        *(f"-L{toolkit / directory}" for directory in LIBRARY_DIRECTORIES),
        *("-lcudadevrt", *map(str, cubins), "-o", str(output)),
    )
    return Completion(
        commands=(Command(argv=argv, inputs=cubins, outputs=(output,)),),
        images=(ImageOutput(path=output, arch=target.real, kind="elf"),),
    )


def pack(unit: PackUnit, tc: Toolchain) -> Packing:
    """See `Builder`: ``fatbinary``, so that NVIDIA's own tools can read the container.

    It runs in the output's directory, because a comma would end a file name in its arguments.
    """
    directory = unit.output.parent
    argv = [str(tc.compiler.parent / "fatbinary"), "-64", f"--create={unit.output.name}"]
    argv += [*_LINKING[unit.linking], *_COMPRESSION[unit.compression]]
    for image in unit.images:
        number = image.arch.partition("_")[2]
        kind = _FATBINARY_KINDS[image.kind]
        file = os.path.relpath(image.path, directory)
        argv.append(f"--image3=kind={kind},sm={number},file={file}")
    command = Command(
        argv=tuple(argv),
        inputs=tuple(image.path for image in unit.images),
        outputs=(unit.output,),
        cwd=directory,
    )
    return Packing(commands=(command,))
