"""The ``mixed`` capability for HIP: the passes of mixed sources.

Only clang reads the host code of HIP, because it contains device functions, and HIP's headers
differ between compilers. So clang compiles the rewritten text to assembly, and the project's C++
compiler assembles it. See `MixedPasses` for the protocol.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kbuild import resources
from kbuild.backends.hip import host_macros
from kbuild.backends.hip.build import compile_command, list_source_options
from kbuild.backends.hip.toolchain import NAME
from kbuild.backends.host_options import select_text_options
from kbuild.backends.interface.mixed import Entries, FrontEnd, HostUnit
from kbuild.model import Command
from kbuild.values import replace

if TYPE_CHECKING:
    from kbuild.backends.interface.build import CompileUnit
    from kbuild.backends.interface.toolchain import Toolchain
    from kbuild.cxx.model import HostText
    from kbuild.cxx.unit import Unit

PASS_MACROS: Final = host_macros.PASS_MACROS

# clang reads the source itself.
listing_command: Final = None
describe_device_pass: Final = None
read_device_text: Final = None
review_object: Final = None
describe_diagnosis: Final = None
describe_review: Final = None
read_review: Final = None

list_check_options: Final = None  # see `Traits.can_check`

# Device functions use only a part of what a source declares, and kernels have no code.
_WARNINGS: Final = (
    *("-Wno-gnu-inline-cpp-without-extern", "-Wno-unused-function"),
    *("-Wno-unused-const-variable", "-Wno-pedantic"),
)
# The options of another compiler can contain some that clang does not use.
_FOREIGN: Final = ("-Wno-unknown-warning-option", "-Qunused-arguments")


def describe_host_pass(
    unit: HostUnit,
    tc: Toolchain,
    listing: str,  # noqa: ARG001 - the interface's signature
) -> FrontEnd:
    """See `MixedPasses`: clang preprocesses the source as HIP for the host."""
    native = resources.native_directory()
    text = unit.output.with_name(unit.output.name + ".host.ii")
    argv = (
        *(*_list_common_options(unit, tc), "-E", "-DKBUILD_BACKEND_HIP=1"),
        *(("-D__CLANG_RDC__=1",) if unit.relocatable else ()),  # as clang's own host pass
        *(*list_source_options(unit.source), "--include=kbuild_hip_mixed.h"),
        f"-isystem{native / 'device' / NAME}",
        f"-isystem{native / 'include'}",
        *(f"-D{definition}" for definition in unit.definitions),
        *(f"-I{directory}" for directory in unit.include_directories),
        *(unit.depfile_option, "-MF", str(unit.depfile), "-MQ", str(unit.stamp)),
        *select_text_options(unit.options),
        *(*unit.device_options, *_FOREIGN),
        *(str(unit.source), "-o", str(text)),
    )
    command = Command(argv=argv, inputs=(unit.source,), outputs=(text, unit.depfile))
    return FrontEnd(commands=(command,), text=text)


def describe_preprocessors(
    host: HostUnit,
    device: CompileUnit,
    tc: Toolchain,
    listings: tuple[str, str],
) -> tuple[Command, Command]:
    """See `MixedPasses`: without the headers that clang includes itself."""
    (first,) = describe_host_pass(host, tc, listings[0]).commands
    commands = first, compile_command(device, tc)
    host_pass, device_pass = (
        replace(command, argv=(*command.argv, "-nogpuinc")) for command in commands
    )
    return host_pass, device_pass


def _list_common_options(unit: HostUnit, tc: Toolchain) -> tuple[str, ...]:
    """Return the start of the commands of the host pass."""
    return (
        *(str(tc.compiler), *tc.options, "-x", "hip", "--cuda-host-only", "-nogpulib"),
        f"-std=gnu++{unit.device_standard}",
    )


def read_host_text(code: Unit, unit: HostUnit) -> HostText:
    """See `MixedPasses`: kernels without code, and shadows of variables."""
    from kbuild.backends.hip.mixed.host_text import read_text  # noqa: PLC0415 - only host passes

    return read_text(code, is_relocatable=unit.relocatable)


def compile_host_text(unit: HostUnit, tc: Toolchain) -> FrontEnd:
    """See `MixedPasses`: clang compiles it, position-independent unless the project forbids it."""
    text = unit.output.with_name(unit.output.name + ".host.hip")
    assembly = unit.output.with_name(unit.output.name + ".host.s")
    argv = (
        # The preprocessed text contains the headers that clang would include.
        *(*_list_common_options(unit, tc), "-nogpuinc", "-S", "-fPIC"),
        *(*unit.options, *list_source_options(unit.source)[1:], *_FOREIGN, *_WARNINGS),
        # The text is assembled by another compiler, as a part of a C++ file.
        *("-fno-lto", "-fno-addrsig", "-fno-integrated-as", "-fbinutils-version=2.35"),
        *(str(text), "-o", str(assembly)),
    )
    command = Command(argv=argv, inputs=(text,), outputs=(assembly,))
    return FrontEnd(commands=(command,), text=assembly)


def read_assembly(assembly: str, unit: HostUnit) -> str:
    """See `MixedPasses`: without what clang adds for its own registration."""
    from kbuild.backends.hip.mixed.assembly import adapt_assembly  # noqa: PLC0415 - only host passes

    return adapt_assembly(assembly, unit.display_source)


def list_host_options(
    unit: HostUnit,  # noqa: ARG001 - the interface's signature
    tc: Toolchain,  # noqa: ARG001 - the interface's signature
) -> tuple[str, ...]:
    """See `MixedPasses`: clang's assembly already contains the debug information.

    clang as the project's compiler warns that only some of its files have checksums.
    """
    return ("-g0", "-Wno-overlength-strings", "-Wno-inline-asm")


def read_entries(
    unit: CompileUnit,
    tc: Toolchain,  # noqa: ARG001 - the interface's signature
) -> Entries:
    """See `MixedPasses`: what the code object contains."""
    from kbuild.backends.hip.mixed.entries import list_entries  # noqa: PLC0415 - loads parsers

    return list_entries(unit)
