"""Build CPU kernels: compile sources as C++ shared objects, and pack them into a fat binary.

The parsing libraries are slow to import, so `image` and `contents` load them only after the
compiler has finished.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kbuild import resources
from kbuild.backends.cpu import cccl, machines
from kbuild.backends.cpu.absent.functions import find_absent_functions
from kbuild.backends.cpu.absent.headers import find_absent
from kbuild.backends.cpu.mathlibs import headers as curand
from kbuild.backends.cpu.options import cuda_version, instrumentation, lines
from kbuild.backends.cpu.runtime import provide_runtimes
from kbuild.backends.cpu.toolchain import (
    LANGUAGE,
    NAME,
    cross_compilers,
    describe_trial,
    find_runtimes,
    list_candidates,
    probe_commands,
    read_toolchain,
)
from kbuild.backends.editors import list_cuda_options
from kbuild.backends.file_names import forget_directory, name_files, name_relatively
from kbuild.backends.host_options import (
    select_build_options,
    select_dialect_options,
)
from kbuild.backends.interface.build import (
    OPTION_FIX,
    RELOCATABLE_FIX,
    UNDEFINED_FIX,
    CompilerLog,
    CompileUnit,
    Completion,
    FrontEndStep,
    LinkUnit,
    Packing,
    PackUnit,
)
from kbuild.backends.interface.toolchain import Toolchain, ToolchainHints, Traits
from kbuild.backends.removed_names import find_removed_names
from kbuild.errors import ConfigurationError
from kbuild.model import Command
from kbuild.process import select_environment
from kbuild.values import replace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kbuild.backends.interface.mixed import HostUnit

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

PRELUDE: Final = ("-include", "kbuild_cpu_mixed.h")
# Otherwise, clang makes linkers retain inline variables with constructors (SHF_GNU_RETAIN), as the
# assembler of binutils 2.36 and later supports.
_DROPPABLE: Final = ("-fno-integrated-as", "-fbinutils-version=2.35")
_CAPABILITY: Final = "KBUILD_CPU_COMPUTE_CAPABILITY"
_CAPABILITIES: Final = {"": 800, "8.0": 800, "9.0": 900}
TRAITS: Final = Traits(
    name=NAME,
    language=LANGUAGE,
    fat_binary_section=".kbuild_fatbin",
    relocatable_section=".kbuild_relfatbin",
    link_function="__kbuildRegisterLinkedBinary",  # see kbuild/detail/link_names.h
    fat_binary_alignment=8,  # an LLVM offload binary's
    container_end=bytes(8),  # not another offload binary; see native/cpu/images/program_image.cpp
    registration_header="kbuild/cpu_registration.h",
    host_header="kbuild/host_cpu.h",
    compile_memory=512 << 20,  # measured by benchmarks/memory
    launch_entries=("kbuild_cpu_launch",),
    can_check=True,
    cuda_versions=cuda_version.MAJORS,
    cuda_version_variable=cuda_version.VARIABLE,
)

# The optional functions that this backend does not need: it has one platform, compilers that are
# what they seem, no compression, and a front end that is one command.
find_fallback: Final = None
list_notes: Final = None
check_compression: Final = None
listing_command: Final = None

# Since version 5, line tables contain the working directory, which compiler launchers change. A
# comment changes the columns behind it.
_LINES: Final = ("-g", "-gdwarf-4", "-gno-column-info")
# Where variables are at each instruction, which release images do not keep.
_NO_PLACES_OF_VARIABLES: Final = ("-fno-var-tracking", "-fno-var-tracking-assignments")
_MACHINE_OPTIONS: Final = ("-march=", "-mcpu=")
_PREPROCESSOR_OPTIONS: Final = ("-D", "-U", "-include", "-imacros")
_UNKNOWN_OPTION: Final = re.compile(
    r"unrecognized (command-line )?option|unknown argument|unsupported option"
)
# Images do not link the runtime.
_HOST_FUNCTION: Final = re.compile("undefined reference to .kbuild_cpu_")
# What compilers say of the code that kbuild writes: kernels become lambdas, and each launch calls a
# function with the kernel's name and one more parameter, which no file of the user declares.
_OWN_LINES: Final = re.compile(
    r"^(.*: In lambda function:\n|In lambda function,\n( +inlined from .*\n)+"
    r"|<kbuild>:.*\n( +\d* \|.*\n)*)",
    re.MULTILINE,
)
# What they add about declarations in kbuild's headers.
_OWN_NOTES: Final = re.compile(
    r"^(In file included from .*[,:]\n( +from .*[,:]\n)*)?"
    rf"{re.escape(str(resources.native_directory()))}/.*: note: .*\n( +\d* \|.*\n)*",
    re.MULTILINE,
)
_OWN_NAMES: Final = re.compile(
    r"call to \S+ declared with (attribute error|'error' attribute): kbuild: "
    r"|__kbuild_[0-9a-f]{16}\b|const (::)?kbuild::chevron::configuration ?&(, )?"
)
_UNDEFINED: Final = re.compile(r"undefined reference to [`'](.*)'$", re.MULTILINE)
# Lines of linkers, and the compiler's about its linker; clang names itself.
_OF_LINKER: Final = re.compile(
    r"\S*ld(?:\.\w+)?: |.*undefined reference to |collect2: |clang\S*: error: linker "
)
_HOST_FUNCTION_FIX: Final = (
    "a __host__ __device__ function that a kernel calls uses a function of the host API; "
    "put the call below #ifndef __CUDA_ARCH__"
)


def expand_architectures(
    requested: tuple[str, ...],
    tc: Toolchain,  # noqa: ARG001 - the interface's signature
    hints: ToolchainHints,
) -> tuple[str, ...]:
    """See `Builder`: microarchitecture levels; by default the baseline and v3."""
    return machines.expand(requested, hints.machine)


def device_links(architectures: tuple[str, ...]) -> tuple[str, ...]:
    """See `Builder`: every architecture."""
    return architectures


def language_options(unit: CompileUnit, tc: Toolchain) -> tuple[str, ...]:
    """Return the options with which a C++ compiler reads a source without host code."""
    return (*text_options(unit, tc), "-include", "kbuild_cpu_device.h", *header_options(tc))


def editor_options(unit: CompileUnit, tc: Toolchain) -> tuple[str, ...]:
    """See `Builder`: as C++ without the options of gcc, and mixed sources as CUDA."""
    if unit.is_mixed:
        return list_cuda_options(unit.device_standard, tc.libraries)
    return language_options(unit, replace(tc, compiler_id="clang"))


def device_macros() -> tuple[str, ...]:
    """Return the options for the macros that only the device pass of mixed sources has."""
    return (f"-D__CUDA_ARCH__={read_capability()}", "-DKBUILD_MIXED_DEVICE=1")


def architecture_macros() -> tuple[str, ...]:
    """Return the options that tell both passes the architecture, if it is not the usual one."""
    number = read_capability()
    return () if number == _CAPABILITIES[""] else (f"-D__CUDA_ARCH_LIST__={number}",)


def read_capability() -> int:
    """Return ``__CUDA_ARCH__``, which sources test for features.

    The environment variable says the compute capability that the device has, too; see
    ``native/cpu/devices``.

    Raises:
        ConfigurationError: Its value is unknown.
    """
    value = select_environment((_CAPABILITY,)).get(_CAPABILITY, "")
    if value not in _CAPABILITIES:
        raise ConfigurationError(f"{_CAPABILITY} is '{value}'; expected 8.0 or 9.0")
    return _CAPABILITIES[value]


def header_options(tc: Toolchain) -> tuple[str, ...]:
    """Return the options with which a compiler finds the headers of the device language.

    They come before all directories of the target, which can contain CUDA's own headers.
    """
    return (
        # One word each, because CMake removes options that it takes for repeated ones.
        *(f"-I{directory}" for directory in cuda_version.list_directories()),
        f"-I{resources.native_directory() / 'device' / NAME}",
        f"-isystem{resources.native_directory() / 'include'}",
        *(f"-isystem{directory}" for directory in tc.libraries),
    )


def text_options(unit: CompileUnit, tc: Toolchain) -> tuple[str, ...]:
    """Return the options that both steps of the device pass have in common.

    The object of a mixed source also contains the host functions. Nothing in an image refers to
    them, so the linker drops them.
    """
    checked = instrumentation.text_options() if unit.is_checked else ()
    if not unit.is_mixed:
        return (
            *("-x", "c++", f"-std=c++{unit.device_standard}"),
            *machines.code_generation_flags(unit.arch, tc),
            *("-fno-exceptions", *checked),
            *("-ffunction-sections", "-fdata-sections"),
        )
    return (
        *("-x", "c++", f"-std=gnu++{unit.device_standard}"),
        *machines.code_generation_flags(unit.arch, tc),
        *checked,
        # So that compilers can inline device functions that are not marked `inline`.
        *("-fvisibility=hidden", "-ffunction-sections", "-fdata-sections"),
        *(_DROPPABLE if tc.compiler_id == "clang" else ()),
    )


def compile_command(unit: CompileUnit, tc: Toolchain) -> Command:
    """See `Builder`: a C++ compile of the rewritten text to an object with debug information."""
    compiled = unit.output.with_name(unit.output.name + ".o")
    # Compilers record the name of the text. Without -g, it does not depend on the build directory.
    text = unit.text or unit.source
    directory = None if unit.debug else text.parent
    argv = (
        str(tc.compiler),
        *text_options(unit, tc),
        # Names and layouts of parameters come from DWARF. A release image keeps only lines.
        *(("-g",) if unit.debug else _LINES),
        # By default, a class can be described only where its constructor or virtual functions
        # are defined, which can be another object.
        "-fstandalone-debug" if tc.compiler_id == "clang" else "-femit-class-debug-always",
        *(() if unit.debug or tc.compiler_id == "clang" else _NO_PLACES_OF_VARIABLES),
        *((_hide_text(tc),) if unit.is_mixed else ()),
        # One message has the errors of all divided kernels. clang stops after 20.
        *(("-ferror-limit=0",) if tc.compiler_id == "clang" else ()),
        # Caches preprocess the text again. With -g, gcc would write the directory into the result.
        *(("-fno-working-directory",) if directory and tc.compiler_id == "gcc" else ()),
        *(*name_files(unit), *lines.name_headers(unit, tc)),
        *_drop_preprocessor_options(target_options(unit)),
        *select_dialect_options(unit.host_options),
        *machines.select_host_machine(unit.arch, tc, unit.host_options),
        *(instrumentation.code_options(unit, tc) if unit.is_checked else ()),
        *("-c", text.name if directory else str(text), "-o", str(compiled)),
    )
    return Command(
        argv=argv,
        cwd=directory,
        inputs=(text,),
        outputs=(compiled,),
        env=forget_directory(unit),
    )


def _hide_text(tc: Toolchain) -> str:
    """Return the option for diagnostics without the rewritten text."""
    is_clang = tc.compiler_id == "clang"
    return "-fno-caret-diagnostics" if is_clang else "-fno-diagnostics-show-caret"


def _drop_preprocessor_options(options: tuple[str, ...]) -> Iterator[str]:
    """Yield the options without macros and headers, which the text already contains."""
    words = iter(options)
    for word in words:
        if word in _PREPROCESSOR_OPTIONS:
            next(words, None)  # its argument
        elif not word.startswith(_PREPROCESSOR_OPTIONS):
            yield word


def definition_options(unit: CompileUnit | HostUnit) -> tuple[str, ...]:
    """Return the options for the target's macros and directories."""
    return (
        *(f"-D{definition}" for definition in unit.definitions),
        *(f"-I{directory}" for directory in unit.include_directories),
    )


def target_options(unit: CompileUnit) -> tuple[str, ...]:
    """See `Builder`: no options that make an image differ from the architecture in its name."""
    for option in unit.options:
        if option.startswith(_MACHINE_OPTIONS):
            raise ConfigurationError(
                f"option {option}: ARCHITECTURES selects the machines that kernels are compiled "
                "for; name the level there, or native"
            )
    return (*select_build_options(unit.build_options), *unit.options)


def cacheable_steps(
    unit: CompileUnit,
    tc: Toolchain,
    listing: str,  # noqa: ARG001 - the interface's signature
) -> tuple[FrontEndStep, ...]:
    """See `Builder`: one step, which caches understand completely."""
    command = compile_command(unit, tc)
    # The text has relative names, too.
    command = replace(name_relatively(command, unit), cwd=command.cwd)
    return (FrontEndStep(command=command, is_cacheable=True),)


def complete(
    unit: CompileUnit,
    compiled: bytes,
    log: str,  # noqa: ARG001 - the interface's signature
    tc: Toolchain,
) -> Completion:
    """See `Builder`: find the kernels in the object, generate typed adapters, link the image."""
    from kbuild.backends.cpu import image  # noqa: PLC0415 - loads parsers and templates

    argv = (
        *(str(tc.compiler), "-E", *language_options(unit, tc)),
        *definition_options(unit),
        *target_options(unit),
        str(unit.source),
    )
    completion: Completion = image.complete(unit, compiled, tc)
    return replace(
        completion,
        preprocessing=Command(argv=argv, inputs=(unit.source,), outputs=()),
        describes_parameters=True,
    )


def link_images(unit: LinkUnit, contents: tuple[bytes, ...], tc: Toolchain) -> Completion:
    """See `Builder`: the objects of all sources, with one adapter unit for their kernels."""
    from kbuild.backends.cpu import image  # noqa: PLC0415 - loads parsers and templates

    return image.link(unit, contents, tc)


def read_log(log: str, unit: CompileUnit | LinkUnit | None = None) -> CompilerLog:
    """See `Builder`: C++ compilers explain themselves; a linker does not know the target."""
    if unit and _HOST_FUNCTION.search(log):
        fix = _HOST_FUNCTION_FIX
    elif isinstance(unit, LinkUnit) and "undefined reference" in log:
        fix = UNDEFINED_FIX
    elif isinstance(unit, LinkUnit) and "multiple definition" in log:
        fix = "make all but one of the definitions static, inline, or extern"
    elif isinstance(unit, CompileUnit) and "undefined reference" in log:
        fix = RELOCATABLE_FIX
        log = _describe_undefined(log, unit)
    elif _UNKNOWN_OPTION.search(log):
        fix = OPTION_FIX
    else:
        fix = (
            cccl.find_fix(log)
            or curand.find_fix(log)
            or find_absent(log)
            or find_absent_functions(log)
            or find_removed_names(log, cuda_version.OPTION)
        )
    text = _OWN_NAMES.sub("", _OWN_NOTES.sub("", _OWN_LINES.sub("", log)))
    return CompilerLog(text=text, fix=fix)


def _describe_undefined(log: str, unit: CompileUnit) -> str:
    """Replace what a linker says of undefined symbols, which it finds in kbuild's own functions."""
    rest = "".join(line for line in log.splitlines(keepends=True) if not _OF_LINKER.match(line))
    mistakes = (
        f"{unit.display_source}: error: device code uses '{name}', which this source declares, but "
        "does not define\n"
        for name in dict.fromkeys(_UNDEFINED.findall(log))
    )
    return rest + "".join(mistakes)


def pack(
    unit: PackUnit,
    tc: Toolchain,  # noqa: ARG001 - the interface's signature
) -> Packing:
    """See `Builder`: one LLVM offload binary per image, without compression."""
    from kbuild.backends.cpu.container import write_container  # noqa: PLC0415 - only packs need it

    return Packing(content=write_container((i.arch, i.sha256, i.data) for i in unit.images))
